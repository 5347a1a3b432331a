/*
 * Which frequency of the time stamp to believe where the core only holds what firmware wrote, as CNTFRQ_EL0 does:
 * firmware may have forgotten to write it, or written that of another board.
 */
#ifndef FATHOM_BOOT_UEFI_TICK_RATE_H
#define FATHOM_BOOT_UEFI_TICK_RATE_H

#include <stdbool.h>

/* The frequency that is believed. */
struct tick_rate {
    double hz;
    const char *source;
    const char *doubt; /* a sentence, where it is not what firmware declared, or nothing confirms that; else NULL */
};

/*
 * Chooses the frequency. All frequencies are in Hz. `declared` is what firmware wrote, 0: nothing; `by_stall` what the
 * firmware's Stall shows, 0: nothing. Only where those two differ is `by_clock` called, which measures against the
 * real-time clock for up to three seconds and returns 0 where that shows nothing. What two of the three agree about is
 * chosen, else what the real-time clock shows, else what is declared, else by_stall.
 */
struct tick_rate tick_rate_choose(double declared, const char *declared_source, double by_stall,
                                  double (*by_clock)(void));
/* Whether two frequencies, measured in these ways, are those of the same oscillator: they differ by 1.5 % at most. */
bool tick_rate_same(double a, double b);

#endif
