/* Which prefetchers of code there are, by what looks at single lines say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/code_prefetchers.h"

/* What each look sees, as one character: '+' prefetched, '-' not, '.' unknown; in the order of enum code_look, with spaces. */
static char decided(const char *looks, enum code_prefetcher kind)
{
    enum code_prefetch_effect effects[CODE_LOOKS];
    bool found;

    for (size_t i = 0; i < CODE_LOOKS; i++, looks++) {
        looks += *looks == ' ';
        effects[i] = *looks == '+'   ? CODE_PREFETCH_BRINGS
                     : *looks == '-' ? CODE_PREFETCH_NOTHING
                                     : CODE_PREFETCH_UNKNOWN;
    }
    return !code_prefetcher_decided(effects, kind, &found) ? 'U' : found ? 'y' : 'n';
}

/* odd +1 +2 +4 -1, even +1 -1 -2, up +1 +2 +4, down -1 -2 */
static void single_lines_show_the_next_and_the_pair(void **state)
{
    (void)state;
    assert_int_equal(decided("+--- +-- +-- --", CODE_PREFETCHER_NEXT), 'y');
    assert_int_equal(decided("+--- +-- +-- --", CODE_PREFETCHER_PAIR), 'n');
    assert_int_equal(decided("---+ +-- --- --", CODE_PREFETCHER_NEXT), 'n');
    assert_int_equal(decided("---+ +-- --- --", CODE_PREFETCHER_PAIR), 'y');
    assert_int_equal(decided("---+ ++- --- --", CODE_PREFETCHER_PAIR), 'n');
    assert_int_equal(decided(".--- +-- --- --", CODE_PREFETCHER_NEXT), 'U');
    assert_int_equal(decided(".--- --- --- --", CODE_PREFETCHER_NEXT), 'n');
    assert_int_equal(decided("---+ +.- --- --", CODE_PREFETCHER_PAIR), 'U');
}

static void a_stream_brings_what_single_lines_do_not(void **state)
{
    (void)state;
    assert_int_equal(decided("---- --- +-- --", CODE_PREFETCHER_UP), 'y');
    assert_int_equal(decided("---- --- +-- --", CODE_PREFETCHER_DOWN), 'n');
    assert_int_equal(decided("---- --- --- -+", CODE_PREFETCHER_DOWN), 'y');
    assert_int_equal(decided("+--- +-- +-- --", CODE_PREFETCHER_UP), 'n');
    assert_int_equal(decided("+--- +-- ++- --", CODE_PREFETCHER_UP), 'y');
    assert_int_equal(decided("..-- +-- ++- --", CODE_PREFETCHER_UP), 'U');
    assert_int_equal(decided("---- --- --. --", CODE_PREFETCHER_UP), 'U');
    assert_int_equal(decided("---- --- +-. --", CODE_PREFETCHER_UP), 'y');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_lines_show_the_next_and_the_pair),
        cmocka_unit_test(a_stream_brings_what_single_lines_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
