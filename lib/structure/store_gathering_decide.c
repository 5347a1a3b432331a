#include <math.h>

#include "lib/structure/store_gathering.h"
#include "lib/structure/tolerances_memory.h"

double store_gathering_most(const struct store_gathering *s, unsigned order, double forwarded, double load)
{
    const double *cycles = s->cycles[0][order], *waiting = s->waiting[order];
    const double one = fmax(cycles[0], forwarded); /* a pair with one store may be renamed; fmax ignores NaN */
    double most = 1;

    for (size_t n = 1; n < GATHERING_COUNTS; n++) {
        const double more = cycles[n] - one, wait = waiting[n] - one;
        /* where the control does not wait, loads that take hardly longer do not, either */
        const double gathers = wait >= load ? GATHERS_PART * wait : GATHERS_PART * load;
        if (more < gathers)
            most = 1u << n;
        else if (wait >= load && more > WAITS_PART * wait)
            return most;
        else
            return (double)NAN;
    }
    return most;
}
