#include "lib/structure/store_gathering.h"

#include <math.h>
#include <stdio.h>

#include "lib/probe/matrix.h"

enum {
    LINE_BYTES = 64,
    LOADED_BYTES = 8,
    PLACE_AT = 512, /* behind the middle of the area, where no border of pages is near */
    TEXT = 48
};

static const char *const order_names[GATHERING_ORDERS] = {"upwards", "downwards"};

static bool measure(struct probe *p, const struct area *area, const struct forwarding_grid *g, struct store_load s,
                    double *cycles)
{
    s.store = g->widths[g->count - 1];
    s.load = s.load ? s.load : s.store;
    s.chain = g->chain;
    if (!store_load_measure(p, &s, area->at + FORWARDING_MIDDLE + PLACE_AT, cycles))
        return false;
    *cycles -= g->paths.extra;
    return true;
}

static void send(struct probe *p, const struct forwarding_grid *g, struct store_gathering *s, unsigned order)
{
    double counts[] = {1, 2, 4, 8}, cells[GATHERING_PLACES + 1][GATHERING_COUNTS], rows[] = {0, 1, 2};
    char name[TEXT];

    for (size_t n = 0; n < GATHERING_COUNTS; n++) {
        cells[0][n] = s->cycles[0][order][n];
        cells[1][n] = s->cycles[1][order][n];
        cells[2][n] = s->waiting[order][n];
    }
    snprintf(name, sizeof name, "%s stores %s", forwarding_chain_name(g), order_names[order]);
    matrix_send(p, &(struct matrix){.name = name,
                                    .row_axis = "within a line, across two, one byte beyond",
                                    .column_axis = "stores",
                                    .unit = "cycles/pair",
                                    .row_count = GATHERING_PLACES + 1,
                                    .column_count = GATHERING_COUNTS,
                                    .rows = rows,
                                    .columns = counts,
                                    .cells = cells[0],
                                    .pitch = GATHERING_COUNTS});
}

bool store_overwritten_measure(struct probe *p, const struct area *area, const struct forwarding_grid *g,
                               const struct emit_access *load, double *cycles)
{
    return measure(p, area, g, (struct store_load){.load = load, .overwritten = true}, cycles);
}

bool store_gathering_measure(struct probe *p, const struct area *area, const struct forwarding_grid *g,
                             struct store_gathering *s)
{
    const size_t counts = (size_t)probe_smoke(p, 2, GATHERING_COUNTS);

    for (unsigned order = 0; order < GATHERING_ORDERS; order++) {
        for (size_t n = 0; n < GATHERING_COUNTS; n++)
            s->cycles[0][order][n] = s->cycles[1][order][n] = s->waiting[order][n] = (double)NAN;
        for (size_t n = 0; n < counts; n++) {
            const struct store_load chain = {.stores = 1u << n, .backwards = order};
            struct store_load across = chain, beyond = chain;
            across.store_offset = LINE_BYTES - LOADED_BYTES / 2;
            beyond.load_offset = 1;
            if (!measure(p, area, g, chain, &s->cycles[0][order][n]) ||
                !measure(p, area, g, across, &s->cycles[1][order][n]) ||
                !measure(p, area, g, beyond, &s->waiting[order][n]))
                return false;
        }
        send(p, g, s, order);
    }
    return true;
}
