#include "tests/unit/inflight/core.h"

#include <stdio.h>
#include <string.h>

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/run_state.h"
#include "lib/probe/sweep.h"

enum { CYCLES_OVERLAPPING = 100, CYCLES_CHAINED = 200 };

static struct run run;
static const struct probe_definition definition = {.name = "fake"};
static uint8_t data[INFLIGHT_DATA_BYTES];

struct fake_core fake;
struct finding reported;
struct probe fake_probe = {.definition = &definition, .run = &run};
const struct inflight fake_inflight = {
    .steps = {1, 1, 1},
    .independent = {CYCLES_OVERLAPPING, CYCLES_OVERLAPPING, CYCLES_OVERLAPPING},
    .chained = {CYCLES_CHAINED, CYCLES_CHAINED, CYCLES_CHAINED},
    .unusable = {[LONG_OP_LOADS] = REASON_NO_OVERLAP, [LONG_OP_ARITHMETIC] = REASON_NO_OVERLAP}};

/* ---- For tests ------------------------------------------------------------------------------------ */

struct fake_core core_of(double (*fits)(const struct inflight_experiment *e))
{
    return (struct fake_core){
        .few = CYCLES_OVERLAPPING, .slow = CYCLES_CHAINED, .chained = CYCLES_CHAINED, .fits = fits};
}

void known(const char *name, const char *variants, double value)
{
    struct fact f = {.name = name, .value = value, .low = value, .high = value, .grade = 'A'};

    snprintf(f.variants, sizeof f.variants, "%s", variants);
    assert_true(facts_set(&run.facts, &f));
}

void forget(void)
{
    facts_forget(&run.facts);
    run.facts = (struct facts){.count = 0};
}

struct verdict knee_at(double value)
{
    struct verdict v = {.count = 1, .level_count = 2};

    v.knees[0] = (struct knee){.value = value,
                               .low = value,
                               .high = value + 1,
                               .foot = value,
                               .before = CYCLES_OVERLAPPING,
                               .after = CYCLES_CHAINED,
                               .end = value + 1,
                               .half_rise = value,
                               .half_rise_low = value,
                               .half_rise_high = value + 1,
                               .agreed = true,
                               .half_rise_agreed = true};
    return v;
}

/* ---- In place of lib/structure/inflight.c --------------------------------------------------------- */

const char *const long_op_names[LONG_OPS] = {"miss", "loads", "arithmetic"};

const struct emit_filler *inflight_filler(const char *name)
{
    static const struct emit_filler all[] = {
        {.name = "nop", .class = FILLER_NOTHING},    {.name = "int64", .class = FILLER_GENERAL, .waits = true},
        {.name = "v128", .class = FILLER_VECTOR},    {.name = "load-64", .class = FILLER_LOAD},
        {.name = "store-64", .class = FILLER_STORE}, {.name = "branch", .class = FILLER_BRANCH}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return NULL;
}

bool inflight_choose_fillers(struct inflight_experiment *e, const char *const names[INFLIGHT_KINDS])
{
    for (size_t i = 0; i < INFLIGHT_KINDS && names[i]; i++)
        e->fillers[i] = inflight_filler(names[i]);
    return e->fillers[0];
}

bool inflight_build(struct probe *p, double fillers, void *context, struct kernel *k)
{
    (void)p;
    (void)fillers;
    (void)context;
    (void)k;
    return true;
}

bool inflight_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    (void)p;
    *cycles = e->one_chain ? fake.chained : fake.fits && fillers > fake.fits(e) ? fake.slow : fake.few;
    *cycles = fmax(*cycles, fillers * fake.per_filler);
    return true;
}

bool inflight_delivery_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    (void)p;
    (void)e;
    *cycles = fake.delivery ? fake.delivery(fillers) : fillers * fake.per_filler;
    return true;
}

bool inflight_warm(struct probe *p, const struct inflight_experiment *e)
{
    (void)p;
    (void)e;
    return true;
}

int32_t inflight_cursor_offset(enum long_op kind, unsigned which)
{
    return 16 * (int32_t)kind + 8 * (int32_t)which;
}

/* ---- In place of what probes use ------------------------------------------------------------------ */

bool sweep_search(struct probe *p, struct sweep *s)
{
    (void)p;
    s->search.verdict = knee_at(fake.fits(s->context));
    if (fake.before > 0)
        s->search.verdict.knees[0].before = fake.before;
    return true;
}

void sweep_free(struct sweep *s)
{
    (void)s;
}

void sweeps_free(struct sweep *s, size_t count)
{
    (void)s;
    (void)count;
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    reported = *f;
}

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.memory_bytes = UINT64_C(1) << 34, .tick_hz = 1e9};

    return &info;
}

double machine_seconds(void)
{
    return 0;
}

bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    (void)p;
    (void)c;
    (void)bytes;
    return true;
}

void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    (void)p;
    (void)c;
    (void)offset;
    (void)lines;
    (void)group;
}

bool issue_order_find(struct probe *p, struct issue_orders *out)
{
    (void)p;
    *out = (struct issue_orders){.order = OUT_OF_ORDER};
    return true;
}

void issue_order_report_none(struct probe *p, bool both)
{
    (void)p;
    (void)both;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    (void)page_bytes;
    assert_true(bytes <= sizeof data);
    a->write = data;
    return true;
}

size_t machine_map_mark(void)
{
    return 0;
}

void probe_release(struct probe *p, size_t mark)
{
    (void)p;
    (void)mark;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    (void)out;
    fail();
    return false;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    fail_msg("%s", reason);
    return false;
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    (void)p;
    (void)smoke;
    (void)standard;
    (void)full;
    return quick;
}
