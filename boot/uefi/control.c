/* Registers and counters of the core in use, through the guarded access of arch/own. */
#include "boot/uefi/control.h"

#include <string.h>

#include "arch/access.h"
#include "arch/control.h"
#include "arch/counters.h"
#include "arch/own.h"
#include "boot/uefi/platform.h"
#include "lib/counters/count.h"
#include "lib/machine.h"
#include "lib/run/stage.h"

static struct {
    struct access access;
    struct control control;
    struct counters counters;
    struct counters_state state; /* what machine_count changed */
    struct reader_counts where;  /* and where the reader finds it */
    const char *no_control;      /* why no register was looked at for `control`; NULL where that was done */
    uint32_t microcode;          /* its revision; 0: not known */
    unsigned core;               /* index of the core that this describes */
    bool known, proven;
} own_core;

/* Reads registers that not every core has, so in two steps that a hang leaves out. */
static void examine(void)
{
    own_access(&own_core.access);
    own_core.control = (struct control){.changes = {.access = &own_core.access}};
    own_core.microcode = 0;
    own_core.no_control = stage_begin("control", "looks for switches of prefetchers, the clock's registers, microcode");
    if (!own_core.no_control) {
        control_start(&own_core.control, &own_core.access);
        (void)control_microcode(&own_core.access, &own_core.microcode);
    }
    own_core.counters = (struct counters){.why_not = stage_begin("events", "looks for the counters of events")};
    if (!own_core.counters.why_not)
        counters_find(&own_core.access, &own_core.counters);
}

/* Finds out what the core in use has, once for each core. False with the reason while no core is ours. */
static bool find_core(const char **why_not)
{
    *why_not = platform_not_ours();
    if (*why_not)
        return false;
    if (!own_core.known || own_core.core != machine_info()->core) {
        own_core.known = true;
        own_core.proven = false;
        own_core.core = machine_info()->core;
        examine();
    }
    return true;
}

struct control *machine_control(const char **why_not)
{
    if (!find_core(why_not))
        return NULL;
    *why_not = own_core.no_control;
    return own_core.no_control ? NULL : &own_core.control;
}

uint32_t control_revision(void)
{
    const char *why_not;

    return find_core(&why_not) ? own_core.microcode : 0;
}

const char *control_no_counters(void)
{
    const char *why_not;

    return find_core(&why_not) ? own_core.counters.why_not : why_not;
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    const char *why;

    if (!find_core(&why))
        return why;
    if (own_core.where.count) {
        own_core.where.count = 0;
        if (!counters_restore(&own_core.access, &own_core.counters, &own_core.state))
            return "a register of the counters could not be restored to its old value";
    }
    if (count == 0)
        return NULL;
    if (own_core.counters.why_not)
        return own_core.counters.why_not;
    if (count > READER_COUNTS)
        return "there are more counters than the reader can sample";
    for (size_t i = 0; i < count; i++)
        if (!counters_reader_index(&own_core.counters, list[i].slot, &own_core.where.index[i]))
            return "the reader cannot sample this counter";
    why = counters_program(&own_core.access, &own_core.counters, list, count, &own_core.state);
    if (!why && !counters_go(&own_core.access, &own_core.counters, &own_core.state)) {
        counters_restore(&own_core.access, &own_core.counters, &own_core.state);
        why = "a register that starts the counters could not be accessed";
    }
    if (!why)
        own_core.where.count = (uint32_t)count;
    return why;
}

const struct counters *machine_counters(void)
{
    static struct counters none;
    struct counter_proof rows[COUNTER_SLOTS];

    if (!find_core(&none.why_not))
        return &none;
    if (!own_core.proven && !own_core.counters.why_not) {
        own_core.proven = true;
        size_t count = counters_proof(&own_core.access, &own_core.counters, rows, COUNTER_SLOTS);
        counters_prove(&own_core.counters, rows, count);
    }
    return &own_core.counters;
}

bool control_counting(struct reading *list, size_t count)
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
