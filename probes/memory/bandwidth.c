/*
 * Bandwidth: how many bytes a cycle can one core read, write and copy, from each level and by each width?
 *
 * A footprint is read or written line after line, again and again, so that all prefetchers help. It is a part of the
 * level in question, and several times what the level before holds. There is no curve: each level, access and width
 * gives one number. Two experiments:
 *
 *   smaller, larger   two footprints, the second one twice the first: the level before could speed up the smaller one,
 *                     and the level behind slow down the larger one
 *
 * Everything is measured in three passes. Other users of a level or of memory come and go meanwhile: what they disturb
 * differs from pass to pass, and lowers the grade. Users that stay mislead all experiments on memory and on the last
 * cache, so that these never reach grade A. Where results disagree, their range is reported as `between`.
 *
 * Open: on a Raptor Cove copies of 256 bits within the first level, two loads and two stores in a cycle, have several
 * rates, 64 bytes a cycle and 53 to 60, each for milliseconds. Copies of 2 KiB show only the first, copies of 8 KiB
 * and more mostly a lower one, also when both are measured in turn, and whatever the distance of stores from loads.
 *
 * Accesses: load; store; copy, which counts the bytes copied; stream, stores with a hint to bypass the caches.
 *
 * Method: docs/METHODS.md, 7.13. STREAM (McCalpin 1995) reduced to one level, as in clamchowder's suite.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/access.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/structure/caches.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    LEVELS = 4,
    FOOTPRINTS = 2,
    UNROLL = 64,             /* accesses of a block, at most */
    BLOCK_BYTES = 2048,      /* of a block, at most: the offsets of accesses reach no farther, */
    PAIRS_BLOCK_BYTES = 512, /* and those of register pairs only so far */
    PAGE_BYTES = 4096,
    LONGER = 4, /* smaller footprint by the level before, where the level in question has room for that */
    PASSES = 3,
    RESULTS = 256,
    CODE_BYTES = 16384
};

enum access_kind { LOAD, STORE, COPY, STREAM, ACCESS_KINDS };
static const char *const kind_names[ACCESS_KINDS] = {"load", "store", "copy", "stream"};

/* The footprints of one level. */
struct level {
    char name[8]; /* "1", "dram" */
    double bytes[FOOTPRINTS];
    enum reason why_not; /* why the level cannot be measured; REASON_NONE: it can */
    bool shared;         /* other cores or programs may use it at the same time */
};

struct walk {
    const struct area *area, *state;
    const struct emit_access *access;
    enum access_kind kind;
    size_t bytes; /* of the footprint */
};

/*
 * A copy writes behind the part that it reads, at offsets within pages that are one line less. So no load finds a store
 * in flight with the same lowest twelve address bits, unless stores to a whole page are in flight.
 */
enum { COPY_SHIFT = PAGE_BYTES - 64 };

static void emit_block(struct code *c, const struct walk *w, size_t block)
{
    const struct emit_access *a = w->access;
    const unsigned bytes = a->bits / 8, registers = a->registers, first = a->file == ACCESS_GENERAL ? REG_T5 : VREG_0;

    for (size_t at = 0; at < block; at += bytes) {
        const unsigned r = first + (unsigned)(at / bytes) % (4 / registers) * registers;
        if (w->kind == LOAD || w->kind == COPY)
            emit_load_as(c, a, r, REG_T0, (int32_t)at);
        if (w->kind != LOAD)
            emit_store_as(c, a, r, w->kind == COPY ? REG_T1 : REG_T0, (int32_t)at);
    }
}

/* Walks block by block, again and again; T2 counts the blocks left. A call goes on where the previous one ended. */
static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct walk *w = context;
    const struct emit_access *a = w->access;
    const size_t longest = a->registers == 2 ? PAIRS_BLOCK_BYTES : BLOCK_BYTES;
    const size_t block = UNROLL * a->bits / 8 < longest ? UNROLL * a->bits / 8 : longest;
    const size_t half = w->bytes < 2 * PAGE_BYTES ? w->bytes / 2 : w->bytes / 2 / PAGE_BYTES * PAGE_BYTES;
    const size_t part = w->kind == COPY ? half : w->bytes,
                 blocks = part / block; /* at least one block in any footprint */
    struct code c = probe_code(p, CODE_BYTES);
    const uint64_t state[] = {w->area->at, w->area->at + part + COPY_SHIFT, blocks};

    memcpy(w->state->write, state, sizeof state);
    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_load(&c, REG_T1, REG_DATA, 8);
    emit_load(&c, REG_T2, REG_DATA, 16);
    access_clear(&c, a, VREG_0, 4);
    emit_align(&c, 64);
    const size_t loop = c.used;
    emit_block(&c, w, block);
    emit_add_constant(&c, REG_T0, (int32_t)block);
    if (w->kind == COPY)
        emit_add_constant(&c, REG_T1, (int32_t)block);
    emit_add_constant(&c, REG_T2, -1);
    const struct fixup on = emit_branch_if_not_zero_ahead(&c, REG_T2);
    emit_constant(&c, REG_T0, state[0]);
    emit_constant(&c, REG_T1, state[1]);
    emit_constant(&c, REG_T2, blocks);
    emit_land(&c, on);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_store(&c, REG_T1, REG_DATA, 8);
    emit_store(&c, REG_T2, REG_DATA, 16);
    if (a->file != ACCESS_GENERAL)
        emit_wide_end(&c, machine_info()->vector_bits);
    emit_return(&c);
    k->data = w->state->at;
    k->units = (double)block;
    k->warm_iterations = probe_smoke(p, 2, (double)blocks);
    return probe_kernel(p, &c, 0, k);
}

/* ---- Levels ------------------------------------------------------------------------------------- */

/* Footprints in a level of `holds` bytes, longer than the level before it of `before` bytes. */
static struct level between(double before, double holds)
{
    const double larger = before > 0 ? fmin(2 * LONGER * before, holds / 2) : holds / 2;
    const double smaller = before > 0 ? fmin(LONGER * before, larger / 2) : larger / 2;
    return (struct level){.bytes = {smaller, larger},
                          .why_not = !(holds > 0)                               ? REASON_CAPACITY_UNKNOWN
                                     : smaller < CACHE_LONGER_AT_LEAST * before ? REASON_HARDLY_LARGER
                                     : smaller < PAGE_BYTES                     ? REASON_TOO_SMALL
                                                                                : REASON_NONE};
}

/* Footprints in memory, behind a largest cache of so many bytes. */
static struct level behind(double largest)
{
    return (struct level){.name = "dram",
                          .shared = true,
                          .bytes = {CACHES_TO_REACH_MEMORY * largest, 2 * CACHES_TO_REACH_MEMORY * largest},
                          .why_not = largest > 0 ? REASON_NONE : REASON_CAPACITY_UNKNOWN};
}

/* Every level whose capacity is known, and memory behind them. Returns their number. */
static size_t plan_levels(const struct probe *p, double most, struct level levels[LEVELS + 1])
{
    size_t count = 0;
    double largest = 0;

    for (double holds = caches_known(p, 1); count == 0 || (holds > 0 && count < LEVELS);
         holds = caches_known(p, (unsigned)count + 1)) {
        levels[count] = between(largest, holds);
        snprintf(levels[count].name, sizeof levels[count].name, "%zu", count + 1);
        largest = fmax(largest, holds);
        count++;
    }
    levels[count - 1].shared = count > 1; /* the last cache may be shared */
    levels[count++] = behind(largest);
    for (size_t i = 0; i < count; i++)
        if (!levels[i].why_not && levels[i].bytes[FOOTPRINTS - 1] > most)
            levels[i].why_not = REASON_RANGE_ENDS;
    return count;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* One access to one level, and the bytes a cycle of each footprint and pass. */
struct result {
    const struct level *level;
    const struct emit_access *access;
    enum access_kind kind;
    double bytes_per_cycle[FOOTPRINTS][PASSES];
};

static bool measure_result(struct probe *p, const struct area *area, const struct area *state, size_t pass,
                           struct result *r)
{
    for (size_t i = 0; i < FOOTPRINTS; i++) {
        const size_t bytes = (size_t)r->level->bytes[i] / PAGE_BYTES * PAGE_BYTES;
        struct walk w = {area, state, r->access, r->kind, bytes};
        double cycles = NAN;
        if (!(i && probe_smoke(p, 1, 0)) && !sample_cycles(p, 1, build, &w, &cycles))
            return false;
        r->bytes_per_cycle[i][pass] = 1 / cycles;
    }
    return true;
}

static void report_result(struct probe *p, const struct result *r, size_t passes)
{
    const bool shared = r->level->shared || r->kind == STREAM;
    struct experiment_value v[FOOTPRINTS * PASSES];
    double least = INFINITY, most = 0;
    char range[32];
    size_t count = 0;

    for (size_t pass = 0; pass < passes; pass++) {
        v[count++] = (struct experiment_value){"smaller", shared ? "others" : "level before",
                                               r->bytes_per_cycle[0][pass]};
        v[count++] = (struct experiment_value){"larger", shared ? "others" : "level behind",
                                               r->bytes_per_cycle[1][pass]};
    }
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, v[i].value);
        most = fmax(most, v[i].value);
    }
    snprintf(range, sizeof range, "%.3g to %.3g", least, most);
    const bool decided = grade_number(v, count).grade != 'U';
    report_graded_number(
        p,
        &(struct finding){.name = "memory.bandwidth.bytes_per_cycle",
                          .variants = {{"level", r->level->name},
                                       {"access", kind_names[r->kind]},
                                       {"width", .number = r->access->bits},
                                       {access_variant(r->access), .text = access_variant_text(r->access)}},
                          .remarks = {{decided || !(most > 0) ? NULL : "between", range}},
                          .method = "walks over a footprint, and over one twice as long; three passes"},
        v, count);
}

static void report_without(struct probe *p, const struct level *level)
{
    for (enum access_kind kind = LOAD; kind < ACCESS_KINDS; kind++)
        report_number(p,
                      &(struct finding){.name = "memory.bandwidth.bytes_per_cycle",
                                        .variants = {{"level", level->name}, {"access", kind_names[kind]}},
                                        .reason = level->why_not,
                                        .method = "walks over a footprint, and over one twice as long"},
                      NAN);
}

/* Adds every access that the core can execute in this level. Returns their number. */
static size_t add_level(const struct level *level, struct result *out, size_t room)
{
    size_t count = 0;

    for (enum access_kind kind = LOAD; kind < ACCESS_KINDS; kind++)
        for (const struct emit_access *a = emit_accesses; a->name && count < room; a++) {
            const bool can = (kind == STORE || kind == STREAM || a->has_load) && (kind == LOAD || a->has_store);
            if (can && a->streams == (kind == STREAM) && access_represents_width(a) && access_can_run(a))
                out[count++] = (struct result){.level = level, .access = a, .kind = kind};
        }
    return count;
}

static bool measure_all(struct probe *p, double longest, struct result *results, size_t count, size_t passes)
{
    struct area area, state;

    if (!probe_map_large(p, &area, (size_t)longest + 2 * PAGE_BYTES) || !probe_map(p, &state, PAGE_BYTES, 0))
        return false;
    memset(area.write, 1, area.bytes); /* pages that were never written may share one frame */
    for (size_t pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < count; i++)
            if (!measure_result(p, &area, &state, pass, &results[i]))
                return false;
    return true;
}

static void run(struct probe *p)
{
    const size_t passes = (size_t)probe_smoke(p, 1, PASSES);
    struct level levels[LEVELS + 1];
    struct result *results = malloc(RESULTS * sizeof *results);
    double most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30), longest = PAGE_BYTES;
    size_t count = 0;

    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    const size_t level_count = plan_levels(p, most, levels);
    for (size_t i = 0; i < level_count; i++)
        if (!levels[i].why_not && results) {
            longest = fmax(longest, levels[i].bytes[FOOTPRINTS - 1]);
            count += add_level(&levels[i], results + count, RESULTS - count);
        }
    if (!results)
        probe_skip(p, "out of memory for the results");
    else if (measure_all(p, longest, results, count, passes))
        for (size_t i = 0; i < count; i++)
            report_result(p, &results[i], passes);
    free(results);
    for (size_t i = 0; i < level_count && p->outcome == OUTCOME_OK; i++)
        if (levels[i].why_not)
            report_without(p, &levels[i]);
}

PROBE(bandwidth, .title = "Bandwidth", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.bandwidth.bytes_per_cycle", "bytes/cycle",
                            "bytes that one core reads, writes or copies in a cycle, by level and width"}));
