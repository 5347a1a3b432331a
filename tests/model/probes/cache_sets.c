/* The probe cache_sets: ways and sets of levels that are indexed by physical addresses. */
#include <math.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* A finding that rests on several experiments names them: the text has to last until it is reported. */
static void check_agreement(const struct machine_design *m, const char *f)
{
    const char *agreement = f ? record_value(f, "agreement", 3) : NULL;

    if (agreement && strncmp(agreement, "a set", 5) != 0)
        complain(m, "agreement: %.40s", agreement);
}

/*
 * The second level, by pages that the probe selects: with frames in order or scattered, and with sets that address bits
 * choose, or a hash of all of them, or, as on Zen 4, a hash of all but the lowest three.
 */
MODEL_TEST(sets_behind_frames_are_given_back, "cache_sets")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        struct cache_design *second = &m.core.data[1];
        m.core.data[2] = (struct cache_design){0};
        m.core.data[0].ways = 8;
        m.core.data[0].bytes = 32 * KIB;
        second->bytes = (size_t)(seed % 2 ? 1024 : 512) * KIB;
        second->ways = seed % 2 ? 16 : 8;
        second->hashed = seed % 3 == 0;
        second->plain_bits = seed % 2 ? 0 : 3;
        m.memory_bytes = 16384 * KIB;
        run_probes_on(&m, "cache cache_lines cache_ways cache_sets", PROFILE_STANDARD);
        check_number(&m, "memory.cache.ways", "level", "2", (double)second->ways);
        check_agreement(&m, finding_of("memory.cache.ways", "level", "2"));
        check_number(&m, "memory.cache.index_bits", "level", "2",
                     log2((double)second->bytes / (double)second->ways / CACHE_LINE_BYTES));
        for (const char *f = NULL; (f = records_find(&records, f, "finding", "probe", "cache_sets"));)
            if (!strcmp(record_value(f, "name", 2), "memory.cache.bytes") &&
                !(fabs(number(f, "value") / (double)second->bytes - 1) <= 0.02))
                complain(&m, "memory.cache.bytes: reported %g, true is %zu", number(f, "value"), second->bytes);
    }
    end(cores, cores);
    decides(2, 0);
}
