/*
 * What is taken back of sequences that are not found again, or whose views contradict each other.
 * link: lib/structure/prefetch_confirm.c lib/structure/prefetch_reach.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lib/structure/prefetch_confirm.h"

enum { LENGTH = 4 };

/* What a look shows, for each further one: lines that are brought, as bits of strides ahead. */
static struct {
    const uint32_t *in; /* by accesses */
    uint32_t unclear;
} now;

bool prefetch_look(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count)
{
    (void)w;
    for (size_t i = 0; i < count; i++)
        lines[i].where = now.unclear >> (i + 1) & 1        ? NEAR_UNCLEAR
                         : now.in[l->count] >> (i + 1) & 1 ? NEAR_FIRST
                                                           : NEAR_HOME;
    return true;
}

enum nearness looked_level(const struct prefetch_look *w, const struct looked *line)
{
    (void)w;
    return line->where;
}

bool probe_is_smoke(const struct probe *p)
{
    (void)p;
    return false;
}

/* A stream that is trained by three accesses, and brings line 1 ahead, then 1 and 2. */
static const uint32_t lines_of_stream[LENGTH + 1] = {[3] = 1 << 1, [4] = 1 << 1 | 1 << 2};

static struct prefetch_kinds stream(void)
{
    struct prefetch_kinds k = {0};
    struct prefetch_found *f = &k.found[PREFETCH_STREAM];

    *f = (struct prefetch_found){.exists = true, .stride = 1, .measured = LENGTH, .first = {1 << 1}};
    for (unsigned n = 2; n <= LENGTH; n++)
        f->in[n] = lines_of_stream[n];
    for (size_t n = 0; n < PREFETCH_PARAMETERS; n++)
        f->numbers[n] = (struct prefetch_number){.view = {NAN, NAN}};
    f->numbers[PREFETCH_TRAIN].view[0] = 3;
    f->numbers[PREFETCH_DEGREE].view[0] = f->numbers[PREFETCH_DISTANCE].view[0] = 1;
    f->words[PREFETCH_HITS].text = "train";
    return k;
}

static struct prefetch_found again(const uint32_t *in, uint32_t unclear)
{
    struct prefetch_kinds k = stream();

    now.in = in;
    now.unclear = unclear;
    assert_true(prefetch_confirm(&k));
    return k.found[PREFETCH_STREAM];
}

static void what_comes_again_stays(void **state)
{
    (void)state;
    const struct prefetch_found f = again(lines_of_stream, 0);
    assert_true(f.numbers[PREFETCH_TRAIN].view[0] == 3 && f.numbers[PREFETCH_DEGREE].view[0] == 1);
    assert_non_null(f.words[PREFETCH_HITS].text);
    assert_int_equal(f.into, NEAR_FIRST);
    assert_false(f.unsteady[3] || f.unsteady[4]);
}

static void other_training_is_taken_back(void **state)
{
    static const uint32_t later[LENGTH + 1] = {[4] = 1 << 1 | 1 << 2}, earlier[LENGTH + 1] = {6, 6, 6, 6, 6};
    (void)state;
    const struct prefetch_found a = again(later, 0), b = again(earlier, 0);
    assert_true(isnan(a.numbers[PREFETCH_TRAIN].view[0]) && isnan(b.numbers[PREFETCH_TRAIN].view[0]));
    assert_true(isnan(a.numbers[PREFETCH_DISTANCE].view[0]));
    assert_null(a.words[PREFETCH_HITS].text);
    assert_true(a.unsteady[3] && !a.unsteady[4] && b.unsteady[2]);
}

static void other_lines_take_back_degree_and_distance_only(void **state)
{
    static const uint32_t more[LENGTH + 1] = {[3] = 1 << 1 | 1 << 2, [4] = 1 << 1 | 1 << 2};
    (void)state;
    const struct prefetch_found f = again(more, 0);
    assert_true(f.numbers[PREFETCH_TRAIN].view[0] == 3);
    assert_true(isnan(f.numbers[PREFETCH_DEGREE].view[0]) && isnan(f.numbers[PREFETCH_DISTANCE].view[0]));
}

static void unclear_lines_say_nothing(void **state)
{
    (void)state;
    const struct prefetch_found f = again(lines_of_stream, 1 << 1);
    assert_true(isnan(f.numbers[PREFETCH_TRAIN].view[0]) && f.unsteady[2] && f.unsteady[3]);
}

/* Lines 1 and 2 come by a single access as well: whether fewer than the accesses that show line 3 train is not known. */
static void masked_lines_leave_training_open(void **state)
{
    struct prefetch_found f = stream().found[PREFETCH_STREAM];

    (void)state;
    f.masked[0] = true;
    f.words[PREFETCH_GROWTH].text = "constant";
    prefetch_doubt_numbers(&f);
    assert_true(f.numbers[PREFETCH_TRAIN].view[0] == 3);
    f.words[PREFETCH_GROWTH].text = "grows";
    prefetch_doubt_numbers(&f);
    assert_true(isnan(f.numbers[PREFETCH_TRAIN].view[0]) && isnan(f.numbers[PREFETCH_DISTANCE].view[0]));
}

static void views_that_train_differently_have_no_common_degree(void **state)
{
    struct prefetch_found f = stream().found[PREFETCH_STREAM];

    (void)state;
    f.numbers[PREFETCH_TRAIN].view[1] = 4;
    prefetch_doubt_numbers(&f);
    assert_true(isnan(f.numbers[PREFETCH_DEGREE].view[0]) && isnan(f.numbers[PREFETCH_DISTANCE].view[0]));
    assert_true(f.numbers[PREFETCH_TRAIN].view[0] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_again_stays),
        cmocka_unit_test(other_training_is_taken_back),
        cmocka_unit_test(other_lines_take_back_degree_and_distance_only),
        cmocka_unit_test(unclear_lines_say_nothing),
        cmocka_unit_test(masked_lines_leave_training_open),
        cmocka_unit_test(views_that_train_differently_have_no_common_degree),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
