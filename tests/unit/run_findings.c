/* The last pass masks findings that coincide with another limit of the core; the line that people see. */
/* link: tests/unit/fake_run/machine.c tests/unit/fake_run/probes.c arch/emit.c arch/x86_64/emit.c arch/x86_64/cpu.c */
/* link: arch/control.c arch/access.c arch/x86_64/prefetch.c arch/x86_64/frequency.c */
/* link: arch/x86_64/control.c arch/x86_64/quirks.c arch/x86_64/identify.c */
/* libs: -lm */
#include "lib/base/record.h"
#include "lib/finding/finding.h"
#include "tests/unit/fake_run/fake_run.h"

/* ---- The last pass ---------------------------------------------------------------------------------------- */

/* A cache's size, whose experiment touches one page of 4 KiB for every 4096 bytes. */
static struct finding cache_of(double bytes, char grade)
{
    return (struct finding){.name = "memory.cache.bytes",
                            .variants = {{"level", .number = 1}},
                            .value = bytes,
                            .low = bytes - 1024,
                            .high = bytes + 1024,
                            .grade = grade,
                            .curves = {"lines"},
                            .limits = {{"memory.dtlb.entries", "page=4k access=load", 1.0 / 4096}}};
}

static struct finding dtlb_of(double entries)
{
    return (struct finding){.name = "memory.dtlb.entries",
                            .variants = {{"level", .number = 1}, {"page", "4k"}, {"access", "load"}},
                            .value = entries,
                            .low = entries,
                            .high = entries + 1,
                            .grade = 'B'};
}

/* How often the cache's size is reported again as masked, 0 or 1; checks that record. */
static unsigned masked(void)
{
    const char *first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    const char *again = records_find(&records, first, "finding", "name", "memory.cache.bytes");

    assert_value(first, "replaces", NULL);
    if (!again)
        return 0;
    assert_value(again, "grade", "U");
    assert_value(again, "value", "null");
    assert_value(again, "level", "1");
    assert_value(again, "probe", "reports");
    assert_value(again, "replaces", "true");
    assert_value(again, "seen", record_value(first, "value", 1));
    assert_value(again, "reason", "masked-by:memory.dtlb.entries level=1 page=4k access=load");
    assert_non_null(strstr(again, "\"curves\":[\"lines\"]"));
    assert_non_null(
        strstr(machine.screen, "memory.dtlb.entries level=1 page=4k access=load is reached at the same point"));
    assert_true(again > records_find(&records, NULL, "end", "probe", "reports"));
    assert_null(records_find(&records, again, "finding", "name", "memory.cache.bytes"));
    return 1;
}

static unsigned masked_with(struct finding cache, struct finding limit)
{
    struct run r = prepared("reports");

    probing.to_report[0] = cache;
    probing.to_report[1] = limit;
    assert_int_equal(run_now(&r), 0);
    assert_value(records_find(&records, NULL, "done", NULL, NULL), "findings", "2"); /* a masked finding counts once */
    assert_null(r.kept);
    return masked();
}

/* The earlier finding no longer counts, so the last pass does not mask it either. */
static void a_finding_that_replaces_takes_the_place_of_earlier_ones(void **state)
{
    struct run r = prepared("reports");
    const char *first, *second;

    (void)state;
    probing.to_report[0] = cache_of(96 * 4096, 'C');
    probing.to_report[1] = cache_of(100 * 4096, 'B');
    probing.to_report[1].replaces = true;
    probing.to_report[1].limits[0].name = NULL;
    probing.to_report[2] = dtlb_of(96);
    assert_int_equal(run_now(&r), 0);
    first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    second = records_find(&records, first, "finding", "name", "memory.cache.bytes");
    assert_value(first, "replaces", NULL);
    assert_value(second, "replaces", "true");
    assert_value(second, "seen", NULL);
    assert_value(second, "value", "409600");
    assert_null(records_find(&records, second, "finding", "name", "memory.cache.bytes"));
    assert_true(facts_number(&facts, "memory.cache.bytes", "level=1", 0) == 100 * 4096);
}

/* The value of a finding may be text; an undecided finding has none. */
static void a_finding_may_be_text(void **state)
{
    struct run r = prepared("reports");
    const char *f;

    (void)state;
    probing.to_report[0] = cache_of(NAN, 'B');
    probing.to_report[0].text = "LRU or PLRU";
    assert_int_equal(run_now(&r), 0);
    f = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    assert_value(f, "value", "LRU or PLRU");
    assert_value(f, "grade", "B");
    assert_non_null(strstr(machine.screen, "LRU or PLRU  B"));
    r = prepared("reports");
    probing.to_report[0] = cache_of(NAN, 'U');
    assert_int_equal(run_now(&r), 0);
    assert_value(records_find(&records, NULL, "finding", "name", "memory.cache.bytes"), "value", "null");
}

static void a_knee_at_another_limit_is_masked(void **state)
{
    static const struct identity_tlb tlbs[] = {
        {.level = 1, .holds = HOLDS_DATA, .loads = true, .page = "4k", .entries = 96, .source = "cpuid.18"}};
    struct finding f;
    struct run r;

    (void)state;
    assert_int_equal(masked_with(cache_of(96 * 4096, 'A'), dtlb_of(96)), 1); /* whatever its grade */
    assert_int_equal(masked_with(cache_of(98 * 4096, 'C'), dtlb_of(96)), 1); /* within 2 % */
    assert_int_equal(masked_with(cache_of(94 * 4096, 'C'), dtlb_of(96)), 1);
    assert_int_equal(masked_with(cache_of(128 * 4096, 'A'), dtlb_of(96)), 0);
    assert_int_equal(masked_with(cache_of(92 * 4096, 'A'), dtlb_of(96)), 0);

    /* The intervals may meet where the values do not. */
    f = dtlb_of(96);
    f.high = 130;
    assert_int_equal(masked_with(cache_of(128 * 4096, 'A'), f), 1);
    f = cache_of(80 * 4096, 'C');
    f.high = 100 * 4096;
    assert_int_equal(masked_with(f, dtlb_of(96)), 1);

    /* Not masked when the experiment does not reach that limit, or uses other pages. */
    f = cache_of(96 * 4096, 'A');
    f.limits[0].name = NULL;
    assert_int_equal(masked_with(f, dtlb_of(96)), 0);
    f = cache_of(96 * 4096, 'A');
    f.limits[0].variants = "page=2m";
    assert_int_equal(masked_with(f, dtlb_of(96)), 0);
    f.limits[0].variants = NULL;
    assert_int_equal(masked_with(f, dtlb_of(96)), 1);

    /* An undecided finding neither masks nor is masked. */
    f = dtlb_of(96);
    f.value = NAN;
    assert_int_equal(masked_with(cache_of(96 * 4096, 'A'), f), 0);
    assert_int_equal(masked_with(cache_of(NAN, 'A'), dtlb_of(96)), 0);

    /* A declared limit counts as a measured one does. */
    r = prepared("reports");
    probing.to_report[0] = cache_of(96 * 4096, 'A');
    machine.info.tlbs = tlbs;
    machine.info.tlb_count = 1;
    assert_int_equal(run_now(&r), 0);
    assert_int_equal(masked(), 1);
}

/* A finding is not its own limit; but the size of one level may mask that of another. */
static void a_knee_does_not_mask_itself(void **state)
{
    struct run r = prepared("reports");
    struct finding f = cache_of(65536, 'A');

    (void)state;
    f.limits[0] = (struct finding_limit){"memory.cache.bytes", "", 1};
    probing.to_report[0] = f;
    assert_int_equal(run_now(&r), 0);
    const char *first = records_find(&records, NULL, "finding", "name", "memory.cache.bytes");
    assert_null(records_find(&records, first, "finding", "name", "memory.cache.bytes"));

    r = prepared("reports");
    probing.to_report[0] = f;
    probing.to_report[1] = f;
    probing.to_report[1].variants[0].number = 2;
    probing.to_report[1].limits[0].name = NULL;
    assert_int_equal(run_now(&r), 0);
    assert_value(records_find(&records, NULL, "finding", "grade", "U"), "reason",
                 "masked-by:memory.cache.bytes level=2");
}

/* The last pass runs after the probe has ended: the texts of its findings must have been copied. */
static void masked_findings_keep_their_texts(void **state)
{
    struct run r = prepared("reports");
    char text[] = "4k";

    (void)state;
    probing.to_report[0] = dtlb_of(96);
    probing.to_report[0].variants[1].text = text;
    probing.to_report[0].limits[0] = (struct finding_limit){"memory.cache.bytes", "level=1", 4096};
    probing.to_report[1] = cache_of(96 * 4096, 'B');
    probing.to_report[1].limits[0].name = NULL;
    for (unsigned i = 2; i < 5; i++) {
        probing.to_report[i] = dtlb_of(1000 * i); /* the list of kept findings grows and moves */
        probing.to_report[i].variants[0].number = i;
        probing.to_report[i].limits[0] = probing.to_report[0].limits[0];
    }
    assert_int_equal(run_now(&r), 0);
    const char *again = records_find(&records, NULL, "finding", "grade", "U");
    assert_value(again, "page", "4k");
    assert_value(again, "access", "load");
    assert_value(again, "seen", "96");
}

/* ---- The line for people ---------------------------------------------------------------------------------- */

static const char *line_of(const char *name)
{
    static char line[256];
    const char *at = strstr(machine.screen, name);

    assert_non_null(at);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

static const char *shown(struct finding f)
{
    struct run r = prepared("reports");

    snprintf(machine.info.core_name, sizeof machine.info.core_name, "golden-cove");
    probing.to_report[0] = f;
    assert_int_equal(run_now(&r), 0);
    return line_of(f.name);
}

static void agreement_with_published_values_stands_out(void **state)
{
    struct finding latency = {.name = "memory.cache.latency_cycles",
                              .variants = {{"level", .number = 2}},
                              .value = 15.8,
                              .low = NAN,
                              .high = NAN,
                              .grade = 'B'};

    (void)state;
    assert_non_null(strstr(shown(cache_of(49152, 'A')), " published <48>"));
    assert_non_null(strstr(shown(cache_of(51200, 'A')), " published 48: +2"));
    assert_non_null(strstr(shown(cache_of(47104, 'A')), " published 48: -2"));
    assert_non_null(strstr(shown(cache_of(NAN, 'A')), " published 48 KiB"));
    /* 48 KiB is the first bad size of the interval, so a capacity of 48 KiB does not agree. */
    assert_non_null(strstr(shown(cache_of(48128, 'A')), " published 48: -1"));

    assert_non_null(strstr(shown(latency), " published 15: +0.8 or <16>"));
    latency.value = 15.1;
    assert_non_null(strstr(shown(latency), " published <15> or 16: -0.9"));
    latency.value = 18;
    assert_non_null(strstr(shown(latency), " published 15: +3 or 16: +2"));
}

/* DISTURBED_MOSTLY: on a core that others disturb most of the time all experiments may be slowed alike. */
static void costs_of_a_disturbed_core_are_undecided(void **state)
{
    const struct finding latency = {.name = "memory.cache.latency_cycles",
                                    .variants = {{"level", .number = 2}},
                                    .value = 16,
                                    .low = NAN,
                                    .high = NAN,
                                    .grade = 'A'};
    struct finding confirmed = latency;

    (void)state;
    confirmed.variants[0].number = 3;
    confirmed.is_confirmed = true;
    for (unsigned busy = 0; busy < 2; busy++) {
        struct run r = prepared("reports");
        probing.to_report[0] = latency;
        probing.to_report[1] = cache_of(49152, 'A');
        probing.to_report[2] = confirmed;
        probing.taken = 100;
        probing.shared = 20;
        probing.stolen = busy ? 40 : 20;
        assert_int_equal(run_now(&r), 0);
        const char *const cost = records_find(&records, NULL, "finding", "name", latency.name);
        assert_value(cost, "grade", busy ? "U" : "A");
        if (busy)
            assert_value(cost, "reason", "no-readings");
        assert_value(records_find(&records, NULL, "finding", "name", "memory.cache.bytes"), "grade", "A");
        assert_value(records_find(&records, cost, "finding", "name", latency.name), "grade", busy ? "C" : "A");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_that_replaces_takes_the_place_of_earlier_ones),
        cmocka_unit_test(a_finding_may_be_text),
        cmocka_unit_test(a_knee_at_another_limit_is_masked),
        cmocka_unit_test(a_knee_does_not_mask_itself),
        cmocka_unit_test(masked_findings_keep_their_texts),
        cmocka_unit_test(agreement_with_published_values_stands_out),
        cmocka_unit_test(costs_of_a_disturbed_core_are_undecided),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
