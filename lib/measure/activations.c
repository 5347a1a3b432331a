#include "lib/measure/activations.h"

#include <string.h>

#include "lib/machine.h"
#include "lib/measure/list.h"

/* Forgets what is so long ago that it does not count any more. */
static void forget(struct activations *a, double now)
{
    size_t gone = 0;

    while (gone < a->used && a->bursts[gone].ended + ACTIVATIONS_SECONDS < now)
        gone++;
    a->used -= gone;
    memmove(a->bursts, a->bursts + gone, a->used * sizeof a->bursts[0]);
}

/* Whether `count` more are allowed now. */
static bool allowed(const struct activations *a, double count)
{
    for (size_t i = 0; i < a->used; i++)
        count += a->bursts[i].count;
    return count <= ACTIVATIONS_MOST && a->used < ACTIVATIONS_BURSTS;
}

bool activations_run(struct activations *a, struct meter *m, struct reading *list, size_t readings, unsigned each,
                     struct window_result *result)
{
    double count = 0;

    for (size_t i = 0; i < readings; i++)
        count += (double)list[i].argument[0] * each;
    if (!(count <= ACTIVATIONS_MOST) || !(machine_seconds() > 0))
        return false;
    for (forget(a, machine_seconds()); !allowed(a, count); forget(a, machine_seconds()))
        (void)machine_idle(ACTIVATIONS_SECONDS / ACTIVATIONS_BURSTS); /* where a core cannot idle, it just goes round */
    *result = list_run(m, list, readings);
    a->bursts[a->used++] = (struct activations_burst){machine_seconds(), (unsigned)count};
    a->all += count;
    return true;
}
