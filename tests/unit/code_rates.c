/* The probes fetch and op_cache, by rates of code on a modelled core: what bounds them. */
/* link: probes/frontend/fetch.c probes/frontend/op_cache.c */
/* link: tests/unit/structure/profile.c tests/unit/structure/no_code.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding/report.h"
#include "lib/kernels/page_crossing.h"
#include "lib/kernels/straight.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "lib/structure/op_cache_lines.h"
#include "lib/structure/op_cache_switch.h"

extern const struct probe_definition *const __start_probes[], *const __stop_probes[];

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum {
    KIB_LINES = 16,     /* lines of a KiB */
    DECODED = 6,        /* instructions a cycle, … */
    KEPT = 8,           /* … and operations that an operation cache delivers */
    FETCHED = 16,       /* bytes a cycle from the instruction cache, … */
    FETCHED_BEHIND = 8, /* … and from the second level */
    SWEEPS = 16,
    POINTS = 16
};

const unsigned emit_nop_lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}, emit_alignment = 1,
               emit_longest = 15;
static struct machine_info info = {.page_bytes = {4096}};
static double l1i_kib = 32, known_kib = 32; /* what the instruction cache holds, and what is known of it */
static double kept_ops;                     /* operations that an operation cache holds; 0: there is none */
static double off_takes_times; /* time with the operation cache switched off, relative to that as found; 0: no switch */
static struct search_point points[SWEEPS][POINTS];
static size_t sweeps;
static const char *wanted; /* name of the finding */
static double found;

/* Cycles of a NOP in a loop over so many lines. */
static double cycles_per_nop(double lines, double per_line)
{
    const double bytes = STRAIGHT_LINE_BYTES / per_line;

    if (lines * per_line <= kept_ops)
        return 1.0 / KEPT;
    return fmax(1.0 / DECODED, bytes / (lines <= l1i_kib * KIB_LINES ? FETCHED : FETCHED_BEHIND));
}

/* Runs of one length over their density, or of one density over their length; no curve has a knee. */
bool sweep_search(struct probe *p, struct sweep *s)
{
    const bool over_density = !strcmp(s->axis, "nops_per_line");

    (void)p;
    assert_true(sweeps < SWEEPS);
    s->search.verdict = (struct verdict){.reason = REASON_NO_KNEE, .level_count = 1};
    s->search.points = points[sweeps++];
    for (s->search.count = 0; s->search.count < POINTS; s->search.count++) {
        const double x = s->search.from + (double)s->search.count;
        if (x > s->search.to)
            break;
        s->search.points[s->search.count] = (struct search_point){
            .x = x,
            .y = over_density ? cycles_per_nop((double)*(const size_t *)s->context, x)
                              : cycles_per_nop(x, (double)strtoul(s->name, NULL, 10))};
    }
    return true;
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep_search(p, &s[i]);
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

/* Lines in random order decide nothing here. */
void op_cache_lines_report(struct probe *p, const struct finding otherwise[OP_CACHE_QUANTITIES])
{
    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++)
        if (otherwise[q].name)
            report(p, &otherwise[q]);
}

bool op_cache_measure_switched(struct probe *p,
                               bool (*build)(struct probe *p, double x, void *context, struct kernel *k), double x,
                               void *context, struct op_cache_switched *out)
{
    (void)p;
    (void)build;
    (void)x;
    (void)context;
    *out = (struct op_cache_switched){(double)NAN, (double)NAN};
    if (off_takes_times > 0)
        *out = (struct op_cache_switched){0.25, 0.25 * off_takes_times};
    return true;
}

bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs, char text[PROOF_TEXT])
{
    (void)p;
    (void)s;
    (void)knee;
    (void)needs;
    (void)text;
    return true;
}

/* No crossing is split. */
bool page_crossing_build(struct probe *p, const struct page_crossing *x, size_t instructions, struct kernel *k)
{
    (void)p;
    (void)x;
    (void)instructions;
    (void)k;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    *out = (struct point){.q20 = 3};
    return true;
}

/* ---- Findings, and what is not built -------------------------------------------------------------------- */

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    if (!strcmp(f->name, wanted))
        found = f->value;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    struct finding filled = *f;

    filled.value = value;
    report(p, &filled);
}

const struct machine_info *machine_info(void)
{
    return &info;
}

bool probe_map_code(struct probe *p, struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    (void)p;
    (void)f;
    (void)frames;
    (void)pages;
    (void)page_bytes;
    return true;
}

void probe_use_code(struct probe *p, const struct code_frames *f)
{
    (void)p;
    (void)f;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    fail_msg("skipped: %s", reason);
    return false;
}

bool code_good(const struct code *c)
{
    (void)c;
    return false;
}

void emit_nop(struct code *c, unsigned length)
{
    (void)c;
    (void)length;
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    (void)c;
    (void)to;
    (void)value;
}

void emit_vector_add(struct code *c, enum vreg to, enum vreg from)
{
    (void)c;
    (void)to;
    (void)from;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* The value of a finding of that probe; NaN: not decided. */
static double find(const char *probe_name, const char *finding_name)
{
    struct run run = {.number = 0};
    struct probe probe = {.run = &run};
    const struct fact l1i = {.name = "frontend.l1i.bytes", .value = 1024 * known_kib, .grade = 'A'};
    const struct fact decode = {.name = "frontend.decode.width", .value = DECODED, .grade = 'A'};

    assert_true(facts_set(&run.facts, &l1i) && facts_set(&run.facts, &decode));
    wanted = finding_name;
    found = -1;
    sweeps = 0;
    for (const struct probe_definition *const *d = __start_probes; d < __stop_probes; d++)
        if (!strcmp((*d)->name, probe_name))
            (*d)->run(&probe);
    facts_forget(&run.facts);
    return found;
}

/*
 * L1I_AVAILABLE, SHORTER_PART: an operation cache of 4,096 operations (Zen 2) keeps half of the densest lines that the
 * instruction cache holds. Runs of both lengths are longer than that, and do not come from the second level.
 */
static void dense_runs_come_from_the_instruction_cache(void **state)
{
    (void)state;
    kept_ops = 4096;
    const double bytes = find("fetch", "frontend.fetch.bytes");
    kept_ops = 0;
    assert_true(bytes > FETCHED - 0.1 && bytes < FETCHED + 0.1);
}

/* L1I_AVAILABLE: of an instruction cache of 16 KiB it may be known that it holds 17, a step too many. */
static void runs_fit_an_instruction_cache_that_is_known_to_a_step(void **state)
{
    (void)state;
    l1i_kib = 16;
    known_kib = 17;
    const double bytes = find("fetch", "frontend.fetch.bytes");
    l1i_kib = known_kib = 32;
    assert_true(bytes > FETCHED - 0.1 && bytes < FETCHED + 0.1);
}

/*
 * SLOWER: code that takes half as long again when the operation cache is switched off was kept by one: the core takes
 * six operations a cycle and decodes four. Two percent are noise.
 */
static void a_switch_shows_an_operation_cache(void **state)
{
    (void)state;
    off_takes_times = 0;
    assert_true(fabs(find("op_cache", "frontend.op_cache.ops")) <= 0);
    off_takes_times = 1.02;
    assert_true(fabs(find("op_cache", "frontend.op_cache.ops")) <= 0);
    off_takes_times = 6.0 / 4;
    assert_true(isnan(find("op_cache", "frontend.op_cache.ops")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_runs_come_from_the_instruction_cache),
        cmocka_unit_test(runs_fit_an_instruction_cache_that_is_known_to_a_step),
        cmocka_unit_test(a_switch_shows_an_operation_cache),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
