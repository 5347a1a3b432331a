/*
 * Fetching: how many instructions, or bytes where instructions differ in length, are fetched in one cycle?
 *
 *   crossing   a loop whose first instruction is the last one of a page, and whose others begin the next page. A fetch that
 *              cannot span two pages, since it would need two translations, takes a cycle for that one instruction, and then
 *              one for as many as fit a fetch. What takes the instructions behind, and may be narrower, has that cycle's time
 *              to catch up, so that it is not seen
 *   aligned    the control: the same loop within one page, on one line. Where it takes as long, no crossing is split, and
 *              nothing can be told. Where instructions differ in length, crossing from one line to the next costs something by
 *              itself, and the control does that, too
 *   led        where the back end catches up before there are stairs enough to count, more such cycles go ahead: three pairs of
 *              pages with one instruction on the first, and a jump to the next pair on the second. That also is our answer to
 *              a question of jia.je's about the efficiency cores of Apple's M4
 *   scattered  the same where no frame follows the one before it: if that alone were split, the boundary would be physical
 *
 * Curve over instructions n of the loop: stairs, as wide as a fetch. Only the part is looked at that is above the control.
 *
 *   dense      for instructions of many lengths: long rows of NOPs out of the instruction cache, with more and more of them on
 *              a line. Where more on a line take no longer, it is its bytes that take the time. What an operation cache keeps of
 *              such a row makes it faster; the densest such rows leave the least of it
 *   shorter    the control: the same with rows of three quarters of that. Where another hardware thread has a part of the
 *              instruction cache, the long rows lose more of it, and what is fetched is not from there
 *
 * Method: the crossing is JamesAslan's (2024), with a control by jia.je 2025, Apple M4; leads, frames and rows are ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/kernels/straight.h"

enum {
    LEADS_MOST = 3, /* first and last lines of pages may all fall into one set: four ways hold them, and the loop's */
    PAGES = 2 * (LEADS_MOST + 1), /* pairs: the first of a pair has one instruction, its last */
    LEAD = 2,                     /* instructions */
    FILLER_BYTES = 4,
    OTHERS = 3, /* instructions of the loop: its first one, and two that end it */
    CROSSING_FROM = OTHERS,
    CROSSING_TO = 72,
    SPLIT_AT = CROSSING_FROM, /* instructions of the loop that shows whether a crossing is split */
    LOOKS = 5,
    LAYOUTS = 2,
    EXPERIMENTS = 2 * LAYOUTS,
    SHORT_LINES = 8,
    DENSE_FROM = 5,
    DENSE_TO = 16,
    DENSE = 2,           /* densities that tell */
    LENGTHS = 2,         /* of rows that are fetched */
    L1I_BYTES = 32 << 10 /* where nothing is known of it */
};

/* A split costs a cycle. */
static const double SPLIT = 0.9, STILL_SPLIT = 0.5;
/* Calibrated time is no better, however alike repetitions are. */
static const double CALIBRATION = 0.005;
/* So much of the instruction cache is surely to be had. */
static const double PART_OF_L1I = 0.97, SHORTER_PART = 0.75;
/* A line with one NOP more that takes no longer than by this factor is bound by its bytes, if it is slower than when kept. */
static const double NO_LONGER = 1.03;

/* ---- Crossing ----------------------------------------------------------------------------------- */

struct crossing {
    unsigned leads;
    bool aligned; /* all within the last page of the area */
    size_t page_bytes;
};

/* The shortest instruction does nothing, and ends where its page does. */
static void emit_last_of_page(struct code *c, size_t page_end)
{
    emit_place(c, page_end - emit_alignment);
    emit_nop(c, emit_alignment);
}

static bool build_crossing(struct probe *p, double n, void *context, struct kernel *k)
{
    const struct crossing *x = context;
    const size_t page = x->page_bytes;
    struct code c = probe_code(p, PAGES * page);
    size_t pair = 0, start = page - emit_alignment, fillers = (size_t)n - OTHERS;

    if (x->aligned) {
        fillers += (size_t)x->leads * LEAD; /* the back end has as much to do */
        start = page + (emit_longest > emit_alignment ? STRAIGHT_LINE_BYTES - emit_alignment : 0);
        emit_place(&c, start);
        emit_nop(&c, emit_alignment);
    } else {
        for (; pair < x->leads; pair++) {
            emit_last_of_page(&c, (2 * pair + 1) * page);
            size_t next = (2 * pair + 3) * page - emit_alignment;
            emit_jump(&c, next, emit_jump_bytes((int64_t)(next - c.used), false));
        }
        emit_last_of_page(&c, (2 * pair + 1) * page);
    }
    emit_nop_row(&c, FILLER_BYTES, fillers);
    emit_loop(&c, start);
    emit_return(&c);
    *k = (struct kernel){.units = 1, .warm_iterations = probe_smoke(p, 10, 1000)};
    return probe_kernel(p, &c, start, k);
}

/* A crossing and its control. */
struct pair {
    struct crossing how[2];
    struct sweep s[2];
    char name[2][32];
};

static void plan_pair(struct probe *p, struct pair *c, unsigned leads, const char *layout, size_t page_bytes)
{
    for (int aligned = 0; aligned < 2; aligned++) {
        snprintf(c->name[aligned], sizeof c->name[aligned], "%s%s%s", layout, leads ? ", led" : "",
                 aligned ? ", aligned" : "");
        c->how[aligned] = (struct crossing){.leads = leads, .aligned = aligned, .page_bytes = page_bytes};
        c->s[aligned] = (struct sweep){.name = c->name[aligned],
                                       .fooled_by = leads ? "leads" : "back end",
                                       .axis = "instructions",
                                       .unit = "cycles/iteration",
                                       .build = build_crossing,
                                       .context = &c->how[aligned],
                                       .search = {.kind = KNEE_STAIRS,
                                                  .from = CROSSING_FROM,
                                                  .to = probe_smoke(p, 8, CROSSING_TO),
                                                  .grain = 1,
                                                  .coarse = (unsigned)probe_smoke(p, 4, CROSSING_TO)}};
    }
}

static double height_at(const struct sweep *s, double x)
{
    for (size_t i = 0; i < s->search.count; i++)
        if (s->search.points[i].x >= x)
            return s->search.points[i].y;
    return NAN;
}

static bool still_split(const struct pair *c, size_t i)
{
    const struct search *s = &c->s[0].search;

    return i < s->count && s->points[i].y - height_at(&c->s[1], s->points[i].x) >= STILL_SPLIT;
}

/*
 * Where the crossing comes down to its control the back end has caught up: only what is before that counts. For a single
 * n it may do so where the control is bound by fetching as well, and needs one fetch more. Where nothing is left, what a
 * first look took for a split was none.
 */
static bool decide_pair(struct probe *p, struct pair *c, bool *split)
{
    struct knee_point points[CROSSING_TO];
    const struct search *s = &c->s[0].search;
    size_t count = 0;

    while (count < s->count && count < CROSSING_TO && (still_split(c, count) || still_split(c, count + 1))) {
        points[count] = (struct knee_point){s->points[count].x, s->points[count].y, CALIBRATION * s->points[count].y};
        count++;
    }
    *split = count > 0;
    return knee_decide(KNEE_STAIRS, points, count, 1, &c->s[0].search.verdict) || probe_skip(p, "out of memory");
}

/* Is a loop of few instructions slower across a boundary than within a page? By the median of several looks at both. */
static bool is_split(struct probe *p, struct pair *c, bool *split)
{
    const size_t looks = (size_t)probe_smoke(p, 1, LOOKS);
    double more[LOOKS];

    for (size_t i = 0; i < looks; i++) {
        struct point pt[2];
        for (int aligned = 0; aligned < 2; aligned++) {
            struct kernel k = {.units = 1};
            if (!build_crossing(p, SPLIT_AT, &c->how[aligned], &k) || !probe_measure(p, &k, &pt[aligned]))
                return false;
        }
        more[i] = pt[0].q20 - pt[1].q20;
    }
    sort_numbers(more, looks);
    *split = median(more, looks) >= SPLIT;
    return true;
}

/* As many instructions as the longest loop has that takes one fetch behind the crossing: no fetch is narrower. */
static double fetched_at_least(const struct pair *c)
{
    const struct search *s = &c->s[0].search;
    double n = 0;

    for (size_t i = 0; i < s->count && s->points[i].y < s->points[0].y + STILL_SPLIT; i++)
        n = s->points[i].x - 1; /* the first one is on the other page */
    return n;
}

static void report_crossing(struct probe *p, struct pair *pairs, size_t count, const char *reason)
{
    struct find_experiment e[EXPERIMENTS];
    char at_least[16];
    struct finding f = {.name = "frontend.fetch.instructions",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = reason,
                        .method = "width of the stairs above the control"};
    double least = 0;

    for (size_t i = 0; i < count; i++) {
        find_experiments(pairs[i].s, 1, &e[i]);
        least = fmax(least, pairs[i].how[0].leads ? 0 : fetched_at_least(&pairs[i]));
    }
    snprintf(at_least, sizeof at_least, "%.0f", least);
    if (least > 0) {
        f.remarks[0].key = "at_least";
        f.remarks[0].text = at_least;
    }
    if (!count) {
        report(p, &f);
        return;
    }
    find_capacity(p, &f, e, count, 1);
    if (emit_longest == emit_alignment) {
        f.name = "frontend.fetch.bytes";
        for (size_t i = 0; i < count; i++)
            e[i].scale = emit_longest;
        find_capacity(p, &f, e, count, emit_longest);
    }
}

/* Without and with leads, on frames that follow each other, where the place has such, and on others. */
static bool find_crossing(struct probe *p)
{
    static const size_t in_order[PAGES] = {0, 1, 2, 3, 4, 5, 6, 7}, reversed[PAGES] = {7, 6, 5, 4, 3, 2, 1, 0};
    const struct {
        const char *name;
        const size_t *frames;
    } layouts[LAYOUTS] = {{"crossing", in_order}, {"crossing, scattered", reversed}};
    const size_t page_bytes = machine_info()->page_bytes[0];
    struct pair pairs[EXPERIMENTS];
    struct code_frames code[LAYOUTS];
    size_t count = 0;
    bool good = true;

    for (size_t layout = 0; layout < LAYOUTS && good; layout++) {
        bool split = false;
        good = probe_map_code(p, &code[layout], layouts[layout].frames, PAGES, page_bytes);
        if (!good)
            break;
        probe_use_code(p, &code[layout]);
        plan_pair(p, &pairs[count], 0, layouts[layout].name, page_bytes);
        good = is_split(p, &pairs[count], &split);
        split |= p->run->config.profile == PROFILE_SMOKE && layout == 0; /* all that can run does */
        for (unsigned leads = 0; good && split && leads <= LEADS_MOST; leads += LEADS_MOST) {
            plan_pair(p, &pairs[count], leads, layouts[layout].name, page_bytes);
            good = sweeps_search(p, pairs[count].s, 2) && decide_pair(p, &pairs[count], &split);
            if (good && split)
                count++;
            else
                sweeps_free(pairs[count].s, 2);
        }
    }
    probe_use_code(p, NULL);
    if (good)
        report_crossing(p, pairs, count, "not-split");
    for (size_t i = 0; i < count; i++)
        sweeps_free(pairs[i].s, 2);
    return good;
}

/* ---- Dense rows --------------------------------------------------------------------------------- */

static bool build_dense(struct probe *p, double per_line, void *context, struct kernel *k)
{
    return straight_build(p, *(const size_t *)context, (unsigned)per_line, k);
}

static struct sweep dense_sweep(const char *name, size_t *lines)
{
    return (struct sweep){
        .name = name,
        .axis = "nops_per_line",
        .unit = "cycles/nop",
        .build = build_dense,
        .context = lines,
        .search = {
            .kind = KNEE_STEP, .from = DENSE_FROM, .to = DENSE_TO, .grain = 1, .coarse = DENSE_TO - DENSE_FROM + 1}};
}

/*
 * What the densest row fetches, where that and the next one are bound by their bytes: the best short row is faster, and with
 * one NOP less they are not. More a cycle than are decoded come from an operation cache (AMD, Zen 4: it holds all these
 * rows, since it packs NOPs).
 */
static bool tells_bytes(const struct sweep *kept, const struct sweep *fetched, double decoded, struct find_value *out)
{
    double best = INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < kept->search.count; i++)
        best = fmin(best, kept->search.points[i].y);

    for (unsigned m = DENSE_TO; m > DENSE_FROM && count < DENSE; m--) {
        double line = m * height_at(fetched, m), less = (m - 1) * height_at(fetched, m - 1);
        const bool is_fetched = height_at(fetched, m) * decoded * NO_LONGER >= 1;
        const double bytes = STRAIGHT_LINE_BYTES / line;
        if (line <= NO_LONGER * less && height_at(fetched, m) >= NO_LONGER * best && is_fetched && !count++)
            *out = (struct find_value){fetched->name, "operation cache", bytes};
    }
    return count == DENSE;
}

static bool find_dense(struct probe *p)
{
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", L1I_BYTES) / STRAIGHT_LINE_BYTES;
    size_t lines[] = {SHORT_LINES, (size_t)probe_smoke(p, SHORT_LINES, PART_OF_L1I * l1i),
                      (size_t)probe_smoke(p, SHORT_LINES, SHORTER_PART * l1i)};
    struct sweep s[] = {dense_sweep("short rows", &lines[0]), dense_sweep("dense", &lines[1]),
                        dense_sweep("shorter", &lines[2])};
    struct find_value v[LENGTHS];
    size_t told = 0;
    struct finding f = {.name = "frontend.fetch.bytes",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = "masked-by:frontend.decode.width",
                        .curves = {"short rows", "dense", "shorter"},
                        .method = "bytes of dense rows that take as long with one NOP more"};

    bool good = sweeps_search(p, s, 1 + LENGTHS), known = facts_find(&p->run->facts, "frontend.l1i.bytes", "");
    const double decoded = facts_number(&p->run->facts, "frontend.decode.width", "", NAN);
    if (!known)
        f.reason = "capacity-unknown";
    else if (isnan(decoded))
        f.reason = "how many are decoded is not known";
    for (size_t i = 0; good && known && i < LENGTHS; i++)
        told += tells_bytes(&s[0], &s[1 + i], decoded, &v[i]);
    if (told && told < LENGTHS)
        f.reason = "experiments-disagree";
    if (told == LENGTHS)
        find_number(p, &f, v, LENGTHS);
    else if (good)
        report(p, &f);
    sweeps_free(s, 1 + LENGTHS);
    return good;
}

static void run(struct probe *p)
{
    if (find_crossing(p) && straight_fits(DENSE_FROM))
        find_dense(p);
}

PROBE(fetch, .title = "Fetching", .family = "frontend", .after = "decode", .run = run,
      .findings = FINDINGS({"frontend.fetch.instructions", "instructions/cycle", "instructions fetched in one cycle"},
                           {"frontend.fetch.bytes", "bytes/cycle", "bytes of code fetched in one cycle"}));
