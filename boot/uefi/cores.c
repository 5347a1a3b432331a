/*
 * The list of cores, and taking one of them into use. Only windows and accesses to a core's own registers run on the
 * core in use. All else of a probe runs on the core that booted, which waits meanwhile, since only there firmware may
 * run.
 */
#include "boot/uefi/cores.h"

#include <stdlib.h>

#include "boot/uefi/other_cores.h"
#include "boot/uefi/warnings.h"
#include "lib/machine.h"

static const struct machine_core *cores;
static size_t core_count;
static bool left_running; /* one could not be given back */

const struct machine_core *machine_cores(size_t *count)
{
    if (!cores) {
        static struct machine_core booted;
        struct machine_core *list;

        core_count = others_list(NULL, 0);
        list = calloc(core_count, sizeof *list);
        if (!list) {
            warn("cores", "there is not enough memory to list the cores: only the one that booted is used");
            list = &booted;
            core_count = 1;
        }
        others_list(list, core_count);
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

bool cores_left_running(void)
{
    return left_running;
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
