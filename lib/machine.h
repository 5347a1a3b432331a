/*
 * The door between a run and the platform that it runs on.
 *
 * boot/uefi and boot/linux implement these functions, and so do the tests, with models. A function that returns a const
 * char * as its result returns NULL when it has done what it says, else a sentence that says why the platform cannot;
 * then nothing has changed unless its comment says otherwise. The sentence stays valid until the function is called
 * again.
 */
#ifndef FATHOM_LIB_MACHINE_H
#define FATHOM_LIB_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/control.h"
#include "arch/counters.h"
#include "arch/frames.h"
#include "arch/identify.h"
#include "arch/reader.h"
#include "arch/window.h"

struct lines;
struct record;
struct core_task;

/* ---- What this platform is -------------------------------------------------------------------- */

struct machine_info {
    const char *platform;    /* "uefi" or "linux" */
    const char *isa;         /* "x86_64" or "aarch64" */
    char core_name[32];      /* as in the published values: "zen4", "golden-cove"; "" when not known */
    char core_model[64];     /* what the core reports of itself, for people */
    char fingerprint[17];    /* distinguishes machines: hex, from identification registers */
    char hypervisor[32];     /* name, "" when none is announced */
    bool emulator;           /* the hypervisor says that it is an instruction emulator */
    double tick_hz;          /* frequency of the reader's time stamp */
    const char *tick_source; /* where that frequency comes from */
    enum reader_counters counters;
    const char *cycle_source; /* the counter that cycles come from: "pmccntr_el0"; NULL where they are calibrated */
    const char *no_counters;  /* why, where there are none */
    bool privileged;          /* measured code may execute what only operating systems may: ring 0, EL1 */
    const char *no_deadline;  /* why no timer can end a kernel, NULL where one can */
    size_t memory_bytes;      /* that machine_map can map in all */
    const struct identity_cache *caches; /* as declared by the core, firmware or system, the best source first */
    size_t cache_count;
    const struct identity_tlb *tlbs;
    size_t tlb_count;
    uint64_t image, image_bytes; /* where the program lies, to find the place of an address in it; 0: not known */
    bool contiguous;             /* the frames of an area follow each other */
    unsigned vector_bits;        /* width of the widest vectors that can be used, scalable ones apart */
    unsigned scalable_bits;      /* length of scalable vectors; 0: there are none */
    size_t zero_bytes;           /* that one instruction sets to zero (arch/emit_block.h); 0: none can */
    size_t page_bytes[10];       /* page sizes it can map, ascending, ended by 0 */
    unsigned core;               /* index of the core that measures */
    char core_type[4];           /* "P", "M", "E"; "" where cores have no types */
};

/*
 * The platform, and the core in use. The struct is always the same; machine_own and machine_use_core change what is in
 * it.
 */
const struct machine_info *machine_info(void);

/* Adds what identifies the machine to `r`, the open `machine` record: raw registers, firmware, memory. */
void machine_describe(struct record *r);
/*
 * Adds to the bring-up page what identifies the machine, what its registers hold, by which clocks the time stamp was
 * compared, and what the platform has taken.
 */
void machine_bringup(struct lines *page);
/* Adds to `r`, the open `environment` record, what the platform has set, or found set, for the run. */
void machine_describe_environment(struct record *r);

/*
 * Takes the core that booted, so that machine_window can run on it; each step is a stage (lib/run/stage.h). To be
 * called once, after the `machine` record has been flushed, which is then kept even if this hangs. A step that fails is
 * reported by a warning; where the core cannot be taken at all, machine_map, machine_window and machine_control refuse
 * with the reason. On Linux it does nothing, since the kernel keeps the core.
 */
void machine_own(void);

/* ---- Memory ---------------------------------------------------------------------------------- */

/*
 * Memory to measure with. It has an address outside windows and one inside, which may be equal for data. The addresses
 * are valid until machine_map_release gives it back.
 */
struct area {
    uint8_t *write; /* outside windows, where it is written */
    uintptr_t at;   /* inside windows; code is executable only there */
    size_t bytes;
    size_t page_bytes; /* size of the pages it is mapped with */
};

/*
 * Maps zeroed memory of at least `bytes` for windows, for one of the uses of arch/frames.h, and describes it in *a.
 * `page_bytes` is one of machine_info's page sizes; 0 takes the smallest that can be mapped. Returns NULL, or why not.
 * The memory stays mapped until machine_map_release.
 */
const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use);
/*
 * Maps zeroed memory for windows, as machine_map does, but chooses which physical frame each of its `pages` pages
 * shows. The frames are a block, numbered from 0: a->write shows the block in that order, and page i of a->at shows
 * frame frames[i]. Several pages may show one frame; where frames[i] is NO_FRAME the page is left unmapped. The caller
 * keeps `frames` until the area is given back. Returns NULL, or why the platform cannot.
 */
const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes,
                               enum area_use use);
/*
 * Maps code as machine_map_frames does, in an area of `pages` pages of which only the `count` in the list have frames:
 * it may have far more addresses than a list of all its pages could be made for. Returns NULL, or why the platform
 * cannot.
 */
const char *machine_map_scattered(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                                  size_t page_bytes);
/*
 * Maps zeroed data as machine_map_frames does, in an area of `pages` pages, a power of two, of which only the `count`
 * in the list have frames; the addresses between them are not the area's. a->at is a multiple of the area's size, and
 * may be 0. The caller keeps `list` until the area is given back. Returns NULL, or why the platform cannot.
 */
const char *machine_map_sparse(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                               size_t page_bytes);
/*
 * Sets accessed[i] where page i of the area was accessed since the last call, else clears it, from the accessed bits of
 * our page tables; `accessed` has room for all pages of the area. The first call after the area was mapped only starts
 * this: what it sets is not to be used. Cores may also set the bit for speculative accesses. Returns NULL, or why the
 * platform cannot.
 */
const char *machine_pages_accessed(const struct area *a, bool *accessed);
/* How many areas are mapped now: a mark for machine_map_release. */
size_t machine_map_mark(void);
/*
 * Unmaps every area that was mapped since machine_map_mark returned `mark`, after checking the guards around it. The
 * run does so after each probe.
 */
void machine_map_release(size_t mark);
/*
 * Returns whether something was written outside of an area since the last call, and describes the first such write in
 * *fault: its `vector` is "outside-area", its `address` that of the first changed byte. Each area lies between guards
 * (lib/base/guard.h), which are checked when it is unmapped.
 */
bool machine_touched_outside(struct fault *fault);
/*
 * To be called after `bytes` bytes of code were written at a->write + offset and before they run at a->at + offset:
 * makes the instruction caches of the core see them.
 */
void machine_code_written(const struct area *a, size_t offset, size_t bytes);

/* ---- Windows --------------------------------------------------------------------------------- */

/*
 * Takes the core in use, runs the list of `count` readings and nothing else, and gives the core back. A window lasts at
 * most as long as the configuration's `deadline` where the platform has one (machine_info()->no_deadline). The result
 * says how it ended; where no window can run, it is WINDOW_FAULT with the reason in fault.vector. The readings may be
 * used only after WINDOW_RAN without interrupts, SMIs or throttling (arch/window.h).
 */
struct window_result machine_window(struct reading *list, size_t count);

/*
 * Runs the list in a window of the given kind of silence, so that a probe can measure how well each kind keeps
 * interrupts away. machine_window uses SILENCE_STOPPED where the platform has it, else SILENCE_NONE. In UEFI a window
 * of SILENCE_MASKED or SILENCE_NONE has no deadline. Returns NULL, and in *result how the window ended; or why the
 * platform has no such window: then nothing ran.
 */
const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result);

/* ---- Cores ------------------------------------------------------------------------------------ */

/* A core of the machine. */
struct machine_core {
    unsigned index;
    uint64_t id;         /* APIC identifier; affinity of MPIDR_EL1; Linux's number */
    char type[4];        /* "P", "M", "E"; "" where it has no type, or none that is known before it runs */
    const char *why_not; /* why it cannot be used; NULL where it can */
};

/*
 * All cores of the machine, and in *count how many; valid until the program ends. In UEFI the core that booted has the
 * index 0; on Linux the index is the kernel's number of the processor.
 */
const struct machine_core *machine_cores(size_t *count);
/*
 * Takes another core into use: from now on windows run on it, and machine_info, machine_control and machine_count are
 * about it. The core used before is given back to the firmware first. Returns NULL, or why not: then the core used
 * before is taken into use again. Where that fails too, machine_window and the other functions refuse from then on.
 */
const char *machine_use_core(unsigned index);
/*
 * Runs the list in a window on the core in use while `count` other cores, BESIDE_CORES at most, do each its task: it
 * replaces each odd number that it finds in a word of its own by the even number after it (lib/measure/responder.h).
 * The window does not wait for them: they may begin late, or pause while something else runs there. Returns NULL, and
 * in *result how the window ended; or why one of the other cores, or so many of them, cannot be used: then nothing ran.
 */
const char *machine_window_beside(const struct core_task *others, size_t count, struct reading *list, size_t readings,
                                  struct window_result *result);

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A node: memory, and the cores that are nearest to it (NUMA). */
struct machine_node {
    uint32_t id;    /* proximity domain of ACPI, numa-node-id of a device tree, Linux's number */
    uint64_t bytes; /* of its memory; 0: it has only cores */
};

/*
 * The nodes of the machine, by ascending number, and in *count how many; valid until the program ends. Where nothing
 * says that there are nodes, *count is 0: all memory is one.
 */
const struct machine_node *machine_nodes(size_t *count);
/* Sets *node to the node of the core with that index; false where nothing says. */
bool machine_core_node(unsigned index, uint32_t *node);
/* What firmware declares of the way from a core of one node to memory of another; 0: nothing. */
struct machine_way {
    double distance;     /* in tenths of what it is within a node (ACPI specification 6.5, 5.2.17) */
    double ns;           /* of a load */
    double bytes_per_ns; /* of loads */
};
struct machine_way machine_way(uint32_t from, uint32_t to);
/*
 * Maps zeroed data as machine_map does, of that node's memory, in pages of one of machine_info's sizes. Returns NULL, or
 * why the platform cannot.
 */
const char *machine_map_node(struct area *a, size_t bytes, size_t page_bytes, uint32_t node);

/* ---- Control and counters ----------------------------------------------------------------------- */

/*
 * What can be controlled on the core in use (arch/control.h); valid until another core is taken into use. NULL where
 * its registers cannot be accessed; *why_not then says why, and is NULL otherwise.
 */
struct control *machine_control(const char **why_not);
/*
 * The counters of the core in use that were proven to count; the first call for a core proves them, in windows. Never
 * NULL: where none counts, the `why_not` in it says why. Valid until another core is taken into use.
 */
const struct counters *machine_counters(void);
/*
 * Programs these counters and starts them: from now on each reading of a window that has room for them (struct
 * reading.counts) samples them too, in this order. They replace those of the last call. With a `count` of 0 this only
 * stops and restores the counters of the last call. Returns NULL, or why not: then no counters are sampled.
 */
const char *machine_count(const struct counter_setting *list, size_t count);

/* ---- Output and time of day ------------------------------------------------------------------ */

/* One destination of records. */
struct sink {
    const char *name; /* "volume", "serial", "file" */
    void *context;
    bool (*write)(void *context, const char *bytes, size_t count); /* whole lines; false: the sink is lost */
    bool (*flush)(void *context);                                  /* NULL where nothing is buffered; false: lost */
    bool brief;  /* for slow lines: takes no curves, matrices and tables */
    bool failed; /* it was lost, and gets no more lines; set by lib/base/record.c */
};

/* Shows text to the person at the screen or terminal; a line ends only where the text has a newline. */
void machine_print(const char *text);
/* Shows text as machine_print does, but in bold, or brighter, where the screen can. */
void machine_print_strong(const char *text);
/*
 * Shows one line about what is being done, which takes the place of the progress line before it where the screen can.
 * NULL removes it.
 */
void machine_progress(const char *text);
/*
 * Shows text about a step that begins, on a line of its own. It is on the screen before this returns, since the machine
 * may hang in that step.
 */
void machine_stage(const char *text);
/* Shows a page of text, and a QR code of it where the screen can, long enough for a photograph. */
void machine_page(const struct lines *page);

/*
 * Lets the core in use idle for about so many seconds, in the sleep state that the platform uses when there is nothing
 * to do. Returns NULL, or why the platform cannot; in UEFI only the core that booted can.
 */
const char *machine_idle(double seconds);
/*
 * Seconds since some fixed moment, for progress and budgets, never for measuring. 0 while the platform's clock has not
 * been found yet.
 */
double machine_seconds(void);
/* Writes the date and time as "2026-11-20T10:49:00Z", or with another offset from UTC; "" where there is no clock. */
void machine_date(char out[24]);

#endif
