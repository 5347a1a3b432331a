#include "lib/structure/window_list.h"

double ticks_between(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks);
}

double ticks_to_ns(double ticks)
{
    return ticks / machine_info()->tick_hz * 1e9;
}

bool window_list_run(struct probe *p, struct reading *list, enum silence silence, struct reading kernel, size_t count,
                     size_t *ran)
{
    struct window_result result;

    *ran = 0;
    for (size_t i = 0; i < count; i++)
        list[i] = kernel;
    const char *why = machine_window_kind(list, count, silence, &result);
    if (why)
        return probe_skip(p, why);
    if (!probe_survived(p, &result))
        return false;
    for (; *ran < count && list[*ran].end_ticks; ++*ran)
        p->run->meter.kernel_seconds += ticks_to_ns(ticks_between(&list[*ran])) / 1e9;
    p->run->meter.windows++;
    p->run->meter.taken += *ran;
    return true;
}
