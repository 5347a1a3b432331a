#include "tests/model/proofs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lib/probe.h"
#include "lib/proof.h"
#include "tests/records.h"

enum { LINE_BYTES = 64 };

static const struct probe_definition definition = {.name = "proofs"};
static struct records records;

static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const size_t bytes = (size_t)lines * LINE_BYTES;
    struct code c = probe_code(p, bytes + LINE_BYTES);

    (void)context;
    while (c.used < bytes - 16 && code_good(&c))
        emit_nop(&c, 4);
    emit_loop(&c, 0);
    *(uint64_t *)context = c.work.instructions;
    emit_return(&c);
    *k = (struct kernel){.units = lines, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}

void proofs_check(const struct machine_design *m)
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
    assert_true(probe_count(&p, &k, "stores", &count)); /* nothing that the modelled core counts */
    assert_true(isnan(count));

    const double holds = (double)m->core.l1i.bytes / LINE_BYTES;
    struct sweep s = {.name = "misses",
                      .axis = "lines",
                      .unit = "events/line",
                      .need = "l1i_misses",
                      .build = build,
                      .context = &instructions,
                      .search = {.kind = KNEE_STEP, .from = 8, .to = 2 * holds, .grain = 8, .per_octave = 4}};
    assert_true(sweep_search(&p, &s));
    assert_true(s.search.verdict.count >= 1);
    assert_true(s.search.verdict.knees[0].low <= holds && holds < s.search.verdict.knees[0].high);
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
