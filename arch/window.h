/* How quiet a window is, and how it ended. */
#ifndef FATHOM_ARCH_WINDOW_H
#define FATHOM_ARCH_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* How quiet a window is. */
enum silence {
    SILENCE_STOPPED, /* interrupts masked, and their sources stopped as far as the platform can */
    SILENCE_MASKED,  /* interrupts masked, their sources left running, so that interrupts become pending */
    SILENCE_NONE,    /* interrupts handled as they come */
};

/* How a window ended: all readings ran; a kernel caused an exception; the deadline ended it. */
enum window_end { WINDOW_RAN, WINDOW_FAULT, WINDOW_TIMEOUT };

/* An exception. */
struct fault {
    const char *vector; /* "undefined-instruction", "page-fault", "machine-check", … */
    uint64_t syndrome;  /* x86-64: vector << 32 | error code; AArch64: ESR; Linux: signal << 32 | code */
    uint64_t address;   /* the address that was touched, where the exception has one, else 0 */
    uint64_t pc;        /* the instruction that faulted */
};

/* How a window ended, and what disturbed it. After anything but WINDOW_RAN the readings are void. */
struct window_result {
    enum window_end end;
    struct fault fault;  /* for WINDOW_FAULT; pc also for WINDOW_TIMEOUT where it is known */
    unsigned interrupts; /* interrupts other than the deadline that got in; they void the list */
    unsigned smis;       /* entries into system management mode, where they can be counted; they void the list too */
    /* Where the core's registers say so: what slowed it down began, ended, or was noted, during the list. */
    bool throttled; /* by heat; that voids the list */
    bool limited;   /* by limits of power or current, which only lower the clock: the list counts */
};

#endif
