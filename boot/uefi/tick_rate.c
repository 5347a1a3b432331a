#include "boot/uefi/tick_rate.h"

#include <math.h>
#include <stddef.h>

/*
 * Relative difference up to which two frequencies are the same. Boards have oscillators of 19.2, 24, 24.576, 25, 26,
 * 50, 54, 62.5 or 100 MHz, of which the two nearest differ by 1.7 % (24.576 and 25), and otherwise by 2.4 % or more; an
 * oscillator is exact to 0.01 %. A Stall of 2 ms is longer by the call and by the granularity of its clock, up to 10
 * µs, which is 0.5 %; a second of the real-time clock is known to two readings of it, which takes less than 5 ms, by 1
 * %.
 */
static const double SAME = 0.015;

bool tick_rate_same(double a, double b)
{
    return a > 0 && b > 0 && fabs(a - b) <= SAME * fmax(a, b);
}

struct tick_rate tick_rate_choose(double declared, const char *declared_source, double by_stall,
                                  double (*by_clock)(void))
{
    if (tick_rate_same(declared, by_stall))
        return (struct tick_rate){declared, declared_source, NULL};
    const double clock = by_clock();

    if (tick_rate_same(declared, clock))
        return (struct tick_rate){declared, declared_source, NULL};
    if (tick_rate_same(by_stall, clock))
        return (struct tick_rate){by_stall, "firmware-stall", "the real-time clock confirms the firmware's Stall"};
    if (clock > 0)
        return (struct tick_rate){clock, "real-time-clock", "the real-time clock is used"};
    if (declared > 0)
        return (struct tick_rate){
            declared, "declared-unreliable",
            "no real-time clock decides: what is declared is used, and times and frequencies may be "
            "wrong"};
    return (struct tick_rate){by_stall, "firmware-stall-unreliable",
                              "no real-time clock confirms the firmware's Stall: times and frequencies may be wrong"};
}
