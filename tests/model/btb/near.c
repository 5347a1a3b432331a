/*
 * Organisations of first levels that hold few branches: random ones are looked up branch by branch in chains as they
 * are emitted (lib/kernels/branch_chain.h), whose last branch is the loop's. lib/structure/btb_fit.c, with the
 * sequences that the probe btb gives it, has to report how the first level is organised, or that several organisations
 * are possible.
 *
 * LONG=1 draws many with a seed from the clock, which is printed. BTB_SEED=n BTB_CASE=k shows one case.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/btb_fit.h"
#include "tests/model/curves/noise.h"
#include "tests/model/targets.h"

enum { FEW = 3, MANY = 100, ASKED = 80, STRIDES = 5, LEVELS = 2, WARM = 4, TURNS = 2, PER_OCTAVE = 4 };

struct scene {
    struct target_design levels[LEVELS];
    double redirect, loop_cycles, noise;
    bool later; /* another branch is executed before, which the loop's may share an entry with */
    unsigned alignment;
    uint64_t random;
};

/* ---- Drawing -------------------------------------------------------------------------------------------- */

static bool one_in(uint64_t *random, unsigned of)
{
    return random_below(random, of) == 0;
}

static unsigned pick_from(uint64_t *random, unsigned from, unsigned to)
{
    return from + (unsigned)random_below(random, to - from + 1);
}

static struct scene draw(uint64_t seed, uint64_t number)
{
    struct scene s = {.random = seed ^ (number + 1) * 0x9fb21c651e98df25};
    uint64_t *r = &s.random;
    struct target_design *few = &s.levels[0];

    s.alignment = one_in(r, 2) ? 4 : 1;
    few->sets = one_in(r, 3) ? 1 : (size_t)1 << pick_from(r, 1, 6);
    few->pairs = one_in(r, 3);
    do
        few->ways = few->sets == 1 ? pick_from(r, 8, 150) : one_in(r, 3) ? 1 : pick_from(r, 2, 7);
    while (few->sets * few->ways * (few->pairs ? 2 : 1) < 12);
    few->low = pick_from(r, 2, 6);
    few->hashed = few->sets > 1 && one_in(r, 3);
    few->cycles = 1;
    s.levels[1] = (struct target_design){.sets = (size_t)128 << pick_from(r, 0, 4),
                                         .ways = pick_from(r, 3, 8),
                                         .low = pick_from(r, 3, 6),
                                         .cycles = pick_from(r, 2, 3)};
    s.redirect = pick_from(r, 6, 14);
    s.loop_cycles = pick_from(r, 0, 1);
    s.noise = one_in(r, 2) ? 0.001 : 0.006;
    return s;
}

/* ---- Measuring ------------------------------------------------------------------------------------------ */

/*
 * Bytes of a page up to the loop's branch, and of a slot up to each other one, as lib/kernels/branch_chain.h has them.
 */
enum { LAST = 20, IN_SLOT = 4 };

static int last_at(enum branch_chain_pattern pattern, unsigned stride)
{
    (void)pattern;
    return -LAST ^ (int)(stride - IN_SLOT);
}

static double cycles_of(struct scene *s, const struct btb_sequence *q)
{
    const uint64_t end = (uint64_t)1 << 40;
    struct targets t[LEVELS];
    double cycles = 0;

    for (size_t i = 0; i < LEVELS; i++)
        t[i] = targets_new(&s->levels[i]);
    if (s->later)
        targets_look_up(&t[0], 1, 1, false);
    for (unsigned turn = 0; turn < WARM + TURNS; turn++)
        for (unsigned n = 0; n < q->count; n++) {
            const bool loop = n == 0, conditional = !loop && q->pattern == BRANCH_CHAIN_COND;
            const uint64_t address = end - 1 + (loop ? LAST : IN_SLOT - (uint64_t)(q->count - n) * q->stride);
            double each = s->redirect;
            for (size_t i = 0; i < LEVELS && s->levels[i].ways; i++)
                if (targets_look_up(&t[i], address, 1, conditional) == TARGET_RIGHT) {
                    each = s->levels[i].cycles;
                    break;
                }
            cycles += turn >= WARM ? each : 0;
        }
    for (size_t i = 0; i < LEVELS; i++)
        targets_free(&t[i]);
    return (cycles / TURNS + s->loop_cycles) / q->count * (1 + s->noise * normal(&s->random));
}

static void add(struct scene *s, struct btb_fit *f, const struct btb_sequence *q, double error)
{
    const double cycles = cycles_of(s, q);

    btb_fit_add(f, q, cycles, error * cycles);
}

static struct btb_limits limits_of(const struct scene *s, unsigned count_to)
{
    return (struct btb_limits){.patterns = 1u << BRANCH_CHAIN_UNCOND | 1u << BRANCH_CHAIN_COND,
                               .stride_from = s->alignment == 4 ? 4 : 8,
                               .stride_to = 256,
                               .count_from = 8,
                               .count_to = count_to,
                               .last_at = last_at,
                               .alignment = s->alignment,
                               .footprints = {INFINITY}};
}

static struct btb_fit_result decide(struct scene *s, unsigned count_to)
{
    const struct btb_limits limits = limits_of(s, count_to);
    struct btb_fit *f = btb_fit_start(&limits);
    struct btb_sequence next;

    assert_non_null(f);
    for (unsigned p = 0; p <= BRANCH_CHAIN_COND; p++)
        for (unsigned stride = limits.stride_from; stride < limits.stride_from << STRIDES; stride *= 2)
            for (double x = limits.count_from; x <= count_to; x *= pow(2, 1.0 / PER_OCTAVE))
                if ((unsigned)x % 2 == 0)
                    add(s, f, &(struct btb_sequence){(enum branch_chain_pattern)p, stride, (unsigned)x, 0}, 0.01);
    btb_fit_decide(f);
    for (unsigned i = 0; i < ASKED && btb_fit_next(f, &next); i++)
        add(s, f, &next, 0.02);
    const struct btb_fit_result r = *btb_fit_decide(f);
    btb_fit_free(f);
    return r;
}

/* ---- Contents ------------------------------------------------------------------------------------------- */

/* The number of an organisation in the space. */
static size_t number_of(const struct btb_space *space, const struct btb_organisation *o)
{
    for (size_t i = 0; i < space->count; i++) {
        const struct btb_organisation is = btb_space_organisation(space, i);
        if (is.ways == o->ways && is.entry == o->entry && is.index.set_bits == o->index.set_bits &&
            (!o->index.set_bits || (is.index.low == o->index.low && is.index.folded == o->index.folded)))
            return i;
    }
    fail_msg("the space has no such organisation");
    return 0;
}

/*
 * Of each chain the part that is looked up and found is the part that the space of organisations foresees; where two
 * branches share an entry it is in the range that is foreseen, whichever of them is the first.
 */
static void what_is_found_of_a_chain_is_foreseen(void **state)
{
    enum { SCENES = 400, CHAINS = 20 };
    const struct btb_space space = btb_space(1, false);
    struct btb_part *parts = calloc(space.count, sizeof *parts);
    unsigned ranges = 0;

    (void)state;
    assert_non_null(parts);
    for (uint64_t i = 0; i < SCENES; i++) {
        struct scene s = draw(1, i);
        struct target_design *t = &s.levels[0];
        const struct btb_organisation o = {
            .index = {.low = t->low, .set_bits = (unsigned)__builtin_ctzll(t->sets), .folded = t->hashed},
            .ways = (unsigned)t->ways,
            .entry = t->pairs ? BTB_UNCOND_NEXT : BTB_SINGLE,
            .per_entry = t->pairs ? 2 : 1};
        /* each branch that is found takes 1 cycle, and each other one 2 */
        s.levels[1].ways = 0;
        s.loop_cycles = s.noise = 0;
        s.redirect = 2;
        const size_t number = number_of(&space, &o);
        for (unsigned k = 0; k < CHAINS; k++) {
            struct btb_sequence q = {.pattern = one_in(&s.random, 2) ? BRANCH_CHAIN_UNCOND : BRANCH_CHAIN_COND,
                                     .stride = 4U << pick_from(&s.random, 1, 6),
                                     .count = pick_from(&s.random, 8, 400)};
            q.last_at = last_at(q.pattern, q.stride);
            const double found = 2 - cycles_of(&s, &q), foreseen = btb_organisation_resident(&o, &q);
            if (fabs(found - foreseen) > 1e-9)
                fail_msg(
                    "%zu ways of %zu sets from bit %u%s%s: pattern %u, %u branches %u bytes apart: %g, foreseen %g",
                    t->ways, t->sets, t->low, t->hashed ? ", hashed" : "", t->pairs ? ", pairs" : "", q.pattern,
                    q.count, q.stride, found * q.count, foreseen * q.count);
            if (k > 0 || !t->pairs)
                continue; /* the whole space takes long */
            s.later = true;
            const double later = 2 - cycles_of(&s, &q);
            s.later = false;
            btb_space_predict(&space, &q, parts);
            const double least = (double)parts[number].least / BTB_WHOLE, most = (double)parts[number].most / BTB_WHOLE;
            ranges += least < most;
            assert_true(fabs(fmin(found, later) - least) < 1e-4 && fabs(fmax(found, later) - most) < 1e-4);
        }
    }
    assert_true(ranges > 0);
    free(parts);
}

/* ---- Scores --------------------------------------------------------------------------------------------- */

static struct {
    unsigned scenes, ways, sets, index, per_entry, all, wrong, missing;
} score;

static bool is_it(const struct btb_organisation *o, const struct target_design *t)
{
    return o->index.set_bits == (unsigned)__builtin_ctzll(t->sets) && o->ways <= t->ways && t->ways < o->ways_end &&
           (t->sets == 1 || (o->index.low == t->low && o->index.folded == t->hashed)) &&
           (t->pairs ? o->entry == BTB_UNCOND_NEXT : o->entry == BTB_SINGLE);
}

static bool run_case(uint64_t seed, uint64_t number, bool shows)
{
    struct scene s = draw(seed, number);
    const struct target_design *t = &s.levels[0];
    const clock_t start = clock();
    const struct btb_fit_result r = decide(
        &s, (unsigned)fmin(1024, 4.0 * (double)(t->sets * t->ways * (t->pairs ? 2 : 1))));
    const struct btb_fit_level *l = &r.levels[0];
    const struct btb_organisation *o = &l->shown[0];
    const bool decided = !r.reason;
    bool among = !decided;

    for (size_t i = 0; decided && i < l->count && i < BTB_FIT_SHOWN; i++)
        among |= is_it(&l->shown[i], t);
    const bool wrong = decided && ((l->same_ways && (t->ways < o->ways || t->ways >= o->ways_end)) ||
                                   (l->same_sets && (size_t)1 << o->index.set_bits != t->sets) ||
                                   (l->same_per_entry && o->per_entry != (t->pairs ? 2 : 1)));
    score.scenes++;
    score.wrong += wrong;
    score.missing += !among && l->count <= BTB_FIT_SHOWN;
    score.ways += decided && l->same_ways;
    score.sets += decided && l->same_sets;
    score.index += decided && l->same_index;
    score.per_entry += decided && l->same_per_entry;
    if (shows || wrong || !among || !(decided && l->same_ways)) {
        printf("# BTB_SEED=%llu BTB_CASE=%llu: %zu ways of %zu sets from bit %u%s%s; then %zu of %zu from %u; %g %g: "
               "%s%s, reason %d, %zu levels, %zu points, %zu challenges, doubtful %d any %d complete %d, %g of %g, "
               "%.1f s\n",
               (unsigned long long)seed, (unsigned long long)number, t->ways, t->sets, t->low,
               t->hashed ? " hashed" : "", t->pairs ? " pairs" : "", s.levels[1].ways, s.levels[1].sets,
               s.levels[1].low, s.levels[1].cycles, s.redirect, wrong ? "WRONG" : "open", among ? "" : " NOT AMONG",
               (int)r.reason, r.level_count, r.points, r.challenges, r.doubtful, r.any_replacement, r.complete,
               r.mismatch, r.expected, (double)(clock() - start) / CLOCKS_PER_SEC);
        for (size_t k = 0; k < r.level_count; k++)
            for (size_t i = 0; i < r.levels[k].count && i < 6; i++) {
                char text[BTB_ORGANISATION_TEXT];
                btb_organisation_text(&r.levels[k].shown[i], text, sizeof text);
                printf("#    level %zu of %zu: %s\n", k, r.levels[k].count, text);
            }
    }
    return !wrong;
}

static void first_levels_of_few_branches(void **state)
{
    const char *seed_text = getenv("BTB_SEED"), *case_text = getenv("BTB_CASE"), *count_text = getenv("BTB_COUNT");
    const bool many = getenv("LONG") != NULL;
    const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : many ? (uint64_t)time(NULL) : 777;
    const uint64_t count = count_text ? strtoull(count_text, NULL, 0) : many ? MANY : FEW;

    (void)state;
    if (case_text) {
        run_case(seed, strtoull(case_text, NULL, 0), true);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        run_case(seed, i, false);
    fflush(stdout);
    printf("# seed %llu: of %u ways %u, sets %u, index %u, branches per entry %u; wrong %u, the truth is missing %u\n",
           (unsigned long long)seed, score.scenes, score.ways, score.sets, score.index, score.per_entry, score.wrong,
           score.missing);
    assert_int_equal(score.wrong, 0);
    assert_int_equal(score.missing, 0);
    assert_true(2 * score.ways >= score.scenes); /* two in three are known */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_found_of_a_chain_is_foreseen),
                                       cmocka_unit_test(first_levels_of_few_branches)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
