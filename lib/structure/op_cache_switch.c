#include "lib/structure/op_cache_switch.h"

#include <math.h>

static bool measure_at(struct probe *p, bool (*build)(struct probe *p, double x, void *context, struct kernel *k),
                       double x, void *context, double *cycles)
{
    struct kernel k;
    struct point pt;

    if (!build(p, x, context, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

bool op_cache_measure_switched(struct probe *p,
                               bool (*build)(struct probe *p, double x, void *context, struct kernel *k), double x,
                               void *context, struct op_cache_switched *out)
{
    const char *why_not;
    struct control *control = machine_control(&why_not);

    *out = (struct op_cache_switched){NAN, NAN};
    if (!control || !control_op_cache(control->changes.access))
        return true;
    const size_t mark = control->changes.count;
    bool good = measure_at(p, build, x, context, &out->found);
    if (good && !control_switch_op_cache(control, true))
        good = measure_at(p, build, x, context, &out->off);
    if (!changes_restore(&control->changes, mark))
        good = probe_skip(p, "the switch of the operation cache does not go back to what it was");
    return good;
}
