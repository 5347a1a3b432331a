/* The probe dram_refresh: the period of refreshes, from loads that wait for them. */
#include <math.h>
#include <stdio.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

enum { PAGE_BIT = 21 };

/* Periods and times as JEDEC has them and beyond; readings that vary by up to a tenth. */
static struct machine_design draw_machine_with_refresh(uint64_t seed, struct dram_design *d)
{
    struct machine_design m = draw_machine(seed);

    m.core.contiguous = true;
    m.core_hz = 3e9;
    m.core.memory_latency = between(180, 400);
    m.core.dram = d;
    m.memory_bytes = (double)(8 << PAGE_BIT);
    m.tick_hz = between(0.5e9, 3e9);
    m.jitter = between(0, 0.1);
    m.stolen = between(0, 0.00005);
    m.stolen_known = 0.5;
    *d = (struct dram_design){.functions = {UINT64_C(1) << 14, UINT64_C(1) << 16 | UINT64_C(1) << 19},
                              .count = 2,
                              .rows = UINT64_C(0xf) << 17,
                              .cycles = m.core.memory_latency,
                              .conflict = m.core.memory_latency * 0.3,
                              .farther = m.core.memory_latency * 0.02,
                              .period = 3e3 * between(1.9, 16),
                              .refreshing = 3 * between(160, 550)};
    return m;
}

static bool near(const char *f, double truth, double part)
{
    return fabs(number(f, "value") / truth - 1) <= part;
}

MODEL_TEST(refreshes_come_as_often_as_they_do, "dram_refresh")
{
    struct dram_design d;
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 32); machines++) {
        const struct machine_design m = draw_machine_with_refresh(seed, &d);
        run_probes_on(&m, "dram_refresh", PROFILE_QUICK);
        const char *f = next_finding(NULL, "memory.dram.refresh_period_ns");
        if (is_decided(&m, f, "period", "") && !near(f, d.period / 3, 0.01))
            complain(&m, "period: reported %g, true is %g", number(f, "value"), d.period / 3);
        f = next_finding(NULL, "memory.dram.refresh_wait_ns");
        /* up to the load before, which has ended when the refresh began, and what lies between two loads */
        if (is_decided(&m, f, "wait", "") && !(number(f, "value") < d.refreshing / 3 + 20))
            complain(&m, "wait: reported %g, a refresh takes %g", number(f, "value"), d.refreshing / 3);
    }
    end(machines, machines);
}

/* Refreshes that are put off by any part of a period, and memory that is never refreshed. */
MODEL_TEST(refreshes_without_a_period_stay_undecided, "dram_refresh")
{
    struct dram_design d;
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 16); machines++) {
        const struct machine_design m = draw_machine_with_refresh(seed, &d);
        d.put_off = seed % 2 ? d.period : 0;
        d.period = seed % 2 ? d.period : 0;
        run_probes_on(&m, "dram_refresh", PROFILE_QUICK);
        check_undecided(&m, "memory.dram.refresh_period_ns", NULL, NULL);
    }
    end(0, 2 * machines);
}
