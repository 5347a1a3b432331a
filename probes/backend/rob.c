/*
 * Reorder buffer: how many instructions can be in flight at once?
 *
 * Two long operations, and n fillers between them (lib/kernels/lookahead.h). While all of them fit, both operations are
 * under way at the same time.
 *
 *   nop, long-nop   hold nothing else; but two of them may share an entry
 *   stores, branches
 *                   general and vector registers and some stores, or branches, in turn: so many things are held that none
 *                   is full before the buffer is, and neighbours that differ are not easily made one
 *   zero            registers that are cleared when they are renamed
 *   registers       likewise: each writes one, of two files in turn; others hold their rows against it
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and what the long operations hold themselves.
 *
 * Groups: what is renamed in a cycle may enter as a whole, when there is room for all of it, or not at all. Then it is a
 * matter of what shares the second operation's group how many fit. So NOPs are put behind that to fill its group, and one
 * more at a time before the first one: the number that fits falls by one with each, until the second one is the last of
 * the group before, and is at the top again. How far it is from top to top is a group; the top is what there is room for.
 * Where teeth are worn (Zen 4: two places of six are alike) how far they are apart is told alone.
 *
 * Sharing: an entry may hold several instructions, but of those that access memory only one (Johnson 2021, Firestorm).
 *
 *   pairs   two accesses side by side, and three NOPs: fewer fit than NOPs alone, wherever an entry holds two or more
 *   every 2, every 3, every 4
 *           an access, and one or two NOPs, or three instructions of which no two neighbours are NOPs: so many times as
 *           many as there are entries. Where all say the same, and NOPs many more, that is how many there are, and NOPs tell
 *           how much one holds. Where NOPs alone share entries they do not say the same
 *
 * Where that is known, lib/kernels/places.h tells which places of an entry accesses and branches may have.
 *
 * The verdict is what mixtures and NOPs agree on. Where only NOPs are decided it could be twice the buffer, and where the
 * two differ, either may be packed or held up.
 *
 * Pairs: neighbours may share an entry by what they are: those that do not both write a general register, or have no two
 * displacements (Zen 4). Then mixtures hold more than there are entries, and short NOPs four times as many. What tells
 * then are rows of one kind, which is not packed with its own kind: long NOPs, moves, zeros and branches that are not
 * taken have nothing in common but the buffer; moves and zeros do not count where all that writes a register ends, since
 * renames may. Where three kinds end at the least of all, and short NOPs at twice that or more, that is how many entries
 * there are. Else nothing is told but how many instructions of each there can be.
 * Method: Wong 2013; mixtures are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/fit/sawtooth.h"
#include "lib/kernels/lookahead_answer.h"
#include "lib/kernels/places.h"
#include "lib/matrix.h"
#include "lib/probe.h"

enum {
    ROWS = 12,
    TO = 640,
    LIMIT = 2560,
    BLOCKERS_HOLD = 2 /* of single misses */,
    DILUTIONS = 3,
    FIRST_ROWS = 3, /* of smoke */
    LONE_AGREE = 3  /* kinds */
};

/* What a row is for: the verdict, as a mixture or as NOPs; sharing; kinds alone, where others are packed; or others. */
enum use { MIXED, NOPS, PAIRS, DILUTED, LONE, LONE_WRITERS, WRITERS };

static const struct {
    const char *name, *fooled_by;
    enum use use;
    unsigned every; /* instructions with one access among them */
    const char *fillers[LOOKAHEAD_MIX];
} rows[ROWS] = {
    {"stores", "store queue", MIXED, 0, {"int64", "v128", "int64", "v128", "store-64"}},
    {"branches", "branches in flight", MIXED, 0, {"int64", "v128", "int64", "v128", "branch"}},
    {"nop", "packing of NOPs", NOPS, 0, {"nop"}},
    {"pairs",
     "queues",
     PAIRS,
     0,
     {"load-64", "load-64", "nop", "nop", "nop", "store-64", "store-64", "nop", "nop", "nop"}},
    {"long-nop", "packing of NOPs", NOPS, 0, {"long-nop"}},
    {"every 2", "load queue", DILUTED, 2, {"load-64", "nop", "load-64", "nop", "store-64", "nop"}},
    {"every 3", "store queue", DILUTED, 3, {"load-64", "nop", "nop", "store-64", "nop", "nop"}},
    {"every 4", "registers", DILUTED, 4, {"load-64", "int64", "nop", "flags", "store-64", "int64", "nop", "flags"}},
    {"zero", "packing of zeros", LONE_WRITERS, 0, {"zero"}},
    {"registers", "registers", WRITERS, 0, {"int64", "v128"}}, /* lookahead_writers */
    {"move", "registers", LONE_WRITERS, 0, {"move"}},
    {"branch", "branches in flight", LONE, 0, {"branch"}},
};

/* So near to a whole number are the instructions of an entry. */
static const double WHOLE = 0.03;
/* So many times as many short NOPs as of what shares no entry are packed. */
static const double PACKED = 1.8;

/* What is known of one row. */
struct found {
    struct lookahead_answer *answer;
    double most[LOOKAHEAD_SHIFTS]; /* lookahead_shift */
    struct sawtooth teeth;
    unsigned worn;                  /* sawtooth_worn, where they are none */
    struct verdict top;             /* its, as a knee … */
    struct find_experiment shifted; /* … and an experiment */
    char name[48];
};

/* How many fit by chains and misses, about: chains may be off by a group. False: the probe is over. */
static bool shift_row(struct probe *p, const struct lookahead *with, size_t row, struct found *f)
{
    const double about = lookahead_fitted(f->answer, FILLER_NOTHING) - BLOCKERS_HOLD;

    if (!lookahead_shift(p, with, rows[row].fillers, about, f->most))
        return false;
    f->teeth = sawtooth_fit(f->most, LOOKAHEAD_SHIFTS);
    f->worn = f->teeth.period ? 0 : sawtooth_worn(f->most, LOOKAHEAD_SHIFTS);
    snprintf(f->name, sizeof f->name, "%s, groups of %s", rows[row].name, blocker_names[BLOCKER_MISS]);
    if (!f->teeth.period)
        return true;
    const struct knee top = {.value = f->teeth.top, .low = f->teeth.top, .high = f->teeth.top + 1, .agreed = true};
    f->top = (struct verdict){.count = 1, .knees = {top}};
    f->shifted = (struct find_experiment){
        .name = f->name, .fooled_by = rows[row].fooled_by, .verdict = &f->top, .holds = BLOCKERS_HOLD};
    return true;
}

static void send_shifts(struct probe *p, const struct found all[ROWS])
{
    double row[ROWS], column[LOOKAHEAD_SHIFTS], cells[ROWS * LOOKAHEAD_SHIFTS];
    struct matrix m = {.name = "groups",
                       .row_axis = "filler",
                       .column_axis = "nops_before",
                       .unit = "fillers that fit",
                       .column_count = LOOKAHEAD_SHIFTS,
                       .rows = row,
                       .columns = column,
                       .cells = cells,
                       .pitch = LOOKAHEAD_SHIFTS};

    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].use == NOPS) {
            row[m.row_count] = (double)(i + 1);
            memcpy(matrix_cell(&m, m.row_count++, 0), all[i].most, sizeof all[i].most);
        }
    for (size_t k = 0; k < LOOKAHEAD_SHIFTS; k++)
        column[k] = (double)k;
    matrix_send(p, &m);
}

/*
 * Its experiments. Where instructions may share entries nobody knows how chains do: misses alone count then, if they
 * tell anything.
 */
static size_t gather_row(const struct found *f, bool shared, struct find_experiment e[BLOCKERS])
{
    size_t count = 0;

    for (int misses = shared; misses >= 0 && count == 0; misses--)
        for (size_t i = 0; i < f->answer->count; i++) {
            const struct verdict *v = f->answer->experiments[i].verdict;
            if (!misses || (f->answer->rows[i].blocker == BLOCKER_MISS && !v->reason && v->count && v->knees[0].agreed))
                e[count++] = f->answer->experiments[i];
        }
    return count;
}

/*
 * Instructions of a group, by each row whose numbers are a sawtooth; 1: each enters by itself. What shares entries is moved
 * from one to the next in the same way: where others are packed, only rows that end `alone` count; NaN: all do.
 */
static size_t gather_groups(const struct found all[ROWS], double alone, struct find_value v[ROWS])
{
    size_t count = 0;

    for (size_t i = 0; i < ROWS; i++) {
        struct find_experiment e[BLOCKERS];
        const unsigned period = all[i].teeth.period ? all[i].teeth.period : all[i].worn;
        const struct find_result ends = find_decide(e, gather_row(&all[i], true, e), 1);
        if (period && (isnan(alone) || (ends.grade != 'U' && lookahead_same(ends.value, alone))))
            v[count++] = (struct find_value){all[i].name, blocker_names[BLOCKER_MISS], period};
    }
    return count;
}

/* They are layouts of one experiment: all must have the same, or be alike. NaN: not told. */
static double group_of(const struct found all[ROWS], double alone)
{
    struct find_value v[ROWS];
    const size_t count = gather_groups(all, alone, v);
    const struct find_result r = find_number_decide(v, count);

    return count && r.grade != 'U' ? r.value : (double)NAN;
}

static enum filler_class class_of(size_t row)
{
    return rows[row].use == WRITERS ? FILLER_GENERAL : FILLER_NOTHING;
}

/* A row that shows groups tells by them how many fit; one that does not may end up to a group too early. */
static void report_row(struct probe *p, size_t row, const struct found *f, double group, bool shared)
{
    const bool shown = f->teeth.period > 1;
    struct find_experiment e[BLOCKERS];
    const size_t count = gather_row(f, shared, e);

    if (count)
        lookahead_report(p,
                         &(struct finding){.name = "backend.rob.instructions",
                                           .variants = {{"filler", rows[row].name}},
                                           .method = "two long operations, fillers between them"},
                         shown ? &f->shifted : e, shown ? 1 : count, 1, shown ? 1 : group);
}

/* NOPs of a row that counts show groups. */
static bool shows_groups(const struct found all[ROWS])
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].use == NOPS && all[i].teeth.period > 1)
            return true;
    return false;
}

/*
 * The experiments of rows of one use; of NOPs, where they show groups, those alone. Of every so many instructions one has
 * an entry to itself, and so do the blockers.
 */
static size_t gather(const struct found all[ROWS], enum use use, struct find_experiment *e)
{
    size_t count = 0;

    for (size_t i = 0; i < ROWS; i++) {
        const bool teeth = all[i].teeth.period > 1;
        if (rows[i].use != use || (use == NOPS && shows_groups(all) && !teeth))
            continue;
        for (size_t k = 0; k < (teeth ? 1 : all[i].answer->count); k++) {
            if (use == DILUTED && all[i].answer->rows[k].blocker != BLOCKER_MISS)
                continue; /* who knows how chains share entries */
            e[count] = teeth ? all[i].shifted : all[i].answer->experiments[k];
            e[count].scale = rows[i].every ? 1.0 / rows[i].every : 1;
            e[count++].fooled_by = rows[i].fooled_by;
        }
    }
    return count;
}

/* What rows of one use say together. */
static struct find_result decide(const struct found all[ROWS], enum use use)
{
    struct find_experiment e[ROWS * BLOCKERS];

    return find_decide(e, gather(all, use, e), 1);
}

/* As many as of NOPs, but for what does not show for groups. */
static bool as_many(const struct find_result *r, const struct find_result *nops, double group)
{
    return lookahead_same(r->value, nops->value) ||
           (group > 1 && r->value <= nops->value && nops->value <= r->high + group);
}

/* Fewer pairs fit than NOPs, or it is not known. */
static bool may_share(const struct found all[ROWS])
{
    const struct find_result nops = decide(all, NOPS), pairs = decide(all, PAIRS);

    return pairs.grade == 'U' || nops.grade == 'U' || !as_many(&pairs, &nops, group_of(all, (double)NAN));
}

static bool search_row(struct probe *p, const struct lookahead *with, size_t row, struct found *f)
{
    struct lookahead_question q = {.with = with, .class = class_of(row), .to = TO, .limit = LIMIT};

    snprintf(q.name, sizeof q.name, "%s", rows[row].name);
    memcpy(q.fillers, rows[row].fillers, sizeof q.fillers);
    return lookahead_search(p, &q, f->answer);
}

/* The fewest that any blocker says, as a curve has it; 0: none does. */
static double ends_at_least(const struct found *f)
{
    double least = INFINITY;

    for (size_t i = 0; i < f->answer->count; i++) {
        const struct verdict *v = f->answer->experiments[i].verdict;
        if (!v->reason && v->count)
            least = fmin(least, v->knees[0].value + f->answer->experiments[i].holds);
    }
    return isinf(least) ? 0 : least;
}

/* One way to tell how many entries there are. */
struct way {
    const char *method, *reason; /* why it tells nothing; NULL: it does */
    struct find_experiment e[ROWS * BLOCKERS];
    size_t count;
    double group;     /* as of lookahead_report */
    double per_entry; /* instructions; NaN: not told */
    double alone;     /* entries, where others are packed; NaN: none are, or it is not told */
};

/*
 * Mixtures and NOPs must say the same, each by themselves, within a group, since only NOPs tell how they lie in groups. And
 * pairs must, or an entry may hold several.
 */
static struct way by_mixtures(const struct found all[ROWS])
{
    const bool groups = shows_groups(all);
    const double group = group_of(all, (double)NAN);
    struct way w = {.method = "instructions in flight, mixtures and NOPs",
                    .group = groups ? 1 : group,
                    .per_entry = (double)NAN,
                    .alone = (double)NAN};
    const struct find_result mixtures = decide(all, MIXED), nops = decide(all, NOPS);

    if (!groups) /* where they show, NOPs alone tell how many fit to one */
        w.count = gather(all, MIXED, w.e);
    w.count += gather(all, NOPS, &w.e[w.count]);
    if (w.count == 0)
        w.reason = "blockers-do-not-overlap";
    else if (nops.grade == 'U')
        w.reason = nops.reason;
    else if (mixtures.grade == 'U' || may_share(all))
        w.reason = "packing-unknown";
    else if (!as_many(&mixtures, &nops, group))
        w.reason = "experiments-disagree";
    return w;
}

/* Entries of several instructions: rows with accesses every 2, 3 and 4 say how many, and NOPs how much one holds. */
static struct way by_dilution(const struct found all[ROWS])
{
    struct way w = {.method = "an access to memory every so many NOPs",
                    .reason = "packing-unknown",
                    .group = 1,
                    .alone = (double)NAN};
    const struct find_result nops = decide(all, NOPS);

    w.count = gather(all, DILUTED, w.e);
    const struct find_result entries = find_decide(w.e, w.count, 1);
    const double each = nops.value / entries.value;
    w.per_entry = floor(each + 0.5);
    /* one of them alone may say what a queue holds */
    if (nops.grade != 'U' && may_share(all) && entries.grade != 'U' && entries.agreeing >= DILUTIONS &&
        entries.against == 0 && w.per_entry >= DILUTIONS && fabs(each - w.per_entry) <= WHOLE * w.per_entry)
        w.reason = NULL;
    return w;
}

/* Entries that neighbours share by what they are: rows of one kind each, which is not packed with its own kind. */
static struct way by_kinds(const struct found all[ROWS])
{
    struct way w = {
        .method = "instructions of kinds that share no entries", .reason = "packing-unknown", .per_entry = (double)NAN};
    double found[ROWS], least = INFINITY, most = 0, written = (double)NAN;
    size_t kinds = 0;

    for (size_t i = 0; i < ROWS; i++) {
        const struct find_result r = find_decide(w.e, gather_row(&all[i], true, w.e), 1);
        const double ends = r.grade == 'U' ? (double)NAN : r.value;
        found[i] = (double)NAN;
        if (rows[i].use == LONE || rows[i].use == LONE_WRITERS || rows[i].use == NOPS) {
            found[i] = ends;
            least = fmin(least, ends);
            most = fmax(most, ends_at_least(&all[i]));
        } else if (rows[i].use == WRITERS) {
            written = ends;
        }
    }
    for (size_t i = 0; i < ROWS; i++)
        if (!isnan(found[i]) && lookahead_same(found[i], least)) {
            const size_t others = w.count;
            w.count += gather_row(&all[i], true, &w.e[others]);
            for (size_t k = others; k < w.count; k++)
                w.e[k].fooled_by = rows[i].fooled_by;
            kinds += rows[i].use != LONE_WRITERS || !lookahead_same(written, least); /* renames may end there */
        }
    w.alone = least;
    w.group = group_of(all, least);
    if (may_share(all) && kinds >= LONE_AGREE && most >= PACKED * least)
        w.reason = NULL;
    return w;
}

/* The first way that tells; where none does, the first one, for its reason. */
static struct way choose_way(const struct found all[ROWS])
{
    static struct way (*const others[])(const struct found[ROWS]) = {by_dilution, by_kinds};
    const struct way first = by_mixtures(all);
    struct way w = first;

    for (size_t i = 0; w.reason && i < sizeof others / sizeof others[0]; i++)
        w = others[i](all);
    return w.reason ? first : w;
}

static void report_group(struct probe *p, const struct found all[ROWS], const struct way *w)
{
    const bool packed = may_share(all) && isnan(w->alone);
    const struct finding f = {.name = "backend.rob.group",
                              .method = "NOPs before two misses, one more at a time",
                              .value = (double)NAN,
                              .low = (double)NAN,
                              .high = (double)NAN,
                              .grade = 'U',
                              .reason = packed ? "packing-unknown" : "no-pattern"};
    struct find_value v[ROWS];
    const size_t count = gather_groups(all, w->alone, v);

    if (count && !packed)
        find_number(p, &f, v, count);
    else
        report(p, &f);
}

static void report_per_entry(struct probe *p, double per_entry)
{
    report(p, &(struct finding){.name = "backend.rob.per_entry",
                                .method = "NOPs in flight, by entries",
                                .value = per_entry,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = isnan(per_entry) ? 'U' : 'C',
                                .reason = isnan(per_entry) ? "packing-unknown" : NULL});
}

static void report_place(struct probe *p, const char *kind, const char *text)
{
    report(p, &(struct finding){.name = "backend.rob.place",
                                .variants = {{"kind", kind}},
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = text,
                                .grade = text ? 'C' : 'U',
                                .reason = text ? NULL : "ambiguous",
                                .method = "how many instructions an entry holds, with one of these in some"});
}

static void find_places(struct probe *p, const struct lookahead *with, double entries, double per_entry)
{
    struct places found;

    if (places_find(p, with, entries, (unsigned)per_entry, &found)) {
        report_place(p, "memory", found.accesses);
        report_place(p, "branches", found.branches);
    }
}

static void tell(struct probe *p, const struct lookahead *with, struct found all[ROWS])
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t e = 0; e < all[i].answer->count; e++)
            all[i].answer->experiments[e].holds = lookahead_holds(&all[i].answer->rows[e], FILLER_NOTHING);
    const struct way w = choose_way(all);
    const bool shared = may_share(all);
    const struct finding entries = {.name = "backend.rob.entries", .method = w.method};

    for (size_t i = 0; i < ROWS; i++)
        report_row(p, i, &all[i], shared ? (double)NAN : group_of(all, (double)NAN), shared);
    if (w.reason)
        lookahead_undecided(p, &entries, w.reason);
    else
        lookahead_report(p, &entries, w.e, w.count, 1, w.group);
    report_group(p, all, &w);
    if (shared)
        report_per_entry(p, w.per_entry);
    send_shifts(p, all);
    if (!isnan(w.per_entry))
        find_places(p, with, find_decide(w.e, w.count, 1).value, w.per_entry);
}

static void run(struct probe *p)
{
    struct lookahead_answer *answers = calloc(ROWS, sizeof *answers);
    struct found *all = calloc(ROWS, sizeof *all);
    struct lookahead with;
    bool good = answers && all && lookahead_start(p, &with);

    for (size_t i = 0; i < ROWS && all; i++)
        all[i].answer = answers ? &answers[i] : NULL;
    for (size_t i = 0; i < (size_t)probe_smoke(p, FIRST_ROWS, ROWS) && good; i++)
        good = search_row(p, &with, i, &all[i]);
    for (unsigned i = 0; i < LOOKAHEAD_LOOKS && good; i++)
        good = lookahead_look(p, answers, ROWS);
    for (size_t i = 0; i < ROWS && good && probe_smoke(p, 0, 1) > 0; i++)
        good = rows[i].use != NOPS || shift_row(p, &with, i, &all[i]);
    if (good)
        tell(p, &with, all);
    for (size_t i = 0; i < ROWS && answers; i++)
        lookahead_free(&answers[i]);
    free(answers);
    free(all);
}

PROBE(rob, .title = "Reorder buffer", .family = "backend", .after = "cache", .run = run,
      .findings = FINDINGS({"backend.rob.entries", "entries", "instructions that can be in flight, each in an entry"},
                           {"backend.rob.group", "instructions",
                            "instructions that enter the buffer together or not at all; 1: each by itself"},
                           {"backend.rob.per_entry", "instructions",
                            "instructions that share an entry, where several do"},
                           {"backend.rob.place", "place",
                            "where among the instructions of an entry one that accesses memory, or branches, may be"},
                           {"backend.rob.instructions", "instructions",
                            "instructions of one kind that can be in flight, whatever holds them up"}));
