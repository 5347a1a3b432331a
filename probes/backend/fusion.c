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
 *
 * `longer` must be slower than `apart` just as it has more instructions, which proves that operations are what counts;
 * else nothing is told. That two are not one is told only where both rows of one alone are faster by just that one: what
 * a row of fewer operations would wait for next, a chain or a unit, could hide that it is one. By how much `adjacent` is
 * faster than `apart`, in the time of one instruction, is how many operations are saved. In two layouts, which stand for
 * one experiment: no answer is better than grade B.
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
    LAYOUTS = 2,
    PAIRS = 16, /* at most */
    SAMPLES = 9,
    DATA_BYTES = 4096,
    STORED = 2048, /* stores go behind what is loaded */
    SLOTS = 16,
    BEGIN = 64 /* instructions before the rows, at most */
};

enum arrangement { ADJACENT, APART, LONGER, FIRST, SECOND, ARRANGEMENTS };

/* 1 and 2: the pair; v: addition of vectors, l: load, s: store. */
static const struct {
    const char *name, *groups[ARRANGEMENTS];
} layouts[LAYOUTS] = {
    {"one between", {"12vlsl", "1v2lsl", "1v2lslv", "1vlsl", "2vlsl"}},
    {"two between", {"12lvls", "1lv2ls", "1lv2lsv", "1lvls", "2lvls"}},
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
    unsigned vectors = 0, slot = 0;

    for (size_t i = 0; i < GROUPS * length && code_good(c); i++)
        switch (group[i % length]) {
        case '1': emit_pair_first(c, r->pair, i / length); break;
        case '2': emit_pair_second(c, r->pair, i / length); break;
        case 'v':
            emit_vector_add(c, (enum vreg)(vectors % VREGS), (enum vreg)(vectors % VREGS));
            vectors++;
            break;
        case 'l': emit_load(c, REG_T3, REG_DATA, (int32_t)(8 * (slot++ % SLOTS))); break;
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

    return sample_loop(p, SAMPLES, &l, cycles);
}

/* Operations that the pair becomes; NaN: something else than their number holds the rows up. */
static bool count_operations(struct probe *p, const struct area *data, const struct emit_pair *pair, size_t layout,
                             double *operations)
{
    double cycles[ARRANGEMENTS] = {0};
    bool good = true;

    for (size_t i = 0; i < ARRANGEMENTS && good; i++)
        good = measure(p, data, &(struct row){pair, layouts[layout].groups[i]}, &cycles[i]);
    const double each = cycles[APART] / INSTRUCTIONS;
    const double counted = 2 - (cycles[APART] - cycles[ADJACENT]) / each, nearest = floor(counted + 0.5);
    const bool bound = fabs(cycles[LONGER] / (INSTRUCTIONS + 1) / each - 1) <= ALIKE;
    const bool fewer = fabs(cycles[FIRST] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE &&
                       fabs(cycles[SECOND] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE;
    const bool told = bound && fabs(counted - nearest) <= WHOLE && (nearest == 1 || (nearest == 2 && fewer));
    *operations = told ? nearest : (double)NAN;
    return good;
}

static bool count_all(struct probe *p, double operations[PAIRS][LAYOUTS], size_t count)
{
    struct area data;
    bool good = probe_map(p, &data, DATA_BYTES, 0);

    for (size_t i = 0; i < count && good; i++)
        for (size_t layout = 0; layout < LAYOUTS && good; layout++)
            good = count_operations(p, &data, &emit_pairs[i], layout, &operations[i][layout]);
    return good;
}

static bool any_fuses(double operations[PAIRS][LAYOUTS], size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count && !any; i++)
        any = operations[i][0] == 1 && operations[i][1] == 1;
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
    if (seen || (isnan(operations[0]) && isnan(operations[1])))
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
