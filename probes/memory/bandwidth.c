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
 * Accesses: load; store; copy, which counts the bytes copied; stream, stores with a hint to bypass the caches; and
 * instructions for blocks of memory, in pieces of 4 KiB: rep movsb, which copies, rep stosb, dc zva.
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
#include "lib/structure/level_footprints.h"

enum {
    UNROLL = 64,             /* accesses of a block, at most */
    BLOCK_BYTES = 2048,      /* of a block, at most: the offsets of accesses reach no farther, */
    PAIRS_BLOCK_BYTES = 512, /* and those of register pairs only so far */
    PAGE_BYTES = 4096,
    PASSES = 3,
    PIECE_BYTES = 4096, /* that an instruction for blocks of memory writes, where the footprint has room for it */
    RESULTS = 256,
    CODE_BYTES = 16384
};

enum access_kind { LOAD, STORE, COPY, STREAM, ACCESS_KINDS };
static const char *const kind_names[ACCESS_KINDS] = {"load", "store", "copy", "stream"};

struct walk {
    const struct area *area, *state;
    const struct emit_access *access;
    const struct emit_block *block; /* in place of an access, which is NULL then */
    enum access_kind kind;
    size_t bytes; /* of the footprint */
};

/*
 * A copy writes behind the part that it reads, at offsets within pages that are one line less. So no load finds a store
 * in flight with the same lowest twelve address bits, unless stores to a whole page are in flight.
 */
enum { COPY_SHIFT = PAGE_BYTES - 64 };

/* Emits the accesses to the next block of the walk. Returns its bytes. */
static size_t emit_accesses_of(struct code *c, const struct walk *w, const struct emit_access *a)
{
    const unsigned bytes = a->bits / 8, registers = a->registers, first = a->file == ACCESS_GENERAL ? REG_T5 : VREG_0;
    const size_t most = (size_t)UNROLL * bytes, longest = registers == 2 ? PAIRS_BLOCK_BYTES : BLOCK_BYTES;
    const size_t block = most < longest ? most : longest;

    for (size_t at = 0; at < block; at += bytes) {
        const unsigned r = first + (unsigned)(at / bytes) % (4 / registers) * registers;
        if (w->kind == LOAD || w->kind == COPY)
            emit_load_as(c, a, r, REG_T0, (int32_t)at);
        if (w->kind != LOAD)
            emit_store_as(c, a, r, w->kind == COPY ? REG_T1 : REG_T0, (int32_t)at);
    }
    emit_add_constant(c, REG_T0, (int32_t)block);
    if (w->kind == COPY)
        emit_add_constant(c, REG_T1, (int32_t)block);
    return block;
}

/* Emits an instruction for the next block of a part of that many bytes. Returns the bytes of the block. */
static size_t emit_block_of(struct code *c, const struct walk *w, size_t part)
{
    const size_t block = part < PIECE_BYTES ? part : PIECE_BYTES;
    const enum reg from = w->kind == COPY ? REG_T2 : REG_T1;

    emit_move(c, from, REG_T0);
    emit_block(c, w->block, block, machine_info()->zero_bytes);
    emit_move(c, REG_T0, from);
    return block;
}

/*
 * Walks block by block, again and again, from T0 and, for what a copy writes, T1 on; T3 counts the blocks left. A call
 * goes on where the previous one ended.
 */
static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct walk *w = context;
    const struct emit_access *a = w->access;
    const bool vectors = a && a->file != ACCESS_GENERAL;
    const size_t half = w->bytes < 2 * PAGE_BYTES ? w->bytes / 2 : w->bytes / 2 / PAGE_BYTES * PAGE_BYTES;
    const size_t part = w->kind == COPY ? half : w->bytes;
    struct code c = probe_code(p, CODE_BYTES);
    uint64_t state[] = {w->area->at, w->area->at + part + COPY_SHIFT, 0};

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_load(&c, REG_T1, REG_DATA, 8);
    emit_load(&c, REG_T3, REG_DATA, 16);
    if (vectors)
        access_clear(&c, a, VREG_0, 4);
    emit_align(&c, 64);
    const size_t loop = c.used, block = a ? emit_accesses_of(&c, w, a) : emit_block_of(&c, w, part);
    state[2] = block ? part / block : 0; /* at least one block in any footprint */
    memcpy(w->state->write, state, sizeof state);
    emit_add_constant(&c, REG_T3, -1);
    const struct fixup on = emit_branch_if_not_zero_ahead(&c, REG_T3);
    emit_constant(&c, REG_T0, state[0]);
    emit_constant(&c, REG_T1, state[1]);
    emit_constant(&c, REG_T3, state[2]);
    emit_land(&c, on);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_store(&c, REG_T1, REG_DATA, 8);
    emit_store(&c, REG_T3, REG_DATA, 16);
    if (vectors)
        emit_wide_end(&c, machine_info()->vector_bits);
    emit_return(&c);
    k->data = w->state->at;
    k->units = (double)block;
    k->warm_iterations = probe_smoke(p, 2, (double)state[2]);
    return probe_kernel(p, &c, 0, k);
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* One access to one level, and the bytes a cycle of each footprint and pass. */
struct result {
    const struct level_footprints *level;
    const struct emit_access *access;
    const struct emit_block *block;
    enum access_kind kind;
    double bytes_per_cycle[FOOTPRINTS][PASSES];
};

static bool measure_result(struct probe *p, const struct area *area, const struct area *state, size_t pass,
                           struct result *r)
{
    for (size_t i = 0; i < FOOTPRINTS; i++) {
        const size_t bytes = (size_t)r->level->bytes[i] / PAGE_BYTES * PAGE_BYTES;
        struct walk w = {area, state, r->access, r->block, r->kind, bytes};
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
    const char *registers = r->block ? NULL : access_variant(r->access);
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
                                       {"access", r->block ? r->block->name : kind_names[r->kind]},
                                       {r->block ? NULL : "width", .number = r->block ? 0 : r->access->bits},
                                       {registers, .text = registers ? access_variant_text(r->access) : NULL}},
                          .remarks = {{decided || !(most > 0) ? NULL : "between", range}},
                          .method = "walks over a footprint, and over one twice as long; three passes"},
        v, count);
}

static void report_without(struct probe *p, const struct level_footprints *level)
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
static size_t add_level(const struct level_footprints *level, struct result *out, size_t room)
{
    size_t count = 0;

    for (enum access_kind kind = LOAD; kind < ACCESS_KINDS; kind++)
        for (const struct emit_access *a = emit_accesses; a->name && count < room; a++) {
            const bool can = (kind == STORE || kind == STREAM || a->has_load) && (kind == LOAD || a->has_store);
            if (can && a->streams == (kind == STREAM) && access_represents_width(a) && access_can_run(a))
                out[count++] = (struct result){.level = level, .access = a, .kind = kind};
        }
    for (const struct emit_block *b = emit_blocks; b->name && count < room; b++)
        if (!b->zeroes || machine_info()->zero_bytes)
            out[count++] = (struct result){.level = level, .block = b, .kind = b->copies ? COPY : STORE};
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
    struct level_footprints levels[FOOTPRINT_LEVELS];
    struct result *results = malloc(RESULTS * sizeof *results);
    double most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30), longest = PAGE_BYTES;
    size_t count = 0;

    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    const size_t level_count = level_footprints(p, most, levels);
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
