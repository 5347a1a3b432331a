/*
 * Published values are found, belong to cores that fathom recognises, and are the same when read without a C compiler.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan/facts.h"
#include "lib/plan/published.h"

static const struct published_value rows[] = {
#define PUBLISHED(core, finding, variant, value, source) {core, finding, variant, value, 0, source},
#define PUBLISHED_RANGE(core, finding, variant, from, to, source) {core, finding, variant, from, to, source},
#include "lib/plan/published.def"
};

static const struct published_difference differences[] = {
#define PUBLISHED_DIFFERENCE(core, finding, variant, from, to, why) {core, finding, variant, from, to, why},
#include "lib/plan/published.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], DIFFERENCES = sizeof differences / sizeof differences[0] };

static void values_are_found_by_variant(void **state)
{
    const struct published_value *k = published_find("zen4", "memory.cache.bytes", "level=2");

    (void)state;
    assert_non_null(k);
    assert_true(k->value == 1048576);
    assert_null(published_next(k));
    assert_null(published_next(published_find("zen4", "memory.cache.bytes", "level=1")));
    assert_null(published_find("zen4", "memory.cache.bytes", "level=3"));
    assert_null(published_find("zen4", "memory.cache.bytes", "level=22"));
    assert_null(published_find("zen4", "memory.cache.bytes", ""));
    assert_null(published_find("", "memory.cache.bytes", "level=1"));
    assert_null(published_find("zen4", "memory.cache", "level=1"));
    /* A value holds for all variants that its row does not name. */
    assert_ptr_equal(published_find("zen4", "memory.cache.bytes", "page=2m level=2"), k);
    k = published_find("zen4", "frontend.return_stack.entries", "target=random");
    assert_non_null(k);
    assert_true(k->value == 32);
}

static void several_values_of_one_finding_follow_each_other(void **state)
{
    const struct published_value *k = published_find("golden-cove", "memory.cache.bytes", "level=2");

    (void)state;
    assert_true(k && k->value == 1310720);
    k = published_next(k);
    assert_true(k && k->value == 2097152);
    assert_null(published_next(k));
}

/* Each row is found by its own names: none is hidden behind another row. */
static void every_row_is_reached(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct published_value *k = published_find(rows[i].core, rows[i].finding, rows[i].variant);

        while (k && (k->value != rows[i].value || strcmp(k->source, rows[i].source) != 0))
            k = published_next(k);
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
    char *x86 = file_text("arch/x86_64/identify_core_name.c"), *arm = file_text("arch/aarch64/cores.c");

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
    FILE *python = popen("python3 -c 'import glob, json\n"
                         "rows = [json.loads(\"[%s]\" % line.strip().partition(\"(\")[2][:-1])\n"
                         "        for path in glob.glob(\"lib/plan/published/*.def\") for line in open(path)\n"
                         "        if line.startswith(\"PUBLISHED\")]\n"
                         "print(sum(len(row) in (5, 6) for row in rows))'",
                         "r");
    int count = 0;

    (void)state;
    assert_non_null(python);
    assert_int_equal(fscanf(python, "%d", &count), 1);
    assert_int_equal(pclose(python), 0);
    assert_int_equal(count, ROWS + DIFFERENCES);
}

/* ---- What may stand in a row ------------------------------------------------------------------------ */

/*
 * The names of findings with numbers, and generous bounds for any core: a value in the wrong row, or in KiB instead of
 * bytes, lies outside.
 */
static const struct {
    const char *name;
    double least, most;
    bool whole; /* counts something */
} stable[] = {
    {"frontend.fetch.instructions", 1, 64, true},
    {"frontend.fetch.bytes", 4, 256, true},
    {"frontend.decode.width", 1, 32, true},
    {"frontend.nop.per_cycle", 0.5, 64, false},
    {"frontend.l1i.bytes", 4096, 1 << 20, true},
    {"frontend.l1i.ways", 1, 64, true},
    {"frontend.l1i.line_bytes", 16, 256, true},
    {"frontend.l1i.index_bits", 1, 32, true},
    {"frontend.op_cache.entries", 16, 8192, true},
    {"frontend.op_cache.ops", 256, 32768, true},
    {"frontend.op_cache.ops_per_entry", 1, 16, true},
    {"frontend.loop_buffer.ops", 8, 1024, true},
    {"frontend.itlb.entries", 8, 8192, true},
    {"frontend.itlb.miss_cycles", 1, 500, false},
    {"frontend.itlb.ways", 1, 128, true},
    {"frontend.itlb.index_bits", 1, 32, true},
    {"frontend.btb.levels", 1, 4, true},
    {"frontend.btb.entries", 8, 65536, true},
    {"frontend.btb.cycles", 0.25, 20, false},
    {"frontend.btb.entries_at_stride", 8, 65536, true},
    {"frontend.btb.cycles_at_stride", 0.25, 20, false},
    {"frontend.btb.fallback_cycles", 1, 50, false},
    {"frontend.btb.taken_per_cycle", 1, 4, true},
    {"frontend.btb.taken_at_stride", 0.2, 4, false},
    {"frontend.btb.cached_branches", 256, 262144, true},
    {"frontend.btb.ways", 1, 64, true},
    {"frontend.btb.sets", 1, 65536, true},
    {"frontend.btb.index_bits", 1, 32, true},
    {"frontend.btb.branches_per_entry", 1, 4, true},
    {"frontend.return_stack.entries", 4, 256, true},
    {"frontend.indirect.targets", 8, 65536, true},
    {"frontend.history.branches", 8, 4096, true},
    {"frontend.mispredict.cycles", 4, 60, false},
    {"backend.rob.entries", 32, 2048, true},
    {"backend.rob.instructions", 32, 8192, true},
    {"backend.registers.entries", 16, 1024, true},
    {"backend.load_queue.entries", 16, 512, true},
    {"backend.store_queue.entries", 16, 512, true},
    {"backend.branches_in_flight.entries", 16, 512, true},
    {"backend.scheduler.entries", 8, 512, true},
    {"backend.dispatch_queue.entries", 2, 256, true},
    {"backend.rename.per_cycle", 1, 32, true},
    {"backend.retire.per_cycle", 1, 32, true},
    {"backend.rename_retire.entries", 64, 2048, true},
    {"memory.cache.bytes", 8192, 1 << 30, true},
    {"memory.cache.latency_cycles", 2, 200, false},
    {"memory.cache.ways", 1, 64, true},
    {"memory.cache.line_bytes", 16, 256, true},
    {"memory.cache.index_bits", 1, 48, true},
    {"memory.dram.latency_ns", 20, 1000, false},
    {"memory.dtlb.entries", 4, 16384, true},
    {"memory.dtlb.miss_cycles", 1, 500, false},
    {"memory.dtlb.ways", 1, 128, true},
    {"memory.dtlb.index_bits", 1, 32, true},
    {"memory.page_walk.cycles", 1, 500, false},
    {"memory.load_use.cycles", 1, 40, false},
    {"memory.mix.per_cycle", 0.1, 4, false},
    {"memory.bandwidth.bytes_per_cycle", 1, 1024, false},
    {"memory.forwarding.cycles", 0, 40, false},
    {"memory.forwarding.blocked_cycles", 4, 100, false},
    {"memory.forwarding.offsets", 1, 64, true},
    {"memory.forwarding.stores", 1, 16, true},
    {"memory.renaming.widths", 1, 16, true},
    {"memory.renaming.pairs", 1, 4096, true},
    {"memory.dependence.loads", 1, 4096, true},
    {"memory.dependence.blocked_cycles", 1, 200, false},
    {"memory.dependence.counters", 1, 65536, true},
    {"memory.dependence.free_after", 1, 1024, true},
    {"memory.dependence.index_bits", 1, 32, true},
    {"memory.way_hash.bits", 1, 32, true},
    {"memory.load_prediction.reach", 1, 4096, true},
    {"memory.load_prediction.training", 1, 4096, true},
    {"memory.parallel_misses", 1, 512, true},
    {"memory.parallel_walks", 1, 64, true},
};
enum { STABLE = sizeof stable / sizeof stable[0] };

/* The variants of findings, each with the values it may have; NULL: a number. */
static const struct {
    const char *key, *values;
} variant_fields[] = {
    {"level", NULL},
    {"stride", NULL},
    {"width", NULL},
    {"loads", NULL},
    {"stores", NULL},
    {"page", "4k 16k 64k 2m 32m 512m 1g"},
    {"access", "load store fetch"},
    {"mode", "base offset register index-scaled pair-first pair-second to-alu"},
    {"crossing", "none 8 16 32 64 page"},
    {"cycle", "lost kept"},
    {"frames", "in-order shuffled"},
    {"branch", "uncond cond cond-uncond uncond-cond indirect taken not-taken"},
    {"branches", NULL},
    {"cause", "l1i decode"},
    {"counted", "operations entries renames"},
    {"class", "int64 int32 flags vector mask int math load store memory store-address store-data"},
    {"dependence", "address data"},
    {"store", NULL},
    {"load", NULL},
    {"filler", "nop load"},
    {"kind", "conditional-taken conditional-not-taken unconditional indirect call-return"},
    {"target", "fixed changing random"},
    {"vectors", "sve"},
    {"registers", "pair"},
};

static bool field_is_good(const char *field, size_t length)
{
    const char *equals = memchr(field, '=', length);
    size_t key = equals ? (size_t)(equals - field) : 0, value = length - key - 1;
    char word[32];

    if (!equals || value == 0 || value >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)value, equals + 1);
    for (size_t i = 0; i < sizeof variant_fields / sizeof variant_fields[0]; i++)
        if (strlen(variant_fields[i].key) == key && !memcmp(variant_fields[i].key, field, key))
            return variant_fields[i].values ? variants_cover(word, variant_fields[i].values)
                                            : strspn(word, "0123456789") == value;
    return false;
}

static void assert_row_is_plausible(const struct published_value *k)
{
    size_t which = 0;

    while (which < STABLE && strcmp(stable[which].name, k->finding) != 0)
        which++;
    if (which == STABLE)
        fail_msg("%s: no finding is named %s", k->core, k->finding);
    for (const char *v = k->variant; *v; v += strcspn(v, " "), v += strspn(v, " "))
        if (!field_is_good(v, strcspn(v, " ")))
            fail_msg("%s %s: no field of a finding is like that: %s", k->core, k->finding, v);
    if (k->value < stable[which].least || (k->to > 0 ? k->to : k->value) > stable[which].most ||
        (k->to != 0 && k->to <= k->value) || (stable[which].whole && k->value != (double)(long)k->value))
        fail_msg("%s %s %s: %g is no such number", k->core, k->finding, k->variant, k->value);
    if (strstr(k->finding, ".bytes") && k->value != 0 && !strstr(k->finding, "per_cycle") && k->value >= 4096)
        assert_int_equal((long)k->value % 1024, 0);
}

static size_t words(const char *text)
{
    size_t count = *text != 0;

    for (const char *p = text; *p; p++)
        count += *p == ' ';
    return count;
}

static void rows_have_names_and_values_that_findings_have(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        assert_row_is_plausible(&rows[i]);
}

/* An explained difference is one from a published value, is not itself published, and is found by its own names. */
static void explained_differences_are_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIFFERENCES; i++) {
        const struct published_difference *d = &differences[i];
        const struct published_value *k = published_find(d->core, d->finding, d->variant);
        double found = d->to == 0 ? NAN : d->from;

        if (!k)
            fail_msg("%s %s %s: nothing is published", d->core, d->finding, d->variant);
        for (; k; k = published_next(k))
            if (d->from <= k->value && k->value <= d->to)
                fail_msg("%s %s %s: %g is published", d->core, d->finding, d->variant, k->value);
        assert_true(d->from <= d->to && strlen(d->why) > 20);
        assert_string_equal(published_difference(d->core, d->finding, d->variant, found)->why, d->why);
        assert_null(published_difference(d->core, d->finding, d->variant, d->to + 1e6));
    }
}

/* The rows of a core stand together, the more special ones of a finding first, and no row is there twice. */
static void rows_are_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = i + 1; j < ROWS; j++) {
            const struct published_value *a = &rows[i], *b = &rows[j];
            if (strcmp(a->core, b->core) != 0)
                continue;
            if (strcmp(rows[j - 1].core, b->core) != 0)
                fail_msg("the rows of %s do not follow each other", b->core);
            if (strcmp(a->finding, b->finding) != 0)
                continue;
            if (strcmp(rows[j - 1].finding, b->finding) != 0)
                fail_msg("%s: the rows of %s do not follow each other", b->core, b->finding);
            if (words(a->variant) < words(b->variant) && variants_cover(a->variant, b->variant))
                fail_msg("%s %s: '%s' hides '%s'", b->core, b->finding, a->variant, b->variant);
            if (strcmp(a->variant, b->variant) != 0)
                continue;
            if (strcmp(rows[j - 1].variant, b->variant) != 0)
                fail_msg("%s %s: the rows of '%s' do not follow each other", b->core, b->finding, b->variant);
            if (a->value == b->value && a->to == b->to)
                fail_msg("%s %s %s: %g stands there twice", b->core, b->finding, b->variant, b->value);
        }
}

static void published_ranges_keep_both_ends(void **state)
{
    const struct published_value *k = published_find("zen4", "frontend.mispredict.cycles", "");

    (void)state;
    assert_true(k && k->value == 13 && k->to == 0);
    k = published_next(k);
    assert_true(k && k->value == 11 && k->to == 18);
    assert_null(published_next(k));
}

/* The row for registers of 512 bits holds for these only, the row without a width for all others. */
static void the_more_special_row_comes_first(void **state)
{
    const struct published_value *k = published_find("golden-cove", "backend.registers.entries",
                                                     "class=vector width=512");

    (void)state;
    assert_true(k && k->value == 220);
    assert_null(published_next(k));
    k = published_find("golden-cove", "backend.registers.entries", "class=vector width=128");
    assert_true(k && k->value == 296);
    k = published_next(k);
    assert_true(k && k->value == 332);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_variant),
        cmocka_unit_test(several_values_of_one_finding_follow_each_other),
        cmocka_unit_test(every_row_is_reached),
        cmocka_unit_test(every_core_can_be_identified),
        cmocka_unit_test(every_line_is_a_json_list),
        cmocka_unit_test(rows_have_names_and_values_that_findings_have),
        cmocka_unit_test(rows_are_in_order),
        cmocka_unit_test(published_ranges_keep_both_ends),
        cmocka_unit_test(the_more_special_row_comes_first),
        cmocka_unit_test(explained_differences_are_differences),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
