/* The probe code_prefetch: what prefetches of code bring, on cores where they do and where they are NOPs. */
#include <string.h>

#include "arch/emit.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* The finding of one name, by prefetch and by what it brings. */
static const char *of(const char *name, const char *hint, const char *brings)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)) && !(has_field(f, "hint", hint) && has_field(f, "brings", brings)))
        continue;
    return f;
}

/* Where a prefetch works, it saves what a miss costs: its latency, and up to 16 bytes that are fetched more slowly. */
static void check_effect(const struct machine_design *m, const char *brings, bool works, double miss)
{
    for (unsigned i = 0; emit_code_prefetches[i]; i++) {
        const char *hint = emit_code_prefetches[i], *f = of("frontend.code_prefetch.effect", hint, brings);
        const char *saved = of("frontend.code_prefetch.saved_cycles", hint, brings);
        if (!is_decided(m, f, "frontend.code_prefetch.effect", hint))
            continue;
        if (!has_field(f, "value", works ? "brings it" : "nothing"))
            complain(m, "%s %s: %.*s", hint, brings, (int)strcspn(f, "\n"), f);
        if (works && is_decided(m, saved, "frontend.code_prefetch.saved_cycles", hint) &&
            !(number(saved, "value") >= 0.9 * miss && number(saved, "value") <= 1.1 * miss + 16 / m->core.l2_fetch))
            complain(m, "%s %s: %g cycles are saved, a miss costs %g", hint, brings, number(saved, "value"), miss);
    }
}

MODEL_TEST(prefetches_of_code_are_given_back, "code_prefetch")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 16); cores++) {
        struct machine_design m = draw_machine(seed + seeds_on("aarch64", 2));
        m.core.l1i = (struct cache_design){.bytes = (size_t)(16 * KIB) << pick(0, 1), .ways = 8};
        m.core.op_cache = (struct cache_design){0};
        m.core.data[1].bytes = 512 * KIB;
        m.core.data[1].ways = 8;
        m.core.pages[0] = (struct page_design){.sets = 1, .ways = 32, .miss = (double)pick(7, 12)};
        m.core.pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = 30};
        m.core.code_prefetch.lines = pick(0, 1) || seed % 2;
        m.core.code_prefetch.translations = pick(0, 1);
        run_probes_on(&m, "code_prefetch", PROFILE_QUICK);
        check_effect(&m, "line", m.core.code_prefetch.lines, m.core.data[1].latency);
        check_effect(&m, "translation", m.core.code_prefetch.translations, m.core.pages[0].miss);
    }
    end(4 * cores, UINT32_MAX);
    decides(14, 12);
}
