/*
 * Whether lines are brought ever farther ahead: the threshold GROWN of lib/structure/tolerances_prefetch.h, and what
 * keeps the answer open.
 * link: lib/structure/prefetch_growth.c lib/structure/prefetch_reach.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/prefetch_growth.h"

enum { TRAIN = 3, MOST = 12 };

bool prefetch_look(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count)
{
    (void)w, (void)l, (void)lines, (void)count;
    fail_msg("nothing is measured");
    return false;
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

/* Three accesses have the line two strides ahead brought; one more each, the line at that many strides. 0: none is. */
static struct prefetch_word growth(const unsigned *farthest, unsigned count, uint32_t perhaps)
{
    struct prefetch_found f = {.first = {UINT32_C(1) << 2}, .measured = TRAIN + count};

    f.numbers[PREFETCH_TRAIN].view[0] = TRAIN;
    for (unsigned i = 0; i < count; i++) {
        f.in[TRAIN + 1 + i] = farthest[i] ? UINT32_C(1) << farthest[i] : 0;
        f.perhaps[TRAIN + 1 + i] = perhaps;
        f.most[TRAIN + 1 + i] = MOST;
    }
    return prefetch_growth(&f);
}

/* GROWN: two longer sequences show it, one does not. */
static void two_longer_sequences_decide(void **state)
{
    (void)state;
    assert_string_equal(growth((const unsigned[]){3, 4}, 2, 0).text, "grows");
    assert_string_equal(growth((const unsigned[]){2, 2}, 2, 0).text, "constant");
    assert_null(growth((const unsigned[]){3}, 1, 0).text);
    assert_null(growth((const unsigned[]){2}, 1, 0).text);
}

static void growth_may_end(void **state)
{
    (void)state;
    assert_string_equal(growth((const unsigned[]){3, 4, 4, 4}, 4, 0).text, "grows");
}

static void sequences_that_contradict_decide_nothing(void **state)
{
    (void)state;
    assert_null(growth((const unsigned[]){3, 1, 3}, 3, 0).text);
    assert_null(growth((const unsigned[]){2, 2, 3}, 3, 0).text);
    assert_null(growth((const unsigned[]){2, 2, 1}, 3, 0).text);
    assert_null(growth((const unsigned[]){2, 2, 0}, 3, 0).text);
}

/* Lines behind the farthest one of which it is not known whether they come, or that were not looked at. */
static void what_lies_behind_must_be_known(void **state)
{
    (void)state;
    assert_null(growth((const unsigned[]){2, 2}, 2, UINT32_C(1) << 5).text);
    assert_string_equal(growth((const unsigned[]){2, 2}, 2, UINT32_C(1) << 1).text, "constant");
    assert_string_equal(growth((const unsigned[]){MOST, MOST}, 2, 0).text, "grows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_longer_sequences_decide),
        cmocka_unit_test(growth_may_end),
        cmocka_unit_test(sequences_that_contradict_decide_nothing),
        cmocka_unit_test(what_lies_behind_must_be_known),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
