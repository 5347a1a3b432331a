/* The probe cache_pages: what TLB misses add to a latency in random order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * The footprint is three quarters of the second level, and the TLB has entries for a third of the small pages of that:
 * one load in three finds its translation, two in three cost a miss. Large pages cost none.
 */
MODEL_TEST(the_tlbs_part_in_a_latency_is_given_back, "cache_pages")
{
    enum { ENTRIES = 32, MISS = 7, BYTES = ENTRIES * 3 * 4 * KIB / 3 * 4 };
    unsigned found = 0;

    struct machine_design m = draw_machine(1);
    m.core.contiguous = true;
    m.core.data[1].bytes = BYTES;
    m.core.data[1].ways = 8;
    m.core.data[2] = (struct cache_design){0};
    m.memory_bytes = 2 * BYTES;
    m.core.data_pages[0] = (struct page_design){.sets = 4, .ways = ENTRIES / 4, .miss = MISS};
    m.declares = true;
    run_probes_on(&m, "cache cache_pages", PROFILE_QUICK);
    for (const char *f = NULL; (f = next_finding(f, "memory.random.latency_cycles"));) {
        const bool small = !strcmp(record_value(f, "page", 2), "4k"),
                   second = !strcmp(record_value(f, "level", 2), "2");
        const double truth = m.core.data[1].latency + (small ? MISS * 2.0 / 3 : 0), value = number(f, "value");
        if (!second)
            continue;
        if (!(fabs(value / truth - 1) <= 0.03))
            complain(&m, "random order, %s pages: reported %g, true is %g", small ? "small" : "large", value, truth);
        found++;
    }
    assert_int_equal(checked.wrong, 0);
    assert_int_equal(found, 2);
}
