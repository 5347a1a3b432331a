/*
 * Owning the core beside live firmware: vector state, page tables, vectors, windows.
 *
 * Only boot/uefi links this. Nothing here calls firmware; what it needs of it is handed over in
 * struct own_services. Everything changed is put back, at the end of a window or in own_finish.
 *
 * In a window the core runs with our own translation root, vectors, stacks and interrupt masks:
 *
 *   low half    as the firmware has it: our image, the readings, the firmware itself (not called)
 *   high half   ours alone: aliases of measuring memory with the page sizes asked for, data
 *               read-write and never executable, code executable and never writable, unmapped
 *               pages between areas; the window's stack with an unmapped page below it
 *
 * AArch64 measures at EL1 always. Entered at EL2 the window runs in an EL1 worker that is reached
 * by ERET and left by HVC; with HCR_EL2.E2H set the _EL12 names are used.
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

/* Memory the firmware describes as RAM (any type but MMIO and unusable); address equals frame. */
struct own_range {
    uint64_t base;
    uint64_t bytes;
};

struct own_services {
    /* Zeroed, physically contiguous, aligned memory at an address equal to its frame; NULL when out. */
    void *(*pages)(size_t bytes, size_t alignment);
    void (*free_pages)(void *base, size_t bytes);
    const struct own_range *ram; /* ascending; stays valid until own_finish */
    size_t ram_count;
    /*
     * AArch64: lets interrupt `id` (a PPI) reach this core, or puts it back as it was. False where
     * the firmware offers no such service. NULL on x86-64.
     */
    bool (*interrupt_source)(unsigned id, bool on);
    double tick_hz; /* of the reader's time stamp, for the deadline */
};

/* A register worth recording: name as in the manual, value as read. */
struct own_value {
    const char *name;
    uint64_t value;
};

/*
 * What all cores share: page tables, and the stack of windows. Called on the core that booted. NULL, or why
 * nothing can be owned here; what had been changed by then is put back.
 */
const char *own_start(const struct own_services *services);
/* Frees what own_start allocated. No core may be in use any more. */
void own_finish(void);

/*
 * Has a function called on another core, and waits until it has returned. False when it had not after
 * `limit_ms` and was stopped, or has not even been begun; 0: no limit.
 */
typedef bool own_runner(void (*function)(void *), void *argument, unsigned limit_ms);

/*
 * Takes a core into use: one at a time, the one that `runner` reaches, or with NULL the one that runs this. Until
 * own_core_finish everything below that concerns a core concerns that one. NULL, or why it cannot be used.
 */
const char *own_core_start(own_runner *runner);
/* What makes the core in use unlike the one that booted, so that its times may mislead; NULL: nothing that is known. */
const char *own_core_unlike(void);
/* Puts back everything own_core_start changed on it. */
void own_core_finish(void);

/*
 * Calls the function on the core in use, with our vectors and interrupts masked: what it runs into ends it there
 * and is the result. A timeout: the core did not come back.
 */
struct window_result own_call(void (*function)(void *), void *argument);

/* Turns on floating point and vectors before any C code that may use them. Called first of all. */
void own_vector_state_on(void);
/* And puts the control registers back as the firmware had them. Called last of all. */
void own_vector_state_restore(void);
/* Both around a call, where the firmware has begun to run us on another core. */
void own_with_vector_state(void (*function)(void *), void *argument);

/* Page sizes this core can map, ascending, ended by 0; room for 10. */
void own_page_sizes(size_t out[10]);
/* AArch64: a window has one granule at a time; mapping with another one needs an empty map. */

/*
 * Bytes of a group of pages of that size that the contiguous hint can be given for, a power of two; 0: the instruction
 * set has no such hint.
 */
size_t own_group_bytes(size_t page_bytes);
/*
 * Maps frames into the high half. Code is executable and read-only, data read-write and not
 * executable. `page_bytes` must be one of own_page_sizes, `physical` and `bytes` multiples of it. Page i shows
 * frame frames[i], counted from `physical`; NULL: frame i. Where frames[i] is NO_FRAME there is no page. The contiguous
 * hint wants frames in order, and `physical` and `bytes` that are multiples of a group. Returns NULL and the address,
 * else the reason.
 */
const char *own_map(uint64_t physical, const size_t *frames, size_t bytes, size_t page_bytes, enum area_use use,
                    uintptr_t *at);
/*
 * Whether the core has noted an access to each of these pages, as mapped by own_map, since this was asked last. From
 * then on until all is unmapped it does so. NULL, or why it does not.
 */
const char *own_accessed(uintptr_t at, size_t pages, size_t page_bytes, bool *accessed);
/* Unmaps everything; addresses may be given out again. */
void own_unmap_all(void);
/* Makes code just written through its frames' own addresses safe to run. */
void own_code_written(const void *base, size_t bytes);

/*
 * Runs the list in a window. The firmware's tick must have been stopped at its source before, where
 * that is possible. The deadline voids the list; 0 means none.
 */
struct window_result own_window(struct reading *list, size_t count, enum reader_counters counters,
                                unsigned deadline_ms);
/*
 * The same with our page tables, so that the same kernels run, but with every timer and interrupt controller
 * left as the firmware has them, and no deadline. Interrupts are masked on the core alone (SILENCE_MASKED), or
 * enabled and handled by the firmware as they come (SILENCE_NONE). What cannot be done is returned as the reason.
 */
const char *own_noisy_window(struct reading *list, size_t count, enum reader_counters counters, enum silence silence,
                             struct window_result *result);

/* NULL when a timer can end a window, else why not. */
const char *own_no_deadline(void);
/* Which counters the reader can sample in windows, proven by a count that moved; and why not more. */
enum reader_counters own_counters(const char **why_not);

/*
 * Registers of the core in use, outside windows and own_call. Each access is guarded by itself: one that faults
 * returns false and has changed nothing.
 */
void own_access(struct access *out);

/* Control registers as found and as set, for the environment record. Returns how many; at most room. */
size_t own_values(struct own_value *out, size_t room);

#endif
