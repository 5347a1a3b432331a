#include "lib/structure/tlb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "lib/structure/hierarchy.h"
#include "lib/structure/stride_family.h"
#include "lib/structure/tolerances_hierarchy.h"

/*
 * STRIDE_RANGE at its end on simulated cores, where each page counts: no stride holds more than the first, and points
 * up to twice as many show that all have left the level.
 */
enum { SIMULATED_RANGE = 2 };

struct search tlb_search(const struct probe *p, const struct tlb *t, double from, double to)
{
    return (struct search){.kind = KNEE_STEP,
                           .from = from,
                           .to = to,
                           .step = 1,
                           .resolution = t->resolution,
                           .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)};
}

/* A finding of this level, undecided so far. */
static struct finding finding_of(const struct tlb *t, const char *name, unsigned level)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = level},
                                         {"page", page_name(t->page_bytes)},
                                         {t->access ? "access" : NULL, t->access}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U'};
}

/*
 * Merges a low knee with one a few pages behind it: no core has two levels of which one holds so few pages more. A
 * reading touches pages besides those of the kernel: where the pointer chase continues, the stack, where times are
 * stored. Where the ring and these pages do not fit into a level of one set that replaces the least recently used page,
 * every page of the ring is missed once in a reading. On simulated cores, where readings cannot be made longer to see
 * that (check_steps), the interval of a ramp so near to the end reaches to half of it: that takes misses in each round.
 */
static void merge_touched(struct verdict *v, bool simulated)
{
    for (struct knee *k = v->knees; simulated && k < v->knees + v->count; k++)
        if (k->ramp && k->half_rise_low - k->value <= READING_PAGES)
            k->high = fmax(k->high, k->half_rise_high);
    for (size_t i = 0; i + 1 < v->count;) {
        struct knee *k = &v->knees[i];
        const double rise = k->after - k->before, next = k[1].after - k[1].before;
        if (k[1].value - k->value > READING_PAGES || rise * TOUCHED_LOWER > next) {
            i++;
            continue;
        }
        v->levels[i].to = v->levels[i + 1].to;
        k[1].before = k->before;
        memmove(k, k + 1, (v->count - i - 1) * sizeof *k);
        memmove(&v->levels[i + 1], &v->levels[i + 2], (v->level_count - i - 2) * sizeof v->levels[0]);
        v->count--;
        v->level_count--;
    }
}

/* ---- Levels ------------------------------------------------------------------------------------- */

/* One range of counts, searched with each experiment. */
struct range {
    struct sweep sweep[TLB_EXPERIMENTS];
    size_t count;
    size_t moved; /* the first knee of the first experiment whose rise depends on lines, not pages; count: none does */
};

static bool search_range(struct probe *p, const struct tlb *t, struct range *r, const struct sweep *experiments,
                         size_t count, double from, double to, double length_factor)
{
    const bool far = from > t->fewest;

    for (r->count = 0; r->count < count;) {
        struct sweep *sweep = &r->sweep[r->count];
        *sweep = far && t->far_first && r->count == 0 ? *t->far_first : experiments[r->count];
        r->count++;
        sweep->search = tlb_search(p, t, from, to);
        sweep->search.narrow_half_rise = far;
        sweep->seconds = t->seconds;
        sweep->length_factor = length_factor;
        if (!sweep_search(p, sweep))
            return false;
        merge_touched(&sweep->search.verdict, probe_is_simulated(p));
    }
    return true;
}

/* Returns how many levels it reported. */
static unsigned report_entries(struct probe *p, const struct tlb *t, const struct range *r, const char *proof,
                               unsigned levels_before, bool goes_on, const struct verdict *one_order)
{
    struct experiment e[TLB_EXPERIMENTS];

    experiments_of_sweeps(r->sweep, r->count, e);
    return hierarchy_report(
        p,
        &(struct hierarchy){.capacity = t->entries,
                            .variants = {{"page", page_name(t->page_bytes)}, {t->access ? "access" : NULL, t->access}},
                            .proof = proof,
                            .step = 1,
                            .limit = t->limit,
                            .scattered = true,
                            .steady_behind = !t->access, /* pages of code fill other structures as well */
                            .before = levels_before,
                            .moved = t->elsewhere_count ? &r->moved : NULL,
                            .goes_on = goes_on,
                            .one_order = one_order},
        e, r->count);
}

/*
 * The cost of a miss of level `level` of a range, as a finding of level `number`: the difference of its height and that
 * of the next level. Where that is not steady, the first level of range `behind` takes its place, unless `behind` is
 * NULL.
 */
static void report_miss(struct probe *p, const struct tlb *t, const struct range *r, size_t level,
                        const struct range *behind, unsigned number)
{
    struct finding f = finding_of(t, t->miss_cycles, number);
    struct experiment_value v[TLB_EXPERIMENTS];

    for (size_t i = 0; i < r->count; i++) {
        const struct verdict *here = &r->sweep[i].search.verdict;
        v[i] = (struct experiment_value){r->sweep[i].name, r->sweep[i].confounder,
                                         level_difference(here, level, here, level + 1)};
        if (isnan(v[i].value) && behind)
            v[i].value = level_difference(here, level, &behind->sweep[i].search.verdict, 0);
    }
    f.method = "difference of levels";
    if (t->elsewhere_count && level >= r->moved) {
        f.reason = REASON_MASKED_BY_BTB;
        report_number(p, &f, (double)NAN);
    } else {
        report_graded_number(p, &f, v, r->count);
    }
}

static void report_ranges(struct probe *p, const struct tlb *t, const struct range *near, const struct range *far,
                          const char *proof, const struct verdict *one_order)
{
    const unsigned levels = report_entries(p, t, near, proof, 0, far->count > 0, one_order);

    for (unsigned i = 1; i < levels; i++)
        report_miss(p, t, near, i - 1, NULL, i);
    if (far->count == 0)
        return;
    report_miss(p, t, near, near->sweep->search.verdict.count - 1, far, levels);
    const unsigned more = report_entries(p, t, far, NULL, levels, false, NULL);
    for (unsigned i = 1; i < more; i++)
        report_miss(p, t, far, i - 1, NULL, levels + i);
}

/* ---- Steps that are caused by the readings ------------------------------------------------------ */

/*
 * In readings of few rounds the pages that a reading touches besides are a step (merge_touched), which may be all that
 * is found. It shrinks as readings grow longer, which the end of a level does not.
 */

/* Cycles of a page at x, of the same kernel in usual and in longer readings. */
static bool measure_both_lengths(struct probe *p, const struct sweep *s, double x, double *usual, double *longer)
{
    struct kernel k = {.units = 1};
    struct point pt;

    if (!s->build(p, x, s->context, &k))
        return false;
    k.length_factor = fmax(k.length_factor, 1) * fmax(s->length_factor, 1);
    bool good = probe_measure(p, &k, &pt);
    *usual = pt.q20;
    k.length_factor *= READINGS_LONGER;
    good = good && probe_measure(p, &k, &pt);
    *longer = pt.q20;
    return good;
}

/*
 * Whether the step at this knee is caused by the readings; twice, since other programs may disturb one of so few
 * readings.
 */
static bool check_step(struct probe *p, const struct tlb *t, const struct sweep *s, const struct knee *k,
                       bool *by_readings)
{
    *by_readings = true;
    for (unsigned n = 0; n < 2 && *by_readings; n++) {
        double low[2] = {NAN, NAN}, high[2] = {NAN, NAN};
        if (!measure_both_lengths(p, s, k->low, &low[0], &low[1]) ||
            !measure_both_lengths(p, s, k->high, &high[0], &high[1]))
            return false;
        const double rise = high[0] - low[0];
        *by_readings = rise > t->resolution * low[0] && high[1] - low[1] < STEP_SHRINKS * rise;
    }
    return true;
}

/*
 * Whether any step of the curve is caused by the readings. Never under profiles smoke and simulated, where they cannot
 * be made longer. The random numbers of later experiments do not depend on this check.
 */
static bool check_steps(struct probe *p, const struct tlb *t, const struct sweep *s, bool *by_readings)
{
    const struct verdict *v = &s->search.verdict;
    const uint64_t random = p->random;
    bool good = true;

    *by_readings = false;
    for (size_t i = 0; i < v->count && good && !*by_readings && !probe_is_smoke(p) && !probe_is_simulated(p); i++)
        good = check_step(p, t, s, &v->knees[i], by_readings);
    p->random = random;
    return good;
}

/*
 * Searches the near range, again with longer readings where a step is caused by them. On simulated cores readings do
 * not grow beyond a length (lib/measure/tolerances.h), and all of them have it.
 */
static bool search_near(struct probe *p, const struct tlb *t, struct range *near, const struct sweep *experiments,
                        size_t count, double *length_factor)
{
    bool again = true;

    *length_factor = probe_simulated(p, READINGS_LONGER, fmax(t->length_factor, 1));
    for (; again; *length_factor *= again ? READINGS_LONGER : 1) {
        if (!search_range(p, t, near, experiments, count, t->fewest, t->near_end, *length_factor) ||
            !check_steps(p, t, near->sweep, &again))
            return false;
        again = again && *length_factor < READINGS_LONGEST; /* a step that still shrinks then has another cause */
        if (again)
            sweeps_free(near->sweep, near->count);
    }
    return true;
}

/* ---- Controls that rise as well ----------------------------------------------------------------- */

/*
 * The growth of the control is subtracted, as if what it costs were added to what pages cost. A core that looks for a
 * branch's target while it translates the page hides one behind the other, and the curve falls where the control rises.
 */

/* The greatest number of pages of the sweep below which the control has not left its level. */
static double level_of_control(const struct tlb *t, const struct sweep *s)
{
    double rises = (double)INFINITY, last = s->search.from;

    for (size_t i = 0; i < s->count; i++)
        if (s->samples[i].control > t->resolution * (s->samples[i].y + s->samples[i].control))
            rises = fmin(rises, s->samples[i].x);
    for (size_t i = 0; i < s->count; i++)
        if (s->samples[i].x < rises)
            last = fmax(last, s->samples[i].x);
    return last;
}

/* Where the first experiment has no knee, searches the near range again up to where the control rises. */
static bool search_level_of_control(struct probe *p, const struct tlb *t, struct range *near,
                                    const struct sweep *experiments, size_t count, double length_factor)
{
    const double end = level_of_control(t, near->sweep);

    if (near->sweep->search.verdict.count || !(end < t->near_end) || end < LEVELS_APART * t->fewest)
        return true;
    sweeps_free(near->sweep, near->count);
    if (!search_range(p, t, near, experiments, count, t->fewest, end, length_factor))
        return false;
    struct verdict *v = &near->sweep->search.verdict;
    if (v->count && CONTROL_APART * v->knees[v->count - 1].end > end)
        *v = (struct verdict){.reason = REASON_MASKED_BY_BTB};
    return true;
}

/* ---- Rises that are caused by branches ---------------------------------------------------------- */

/*
 * Jumps that are a page apart may displace each other in a branch target buffer with a hashed index, where as many
 * packed ones do not. How many do depends on the lines that they are on, which a TLB does not see.
 */

/* What was measured at numbers of pages. A simulated core repeats exactly, so there it is not measured again. */
struct measured {
    size_t count;
    struct {
        const void *context; /* of the sweep */
        double x, cycles;
    } at[32];
};

/* Cycles of a page at x, beyond those of the control. */
static bool measure_beyond_control(struct probe *p, const struct sweep *s, double x, struct measured *m, double *cycles)
{
    bool (*const build[])(struct probe *, double, void *, struct kernel *) = {s->build, s->control};
    double y[2] = {0};

    for (size_t i = 0; i < m->count; i++)
        if (m->at[i].context == s->context && m->at[i].x >= x && m->at[i].x <= x) {
            *cycles = m->at[i].cycles;
            return true;
        }
    for (size_t i = 0; i < 2; i++) {
        struct kernel k = {.units = 1};
        struct point pt = {.q20 = 0};
        if (!build[i](p, x, s->context, &k))
            return false;
        k.length_factor = fmax(k.length_factor, 1) * fmax(s->length_factor, 1);
        if (!probe_measure(p, &k, &pt))
            return false;
        y[i] = pt.q20;
    }
    *cycles = y[0] - y[1];
    if (probe_is_simulated(p) && m->count < sizeof m->at / sizeof m->at[0]) {
        m->at[m->count].context = s->context;
        m->at[m->count].x = x;
        m->at[m->count++].cycles = *cycles;
    }
    return true;
}

/* Whether the rise from `low` to `high` pages is another one elsewhere than in `s`, both times that it is measured. */
static bool check_elsewhere(struct probe *p, const struct sweep *s, const struct sweep *elsewhere, double low,
                            double high, struct measured *m, bool *moves)
{
    struct sweep other = *s;

    other.build = elsewhere->build;
    other.control = elsewhere->control;
    other.context = elsewhere->context;
    *moves = true;
    for (unsigned n = 0; n < 2 && *moves; n++) {
        double before, after, other_before, other_after;
        if (!measure_beyond_control(p, s, low, m, &before) || !measure_beyond_control(p, s, high, m, &after) ||
            !measure_beyond_control(p, &other, low, m, &other_before) ||
            !measure_beyond_control(p, &other, high, m, &other_after))
            return false;
        const double rise = after - before, there = other_after - other_before;
        *moves = fabs(other_before - before) > MOVED_BEFORE * rise || there * MOVED_RISE < rise ||
                 there > MOVED_RISE * rise;
    }
    return true;
}

/*
 * Sets r->moved to the first knee whose rise, up to the next one, is another one where the jumps are on other lines, or
 * is low. Few branches displace each other at first, so that several numbers of pages are tried. The random numbers of
 * later experiments do not depend on this check.
 */
static bool find_moved(struct probe *p, const struct tlb *t, struct range *r)
{
    const struct verdict *v = &r->sweep[0].search.verdict;
    const uint64_t random = p->random;
    bool good = true, moves = false;

    for (r->moved = 0; r->moved < v->count && good && !moves && !probe_is_smoke(p); r->moved += !moves) {
        const struct knee *k = &v->knees[r->moved];
        const double next = r->moved + 1 < v->count ? k[1].low : r->sweep[0].search.to;
        struct measured m = {.count = 0};
        const double most = fmax(k->high, fmin(MOVED_BEYOND * k->value, next));
        moves = t->elsewhere_count && k->after - k->before < MISS_LEAST;
        for (double high = k->high; high <= most && good && !moves; high = floor(MOVED_STEP * high) + 1)
            for (size_t i = 0; i < t->elsewhere_count && good && !moves; i++)
                good = check_elsewhere(p, &r->sweep[0], &t->elsewhere[i], k->low, high, &m, &moves);
    }
    p->random = random;
    return good;
}

bool tlb_levels(struct probe *p, const struct tlb *t, const struct sweep *experiments, size_t count,
                struct tlb_first *first)
{
    struct range near = {.count = 0}, far = {.count = 0}, one_order = {.count = 0};
    const struct verdict *v = &near.sweep->search.verdict;
    char proof[PROOF_TEXT] = "";
    double length_factor = 1;
    bool good = search_near(p, t, &near, experiments, count, &length_factor) &&
                search_level_of_control(p, t, &near, experiments, count, length_factor) && find_moved(p, t, &near);

    if (good && v->count)
        good = proof_of_knee(p, near.sweep, 0, t->needs, proof) &&
               (t->most <= t->near_end ||
                search_range(p, t, &far, experiments, count, floor(LEVELS_APART * v->knees[v->count - 1].value),
                             t->most, t->length_factor));
    if (good && far.count)
        good = find_moved(p, t, &far);
    far.moved = near.moved < v->count ? 0 : far.moved;
    if (good && t->one_order)
        good = search_range(p, t, &one_order, t->one_order, 1, t->fewest, t->near_end, length_factor);
    if (good)
        report_ranges(p, t, &near, &far, proof, one_order.count ? &one_order.sweep->search.verdict : NULL);
    *first = (struct tlb_first){NAN, NAN, length_factor};
    if (good && v->count && !(t->elsewhere_count && near.moved == 0))
        *first = (struct tlb_first){v->knees[0].value, level_difference(v, 0, v, 1), length_factor};
    sweeps_free(near.sweep, near.count);
    sweeps_free(far.sweep, far.count);
    sweeps_free(one_order.sweep, one_order.count);
    return good;
}

/* ---- Sets --------------------------------------------------------------------------------------- */

/*
 * Sets *bits to the binary logarithm of the number of sets, a power of two. Sets times ways has to lie in the interval
 * of entries: a ramp may hide the last entries. False if no power of two fits, or more than one does.
 */
static bool find_index_bits(const struct stride_level *l, unsigned *bits)
{
    const double too_many = fmax(l->high, l->value + 1);
    double entries = l->ways.value;

    for (*bits = 0; entries < l->low; ++*bits)
        entries *= 2;
    return entries < too_many && 2 * entries >= too_many;
}

/* Whether strides show as many pages as the level holds by other experiments. */
static bool is_level_of(const struct stride_level *l, double entries)
{
    return fabs(l->value - entries) <= fmax(1, AGREE * entries);
}

/* Reports the address bits that choose a set: from the lowest one on, as many as there are sets. */
static void report_index(struct probe *p, const struct tlb *t, const struct stride_level *l, double entries)
{
    char bits[32] = "";
    unsigned low = 0, count = 0;
    struct finding f = finding_of(t, t->index_bits, 1);

    f.reason = l->ways.reason ? l->ways.reason : l->reason;
    f.method = "sets are entries by ways; counts halve at strides beyond the lowest bit";
    if (!isnan(l->value) && !is_level_of(l, entries)) {
        f.reason = REASON_STRIDES_DIFFER;
    } else if (!isnan(l->index_stride) && !isnan(l->ways.value) && !isnan(l->value)) {
        while ((double)((size_t)1 << low) < l->index_stride * (double)t->page_bytes)
            low++;
        if (find_index_bits(l, &count)) {
            f.value = count;
            f.grade = l->grade > l->ways.grade ? l->grade : l->ways.grade;
            f.reason = REASON_NONE;
            snprintf(bits, sizeof bits, "VA[%u:%u]", low + count - 1, low);
            f.remarks[0].key = "bits";
            f.remarks[0].text = bits;
        } else {
            f.reason = REASON_NOT_POWER_OF_TWO;
        }
    }
    report(p, &f);
}

/*
 * Whether the level is one set: it holds as many pages at all strides, over a factor of ONE_SET_STRIDES at least, and
 * one page more makes all of them miss at once. A hash of the address would fill sets unevenly, which would then
 * overflow one by one (lib/structure/stride_family.h).
 */
static bool is_one_set(const struct stride_family *f, const struct stride_level *l)
{
    double closest = 0, farthest = 0;

    for (size_t i = 0; i < f->count; i++) {
        const struct stride_member *m = &f->members[i];
        if (l->at[i].role == STRIDE_UNDECIDED || l->at[i].role == STRIDE_SHORT)
            continue; /* another structure ends the curve: fewer pages, but not half of them */
        if (l->at[i].role != STRIDE_REACHES)
            return false;
        const struct knee *k = &m->verdict->knees[l->at[i].level];
        if (k->end - k->low > ONE_SET_EDGE * f->step)
            return false;
        closest = closest > 0 ? closest : m->stride;
        farthest = m->stride;
    }
    return !isnan(l->value) && closest > 0 && farthest >= ONE_SET_STRIDES * closest;
}

static void report_one_set(struct probe *p, const struct tlb *t, const struct stride_level *l)
{
    struct finding f = finding_of(t, t->ways, 1);

    f.value = l->value;
    f.low = l->low;
    f.high = l->high;
    f.grade = 'B'; /* that the index is no hash follows from the shape of the edge alone */
    f.method = "one set: as many at all strides, and with one more all miss";
    report(p, &f);
    f.name = t->index_bits;
    f.value = 0;
    f.low = f.high = (double)NAN;
    report(p, &f);
}

/*
 * Difference of heights up to which they are one level's: a part of the least rise at the end of a level. What such
 * pages cost by other causes is below that.
 */
static double same_height(const struct sweep *s, size_t count)
{
    double least = (double)NAN;

    for (size_t i = 0; i < count; i++)
        if (s[i].search.verdict.count)
            least = fmin(least, s[i].search.verdict.knees[0].after - s[i].search.verdict.knees[0].before);
    return isnan(least) ? 0 : SAME_HEIGHT_PART * least;
}

/*
 * Searches pages an odd number apart where it is not known whether neighbours share an entry, and decides again if that
 * shows an end.
 */
static bool try_odd_stride(struct probe *p, const struct tlb *t, struct stride_family *f, struct stride_verdict *v)
{
    if (!t->odd || !v->level_count || v->levels[0].ways.reason != REASON_SINGLE_SET_OR_PAIRS)
        return true;
    struct sweep s = *t->odd;
    const double most = floor(fmax(t->stride_room, t->most) / TLB_ODD_STRIDE);
    s.search = tlb_search(p, t, fmax(t->fewest, floor(v->levels[0].value / STRIDE_RANGE)),
                          floor(fmin(STRIDE_RANGE * v->levels[0].value, most)));
    s.seconds = t->seconds_stride;
    s.length_factor = t->length_factor;
    const bool good = sweep_search(p, &s);
    if (good && !s.search.verdict.reason && s.search.verdict.count) {
        f->odd = s.search.verdict.knees[0].value;
        stride_family_decide(f, v);
    }
    sweep_free(&s);
    return good;
}

bool tlb_sets(struct probe *p, const struct tlb *t, struct sweep strides[TLB_STRIDES], double entries)
{
    struct stride_member members[TLB_STRIDES];
    struct stride_verdict v;
    size_t count = 0;
    bool good = true;

    for (; count < TLB_STRIDES && good; count++) {
        struct sweep *s = &strides[count];
        const double stride = (double)((size_t)1 << count);
        s->search = tlb_search(p, t, fmax(t->fewest, floor(entries / (STRIDE_RANGE * stride))),
                               floor(fmin(probe_simulated(p, SIMULATED_RANGE, STRIDE_RANGE) * entries,
                                          fmax(t->stride_room, t->most) / stride)));
        s->seconds = t->seconds_stride;
        s->length_factor = t->length_factor;
        members[count] = (struct stride_member){s->name, stride, &s->search.verdict};
        good = sweep_search(p, s);
        merge_touched(&s->search.verdict, probe_is_simulated(p));
    }
    if (good) {
        const struct finding ways = finding_of(t, t->ways, 1);
        /* no other structure limits the bytes: lines and pages are as many at each stride */
        struct stride_family family = {.members = members,
                                       .count = count,
                                       .step = 1,
                                       .smallest = 1,
                                       .footprints = {INFINITY},
                                       .same_height = same_height(strides, count)};
        stride_family_decide(&family, &v);
        good = try_odd_stride(p, t, &family, &v);
        if (good && v.level_count && is_one_set(&family, &v.levels[0]) && is_level_of(&v.levels[0], entries)) {
            report_one_set(p, t, &v.levels[0]);
        } else if (good) {
            report_stride_family_ways(p, &ways, &family, &v, 0);
            if (!v.level_count)
                v.levels[0] = (struct stride_level){.value = NAN, .index_stride = NAN, .reason = v.reason};
            report_index(p, t, &v.levels[0], entries);
        }
    }
    sweeps_free(strides, count);
    return good;
}

double tlb_code_reach(const struct probe *p, unsigned level)
{
    const size_t page = machine_info()->page_bytes[0];
    char variants[32];

    snprintf(variants, sizeof variants, "level=%u page=%s", level, page_name(page));
    return (double)page * facts_number(&p->run->facts, "frontend.itlb.entries", variants, 0);
}

double tlb_known_entries(const struct probe *p)
{
    static const char *const levels[] = {"level=1 access=load", "level=2 access=load", "level=3 access=load"};
    double most = 0;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        most = fmax(most, facts_number(&p->run->facts, "memory.dtlb.entries", levels[i], 0));
    return most;
}
