/* Known values are found, belong to cores that fathom can name, and read the same without a C compiler. */
/* link: lib/known.c lib/facts.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/known.h"

static const struct known_value rows[] = {
#define KNOWN(core, finding, variant, value, source) {core, finding, variant, value, 0, source},
#define KNOWN_RANGE(core, finding, variant, from, to, source) {core, finding, variant, from, to, source},
#include "lib/known.def"
#undef KNOWN
#undef KNOWN_RANGE
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void values_by_variant(void **state)
{
    const struct known_value *k = known_find("zen4", "memory.cache.bytes", "level=2");

    (void)state;
    assert_non_null(k);
    assert_true(k->value == 1048576);
    assert_null(known_next(k));
    assert_null(known_next(known_find("zen4", "memory.cache.bytes", "level=1")));
    assert_null(known_find("zen4", "memory.cache.bytes", "level=3"));
    assert_null(known_find("zen4", "memory.cache.bytes", "level=22"));
    assert_null(known_find("zen4", "memory.cache.bytes", ""));
    assert_null(known_find("", "memory.cache.bytes", "level=1"));
    assert_null(known_find("zen4", "memory.cache", "level=1"));
    /* A value says nothing about variants that its row does not name. */
    assert_ptr_equal(known_find("zen4", "memory.cache.bytes", "page=2m level=2"), k);
    k = known_find("zen4", "frontend.return_stack.entries", "target=random");
    assert_non_null(k);
    assert_true(k->value == 32);
}

static void several_values_follow_each_other(void **state)
{
    const struct known_value *k = known_find("golden-cove", "memory.cache.bytes", "level=2");

    (void)state;
    assert_true(k && k->value == 1310720);
    k = known_next(k);
    assert_true(k && k->value == 2097152);
    assert_null(known_next(k));
}

/* Each row is reached from its own names: none is hidden behind rows of something else. */
static void every_row_is_reached(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct known_value *k = known_find(rows[i].core, rows[i].finding, rows[i].variant);

        while (k && (k->value != rows[i].value || strcmp(k->source, rows[i].source) != 0))
            k = known_next(k);
        if (!k)
            fail_msg("%s %s %s %g", rows[i].core, rows[i].finding, rows[i].variant, rows[i].value);
        assert_true(k->value > 0 && *k->source);
    }
}

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, f), 1, (1 << 20) - 2);
    fclose(f);
    return text;
}

static void every_core_can_be_identified(void **state)
{
    char *x86 = file_text("arch/x86_64/identify.c"), *arm = file_text("arch/aarch64/cores.c");

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        char name[64];

        snprintf(name, sizeof name, "\"%s\"", rows[i].core);
        if (!strstr(x86, name) && !strstr(arm, name))
            fail_msg("no core is named %s", name);
    }
    free(x86);
    free(arm);
}

static void every_line_is_a_json_list(void **state)
{
    FILE *python = popen("python3 -c 'import json\n"
                         "rows = [json.loads(\"[%s]\" % line.strip()[6:-1])\n"
                         "        for line in open(\"lib/known.def\") if line.startswith(\"KNOWN(\")]\n"
                         "print(sum(len(row) == 5 for row in rows))'",
                         "r");
    int count = 0;

    (void)state;
    assert_non_null(python);
    assert_int_equal(fscanf(python, "%d", &count), 1);
    assert_int_equal(pclose(python), 0);
    assert_int_equal(count, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_variant),         cmocka_unit_test(several_values_follow_each_other),
        cmocka_unit_test(every_row_is_reached),      cmocka_unit_test(every_core_can_be_identified),
        cmocka_unit_test(every_line_is_a_json_list),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
