#include "lib/probe/sample.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/probe/probe.h"

/* Where measurements repeat exactly, fewer samples are needed: if two of three are equal, they are the median. */
enum { SIMULATED_SAMPLES = 3 };

bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    double y[SAMPLES_MAXIMUM];
    size_t used = 0, same = 0;

    if (probe_is_simulated(p) && samples > SIMULATED_SAMPLES)
        samples = SIMULATED_SAMPLES;
    samples = (unsigned)probe_smoke(p, 1, samples < SAMPLES_MAXIMUM ? samples : SAMPLES_MAXIMUM);
    /* undisturbed samples repeat: once more than half of all are equal, that is the median, whatever the others are */
    for (unsigned i = 0; i < samples && same <= samples / 2; i++) {
        struct kernel k = {.units = 1};
        struct point pt;
        if (!build(p, context, &k) || !probe_measure(p, &k, &pt))
            return false;
        if (!isnan(pt.q20))
            y[used++] = pt.q20;
        if (pt.repeats) /* and so would any further sample */
            break;
        same = 0;
        for (size_t earlier = 0; earlier < used; earlier++)
            same += y[earlier] == pt.q20;
    }
    sort_numbers(y, used);
    *cycles = quantile(y, used, 0.5);
    return true;
}

enum {
    LINE = 64,      /* bytes to which the beginning of a loop is aligned */
    LOOP_ROOM = 256 /* bytes for the alignment and the end of the loop */
};

static bool build_loop(struct probe *p, void *context, struct kernel *k)
{
    const struct loop *l = context;
    struct code c = probe_code(p, (l->instructions + VREGS) * emit_longest + LOOP_ROOM);

    for (unsigned v = 0; v < VREGS; v++)
        emit_wide_clear(&c, (enum vreg)v, emit_wide_bits[0]);
    if (l->begin)
        l->begin(&c);
    emit_align(&c, LINE);
    const size_t start = c.used;
    l->body(&c, l->context);
    emit_loop(&c, start);
    emit_return(&c);
    *k = (struct kernel){.data = l->data, .units = 1, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}

bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles)
{
    struct loop copy = *l;

    return sample_cycles(p, samples, build_loop, &copy, cycles);
}
