/*
 * NUMA: how long does a load take from memory of each node, and how fast does one core load it, by the node of the core?
 *
 * Experiment: memory of each node in turn, chosen by what firmware or the operating system says of nodes: a pointer chase
 * over four times the largest cache, in groups of 16 pages, so that TLBs hardly count; and a walk over the lines of as
 * much again, half of it, in order. One core of each node measures both, one after the other, three times, always on from
 * where the one before has stopped: what it comes to is in no cache, neither its own nor another core's.
 *
 * There is no curve: a matrix of latencies, one of bandwidths, the rows of which are nodes of cores, the columns nodes of
 * memory. Each number is the middle one of three passes, its interval that of all. One experiment: grade C.
 *
 * What could mislead: others that use the memory; a hypervisor that lists nodes as it likes. Clocks do not, as times are
 * nanoseconds, but for an idle core's that has just been taken, so the first window of each pass does not count. Page
 * tables may lie in another node, but are seldom read. Bandwidth is that of one core, what it may have in flight by the
 * latency: memory itself may deliver more.
 *
 * docs/METHODS.md, 9.8. Sources: ACPI specification 6.5, 5.2.16, 5.2.17 and 5.2.28 (nodes, and what is declared of them);
 * matrices by nodes as in Mess (Esmaili-Dokht et al. 2024).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/line_walk.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/kernel_ns.h"
#include "lib/probe/matrix.h"
#include "lib/probe/nodes.h"
#include "lib/probe/probe.h"
#include "lib/structure/caches.h"
#include "lib/structure/pass_range.h"

enum {
    NODES = 16,
    LEVELS = 4,
    GROUP_LINES = 16 * 4096 / POINTER_CHASE_LINE_BYTES,
    UNROLL = 64,
    PASSES = 3,
    CODE_BYTES = 4096
};

/* What a core measures of a node's memory. */
enum { LATENCY, BANDWIDTH, QUANTITIES };
static const struct {
    const char *finding, *matrix, *unit, *method;
} quantities[QUANTITIES] = {
    {"memory.numa.latency_ns", "latency", "ns", "a chase over memory of one node, by a core of another"},
    {"memory.numa.bytes_per_ns", "bandwidth", "bytes/ns", "a walk over memory of one node, by a core of another"}};

struct numa {
    struct probe *p;
    size_t bytes; /* of the chase */
    uint32_t rows[NODES], columns[NODES];
    size_t row_count, column_count;
    unsigned cores[NODES];        /* that measure, by row */
    const char *no_core[NODES];   /* why none does, by row */
    const char *no_memory[NODES]; /* why there is none, by column */
    double passes[NODES][NODES][QUANTITIES][PASSES];
    struct pointer_chase chase;
    struct area walk, place; /* what is walked, and where the walk continues */
};

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static bool build_walk(struct numa *n, struct kernel *k)
{
    struct code c = probe_code(n->p, CODE_BYTES);

    line_walk_emit(&c, n->walk.at, n->walk.bytes, false);
    emit_return(&c);
    *k = (struct kernel){.data = n->place.at, .units = 1};
    return probe_kernel(n->p, &c, 0, k);
}

/* The core in use measures. False: the probe is over. */
static bool measure(struct numa *n, double (*cell)[PASSES], size_t pass)
{
    const uint64_t iterations = (uint64_t)probe_smoke(n->p, 1, 16), lines = (uint64_t)probe_smoke(n->p, 2, 512);
    const unsigned unroll = pointer_chase_unroll(n->bytes / POINTER_CHASE_LINE_BYTES, UNROLL);
    struct kernel k = {.units = 1};
    double ns;

    if (!pointer_chase_kernel(n->p, &n->chase, unroll, &k) || !kernel_ns(n->p, &k, iterations, &ns))
        return false;
    cell[LATENCY][pass] = ns / unroll;
    if (!build_walk(n, &k) || !kernel_ns(n->p, &k, lines, &ns))
        return false;
    cell[BANDWIDTH][pass] = LINE_WALK_LINES * LINE_WALK_LINE / ns;
    return true;
}

/* Each row's core measures that column's memory. False: the probe is over. */
static bool measure_column(struct numa *n, size_t column)
{
    const size_t passes = (size_t)probe_smoke(n->p, 1, PASSES);

    for (size_t pass = 0; pass < passes; pass++)
        for (size_t row = 0; row < n->row_count; row++) {
            if (!n->no_core[row] && machine_info()->core != n->cores[row])
                n->no_core[row] = machine_use_core(n->cores[row]);
            if (!n->no_core[row] && !measure(n, n->passes[row][column], pass))
                return false;
        }
    return true;
}

/* Maps and links what is measured of a node's memory; sets n->no_memory where there is none. False: the probe is over. */
static bool map_column(struct numa *n, size_t column)
{
    const size_t lines = n->bytes / POINTER_CHASE_LINE_BYTES;
    struct area all;

    n->no_memory[column] = nodes_map_large(&all, n->bytes + n->bytes / 2, n->columns[column]);
    if (n->no_memory[column])
        return true;
    n->chase = (struct pointer_chase){.ring = all};
    n->chase.ring.bytes = n->bytes;
    n->walk = all;
    n->walk.write += n->bytes;
    n->walk.at += n->bytes;
    n->walk.bytes = n->bytes / 2;
    for (size_t i = 0; i < n->walk.bytes; i += LINE_WALK_LINE) /* lines that were never written may be compressed */
        n->walk.write[i] = 1;
    if (!pointer_chase_map_beside(n->p, &n->chase) || !probe_map(n->p, &n->place, sizeof(struct line_walk), 0))
        return false;
    *(struct line_walk *)n->place.write = line_walk_start(n->walk.at, n->walk.bytes);
    pointer_chase_link(n->p, &n->chase, 0, lines, GROUP_LINES);
    return true;
}

/* ---- Reporting --------------------------------------------------------------------------------------------------- */

static void declared_text(char *out, size_t room, const struct machine_way *w, size_t quantity)
{
    size_t used = 0;

    *out = 0;
    if (w->distance > 0)
        used = (size_t)snprintf(out, room, "distance %.3g", w->distance);
    if (quantity == LATENCY && w->ns > 0)
        snprintf(out + used, room - used, "%s%.4g ns", used ? ", " : "", w->ns);
    if (quantity == BANDWIDTH && w->bytes_per_ns > 0)
        snprintf(out + used, room - used, "%s%.4g bytes/ns", used ? ", " : "", w->bytes_per_ns);
}

static void report_cell(struct numa *n, size_t row, size_t column, size_t quantity, const struct pass_range *r)
{
    const struct machine_way way = machine_way(n->rows[row], n->columns[column]);
    const char *why = n->no_memory[column] ? n->no_memory[column] : n->no_core[row];
    const enum reason reason = why ? REASON_PLATFORM : r->reason;
    char declared[96];

    declared_text(declared, sizeof declared, &way, quantity);
    report(n->p,
           &(struct finding){.name = quantities[quantity].finding,
                             .variants = {{"cpu_node", .number = n->rows[row]}, {"node", .number = n->columns[column]}},
                             .value = reason ? (double)NAN : r->value,
                             .low = reason ? (double)NAN : r->least,
                             .high = reason ? (double)NAN : r->greatest,
                             .grade = reason ? 'U' : 'C',
                             .reason = reason,
                             .detail = why,
                             .remarks = {{*declared ? "declared" : NULL, declared}},
                             .method = quantities[quantity].method});
}

/* The matrix, and then its cells, as findings. */
static void report_quantity(struct numa *n, size_t quantity)
{
    double rows[NODES], columns[NODES], cells[NODES * NODES];
    struct matrix m = {quantities[quantity].matrix,
                       "cpu_node",
                       "node",
                       quantities[quantity].unit,
                       n->row_count,
                       n->column_count,
                       rows,
                       columns,
                       cells,
                       NODES};
    struct pass_range ranges[NODES][NODES];

    for (size_t row = 0; row < n->row_count; row++)
        for (size_t column = 0; column < n->column_count; column++) {
            rows[row] = n->rows[row];
            columns[column] = n->columns[column];
            ranges[row][column] = pass_range_of(n->passes[row][column][quantity], PASSES);
            *matrix_cell(&m, row, column) = ranges[row][column].value;
        }
    matrix_send(n->p, &m);
    for (size_t row = 0; row < n->row_count; row++)
        for (size_t column = 0; column < n->column_count; column++)
            report_cell(n, row, column, quantity, &ranges[row][column]);
}

static void report_count(struct probe *p, size_t count)
{
    report_number(p,
                  &(struct finding){.name = "memory.numa.nodes",
                                    .method = count ? "as firmware or the operating system lists them"
                                                    : "nothing lists nodes: all memory counts as one"},
                  count ? (double)count : 1);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Rows are nodes with cores, columns nodes with memory. */
static void find_nodes(struct numa *n, const struct machine_node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned core = 0;
        const char *why_not;
        const bool usable = nodes_core(nodes[i].id, &core, &why_not);
        if ((usable || why_not) && n->row_count < NODES) {
            n->cores[n->row_count] = core;
            n->no_core[n->row_count] = usable ? NULL : why_not;
            n->rows[n->row_count++] = nodes[i].id;
        }
        if (nodes[i].bytes && n->column_count < NODES)
            n->columns[n->column_count++] = nodes[i].id;
    }
    for (double *v = &n->passes[0][0][0][0], *end = v + NODES * NODES * QUANTITIES * PASSES; v < end; v++)
        *v = (double)NAN;
}

/* What each chase takes: four times the largest cache; 0: none is known. */
static size_t bytes_of_chase(const struct probe *p)
{
    double caches = 0;
    size_t bytes = (size_t)probe_smoke(p, 1 << 16, 1 << 22);

    for (unsigned level = 1; level <= LEVELS; level++)
        caches = fmax(caches, caches_known(p, level));
    while ((double)bytes < probe_smoke(p, 0, 4 * caches))
        bytes *= 2;
    return caches > 0 || probe_is_smoke(p) ? bytes : 0;
}

static void measure_all(struct numa *n)
{
    const unsigned first = machine_info()->core;

    for (size_t column = 0; column < n->column_count; column++) {
        const size_t mark = machine_map_mark();
        if (!map_column(n, column) || (!n->no_memory[column] && !measure_column(n, column)))
            return;
        probe_release(n->p, mark);
    }
    if (machine_info()->core != first && machine_use_core(first)) {
        probe_skip(n->p, "the core that measured could not be taken again");
        return;
    }
    for (size_t quantity = 0; quantity < QUANTITIES; quantity++)
        report_quantity(n, quantity);
}

static void run(struct probe *p)
{
    size_t count;
    const struct machine_node *nodes = machine_nodes(&count);
    struct numa *n;

    report_count(p, count);
    if (count < 2)
        return;
    n = probe_calloc(p, 1, sizeof *n);
    if (!n)
        return;
    n->p = p;
    n->bytes = bytes_of_chase(p);
    if (n->bytes) {
        find_nodes(n, nodes, count);
        measure_all(n);
    } else {
        report_number(p, &(struct finding){.name = quantities[0].finding, .reason = REASON_NO_DECLARED_SIZE},
                      (double)NAN);
    }
    free(n);
}

PROBE(numa, .title = "Memory by node", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.numa.nodes", "nodes", "nodes of memory and cores that are declared (NUMA)"},
                           {"memory.numa.latency_ns", "ns",
                            "latency of a node's memory, by the node of the core that loads it"},
                           {"memory.numa.bytes_per_ns", "bytes/ns",
                            "bytes of lines that one core loads of a node's memory, by the node of the core"}));
