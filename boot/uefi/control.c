/* Registers and counters of the core in use, through the guarded access of arch/own. */
#include "arch/control.h"

#include <stdio.h>
#include <string.h>

#include "arch/counters.h"
#include "arch/own.h"
#include "boot/uefi/uefi.h"
#include "lib/counters/count.h"

static struct {
    struct access access;
    struct control control;
    struct counters counters;
    struct counters_state state; /* what machine_count changed */
    struct reader_counts where;  /* and where the reader finds it */
    unsigned core;               /* of which all this is */
    bool known, proven;
} own_core;

/* Everything is a core's own: what is known of the one before is forgotten. */
static bool know(const char **why_not)
{
    *why_not = uefi_not_ours();
    if (*why_not)
        return false;
    if (!own_core.known || own_core.core != machine_info()->core) {
        own_core.known = true;
        own_core.proven = false;
        own_core.core = machine_info()->core;
        own_access(&own_core.access);
        control_start(&own_core.control, &own_core.access);
        counters_find(&own_core.access, &own_core.counters);
    }
    return true;
}

struct control *machine_control(const char **why_not)
{
    return know(why_not) ? &own_core.control : NULL;
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    const char *why;

    if (!know(&why))
        return why;
    if (own_core.where.count) {
        own_core.where.count = 0;
        if (!counters_restore(&own_core.access, &own_core.counters, &own_core.state))
            return "a counter's register does not read as it was found";
    }
    if (count == 0)
        return NULL;
    if (count > READER_COUNTS)
        return "more counters than the reader can take";
    for (size_t i = 0; i < count; i++)
        if (!counters_reader_index(&own_core.counters, list[i].slot, &own_core.where.index[i]))
            return "the reader has no way to this counter";
    why = counters_program(&own_core.access, &own_core.counters, list, count, &own_core.state);
    if (!why && !counters_go(&own_core.access, &own_core.counters, &own_core.state)) {
        counters_restore(&own_core.access, &own_core.counters, &own_core.state);
        why = "a register that starts the counters faulted";
    }
    if (!why)
        own_core.where.count = (uint32_t)count;
    return why;
}

const struct counters *machine_counters(void)
{
    static struct counters none;
    struct counter_proof rows[COUNTER_SLOTS];

    if (!know(&none.why_not))
        return &none;
    if (!own_core.proven) {
        own_core.proven = true;
        size_t count = counters_proof(&own_core.access, &own_core.counters, rows, COUNTER_SLOTS);
        counters_prove(&own_core.counters, rows, count);
    }
    return &own_core.counters;
}

bool uefi_counting(struct reading *list, size_t count)
{
    static struct reader_counts unread;

    if (own_core.where.count == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].counts)
            list[i].counts = &unread;
        list[i].counts->count = own_core.where.count;
        memcpy(list[i].counts->index, own_core.where.index, sizeof own_core.where.index);
    }
    return true;
}
