#include "lib/structure/prefetch_repeats.h"

#include <math.h>

#include "lib/structure/prefetch_reach.h"
#include "lib/structure/tolerances_prefetch.h"

static void add(struct access_list *l, int32_t line, uint32_t site, enum listed_kind kind)
{
    l->all[l->count++] = (struct listed_load){line * ACCESS_LINE_BYTES, site, kind};
}

/* Which of the lines that should follow are brought. */
struct followed {
    unsigned brought;     /* so many, from the first one on */
    uint64_t in, unclear; /* all that are, and those of which it is not known, as bits */
    bool certain;         /* of each it is known where it is */
    bool clear;           /* and none is brought behind those from the first one on */
    enum nearness into;
};

static struct followed followed_of(const struct looked *lines, size_t count)
{
    const struct looked_bits bits = looked_bits_of(lines, count);
    struct followed f = {.in = bits.in, .unclear = bits.unclear, .certain = !bits.unclear};

    while (f.brought < count && lines[f.brought].where >= NEAR_EITHER)
        f.brought++;
    f.clear = f.certain && f.in == (UINT64_C(1) << f.brought) - 1;
    f.into = f.brought ? lines[0].where : NEAR_UNCLEAR;
    return f;
}

/* ---- Distances --------------------------------------------------------------------------------------- */

enum {
    STEPS = 8,  /* distances of a sequence */
    SPAN = 25,  /* lines of a sequence */
    AGAIN = 28, /* line where it begins again, in the same page */
    FEWEST = 2,
    MOST_ACCESSES = 5, /* of it, again, before what follows is looked at */
    BETWEEN = 60       /* loads between the first time and the second, at most */
};

/*
 * Lines of the sequence: no distance comes twice, they do not ascend, and a single access brings none of them. The
 * other view goes the other way.
 */
static const int32_t sequence[STEPS + 1] = {0, 18, 12, 21, 3, 24, 9, 15, 6};
/* Lines of the control: no two of its distances follow each other in the sequence. */
static const int32_t others[STEPS + 1] = {0, 24, 3, 15, 6, 21, 9, 18, 12};

struct deltas_test {
    bool control, down;
    unsigned accesses; /* again */
    unsigned between;
};

static int32_t line_of(const struct deltas_test *t, int32_t line)
{
    return t->down ? SPAN - 1 - line : line;
}

/*
 * Which of the lines that follow are brought. *shown becomes what is drawn of that, where there are no loads between; it
 * may be NULL. False: the probe has ended.
 */
static bool look_deltas(struct prefetch_kinds *k, const struct deltas_test *t, struct followed *out,
                        struct prefetch_shown *shown)
{
    struct access_list l = {.bytes = (AGAIN + SPAN) * ACCESS_LINE_BYTES, .align = ACCESS_LINE_BYTES, .led = true};
    struct looked lines[STEPS];
    const size_t looks = STEPS + 1 - t->accesses;

    reach_forget(&l, 0);
    for (size_t i = 0; i <= STEPS; i++)
        add(&l, line_of(t, t->control ? others[i] : sequence[i]), 0, LISTED_LOAD);
    for (uint32_t i = 0; i < t->between; i++) /* distances that grow: none of them comes twice, or is one of these */
        add(&l, (int32_t)(30 * i + i * i / 2 + (i % 2 ? 500 : 0)), 0, LISTED_APART);
    for (size_t i = 0; i < t->accesses; i++)
        add(&l, AGAIN + line_of(t, sequence[i]), 0, LISTED_LOAD);
    for (size_t i = 0; i < looks; i++)
        lines[i].at = (AGAIN + line_of(t, sequence[t->accesses + i])) * ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, looks))
        return false;
    if (shown)
        prefetch_show(shown, "distances that come again", &l.all[REACH_FORGETS], l.count - REACH_FORGETS, lines, looks);
    *out = followed_of(lines, looks);
    return true;
}

/*
 * After how many accesses again lines are brought, and how many. *seen: 1, 0 where none are, NaN where it is not clear.
 * Where the next line is not brought, but one behind it is, and the control shows the same, that is another prefetcher.
 */
static bool search_deltas(struct prefetch_kinds *k, struct prefetch_found *f, size_t view, double *seen)
{
    *seen = 0;
    for (unsigned n = FEWEST; n <= MOST_ACCESSES && *seen == 0; n++) {
        struct deltas_test t = {.accesses = n, .down = view};
        struct followed now, control;
        if (!look_deltas(k, &t, &now, view ? NULL : &f->shown[0]))
            return false;
        f->shown_lists = 1;
        if (!now.certain)
            *seen = NAN;
        if (!now.certain || !now.in)
            continue;
        t.control = true;
        if (!look_deltas(k, &t, &control, NULL))
            return false;
        if (!now.brought && control.certain && control.in == now.in)
            continue;
        *seen = control.in || !control.certain || !now.clear ? (double)NAN : 1;
        f->into = view ? f->into : now.into;
        f->numbers[PREFETCH_TRAIN].view[view] = n;
        f->numbers[PREFETCH_DEGREE].view[view] = now.brought < STEPS + 1 - n ? (double)now.brought : (double)NAN;
    }
    return true;
}

/* With ever more loads between, all within what is remembered. */
static bool find_length(struct prefetch_kinds *k, struct prefetch_found *f)
{
    const unsigned accesses = (unsigned)f->numbers[PREFETCH_TRAIN].view[0];
    struct prefetch_number *out = &f->numbers[PREFETCH_LENGTH];
    unsigned good = 0, bad = BETWEEN;

    for (unsigned between = bad; good + 1 < bad || between == BETWEEN; between = (good + bad) / 2) {
        const struct deltas_test t = {.accesses = accesses, .between = between};
        struct followed now;
        if (!look_deltas(k, &t, &now, NULL))
            return false;
        out->reason = now.clear ? REASON_FIXED_RANGE_ENDS : REASON_NOT_STEADY;
        if (!now.clear || (now.brought && between == BETWEEN))
            return true;
        *(now.brought ? &good : &bad) = between;
    }
    /* the first distance lies behind those of the sequence, of the loads between and of the accesses again */
    out->view[0] = STEPS + good + accesses;
    return true;
}

bool prefetch_find_deltas(struct prefetch_kinds *k)
{
    struct prefetch_found *f = &k->found[PREFETCH_DELTAS];
    double seen[PREFETCH_VIEWS];

    for (size_t view = 0; view < PREFETCH_VIEWS; view++)
        if (!search_deltas(k, f, view, &seen[view]))
            return false;
    f->reason = isnan(seen[0]) || isnan(seen[1]) ? REASON_NOT_STEADY : REASON_EXPERIMENTS_DISAGREE;
    if (seen[0] != seen[1]) /* also where one is NaN */
        return true;
    f->exists = seen[0] > 0;
    f->text = f->exists ? "found" : "none";
    f->grade = 'B';
    return !f->exists || k->only || find_length(k, f);
}

bool prefetch_look_deltas(struct prefetch_kinds *k, struct looked_bits *out)
{
    const double train = k->found[PREFETCH_DELTAS].numbers[PREFETCH_TRAIN].view[0];
    struct followed now;

    if (!look_deltas(k, &(struct deltas_test){.accesses = (unsigned)train}, &now, NULL))
        return false;
    *out = (struct looked_bits){now.in, now.unclear};
    return true;
}

/* ---- Addresses --------------------------------------------------------------------------------------- */

enum { WALK = 9, AGAIN_WALKED = 3, FOLLOWERS = 3, PAGES_WALKED = WALK - 3 };

/* The last three lie in the pages of the first three, and end the list, so that the next place is far away. */
static int32_t walked_line(size_t i)
{
    static const int32_t page[WALK] = {3, 0, 4, 1, 5, 2, 3, 0, 4}, line[WALK] = {17, 44, 6, 51, 30, 9, 39, 22, 58};

    return page[i] * (ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES) + line[i];
}

/*
 * Lines in several pages, three of which follow three others; all so many times, and each time all levels before the
 * home are emptied behind them. Then those three others are loaded again: is what followed them brought? Control: the
 * same, in another order, in which nothing that is looked at follows them. So lines that stay where they are because
 * they were accessed, or come back to a home that they had left, are the same in both.
 *
 * close: nothing is emptied between one time and the next, as a table that is shared by all lines forgets some of what
 * came before, whenever others are loaded. A replay that sees only what misses then learns nothing.
 *
 * fresh: what followed these lines in earlier trials does not count, since all lines are loaded in another order before.
 */
struct replay_test {
    size_t times;
    bool close, fresh, control;
    size_t further; /* lines that are loaded besides those that empty the levels, before the three */
};

static void list_replay(const struct replay_test *t, struct access_list *l)
{
    static const size_t order[WALK] = {3, 4, 5, 2, 1, 0, 6, 7, 8};

    *l = (struct access_list){.bytes = PAGES_WALKED * ACCESS_PAGE_BYTES,
                              .align = ACCESS_PAGE_BYTES,
                              .leaves_first = WALK,
                              .leaves_all = true,
                              .rounds = t->times,
                              .close = t->close,
                              .fresh = t->fresh,
                              .further = t->further};
    for (size_t n = 0; n < WALK + AGAIN_WALKED; n++) {
        const size_t i = n >= WALK ? n - WALK : t->control ? order[n] : n;
        add(l, walked_line(i), (uint32_t)i, LISTED_LOAD);
    }
}

static bool look_replay(struct prefetch_kinds *k, const struct replay_test *t, struct followed *out)
{
    struct access_list l;
    struct looked lines[FOLLOWERS];

    list_replay(t, &l);
    for (size_t i = 0; i < FOLLOWERS; i++)
        lines[i].at = walked_line(AGAIN_WALKED + i) * ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, FOLLOWERS))
        return false;
    *out = followed_of(lines, FOLLOWERS);
    return true;
}

/* After how many times the next line is brought. close: as above. */
static bool find_times(struct prefetch_kinds *k, bool close, struct prefetch_number *out)
{
    for (size_t view = 0; view < PREFETCH_VIEWS; view++)
        for (size_t times = 1; times <= ACCESS_ROUNDS && isnan(out->view[view]); times++) {
            struct followed now;
            if (!look_replay(k, &(struct replay_test){.times = times, .close = close, .fresh = true}, &now))
                return false;
            if (!now.clear)
                break;
            if (now.brought)
                out->view[view] = (double)times;
        }
    return true;
}

/* ---- How much is remembered -------------------------------------------------------------------------- */

enum {
    FURTHER_LEAST = 64,
    ENDS = 4,       /* looks at both ends that must agree */
    NARROW = 8,     /* the interval is that part of all loads between */
    GRADUAL = 4,    /* one that is more than that part of them is none */
    FURTHER = 4,    /* times what empties the levels is loaded, at most, … */
    MEMORY = 16,    /* … and that part of all memory, of which a power of two is mapped */
    ROUNDED = 2 * 8 /* loads of other lines come in eights */
};

/*
 * Whether the line behind the three is brought, with so many further lines before them: 1, 0; NaN: not clear. A mean
 * between says that some of what is remembered is forgotten.
 */
static bool try_further(struct prefetch_kinds *k, size_t times, size_t further, double known, double *brought)
{
    const struct replay_test t = {.times = times, .further = further};
    struct access_list l;
    struct looked line = {.at = walked_line(AGAIN_WALKED) * ACCESS_LINE_BYTES};

    list_replay(&t, &l);
    if (!prefetch_look(k->look, &l, &line, 1))
        return false;
    *brought = isnan(line.part)                           ? (double)NAN
               : line.part > known * (1 - LOOK_TOLERANCE) ? 1
               : line.part < known * LOOK_TOLERANCE       ? 0
                                                          : (double)NAN;
    return true;
}

/* Twice as many again and again up to `most`, and then by halving: how many further lines leave it, and how many do not. */
static bool search_further(struct prefetch_kinds *k, size_t times, size_t most, double known, size_t *good, size_t *bad)
{
    const size_t base = k->look->area.empties;
    bool clear = true;

    *good = *bad = 0;
    while (clear && (!*bad || (*bad - *good > FURTHER_LEAST && *bad - *good > (base + *good) / NARROW))) {
        const size_t more = 2 * *good > base / 2 ? 2 * *good : base / 2;
        const size_t next = *bad ? (*good + *bad) / 2 : more < most ? more : most;
        double brought;
        if (!try_further(k, times, next, known, &brought))
            return false;
        clear = !isnan(brought);
        if (clear)
            *(brought > 0 ? good : bad) = next;
        if (*good == most)
            break;
    }
    return true;
}

/* What may be loaded further: of a home that is a cache all together leave a quarter, for what prefetchers bring. */
static size_t most_further(const struct prefetch_look *w)
{
    const size_t base = w->area.empties, used = base + w->area.data.bytes / ACCESS_LINE_BYTES;
    const size_t all = w->home_lines - w->home_lines / 4, room = all > used ? all - used : 0;
    const size_t memory = machine_info()->memory_bytes / MEMORY / ACCESS_LINE_BYTES;
    const size_t most = FURTHER * base < memory ? FURTHER * base : memory;

    return w->in_memory || room > most ? most : room;
}

/*
 * How many lines may be loaded since a sequence for it to be replayed. Where what is between is unclear, forgetting may
 * be gradual: then there is no edge, unless the interval is narrow.
 */
static bool find_history(struct prefetch_kinds *k, struct prefetch_span *out, size_t times)
{
    struct prefetch_look *w = k->look;
    const size_t base = w->area.empties, most = most_further(w);
    struct access_list l;
    struct looked line = {.at = walked_line(AGAIN_WALKED) * ACCESS_LINE_BYTES};
    size_t good, bad;

    out->reason = REASON_FIXED_RANGE_ENDS;
    if (most < FURTHER_LEAST)
        return true;
    if (!access_map_further(w->p, &w->area, most))
        return false;
    list_replay(&(struct replay_test){.times = times}, &l);
    const double places = (double)prefetch_look_places(w, &l);
    if (!prefetch_look(w, &l, &line, 1))
        return false;
    out->reason = REASON_NOT_STEADY;
    if (!looked_known(&line))
        return true;
    if (!search_further(k, times, most, line.part, &good, &bad))
        return false;
    out->reason = good == most ? REASON_FIXED_RANGE_ENDS : REASON_NO_EDGE;
    if (!bad || bad - good > (base + good) / GRADUAL)
        return true;
    /* of what is forgotten gradually half is left at some point, and a few places are all brought, or none, by chance */
    for (unsigned i = 0; i < ENDS; i++) {
        double low, high;
        if (!try_further(k, times, good, line.part, &low) || !try_further(k, times, bad, line.part, &high))
            return false;
        if (low != 1 || high != 0)
            return true;
    }
    /* besides, as many places lie between as come behind the one in question, and those before it again */
    out->low = (double)(base + good) + places * AGAIN_WALKED;
    out->high = (double)(base + bad + ROUNDED) + places * (WALK + 2);
    return true;
}

static size_t all_times(const struct prefetch_kinds *k)
{
    return (size_t)probe_smoke(k->look->p, 1, ACCESS_ROUNDS);
}

/* *clear: nothing is in the way of a verdict, which both views and the control agree on. close: as above. */
static bool try_replay(struct prefetch_kinds *k, bool close, struct followed *seen, bool *clear)
{
    const struct replay_test t = {.times = all_times(k), .close = close};
    struct replay_test other = t;
    struct prefetch_found *f = &k->found[PREFETCH_REPLAY];
    struct followed control[PREFETCH_VIEWS];

    other.control = true;
    for (size_t view = 0; view < PREFETCH_VIEWS; view++)
        if (!look_replay(k, &t, &seen[view]) || !look_replay(k, &other, &control[view]))
            return false;
    const bool certain = seen[0].clear && seen[1].clear && control[0].clear && control[1].clear;
    f->reason = !certain                         ? REASON_NOT_STEADY
                : control[0].in || control[1].in ? REASON_AMBIGUOUS
                                                 : REASON_EXPERIMENTS_DISAGREE;
    *clear = certain && !control[0].in && !control[1].in && !seen[0].brought == !seen[1].brought;
    return true;
}

/*
 * Both experiments must show that there is none: with levels emptied between one time and the next, and without. The
 * second one has views and a control of its own where it shows anything.
 */
bool prefetch_find_replay(struct prefetch_kinds *k)
{
    struct prefetch_found *f = &k->found[PREFETCH_REPLAY];
    struct followed seen[PREFETCH_VIEWS];
    bool clear, close = false;

    if (!try_replay(k, close, seen, &clear))
        return false;
    if (clear && !seen[0].brought) {
        if (!look_replay(k, &(struct replay_test){.times = all_times(k), .close = true}, &seen[0]))
            return false;
        close = !seen[0].clear || seen[0].brought;
        if (close && !try_replay(k, close, seen, &clear))
            return false;
    }
    if (!clear)
        return true;
    f->exists = seen[0].brought > 0;
    f->text = f->exists ? "found" : "none";
    f->grade = 'C';
    /* of a table that forgets some, lines come at some places only: farther levels, or fewer lines, look like that */
    f->into = close ? NEAR_UNCLEAR : seen[1].into;
    f->numbers[PREFETCH_DEGREE].reason = close ? REASON_NOT_STEADY : REASON_FIXED_RANGE_ENDS;
    for (size_t view = 0; view < PREFETCH_VIEWS && !close; view++)
        if (seen[view].brought < FOLLOWERS)
            f->numbers[PREFETCH_DEGREE].view[view] = seen[view].brought;
    if (!f->exists || k->only)
        return true;
    if (!find_times(k, close, &f->numbers[PREFETCH_TRAIN]))
        return false;
    f->history.reason = REASON_NO_EDGE;
    if (close)
        return true;
    const double times = f->numbers[PREFETCH_TRAIN].view[0];
    return find_history(k, &f->history, isnan(times) ? ACCESS_ROUNDS : (size_t)times);
}

bool prefetch_look_replay(struct prefetch_kinds *k, struct looked_bits *out)
{
    struct followed now;

    if (!look_replay(k, &(struct replay_test){.times = ACCESS_ROUNDS}, &now))
        return false;
    *out = (struct looked_bits){now.in, now.unclear};
    return true;
}
