#include "lib/structure/line_transfer.h"

#include <math.h>

#include "lib/structure/tolerances_memory.h"

double line_transfer_of(double moved, double held)
{
    if (moved >= held)
        return moved - held;
    return moved >= held * (1 - NO_TRANSFER_PART) ? 0 : (double)NAN;
}
