#include "lib/structure/prefetch_look.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/structure/tolerances_prefetch.h"

enum {
    ROUNDS_AT_LEAST = 2,
    ROUNDS_AT_MOST = 24,
    ELSEWHERE = 2,      /* looks of a round that go to places where nothing was done */
    START_ATTEMPTS = 2, /* at levels that look alike */
    ATTEMPTS = 3,       /* at a look while lines at home move to another level */
    WAYS_UNKNOWN = 8,   /* of the first level, where they are not known */
    ASIDE_SITES = 3,    /* instructions that do loads aside: prefetchers need not remember more than these besides */
    ASIDE_SITE = ACCESS_LOADS - ASIDE_SITES,
    KNOWN_TRIALS = 24,
    KNOWN_TRIED = 4 * KNOWN_TRIALS, /* until so many are accepted */
    HOME_ROUNDS = 4,
    LONGER_ROUNDS = 2, /* that must show that lines take longer: what else runs does so at times */
    HALVES_AT_LEAST = 1,
    HALVES_AT_MOST = 64 /* lines loaded to empty a level, in halves of what it holds */
};

/* Mean of the middle half: a single reading is as coarse as the clock, and some are disturbed. */
static double middle_mean(double *ticks, size_t count)
{
    double sum = 0;

    sort_numbers(ticks, count);
    const size_t from = count / 4, to = count - count / 4;
    for (size_t i = from; i < to; i++)
        sum += ticks[i];
    return count ? sum / (double)(to - from) : NAN;
}

/* Those of each place, at most; other lines need not stay near. A line has eight pointers. */
static size_t own_lines(const struct access_list *l)
{
    size_t own = l->led, pointers = 0;

    for (size_t i = 0; i < l->count; i++) {
        pointers += l->all[i].kind == LISTED_POINTER;
        own += l->all[i].kind != LISTED_APART && l->all[i].kind != LISTED_POINTER && l->all[i].kind != LISTED_WAIT;
    }
    return own + (pointers + ACCESS_LINE_BYTES / 8 - 1) / (ACCESS_LINE_BYTES / 8);
}

/*
 * So many that all accesses of a list take a quarter of the first level, and prefetches have room there. Places that
 * begin at the same line of a page share its sets: half of the ways. Half of the slots stay free, for looks elsewhere.
 */
static size_t places_of(const struct prefetch_look *w, const struct access_list *l)
{
    const size_t lines = w->first_lines / 4 / (own_lines(l) + 4), begins = access_begins(l) * w->sharing / 2;
    const size_t free = access_slots(&w->area, l) / 2;
    size_t most = begins < w->sharing ? w->sharing : begins > ACCESS_PLACES ? ACCESS_PLACES : begins;

    most = most < free ? most : free;
    most = most < lines ? most : lines;
    return most > 1 ? most : 1;
}

/* access_trials, without what the chain of looks takes once: so few and many places can be compared. */
static bool trials_of(struct prefetch_look *w, size_t places, const int32_t *looks, size_t trials, double *ticks)
{
    const bool good = access_trials(w->p, &w->area, places, looks, trials, ticks);

    for (size_t i = 0; i < trials && good; i++)
        ticks[i] -= w->once_ticks / (double)places;
    return good;
}

/* ---- Lines whose place is known ---------------------------------------------------------------------- */

/*
 * Times lines of which it is known where they are. Their page is accessed in any case, at another line, since its
 * translation is near behind a list as well.
 */
static bool time_places(struct prefetch_look *w, enum nearness where, size_t places, double *out)
{
    /* lines that a prefetcher brings for a single access are nearer than this, in a page */
    enum { ACCESSED = 20, APART = 12 };
    struct access_list l = {.all = {{ACCESSED * ACCESS_LINE_BYTES, 0}, {0, 1}},
                            .count = where == NEAR_SECOND ? 2 : 1,
                            .bytes = ACCESS_PAGE_BYTES / 2,
                            .align = ACCESS_LINE_BYTES,
                            .leaves_first = where == NEAR_SECOND};
    double ticks[KNOWN_TRIALS + ACCESS_TRIALS];
    const size_t trials = (size_t)probe_smoke(w->p, 1, KNOWN_TRIALS);
    const size_t at_once = trials < ACCESS_TRIALS ? trials : ACCESS_TRIALS;
    size_t count = 0;

    if (!access_emit(w->p, &w->area, &l))
        return false;
    for (size_t done = 0; count < trials && done < KNOWN_TRIED; done += at_once) {
        double now[ACCESS_TRIALS];
        int32_t looks[ACCESS_TRIALS];
        for (size_t i = 0; i < at_once; i++) {
            const int32_t far = (int32_t)random_below(&w->p->random, ACCESSED - APART);
            looks[i] = (where == NEAR_HOME ? far : ACCESSED) * ACCESS_LINE_BYTES;
        }
        if (!trials_of(w, places < places_of(w, &l) ? places : places_of(w, &l), looks, at_once, now))
            return false;
        for (size_t i = 0; i < at_once; i++)
            if (!isnan(now[i]))
                ticks[count++] = now[i];
    }
    *out = middle_mean(ticks, count);
    return true;
}

static bool time_known(struct prefetch_look *w, enum nearness where, double *out)
{
    return time_places(w, where, ACCESS_PLACES, out);
}

/* The same, and again while it is longer than that: the least of a few. */
static bool time_unless_longer(struct prefetch_look *w, enum nearness where, double than, double *out)
{
    *out = NAN;
    for (unsigned i = 0; i < probe_smoke(w->p, 1, LONGER_ROUNDS) && !(*out < than); i++) {
        double now;
        if (!time_known(w, where, &now))
            return false;
        *out = fmin(*out, now);
    }
    return true;
}

/* What a chain of looks takes once, by chains over few and many places. */
static bool time_once(struct prefetch_look *w)
{
    const struct access_list one = {.count = 1, .bytes = ACCESS_PAGE_BYTES / 2, .align = ACCESS_LINE_BYTES};
    const size_t many = places_of(w, &one), few = many / 4;
    double ticks_many, ticks_few;

    if (!few)
        return true;
    if (!time_places(w, NEAR_FIRST, many, &ticks_many) || !time_places(w, NEAR_FIRST, few, &ticks_few))
        return false;
    w->once_ticks = (ticks_few - ticks_many) / (1.0 / (double)few - 1.0 / (double)many);
    return true;
}

/*
 * Loads ever more other lines until lines that were near take no longer any more: replacement may keep lines for long.
 * `empties` is the number that is sought, `lines` what the level holds. Where prefetchers bring more than is loaded, a
 * part of that may do, and more would empty the next level as well; else twice as many as do are better.
 */
static bool find_empties(struct prefetch_look *w, size_t *empties, size_t lines, enum nearness where, double *ticks)
{
    double before = NAN;
    bool enough = false;

    *ticks = NAN;
    for (size_t halves = HALVES_AT_LEAST; halves <= HALVES_AT_MOST; halves *= 2) {
        double now;
        const size_t fewer = *empties;
        *empties = halves * lines / 2;
        if (!time_unless_longer(w, where, before * (1 + EMPTIED_PART), &now))
            return false;
        const bool longer = !(now < before * (1 + EMPTIED_PART));
        if (enough && longer)
            *empties = fewer;
        else
            *ticks = enough ? fmax(now, *ticks) : now;
        if (enough || probe_is_smoke(w->p))
            return true;
        enough = !longer;
        before = now;
    }
    return true;
}

/*
 * The least of several: a last level that other cores use as well may lose lines to memory for a while. In every second
 * one all places are brought home in each window, so that they have less time for that.
 */
static bool time_home(struct prefetch_look *w, double *ticks)
{
    const size_t refresh = w->area.refresh;

    if (!w->has_second)
        return time_known(w, NEAR_HOME, ticks);
    *ticks = INFINITY;
    for (unsigned i = 0; i < probe_smoke(w->p, 1, HOME_ROUNDS); i++) {
        double now;
        w->area.refresh = i % 2 ? 0 : refresh;
        const bool good = time_known(w, NEAR_HOME, &now);
        w->area.refresh = refresh;
        if (!good)
            return false;
        *ticks = fmin(*ticks, now);
    }
    return true;
}

/* Half of the ways of the first level, as declared. */
static size_t sharing_of(void)
{
    const struct machine_info *info = machine_info();
    size_t ways = WAYS_UNKNOWN;

    for (size_t i = info->cache_count; i-- > 0;)
        if (info->caches[i].level == 1 && info->caches[i].holds & HOLDS_DATA)
            ways = info->caches[i].ways;
    return ways >= 4 ? ways / 2 : 1;
}

/* Times lines in each level; near_lines is what the level before the home holds. *reason: why nothing can be decided. */
static bool time_levels(struct prefetch_look *w, size_t near_lines, enum reason *reason)
{
    w->area.empties = w->area.empties_first = 2 * w->first_lines;
    if (!time_once(w) || !time_known(w, NEAR_FIRST, &w->ticks[NEAR_FIRST]) ||
        !find_empties(w, &w->area.empties_first, w->first_lines, NEAR_SECOND, &w->ticks[NEAR_SECOND]))
        return false;
    w->area.empties = w->area.empties_first;
    w->ticks[NEAR_HOME] = w->ticks[NEAR_SECOND];
    if (w->has_second && (!find_empties(w, &w->area.empties, near_lines, NEAR_HOME, &w->ticks[NEAR_HOME]) ||
                          !time_home(w, &w->ticks[NEAR_HOME])))
        return false;
    const double gap = w->ticks[NEAR_HOME] - w->ticks[NEAR_FIRST];
    const bool apart = !w->has_second || w->ticks[NEAR_HOME] > w->ticks[NEAR_SECOND] * (1 + EMPTIED_PART);
    *reason = isnan(gap)                                      ? REASON_NO_READINGS
              : !apart                                        ? REASON_LEVELS_TOO_CLOSE
              : !(gap > LOOK_CONTRAST * w->ticks[NEAR_FIRST]) ? REASON_NO_CONTRAST
                                                              : REASON_NONE;
    return true;
}

bool prefetch_look_start(struct probe *p, struct prefetch_look *w, double first_bytes, double second_bytes,
                         double home_bytes, enum reason *reason)
{
    const double near = second_bytes > 0 ? second_bytes : first_bytes;

    *w = (struct prefetch_look){.p = p,
                                .first_lines = (size_t)first_bytes / ACCESS_LINE_BYTES,
                                .home_lines = (size_t)home_bytes / ACCESS_LINE_BYTES,
                                .sharing = sharing_of(),
                                .has_second = second_bytes > 0};
    if (!access_map(p, &w->area, (size_t)near, (size_t)home_bytes))
        return false;
    *reason = REASON_NO_READINGS;
    /* what else runs may use a level for a while */
    for (unsigned i = 0; i < probe_smoke(p, 1, START_ATTEMPTS) && *reason; i++)
        if (!time_levels(w, (size_t)near / ACCESS_LINE_BYTES, reason))
            return false;
    return true;
}

/* ---- Looking ---------------------------------------------------------------------------------------- */

static enum nearness nearest(const struct prefetch_look *w, double ticks)
{
    const double first = w->ticks[NEAR_FIRST], home = w->ticks[NEAR_HOME];
    const double second = w->has_second ? w->ticks[NEAR_SECOND] : first;

    if (ticks > home - LOOK_TOLERANCE * (home - second))
        return NEAR_HOME;
    if (ticks < first + LOOK_TOLERANCE * ((w->has_second ? second : home) - first))
        return NEAR_FIRST;
    if (!w->has_second || !(ticks < second + LOOK_TOLERANCE * (home - second)))
        return NEAR_UNCLEAR;
    return ticks > second - LOOK_TOLERANCE * (second - first) ? NEAR_SECOND : NEAR_EITHER;
}

/* Trials after which the clock's steps blur the mean by no more than a part of the least difference. */
static double rounds_needed(const struct prefetch_look *w, size_t places)
{
    const double near = w->has_second ? w->ticks[NEAR_SECOND] : w->ticks[NEAR_HOME];
    const double step = w->p->run->meter.step_ticks /
                        (LOOK_TOLERANCE / 2 * (near - w->ticks[NEAR_FIRST]) * (double)places);

    return step * step / 6; /* two ends, each uniform within a step: variance of a sixth */
}

static size_t rounds_for_clock(const struct prefetch_look *w, size_t places)
{
    const double rounds = rounds_needed(w, places);

    return rounds < ROUNDS_AT_LEAST ? ROUNDS_AT_LEAST : rounds > ROUNDS_AT_MOST ? ROUNDS_AT_MOST : (size_t)rounds + 1;
}

/* What was found of each line so far; the last one stands for lines elsewhere, which are at home. */
struct looking {
    double ticks[LOOK_LINES + 1][ROUNDS_AT_MOST * ELSEWHERE];
    size_t count[LOOK_LINES + 1];
    bool done[LOOK_LINES];
};

/* One trial for each line that is not done, and some elsewhere, in random order. */
static bool look_round(struct prefetch_look *w, const struct looked *lines, size_t count, size_t places,
                       struct looking *s)
{
    uint16_t order[LOOK_LINES + ELSEWHERE];
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (!s->done[i])
            order[n++] = (uint16_t)i;
    for (size_t i = 0; i < ELSEWHERE; i++)
        order[n++] = LOOK_LINES;
    random_shuffle(order, n, sizeof order[0], &w->p->random);
    /* a trial of several rounds takes as much longer, and interrupts end windows */
    const size_t at_once = ACCESS_TRIALS / (w->area.emitted->rounds + 1);
    for (size_t from = 0; from < n; from += at_once) {
        const size_t trials = n - from < at_once ? n - from : at_once;
        int32_t looks[ACCESS_TRIALS];
        double ticks[ACCESS_TRIALS];
        for (size_t t = 0; t < trials; t++)
            looks[t] = order[from + t] < LOOK_LINES ? lines[order[from + t]].at : ACCESS_ELSEWHERE;
        if (!trials_of(w, places, looks, trials, ticks))
            return false;
        for (size_t t = 0; t < trials; t++)
            if (!isnan(ticks[t]))
                s->ticks[order[from + t]][s->count[order[from + t]]++] = ticks[t];
    }
    w->trials += n;
    return true;
}

enum moved { NOT_MOVED, MOVED_NEARER, MOVED_FARTHER };

/*
 * Whether lines elsewhere are where they were when the levels were timed: they may have moved to another level. Where
 * other cores evict some of them, the quarter of the trials that took least has the fewest of these; and `count` lines
 * that are looked at may be home where those elsewhere, which were not accessed for longer, are not.
 */
static enum moved moved_of(const struct prefetch_look *w, struct looking *s, size_t count)
{
    const double home = w->ticks[NEAR_HOME], before = w->ticks[w->has_second ? NEAR_SECOND : NEAR_FIRST];
    const double gap = (home - before) * LOOK_TOLERANCE, farthest = home + HOME_FARTHER * gap;

    if (!(middle_mean(s->ticks[LOOK_LINES], s->count[LOOK_LINES]) > home - gap))
        return MOVED_NEARER;
    bool home_seen = s->ticks[LOOK_LINES][s->count[LOOK_LINES] / 4] < farthest;
    for (size_t i = 0; i < count && !home_seen; i++) {
        const double mean = middle_mean(s->ticks[i], s->count[i]);
        home_seen = mean > home - gap && mean < farthest;
    }
    return home_seen ? NOT_MOVED : MOVED_FARTHER;
}

static bool agree(enum nearness a, enum nearness b)
{
    return a == b || (b >= NEAR_EITHER && a == NEAR_EITHER);
}

static void judge(const struct prefetch_look *w, struct looked *line, double *ticks, size_t count, bool *done)
{
    const double mean = middle_mean(ticks, count);

    line->where = nearest(w, mean);
    line->part = (w->ticks[NEAR_HOME] - mean) / (w->ticks[NEAR_HOME] - w->ticks[NEAR_FIRST]);
    /* those that the mean is of agree, and none was nearer than home where it is home; else more are needed */
    const double low = ticks[line->where == NEAR_HOME ? 0 : count / 4], high = ticks[count - 1 - count / 4];
    *done = line->where && agree(line->where, nearest(w, low)) && agree(line->where, nearest(w, high));
}

/* Looks until all lines are done. *moved: lines at home are elsewhere by now, and nothing was decided. */
static bool look(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count,
                 size_t places, enum moved *moved)
{
    const size_t most = (size_t)probe_smoke(w->p, ROUNDS_AT_LEAST, ROUNDS_AT_MOST);
    const size_t least = rounds_for_clock(w, places);
    struct looking s = {.count = {0}};
    size_t left = count;

    *moved = NOT_MOVED;
    for (size_t round = 1; round <= most && left > 0; round++) {
        if (!look_round(w, lines, count, places, &s))
            return false;
        if (round < least)
            continue;
        if (access_slots(&w->area, l) > 1)
            *moved = moved_of(w, &s, count);
        if (*moved)
            break;
        for (size_t i = 0; i < count; i++)
            if (!s.done[i] && s.count[i] >= ROUNDS_AT_LEAST) {
                judge(w, &lines[i], s.ticks[i], s.count[i], &s.done[i]);
                left -= s.done[i];
            }
    }
    for (size_t i = 0; i < count && *moved; i++)
        if (!s.done[i])
            lines[i].where = NEAR_UNCLEAR, lines[i].part = NAN;
    return true;
}

static void leave_unclear(struct looked *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lines[i].where = NEAR_UNCLEAR, lines[i].part = NAN;
}

static bool look_at(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count)
{
    const size_t places = places_of(w, l);
    const int32_t first[1] = {ACCESS_ELSEWHERE};
    enum moved moved = MOVED_FARTHER;
    double ticks, now;

    w->looks += count;
    leave_unclear(lines, count);
    if (!access_slots(&w->area, l))
        return true;
    for (unsigned attempt = 0; attempt < probe_smoke(w->p, 1, ATTEMPTS) && moved; attempt++) {
        /*
         * Never farther than before: while other cores have the home's lines evicted to memory, lines that a list has
         * accessed come back to the home, and would be taken for brought ones if that were as far as memory.
         */
        if (moved == MOVED_NEARER) {
            if (!time_home(w, &now))
                return false;
            w->ticks[NEAR_HOME] = fmin(w->ticks[NEAR_HOME], now);
        }
        /* a trial that does not count: what was learned of the list before is replaced by this one */
        if (!access_emit(w->p, &w->area, l) || !trials_of(w, places, first, 1, &ticks) ||
            !look(w, l, lines, count, places, &moved))
            return false;
        w->moved += moved != NOT_MOVED;
        if (moved)
            w->area.touched = w->area.refresh = 0;
    }
    return true;
}

static void add_asides(struct access_list *l)
{
    for (unsigned i = 0; i < ACCESS_ASIDES; i++)
        l->all[l->count++] = (struct listed_load){0, ASIDE_SITE + i % ASIDE_SITES, LISTED_ASIDE};
}

/*
 * The list with ACCESS_ASIDES loads of other lines. The same accesses in the same order, whether they arrive before the
 * one behind them or not: only a time to wait stands behind them, or before them.
 */
static struct access_list with_asides(const struct access_list *l, enum look_aside aside)
{
    struct access_list out = *l;
    size_t last = l->count - 1;

    while (last && (l->all[last].kind == LISTED_THROUGH || l->all[last].kind == LISTED_ONWARD))
        last--;
    out.count = last;
    out.has_asides = true;
    if (aside == ASIDE_ARRIVED)
        add_asides(&out);
    out.all[out.count++] = (struct listed_load){.kind = LISTED_WAIT};
    if (aside == ASIDE_UNDER_WAY)
        add_asides(&out);
    for (; last < l->count; last++)
        out.all[out.count++] = l->all[last];
    return out;
}

bool prefetch_look(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count)
{
    if (w->aside == ASIDE_NONE)
        return look_at(w, l, lines, count);
    if (l->count + ACCESS_ASIDES + 1 > ACCESSES) {
        leave_unclear(lines, count);
        return true;
    }
    const struct access_list list = with_asides(l, w->aside);
    return look_at(w, &list, lines, count);
}

size_t prefetch_look_places(const struct prefetch_look *w, const struct access_list *l)
{
    return places_of(w, l);
}

bool prefetch_look_resolves(const struct prefetch_look *w, const struct access_list *l)
{
    return rounds_needed(w, places_of(w, l)) <= ROUNDS_AT_MOST;
}

struct looked_bits looked_bits_of(const struct looked *lines, size_t count)
{
    struct looked_bits bits = {0};

    for (size_t i = 0; i < count; i++) {
        bits.in |= (uint64_t)(lines[i].where >= NEAR_EITHER) << i;
        bits.unclear |= (uint64_t)(lines[i].where == NEAR_UNCLEAR) << i;
    }
    return bits;
}

bool looked_brought(const struct looked *line, double known)
{
    return line->part > known / 2;
}

bool looked_known(const struct looked *line)
{
    return line->part > LOOK_TOLERANCE;
}

enum nearness looked_level(const struct prefetch_look *w, const struct looked *line)
{
    const double first = w->ticks[NEAR_FIRST], home = w->ticks[NEAR_HOME], second = w->ticks[NEAR_SECOND];
    const double farthest = second + LOOK_TOLERANCE * (second - first);

    if (line->where == NEAR_SECOND && line->part < (home - farthest) / (home - first))
        return NEAR_EITHER;
    return line->where;
}
