/*
 * The probes on modelled cores: what was put into the design of a core must come out of the probes, or they must say
 * that they cannot determine it.
 *
 * Each probe has its tests in probes/NAME.c, or in the file of a closely related probe; they put themselves on the
 * list (test.h) and run in the order of file names, from top to bottom in each file. The cores are drawn at random
 * (draw.h), each from a seed, which is printed with whatever is wrong (check.h).
 *
 * An experiment has one description for both instruction sets. So, without LONG, what takes many seconds of one core is
 * tested on one of them only (seeds_on in check.h), and emitters on both by unit tests. LONG=1 draws more cores, on
 * both. MODEL_SEED=n draws only the one of that seed. MODEL_SHOWS=1 prints findings and curves. MODEL_PROFILE=name runs
 * with that profile, to compare what is decided. MODEL_RECORDS=file appends the records of each run to that file,
 * behind a line with the core's design (check.c). MODEL_TEST=pattern runs only the tests whose name, or a probe that
 * they test, matches the pattern, with * and ?; that none does is a mistake.
 *
 * usage: model_ISA [PART of PARTS]
 * e.g.:  model_x86_64 2 of 4   (every fourth test, from the second one on: parts may run side by side)
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/test.h"

static int by_place(const void *a, const void *b)
{
    const struct model_test *const *one = a, *const *other = b;
    const int files = strcmp((*one)->file, (*other)->file);

    return files ? files : (*one)->line < (*other)->line ? -1 : (*one)->line > (*other)->line;
}

/* A test that names a probe which it does not run tests something else than it says. */
static void run_listed(void **state)
{
    const struct model_test *test = *state;
    char name[64];

    check_start();
    test->run();
    for (const char *word = test->probes; *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (!check_ran(name))
            fail_msg("the probe %s has not run to its end in this test", name);
        word += length;
    }
}

/* Whether MODEL_TEST, where it is set, is the name of the test or of a probe that it tests. */
static bool is_wanted(const struct model_test *test)
{
    const char *pattern = getenv("MODEL_TEST");
    char name[64];

    if (!pattern || !fnmatch(pattern, test->name, 0))
        return true;
    for (const char *word = test->probes; *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (!fnmatch(pattern, name, 0))
            return true;
        word += length;
    }
    return false;
}

int main(int argc, char **argv)
{
    const size_t part = argc == 4 ? strtoul(argv[1], NULL, 10) : 1, parts = argc == 4 ? strtoul(argv[3], NULL, 10) : 1;
    const size_t count = (size_t)(__stop_model_tests - __start_model_tests);
    size_t wanted = 0, elsewhere = 0;
    const struct model_test **sorted = malloc(count * sizeof *sorted);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);

    if (!sorted || !tests)
        abort();
    if ((argc != 1 && argc != 4) || !part || part > parts) {
        fprintf(stderr, "usage: %s [PART of PARTS]\n", argv[0]);
        return 2;
    }
    memcpy(sorted, __start_model_tests, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(sorted[i]) && i % parts != part - 1)
            elsewhere++;
        else if (is_wanted(sorted[i]))
            tests[wanted++] = (struct CMUnitTest){
                .name = sorted[i]->name, .test_func = run_listed, .initial_state = (void *)(uintptr_t)sorted[i]};
    if (!wanted && elsewhere)
        puts("1..0 # SKIP no test of this part is wanted");
    else if (!wanted)
        fprintf(stderr, "# MODEL_TEST=%s: no test has that name, nor does one test a probe of that name\n",
                getenv("MODEL_TEST"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = wanted ? _cmocka_run_group_tests("tests", tests, wanted, NULL, NULL) : !elsewhere;
    records_free(&records);
    free(sorted);
    free(tests);
    return failed;
}
