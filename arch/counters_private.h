/* What each vendor's counters implement for arch/counters.c, which is the same on every ISA. */
#ifndef FATHOM_ARCH_COUNTERS_PRIVATE_H
#define FATHOM_ARCH_COUNTERS_PRIVATE_H

#include "arch/counters.h"

#define BIT(n) (UINT64_C(1) << (n))
#define ONES(n) ((n) >= 64 ? UINT64_MAX : BIT(n) - 1) /* the lowest n bits */

/*
 * How one vendor's counters are programmed: the functions that those of arch/counters.h call. A reason that is returned
 * is valid as long as *state is; NULL or true means success.
 */
struct counter_driver {
    /* counters_lacks; NULL where the core's registers do not list events. */
    const char *(*lacks)(const struct counters *have, uint64_t code);
    /*
     * Writes the settings, which the caller has checked: each names a slot that exists and is free, and no slot twice.
     * On failure *state holds what was changed before, so that `restore` can undo it.
     */
    const char *(*program)(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state);
    /* Starts the programmed counters, or stops them where `go` is false. */
    bool (*run)(const struct access *a, const struct counters *have, const struct counters_state *state, bool go);
    /* counters_read, for a slot that exists. */
    bool (*read)(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value);
    /* Undoes `program`; the caller has stopped the counters. */
    bool (*restore)(const struct access *a, const struct counters *have, struct counters_state *state);
    /* Completes one row of counters_proof, whose setting.slot is filled in: the event that proves this slot best. */
    void (*proof)(const struct access *a, const struct counters *have, struct counter_proof *proof);
};

/* The driver of these counters, by have->kind; each ISA has its own function (arch/ISA/counters.c). Never NULL. */
const struct counter_driver *counter_driver(const struct counters *have);

/*
 * For counters_find: sets out->why_not, why nothing can be counted, leaves the rest of *out as it is, and returns
 * false.
 */
static inline bool counters_refuse(struct counters *out, const char *why_not)
{
    out->why_not = why_not;
    return false;
}

/* Whether the setting is for a fixed counter. */
static inline bool counters_is_fixed(const struct counter_setting *s)
{
    return s->slot >= COUNTER_FIXED;
}

#endif
