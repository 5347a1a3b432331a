/* Counting on modelled cores, and knees that counters prove. */
#include <math.h>
#include <string.h>

#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

enum { LINE_BYTES = 64 };

static const struct probe_definition definition = {.name = "proofs"};

/* A loop of NOPs over that many lines of code. `context` becomes the number of instructions of one round. */
static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const size_t bytes = (size_t)lines * LINE_BYTES;
    struct code c = probe_code(p, bytes + LINE_BYTES);

    while (c.used < bytes - 16 && code_good(&c))
        emit_nop(&c, 4);
    emit_loop(&c, 0);
    *(uint64_t *)context = c.work.instructions;
    emit_return(&c);
    *k = (struct kernel){.units = lines, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}

/* Counters agree with what was emitted; code longer than the instruction cache misses it, by time and by count. */
static void check_proofs(const struct machine_design *m)
{
    static const char *const needs[] = {"l1i_misses", "loads", NULL};
    struct run run = {.number = 0};
    uint64_t instructions = 0;
    char text[PROOF_TEXT];
    double count;

    records_free(&records);
    machine_start(m);
    config_defaults(&run.config);
    writer_start(&run.writer);
    writer_add(&run.writer, records_sink(&records));
    struct window_result started = meter_start(&run.meter, PROFILE_QUICK);
    assert_int_equal(started.end, WINDOW_RAN);

    struct probe p = {.definition = &definition, .run = &run, .random = 1};
    struct kernel k = {.units = 1};
    assert_true(build(&p, 16, &instructions, &k));
    assert_true(probe_count(&p, &k, "instructions", &count));
    assert_true(count >= (double)instructions / 16 && count <= (double)instructions / 16);
    assert_true(probe_count(&p, &k, "l1i_misses", &count));
    assert_true(count <= 0 && count >= 0);
    assert_true(probe_count(&p, &k, "stores", &count)); /* which the modelled core does not count */
    assert_true(isnan(count));

    const double capacity = (double)m->core.l1i.bytes / LINE_BYTES;
    struct sweep s = {.name = "misses",
                      .axis = "lines",
                      .unit = "events/line",
                      .need = "l1i_misses",
                      .build = build,
                      .context = &instructions,
                      .search = {.kind = KNEE_STEP, .from = 8, .to = 2 * capacity, .step = 8, .per_octave = 4}};
    assert_true(sweep_search(&p, &s));
    assert_true(s.search.verdict.count >= 1);
    assert_true(s.search.verdict.knees[0].low <= capacity && capacity < s.search.verdict.knees[0].high);
    assert_true(proof_of_knee(&p, &s, 0, needs, text));
    assert_memory_equal(text, "l1i_misses 0.00, then ", 22);
    const char *table = records_find(&records, NULL, "table", NULL, NULL);
    assert_non_null(table);
    assert_non_null(strstr(table, "\"name\":\"proof\",\"curve\":\"misses\""));
    assert_non_null(strstr(table, "[\"loads\",null,null]"));
    sweep_free(&s);
    writer_stop(&run.writer);
    machine_stop();
}

MODEL_TEST(knees_are_proven_by_counting, "")
{
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = draw_machine(seed);
        m.counts = true;
        m.core.l1i = (struct cache_design){.bytes = (size_t)pick(1, 2) * 8192,
                                           .ways = 4}; /* small: points are as long */
        check_proofs(&m);
    }
}

/* There is a table `discovered` of the event of that code, with these counters and this meaning; NULL: none. */
static void check_discovered(const struct machine_design *m, const char *code, const char *slots, const char *means)
{
    const char *table = records_find(&records, NULL, "table", "code", code);

    checked.decided += table != NULL;
    if (!table)
        complain(m, "event %s is not discovered", code);
    else if (!has_field(table, "slots", slots))
        complain(m, "event %s: the counters are not %s", code, slots);
    else if (means ? !has_field(table, "means", means) : record_value(table, "means", 2) != NULL)
        complain(m, "event %s: the meaning is not %s", code, means ? means : "unknown");
}

/*
 * The modelled core counts instructions and operations on every counter, and an event that is in no table on two. The
 * built-in kernels cause nothing else that it counts.
 */
MODEL_TEST(events_are_discovered, "counters")
{
    const bool masks = strcmp(emit_isa, "x86_64") == 0;
    struct machine_design m = draw_machine(1);
    unsigned tables = 0;

    m.counts = m.privileged = true;
    run_discovery_on(&m);
    check_discovered(&m, masks ? "0xffc0" : "0x8", "0xff", "instructions");
    check_discovered(&m, masks ? "0x2c2" : "0x3a", "0xff", "instructions");
    check_discovered(&m, masks ? "0xffe7" : "0x2e7", "0xc", NULL);
    if (masks)
        check_discovered(&m, "0x2e7", "0xc", NULL);
    for (const char *t = NULL; (t = records_find(&records, t, "table", "name", "discovered"));)
        tables++;
    /* of Intel's with all units, and each unit of instructions, whose event has no unit mask; of the others one unit */
    assert_int_equal(tables, masks ? 3 + 8 + 2 : 3);
    end(masks ? 4 : 3, 0);
}
