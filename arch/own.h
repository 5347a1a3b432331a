/*
 * Owning the core while the firmware stays alive: vector state, page tables, vectors, windows.
 *
 * Only boot/uefi links this. Nothing here calls firmware but through struct own_services. What is changed is restored
 * at the end of a window, by own_core_finish, or by own_vector_state_restore.
 *
 * In a window the core runs with our own translation root, vectors, stacks and interrupt masks:
 *
 *   low half    as the firmware has it, in the EL1 worker RAM at its own addresses: our image, the readings, the
 *               firmware itself (not called)
 *   high half   the memory that is measured with, in pages of the requested sizes: data read-write and never
 *               executable, code executable and never writable, unmapped pages between areas; and the window's stack
 *               with an unmapped page below it
 *
 * AArch64 always measures at EL1. When the firmware runs at EL2, the window runs in an EL1 worker, which is entered
 * by ERET and left by HVC; with HCR_EL2.E2H set, registers of EL1 are accessed by their _EL12 names.
 */
#ifndef FATHOM_ARCH_OWN_H
#define FATHOM_ARCH_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"
#include "arch/frames.h"
#include "arch/reader.h"
#include "arch/window.h"

/* RAM that may be mapped as cacheable memory (boot/uefi/memory.h); its address is its physical address. */
struct own_range {
    uint64_t base;
    uint64_t bytes;
};

enum { OWN_REDISTRIBUTORS = 16 };

/* AArch64: what delivers interrupts, as ACPI or a device tree describes it (boot/uefi/interrupts.c). */
struct own_interrupts {
    unsigned gic_version;   /* of Arm's GIC: 2, or 3 for all later ones; 0: it is not known, or no GIC */
    unsigned virtual_timer; /* number of its interrupt */
    uint64_t distributor;
    uint64_t cpu_interface;                              /* GICv2 */
    struct own_range redistributors[OWN_REDISTRIBUTORS]; /* GICv3: regions of them; of 0 bytes where there are fewer */
};

/* What the caller of own_start provides. */
struct own_services {
    /*
     * Zeroed, physically contiguous, aligned memory at an address equal to its physical one; NULL when memory is
     * short.
     */
    void *(*pages)(size_t bytes, size_t alignment);
    void (*free_pages)(void *base, size_t bytes);
    const struct own_range *ram; /* ascending; stays valid until own_finish */
    size_t ram_count;
    /*
     * AArch64: enables interrupt `id` (a PPI) for this core, or restores the state that it had. False where the
     * firmware offers no such service. NULL on x86-64.
     */
    bool (*interrupt_source)(unsigned id, bool on);
    const struct own_interrupts *interrupts; /* NULL on x86-64 */
    double tick_hz;                          /* of the reader's time stamp, for the deadline */
    /*
     * Announces a step that a machine may not survive, by its name and with a text for people, before it is taken.
     * NULL, or why it must be left out (lib/run/stage.h).
     */
    const char *(*stage)(const char *name, const char *text);
};

/* A register for the environment record: name as in the manual, value as read. */
struct own_value {
    const char *name;
    uint64_t value;
};

/*
 * Builds what all cores share: page tables, and the stack of windows. To be called on the core that booted, before
 * own_core_start. `services` must stay valid until own_finish. NULL, or why no core can be owned; then everything is as
 * it was.
 */
const char *own_start(const struct own_services *services);
/* Frees what own_start allocated. Every core must have been given back by own_core_finish. */
void own_finish(void);

/*
 * Runs a function on another core, and waits until it has returned. False when it had not returned after `limit_ms`
 * milliseconds (0: no limit) and was stopped, or could not be started.
 */
typedef bool own_runner(void (*function)(void *), void *argument, unsigned limit_ms);

/*
 * Takes a core into use: the one on which `runner` runs functions, or, with NULL, the one that runs this. The functions
 * below work on that core until own_core_finish. The core used before must have been given back by own_core_finish. On
 * AArch64 this may unmap what own_map has mapped. Returns NULL, or why the core cannot be used; own_core_finish is to
 * be called then, too.
 */
const char *own_core_start(own_runner *runner);
/*
 * How the core in use differs from the one that booted in a way that may falsify its times, as the end of a sentence
 * that begins with the core; NULL: no known difference.
 */
const char *own_core_unlike(void);
/*
 * Restores what own_core_start changed on the core, which is no longer in use then. On AArch64 this may unmap what
 * own_map has mapped.
 */
void own_core_finish(void);

/*
 * Calls a function on the core in use, with our vectors and with interrupts masked. An exception ends the function;
 * WINDOW_FAULT and its description are then the result. WINDOW_TIMEOUT: the core did not return. To be called outside
 * windows; the function must not call the firmware.
 */
struct window_result own_call(void (*function)(void *), void *argument);

/*
 * Turns floating point and vectors on, on the core that booted. To be called first of all, before any C code that may
 * use them; it must be called from code that is compiled without them.
 */
void own_vector_state_on(void);
/*
 * Restores the control registers that own_vector_state_on has changed, as the firmware had them, but neither MXCSR nor
 * the state of x87. To be called last of all.
 */
void own_vector_state_restore(void);
/*
 * On another core than the one that booted: turns floating point and vectors on, calls the function, and restores the
 * control registers.
 */
void own_with_vector_state(void (*function)(void *), void *argument);

/* Writes the page sizes in bytes that the core that runs this can map, ascending, ended by 0. */
void own_page_sizes(size_t out[10]);
/*
 * Size in bytes, a power of two, of the groups of pages of `page_bytes` for which the contiguous hint can be given (Arm
 * ARM D8.7.1); 0: this ISA has no such hint, or no pages of that size.
 */
size_t own_group_bytes(size_t page_bytes);
/*
 * Maps frames into the high half, for windows of the core in use. Code is executable and read-only, data read-write and
 * not executable. `page_bytes` must be one of own_page_sizes, `physical` and `bytes` multiples of it. Page i shows the
 * frame frames[i], counted from `physical`, or with NULL frame i; where frames[i] is NO_FRAME there is no page. With
 * the contiguous hint `frames` must be NULL, and `physical` and `bytes` multiples of a group (own_group_bytes). On
 * AArch64 all areas have pages of one granule: another one can be used after own_unmap_all. Returns NULL and the
 * address in *at, else the reason.
 */
const char *own_map(uint64_t physical, const size_t *frames, size_t bytes, size_t page_bytes, enum area_use use,
                    uintptr_t *at);
/*
 * Sets accessed[i] to whether the core has set the access flag of page i since the last call, and clears that flag, for
 * `pages` pages that own_map has mapped at `at`. What the first call sets is not to be used: from then on, until
 * own_unmap_all, the core sets the flags. NULL, or why it does not.
 */
const char *own_accessed(uintptr_t at, size_t pages, size_t page_bytes, bool *accessed);
/* Unmaps everything that own_map has mapped; own_map may then use the same addresses again. */
void own_unmap_all(void);
/*
 * To be called after code was written at `base`, its physical address, before it runs in the high half: makes the
 * core's instruction caches see it.
 */
void own_code_written(const void *base, size_t bytes);

/*
 * Runs the list in a window of the core in use. The caller must have stopped the firmware's tick at its source, where
 * that is possible. When the deadline passes, the result is WINDOW_TIMEOUT and the list is void. There is no deadline
 * with 0, or where own_no_deadline gives a reason.
 */
struct window_result own_window(struct reading *list, size_t count, enum reader_counters counters,
                                unsigned deadline_ms);
/*
 * Runs the list in a less quiet window, to compare: with our page tables, so that the same kernels can run, but with
 * every timer and interrupt controller as the firmware has them, and without a deadline. With SILENCE_MASKED interrupts
 * are masked on the core, with SILENCE_NONE enabled and handled by the firmware as they come. Returns NULL, and in
 * *result how it ended; or why that is not possible: then nothing ran.
 */
const char *own_noisy_window(struct reading *list, size_t count, enum reader_counters counters, enum silence silence,
                             struct window_result *result);

/* Why nothing can end a window on the core in use; NULL when a timer can, or on another core the one that booted. */
const char *own_no_deadline(void);
/*
 * What the reader can sample around every reading on the core in use besides the time stamp, each proven to count.
 * Where that has no cycles, *why_not says why. Where it has cycles, *why_not says why instructions are not counted
 * beside them; NULL where they are, or this ISA's reader samples none. Counters for events are another matter:
 * arch/counters.h.
 */
enum reader_counters own_counters(const char **why_not);

/*
 * Makes *out access registers of the core in use, outside windows and own_call. An access that faults returns false and
 * has changed nothing. It remains valid when another core is taken into use, and then accesses that one.
 */
void own_access(struct access *out);

/*
 * Writes control registers of the core in use to `out`, for the environment record: one entry each, with the value that
 * was noted when the core was taken into use. On x86-64 a register that windows change has a second entry, whose name
 * ends in " in windows". On AArch64 there is none; of a register that was changed to deliver the timer's interrupt the
 * entry has the changed bits as found. Returns the number of entries, at most `room`.
 */
size_t own_values(struct own_value *out, size_t room);

#endif
