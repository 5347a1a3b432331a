#include "lib/probe/beside.h"

const char *probe_window_beside(struct probe *p, unsigned other, const struct responder_task *task,
                                struct reading *list, size_t count, struct window_result *result, bool *good)
{
    const char *why = machine_window_with_responder(other, task, list, count, result);

    if (why)
        return why;
    *good = probe_survived(p, result);
    p->run->meter.windows++;
    p->run->meter.taken += count;
    return NULL;
}
