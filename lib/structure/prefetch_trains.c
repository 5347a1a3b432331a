#include "lib/structure/prefetch_trains.h"

#include <math.h>
#include <string.h>

#include "lib/structure/prefetch_reach.h"

enum {
    OTHER_SITES = 16, /* instructions from this one on are not those of the sequence */
    OFFSETS = 8       /* of 64-bit words in a line */
};

/* Of a list that certainly trains, of one that must not, and of the one in question. */
enum list_role { SURE, CONTROL, TRIED, ROLES };

/* A sequence that is just trained by its last access; the line that this brings is looked at. */
struct trained {
    unsigned count, ahead;
    int stride;
    bool one;
    bool each; /* each load trains, hits as well, by its distance in bytes */
};

static struct trained trained_of(const struct prefetch_found *f, bool one)
{
    return (struct trained){.count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0],
                            .ahead = (unsigned)__builtin_ctz(f->first[0]),
                            .stride = f->stride,
                            .one = one};
}

static int32_t line_of(const struct trained *t, unsigned access)
{
    return (int32_t)access * t->stride * ACCESS_LINE_BYTES;
}

/* A line so far ahead that it is part of no stream, and the one that is looked at is not near it. */
static int32_t far_line(const struct trained *t, unsigned i)
{
    enum { AHEAD = 12, APART = 3 };

    return (int32_t)(t->count + t->ahead + AHEAD + i * APART) * ACCESS_LINE_BYTES;
}

static void add(struct access_list *l, int32_t at, uint32_t site, enum listed_kind kind)
{
    l->all[l->count++] = (struct listed_load){at, site, kind};
}

/* ---- Loads that hit --------------------------------------------------------------------------------- */

/*
 * All lines are loaded before, each by another instruction, from both ends to the middle, and in a stream with a load
 * far ahead behind each, which trains nothing; then the sequence hits. Sure: these loads go to other lines. Control:
 * without the sequence.
 */
static void list_hits(const struct trained *t, enum list_role role, struct access_list *l)
{
    for (unsigned i = 0; i < t->count; i++) {
        const unsigned line = i % 2 ? t->count - 1 - i / 2 : i / 2;
        add(l, role == SURE ? (int32_t)(i * i + 3 * i) * ACCESS_PAGE_BYTES / 2 : line_of(t, line), OTHER_SITES + i,
            role == SURE ? LISTED_APART : LISTED_LOAD);
        if (!t->one)
            add(l, far_line(t, i), OTHER_SITES + t->count + i, LISTED_LOAD);
    }
    if (role != CONTROL)
        reach_add(l, &(struct sequence){t->stride, t->count, t->one, false}, 0, 0);
}

/* ---- Stores ----------------------------------------------------------------------------------------- */

/* Stores in place of loads. Control: each by an instruction of its own; of a stream, the last one alone. */
static void list_stores(const struct trained *t, enum list_role role, struct access_list *l)
{
    const unsigned from = role == CONTROL && !t->one ? t->count - 1 : 0;

    if (role == SURE) {
        reach_add(l, &(struct sequence){t->stride, t->count, t->one, false}, 0, 0);
        return;
    }
    if (t->one && role == TRIED)
        reach_forget(l, 0);
    for (unsigned i = from; i < t->count; i++)
        add(l, line_of(t, i), t->one && role == TRIED ? 0 : i, LISTED_STORE);
}

/* ---- Distances in lines only ------------------------------------------------------------------------- */

/* The same lines at other words each, so that distances in bytes differ. Control: by many instructions. */
static void list_unit(const struct trained *t, enum list_role role, struct access_list *l)
{
    static const int32_t word[OFFSETS] = {0, 3, 1, 6, 2, 7, 4, 5};

    if (role != CONTROL)
        reach_forget(l, 0);
    for (unsigned i = 0; i < t->count; i++)
        add(l, line_of(t, i) + (role == SURE ? 0 : word[i % OFFSETS] * 8), role == CONTROL ? i : 0, LISTED_LOAD);
}

/* ---- Deciding --------------------------------------------------------------------------------------- */

typedef void list_maker(const struct trained *t, enum list_role role, struct access_list *l);

/* The text of what a list in question shows, `yes` or `no`; or NULL, and why. */
static bool decide_once(struct prefetch_kinds *k, const struct trained *t, list_maker *make, const char *yes,
                        const char *no, struct prefetch_word *out)
{
    struct looked seen[ROLES];

    for (enum list_role role = SURE; role < ROLES; role++) {
        struct access_list l = {
            .bytes = line_of(t, t->count - 1 + t->ahead) + ACCESS_LINE_BYTES, .align = ACCESS_LINE_BYTES, .led = true};
        seen[role] = (struct looked){.at = line_of(t, t->count - 1 + t->ahead)};
        if (!t->one)
            l.bytes = far_line(t, t->count);
        make(t, role, &l);
        if (!prefetch_look(k->look, &l, &seen[role], 1))
            return false;
    }
    const bool steady = looked_known(&seen[SURE]) && seen[TRIED].where && seen[CONTROL].where;
    *out = (struct prefetch_word){NULL, steady ? REASON_AMBIGUOUS : REASON_NOT_STEADY};
    if (steady && !looked_brought(&seen[CONTROL], seen[SURE].part))
        *out = (struct prefetch_word){looked_brought(&seen[TRIED], seen[SURE].part) ? yes : no, REASON_NONE};
    return true;
}

/* Single looks: all is done twice, and counts where both agree. */
static bool decide(struct prefetch_kinds *k, const struct trained *t, list_maker *make, const char *yes, const char *no,
                   struct prefetch_word *out)
{
    struct prefetch_word again;

    if (!decide_once(k, t, make, yes, no, out) || !decide_once(k, t, make, yes, no, &again))
        return false;
    if (again.text != out->text)
        *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    return true;
}

/* ---- Strides shorter than a line --------------------------------------------------------------------- */

/*
 * Loads `bytes` apart whose last one is at the end of its line. Which of the lines behind that are brought, as bits of
 * *in and *unclear; many: by many instructions.
 */
static bool look_short(struct prefetch_kinds *k, unsigned count, unsigned bytes, bool many, uint32_t *in,
                       uint32_t *unclear)
{
    enum { LAST = ACCESS_LINE_BYTES - 8 };
    const unsigned span = (count - 1) * bytes,
                   lines = (span + 2 * ACCESS_LINE_BYTES - 2 - LAST) / ACCESS_LINE_BYTES + 1;
    const int32_t last = (int32_t)lines * ACCESS_LINE_BYTES + LAST;
    struct access_list l = {
        .bytes = last + 8 + PREFETCH_SINGLE * ACCESS_LINE_BYTES, .align = ACCESS_LINE_BYTES, .led = true};
    struct looked seen[PREFETCH_SINGLE];

    *in = *unclear = 0;
    reach_forget(&l, 0);
    for (unsigned i = 0; i < count; i++)
        add(&l, last - (int32_t)((count - 1 - i) * bytes), many ? i : 0, LISTED_LOAD);
    for (int32_t i = 0; i < PREFETCH_SINGLE; i++)
        seen[i].at = last + (i + 1) * ACCESS_LINE_BYTES - LAST;
    if (!prefetch_look(k->look, &l, seen, PREFETCH_SINGLE))
        return false;
    for (unsigned i = 0; i < PREFETCH_SINGLE; i++) {
        *in |= (uint32_t)(seen[i].where >= NEAR_EITHER) << (i + 1);
        *unclear |= (uint32_t)(seen[i].where == NEAR_UNCLEAR) << (i + 1);
    }
    return true;
}

static const char *const followed = "followed", *const not_followed = "not followed";

enum short_verdict { SHORT_UNCLEAR, SHORT_FOLLOWED, SHORT_NOT };

/*
 * Whether a stride is followed, whose farthest line is line number `line` behind the last access. First few loads, so
 * that they hardly leave a line, and other prefetchers bring little; then as many lines as train, for prefetchers that
 * see lines. Few that bring nothing decide where each trains. *why: of a verdict that is unclear.
 */
static bool judge_short(struct prefetch_kinds *k, const struct trained *t, unsigned bytes, unsigned line,
                        enum short_verdict *out, enum reason *why)
{
    const unsigned counts[] = {t->count + 2, (t->count + 1) * ACCESS_LINE_BYTES / bytes + 2};

    *out = SHORT_UNCLEAR;
    for (size_t i = 0; i < 2 && !*out; i++) {
        uint32_t one, many, one_unclear, many_unclear;
        if (counts[i] > ACCESS_LOADS) {
            *why = REASON_FIXED_RANGE_ENDS;
            return true;
        }
        if (!look_short(k, counts[i], bytes, true, &many, &many_unclear) ||
            !look_short(k, counts[i], bytes, false, &one, &one_unclear))
            return false;
        const uint32_t others = many | many_unclear | k->single_up;
        if (one & ~others)
            *out = SHORT_FOLLOWED;
        else if ((i || t->each) && !((others | one_unclear) >> line & 1) && !(one_unclear & ~others))
            *out = SHORT_NOT;
        *why = many >> line & 1 ? REASON_AMBIGUOUS : REASON_NOT_STEADY;
    }
    return true;
}

/* Strides that are tried: those whose farthest line, `distance` strides ahead, is none that a single access brings. */
struct shorts {
    unsigned bytes[2 * ACCESS_LINE_BYTES / 8], line[2 * ACCESS_LINE_BYTES / 8];
    size_t count, below; /* of them, those that are shorter than a line */
    size_t no;           /* so many are known not to be followed, the shortest of them */
    size_t yes, unclear; /* the shortest that is known to be followed, and of which nothing is known; `count`: none */
    enum reason reason;  /* why that is unclear */
};

static void list_shorts(const struct prefetch_kinds *k, double distance, struct shorts *s)
{
    *s = (struct shorts){.count = 0};
    for (unsigned bytes = 8; bytes <= 2 * ACCESS_LINE_BYTES; bytes += 8) {
        const unsigned line = (ACCESS_LINE_BYTES - 8 + (unsigned)distance * bytes) / ACCESS_LINE_BYTES;
        if (line > PREFETCH_SINGLE || k->single_up >> line & 1)
            continue;
        s->below += bytes < ACCESS_LINE_BYTES;
        s->line[s->count] = line;
        s->bytes[s->count++] = bytes;
    }
    s->yes = s->unclear = s->count;
}

static bool try_short(struct prefetch_kinds *k, const struct trained *t, struct shorts *s, size_t i)
{
    enum short_verdict verdict;

    if (!judge_short(k, t, s->bytes[i], s->line[i], &verdict, &s->reason))
        return false;
    if (verdict == SHORT_NOT)
        s->no = i + 1;
    else
        *(verdict == SHORT_FOLLOWED ? &s->yes : &s->unclear) = i;
    return true;
}

/*
 * Where the longest one below a line is not followed, none of them is. Then the shortest one, by halving. Others bring
 * what follows long strides rather than what follows short ones: behind an unclear one, the shorter half goes on.
 */
static bool search_shorts(struct prefetch_kinds *k, const struct trained *t, struct shorts *s)
{
    const size_t ends[] = {0, s->below ? s->below - 1 : 0, s->count - 1};
    size_t known = s->count;

    for (size_t i = 0; i < 3 && known == s->count; i++) {
        if (ends[i] >= s->no && !try_short(k, t, s, ends[i]))
            return false;
        known = s->yes < s->unclear ? s->yes : s->unclear;
    }
    while (s->no < known) {
        if (!try_short(k, t, s, (s->no + known) / 2))
            return false;
        known = s->yes < s->unclear ? s->yes : s->unclear;
    }
    return true;
}

static bool find_short(struct prefetch_kinds *k, struct prefetch_found *f, const struct trained *t, size_t view,
                       struct prefetch_word *word)
{
    const double distance = f->numbers[PREFETCH_DISTANCE].view[0];
    struct prefetch_number *number = &f->numbers[PREFETCH_STRIDE_MIN];
    struct shorts s;

    *word = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    if (isnan(distance))
        return true;
    list_shorts(k, distance, &s);
    word->reason = number->reason = REASON_AMBIGUOUS;
    if (!s.count)
        return true;
    if (!search_shorts(k, t, &s))
        return false;
    if (s.below)
        *word = (struct prefetch_word){s.yes < s.below ? followed : s.no >= s.below ? not_followed : NULL, s.reason};
    const bool edge = s.no == s.yes && s.yes > 0 && s.yes < s.count;
    if (edge && s.bytes[s.yes] == s.bytes[s.no - 1] + 8)
        number->view[view] = s.bytes[s.yes];
    else if (s.yes == 0 || s.no == s.count)
        number->reason = REASON_FIXED_RANGE_ENDS;
    else if (!edge)
        number->reason = s.reason;
    return true;
}

/* The word is a verdict of single looks: it counts where both views agree. */
static bool find_shorts(struct prefetch_kinds *k, struct prefetch_found *f, const struct trained *t)
{
    struct prefetch_word *word = &f->words[PREFETCH_SHORT], again;

    if (!find_short(k, f, t, 0, word) || !find_short(k, f, t, 1, &again))
        return false;
    if (word->text != again.text)
        *word = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    return true;
}

/* ---- Elsewhere ------------------------------------------------------------------------------------- */

/*
 * After how many accesses elsewhere, the first of them at a wrong distance, a trained instruction is followed again. In
 * the first view elsewhere is another page, in the second one the same.
 */
static bool find_resumes(struct prefetch_kinds *k, const struct trained *t, size_t view, double *out)
{
    enum { MORE = 3 /* accesses behind training: confidence may grow */ };
    const unsigned before = t->count + MORE;
    const int32_t away = view ? line_of(t, before) + ACCESS_LINE_BYTES : ACCESS_PAGE_BYTES;

    *out = NAN;
    for (unsigned n = 1; n <= t->count && isnan(*out); n++) {
        struct access_list l = {.align = view ? ACCESS_LINE_BYTES : ACCESS_PAGE_BYTES, .led = true};
        struct looked line = {.at = away + line_of(t, n - 1 + t->ahead)};
        l.bytes = line.at + ACCESS_LINE_BYTES;
        if (line.at - (view ? 0 : away) >= (REACH_LINES + 1) * ACCESS_LINE_BYTES)
            return true;
        reach_add(&l, &(struct sequence){t->stride, before, true, false}, 0, 0);
        for (unsigned i = 0; i < n; i++)
            add(&l, away + line_of(t, i), 0, LISTED_LOAD);
        if (!prefetch_look(k->look, &l, &line, 1))
            return false;
        if (line.where == NEAR_UNCLEAR)
            return true;
        if (looked_known(&line))
            *out = n;
    }
    return true;
}

bool prefetch_find_trains(struct prefetch_kinds *k, struct prefetch_found *f, bool one)
{
    struct trained t = trained_of(f, one);
    const struct prefetch_word *hits = &f->words[PREFETCH_HITS], *unit = &f->words[PREFETCH_UNIT];

    if (!decide(k, &t, list_hits, "train", "do not train", &f->words[PREFETCH_HITS]) ||
        !decide(k, &t, list_stores, "train", "do not train", &f->words[PREFETCH_STORES]))
        return false;
    if (!one)
        return true;
    if (!decide(k, &t, list_unit, "lines", "bytes", &f->words[PREFETCH_UNIT]))
        return false;
    t.each = hits->text && !strcmp(hits->text, "train") && unit->text && !strcmp(unit->text, "bytes");
    if (!find_shorts(k, f, &t))
        return false;
    /* single looks: all is done twice, and counts where both agree */
    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        double *out = &f->numbers[PREFETCH_RESUMES].view[view], again;
        if (!find_resumes(k, &t, view, out) || !find_resumes(k, &t, view, &again))
            return false;
        *out = *out == again ? *out : (double)NAN;
    }
    return true;
}
