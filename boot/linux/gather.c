#include "boot/linux/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"

/* ---- One bin ----------------------------------------------------------------------------------- */

static bool make_room(struct gather_bin *b, size_t samples)
{
    if (samples <= b->room)
        return true;
    size_t room = b->room ? 2 * b->room : 1;
    room = room < samples ? samples : room;
    double *grown = realloc(b->samples, room * sizeof grown[0]);
    if (!grown)
        return false;
    b->samples = grown;
    b->room = room;
    return true;
}

/* Vitter: Random sampling with a reservoir, ACM TOMS 11(1), 1985, algorithm R. */
static bool take_sample(struct gather_bin *b, double y, uint64_t *random)
{
    b->seen++;
    if (b->kept < GATHER_SAMPLES) {
        if (!make_room(b, b->kept + 1))
            return false;
        b->samples[b->kept++] = y;
    } else {
        uint64_t place = random_below(random, b->seen);
        if (place < GATHER_SAMPLES)
            b->samples[place] = y;
    }
    return true;
}

/* The right neighbour's rows join those of the left one; samples are drawn from both in proportion to their rows. */
static bool merge_bins(struct gather_bin *left, struct gather_bin *right, uint64_t *random)
{
    bool enough = true;

    left->to = right->to;
    if (right->seen == right->kept) { /* all are still there: one after the other */
        for (size_t i = 0; i < right->kept && enough; i++)
            enough = take_sample(left, right->samples[i], random);
    } else if (make_room(left, GATHER_SAMPLES)) {
        /* Two urns: each draw is from either with the chance that its rows have among those not drawn yet. */
        uint64_t left_rows = left->seen, right_rows = right->seen;
        double drawn[GATHER_SAMPLES];

        for (size_t i = 0; i < GATHER_SAMPLES; i++) {
            bool from_left = random_below(random, left_rows + right_rows) < left_rows;
            struct gather_bin *urn = from_left ? left : right;
            size_t pick = (size_t)random_below(random, urn->kept);

            drawn[i] = urn->samples[pick];
            urn->samples[pick] = urn->samples[--urn->kept];
            left_rows -= from_left;
            right_rows -= !from_left;
        }
        memcpy(left->samples, drawn, sizeof drawn);
        left->kept = GATHER_SAMPLES;
        left->seen += right->seen;
    } else {
        enough = false;
    }
    free(right->samples);
    *right = (struct gather_bin){0};
    return enough;
}

/* ---- Many x ------------------------------------------------------------------------------------ */

/* How far apart two x are, in proportion: 0 … 2. Halves, since the difference itself may overflow. */
static double distance(double from, double to)
{
    return from < to ? (to / 2 - from / 2) / (fmax(fabs(from), fabs(to)) / 2) : 0;
}

/* How many bins are left if neighbours are merged as long as no bin spans more than `width`. */
static size_t bins_within(const struct gather *g, double width)
{
    size_t bins = 0;

    for (size_t i = 0, first = 0; i < g->count; i++) {
        if (i == 0 || distance(g->bins[first].from, g->bins[i].to) > width) {
            first = i;
            bins++;
        }
    }
    return bins;
}

static bool merge_neighbours(struct gather *g)
{
    if (g->count <= GATHER_POINTS)
        return true;
    /* The width grows by halves from the least difference that doubles distinguish; at 2 all x are in one bin. */
    double width = g->width > 0 ? g->width : 1.0 / ((uint64_t)1 << 52);
    while (bins_within(g, width) > GATHER_POINTS)
        width *= 1.5;
    g->width = width;

    size_t last = 0;
    for (size_t i = 1; i < g->count; i++) {
        if (distance(g->bins[last].from, g->bins[i].to) > width) {
            struct gather_bin moved = g->bins[i];
            g->bins[i] = (struct gather_bin){0};
            g->bins[++last] = moved;
        } else if (!merge_bins(&g->bins[last], &g->bins[i], &g->random)) {
            return false;
        }
    }
    g->count = last + 1;
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------------- */

static int compare_rows(const void *left, const void *right)
{
    const struct gather_row *a = left, *b = right;

    if (a->x < b->x || a->x > b->x)
        return a->x < b->x ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Sorts the waiting rows into the bins. */
static bool settle(struct gather *g)
{
    size_t rows = g->waiting_count, fresh = 0, next = 0;

    g->waiting_count = 0;
    if (rows == 0)
        return true;
    qsort(g->waiting, rows, sizeof g->waiting[0], compare_rows);

    /* Rows that fall into a bin go there; the others are counted, */
    for (size_t i = 0, bin = 0; i < rows; i++) {
        const struct gather_row *row = &g->waiting[i];
        while (bin < g->count && g->bins[bin].to < row->x)
            bin++;
        if (bin < g->count && g->bins[bin].from <= row->x) {
            if (!isnan(row->y) && !take_sample(&g->bins[bin], row->y, &g->random))
                return false;
        } else {
            g->waiting[next++] = *row; /* it waits on */
            fresh += next == 1 || g->waiting[next - 2].x < row->x;
        }
    }
    if (fresh == 0)
        return true;

    /* and get bins of their own, from the right end on, so that each old bin moves once. */
    struct gather_bin *bins = realloc(g->bins, (g->count + fresh) * sizeof bins[0]);
    if (!bins)
        return false;
    g->bins = bins;
    size_t old = g->count, place = g->count + fresh;
    memset(bins + old, 0, fresh * sizeof bins[0]);
    g->count = place;
    bool enough = true;
    for (size_t end = next; end > 0;) {
        size_t start = end - 1;
        double x = g->waiting[start].x;
        while (start > 0 && !(g->waiting[start - 1].x < x))
            start--;
        while (old > 0 && bins[old - 1].from > x) {
            bins[--place] = bins[--old];
        }
        struct gather_bin *b = &bins[--place];
        *b = (struct gather_bin){.from = x, .to = x};
        for (size_t i = start; i < end && enough; i++)
            if (!isnan(g->waiting[i].y))
                enough = take_sample(b, g->waiting[i].y, &g->random);
        end = start;
    }
    return enough && merge_neighbours(g);
}

void gather_start(struct gather *g)
{
    *g = (struct gather){.ascending = true, .descending = true, .last = (double)NAN, .random = 1};
}

bool gather_add(struct gather *g, double x, double y)
{
    if (g->waiting_count == g->waiting_room) {
        size_t room = g->waiting_room ? 2 * g->waiting_room : 64;
        struct gather_row *waiting = realloc(g->waiting, room * sizeof waiting[0]);
        if (!waiting)
            return false;
        g->waiting = waiting;
        g->waiting_room = room;
    }
    g->waiting[g->waiting_count] = (struct gather_row){x, y, (uint32_t)g->waiting_count};
    g->waiting_count++;
    g->ascending = g->ascending && !(x < g->last);
    g->descending = g->descending && !(x > g->last);
    g->last = x;
    return g->waiting_count < GATHER_WAITING || settle(g);
}

bool gather_end(struct gather *g)
{
    return settle(g);
}

/* ---- Points ------------------------------------------------------------------------------------ */

/*
 * The standard error of the median of sorted samples: half the distance between the samples whose ranks are half the
 * square root of the count below and above the middle. Between these the median of as many other samples would be two
 * times in three, whatever their distribution (David and Nagaraja: Order statistics, 2003, 7.1: ranks as binomial). NaN
 * for a single one.
 */
static double standard_error(const double *sorted, size_t count)
{
    if (count < 2)
        return (double)NAN;
    double aside = sqrt((double)count) / 2 / (double)(count - 1);
    return (quantile(sorted, count, 0.5 + aside) - quantile(sorted, count, 0.5 - aside)) / 2;
}

bool gather_points(const struct gather *g, struct knee_point **points)
{
    double sorted[GATHER_SAMPLES];

    *points = malloc((g->count ? g->count : 1) * sizeof **points);
    if (!*points)
        return false;
    for (size_t i = 0; i < g->count; i++) {
        const struct gather_bin *b = &g->bins[i];

        for (size_t k = 0; k < b->kept; k++)
            sorted[k] = b->samples[k];
        sort_numbers(sorted, b->kept);
        (*points)[i] = (struct knee_point){
            .x = b->from,
            .y = quantile(sorted, b->kept, 0.5),
            .error = standard_error(sorted, b->kept),
        };
    }
    return true;
}

/* How many passes the samples make: the most of which each has nine in ten points; 0 where not even two do. */
static size_t passes_of(const struct gather *g)
{
    for (size_t passes = KNEE_PASSES; passes > 1 && !(g->width > 0); passes--) {
        size_t in = 0;
        for (size_t i = 0; i < g->count; i++)
            in += g->bins[i].kept >= passes && g->bins[i].seen == g->bins[i].kept;
        if (10 * in >= 9 * g->count)
            return passes;
    }
    return 0;
}

bool gather_passes(const struct gather *g, struct knee_passes *passes)
{
    double sorted[GATHER_SAMPLES];

    *passes = (struct knee_passes){.count = passes_of(g)};
    if (passes->count == 0)
        return true;
    passes->y = malloc(passes->count * g->count * sizeof *passes->y);
    for (size_t pass = 0; passes->y && pass < passes->count; pass++)
        for (size_t i = 0; i < g->count; i++) {
            const struct gather_bin *b = &g->bins[i];
            size_t from = b->kept * pass / passes->count, end = b->kept * (pass + 1) / passes->count;

            for (size_t k = from; k < end; k++)
                sorted[k - from] = b->samples[k];
            sort_numbers(sorted, end - from);
            passes->y[pass * g->count + i] = quantile(sorted, end - from, 0.5); /* NaN of none */
        }
    return passes->y != NULL;
}

/* The last x of the bin that begins at x; x itself where none does. */
static double last_of_bin(const struct gather *g, double x)
{
    size_t low = 0, high = g->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->bins[middle].from < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && !(g->bins[low].from > x) ? g->bins[low].to : x;
}

void gather_widen(const struct gather *g, struct verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct knee *k = &v->knees[i];

        k->value = last_of_bin(g, k->value);
        k->high = last_of_bin(g, k->high);
        k->end = last_of_bin(g, k->end);
        k->half_rise_high = last_of_bin(g, k->half_rise_high);
    }
    for (size_t i = 0; i < v->level_count; i++)
        v->levels[i].to = last_of_bin(g, v->levels[i].to);
}

void gather_free(struct gather *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->bins[i].samples);
    free(g->bins);
    free(g->waiting);
    *g = (struct gather){0};
}
