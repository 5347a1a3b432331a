/* What the kernels of all probes touch: data of their own, and as much of it as their curves say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/emit.h"
#include "lib/base/record.h"
#include "lib/probe/probe.h"
#include "lib/run/plan.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/isa.h"
#include "tests/model/test.h"
#include "tests/model/touched.h"

/* Whether a kernel touched as many pages or lines as the point x of this axis stands for. */
static bool some_kernel_touched(const char *axis, double x)
{
    size_t count;
    const struct touched *all = touched_all(&count);
    const bool pages = !strcmp(axis, "pages");
    const double wanted = strcmp(axis, "footprint_bytes") ? x : floor(x / CACHE_LINE_BYTES);

    for (size_t i = 0; i < count; i++)
        if ((double)(pages ? all[i].pages : all[i].lines) == wanted)
            return true;
    return false;
}

/* For each point of the curves over this axis there is a kernel that touched exactly as much. How many points. */
static unsigned check_axis(const struct machine_design *m, const char *probe, const char *axis)
{
    unsigned points = 0;

    for (const char *c = NULL; (c = records_find(&records, c, "curve", "axis", axis));) {
        const char *owner = record_value(c, "probe", 2);
        char *at;
        if (!owner || strcmp(owner, probe) != 0)
            continue;
        for (at = strstr(c, "\"x\":[") + 5; at[-1] != ']' && *at != ']'; at++) {
            const double x = strtod(at, &at);
            points++;
            if (!some_kernel_touched(axis, x))
                complain(m, "%s: a curve has %g %s, and no kernel touched as many", probe, x, axis);
        }
    }
    return points;
}

/*
 * No kernel of any probe touches memory that is not its own; of memory probes, each touches as much as its curve says.
 */
MODEL_TEST(kernels_touch_what_they_say, "")
{
    const struct probe_definition *probes[PLAN_PROBES];
    const size_t count = plan_probes(probes, PLAN_PROBES);
    unsigned points = 0;
    size_t kernels = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 10);)
        for (size_t i = 0; i < count; i++) {
            struct machine_design m = draw_machine(seed);
            uint64_t stray;
            size_t touching;
            /* this emulator executes some forms that it does not know as others, without a fault */
            if (probes[i]->only_named || !strcmp(probes[i]->name, "instructions"))
                continue;
            m.core.contiguous = (seed + (isa.link != 0)) % 2; /* so, too, on the other instruction set */
            m.watches = true;
            run_probes_on(&m, probes[i]->name, PROFILE_SMOKE);
            if (touched_strays(&stray))
                complain(&m, "%s: %#llx is no data of its own", probes[i]->name, (unsigned long long)stray);
            touched_all(&touching);
            kernels += touching;
            if (strcmp(probes[i]->family, "memory") != 0) /* the same axes are of code there */
                continue;
            points += check_axis(&m, probes[i]->name, "pages");
            points += check_axis(&m, probes[i]->name, "lines");
            points += check_axis(&m, probes[i]->name, "footprint_bytes");
        }
    fprintf(stderr, "# %s: %zu kernels, %u points, %u wrong\n", emit_isa, kernels, points, checked.wrong);
    assert_int_equal(checked.wrong, 0);
    assert_true(kernels > 50 && points > 20);
}
