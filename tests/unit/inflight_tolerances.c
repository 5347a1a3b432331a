/* The thresholds of lib/structure/tolerances_inflight.h, each at work, on cores whose limits the test sets. */
/* link: tests/unit/inflight/core.c tests/unit/structure/profile.c */
#include "tests/unit/inflight/core.h"

#include "lib/structure/entry_packing.h"
#include "lib/structure/entry_positions.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/inflight_targets.h"
#include "lib/structure/register_sharing.h"
#include "lib/structure/renames_in_flight.h"
#include "lib/structure/sharing.h"
#include "lib/structure/waiting.h"

static double fits; /* how many fillers fit, whatever the experiment is */

static double as_set(const struct inflight_experiment *e)
{
    (void)e;
    return fits;
}

/* ---- Which long-latency operations are usable ------------------------------------------------------ */

static struct inflight start(double chained)
{
    struct inflight l;

    fake = core_of(NULL);
    fake.chained = chained;
    assert_true(inflight_start(&fake_probe, &l));
    return l;
}

/* OVERLAP_RATIO, MISS_OVERLAP_RATIO: of two overlapping misses of varying latency the longer one counts. */
static void operations_overlap_if_a_chain_of_both_takes_clearly_longer(void **state)
{
    (void)state;
    const struct inflight twice = start(2 * 100), third_more = start(4 * 100 / 3.0), alike = start(100);

    for (enum long_op kind = 0; kind < LONG_OPS; kind++) {
        assert_int_equal(twice.unusable[kind], REASON_NONE);
        assert_int_equal(third_more.unusable[kind], kind == LONG_OP_MISS ? REASON_NONE : REASON_NO_OVERLAP);
        assert_int_equal(alike.unusable[kind], REASON_NO_OVERLAP);
    }
}

/* ---- What has retired of a chain ------------------------------------------------------------------- */

/* Chains of 20 steps of 10 cycles each, with 30 cycles around them, of which the second begins 50 cycles later. */
static void chains_that_overlap_in_part_have_retired_some_steps(void **state)
{
    struct inflight l = fake_inflight;
    struct inflight_experiment e = {.inflight = &l, .first = LONG_OP_ARITHMETIC, .second = LONG_OP_ARITHMETIC};
    struct sweep s = {.context = &e};

    (void)state;
    fake = core_of(as_set);
    fits = 100;
    l.steps[LONG_OP_ARITHMETIC] = 20;
    l.chained[LONG_OP_ARITHMETIC] = 430;
    l.around = 30;
    l.independent[LONG_OP_ARITHMETIC] = 230 + 50;
    fake.before = 230 + 50;
    assert_true(inflight_search(&fake_probe, &e, &s));
    assert_true(fabs(e.retired - 5) < 1e-9);
    /* a control that takes less than a step longer is noise */
    l.independent[LONG_OP_ARITHMETIC] = fake.before = 230 + 5;
    assert_true(inflight_search(&fake_probe, &e, &s));
    assert_true(fabs(e.retired) < 1e-9);
}

/* ---- Branches in flight ---------------------------------------------------------------------------- */

static double beyond_128; /* cycles in which each of more than 128 branches is delivered */

static double delivered(double fillers)
{
    return 10 + fmin(fillers, 128) + beyond_128 * fmax(fillers - 128, 0);
}

static double range_of_branches(double cycles)
{
    struct inflight_request q = {.inflight = &fake_inflight, .fillers = {"branch"}, .to = 256, .limit = 1024};

    fake = core_of(as_set);
    fake.delivery = delivered;
    beyond_128 = cycles;
    assert_true(inflight_targets_range(&fake_probe, &q));
    assert_true(q.to <= q.limit);
    return q.to;
}

/* DELIVERY_SLOWER */
static void branches_are_too_many_where_each_takes_several_times_as_long(void **state)
{
    (void)state;
    assert_true(fabs(range_of_branches(5) - 128) < 1e-9);
    assert_true(fabs(range_of_branches(2) - 256) < 1e-9);
}

static void a_knee_that_branches_alone_show_is_not_reported(void **state)
{
    const struct inflight_experiment e = {.inflight = &fake_inflight, .fillers = {inflight_filler("branch")}};
    struct verdict v = knee_at(128), other = knee_at(60);

    (void)state;
    fake = core_of(as_set);
    fake.delivery = delivered;
    beyond_128 = 20;
    fits = 128;
    assert_true(inflight_targets_reject(&fake_probe, NULL, &e, &v) && v.reason == REASON_MASKED_BY_BTB);
    fits = 60;
    assert_true(inflight_targets_reject(&fake_probe, NULL, &e, &other) && other.reason == REASON_NONE);
}

/* ---- Whether an iteration is slow ------------------------------------------------------------------ */

static const struct inflight_experiment plain = {.inflight = &fake_inflight};

/* SLOW_RATIO */
static void a_second_latency_is_a_rise_and_a_few_cycles_are_none(void **state)
{
    double count;

    (void)state;
    fake = core_of(as_set);
    fits = 100;
    assert_true(inflight_bisect(&fake_probe, &plain, 4, 200, 1, &count));
    assert_true(count == 100);
    fake.slow = 1.05 * fake.few;
    assert_true(inflight_bisect(&fake_probe, &plain, 4, 200, 1, &count));
    assert_true(isnan(count));
}

/* BEYOND_FITTING: where each filler takes a cycle to deliver, 300 take longer than what does not overlap. */
static void what_fits_is_searched_for_again_close_to_the_edge(void **state)
{
    double count;

    (void)state;
    fake = core_of(as_set);
    fake.per_filler = 1;
    fits = 100;
    assert_true(inflight_count(&fake_probe, &plain, 300, &count));
    assert_true(count >= 98 && count <= 100);
}

/* COUNT_RESOLUTION */
static void one_in_a_hundred_is_how_well_a_count_is_known(void **state)
{
    double count;

    (void)state;
    fake = core_of(as_set);
    for (fits = 300; fits < 500; fits += 7) {
        assert_true(inflight_count(&fake_probe, &plain, fits, &count));
        assert_true(count <= fits && count > fits * (1 - 0.013));
    }
}

/* ---- Whether two limits are one -------------------------------------------------------------------- */

/* SAME_LIMIT: one part in a hundred may be the resolution of curves, one in thirty is not. */
static void large_limits_are_the_same_within_the_resolution_of_curves(void **state)
{
    (void)state;
    assert_true(inflight_same(1010, 1000));
    assert_false(inflight_same(1033, 1000));
    assert_false(inflight_same(967, 1000));
}

/* SAME_LIMIT_COUNT: the rest of a chain may be wrong by two operations, and is not by six. */
static void small_limits_are_the_same_within_two_operations(void **state)
{
    (void)state;
    assert_true(inflight_same(40, 42) && inflight_same(42, 40));
    assert_false(inflight_same(40, 46));
}

/* ALIKE_COUNTS, ALIKE_COUNTS_MORE: a blurred edge takes 3 %, operations another two or three. */
static void counts_behind_others_are_alike_within_what_blurs_them(void **state)
{
    (void)state;
    assert_true(sharing_all_fit(0, 400, 400 - 12 - 2));
    assert_false(sharing_all_fit(0, 400, 400 - 24));
    assert_true(sharing_all_fit(0, 40, 40 - 3));
    assert_false(sharing_all_fit(0, 40, 40 - 7));
}

/* ALL_OFF: groups of twelve do not make two thirds of 40 all of them. */
static void large_groups_leave_half_and_all_distinct(void **state)
{
    (void)state;
    assert_true(sharing_all_fit(12, 40, 31));
    assert_false(sharing_all_fit(12, 40, 27));
}

/* A result of one experiment with misses. */
static struct inflight_result result_at(struct verdict *v, double value)
{
    *v = knee_at(value);
    return (struct inflight_result){
        .runs = {plain}, .sweeps = {{.search.verdict = *v}}, .experiments = {{.verdict = v}}, .count = 1};
}

/* PER_ENTRY_MOST: seven instructions share an entry on Apple M1, twelve on no known core. */
static void what_ends_at_a_seventh_of_the_nops_may_be_entries(void **state)
{
    struct inflight_limits l;
    struct verdict v;

    (void)state;
    known("backend.rob.instructions", "filler=nop", 7 * 256);
    known("backend.rob.instructions", "filler=pairs", 5 * 256);
    known("backend.rob.instructions", "filler=registers", 300);
    known("backend.rob.group", "", 1);
    assert_true(inflight_find_limits(&fake_probe, &fake_inflight, &l));
    struct inflight_result seventh = result_at(&v, 256 - 2); /* two misses have an entry each */
    assert_int_equal(inflight_masked_by_rob(&l, &seventh), REASON_MASKED_BY_ROB);
    struct inflight_result twelfth = result_at(&v, 7 * 256 / 12.0 - 2);
    assert_int_equal(inflight_masked_by_rob(&l, &twelfth), REASON_NONE);
    forget();
}

/* Where as many pairs of accesses with NOPs are in flight as NOPs, none share an entry, also if its number is not known. */
static void what_ends_at_half_of_the_nops_is_no_entry_where_none_share_one(void **state)
{
    struct inflight_limits l;
    struct verdict v;

    (void)state;
    known("backend.rob.instructions", "filler=nop", 96);
    known("backend.rob.instructions", "filler=pairs", 96);
    known("backend.rob.instructions", "filler=registers", 96);
    known("backend.rob.group", "", 1);
    assert_true(inflight_find_limits(&fake_probe, &fake_inflight, &l));
    struct inflight_result half = result_at(&v, 96 / 2 - 2);
    assert_int_equal(inflight_masked_by_rob(&l, &half), REASON_NONE);
    struct inflight_result all = result_at(&v, 96 - 2);
    assert_int_equal(inflight_masked_by_rob(&l, &all), REASON_MASKED_BY_ROB);
    forget();
}

/* By chance the chain of one experiment ends with the reorder buffer; misses, which do not, show as many entries. */
static void an_end_with_the_buffer_by_chance_masks_nothing_that_another_experiment_shows(void **state)
{
    static const struct {
        double misses, arithmetic; /* fillers */
        enum reason reason;
    } ends[] = {{132, 134, REASON_NONE}, {132, 138, REASON_MASKED_BY_ROB}, {155 - 2, 155, REASON_MASKED_BY_ROB}};
    const struct inflight_limits l = {.nops = 155, .nops_per_entry = 1, .per_entry = 1, .group = 1};
    const struct inflight chain = {.steps = {[LONG_OP_ARITHMETIC] = 20}};
    struct inflight_experiment arithmetic = plain;

    (void)state;
    arithmetic.inflight = &chain;
    arithmetic.first = arithmetic.second = LONG_OP_ARITHMETIC;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct inflight_result both = {.runs = {plain, arithmetic}, .experiments = {{.holds = 2}}, .count = 2};
        both.sweeps[0].search.verdict = knee_at(ends[i].misses);
        both.sweeps[1].search.verdict = knee_at(ends[i].arithmetic);
        for (size_t k = 0; k < both.count; k++)
            both.experiments[k].verdict = &both.sweeps[k].search.verdict;
        assert_int_equal(inflight_masked_by_rob(&l, &both), ends[i].reason);
    }
}

/* LONE_RAMP_MOST: six a cycle, eight fillers are delivered in more than one cycle and three are not. */
static void one_ramp_alone_counts_if_its_fillers_are_delivered_in_a_cycle(void **state)
{
    static const struct finding f = {.name = "fake.entries"};

    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        struct verdict v = knee_at(60);
        const struct experiment e = {.name = "one", .confounder = "loads", .verdict = &v};
        v.knees[0].ramp = true;
        v.knees[0].end = 60 + (wide ? 8 : 3);
        inflight_report(&fake_probe, &f, &e, 1, 1, 1);
        assert_int_equal(reported.reason, wide ? REASON_RAMP_OF_ONE : REASON_NONE);
        assert_int_equal(reported.grade, wide ? 'U' : 'C');
    }
}

/* ---- Sharing --------------------------------------------------------------------------------------- */

static double taken; /* entries of 200 that each filler of the other class takes */

static double behind_others(const struct inflight_experiment *e)
{
    return 200 - taken * e->head_count;
}

static const char *sharing_where(double part)
{
    struct sharing s = {.a = "int64",
                        .b = "v128",
                        .about = {200, 200},
                        .trials = {{.first = LONG_OP_MISS, .second = LONG_OP_MISS}},
                        .count = 1};

    fake = core_of(behind_others);
    taken = part;
    assert_true(sharing_find(&fake_probe, &fake_inflight, &s, 0));
    return s.text;
}

/* HALF_OFF */
static void one_structure_is_shared_if_nearly_all_of_it_is(void **state)
{
    (void)state;
    assert_string_equal(sharing_where(1), "shared");
    assert_string_equal(sharing_where(0.88), "shared");
    assert_string_equal(sharing_where(0.7), "overlapping");
    assert_string_equal(sharing_where(0), "separate");
}

/* HALVES_PER_WHOLE_OFF */
static void halves_are_one_or_two_to_a_register(void **state)
{
    static const struct {
        double halves;
        const char *text;
    } cases[] = {{200, "whole"}, {190, "whole"}, {212, "whole"}, {240, NULL}, {360, NULL}, {388, "packed"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sharing s = {.text = "shared", .trials = {{.alone = {200, cases[i].halves}}}, .count = 1};
        const char *text = register_sharing_halves(&s);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
        else
            assert_null(text);
    }
}

/* ---- Schedulers ------------------------------------------------------------------------------------ */

/* Why 96 operations that do not wait do not fit either, where another structure holds so many. */
static enum reason reason_beside(double limit)
{
    const struct waiting_class c = {.name = "fake",
                                    .filler = "int64",
                                    .experiments = {{.first = LONG_OP_MISS, .second = LONG_OP_MISS}},
                                    .count = 1,
                                    .limit = {.name = "backend.registers.entries", .variants = "", .per_unit = 1},
                                    .masked = REASON_MASKED_BY_REGISTERS};
    struct waiting w[WAITING_EXPERIMENTS];
    bool occupied = false;

    fake = core_of(as_set);
    fits = 96;
    known("backend.registers.entries", "", limit);
    assert_true(waiting_measure(&fake_probe, &fake_inflight, &c, w, &occupied));
    forget();
    return w[0].result.experiments[0].verdict->reason;
}

/* WAITING_STEP: the load that is waited for and the second operation hold an entry each. */
static void another_structure_is_full_within_two_entries(void **state)
{
    (void)state;
    assert_int_equal(reason_beside(98), REASON_MASKED_BY_REGISTERS);
    assert_int_equal(reason_beside(101), REASON_MASKED_BY_COMMON_LIMIT);
}

/* ---- Reorder buffer -------------------------------------------------------------------------------- */

/* Sequences of one experiment each. */
struct sequences {
    struct packing_found all[PACKING_SEQUENCES];
    struct packing_sequence kinds[PACKING_SEQUENCES];
    struct inflight_result results[PACKING_SEQUENCES];
    struct verdict verdicts[PACKING_SEQUENCES];
};

/* So many instructions of that sequence fit; NaN: nothing was measured. */
static void set_sequence(struct sequences *s, size_t i, enum packing_use use, unsigned every, double instructions)
{
    static const char *const names[PACKING_SEQUENCES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

    s->kinds[i] = (struct packing_sequence){.name = names[i], .confounder = names[i], .use = use, .every = every};
    s->results[i] = result_at(&s->verdicts[i], instructions);
    s->results[i].experiments[0].name = s->results[i].experiments[0].confounder = names[i];
    if (isnan(instructions))
        s->results[i].count = 0;
    s->all[i] = (struct packing_found){.sequence = &s->kinds[i], .result = &s->results[i]};
}

static void clear_sequences(struct sequences *s)
{
    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        set_sequence(s, i, PACKING_MIXTURE, 0, (double)NAN);
}

/* 90 entries by dilution, and so many NOPs. */
static struct packing diluted(double nops)
{
    static struct sequences s;

    clear_sequences(&s);
    for (unsigned every = 2; every <= 4; every++)
        set_sequence(&s, every, PACKING_DILUTED, every, 90 * every);
    set_sequence(&s, 0, PACKING_NOPS, 0, nops);
    return packing_decide(s.all);
}

/* WHOLE_PER_ENTRY */
static void entries_hold_a_whole_number_of_instructions(void **state)
{
    (void)state;
    assert_int_equal(diluted(90 * 7.1).reason, REASON_NONE);
    assert_true(diluted(90 * 7.1).per_entry == 7);
    assert_int_equal(diluted(90 * 7.35).reason, REASON_PACKING_UNKNOWN);
}

/* 300 instructions of each of three kinds, and so many NOPs. */
static enum reason reason_of_kinds(double nops)
{
    static struct sequences s;

    clear_sequences(&s);
    for (size_t i = 0; i < 3; i++)
        set_sequence(&s, i, PACKING_KIND, 0, 300);
    set_sequence(&s, 3, PACKING_NOPS, 0, nops);
    return packing_decide(s.all).reason;
}

/* PACKED_RATIO */
static void nops_are_packed_if_twice_as_many_fit(void **state)
{
    (void)state;
    assert_int_equal(reason_of_kinds(4 * 300), REASON_NONE);
    assert_int_equal(reason_of_kinds(2 * 300 - 10), REASON_NONE);
    assert_int_equal(reason_of_kinds(1.5 * 300), REASON_PACKING_UNKNOWN);
}

static double missing; /* part of what is missing if a NOP is left over in each repetition */

/* Of 98 entries of four instructions each; behind each access there are NOPs for two or three entries. */
static double with_nops_behind(const struct inflight_experiment *e)
{
    const double nops = e->nops[0], left_over = 98 * (nops + 1) / (nops / 4 + 1);

    return 98 * 4 - missing * (98 * 4 - left_over);
}

/* FULL_OR_NOT */
static void entries_are_full_or_one_nop_is_left_over(void **state)
{
    static const struct {
        double missing;
        const char *accesses;
    } cases[] = {{0, "anywhere"}, {0.15, "anywhere"}, {0.4, NULL}};
    struct entry_positions out;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake = core_of(with_nops_behind);
        missing = cases[i].missing;
        assert_true(entry_positions_find(&fake_probe, &fake_inflight, 100, 4, &out));
        assert_int_equal(!out.accesses, !cases[i].accesses);
        if (cases[i].accesses)
            assert_string_equal(out.accesses, cases[i].accesses);
    }
}

/* ---- Renames in flight ----------------------------------------------------------------------------- */

/*
 * Reports renames where that many writers fit, whatever NOPs are before them, of a reorder buffer of 512 instructions
 * and two files with so many registers each. Returns how many there are, NaN where they are not the limit.
 */
static double renames_of(double writers, double registers)
{
    const struct inflight_limits l = {.inflight = &fake_inflight,
                                      .nops = 512,
                                      .writers = writers,
                                      .writers_at_least = writers,
                                      .nops_per_entry = 1,
                                      .per_entry = 1,
                                      .group = 1};
    const struct renames_class class = {.registers = registers, .total = registers + 2};
    double renames;

    fake = core_of(as_set);
    fits = writers;
    assert_true(renames_find(&fake_probe, &l, class, class, &renames));
    return renames;
}

/* FILES_END_LATER */
static void renames_end_well_before_both_files_do(void **state)
{
    (void)state;
    assert_true(renames_of(320, 192) == 320);
    assert_true(isnan(renames_of(368, 192)));
    assert_int_equal(reported.reason, REASON_MASKED_BY_REGISTERS);
}

/* NOPS_TAKE_LEAST: beside 380 writers there is room for 66 NOPs, 13 % of the buffer; beside 440 for 36, or 7 %. */
static void too_few_nops_do_not_show_whether_they_take_room(void **state)
{
    (void)state;
    assert_true(renames_of(380, 400) == 380);
    assert_true(isnan(renames_of(440, 400)));
    assert_int_equal(reported.reason, REASON_AMBIGUOUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_overlap_if_a_chain_of_both_takes_clearly_longer),
        cmocka_unit_test(chains_that_overlap_in_part_have_retired_some_steps),
        cmocka_unit_test(branches_are_too_many_where_each_takes_several_times_as_long),
        cmocka_unit_test(a_knee_that_branches_alone_show_is_not_reported),
        cmocka_unit_test(a_second_latency_is_a_rise_and_a_few_cycles_are_none),
        cmocka_unit_test(what_fits_is_searched_for_again_close_to_the_edge),
        cmocka_unit_test(one_in_a_hundred_is_how_well_a_count_is_known),
        cmocka_unit_test(large_limits_are_the_same_within_the_resolution_of_curves),
        cmocka_unit_test(small_limits_are_the_same_within_two_operations),
        cmocka_unit_test(counts_behind_others_are_alike_within_what_blurs_them),
        cmocka_unit_test(large_groups_leave_half_and_all_distinct),
        cmocka_unit_test(what_ends_at_a_seventh_of_the_nops_may_be_entries),
        cmocka_unit_test(what_ends_at_half_of_the_nops_is_no_entry_where_none_share_one),
        cmocka_unit_test(an_end_with_the_buffer_by_chance_masks_nothing_that_another_experiment_shows),
        cmocka_unit_test(one_ramp_alone_counts_if_its_fillers_are_delivered_in_a_cycle),
        cmocka_unit_test(one_structure_is_shared_if_nearly_all_of_it_is),
        cmocka_unit_test(halves_are_one_or_two_to_a_register),
        cmocka_unit_test(another_structure_is_full_within_two_entries),
        cmocka_unit_test(entries_hold_a_whole_number_of_instructions),
        cmocka_unit_test(nops_are_packed_if_twice_as_many_fit),
        cmocka_unit_test(entries_are_full_or_one_nop_is_left_over),
        cmocka_unit_test(renames_end_well_before_both_files_do),
        cmocka_unit_test(too_few_nops_do_not_show_whether_they_take_room),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
