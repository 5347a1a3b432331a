#include "lib/structure/forwarding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/statistics.h"
#include "lib/probe/matrix.h"
#include "lib/structure/forwarding_reference.h"

enum { LINE_BYTES = 64, TEXT = 48 };

const char *const crossing_names[CROSSINGS] = {"none", "64", "page"};

double *forwarding_cell(const struct forwarding_grid *g, enum crossing crossing, size_t store, size_t load, int offset)
{
    return &g->cells[((crossing * g->count + store) * g->count + load) * g->columns + (size_t)(offset + g->reach)];
}

const char *forwarding_chain_name(const struct forwarding_grid *g)
{
    return g->chain == THROUGH_DATA ? "data" : "address";
}

/* ---- Measuring ---------------------------------------------------------------------------------- */

static int bytes_of(const struct forwarding_grid *g, size_t width)
{
    return (int)g->widths[width]->bits / 8;
}

static bool overlaps(int store, int load, int offset)
{
    return offset > -load && offset < store;
}

/*
 * Where the store writes, from a border at 0 on, so that the pair crosses it: in the middle of the bytes that store and
 * load share, where these are two or more; else in the middle of the load; else, where the load has one byte, in the
 * middle of the store. False where both have one byte.
 */
static bool place_across(int store, int load, int offset, int *at)
{
    const int from = offset > 0 ? offset : 0, to = offset + load < store ? offset + load : store;

    if (to - from >= 2)
        *at = -(from + (to - from) / 2);
    else if (load >= 2)
        *at = -(offset + load / 2);
    else
        *at = -store / 2;
    return store >= 2 || load >= 2;
}

/*
 * The same within a line that begins at 0: the lower of both lies at its beginning. False where a line cannot hold
 * both.
 */
static bool place_within(int store, int load, int offset, int *at)
{
    const int from = offset < 0 ? offset : 0, to = offset + load > store ? offset + load : store;

    *at = -from;
    return to - from <= LINE_BYTES;
}

static bool measure_cell(struct probe *p, const struct area *area, struct forwarding_grid *g, enum crossing crossing,
                         size_t store, size_t load, int offset)
{
    const int a = bytes_of(g, store), b = bytes_of(g, load);
    struct store_load s = {
        .store = g->widths[store], .load = g->widths[load], .chain = g->chain, .load_offset = offset};
    const size_t border = FORWARDING_MIDDLE + (crossing == CROSSING_PAGE ? 0 : LINE_BYTES);
    int at;

    if (!overlaps(a, b, offset) ||
        !(crossing == CROSSING_NONE ? place_within(a, b, offset, &at) : place_across(a, b, offset, &at)))
        return true;
    s.store_offset = at;
    double *cycles = forwarding_cell(g, crossing, store, load, offset);
    if (!store_load_measure(p, &s, area->at + border, cycles))
        return false;
    g->failed[store][load] |= crossing == CROSSING_NONE && isnan(*cycles);
    return true;
}

static bool measure_grid(struct probe *p, const struct area *area, struct forwarding_grid *g)
{
    /* vectors are wide, and code hardly ever loads a part of one from an odd offset */
    const int step = (int)(g->widths[0]->file == ACCESS_VECTOR ? probe_smoke(p, g->reach, FORWARDING_VECTOR_STEP)
                                                               : probe_smoke(p, 4, 1));

    for (unsigned crossing = 0; crossing < g->crossings; crossing++)
        for (size_t store = 0; store < g->count; store++)
            for (size_t load = 0; load < g->count; load++)
                for (int offset = -g->reach; offset <= g->reach; offset += step)
                    if (!measure_cell(p, area, g, crossing, store, load, offset))
                        return false;
    return true;
}

static void send_grid(struct probe *p, const struct forwarding_grid *g)
{
    double columns[2 * LINE_BYTES + 1], rows[FORWARDING_WIDTHS];
    char name[TEXT];

    for (size_t i = 0; i < g->columns; i++)
        columns[i] = (double)i - g->reach;
    for (size_t i = 0; i < g->count; i++)
        rows[i] = g->widths[i]->bits;
    for (unsigned crossing = 0; crossing < g->crossings; crossing++)
        for (size_t store = 0; store < g->count; store++) {
            snprintf(name, sizeof name, "%s store=%s crossing=%s", forwarding_chain_name(g), g->widths[store]->name,
                     crossing_names[crossing]);
            matrix_send(p, &(struct matrix){.name = name,
                                            .row_axis = "load_bits",
                                            .column_axis = "offset_bytes",
                                            .unit = "cycles/pair",
                                            .row_count = g->count,
                                            .column_count = g->columns,
                                            .rows = rows,
                                            .columns = columns,
                                            .cells = forwarding_cell(g, crossing, store, 0, -g->reach),
                                            .pitch = g->columns});
        }
}

/* ---- Inference ---------------------------------------------------------------------------------- */

double forwarding_path_cycles(const struct forwarding_grid *g, enum crossing crossing, enum forwarding_path path)
{
    double *y = g->scratch;
    size_t n = 0;

    for (size_t store = 0; store < g->count; store++)
        for (size_t load = 0; load < g->count; load++)
            for (int offset = -g->reach; offset <= g->reach; offset++) {
                const double cycles = *forwarding_cell(g, crossing, store, load, offset);
                if (!isnan(cycles) && forwarding_path_of(&g->paths, cycles) == path &&
                    (crossing == CROSSING_NONE || bytes_of(g, load) > 1))
                    y[n++] = cycles - g->paths.extra;
            }
    return n ? median(y, n) : (double)NAN;
}

bool forwarding_works(enum forwarding_path path)
{
    return path == PATH_RENAMED || path == PATH_FORWARDED || path == PATH_SLOW;
}

bool forwarding_same_offsets(const struct forwarding_grid *a, const struct forwarding_grid *b, size_t store,
                             size_t load)
{
    for (int offset = -a->reach; offset <= a->reach; offset++)
        if (forwarding_works(forwarding_path_of(&a->paths, *forwarding_cell(a, CROSSING_NONE, store, load, offset))) !=
            forwarding_works(forwarding_path_of(&b->paths, *forwarding_cell(b, CROSSING_NONE, store, load, offset))))
            return false;
    return true;
}

static bool same_everywhere(const struct forwarding_grid *data, const struct forwarding_grid *load)
{
    for (size_t store = 0; store < data->count; store++)
        for (size_t loaded = 0; loaded < data->count; loaded++)
            if (!forwarding_same_offsets(data, load, store, loaded))
                return false;
    return true;
}

void forwarding_align(const struct forwarding_grid *data, struct forwarding_grid *load)
{
    const size_t before = load->paths.blocked;

    for (load->paths.blocked = load->paths.forwarded + 1; load->paths.blocked <= load->paths.clusters.count;
         load->paths.blocked++)
        if (same_everywhere(data, load))
            return;
    load->paths.blocked = before;
}

double forwarding_offsets(const struct forwarding_grid *g, size_t store, size_t load, char *text, size_t room)
{
    int count = 0, first = 0;
    size_t used = 0;
    bool before = false;

    text[0] = 0;
    if (g->failed[store][load])
        return (double)NAN;
    for (int offset = -g->reach; offset <= g->reach + 1; offset++) {
        const double cycles = offset > g->reach ? (double)NAN : *forwarding_cell(g, CROSSING_NONE, store, load, offset);
        const enum forwarding_path path = forwarding_path_of(&g->paths, cycles);
        const bool now = !isnan(cycles) && forwarding_works(path);
        if (!isnan(cycles) && path == PATH_UNKNOWN)
            return (double)NAN;
        count += now;
        if (now && !before)
            first = offset;
        if (before && !now && used < room)
            used += (size_t)snprintf(text + used, room - used, first == offset - 1 ? "%s%d" : "%s%d ... %d",
                                     used ? ", " : "", first, offset - 1);
        before = now;
    }
    return count;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

bool forwarding_grid_start(struct probe *p, struct forwarding_grid *g, enum dependency_through chain,
                           enum access_file file)
{
    *g = (struct forwarding_grid){.chain = chain, .crossings = (unsigned)probe_smoke(p, 2, CROSSINGS)};
    for (const struct emit_access *a = emit_accesses; a->name && g->count < FORWARDING_WIDTHS; a++)
        if (a->file == file && a->registers == 1 && a->has_load && a->has_store &&
            a->vector_bits <= machine_info()->vector_bits)
            g->widths[g->count++] = a;
    if (probe_is_smoke(p) && g->count > 2) { /* the narrowest and the widest */
        g->widths[1] = g->widths[g->count - 1];
        g->count = 2;
    }
    if (!g->count)
        return true;
    g->reach = bytes_of(g, g->count - 1);
    g->columns = 2 * (size_t)g->reach + 1;
    const size_t cells = CROSSINGS * g->count * g->count * g->columns;
    g->cells = malloc(2 * cells * sizeof *g->cells);
    g->scratch = g->cells + cells;
    for (size_t i = 0; g->cells && i < cells; i++)
        g->cells[i] = (double)NAN;
    return g->cells ? true : probe_skip(p, "out of memory");
}

bool forwarding_grid_measure(struct probe *p, const struct area *area, struct forwarding_grid *g)
{
    const size_t cells = g->crossings * g->count * g->count * g->columns;
    const struct store_load any = {.chain = g->chain};
    size_t n = 0;

    if (!g->count)
        return true;
    if (!forwarding_references(p, &any, area->at + FORWARDING_MIDDLE, &g->paths) || !measure_grid(p, area, g))
        return false;
    send_grid(p, g);
    for (size_t i = 0; i < cells; i++)
        if (!isnan(g->cells[i]))
            g->scratch[n++] = g->cells[i];
    if (n) {
        sort_numbers(g->scratch, n);
        forwarding_paths_decide(&g->paths, g->scratch, n);
    }
    return true;
}
