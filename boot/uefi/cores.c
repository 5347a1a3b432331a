/*
 * The list of cores, and taking one of them into use. Only windows and accesses to a core's own registers run on the
 * core in use. All else of a probe runs on the core that booted, which waits meanwhile, since only there firmware may
 * run.
 */
#include "boot/uefi/cores.h"

#include <stdlib.h>

#include "boot/uefi/other_cores.h"
#include "boot/uefi/warnings.h"
#include "lib/base/lines.h"
#include "lib/machine.h"
#include "lib/plan/config.h"
#include "lib/run/stage.h"

static const struct machine_core *cores;
static size_t core_count;
static bool left_running; /* one could not be given back */
static bool spinning;     /* those at spin tables may be used */

void cores_start(const struct config *c)
{
    spinning = c->risky_cores;
}

const struct machine_core *machine_cores(size_t *count)
{
    if (!cores) {
        static struct machine_core booted;
        struct machine_core *list;

        core_count = others_list(NULL, 0, spinning);
        list = calloc(core_count, sizeof *list);
        if (!list) {
            warn("cores", "there is not enough memory to list the cores: only the one that booted is used");
            list = &booted;
            core_count = 1;
        }
        others_list(list, core_count, spinning);
        for (size_t i = 0; i < core_count; i++)
            list[i].index = (unsigned)i;
        cores = list;
    }
    *count = core_count;
    return cores;
}

const char *cores_reach(unsigned index, own_runner **runner)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);

    *runner = NULL;
    if (index >= count)
        return "there is no core of that number";
    if (all[index].why_not)
        return all[index].why_not;
    return index == 0 ? NULL : others_reach(all[index].id, runner);
}

void cores_given_back(unsigned index, const char *why)
{
    if (why)
        warn("cores", "core %u could not be given back: %s", index, why);
    left_running |= why != NULL;
}

void cores_leave(unsigned index)
{
    cores_given_back(index, index > 0 ? others_leave(cores[index].id) : NULL);
}

bool cores_lost(void)
{
    return left_running;
}

bool cores_left_running(void)
{
    return left_running || others_kept();
}

const char *cores_gone(void)
{
    return machine_info()->core > 0 ? others_gone() : NULL;
}

const char *cores_parked(void)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);

    return others_parked(all, count);
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Starts a core, and gives it back. NULL, or why that is not possible; the time until it has arrived. */
static const char *wake(const struct machine_core *core, double *seconds)
{
    const char *why = stage_begin("wake", "starts another core, and gives it back");
    const double start = machine_seconds();

    if (!why)
        why = others_begin(core->id, nothing, NULL);
    *seconds = machine_seconds() - start;
    if (!why)
        cores_given_back(core->index, others_end(core->id));
    return why;
}

void cores_bringup(struct lines *page)
{
    size_t count, usable = 0;
    const struct machine_core *all = machine_cores(&count), *other = NULL;
    double seconds;

    for (size_t i = 0; i < count; i++) {
        usable += all[i].why_not == NULL;
        if (i > 0 && !all[i].why_not && !other)
            other = &all[i];
    }
    lines_word(page, "cores: %zu, of which %zu can be used", count, usable);
    if (count > 1)
        lines_word(page, "others by %s", others_way());
    if (!other)
        return;
    const char *why = wake(other, &seconds);
    if (why)
        lines_text(page, "core %u: %s", other->index, why);
    else
        lines_word(page, "core %u arrived %.3f ms after it was started", other->index, seconds * 1e3);
}
