/*
 * Load to use: how many cycles until the value of a load can be used, for each way to use it?
 *
 * Experiment: a ring of words in the first-level cache, in random order, each leading to the next. A chain of loads
 * walks it. One link of the chain is what passes from one load to the next: through a base register, an index, a
 * narrow load and its extension, the second register of a pair, an addition (arch/emit_modes.h). Where a link has
 * other instructions besides, of one cycle each, these are subtracted.
 *
 *   short   31 words next to each other: a predictor of addresses or values could learn that
 *   long    127 words, one to a line where the mode reaches so far: much to learn, but the cache has to hold them all
 *
 * Both rings are linked anew for each sample, and neither length has a factor in common with the loop's: that guards
 * against predicted loads (lib/kernels/pointer_chase.h).
 *
 * Crossing: the same chain of pointers, with words across a boundary of 8, 16, 32, 64 bytes or a page, and across none
 * that is larger. Again two experiments: all words cross the boundary, or every second one, the others being aligned.
 *
 * There is no curve: each mode and each boundary is one number. Inference: cycles of a link, from two experiments.
 *
 * Sources: the modes are those of jia.je's reviews (2025, Apple M4), and what x86-64 has instead; rings are ours.
 * docs/METHODS.md, 7.10.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"

enum {
    SHORT = 31, /* words of a ring */
    LONG = 127,
    LINE_BYTES = 64,
    UNROLL = 16,  /* links an iteration */
    ORIGIN = 512, /* bytes from the beginning of its area to the ring of a mode: offsets may be negative */
    AREA_BYTES = 32 << 10,
    CODE_BYTES = 4096,
    SAMPLES = 5,
    MODES = 32, /* at most */
    EXPERIMENTS = 2,
    PAGE_WORDS = 3, /* in a ring across pages: all lie in the same two sets, and so few fit any cache */
    PAGE_TURNS = 5  /* the same where every second word is aligned */
};

/* The boundaries that a word may cross: multiples of so many bytes, and then of a page. */
static const size_t boundaries[] = {8, 16, 32, 64};
enum { CROSSINGS = sizeof boundaries / sizeof boundaries[0] + 1 };

/* Where the words lie, and the page with the values of REG_T0 and REG_T2 with which the chain continues. */
struct place {
    struct area words, state;
};

/* The words of a ring, `pitch` bytes apart from offset `first` on; every second one moved back by `moved` bytes. */
struct ring {
    const struct emit_mode *mode;
    const struct place *place;
    size_t count, first, pitch, moved;
};

static uint64_t address_of(const struct ring *r, size_t i)
{
    return r->place->words.at + r->first + i * r->pitch - (i % 2 ? r->moved : 0);
}

static void link_ring(struct probe *p, const struct ring *r)
{
    const struct emit_mode *m = r->mode;
    const struct area *words = &r->place->words;
    /* an index with a sign is as often below the base as above it */
    const uint64_t base = words->at + r->first + (m->is_signed ? r->count / 2 * r->pitch : 0);
    const uint64_t origin = (m->origin == MODE_BASE ? base : 0) + (uint64_t)(int64_t)m->offset;
    const int64_t scale = m->scale;
    uint32_t next[LONG];
    uint64_t state[2] = {(uint64_t)((int64_t)(address_of(r, 0) - origin) / scale),
                         m->origin == MODE_BASE ? base : m->constant};

    random_cycle(next, (uint32_t)r->count, &p->random);
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t here = address_of(r, i);
        const int64_t word = (int64_t)(address_of(r, next[i]) - (m->origin == MODE_SELF ? here : origin)) / scale;
        memcpy(words->write + (here - words->at) + m->word, &word, m->bits / 8); /* little-endian */
    }
    memcpy(r->place->state.write, state, sizeof state);
}

static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct ring *r = context;
    struct code c = probe_code(p, CODE_BYTES);

    link_ring(p, r);
    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_load(&c, REG_T2, REG_DATA, 8);
    emit_align(&c, LINE_BYTES);
    const size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i += 2)
        emit_mode_links(&c, r->mode);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    k->data = r->place->state.at;
    k->units = UNROLL;
    k->warm_iterations = 2.0 * (double)r->count / UNROLL;
    return probe_kernel(p, &c, 0, k);
}

/* ---- Modes and crossings ------------------------------------------------------------------------ */

/* One row of the table: the result of its two experiments, in cycles. */
struct row {
    const char *mode;
    char crossing[8]; /* "none", "64", "page" */
    double cycles[EXPERIMENTS];
};

static bool measure_mode(struct probe *p, const struct place *place, const struct emit_mode *m, struct row *out)
{
    struct ring rings[EXPERIMENTS] = {
        {m, place, .count = SHORT, .first = ORIGIN, .pitch = m->bytes > 8 ? m->bytes : 8},
        {m, place, .count = LONG, .first = ORIGIN, .pitch = m->bits > 8 ? LINE_BYTES : 1}, /* index of eight bits */
    };

    *out = (struct row){.mode = m->name, .crossing = "none", .cycles = {NAN, NAN}};
    for (size_t i = 0; i < (size_t)probe_smoke(p, 1, EXPERIMENTS); i++) {
        if (!sample_cycles(p, SAMPLES, build, &rings[i], &out->cycles[i]))
            return false;
        out->cycles[i] -= m->more;
    }
    return true;
}

/* Words lie twice the boundary apart, half of each behind it, so that no larger boundary is crossed. */
static bool measure_crossing(struct probe *p, const struct place *place, size_t boundary, double aligned,
                             struct row *out)
{
    const struct emit_mode *m = &emit_modes[0];
    const bool page = boundary == place->words.page_bytes;
    const size_t half = m->bytes / 2;
    struct ring all = {m, place, .count = page ? PAGE_WORDS : SHORT, .first = boundary - half, .pitch = 2 * boundary};
    struct ring turns = all;
    double both = NAN;

    *out = (struct row){.mode = m->name};
    snprintf(out->crossing, sizeof out->crossing, page ? "page" : "%zu", boundary);
    turns.count = page ? PAGE_TURNS : SHORT;
    turns.moved = half + boundary / 2 / m->bytes * m->bytes;
    if (!sample_cycles(p, SAMPLES, build, &all, &out->cycles[0]) || !sample_cycles(p, SAMPLES, build, &turns, &both))
        return false;
    const size_t moved = turns.count / 2;
    out->cycles[1] = (both * (double)turns.count - aligned * (double)moved) / (double)(turns.count - moved);
    return true;
}

/* ---- Report ------------------------------------------------------------------------------------- */

static void report_row(struct probe *p, const struct row *row)
{
    const bool crossing = strcmp(row->crossing, "none") != 0;
    const struct experiment_value v[EXPERIMENTS] = {
        {crossing ? "all" : "short", crossing ? "misses" : "prediction", row->cycles[0]},
        {crossing ? "turns" : "long", crossing ? "aligned loads" : "misses", row->cycles[1]},
    };

    report_graded_number(
        p,
        &(struct finding){.name = "memory.load_use.cycles",
                          .variants = {{"mode", row->mode}, {"crossing", row->crossing}},
                          .remarks = {{"guard", POINTER_CHASE_GUARD}},
                          .method = crossing ? "chain of words across the boundary; chain of those and aligned ones"
                                             : "chains over a short ring and a long one, in the first level"},
        v, EXPERIMENTS);
}

static void send_rows(struct probe *p, const struct row *rows, size_t count)
{
    struct record r;

    record_table(p, &r, "rows");
    RECORD_COLUMNS(&r, "mode", "crossing", "first_cycles", "second_cycles");
    for (size_t i = 0; i < count; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, rows[i].mode);
        record_text(&r, NULL, rows[i].crossing);
        for (size_t e = 0; e < EXPERIMENTS; e++)
            record_number(&r, NULL, rounded(rows[i].cycles[e]));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    const size_t page = machine_info()->page_bytes[0], pages = 2 * PAGE_TURNS * page;
    struct row rows[MODES + CROSSINGS] = {{.mode = NULL}};
    struct place place;
    size_t count = 0;

    if (!probe_map(p, &place.words, pages > AREA_BYTES ? pages : AREA_BYTES, page) ||
        !probe_map(p, &place.state, page, page))
        return;
    for (const struct emit_mode *m = emit_modes; m->name && count < MODES; m++)
        if (!measure_mode(p, &place, m, &rows[count++]))
            return;
    for (size_t i = 0; i < CROSSINGS; i++)
        if (!measure_crossing(p, &place, i < CROSSINGS - 1 ? boundaries[i] : page, rows[0].cycles[0], &rows[count++]))
            return;
    send_rows(p, rows, count);
    for (size_t i = 0; i < count; i++)
        report_row(p, &rows[i]);
}

PROBE(load_use, .title = "Load to use", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.load_use.cycles", "cycles",
                            "from a load to the use of what it brought, by address and by boundary crossed"}));
