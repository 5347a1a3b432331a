/* The probe code_prefetchers: which lines of code a core prefetches by itself. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Whether a line that far from the last of `count` lines in order, which is odd or even, is prefetched. */
static bool is_prefetched(const struct code_prefetcher_design *d, bool odd, int count, int step, int line)
{
    const bool stream = d->train && count >= (int)d->train && (step > 0 || d->down);

    return (line > 0 && line <= (int)d->next) || (d->pair && line == (odd ? -1 : 1)) ||
           (stream && line * step > 0 && line * step <= (int)d->degree);
}

static void check_lines(const struct machine_design *m)
{
    static const char name[] = "frontend.code_prefetchers.line";

    for (const char *f = NULL; (f = next_finding(f, name));) {
        const bool up = has_field(f, "after", "4 lines up"), down = has_field(f, "after", "4 lines down");
        const bool odd = up || has_field(f, "after", "odd line");
        const int line = atoi(record_value(f, "line", 2));
        const bool truth = is_prefetched(&m->core.code_prefetchers, odd, up || down ? 4 : 1, down ? -1 : 1, line);
        if (is_decided(m, f, name, "") && !has_field(f, "value", truth ? "prefetched" : "not prefetched"))
            complain(m, "%.*s", (int)strcspn(f, "\n"), f);
    }
}

static void check_kinds(const struct machine_design *m)
{
    static const char name[] = "frontend.code_prefetchers.kind";
    const struct code_prefetcher_design *d = &m->core.code_prefetchers;
    const bool stream = d->train && d->train <= 4;
    /* a stream shows by what single lines do not bring */
    const bool up = stream && d->degree > d->next;
    const bool down = stream && d->down && (d->degree > 1 || !d->pair);
    const struct {
        const char *kind;
        bool there;
    } kinds[] = {{"next", d->next > 0}, {"pair", d->pair}, {"stream up", up}, {"stream down", down}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *f = finding_of(name, "kind", kinds[i].kind);
        if (is_decided(m, f, name, kinds[i].kind) && !has_field(f, "value", kinds[i].there ? "found" : "none"))
            complain(m, "%s %s: %.*s", name, kinds[i].kind, (int)strcspn(f, "\n"), f);
    }
}

MODEL_TEST(prefetchers_of_code_are_given_back, "code_prefetchers")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        struct machine_design m = draw_machine(seed + seeds_on("aarch64", 2));
        m.core.l1i = (struct cache_design){.bytes = (size_t)(16 * KIB) << pick(0, 1), .ways = 8};
        m.core.op_cache = (struct cache_design){0};
        m.core.data[1].bytes = 1024 * KIB;
        m.core.data[1].ways = 8;
        m.core.code_prefetchers.next = pick(0, 2) ? 0 : (unsigned)pick(1, 4);
        m.core.code_prefetchers.pair = pick(0, 2) == 0;
        if (pick(0, 1))
            m.core.code_prefetchers.train = (unsigned)pick(2, 4);
        m.core.code_prefetchers.degree = (unsigned)pick(1, 4);
        m.core.code_prefetchers.down = pick(0, 1);
        run_probes_on(&m, "code_prefetchers", PROFILE_QUICK);
        check_lines(&m);
        check_kinds(&m);
    }
    end(13 * cores, UINT32_MAX);
    decides(16, 16);
}
