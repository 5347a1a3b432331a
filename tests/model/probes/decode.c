/* The probe decode: how many instructions a cycle the decoders take. */
#include "arch/emit.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static const char name[] = "frontend.decode.width";

/* Of instructions that are all of one length there are fewer to a byte of cache: the same number needs more bytes. */
static struct cache_design instruction_cache(void)
{
    return (struct cache_design){.bytes = emit_longest > emit_alignment ? 16 * KIB : 64 * KIB, .ways = 4};
}

MODEL_TEST(widths_of_decoders_are_given_back, "decode")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.l1i = instruction_cache();
        m.core.op_cache = (struct cache_design){.bytes = 8 * KIB, .ways = 8};
        m.core.l1i_fetch = 64;
        m.core.decoders = (unsigned)pick(2, m.core.width - 1);
        if (m.core.data[1].bytes < 2 * m.core.l1i.bytes) /* there is no such core */
            m.core.data[1] = (struct cache_design){
                .bytes = 2 * m.core.l1i.bytes, .ways = 8, .latency = m.core.data[1].latency};
        m.core.pages[0] = (struct page_design){.sets = 1, .ways = 64, .miss = 8}; /* else an edge may be a TLB's */
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "itlb l1i decode", PROFILE_QUICK);
        check_number(&m, name, NULL, "", m.core.decoders);
        const double low = number(finding_of("frontend.l1i.bytes", NULL, ""), "low");
        const double high = number(finding_of("frontend.l1i.bytes", NULL, ""), "high");
        if (low > (double)m.core.l1i.bytes || high <= (double)m.core.l1i.bytes)
            complain(&m, "frontend.l1i.bytes: %.0f to %.0f, true is %zu", low, high, m.core.l1i.bytes);
    }
    end(cores / 2, cores / 2); /* the width is not decided where the size of the instruction cache is not */
    decides(0, 1);
}

/* Decoders that keep up with the rest of the core cannot be distinguished from it. */
MODEL_TEST(decoders_that_nothing_waits_for_are_undecided, "decode")
{
    struct machine_design m = draw_machine(1);

    m.core.l1i = instruction_cache();
    m.core.op_cache = (struct cache_design){0};
    m.core.l1i_fetch = 64;
    m.declares = true; /* the second level, which the instruction cache must not be taken for */
    run_probes_on(&m, "l1i decode", PROFILE_QUICK);
    if (is_decided(&m, finding_of(name, NULL, ""), name, ""))
        complain(&m, "%s: decided, though nothing waited for the decoders", name);
    assert_int_equal(checked.wrong, 0);
}
