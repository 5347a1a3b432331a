#include "lib/tlb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/family.h"
#include "lib/levels.h"
#include "lib/probe.h"
#include "lib/proof.h"

struct search tlb_search(const struct probe *p, const struct tlb *t, double from, double to)
{
    return (struct search){.kind = KNEE_STEP,
                           .from = from,
                           .to = to,
                           .grain = 1,
                           .resolution = t->resolution,
                           .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)};
}

/* A finding of this level, not decided as yet. */
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

/* ---- Levels ------------------------------------------------------------------------------------- */

/* What the experiments say of one stretch of counts. */
struct stretch {
    struct sweep sweep[TLB_KINDS];
    size_t count;
};

static bool search(struct probe *p, const struct tlb *t, struct stretch *s, const struct sweep *experiments,
                   size_t count, double from, double to, double stretch)
{
    for (s->count = 0; s->count < count;) {
        struct sweep *sweep = &s->sweep[s->count];
        *sweep = experiments[s->count++];
        sweep->search = tlb_search(p, t, from, to);
        sweep->search.halves = from > t->fewest;
        sweep->seconds = t->seconds;
        sweep->stretch = stretch;
        if (!sweep_search(p, sweep))
            return false;
    }
    return true;
}

static unsigned report_entries(struct probe *p, const struct tlb *t, const struct stretch *s, const char *proof,
                               unsigned before, bool goes_on, const struct verdict *same_order)
{
    struct find_experiment e[TLB_KINDS];

    find_experiments(s->sweep, s->count, e);
    return levels_report(
        p,
        &(struct levels){.capacity = t->entries,
                         .variants = {{"page", page_name(t->page_bytes)}, {t->access ? "access" : NULL, t->access}},
                         .proof = proof,
                         .step = 1,
                         .limit = t->limit,
                         .scattered = true,
                         .even = !t->access, /* instruction TLBs: others end by pages of code as well */
                         .before = before,
                         .goes_on = goes_on,
                         .same_order = same_order},
        e, s->count);
}

/* From one level of a stretch to the next; where that is not steady, to where the stretch `behind` begins, unless NULL. */
static void report_miss(struct probe *p, const struct tlb *t, const struct stretch *s, size_t level,
                        const struct stretch *behind, unsigned number)
{
    struct finding f = finding_of(t, t->miss_cycles, number);
    struct find_value v[TLB_KINDS];

    for (size_t i = 0; i < s->count; i++) {
        const struct verdict *here = &s->sweep[i].search.verdict;
        v[i] = (struct find_value){s->sweep[i].name, s->sweep[i].fooled_by,
                                   find_difference(here, level, here, level + 1)};
        if (isnan(v[i].value) && behind)
            v[i].value = find_difference(here, level, &behind->sweep[i].search.verdict, 0);
    }
    f.method = "difference of levels";
    find_number(p, &f, v, s->count);
}

static void report_stretches(struct probe *p, const struct tlb *t, const struct stretch *near,
                             const struct stretch *far, const char *proof, const struct verdict *same_order)
{
    const unsigned told = report_entries(p, t, near, proof, 0, far->count > 0, same_order);

    for (unsigned i = 1; i < told; i++)
        report_miss(p, t, near, i - 1, NULL, i);
    if (far->count == 0)
        return;
    report_miss(p, t, near, near->sweep->search.verdict.count - 1, far, told);
    const unsigned more = report_entries(p, t, far, NULL, told, false, NULL);
    for (unsigned i = 1; i < more; i++)
        report_miss(p, t, far, i - 1, NULL, told + i);
}

/*
 * A reading touches pages of its own: where its walk goes on, its stack, where its times are kept. Where a whole level is
 * one set and the least recently used goes first, these cost all pages of the ring a miss, once a reading, as soon as a
 * level that holds the ring does not hold them too. In readings of few rounds that is a step, as many pages before the
 * level's end. It shrinks as readings grow longer, which no end of a level does.
 */
enum { LONGER = 16, LONGEST = LONGER * LONGER };

/* Cycles that a page costs at x in readings of either length, of one and the same order. */
static bool measure_both(struct probe *p, const struct sweep *s, double x, double *shorter, double *longer)
{
    struct kernel k = {.units = 1};
    struct point pt;

    if (!s->build(p, x, s->context, &k))
        return false;
    k.stretch = fmax(k.stretch, 1) * fmax(s->stretch, 1);
    bool good = probe_measure(p, &k, &pt);
    *shorter = pt.q20;
    k.stretch *= LONGER;
    good = good && probe_measure(p, &k, &pt);
    *longer = pt.q20;
    return good;
}

/* Whether that step is of the readings, seen twice: somebody else may have run during one of so few. */
static bool ask_step(struct probe *p, const struct tlb *t, const struct sweep *s, const struct knee *k,
                     bool *of_readings)
{
    *of_readings = true;
    for (unsigned n = 0; n < 2 && *of_readings; n++) {
        double low[2] = {NAN, NAN}, high[2] = {NAN, NAN};
        if (!measure_both(p, s, k->low, &low[0], &low[1]) || !measure_both(p, s, k->high, &high[0], &high[1]))
            return false;
        const double rise = high[0] - low[0];
        *of_readings = rise > t->resolution * low[0] && high[1] - low[1] < rise / 2;
    }
    return true;
}

/* Whether any step is of the readings. At smoke they cannot be made longer. What comes after draws as if nobody had asked. */
static bool ask_steps(struct probe *p, const struct tlb *t, const struct sweep *s, bool *of_readings)
{
    const struct verdict *v = &s->search.verdict;
    const uint64_t random = p->random;
    bool good = true;

    *of_readings = false;
    for (size_t i = 0; i < v->count && good && !*of_readings && probe_smoke(p, 0, 1) > 0; i++)
        good = ask_step(p, t, s, &v->knees[i], of_readings);
    p->random = random;
    return good;
}

/* The first stretch, again with longer readings where a step is of theirs; *stretch is how many times longer they were. */
static bool search_near(struct probe *p, const struct tlb *t, struct stretch *near, const struct sweep *experiments,
                        size_t count, double *stretch)
{
    bool again = true;

    for (*stretch = fmax(t->stretch, 1); again; *stretch *= again ? LONGER : 1) {
        if (!search(p, t, near, experiments, count, t->fewest, t->middle, *stretch) ||
            !ask_steps(p, t, near->sweep, &again))
            return false;
        again = again && *stretch < LONGEST; /* steps that still shrink then are none of so short readings */
        if (again)
            sweeps_free(near->sweep, near->count);
    }
    return true;
}

bool tlb_levels(struct probe *p, const struct tlb *t, const struct sweep *experiments, size_t count,
                struct tlb_first *first)
{
    enum { APART = 2 }; /* the next level is larger by more than this factor */
    struct stretch near = {.count = 0}, far = {.count = 0}, same = {.count = 0};
    const struct verdict *v = &near.sweep->search.verdict;
    char proof[PROOF_TEXT] = "";
    double stretch = 1;
    bool good = search_near(p, t, &near, experiments, count, &stretch);

    if (good && v->count)
        good = proof_of_knee(p, near.sweep, 0, t->needs, proof) &&
               (t->most <= t->middle || search(p, t, &far, experiments, count,
                                               floor(APART * v->knees[v->count - 1].value), t->most, t->stretch));
    if (good && t->same_order)
        good = search(p, t, &same, t->same_order, 1, t->fewest, t->middle, stretch);
    if (good)
        report_stretches(p, t, &near, &far, proof, same.count ? &same.sweep->search.verdict : NULL);
    *first = (struct tlb_first){NAN, NAN, stretch};
    if (good && v->count)
        *first = (struct tlb_first){v->knees[0].value, find_difference(v, 0, v, 1), stretch};
    sweeps_free(near.sweep, near.count);
    sweeps_free(far.sweep, far.count);
    sweeps_free(same.sweep, same.count);
    return good;
}

/* ---- Sets --------------------------------------------------------------------------------------- */

/* The bits that choose a set: from the lowest one on as many as there are sets. */
static void report_index(struct probe *p, const struct tlb *t, const struct family_level *l, double entries)
{
    static const double ALIKE = 0.02; /* as capacities agree in lib/find.h */
    char bits[32] = "";
    unsigned low = 0, count = 0;
    struct finding f = finding_of(t, t->index_bits, 1);

    f.reason = l->ways.reason ? l->ways.reason : l->reason;
    f.method = "sets are entries by ways; counts halve behind the lowest bit";
    if (!isnan(l->value) && fabs(l->value - entries) > fmax(1, ALIKE * entries)) {
        f.reason = "spacings hold other counts than the level does";
    } else if (!isnan(l->index_spacing) && !isnan(l->ways.value) && !isnan(l->value)) {
        while ((double)((size_t)1 << low) < l->index_spacing * (double)t->page_bytes)
            low++;
        while (l->ways.value * (double)((size_t)1 << count) < l->value)
            count++;
        if (!(l->ways.value * (double)((size_t)1 << count) > l->value)) { /* as many as a power of two */
            f.value = count;
            f.grade = l->grade > l->ways.grade ? l->grade : l->ways.grade;
            f.reason = NULL;
            snprintf(bits, sizeof bits, "VA[%u:%u]", low + count - 1, low);
            f.remarks[0].key = "bits";
            f.remarks[0].text = bits;
        } else {
            f.reason = "sets-are-no-power-of-two";
        }
    }
    report(p, &f);
}

/*
 * All of it one set: as many are held however far apart they are, over a factor of 16 at least, and one more is too many
 * for all of them at once. A hash of the address would fill sets unevenly, which then overflow one by one (lib/family.h).
 */
static bool is_one_set(const struct family *f, const struct family_level *l)
{
    static const double FACTOR = 16;
    double closest = 0, farthest = 0;

    for (size_t i = 0; i < f->count; i++) {
        const struct family_member *m = &f->members[i];
        if (l->at[i].role == FAMILY_UNDECIDED || l->at[i].role == FAMILY_SHORT)
            continue; /* by what else such pages fill: fewer, and not half as many */
        if (l->at[i].role != FAMILY_REACHES)
            return false;
        const struct knee *k = &m->verdict->knees[l->at[i].level];
        if (k->ramp || k->high - k->low > f->step)
            return false;
        closest = closest > 0 ? closest : m->spacing;
        farthest = m->spacing;
    }
    return !isnan(l->value) && closest > 0 && farthest >= FACTOR * closest;
}

static void report_one_set(struct probe *p, const struct tlb *t, const struct family_level *l)
{
    struct finding f = finding_of(t, t->ways, 1);

    f.value = l->value;
    f.low = l->low;
    f.high = l->high;
    f.grade = 'B'; /* that it is no hash is what the shape of the edge says */
    f.method = "as many however far apart, and one more is too many for all: one set";
    report(p, &f);
    f.name = t->index_bits;
    f.value = 0;
    f.low = f.high = (double)NAN;
    report(p, &f);
}

/* So much less than any of them rises when pages miss: neither that nor what else these pages cost is another level. */
static double least_rise(const struct sweep *s, size_t count)
{
    static const double PART = 0.25;
    double least = (double)NAN;

    for (size_t i = 0; i < count; i++)
        if (s[i].search.verdict.count)
            least = fmin(least, s[i].search.verdict.knees[0].after - s[i].search.verdict.knees[0].before);
    return isnan(least) ? 0 : PART * least;
}

bool tlb_sets(struct probe *p, const struct tlb *t, struct sweep spacings[TLB_SPACINGS], double entries)
{
    enum { AROUND = 4 }; /* from a part of what is expected if it halves to a multiple of what if it does not */
    struct family_member members[TLB_SPACINGS];
    struct family_verdict v;
    size_t count = 0;
    bool good = true;

    for (; count < TLB_SPACINGS && good; count++) {
        struct sweep *s = &spacings[count];
        const double spacing = (double)((size_t)1 << count);
        s->search = tlb_search(p, t, fmax(t->fewest, floor(entries / (AROUND * spacing))),
                               floor(fmin(AROUND * entries, fmax(t->room, t->most) / spacing)));
        s->seconds = t->seconds_apart;
        s->stretch = t->stretch;
        members[count] = (struct family_member){s->name, spacing, &s->search.verdict};
        good = sweep_search(p, s);
    }
    if (good) {
        const struct finding ways = finding_of(t, t->ways, 1);
        /* as many lines of as few caches as before, whatever the spacing */
        const struct family family = {.members = members,
                                      .count = count,
                                      .step = 1,
                                      .closest = 1,
                                      .footprints = {INFINITY},
                                      .same = least_rise(spacings, count)};
        family_decide(&family, &v);
        if (v.level_count && is_one_set(&family, &v.levels[0])) {
            report_one_set(p, t, &v.levels[0]);
        } else {
            find_family_ways(p, &ways, &family, &v, 0);
            if (!v.level_count)
                v.levels[0] = (struct family_level){.value = NAN, .index_spacing = NAN, .reason = v.reason};
            report_index(p, t, &v.levels[0], entries);
        }
    }
    sweeps_free(spacings, count);
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

const char *tlb_declared(unsigned level, const char *page, const char *other, bool stores)
{
    const struct machine_info *m = machine_info();
    bool one = false, two = false, both = false;

    for (size_t i = 0; i < m->tlb_count; i++) {
        const struct identity_tlb *t = &m->tlbs[i];
        if (t->level != level || !(t->holds & HOLDS_DATA) || !t->array)
            continue;
        const bool first = t->loads && !strcmp(t->page, page);
        one |= first;
        two |= (stores ? t->stores : t->loads) && !strcmp(t->page, other);
        for (size_t j = 0; j < m->tlb_count && first; j++)
            both |= m->tlbs[j].array == t->array && (!stores || t->stores) && !strcmp(m->tlbs[j].page, other);
    }
    return both ? "shared" : one && two ? "separate" : NULL;
}
