#include "lib/structure/renaming_conditions.h"

#include <math.h>

#include "lib/probe/matrix.h"

enum { PLACE_AT = 512, ACROSS_BYTES = 4, LINE_BYTES = 64 };

const char *const renaming_condition_names[RENAMING_CONDITIONS] = {
    [RENAMING_OTHER_BASE] = "other-base",     [RENAMING_MOVING_BASE] = "moving-base",
    [RENAMING_BASE_CHANGED] = "base-changed", [RENAMING_DATA_CHANGED] = "data-changed",
    [RENAMING_LINE] = "line-crossed",         [RENAMING_PAGE] = "page-crossed"};

static void send(struct probe *p, const struct renaming_conditions *r)
{
    double rows[RENAMING_EXPERIMENTS] = {1, 2}, columns[RENAMING_CONDITIONS],
           cells[RENAMING_EXPERIMENTS][RENAMING_CONDITIONS];

    for (size_t c = 0; c < RENAMING_CONDITIONS; c++) {
        columns[c] = (double)c + 1;
        for (size_t i = 0; i < RENAMING_EXPERIMENTS; i++)
            cells[i][c] = r->cycles[i][c];
    }
    matrix_send(p, &(struct matrix){.name = "conditions",
                                    .row_axis = "constant value, changing value",
                                    .column_axis = "condition",
                                    .unit = "cycles/pair",
                                    .row_count = RENAMING_EXPERIMENTS,
                                    .column_count = RENAMING_CONDITIONS,
                                    .rows = rows,
                                    .columns = columns,
                                    .cells = cells[0],
                                    .pitch = RENAMING_CONDITIONS});
}

bool renaming_conditions_measure(struct probe *p, const struct emit_access *widest, uint64_t border,
                                 struct renaming_conditions *r)
{
    static const struct store_load conditions[RENAMING_CONDITIONS] = {
        [RENAMING_OTHER_BASE] = {.base = BASE_OTHER},
        [RENAMING_MOVING_BASE] = {.base = BASE_MOVES},
        [RENAMING_BASE_CHANGED] = {.base = BASE_CHANGES},
        [RENAMING_DATA_CHANGED] = {.reused = true},
        [RENAMING_LINE] = {.store_offset = LINE_BYTES - ACROSS_BYTES},
        [RENAMING_PAGE] = {.store_offset = -ACROSS_BYTES}};

    for (size_t i = 0; i < RENAMING_EXPERIMENTS; i++)
        for (enum renaming_condition c = RENAMING_OTHER_BASE; c < RENAMING_CONDITIONS; c++) {
            struct store_load s = conditions[c];
            s.store = s.load = widest;
            s.chain = THROUGH_DATA;
            s.changing = i == RENAMING_CHANGING;
            s.long_training = true;
            if (!store_load_measure(p, &s, border + (c == RENAMING_PAGE ? 0 : PLACE_AT), &r->cycles[i][c]))
                return false;
            r->cycles[i][c] -= s.changing ? 1 : 0; /* cycles of an addition */
        }
    send(p, r);
    return true;
}
