/*
 * Way prediction: does the first-level data cache guess the way by a hash of the virtual address, and of which bits?
 *
 * Such a cache keeps a short tag with each line, a hash of the virtual address that the line was used by last, and looks
 * only where that tag fits. Two addresses of one set show it, loaded in turn:
 *
 *   aliases      both show the same line of one frame. Different hashes: each load finds a tag of the other address, and
 *                is slow; equal hashes: fast
 *   collisions   they show lines of different frames, which both have room in the set. Equal hashes: only one of them
 *                can be found at a time, and each load is slow; different hashes: fast
 *
 * So the two experiments must say the opposite of each other for every difference of addresses; and where nothing is
 * ever slow, no hash is used. Which bits are XORed follows from what collides (lib/fit/gf2.h).
 *
 * A window's memory is a long row of pages on few frames: mostly runs of frames in order, from a random one on, and here
 * and there a run on one frame alone. So for any two addresses' difference there are pages that share a frame, and
 * pages that do not.
 *
 * The chain of loads goes to and fro between the two lines, each time by another of the words in them, in random order:
 * a word holds what the address is to be XORed with. No load sees the same address or the same value twice in a
 * row, so that predicted loads hide nothing.
 *
 * How high the bits are that can be chosen is told; those above them may be part of the same functions.
 *
 * Where the set is chosen by bits above the page, two addresses may fall into different sets: then aliases may be slow
 * and collisions fast though there is no hash, and the experiments disagree.
 *
 * Method: Lipp et al. 2020, Take A Way; jia.je 2025 for Apple's, Ampere's and Qualcomm's cores.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/fit/gf2.h"
#include "lib/matrix.h"
#include "lib/probe.h"

enum {
    LINE_BYTES = 64,
    WORDS = LINE_BYTES / 8,
    LINE_AT = 13 * LINE_BYTES,    /* in its page: not where other pages keep what is used most */
    UNROLL = 2 * WORDS - 1,       /* odd, so that each load comes to all words */
    RUN_PAGES = 16,               /* frames in order */
    SINGLE_FRAME = RUN_PAGES - 1, /* the one that single runs show; every other run has it too */
    TRIES = 1 << 20,
    MISSING = 5, /* measurements without a number, one after the other, before it is given up */
    MASKS = 12,
    CODE_BYTES = 4096,
    TEXT = 192
};
enum experiment { ALIASES, COLLISIONS, EXPERIMENTS };
static const char MATRIX[] = "one bit apart";
static const char *const names[EXPERIMENTS] = {"aliases", "collisions"};
static const char *const findings[] = {"memory.way_hash.bits", "memory.way_hash.functions"};
enum { HASH_FINDINGS = sizeof findings / sizeof findings[0] };

/* Loads take whole cycles: what is slow takes one more at least. */
static const double SLOWER = 0.5;
/* Part of single measurements that may say the wrong thing: neighbours take time, and two lines may be unlucky. */
static const double ERROR = 0.03;

struct pair {
    struct probe *p;
    struct area area, start, order;
    size_t *frames;   /* of the area's pages */
    uint64_t reached; /* address bits that can be chosen */
    uintptr_t from;   /* the first address with all of them 0 */
    struct kernel kernel;
    double fast; /* cycles of a load where both addresses are the same one */
    enum experiment experiment;
};

/* ---- Pages -------------------------------------------------------------------------------------- */

/* A power of two of pages. Half of them lie between two multiples of what that half spans: those are used. */
static bool map(struct pair *q, size_t pages, size_t single_every)
{
    struct probe *p = q->p;
    const size_t page_bytes = machine_info()->page_bytes[0], half = pages / 2 * page_bytes;
    size_t shift = 0;

    if (!probe_map(p, &q->order, pages * sizeof *q->frames, 0))
        return false;
    q->frames = (size_t *)q->order.write;
    for (size_t i = 0; i < pages; i++) {
        if (i % RUN_PAGES == 0)
            shift = random_below(&p->random, RUN_PAGES);
        q->frames[i] = i / RUN_PAGES % single_every ? shift + i % RUN_PAGES : SINGLE_FRAME;
    }
    const char *why = machine_map_frames(&q->area, q->frames, pages, page_bytes, AREA_DATA);
    if (why)
        return probe_skip(p, why);
    q->from = (q->area.at + half - 1) & ~(uintptr_t)(half - 1);
    q->reached = half - page_bytes;
    return probe_map(p, &q->start, sizeof(uint64_t), 0);
}

static size_t frame_of(const struct pair *q, uintptr_t address)
{
    return q->frames[(address - q->area.at) / q->area.page_bytes];
}

/* Two addresses with that difference, on one frame or on two. Where they are follows from `base`. */
static bool choose(const struct pair *q, uint64_t base, uint64_t difference, uintptr_t *one, uintptr_t *other)
{
    uint64_t random = base;

    for (unsigned i = 0; i < TRIES; i++, base = random_next(&random) & q->reached) {
        *one = q->from + base;
        *other = q->from + (base ^ difference);
        if ((frame_of(q, *one) == frame_of(q, *other)) == (q->experiment == ALIASES))
            return true;
    }
    return probe_skip(q->p, "no two pages of that difference are on such frames");
}

/* ---- Loads in turn ------------------------------------------------------------------------------ */

static bool build(struct pair *q)
{
    struct code c = probe_code(q->p, CODE_BYTES);

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, LINE_BYTES);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++) {
        emit_load(&c, REG_T1, REG_T0, 0);
        emit_xor(&c, REG_T0, REG_T1);
    }
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    q->kernel = (struct kernel){.data = q->start.at, .units = UNROLL, .warm_iterations = 2};
    return probe_kernel(q->p, &c, 0, &q->kernel);
}

static void write_words(const struct pair *q, uintptr_t address, uint64_t difference, const uint32_t next[WORDS])
{
    uint64_t *line = (uint64_t *)(q->area.write + frame_of(q, address) * q->area.page_bytes + LINE_AT);

    for (uint32_t i = 0; i < WORDS; i++)
        line[i] = difference ^ (i ^ next[i]) * sizeof *line;
}

/* Cycles of a load, and of what leads from one to the next. NaN where it cannot be told. */
static bool measure(struct pair *q, uintptr_t one, uintptr_t other, double *cycles)
{
    uint32_t next[WORDS];
    struct point pt;

    random_cycle(next, WORDS, &q->p->random);
    write_words(q, one, one ^ other, next);
    write_words(q, other, one ^ other, next);
    *(uint64_t *)q->start.write = one + LINE_AT;
    bool good = probe_measure(q->p, &q->kernel, &pt);
    *cycles = pt.q20;
    return good;
}

/* Ends the probe: nothing is told. */
static bool untimed(const struct pair *q)
{
    for (size_t i = 0; i < HASH_FINDINGS; i++)
        report_number(
            q->p,
            &(struct finding){.name = findings[i], .reason = "loads cannot be timed: something else runs all the time"},
            (double)NAN);
    return false;
}

static bool measure_pair(struct pair *q, uint64_t base, uint64_t difference, double *cycles)
{
    uintptr_t one, other;

    *cycles = NAN;
    if (!choose(q, base, difference, &one, &other))
        return false;
    for (unsigned i = 0; i < MISSING && isnan(*cycles); i++)
        if (!measure(q, one, other, cycles))
            return false;
    return !isnan(*cycles) || untimed(q);
}

static bool is_slow(struct pair *q, uint64_t base, uint64_t difference, bool *slow)
{
    double cycles;

    if (!measure_pair(q, base, difference, &cycles))
        return false;
    *slow = cycles > q->fast + SLOWER;
    return true;
}

/* What is decided from, for people: addresses that differ in one bit. */
static bool send_bits(struct pair *q)
{
    enum { BITS = 64 };
    double experiments[EXPERIMENTS] = {1, 2}, bits[BITS], cells[EXPERIMENTS][BITS];
    const struct matrix m = {.name = MATRIX,
                             .row_axis = "frames",
                             .column_axis = "bit",
                             .unit = "cycles/load",
                             .row_count = EXPERIMENTS,
                             .column_count = (size_t)__builtin_popcountll(q->reached),
                             .rows = experiments,
                             .columns = bits,
                             .cells = cells[0],
                             .pitch = BITS};

    for (enum experiment i = ALIASES; i < EXPERIMENTS; i++) {
        uint64_t left = q->reached;
        q->experiment = i;
        for (size_t bit = 0; left; bit++, left &= left - 1) {
            bits[bit] = __builtin_ctzll(left);
            if (!measure_pair(q, random_next(&q->p->random) & q->reached, left & -left, matrix_cell(&m, i, bit)))
                return false;
        }
    }
    matrix_send(q->p, &m);
    return true;
}

/* Nothing is slow where both addresses are the same. */
static bool measure_control(struct pair *q)
{
    enum { ROUNDS = 5 };
    double cycles[ROUNDS];
    size_t count = 0;

    for (size_t i = 0; i < ROUNDS; i++) {
        const uintptr_t at = q->from + (random_next(&q->p->random) & q->reached);
        if (!measure(q, at, at, &cycles[count]))
            return false;
        count += isnan(cycles[count]) ? 0 : 1;
    }
    q->fast = count ? median(cycles, count) : NAN;
    return count > 0 || untimed(q);
}

/* Equal hashes are fast with aliases and slow with collisions. */
static bool collide(void *context, uint64_t base, uint64_t difference, bool *answer)
{
    struct pair *q = context;

    if (!is_slow(q, base, difference, answer))
        return false;
    *answer = *answer == (q->experiment == COLLISIONS);
    return true;
}

static bool fast(void *context, uint64_t base, uint64_t difference, bool *answer)
{
    if (!is_slow(context, base, difference, answer))
        return false;
    *answer = !*answer;
    return true;
}

/* ---- The hash ----------------------------------------------------------------------------------- */

static struct gf2_question question(struct pair *q, enum experiment experiment)
{
    q->experiment = experiment;
    return (struct gf2_question){.bits = q->reached,
                                 .most = (unsigned)probe_scale(q->p, 3, 8, MASKS, MASKS),
                                 .checks = (unsigned)probe_scale(q->p, 8, 100, 200, 500),
                                 .error = ERROR,
                                 .collide = collide,
                                 .context = q,
                                 .random = &q->p->random};
}

/*
 * Is any difference slow? Random ones: with aliases a hash shows in half of them or more. With collisions it shows where
 * a bit that takes no part differs, or two that are XORed: so each bit, and as many pairs.
 */
static bool anything_slow(struct pair *q, enum experiment experiment, bool *slow)
{
    struct gf2_question ask = question(q, experiment);
    const unsigned count = (unsigned)__builtin_popcountll(q->reached);

    ask.collide = fast;
    *slow = false;
    if (experiment == ALIASES) {
        struct gf2_answer none = {.null = q->reached};
        bool good = gf2_check(&ask, &none);
        *slow = none.reason != NULL;
        return good;
    }
    const uint64_t lowest = q->reached & -q->reached;
    for (unsigned i = 0; i < count && !*slow; i++)
        for (unsigned j = 0; j <= i && !*slow; j++) {
            const uint64_t difference = i == j ? lowest << i : lowest << i | lowest << j;
            bool fast_again = false;
            for (unsigned twice = 0; twice < 2 && !fast_again; twice++)
                if (!fast(q, random_next(ask.random) & q->reached, difference, &fast_again))
                    return false;
            *slow = !fast_again;
        }
    return true;
}

/* What one experiment says: masks, none (its count is 0), or why not. */
static bool find_masks(struct pair *q, enum experiment experiment, struct gf2_answer *out)
{
    const struct gf2_question ask = question(q, experiment);
    bool slow;

    *out = (struct gf2_answer){.null = q->reached};
    if (!anything_slow(q, experiment, &slow))
        return false;
    return !slow || gf2_find(&ask, out);
}

/* The other experiment, asked about the masks that this one found. Where it says otherwise, what it says by itself. */
static bool compare(struct pair *q, struct gf2_answer answers[EXPERIMENTS])
{
    const struct gf2_question ask = question(q, COLLISIONS);

    if (answers[ALIASES].reason || !answers[ALIASES].count)
        return find_masks(q, COLLISIONS, &answers[COLLISIONS]);
    answers[COLLISIONS] = answers[ALIASES];
    answers[COLLISIONS].checked = answers[COLLISIONS].missed = 0;
    if (!gf2_check(&ask, &answers[COLLISIONS]))
        return false;
    return !answers[COLLISIONS].reason || find_masks(q, COLLISIONS, &answers[COLLISIONS]);
}

static bool same(const struct gf2_answer *a, const struct gf2_answer *b)
{
    char text[2][TEXT];

    gf2_text(a, text[0], TEXT);
    gf2_text(b, text[1], TEXT);
    for (size_t i = 0; i < a->count; i++)
        if (a->masks[i] != b->masks[i])
            return false;
    return a->count == b->count;
}

static void report_hash(struct pair *q, const struct gf2_answer answers[EXPERIMENTS])
{
    const struct gf2_answer *aliases = &answers[ALIASES], *collisions = &answers[COLLISIONS];
    const bool both = !aliases->reason && !collisions->reason, disagree = both && !same(aliases, collisions);
    char functions[TEXT], reached[TEXT];
    struct find_value values[EXPERIMENTS];

    for (enum experiment i = ALIASES; i < EXPERIMENTS; i++)
        values[i] = (struct find_value){names[i], names[i],
                                        disagree || answers[i].reason ? NAN : (double)answers[i].count};
    gf2_text(aliases->reason ? collisions : aliases, functions, sizeof functions);
    snprintf(reached, sizeof reached, "%d to %d", __builtin_ctzll(q->reached), 63 - __builtin_clzll(q->reached));
    for (size_t i = 0; i < HASH_FINDINGS; i++) {
        const struct finding f = {.name = findings[i],
                                  .reason = disagree ? "experiments-disagree" : aliases->reason,
                                  .method = "differences of addresses that collide, and that do not",
                                  .curves = {MATRIX},
                                  .remarks = {{"functions", functions}, {"reached", reached}}};
        if (disagree || (aliases->reason && collisions->reason))
            report_number(q->p, &f, NAN);
        else
            find_number(q->p, &f, values, EXPERIMENTS);
    }
}

static void run(struct probe *p)
{
    struct pair q = {.p = p};
    struct gf2_answer answers[EXPERIMENTS];
    const size_t pages = (size_t)probe_scale(p, 64, 1 << 17, 1 << 19, 1 << 20);

    if (map(&q, pages, (size_t)probe_smoke(p, 2, 64)) && build(&q) && measure_control(&q) && send_bits(&q) &&
        find_masks(&q, ALIASES, &answers[ALIASES]) && compare(&q, answers))
        report_hash(&q, answers);
}

PROBE(way_hash, .title = "Way prediction", .family = "memory", .after = "cache", .run = run,
      .findings =
          FINDINGS({"memory.way_hash.bits", "bits",
                    "bits of the hash of the virtual address by which the data cache's way is predicted; 0: none"},
                   {"memory.way_hash.functions", "functions",
                    "XOR functions of address bits that make them, listed; of bits that were reached"}));
