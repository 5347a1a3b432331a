#include "lib/structure/capacity_sum.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/sample.h"
#include "lib/structure/set_associativity.h"

enum {
    LINES_LEAST = 16, /* that the second level holds: at least its ways, mostly, or its sets are not all reached */
    LINES_MOST = 256, /* of a ring: more than these ways and those of the first level, and room for them */
    RINGS = 3,
    SAMPLES = 5, /* of each ring, each in another line of its pages */
    UNROLL = 8,
    WARM_ROUNDS = 16 /* so that lines are where they stay, whatever the policy of replacement is */
};

struct ring {
    const struct pointer_chase *chase;
    size_t lines, distance;
};

static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct ring *r = context;
    const size_t place = 1 + random_below(&p->random, machine_info()->page_bytes[0] / POINTER_CHASE_LINE_BYTES - 1);
    size_t offsets[LINES_MOST];

    for (size_t i = 0; i < r->lines; i++)
        offsets[i] = i * r->distance + place * POINTER_CHASE_LINE_BYTES;
    pointer_chase_scatter(p, r->chase, offsets, r->lines);
    k->warm_iterations = (double)(WARM_ROUNDS * r->lines) / UNROLL;
    return pointer_chase_kernel(p, r->chase, pointer_chase_unroll(r->lines, UNROLL), k);
}

bool capacity_sum_measure(struct probe *p, double second_bytes, double first_ways, struct capacity_rings *r)
{
    const double least = fmax(2 * first_ways, LINES_LEAST);
    size_t distance = machine_info()->page_bytes[0];
    struct pointer_chase chase;

    *r = (struct capacity_rings){NAN, NAN, NAN};
    while (2 * (double)distance * least <= second_bytes)
        distance *= 2;
    const double fit = floor(second_bytes / (double)distance), most = fit + 2 * first_ways;
    if (!(fit >= least && most <= LINES_MOST && most * (double)distance <= (double)machine_info()->memory_bytes / 4))
        return true;
    if (!pointer_chase_map(p, &chase, (size_t)most * distance))
        return false;
    if ((double)distance >
        frame_known_bytes(probe_scattered(&chase.ring) ? machine_info()->page_bytes[0] : chase.ring.page_bytes))
        return true;
    const double lines[RINGS] = {fit, fit + floor(first_ways / 2), most};
    double *cycles[RINGS] = {&r->fits, &r->more, &r->beyond};
    for (size_t i = 0; i < RINGS; i++)
        if (!sample_cycles(p, SAMPLES, build, &(struct ring){&chase, (size_t)lines[i], distance}, cycles[i]))
            return false;
    return true;
}
