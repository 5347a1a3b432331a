/* What arch/counters.c, the same everywhere, needs of each ISA. */
#ifndef FATHOM_ARCH_COUNTERS_PRIVATE_H
#define FATHOM_ARCH_COUNTERS_PRIVATE_H

#include "arch/counters.h"

#define BIT(n) (UINT64_C(1) << (n))
#define ONES(n) ((n) >= 64 ? UINT64_MAX : BIT(n) - 1) /* the lowest n bits */

/* One vendor's counters. counters_private of each ISA chooses by have->kind. */
struct counters_way {
    /* counters_lacks; NULL where registers tell nothing of events. */
    const char *(*lacks)(const struct counters *have, uint64_t code);
    /* The settings name slots that are there, free, and each once. What could be done is in *state either way. */
    const char *(*program)(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state);
    bool (*run)(const struct access *a, const struct counters *have, const struct counters_state *state, bool go);
    bool (*read)(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value);
    /* After the run has been stopped. */
    bool (*restore)(const struct access *a, const struct counters *have, struct counters_state *state);
    /* What the slot counts best for a proof; its setting's slot is filled in. */
    void (*proof)(const struct access *a, const struct counters *have, struct counter_proof *proof);
};

const struct counters_way *counters_way(const struct counters *have);

/* counters_find says why there are none, and leaves the rest as it stands. */
static inline bool counters_refuse(struct counters *out, const char *why_not)
{
    out->why_not = why_not;
    return false;
}

static inline bool counters_is_fixed(const struct counter_setting *s)
{
    return s->slot >= COUNTER_FIXED;
}

#endif
