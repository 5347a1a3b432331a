/*
 * The list of cores, and taking one of them into use. Everything of a probe but its windows and what concerns a
 * core's own registers stays on the core that booted, which waits meanwhile: firmware runs there alone.
 */
#include "boot/uefi/uefi.h"

#include <stdlib.h>

#include "boot/uefi/cores_private.h"
#include "lib/answer.h"

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
            warn("cores", "there is no memory for a list of them: only the one that booted is known");
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
        return "there is no such core";
    if (all[index].why_not)
        return all[index].why_not;
    return index == 0 ? NULL : others_reach(all[index].id, runner);
}

void cores_leave(unsigned index)
{
    const char *why = index > 0 ? others_leave(cores[index].id) : NULL;

    if (why)
        warn("cores", "core %u could not be given back: %s", index, why);
    left_running |= why != NULL;
}

const char *machine_window_answered(unsigned other, uint64_t *word, struct reading *list, size_t count,
                                    struct window_result *result)
{
    static struct answer asked; /* a core that does not come back may go on to look at it */
    size_t cores_there;
    const struct machine_core *all = machine_cores(&cores_there);

    if (other >= cores_there || other == machine_info()->core)
        return "there is no such other core";
    if (all[other].why_not)
        return all[other].why_not;
    if (left_running)
        return "a core could not be given back";
    asked = (struct answer){.word = word};
    const char *why = others_begin(all[other].id, answer, &asked);
    if (why)
        return why;
    *result = machine_window(list, count);
    asked.stop = true;
    why = others_end(all[other].id);
    if (why)
        warn("cores", "core %u could not be given back: %s", other, why);
    left_running |= why != NULL;
    return NULL;
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
    return others_parked();
}
