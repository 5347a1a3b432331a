/* The probe op_cache: entries and operations of the operation cache. */
#include <math.h>

#include "arch/emit.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Where NOPs have many lengths, lines can have any number of instructions, which shows the entries. AArch64 has one
 * length, so that every line has 16 instructions: only the number of operations in all can be determined.
 */
static void check_op_cache(const struct machine_design *m)
{
    const struct core_design *d = &m->core;
    double entries = (double)(d->op_cache.bytes / CACHE_LINE_BYTES), sets = entries / (double)d->op_cache.ways;
    double ways_of_line = ceil(16.0 / d->op_entry);

    check_capacity(m, "frontend.op_cache.entries", NULL, "", entries);
    check_number(m, "frontend.op_cache.ops_per_entry", NULL, "", d->op_entry);
    check_capacity(m, "frontend.op_cache.ops", NULL, "",
                   emit_longest > emit_alignment ? entries * d->op_entry
                                                 : 16 * sets * floor((double)d->op_cache.ways / ways_of_line));
}

MODEL_TEST(operation_caches_are_given_back, "op_cache")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 16 * KIB, .ways = 4};
        m.core.op_entry = (unsigned)pick(6, 9);
        m.core.op_cache.ways = pick(6, 8);
        m.core.op_cache.bytes = m.core.op_cache.ways * 16 * CACHE_LINE_BYTES;
        m.core.l1i_fetch = 4.0 * m.core.width; /* a line of 8 instructions takes twice as long as from the op cache */
        m.core.decoders = m.core.width / 2 + 1;
        m.core.l2_fetch = m.core.far_fetch = m.core.l1i_fetch / 2;
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "l1i op_cache", PROFILE_QUICK);
        check_op_cache(&m);
    }
    /* of AArch64 the capacity alone, and that only where l1i is decided though no instruction TLB has been measured */
    end(emit_longest > emit_alignment ? 2 * cores : cores / 2, 3 * cores);
    decides(3, 0);
}

/*
 * Where NOPs share operations no layout explains straight code: lines of additions in random order decide. On AArch64 an
 * entry has to be small for a line of 16 instructions to take three.
 */
MODEL_TEST(operation_caches_that_pack_nops_are_given_back, "op_cache")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.nops_fuse = m.core.ops_pack = true;
        for (size_t i = 0; i < PAGE_LEVELS; i++) /* no end of a TLB, which would make that of the cache ambiguous */
            m.core.pages[i] = (struct page_design){0};
        m.core.l1i = (struct cache_design){.bytes = 32 * KIB, .ways = 8};
        m.core.op_entry = (unsigned)(emit_longest > emit_alignment ? pick(6, 9) : pick(4, 7));
        /* as known cores have; of ten, lines of three entries fill no whole part, and nothing is decided */
        m.core.op_cache.ways = 4 * pick(1, 3);
        m.core.op_cache.bytes = m.core.op_cache.ways * (16 << pick(0, 1)) * CACHE_LINE_BYTES;
        m.core.width = (unsigned)pick(4, 8);
        m.core.l1i_fetch = (double)pick(4, 6);
        m.core.decoders = 1;
        m.core.l2_fetch = m.core.far_fetch = m.core.l1i_fetch / 2;
        m.declares = true;
        run_probes_on(&m, "l1i op_cache", PROFILE_QUICK);
        check_op_cache(&m);
    }
    end(cores, 3 * cores);
}
