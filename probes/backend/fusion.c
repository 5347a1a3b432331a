/*
 * Fusion: which pairs of neighbours become one operation?
 *
 * Rows of groups: a pair, additions of vectors, loads and a store, none of which waits for another. Units are asked for so
 * evenly that renaming holds the rows up, and a row takes as long as its operations are many. The rows:
 *
 *   adjacent  the pair as it stands
 *   apart     the same instructions, but others between the two
 *   longer    as `apart`, one more instruction a group
 *   first     one of the two alone
 *   second    the other one alone
 *   pairs     pairs, and nothing else
 *
 * `longer` must be slower than `apart` just as it has more instructions, which proves that operations are what counts;
 * else nothing is told. That two are not one is told only where both rows of one alone are faster by just that one: what
 * a row of fewer operations would wait for next, a chain or a unit, could hide that it is one. By how much `adjacent` is
 * faster than `apart`, in the time of one instruction, is how many operations are saved. In two layouts, which stand for
 * one experiment: no answer is better than grade B.
 *
 * Where instructions of the pair become one with whatever stands beside them, as NOPs do on Zen 4, none keeps them
 * apart, and `apart` has fewer operations as well. There the time of one operation is what `longer` takes more, and
 * where `pairs` take just that, the two are one.
 *
 * What stands between: first that of which no core eliminates or fuses anything, loads and a store among them; where
 * units for those hold the rows up (three accesses a cycle on Zen 4, and six operations), moves.
 *
 * The front end may deliver no more instructions than are renamed, and then nothing is seen of what fuses. That two are
 * not one is told only on cores where some other pair is.
 *
 * Pairs whose instructions become one only while they are issued, and are renamed as two, count as two.
 *
 * Method: rows held up by renaming, Fog, Microarchitecture; the pairs and what keeps them apart: Johnson 2021, Firestorm.
 */
#include <math.h>
#include <string.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"

enum {
    GROUPS = 40,
    INSTRUCTIONS = 6, /* of a group; `longer` has one more */
    LAYOUTS = 4,
    ASKED = 2,  /* that tell are enough */
    PAIRS = 16, /* at most */
    PAIRS_OF_GROUP = 3,
    SAMPLES = 9,
    DATA_BYTES = 4096,
    SLOTS = 16,
    STORED = 2048 + 8 * SLOTS, /* on Zen 4 a load waits for stores whose address has the same ten low bits: none has */
    BEGIN = 64                 /* instructions before the rows, at most */
};

enum arrangement { ADJACENT, APART, LONGER, FIRST, SECOND, PAIRS_ALONE, ARRANGEMENTS };

/* 1 and 2: the pair; v: addition of vectors, l: load, s: store, m: move. */
static const struct {
    const char *name, *groups[ARRANGEMENTS];
} layouts[LAYOUTS] = {
    {"one between", {"12vlsl", "1v2lsl", "1v2lslv", "1vlsl", "2vlsl", "121212"}},
    {"two between", {"12lvls", "1lv2ls", "1lv2lsv", "1lvls", "2lvls", "121212"}},
    {"one move between", {"12mmmm", "1m2mmm", "1m2mmmm", "1mmmm", "2mmmm", "121212"}},
    {"two moves between", {"12mmmm", "1mm2mm", "1mm2mmm", "1mmmm", "2mmmm", "121212"}},
};

/* Rows are held up by renaming where an instruction takes as long in all, but for so much. */
static const double ALIKE = 0.05;
/* A number of operations this near to a whole one is it. */
static const double WHOLE = 0.25;

struct row {
    const struct emit_pair *pair;
    const char *group;
};

static void emit_groups(struct code *c, const void *context)
{
    const struct row *r = context;
    const char *group = r->group;
    const size_t length = strlen(group);
    unsigned vectors = 0, slot = 0, moves = 0;

    for (size_t i = 0; i < GROUPS * length && code_good(c); i++)
        switch (group[i % length]) {
        case '1': emit_pair_first(c, r->pair, i / length); break;
        case '2': emit_pair_second(c, r->pair, i / length); break;
        case 'v':
            emit_vector_add(c, (enum vreg)(vectors % VREGS), (enum vreg)(vectors % VREGS));
            vectors++;
            break;
        case 'l': emit_load(c, REG_T3, REG_DATA, (int32_t)(8 * (slot++ % SLOTS))); break;
        case 'm': emit_move(c, (enum reg)(REG_T4 + moves++ % 2), REG_T7); break;
        default: emit_store(c, REG_T7, REG_DATA, (int32_t)(STORED + 8 * (slot++ % SLOTS)));
        }
}

/* Cycles a row. */
static bool measure(struct probe *p, const struct area *data, const struct row *r, double *cycles)
{
    const struct loop l = {.begin = emit_pair_begin,
                           .body = emit_groups,
                           .context = r,
                           .instructions = GROUPS * (INSTRUCTIONS + 1) + BEGIN,
                           .data = data->at};

    return sample_loop(p, (unsigned)probe_scale(p, 1, 5, SAMPLES, SAMPLES), &l, cycles);
}

/* The two become one wherever they stand: pairs alone take what one instruction more does, and each row so much. */
static bool is_one(const double *cycles)
{
    const double each = cycles[LONGER] - cycles[APART];
    bool one = fabs(cycles[PAIRS_ALONE] / PAIRS_OF_GROUP / each - 1) <= 2 * ALIKE;

    for (size_t i = 0; i < ARRANGEMENTS && one; i++)
        one = fabs(cycles[i] / each - floor(cycles[i] / each + 0.5)) <= WHOLE;
    return one;
}

/* Operations that the pair becomes; NaN: something else than their number holds the rows up. */
static bool count_operations(struct probe *p, const struct area *data, const struct emit_pair *pair, size_t layout,
                             double *operations)
{
    double cycles[ARRANGEMENTS] = {0};
    bool good = true;

    for (size_t i = 0; i < PAIRS_ALONE && good; i++)
        good = measure(p, data, &(struct row){pair, layouts[layout].groups[i]}, &cycles[i]);
    const double each = cycles[APART] / INSTRUCTIONS;
    const double counted = 2 - (cycles[APART] - cycles[ADJACENT]) / each, nearest = floor(counted + 0.5);
    const bool bound = fabs(cycles[LONGER] / (INSTRUCTIONS + 1) / each - 1) <= ALIKE;
    const bool fewer = fabs(cycles[FIRST] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE &&
                       fabs(cycles[SECOND] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE;
    const bool told = bound && fabs(counted - nearest) <= WHOLE && (nearest == 1 || (nearest == 2 && fewer));
    *operations = told ? nearest : (double)NAN;
    if (!good || bound)
        return good;
    good = measure(p, data, &(struct row){pair, layouts[layout].groups[PAIRS_ALONE]}, &cycles[PAIRS_ALONE]);
    *operations = is_one(cycles) ? 1 : (double)NAN;
    return good;
}

/* In as many layouts as it takes for enough of them to tell. */
static bool count_pair(struct probe *p, const struct area *data, const struct emit_pair *pair,
                       double operations[LAYOUTS])
{
    const size_t most = (size_t)probe_smoke(p, ASKED, LAYOUTS);
    unsigned asked = 0;
    bool good = true;

    for (size_t layout = 0; layout < LAYOUTS; layout++)
        operations[layout] = NAN;
    for (size_t layout = 0; layout < most && asked < ASKED && good; layout++) {
        good = count_operations(p, data, pair, layout, &operations[layout]);
        asked += isnan(operations[layout]) ? 0 : 1;
    }
    return good;
}

static bool count_all(struct probe *p, double operations[PAIRS][LAYOUTS], size_t count)
{
    struct area data;
    bool good = probe_map(p, &data, DATA_BYTES, 0);

    for (size_t i = 0; i < count && good; i++)
        good = count_pair(p, &data, &emit_pairs[i], operations[i]);
    return good;
}

static size_t layouts_with(const double operations[LAYOUTS], double count)
{
    size_t with = 0;

    for (size_t i = 0; i < LAYOUTS; i++)
        with += operations[i] == count ? 1 : 0;
    return with;
}

static bool any_fuses(double operations[PAIRS][LAYOUTS], size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count && !any; i++)
        any = layouts_with(operations[i], 1) >= ASKED;
    return any;
}

static void report_pair(struct probe *p, const char *name, const double operations[LAYOUTS], bool seen)
{
    struct finding f = {.name = "backend.fusion.pair",
                        .variants = {{"form", name}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = "the front end may deliver no more than is renamed",
                        .method = "rows that renaming holds up, the pair adjacent and apart"};
    struct find_value v[LAYOUTS];

    for (size_t i = 0; i < LAYOUTS; i++)
        v[i] = (struct find_value){layouts[i].name, "renaming", operations[i]};
    if (seen || layouts_with(operations, 1) + layouts_with(operations, 2) == 0)
        find_number(p, &f, v, LAYOUTS);
    else
        report(p, &f);
}

static void run(struct probe *p)
{
    double operations[PAIRS][LAYOUTS];
    size_t wanted = (size_t)probe_smoke(p, 1, PAIRS), count = 0;

    while (count < wanted && emit_pairs[count].name)
        count++;
    if (!count_all(p, operations, count))
        return;
    const bool seen = any_fuses(operations, count);
    for (size_t i = 0; i < count; i++)
        report_pair(p, emit_pairs[i].name, operations[i], seen);
}

PROBE(fusion, .title = "Pairs that become one operation", .family = "backend", .after = "elimination", .run = run,
      .findings = FINDINGS({"backend.fusion.pair", "operations",
                            "that two neighbours of that form become; 1: they fuse"}));
