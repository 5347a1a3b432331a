#include "lib/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/knee.h"
#include "lib/probe.h"
#include "lib/record.h"

enum {
    STAIRS_MAXIMUM = 8,
    BUILDS_MAXIMUM = 9,
    CODE_BYTES_AT_LEAST = 65536,
    NARROW_ROUNDS = 4,
    PASSES = 2,
    HEIGHT_POINTS_AT_LEAST = 3
};

/* The part of a rise that counts as having left the level: more than noise and lesser edges below it make. */
static const double LEAVING = 0.15;
/* Parts of it that tell more about an edge: well on the way, and over. */
static const double RISING = 0.45, MOST = 0.9;

/* ---- Kernels ----------------------------------------------------------------------------------- */

bool probe_skip(struct probe *p, const char *reason)
{
    p->outcome = OUTCOME_SKIPPED;
    snprintf(p->reason, sizeof p->reason, "%s", reason);
    return false;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    const char *why = machine_map(a, bytes, page_bytes, AREA_DATA);
    return why ? probe_skip(p, why) : true;
}

bool probe_map_large(struct probe *p, struct area *a, size_t bytes)
{
    const size_t *sizes = machine_info()->page_bytes;
    size_t count = 0;

    while (count < sizeof machine_info()->page_bytes / sizeof sizes[0] && sizes[count])
        count++;
    for (size_t i = count; i-- > 1;)
        if (sizes[i] <= bytes && !machine_map(a, bytes / sizes[i] * sizes[i], sizes[i], AREA_DATA))
            return true;
    return probe_map(p, a, bytes, 0);
}

struct code probe_code(struct probe *p, size_t bytes)
{
    if (p->code.bytes < bytes) { /* the smaller area before it stays mapped until the probe ends */
        size_t room = CODE_BYTES_AT_LEAST;
        while (room < bytes)
            room *= 2;
        const char *why = machine_map(&p->code, room, 0, AREA_CODE);
        if (why) {
            p->code = (struct area){0};
            probe_skip(p, why);
        }
    }
    return code_start(p->code.write, p->code.at, p->code.bytes < bytes ? p->code.bytes : bytes);
}

bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k)
{
    if (p->outcome != OUTCOME_OK)
        return false;
    if (!code_good(c))
        return probe_skip(p, c->overflow ? "the kernel did not fit its code area"
                                         : "the kernel has an operand out of range");
    machine_code_written(&p->code, (size_t)(c->write - p->code.write), c->used);
    k->entry = c->at + entry;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    struct window_result result = meter_measure(&p->run->meter, k, out);

    if (result.end == WINDOW_FAULT) {
        p->outcome = OUTCOME_FAULT;
        p->fault = result.fault;
    } else if (result.end == WINDOW_TIMEOUT) {
        p->outcome = OUTCOME_TIMEOUT;
        p->fault = result.fault;
    }
    return result.end == WINDOW_RAN;
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    const double by_profile[PROFILES] = {smoke, quick, standard, full};
    return by_profile[p->run->config.profile];
}

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* Makes room for a point at x; a point that is there already is replaced. */
static struct point *point_at(struct sweep *s, double x)
{
    size_t i = s->count;

    while (i > 0 && s->points[i - 1].x >= x)
        i--;
    if (i < s->count && !(s->points[i].x > x))
        return &s->points[i];
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct point *grown = realloc(s->points, room * sizeof *grown);
        if (!grown)
            return NULL;
        s->points = grown;
        s->room = room;
    }
    memmove(&s->points[i + 1], &s->points[i], (s->count - i) * sizeof *s->points);
    s->count++;
    return &s->points[i];
}

static int by_level(const void *a, const void *b)
{
    double x = ((const struct point *)a)->q20, y = ((const struct point *)b)->q20;
    return isnan(x) ? !isnan(y) : x < y ? -1 : x > y;
}

bool sweep_add(struct probe *p, struct sweep *s, double x, struct point *out)
{
    struct point built[BUILDS_MAXIMUM] = {0};
    unsigned builds = s->builds > 1 && x <= s->builds_to ? s->builds : 1, rejected = 0, accepted = 0;
    char text[96];

    snprintf(text, sizeof text, "%s: %s, %s = %.0f of %.0f", p->definition->name, s->name, s->axis, x, s->to);
    machine_progress(text);
    for (unsigned i = 0; i < builds && i < BUILDS_MAXIMUM; i++) {
        struct kernel k = {.units = 1};
        built[i] = (struct point){.x = x};
        if (!s->build(p, x, s->context, &k) || !probe_measure(p, &k, &built[i]))
            return false;
        accepted += built[i].accepted;
        rejected += built[i].rejected;
    }
    qsort(built, builds, sizeof built[0], by_level);
    size_t before = s->count;
    struct point *place = point_at(s, x);
    if (!place)
        return probe_skip(p, "out of memory for the curve");
    const struct point *median = &built[(builds - 1) / 2];
    if (s->half_from && s->count == before && !isnan(place->q20) && !isnan(median->q20)) {
        place->q20 = (place->q20 + median->q20) / 2;
        place->median = (place->median + median->median) / 2;
    } else if (s->count > before || isnan(place->q20) || median->q20 < place->q20) {
        *place = *median;
    }
    place->accepted = accepted;
    place->rejected = rejected;
    if (out)
        *out = *place;
    return true;
}

static double to_grain(const struct sweep *s, double x)
{
    double steps = floor(x / s->grain + 0.5);
    return (steps < 1 ? 1 : steps) * s->grain;
}

bool sweep_walk(struct probe *p, struct sweep *s)
{
    /* 2^(1/n) by its square roots: per_octave is a power of two, and sqrt is exact in every build */
    double ratio = 2;
    for (double n = 1; n < s->per_octave; n *= 2)
        ratio = sqrt(ratio);

    for (unsigned pass = 0; pass < PASSES; pass++) {
        double last = 0;
        for (double exact = s->from; exact <= s->to * 1.0001;
             exact = s->per_octave > 0 ? exact * ratio : exact + s->grain) {
            double x = to_grain(s, exact);
            if (!(x > last))
                continue;
            last = x;
            if (!sweep_add(p, s, x, NULL))
                return false;
        }
    }
    return true;
}

/* Narrows down where y first exceeds a height, between two x that lie on either side of it. */
static bool narrow(struct probe *p, struct sweep *s, double height, double below, double above)
{
    while (above - below > s->grain * 1.5) {
        double middle = to_grain(s, (below + above) / 2);
        struct point pt;
        if (!(middle > below && middle < above))
            break;
        if (!sweep_add(p, s, middle, &pt) || (pt.q20 > height && !sweep_add(p, s, middle, &pt)))
            return false;
        if (isnan(pt.q20))
            break;
        *(pt.q20 > height ? &above : &below) = middle;
    }
    return true;
}

/* The curve as plain arrays, for the rules that know nothing of points. */
static bool plain(struct probe *p, const struct sweep *s, double **x, double **y)
{
    *x = malloc((2 * s->count + 2) * sizeof **x);
    if (!*x)
        return probe_skip(p, "out of memory for the curve");
    *y = *x + s->count + 1;
    for (size_t i = 0; i < s->count; i++) {
        (*x)[i] = s->points[i].x;
        (*y)[i] = s->points[i].q20;
    }
    return true;
}

/* An edge: between x = from and x = to, from one level's height to the next one's. */
struct edge {
    double from, to;
    double lower, upper;
};

/* Where the points, as they are now, cross a part of the edge's height. */
static bool cross(struct probe *p, const struct sweep *s, const struct edge *e, double part, struct crossing *c)
{
    double *x, *y;
    size_t first = 0, last = s->count - 1;

    if (!plain(p, s, &x, &y))
        return false;
    while (x[first] < e->from)
        first++;
    while (x[last] > e->to)
        last--;
    *c = knee_crossing(x, y, first, last, e->lower + part * (e->upper - e->lower));
    free(x);
    return true;
}

/*
 * Narrows a crossing down. A disturbed point may have led the search astray: then the crossing is
 * elsewhere now, and is narrowed again.
 */
static bool narrow_crossing(struct probe *p, struct sweep *s, const struct edge *e, double part, struct crossing *c)
{
    if (!cross(p, s, e, part, c))
        return false;
    for (unsigned round = 0; round < NARROW_ROUNDS && c->above - c->to > s->grain * 1.5; round++)
        if (!narrow(p, s, e->lower + part * (e->upper - e->lower), c->to, c->above) || !cross(p, s, e, part, c))
            return false;
    return true;
}

static double middle(const struct crossing *c)
{
    return (c->to + c->above) / 2;
}

/*
 * Where contiguous frames fill a cache evenly, one line too many makes its set miss, and each line more
 * another set: the edge begins at the capacity and rises as a line at first. It is followed back from
 * where it is out of the noise. An edge that is too wide for that has something in it, perhaps a level
 * too short to be seen: then all of it is the interval.
 */
static bool narrow_step(struct probe *p, struct sweep *s, const struct edge *e, const struct crossing *leaving,
                        struct stair *stair)
{
    struct crossing rising, most;

    if (!narrow_crossing(p, s, e, RISING, &rising) || !cross(p, s, e, MOST, &most))
        return false;
    double width = middle(&rising) - middle(leaving);
    if (width > leaving->to / 8) {
        stair->value = leaving->to;
        stair->low = leaving->from;
        stair->high = most.above;
        return true;
    }
    double back = width * LEAVING / (RISING - LEAVING);
    stair->value = fmax(e->from, fmin(leaving->to, to_grain(s, middle(leaving) - back)));
    stair->low = fmax(e->from, fmin(stair->value, to_grain(s, middle(leaving) - 3 * back)));
    stair->high = leaving->above;
    return true;
}

/* Where frames fall at random, some sets are overfull long before others are full: half way up is the capacity. */
static bool narrow_ramp(struct probe *p, struct sweep *s, const struct edge *e, const struct crossing *leaving,
                        struct stair *stair)
{
    struct crossing half, most;

    if (!narrow_crossing(p, s, e, 0.5, &half) || !cross(p, s, e, MOST, &most))
        return false;
    stair->low = leaving->from;
    stair->value = to_grain(s, middle(&half));
    stair->high = most.above > stair->value ? most.above : half.above;
    return true;
}

static bool narrow_stair(struct probe *p, struct sweep *s, const struct edge *e, struct stair *stair)
{
    struct crossing leaving;

    return narrow_crossing(p, s, e, LEAVING, &leaving) &&
           (stair->half ? narrow_ramp(p, s, e, &leaving, stair) : narrow_step(p, s, e, &leaving, stair));
}

/* A level begins where its edge is over: what lies between is neither of the two. */
static bool find_height(struct probe *p, const struct sweep *s, const struct edge *e, double last, double *height)
{
    struct crossing most;
    double *x, *y;
    size_t count = 0;

    if (!cross(p, s, e, MOST, &most) || !plain(p, s, &x, &y))
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (x[i] >= most.above && x[i] <= last && !isnan(y[i]))
            y[count++] = y[i];
    sort_numbers(y, count);
    if (count >= HEIGHT_POINTS_AT_LEAST)
        *height = quantile(y, count, 0.5);
    free(x);
    return true;
}

/* How much neighbouring points first … last differ, as a median: noise counts, a slope hardly does. Spoils y. */
static double spread_of(double *y, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        y[i] = fabs(y[i + 1] - y[i]);
    sort_numbers(y + first, last - first);
    size_t count = last - first;
    while (count > 0 && isnan(y[first + count - 1]))
        count--;
    return quantile(y + first, count, 0.5);
}

bool sweep_stairs(struct probe *p, struct sweep *s, double tolerance, double span, struct stair *out, size_t room,
                  size_t *count)
{
    struct level levels[STAIRS_MAXIMUM];
    double from[STAIRS_MAXIMUM], to[STAIRS_MAXIMUM], *x, *y;

    *count = 0;
    if (!plain(p, s, &x, &y))
        return false;
    size_t found = knee_levels(x, y, s->count, tolerance, span, levels, room < STAIRS_MAXIMUM ? room : STAIRS_MAXIMUM);
    for (size_t i = 0; i < found; i++) {
        from[i] = x[levels[i].first];
        to[i] = x[levels[i].last];
        out[i] = (struct stair){.height = levels[i].height,
                                .spread = spread_of(y, levels[i].first, levels[i].last) / levels[i].height,
                                .left = i + 1 < found,
                                .half = s->half_from && i + 1 >= s->half_from};
    }
    free(x);
    for (size_t i = 0; i + 1 < found; i++) {
        const struct edge e = {from[i], to[i + 1], out[i].height, out[i + 1].height};
        if (!narrow_stair(p, s, &e, &out[i]) || !find_height(p, s, &e, to[i + 1], &out[i + 1].height))
            return false;
    }
    *count = found;
    return true;
}

bool sweep_line_left(struct probe *p, const struct sweep *s, double excess, double *low, double *high)
{
    double *x, *y;
    size_t last_good;

    if (!plain(p, s, &x, &y))
        return false;
    bool left = knee_line_left(x, y, s->count, excess, &last_good);
    if (left) {
        *low = x[last_good];
        *high = x[last_good + 1];
    }
    free(x);
    return left;
}

void sweep_record(struct probe *p, const struct sweep *s)
{
    struct record r;

    record_start(&r, &p->run->writer, "curve");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", s->name);
    record_integer(&r, "core", machine_info()->core);
    record_text(&r, "axis", s->axis);
    record_text(&r, "unit", s->unit);
    record_array(&r, "x");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, s->points[i].x);
    record_close(&r);
    record_array(&r, "q20");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, rounded(s->points[i].q20));
    record_close(&r);
    record_array(&r, "median");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, rounded(s->points[i].median));
    record_close(&r);
    record_array(&r, "rejected");
    for (size_t i = 0; i < s->count; i++)
        record_integer(&r, NULL, s->points[i].rejected);
    record_close(&r);
    record_send(&r);
}

void sweep_free(struct sweep *s)
{
    free(s->points);
    s->points = NULL;
    s->count = s->room = 0;
}
