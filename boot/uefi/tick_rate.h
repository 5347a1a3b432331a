/*
 * Which frequency of the time stamp to believe where the core only holds what firmware wrote, as CNTFRQ_EL0 does: firmware
 * may have forgotten to write it, or written that of another board.
 */
#ifndef FATHOM_BOOT_UEFI_TICK_RATE_H
#define FATHOM_BOOT_UEFI_TICK_RATE_H

#include <stdbool.h>

struct tick_rate {
    double hz;
    const char *source;
    const char *doubt; /* a sentence, where it is not what firmware declared, or nothing confirms that; else NULL */
};

/*
 * `declared` is what firmware wrote, 0: nothing, and `by_stall` what the firmware's Stall shows. Only where those two
 * differ is `by_clock` called, which shows what the real-time clock does, 0: it shows nothing. All in Hz.
 */
struct tick_rate tick_rate_choose(double declared, const char *declared_source, double by_stall,
                                  double (*by_clock)(void));
/* Whether two such frequencies are those of the same oscillator. */
bool tick_rate_same(double a, double b);

#endif
