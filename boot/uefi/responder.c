/*
 * A window during which other cores respond to the one in use. Starting a core and giving it back takes firmware up to a
 * tenth of a second: so these stay with this program, awake, from one such window to the next of the same cores.
 */
#include "boot/uefi/responder.h"

#include <stdio.h>

#include "boot/uefi/cores.h"
#include "boot/uefi/other_cores.h"
#include "lib/machine.h"
#include "lib/measure/responder.h"
#include "lib/run/stage.h"

enum { ANNOUNCED = 1024 };

/* Static, since a core that does not come back may still access it. */
static struct responder asked[BESIDE_CORES];
static const struct machine_core *kept[BESIDE_CORES]; /* that are not given back yet */
static size_t kept_count;
static bool responding;

/* Before a core is started for the first time as a responder: a stage of its own. NULL, or why it is left out. */
static const char *announce(unsigned other)
{
    static bool announced[ANNOUNCED];
    static char name[20];

    if (other >= ANNOUNCED)
        return "there are too many cores to use this one beside the one that booted";
    if (announced[other])
        return NULL;
    snprintf(name, sizeof name, "responder-%u", other);
    const char *why = stage_begin(name, "starts another core beside the one in use");
    announced[other] = !why;
    return why;
}

void responders_rest(void)
{
    if (responding)
        return;
    for (size_t i = 0; i < kept_count; i++)
        others_ask_back(kept[i]->id);
    while (kept_count > 0) {
        const struct machine_core *core = kept[--kept_count];
        cores_given_back(core->index, others_end(core->id));
    }
}

static const char *check(const struct core_task *others, size_t count)
{
    size_t there;
    const struct machine_core *all = machine_cores(&there);

    if (machine_info()->core > 0)
        return "other cores can be used only beside the one that booted";
    if (count > BESIDE_CORES)
        return "there are too many cores for one window";
    for (size_t i = 0; i < count; i++) {
        if (others[i].core >= there || others[i].core == machine_info()->core)
            return "there is no other core of that number";
        if (all[others[i].core].why_not)
            return all[others[i].core].why_not;
    }
    return cores_lost() ? "a core that was used before could not be given back to the firmware" : NULL;
}

/* Whether those are just the cores that wait. */
static bool all_wait(const struct core_task *others, size_t count)
{
    bool same = count == kept_count;

    for (size_t i = 0; i < count && same; i++)
        same = kept[i]->index == others[i].core;
    return same;
}

/* Has a core respond, which waits, or is started now. */
static const char *begin(const struct core_task *other, size_t i)
{
    size_t there;
    const struct machine_core *core = &machine_cores(&there)[other->core];
    const char *why = announce(other->core);

    asked[i] = (struct responder){.task = other->task};
    if (!why)
        why = others_begin(core->id, responder_run, &asked[i]);
    if (i < kept_count)
        return why;
    if (why)
        cores_given_back(core->index, others_end(core->id)); /* it may have been started, and arrive yet */
    else
        kept[kept_count++] = core;
    return why;
}

const char *machine_window_beside(const struct core_task *others, size_t count, struct reading *list, size_t readings,
                                  struct window_result *result)
{
    const char *why = check(others, count), *lost = NULL;
    size_t begun = 0;

    if (why)
        return why;
    if (!all_wait(others, count))
        responders_rest();
    for (; begun < count && !why; begun += !why)
        why = begin(&others[begun], begun);
    responding = !why;
    if (responding)
        *result = machine_window(list, readings);
    responding = false;
    for (size_t i = 0; i < begun; i++)
        asked[i].stop = true;
    for (size_t i = 0; i < begun; i++) {
        const char *runs = others_wait(kept[i]->id);
        lost = lost ? lost : runs;
    }
    if (why || lost)
        responders_rest();
    stage_end();
    return why;
}
