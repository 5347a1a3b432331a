#include "lib/probe/beside.h"

const char *probe_window_beside_all(struct probe *p, const struct core_task *others, size_t count, struct reading *list,
                                    size_t readings, struct window_result *result, bool *good)
{
    const char *why = NULL;

    if (count)
        why = machine_window_beside(others, count, list, readings, result);
    else
        *result = machine_window(list, readings);
    if (why)
        return why;
    *good = probe_survived(p, result);
    p->run->meter.windows++;
    p->run->meter.taken += readings;
    return NULL;
}

const char *probe_window_beside(struct probe *p, unsigned other, const struct responder_task *task,
                                struct reading *list, size_t readings, struct window_result *result, bool *good)
{
    return probe_window_beside_all(p, &(struct core_task){other, *task}, 1, list, readings, result, good);
}

size_t cores_beside(unsigned cores[BESIDE_CORES])
{
    size_t there, count = 0;
    const struct machine_core *all = machine_cores(&there);

    for (size_t i = 0; i < there && count < BESIDE_CORES; i++)
        if (all[i].index != machine_info()->core && !all[i].why_not)
            cores[count++] = all[i].index;
    return count;
}
