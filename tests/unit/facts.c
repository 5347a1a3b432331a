/* Facts about a core: the better source wins, and declared facts have the names of findings. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan/facts.h"

static struct facts facts;

static int nothing_known(void **state)
{
    (void)state;
    facts_forget(&facts);
    return 0;
}

static bool set(const char *name, const char *variants, double value, char grade)
{
    struct fact f = {.name = name, .value = value, .low = value, .high = value + 1, .grade = grade};

    snprintf(f.variants, sizeof f.variants, "%s", variants);
    snprintf(f.source, sizeof f.source, "%s", grade == 'D' ? "cpuid.4" : "cache");
    return facts_set(&facts, &f);
}

static void unknown_facts_have_the_default(void **state)
{
    (void)state;
    assert_null(facts_find(&facts, "memory.cache.bytes", ""));
    assert_true(facts_number(&facts, "memory.cache.line_bytes", "level=1", 64) == 64);
    assert_true(set("memory.cache.line_bytes", "level=1", 128, 'D'));
    assert_true(facts_number(&facts, "memory.cache.line_bytes", "level=1", 64) == 128);
    assert_true(facts_number(&facts, "memory.cache.line_bytes", "level=2", 64) == 64);
    assert_true(facts_number(&facts, "memory.cache.line", "level=1", 64) == 64);
}

/* A measured fact replaces a declared one, and a better grade replaces a worse one. */
static void the_better_grade_is_kept(void **state)
{
    (void)state;
    assert_true(set("memory.cache.bytes", "level=1", 1, 'D'));
    assert_true(set("memory.cache.bytes", "level=1", 2, 'C'));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 2);
    assert_true(set("memory.cache.bytes", "level=1", 3, 'A'));
    assert_true(set("memory.cache.bytes", "level=1", 4, 'B'));
    assert_true(set("memory.cache.bytes", "level=1", 5, 'D'));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 3);
    assert_true(set("memory.cache.bytes", "level=1", 6, 'A')); /* of equal grades the later one is kept */
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 6);
    assert_int_equal(facts.count, 1);
}

/* A fact must have all variants that are asked for and may have others; of several such the best one is found. */
static void variants_are_words(void **state)
{
    (void)state;
    set("memory.dtlb.entries", "level=1 page=4k access=load", 96, 'D');
    set("memory.dtlb.entries", "level=1 page=4k access=store", 16, 'C');
    set("memory.dtlb.entries", "level=12 page=4k access=load", 2048, 'D');
    assert_true(facts_number(&facts, "memory.dtlb.entries", "page=4k level=1 access=load", 0) == 96);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=1", 0) == 16);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=12", 0) == 2048);
    assert_null(facts_find(&facts, "memory.dtlb.entries", "level=2"));
    assert_null(facts_find(&facts, "memory.dtlb.entries", "level=1 page=2m"));
    assert_null(facts_find(&facts, "memory.dtlb.entries", "evel=1"));
}

static void hundreds_of_facts_are_kept(void **state)
{
    enum { FACTS = 3000 };
    char variants[32];

    (void)state;
    for (unsigned i = 0; i < FACTS; i++) { /* more than all probes report */
        snprintf(variants, sizeof variants, "level=%u", i);
        assert_true(set("memory.cache.bytes", variants, i, 'D'));
    }
    assert_true(set("memory.cache.bytes", "level=5", 1, 'A'));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=5", 0) == 1);
    for (unsigned i = 6; i < FACTS; i++) {
        snprintf(variants, sizeof variants, "level=%u", i);
        assert_true(facts_number(&facts, "memory.cache.bytes", variants, 0) == i);
    }
    assert_int_equal(facts.count, FACTS);
}

static void only_numbers_are_facts(void **state)
{
    (void)state;
    assert_true(set("memory.cache.bytes", "level=1", 0.0 / 0.0, 'A'));
    assert_int_equal(facts.count, 0);
}

static void declared_caches_have_the_names_of_findings(void **state)
{
    const struct identity_cache caches[] = {
        {.level = 1, .holds = HOLDS_DATA, .bytes = 49152, .ways = 12, .line_bytes = 64, .source = "cpuid.4"},
        {.level = 1, .holds = HOLDS_INSTRUCTIONS, .bytes = 32768, .ways = 8, .line_bytes = 64, .source = "cpuid.4"},
        {.level = 2, .holds = HOLDS_DATA | HOLDS_INSTRUCTIONS, .bytes = 2 << 20, .source = "cpuid.4"},
        {.level = 1, .holds = HOLDS_DATA, .bytes = 1, .source = "sysfs"}, /* the first source counts */
        {.level = 2,
         .holds = HOLDS_DATA | HOLDS_INSTRUCTIONS,
         .ways = 16,
         .source = "sysfs"}, /* the next one adds to it */
    };

    (void)state;
    assert_true(facts_declare(&facts, caches, sizeof caches / sizeof caches[0], NULL, 0));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 49152);
    assert_true(facts_number(&facts, "memory.cache.ways", "level=1", 0) == 12);
    assert_true(facts_number(&facts, "memory.cache.line_bytes", "level=1", 0) == 64);
    assert_true(facts_number(&facts, "frontend.l1i.bytes", "", 0) == 32768);
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=2", 0) == 2 << 20);
    assert_true(facts_number(&facts, "memory.cache.ways", "level=2", 0) == 16);
    assert_null(facts_find(&facts, "memory.cache.line_bytes", "level=2")); /* no source declares it */
    const struct fact *f = facts_find(&facts, "frontend.l1i.ways", "");
    assert_string_equal(f->source, "cpuid.4");
    assert_int_equal(f->grade, 'D');
    assert_true(f->low == 8 && f->high == 8);
    assert_int_equal(facts.count, 8);
}

static void declared_tlbs_are_facts_of_each_side(void **state)
{
    const struct identity_tlb tlbs[] = {
        {.level = 1, .holds = HOLDS_INSTRUCTIONS, .page = "4k", .entries = 256, .source = "cpuid.18"},
        {.level = 1, .holds = HOLDS_DATA, .loads = true, .page = "4k", .entries = 96, .source = "cpuid.18"},
        {.level = 1, .holds = HOLDS_DATA, .stores = true, .page = "4k", .entries = 16, .source = "cpuid.18"},
        {.level = 2, .holds = 3, .loads = true, .stores = true, .page = "4k", .entries = 1024, .source = "cpuid.18"},
        {.level = 2, .holds = 3, .loads = true, .stores = true, .page = "2m", .entries = 1024, .source = "cpuid.18"},
        {.level = 2, .holds = 3, .loads = true, .stores = true, .page = "4k", .entries = 1024, .source = "cpuid.18"},
        {.level = 1,
         .holds = HOLDS_INSTRUCTIONS,
         .page = "4k",
         .entries = 128,
         .source = "sysfs"}, /* the first counts */
    };

    (void)state;
    assert_true(facts_declare(&facts, NULL, 0, tlbs, sizeof tlbs / sizeof tlbs[0]));
    assert_true(facts_number(&facts, "frontend.itlb.entries", "level=1 page=4k", 0) == 256);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=1 page=4k access=load", 0) == 96);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=1 page=4k access=store", 0) == 16);
    /* Two arrays have entries for 4K pages at the second level: together 2048, for instructions and for data. */
    assert_true(facts_number(&facts, "frontend.itlb.entries", "level=2 page=4k", 0) == 2048);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=2 page=4k access=load", 0) == 2048);
    assert_true(facts_number(&facts, "memory.dtlb.entries", "level=2 page=2m access=store", 0) == 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(unknown_facts_have_the_default, nothing_known),
        cmocka_unit_test_setup(the_better_grade_is_kept, nothing_known),
        cmocka_unit_test_setup(variants_are_words, nothing_known),
        cmocka_unit_test_setup(hundreds_of_facts_are_kept, nothing_known),
        cmocka_unit_test_setup(only_numbers_are_facts, nothing_known),
        cmocka_unit_test_setup(declared_caches_have_the_names_of_findings, nothing_known),
        cmocka_unit_test_setup(declared_tlbs_are_facts_of_each_side, nothing_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
