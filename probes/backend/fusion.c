/*
 * Fusion: which pairs of neighbours are renamed as one operation? (docs/METHODS.md, 6.8)
 *
 * Experiment: sequences of groups, each a pair, vector additions, loads and a store, none of which waits for another.
 * They use units so evenly that renaming limits them, so that their time is proportional to their operations:
 *
 *   adjacent  the pair as it stands
 *   apart     the same instructions, but others between the two
 *   longer    as `apart`, one more instruction a group
 *   first     one of the two alone
 *   second    the other one alone
 *   pairs     pairs, and nothing else
 *
 * There is no curve. Inference: the times of `longer` and `apart` must be proportional to their numbers of
 * instructions, which shows that operations are what counts. The time that `adjacent` saves over `apart`, in times of
 * one instruction, is the number of operations that fusion saves. A pair counts as two operations only if `first` and
 * `second` are both faster by just one: else a chain or a unit may limit the sequence and hide that the pair is one.
 * Where instructions of the pair fuse with any neighbour, as NOPs do on Zen 4, `apart` has fewer operations than
 * instructions: then the time of an operation is what `longer` takes more, and the pair is one operation if each pair
 * of `pairs` takes just that. Else nothing is decided.
 *
 * The other instructions are at first vector additions, loads and a store, which no core eliminates or fuses; where
 * their units limit the sequences (Zen 4: three accesses, but six operations a cycle), they are moves. These layouts
 * are one experiment: never better than grade B. The front end may deliver no more than is renamed, so that fusing does
 * not show: two operations are reported only on cores where some other pair fuses. Pairs that become one only when they
 * are issued count as two.
 *
 * Method: sequences limited by renaming, Fog, Microarchitecture; pairs and what keeps them apart: Johnson 2021,
 * Firestorm.
 */
#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"

enum {
    GROUPS = 40,
    INSTRUCTIONS = 6, /* of a group; `longer` has one more */
    LAYOUTS = 4,
    DECIDED = 2, /* layouts that have to decide */
    PAIRS = 16,  /* at most */
    PAIRS_OF_GROUP = 3,
    SAMPLES = 9,
    DATA_BYTES = 4096,
    WORDS = 16,
    STORED = 2048 + 8 * WORDS, /* no load has its ten low bits: on Zen 4 it would wait for the store */
    BEGIN = 64                 /* instructions before the sequence, at most */
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

/* Renaming limits two sequences if an instruction takes the same time in both, within this part. */
static const double ALIKE = 0.05;
/* A number of operations is a whole one if it is this near to it. */
static const double WHOLE = 0.25;

struct sequence {
    const struct emit_pair *pair;
    const char *group; /* as in `layouts` */
};

static void emit_groups(struct code *c, const void *context)
{
    const struct sequence *s = context;
    const char *group = s->group;
    const size_t length = strlen(group);
    unsigned vectors = 0, word = 0, moves = 0;

    for (size_t i = 0; i < GROUPS * length && code_good(c); i++)
        switch (group[i % length]) {
        case '1': emit_pair_first(c, s->pair, i / length); break;
        case '2': emit_pair_second(c, s->pair, i / length); break;
        case 'v':
            emit_vector_add(c, (enum vreg)(vectors % VREGS), (enum vreg)(vectors % VREGS));
            vectors++;
            break;
        case 'l': emit_load(c, REG_T3, REG_DATA, (int32_t)(8 * (word++ % WORDS))); break;
        case 'm': emit_move(c, (enum reg)(REG_T4 + moves++ % 2), REG_T7); break;
        default: emit_store(c, REG_T7, REG_DATA, (int32_t)(STORED + 8 * (word++ % WORDS)));
        }
}

/* Cycles of a sequence. */
static bool measure_sequence(struct probe *p, const struct area *data, const struct sequence *s, double *cycles)
{
    const struct loop l = {.begin = emit_pair_begin,
                           .body = emit_groups,
                           .context = s,
                           .instructions = GROUPS * (INSTRUCTIONS + 1) + BEGIN,
                           .data = data->at};

    return sample_loop(p, (unsigned)probe_scale(p, 1, 5, SAMPLES, SAMPLES), &l, cycles);
}

/*
 * Whether the instructions of the pair fuse with any neighbour: each pair of `pairs` takes what one more instruction
 * does, and all sequences take multiples of that.
 */
static bool fuses_anywhere(const double *cycles)
{
    const double each = cycles[LONGER] - cycles[APART];
    bool one = fabs(cycles[PAIRS_ALONE] / PAIRS_OF_GROUP / each - 1) <= 2 * ALIKE;

    for (size_t i = 0; i < ARRANGEMENTS && one; i++)
        one = fabs(cycles[i] / each - floor(cycles[i] / each + 0.5)) <= WHOLE;
    return one;
}

/* Sets *operations to how many the pair becomes; NaN: something other than their number limits the sequences. */
static bool count_operations(struct probe *p, const struct area *data, const struct emit_pair *pair, size_t layout,
                             double *operations)
{
    double cycles[ARRANGEMENTS] = {0};
    bool good = true;

    for (size_t i = 0; i < PAIRS_ALONE && good; i++)
        good = measure_sequence(p, data, &(struct sequence){pair, layouts[layout].groups[i]}, &cycles[i]);
    const double each = cycles[APART] / INSTRUCTIONS;
    const double counted = 2 - (cycles[APART] - cycles[ADJACENT]) / each, nearest = floor(counted + 0.5);
    const bool limited = fabs(cycles[LONGER] / (INSTRUCTIONS + 1) / each - 1) <= ALIKE;
    const bool fewer = fabs(cycles[FIRST] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE &&
                       fabs(cycles[SECOND] / (INSTRUCTIONS - 1) / each - 1) <= ALIKE;
    const bool decided = limited && fabs(counted - nearest) <= WHOLE && (nearest == 1 || (nearest == 2 && fewer));
    *operations = decided ? nearest : (double)NAN;
    if (!good || limited)
        return good;
    good = measure_sequence(p, data, &(struct sequence){pair, layouts[layout].groups[PAIRS_ALONE]},
                            &cycles[PAIRS_ALONE]);
    *operations = fuses_anywhere(cycles) ? 1 : (double)NAN;
    return good;
}

/* Counts the operations of a pair in one layout after the other, until DECIDED of them decide. */
static bool count_pair(struct probe *p, const struct area *data, const struct emit_pair *pair,
                       double operations[LAYOUTS])
{
    const size_t most = (size_t)probe_smoke(p, DECIDED, LAYOUTS);
    unsigned decided = 0;
    bool good = true;

    for (size_t layout = 0; layout < LAYOUTS; layout++)
        operations[layout] = NAN;
    for (size_t layout = 0; layout < most && decided < DECIDED && good; layout++) {
        good = count_operations(p, data, pair, layout, &operations[layout]);
        decided += isnan(operations[layout]) ? 0 : 1;
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

/* Number of layouts in which the pair becomes so many operations. */
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
        any = layouts_with(operations[i], 1) >= DECIDED;
    return any;
}

static void report_pair(struct probe *p, const char *name, const double operations[LAYOUTS], bool any)
{
    struct finding f = {.name = "backend.fusion.pair",
                        .variants = {{"form", name}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = REASON_DELIVERS_NO_MORE,
                        .method = "sequences that renaming limits, the pair adjacent and apart"};
    struct experiment_value v[LAYOUTS];

    for (size_t i = 0; i < LAYOUTS; i++)
        v[i] = (struct experiment_value){layouts[i].name, "renaming", operations[i]};
    if (any || layouts_with(operations, 1) + layouts_with(operations, 2) == 0) {
        f.reason = REASON_NONE;
        report_graded_number(p, &f, v, LAYOUTS);
    } else {
        report(p, &f);
    }
}

static void run(struct probe *p)
{
    double operations[PAIRS][LAYOUTS];
    size_t wanted = (size_t)probe_smoke(p, 1, PAIRS), count = 0;

    while (count < wanted && emit_pairs[count].name)
        count++;
    if (!count_all(p, operations, count))
        return;
    const bool any = any_fuses(operations, count);
    for (size_t i = 0; i < count; i++)
        report_pair(p, emit_pairs[i].name, operations[i], any);
}

PROBE(fusion, .title = "Pairs that become one operation", .family = "backend", .after = "elimination", .run = run,
      .findings = FINDINGS({"backend.fusion.pair", "operations",
                            "that two neighbours of that form become; 1: they fuse"}));
