#include "tests/model/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* No instruction began after u->newest, so that most of the ring is zero still. */
void units_start(struct units_busy *u)
{
    const size_t used = u->newest < UNITS_CYCLES ? (size_t)u->newest + 1 : UNITS_CYCLES;

    memset(u->cycles, 0, used * sizeof u->cycles[0]);
    u->newest = u->full_from = u->full_end = 0;
}

double units_begin(struct units_busy *u, unsigned units, double start)
{
    int64_t cycle = (int64_t)floor(start);

    if (cycle <= u->newest - UNITS_CYCLES) /* the ring knows no more of cycles that far back: no unit is left in them */
        cycle = u->newest - UNITS_CYCLES + 1;
    for (;; cycle++) {
        if (cycle >= u->full_from && cycle < u->full_end)
            cycle = u->full_end;
        const unsigned slot = (unsigned)(cycle % UNITS_CYCLES);
        if (u->cycles[slot].cycle != cycle) {
            u->cycles[slot].cycle = cycle;
            u->cycles[slot].begun = 0;
        }
        if (u->cycles[slot].begun < units) {
            u->cycles[slot].begun++;
            u->newest = cycle > u->newest ? cycle : u->newest;
            if (u->cycles[slot].begun == units && cycle >= u->full_end) {
                u->full_from = cycle == u->full_end ? u->full_from : cycle;
                u->full_end = cycle + 1;
            }
            return start > (double)cycle ? start : (double)cycle;
        }
    }
}
