/*
 * Register files: how many registers of each class can be renamed beyond those that a program names, and which classes
 * share a file? (docs/METHODS.md, 6.2)
 *
 * Experiment: two long-latency operations, and n instructions between them that each write a register
 * (lib/structure/inflight.h). A written register gets a physical one, which is free again when the next write of it has
 * retired: n in flight hold n of them.
 *
 *   int64, int32   additions to whole general registers and to halves: results are alike unless a physical register can
 *                  hold two halves
 *   flags          comparisons, which write nothing else
 *   vector         of each width, scalable ones of the width they have here; mask or predicate registers
 *
 * Curve: cycles an iteration over n, a jump. Result: the last n before it rises, plus the registers that the
 * long-latency operations write.
 *
 * Inference: a knee where NOPs end is the reorder buffer's. Where neighbours may share one of its entries, two
 * comparisons side by side may need a flags register for only one of them, since nothing can read the flags of the
 * first: there every third filler is a comparison, and the number is divided by three. The vector registers that a
 * program names occupy physical ones, too: before the experiment they are written, or cleared, and some cores need no
 * physical register for a cleared one. Then the result is the whole file except for what cannot be cleared. Classes
 * share a file if half of one leaves half for the other (lib/structure/sharing.h); for whole general registers and
 * halves this shows whether a half takes a register, half of one, or one of another file. A class that ends at the most
 * writers that were ever seen in flight is undecided, since renames may end there (lib/structure/renames_in_flight.h).
 *
 * Method: Wong 2013; jia.je 2024; Johnson 2021 (renames in flight).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/flag_registers.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_repeat.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/register_sharing.h"
#include "lib/structure/renames_in_flight.h"
#include "lib/structure/tolerances_inflight.h"

/* Fillers: range of a curve, and how far it may grow. */
enum { TO = 400, LIMIT = 1280 };
/* One filler in so many is a comparison, where they have other fillers between them. */
enum { SPACED = 3 };

static const struct {
    const char *filler, *class;
    unsigned width;           /* variant of the finding, in bits; 0: none */
    enum filler_class counts; /* whose registers are counted */
    bool clear_vectors;
} classes[] = {
    {"int64", "int64", 0, FILLER_GENERAL, false},    {"int32", "int32", 0, FILLER_GENERAL, false},
    {"flags", "flags", 0, FILLER_FLAGS, false},      {"scalar", "vector", 64, FILLER_VECTOR, false},
    {"v128", "vector", 128, FILLER_VECTOR, false},   {"v256", "vector", 256, FILLER_VECTOR, false},
    {"v512", "vector", 512, FILLER_VECTOR, false},   {"v128", "vector", 128, FILLER_VECTOR, true},
    {"v512", "vector", 512, FILLER_VECTOR, true},    {"mask", "mask", 0, FILLER_MASK, false},
    {"scalable", "vector", 0, FILLER_VECTOR, false},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

/* The first pair also says what a half takes. */
static const struct {
    const char *a, *b;
} pairs[] = {{"int64", "int32"}, {"int64", "flags"}, {"int64", "v128"}, {"v128", "mask"}, {"int64", "mask"}};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

struct measured {
    struct inflight inflight;
    struct inflight_limits limits;
    struct inflight_result results[CLASSES];
    struct inflight_result spaced;  /* of comparisons with other fillers between them, … */
    struct verdict flags[LONG_OPS]; /* … and the same, divided by SPACED */
    double totals[CLASSES];         /* inflight_total */
    struct sharing shared[PAIRS];
    double writers; /* the most writers of a register that were seen in flight, of any classes */
    double renames; /* renames in flight, where that is a limit of its own; NaN: it is not, or it is not known */
};

static size_t class_index(const char *filler)
{
    size_t i = 0;

    while (strcmp(classes[i].filler, filler) != 0)
        i++;
    return i;
}

/* ---- Measuring each class ------------------------------------------------------------------------- */

/* Whether the core has the class. With legacy vector instructions alone emit_filler_hold clears no registers. */
static bool has_class(size_t i)
{
    const struct emit_filler *f = inflight_filler(classes[i].filler);

    return f && (f->vector_bits || !classes[i].clear_vectors);
}

static bool measure_class(struct probe *p, struct measured *m, size_t i)
{
    struct inflight_request q = {.inflight = &m->inflight,
                                 .fillers = {classes[i].filler},
                                 .class = classes[i].counts,
                                 .to = TO,
                                 .limit = LIMIT,
                                 .group = m->limits.group,
                                 .clear_vectors = classes[i].clear_vectors,
                                 .one_is_enough = i > 0}; /* most are in the file of whole registers too */

    snprintf(q.name, sizeof q.name, "%s%s", classes[i].filler, classes[i].clear_vectors ? ", cleared" : "");
    return inflight_measure(p, &q, &m->results[i]);
}

static bool measure_classes(struct probe *p, struct measured *m)
{
    const struct inflight_request spaced = {.inflight = &m->inflight,
                                            .name = "flags, spaced",
                                            .fillers = {"int64", "v128", "flags"},
                                            .class = FILLER_FLAGS,
                                            .to = TO,
                                            .limit = LIMIT,
                                            .group = m->limits.group,
                                            .one_is_enough = true};
    bool good = true;

    for (size_t i = 0; i < CLASSES && good; i++)
        good = !has_class(i) || measure_class(p, m, i);
    return good && (m->limits.nops_per_entry <= 1 || inflight_measure(p, &spaced, &m->spaced));
}

/*
 * Whether fewer registers fit than when they were measured for sharing: then a sibling thread may be awake and hold
 * some (measured on Zen 4: 19 of the integer registers), which perhaps nothing else shows.
 */
static bool fits_fewer(const struct measured *m, size_t class)
{
    const struct inflight_result *a = &m->results[class];

    for (size_t i = 0; i < a->count; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        const double alone = sharing_alone(m->shared, PAIRS, classes[class].filler, a->runs[i].first);
        if (!v->reason && v->count && !isnan(alone) && !sharing_all_fit(m->limits.group, alone, v->knees[0].value))
            return true;
    }
    return false;
}

static bool repeat_classes(struct probe *p, struct measured *m)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (fits_fewer(m, i))
            m->results[i].confirmed = 0;
    const bool good = inflight_repeat(p, m->results, CLASSES);

    for (size_t i = 0; i < CLASSES; i++)
        m->totals[i] = inflight_total(&m->results[i], classes[i].counts);
    return good;
}

/* ---- Classes that share a file -------------------------------------------------------------------- */

/*
 * A number of fillers that does not fit: beyond the end of the class, or where that is not known, at the end of NOPs.
 */
static double too_many(const struct measured *m, const char *filler)
{
    const double total = m->totals[class_index(filler)];

    return isnan(total) ? m->limits.nops : total * BEYOND_FITTING;
}

static bool measure_pairs(struct probe *p, struct measured *m)
{
    for (size_t i = 0; i < PAIRS; i++)
        m->shared[i] = (struct sharing){
            .a = pairs[i].a, .b = pairs[i].b, .about = {too_many(m, pairs[i].a), too_many(m, pairs[i].b)}};
    if (!register_sharing_find(p, &m->limits, m->shared, PAIRS))
        return false;
    for (size_t i = 0; i < PAIRS; i++)
        m->writers = fmax(m->writers, m->shared[i].in_flight);
    return true;
}

/* ---- Renames in flight ---------------------------------------------------------------------------- */

/* Registers of the class that fitted; where experiments agree only on how many writers are in flight, these. */
static struct renames_class renames_class(const struct measured *m, const char *filler)
{
    const size_t i = class_index(filler);
    const double registers = inflight_fitted(&m->results[i], classes[i].counts);

    return (struct renames_class){isnan(registers) ? m->totals[i] : registers, m->totals[i]};
}

/* ---- Reports -------------------------------------------------------------------------------------- */

/* Why the knee of a result may be another structure's, where so many writers were in flight; REASON_NONE: it is not. */
static enum reason masking_of(const struct measured *m, const struct inflight_result *a, double total)
{
    const enum reason reason = isnan(total) ? REASON_NONE : inflight_masked_by_rob(&m->limits, a);

    if (!reason && inflight_same(total, m->renames))
        return REASON_MASKED_BY_RENAMES;
    return reason || isnan(total) ? reason : inflight_may_be_renames(total, m->writers);
}

static enum reason spaced_flags(struct measured *m, struct experiment e[LONG_OPS])
{
    const enum reason reason = flag_registers_divide(&m->spaced, SPACED, m->totals[class_index("int64")],
                                                     m->totals[class_index("v128")], m->flags, e);

    return reason ? reason : masking_of(m, &m->spaced, inflight_total(&m->spaced, FILLER_NOTHING));
}

static enum reason count_flags(const struct measured *m, struct inflight_result *flags)
{
    size_t pair = 0;

    while (strcmp(pairs[pair].b, "flags") != 0)
        pair++;
    return flag_registers_count(flags, m->totals[class_index("int64")], m->shared[pair].text);
}

static void report_class(struct probe *p, struct measured *m, size_t i)
{
    const bool flags = classes[i].counts == FILLER_FLAGS, spaced = flags && m->spaced.count > 0;
    struct experiment e[LONG_OPS];
    enum reason reason = spaced ? spaced_flags(m, e) : masking_of(m, &m->results[i], m->totals[i]);
    struct finding f = {.name = classes[i].clear_vectors ? "backend.registers.cleared" : "backend.registers.entries",
                        .variants = {{"class", classes[i].class}},
                        .method = "two long-latency operations, and writes of registers between them"};

    if (classes[i].width)
        f.variants[1].key = "width", f.variants[1].number = classes[i].width;
    if (!strcmp(classes[i].filler, "scalable")) {
        f.variants[1].key = "width", f.variants[1].number = machine_info()->scalable_bits;
        f.variants[2].key = "vectors", f.variants[2].text = "sve";
    }
    if (!reason && flags && !spaced)
        reason = count_flags(m, &m->results[i]);
    if (!reason && !spaced && fits_fewer(m, i))
        reason = REASON_MORE_FITTED_EARLIER;
    if (reason)
        inflight_undecided(p, &f, reason);
    else if (spaced)
        inflight_report(p, &f, e, m->spaced.count, 1, m->limits.group);
    else
        inflight_report(p, &f, m->results[i].experiments, m->results[i].count, 1, m->limits.group);
}

static void report_all(struct probe *p, struct measured *m)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (has_class(i))
            report_class(p, m, i);
    register_sharing_report(p, &m->limits, m->writers, m->shared, PAIRS);
}

static void run(struct probe *p)
{
    struct measured *m = probe_calloc(p, 1, sizeof *m);
    bool good = m && inflight_start(p, &m->inflight) && inflight_find_limits(p, &m->inflight, &m->limits) &&
                measure_classes(p, m) && repeat_classes(p, m);

    if (good)
        m->writers = m->limits.writers_at_least;
    good = good && measure_pairs(p, m) && repeat_classes(p, m) &&
           renames_find(p, &m->limits, renames_class(m, "int64"), renames_class(m, "v128"), &m->renames) &&
           repeat_classes(p, m) && repeat_classes(p, m);
    if (good)
        report_all(p, m);
    for (size_t i = 0; i < CLASSES && m; i++)
        inflight_free(&m->results[i]);
    if (m)
        inflight_free(&m->spaced);
    free(m);
}

PROBE(registers, .title = "Register files", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.registers.entries", "registers",
                            "registers of that class that can be renamed, beyond those that a program names"},
                           {"backend.registers.cleared", "registers",
                            "the same where those that a program names were cleared, and may hold none"},
                           {"backend.registers.shared", "files", "whether two classes are renamed to one file"},
                           {"backend.registers.halves", "registers",
                            "what a write of half a general register takes: the whole, half of one, or one apart"},
                           {"backend.rename_retire.entries", "renames",
                            "renames that can be in flight, where that is a limit of its own"}));
