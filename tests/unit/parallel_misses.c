/* The probe parallelism, by how rounds grow: which number of walkers is one of buffers, and what may limit it. */
/* link: probes/memory/parallelism.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/access.h"
#include "lib/kernels/walkers.h"
#include "lib/probe/sample.h"
#include "lib/probe/sweep.h"
#include "lib/structure/caches.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core whose first level has 12 buffers for misses --------------------------------------------------- */

enum { KIB = 1 << 10, BUFFERS = 12, WALKERS = 40, LINE_CYCLES = 2 /* of the next level, read in order */ };

const struct emit_access emit_accesses[] = {{.name = "load", .bits = 256}, {.name = NULL}};
static double latency, grows; /* cycles of a miss; cycles by which a round grows with each walker too many */
static struct finding found;

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.memory_bytes = UINT64_C(1) << 33};

    return &info;
}

/* Of the second level and beyond nothing can be measured: its ring is too large. */
double caches_known(const struct probe *p, unsigned level)
{
    (void)p;
    return level == 1 ? 48 * KIB : level == 2 ? 16384 * KIB : 0;
}

bool walkers_map(struct probe *p, struct walkers *w, size_t bytes, size_t most)
{
    (void)p;
    (void)bytes;
    (void)most;
    w->order = NULL;
    return true;
}

void walkers_link(struct probe *p, struct walkers *w, size_t lines, size_t group)
{
    (void)p;
    (void)w;
    (void)lines;
    (void)group;
}

bool walkers_build(struct probe *p, double walkers, void *context, struct kernel *k)
{
    (void)p;
    (void)walkers;
    (void)context;
    (void)k;
    return true;
}

bool walkers_build_chase(struct probe *p, void *context, struct kernel *k)
{
    return walkers_build(p, 1, context, k);
}

/* A walker's step that hits takes less than a cycle. */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    (void)p;
    (void)samples;
    (void)context;
    *cycles = build == walkers_build_chase ? latency : 0.5;
    return true;
}

bool sweep_search(struct probe *p, struct sweep *s)
{
    static struct search_point points[WALKERS];

    (void)p;
    for (size_t i = 0; i < WALKERS; i++)
        points[i] = (struct search_point){.x = (double)(i + 1),
                                          .y = latency + grows * fmax(0, (double)(i + 1) - BUFFERS)};
    s->search.points = points;
    s->search.count = WALKERS;
    s->search.verdict.count = 1;
    s->search.verdict.knees[0] = (struct knee){.value = BUFFERS, .low = BUFFERS, .high = BUFFERS + 1};
    return true;
}

void sweeps_free(struct sweep *s, size_t count)
{
    (void)s;
    (void)count;
}

void experiments_of_sweeps(const struct sweep *s, size_t count, struct experiment *out)
{
    (void)s;
    for (size_t i = 0; i < count; i++)
        out[i] = (struct experiment){.knee = 0};
}

struct graded grade_capacity(const struct experiment *e, size_t count, double step)
{
    (void)e;
    (void)count;
    return (struct graded){.value = BUFFERS, .low = BUFFERS, .high = BUFFERS + step, .grade = 'A'};
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    if (f->variants[0].number <= 1)
        found = *f;
}

static enum reason reason_where(double miss_cycles, double growth)
{
    struct run run = {.number = 0};
    struct probe probe = {.definition = __start_probes[0], .run = &run};
    const struct fact bandwidth = {.name = "memory.bandwidth.bytes_per_cycle",
                                   .variants = "level=2 access=load width=256",
                                   .value = 64.0 / LINE_CYCLES,
                                   .grade = 'A'};

    assert_true(facts_set(&run.facts, &bandwidth));
    latency = miss_cycles;
    grows = growth;
    probe.definition->run(&probe);
    facts_forget(&run.facts);
    return found.grade == 'U' ? found.reason : REASON_NONE;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* NEARLY_ALL: twelve misses of 48 cycles need half of what the next level delivers; of 26 cycles, nearly all. */
static void buffers_count_where_lines_could_come_faster(void **state)
{
    (void)state;
    assert_int_equal(reason_where(48, 4), REASON_NONE);
    assert_int_equal(reason_where(26.4, 2.2), REASON_MASKED_BY_BANDWIDTH);
}

/* PARTLY: by Little's law there may be one walker more, under way in part, and not two. */
static void littles_law_agrees_within_a_walker(void **state)
{
    (void)state;
    assert_int_equal(reason_where((BUFFERS + 1.6) * 6, 6), REASON_NONE);
    assert_int_equal(reason_where((BUFFERS - 0.6) * 6, 6), REASON_NONE);
    assert_int_equal(reason_where((BUFFERS + 3) * 6, 6), REASON_VIEWS_DISAGREE);
    assert_int_equal(reason_where((BUFFERS - 2) * 6, 6), REASON_VIEWS_DISAGREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_count_where_lines_could_come_faster),
        cmocka_unit_test(littles_law_agrees_within_a_walker),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
