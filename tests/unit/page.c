/* One page of results: it has the most informative findings and room for each family, and nothing leaves it. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/observer/page.h"

enum { COLUMNS = 120, ROWS = 33, MOST = 64 };

static void add(struct page *p, const char *name, const char *variants, char grade, const char *value, unsigned core)
{
    assert_true(page_add(p,
                         &(struct observed_finding){.name = name,
                                                    .variants = variants,
                                                    .value = value,
                                                    .grade = grade,
                                                    .detail = "",
                                                    .published = grade == 'A' ? "48" : "",
                                                    .agrees = true},
                         core));
}

/* The rows of a drawn page as text. */
struct drawn {
    struct cells cells;
    char rows[ROWS][COLUMNS + 1];
};

static void draw(const struct page *p, struct drawn *d, unsigned columns, unsigned top, unsigned bottom)
{
    d->cells = (struct cells){
        .columns = columns, .rows = ROWS, .at = calloc((size_t)columns * ROWS, sizeof(struct cell))};
    assert_non_null(d->cells.at);
    page_draw(p, &d->cells, top, bottom); /* the sanitizer notices accesses outside of the cells */
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < columns; i++)
            d->rows[row][i] = (char)(d->cells.at[row * columns + i].character ? d->cells.at[row * columns + i].character
                                                                              : '.');
        d->rows[row][columns] = 0;
    }
    free(d->cells.at);
}

static const char *find(const struct drawn *d, const char *text)
{
    for (unsigned row = 0; row < ROWS; row++)
        if (strstr(d->rows[row], text))
            return strstr(d->rows[row], text);
    return NULL;
}

static void a_page_shows_the_findings(void **state)
{
    (void)state;
    struct page p = {.all = NULL};
    struct drawn d;

    add(&p, "memory.cache.bytes", "level=1", 'A', "48 KiB", 0);
    add(&p, "memory.dtlb.entries", "level=1 page=4k access=load", 'C', "96 entries", 0);
    add(&p, "frontend.decode.width", "", 'U', "-", 0);
    draw(&p, &d, 80, 4, ROWS - 1);
    assert_non_null(strstr(find(&d, "cache.bytes level=1 "), "48 KiB A (48)"));
    assert_non_null(strstr(find(&d, "dtlb.entries level=1 page=4k load "), "96 entries C"));
    assert_non_null(strstr(find(&d, "decode.width "), "- U"));
    for (unsigned row = 0; row < 4; row++)
        assert_int_equal(strspn(d.rows[row], "."), 80); /* rows above the page are untouched */
    assert_int_equal(strspn(d.rows[ROWS - 1], "."), 80);
    page_free(&p);
}

static void a_finding_that_replaces_stands_alone(void **state)
{
    (void)state;
    struct page p = {.all = NULL};
    struct drawn d;

    add(&p, "memory.cache.bytes", "level=1", 'A', "48 KiB", 0);
    add(&p, "memory.cache.bytes", "level=1", 'U', "-", 0);
    assert_int_equal(p.count, 1);
    add(&p, "memory.cache.bytes", "level=1", 'A', "32 KiB", 4); /* that of another core is another finding */
    assert_int_equal(p.count, 2);
    draw(&p, &d, COLUMNS, 0, ROWS);
    assert_null(strstr(find(&d, "cache.bytes level=1 core 0"), "48 KiB"));
    assert_non_null(strstr(find(&d, "cache.bytes level=1 core 4"), "32 KiB"));
    page_free(&p);
}

static void the_most_informative_findings_are_on_it(void **state)
{
    (void)state;
    struct page p = {.all = NULL};
    size_t order[MOST];
    char name[64];

    for (unsigned i = 0; i < 3000; i++) { /* a long table of instructions comes first */
        snprintf(name, sizeof name, "form=%u", i);
        add(&p, "backend.instruction.latency_cycles", name, 'A', "1 cycles", 0);
    }
    add(&p, "backend.scheduler.entries", "class=load", 'U', "-", 0);
    add(&p, "backend.rob.entries", "", 'B', "512 entries", 0);
    add(&p, "memory.cache.bytes", "level=2", 'C', "2048 KiB", 0);
    add(&p, "memory.renaming.widths", "", 'A', "8", 0);
    add(&p, "memory.cache.bytes", "level=1", 'U', "-", 0);
    assert_int_equal(page_choose(&p, 3, order), 3);
    assert_string_equal(p.all[order[0]].name, "backend.rob.entries"); /* both informative ones, and one more */
    assert_string_equal(p.all[order[1]].name, "backend.instruction.latency_cycles");
    assert_string_equal(p.all[order[2]].variants, "level=2");

    assert_int_equal(page_choose(&p, 40, order), 40);
    assert_string_equal(p.all[order[39]].name, "memory.renaming.widths"); /* comes last */
    assert_string_equal(p.all[order[38]].variants, "level=2");
    assert_int_equal(page_choose(&p, 0, order), 0);
    page_free(&p);
}

static void undecided_findings_fill_the_remaining_room(void **state)
{
    (void)state;
    struct page p = {.all = NULL};
    size_t order[MOST];

    add(&p, "memory.cache.bytes", "level=1", 'U', "-", 0);
    add(&p, "memory.cache.bytes", "level=2", 'C', "2048 KiB", 0);
    add(&p, "frontend.l1i.bytes", "", 'U', "-", 0);
    assert_int_equal(page_choose(&p, MOST, order), 3);
    assert_string_equal(p.all[order[0]].name, "frontend.l1i.bytes");
    assert_string_equal(p.all[order[1]].variants, "level=2");
    assert_string_equal(p.all[order[2]].variants, "level=1");
    page_free(&p);
}

/* Names and values of any length on screens of any size; the sanitizer notices accesses outside. */
static void no_page_is_too_small(void **state)
{
    (void)state;
    static const char *const names[] = {"frontend.btb.entries", "backend.registers.entries", "memory.cache.bytes",
                                        "system.clock.a_name_that_is_longer_than_any_column_can_be_expected_to_be"};
    struct page p = {.all = NULL};
    struct drawn d;
    char variants[64];

    srand(1);
    for (unsigned i = 0; i < 200; i++) {
        snprintf(variants, sizeof variants, "level=%d branch=unconditional stride=%d", rand() % 9, rand());
        add(&p, names[rand() % 4], variants, "ABCU"[rand() % 4], rand() % 2 ? "4" : "123456 instructions/cycle", 0);
        if (i % 5 == 0) {
            const unsigned top = (unsigned)rand() % 10, bottom = top + 1 + (unsigned)rand() % (ROWS - 10);
            draw(&p, &d, 56 + (unsigned)rand() % (COLUMNS - 55), top, bottom);
        }
    }
    page_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_shows_the_findings),
        cmocka_unit_test(a_finding_that_replaces_stands_alone),
        cmocka_unit_test(the_most_informative_findings_are_on_it),
        cmocka_unit_test(undecided_findings_fill_the_remaining_room),
        cmocka_unit_test(no_page_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
