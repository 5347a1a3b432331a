/*
 * The door between a run and the platform that it runs on.
 *
 * boot/uefi and boot/linux implement these functions, and the tests do with models. What a platform cannot do it
 * refuses with a sentence that says why, and leaves undone.
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
    const char *cycle_source; /* the counter that cycles come from: "PMCCNTR_EL0"; NULL where they are calibrated */
    const char *no_counters;  /* why, where there are none */
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
    size_t page_bytes[10];       /* page sizes it can map, ascending, ended by 0 */
    unsigned core;               /* index of the core that measures */
    char core_type[4];           /* "P", "E"; "" where cores have no types */
};

const struct machine_info *machine_info(void);

/* Adds what identifies the machine to its `machine` record: raw registers, firmware, memory. */
void machine_describe(struct record *r);
/*
 * Adds to the bring-up page what identifies the machine, what its registers hold, by which clocks the time stamp was
 * compared, and what the platform has taken.
 */
void machine_bringup(struct lines *page);
/* Adds to the `environment` record what was set, or found set, for the run. */
void machine_describe_environment(struct record *r);

/*
 * Takes the core that booted, so that machine_window can run on it; each step is a stage (lib/run/stage.h). Called
 * once, after the machine has been recorded. What it cannot do it warns of.
 */
void machine_own(void);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory to measure with. It has an address outside windows and one inside, which may be equal for data. */
struct area {
    uint8_t *write; /* outside windows, where it is written */
    uintptr_t at;   /* inside windows; code is executable only there */
    size_t bytes;
    size_t page_bytes; /* size of the pages it is mapped with */
};

/*
 * Maps zeroed memory for windows, for one of the uses of arch/frames.h. `page_bytes` 0 takes the platform's smallest
 * page. NULL, or a sentence why it cannot.
 */
const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use);
/*
 * Maps zeroed memory as machine_map does, but chooses the physical frame of each page. The frames are a block, numbered
 * from 0: a->write shows the block in order, and page i of a->at shows frame frames[i]. Several pages may show one
 * frame; where frames[i] is NO_FRAME the page is left unmapped. The caller keeps `frames` until the area is given
 * back. NULL, or a sentence why it cannot.
 */
const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes,
                               enum area_use use);
/*
 * Sets a flag for each page of the area that was accessed since the last call, from the accessed bits in our page
 * tables. The first call only clears them; cores may also set the bit for speculative accesses. NULL, or why the
 * platform cannot.
 */
const char *machine_pages_accessed(const struct area *a, bool *accessed);
/* A mark, and giving back everything that was mapped after it; the run does so after each probe. */
size_t machine_map_mark(void);
void machine_map_release(size_t mark);
/*
 * Each area lies between guards, which are checked when it is given back. True when a guard was found broken since
 * the last call; `fault` has the first address of that.
 */
bool machine_touched_outside(struct fault *fault);
/* To be called after code was written and before it runs; `offset` is from a->at. */
void machine_code_written(const struct area *a, size_t offset, size_t bytes);

/* ---- Windows --------------------------------------------------------------------------------- */

/*
 * Takes the core, runs the list and nothing else, and gives the core back. A window lasts at most as long as the
 * configuration's `deadline`. After a fault, a timeout or an interrupt the readings must not be used.
 */
struct window_result machine_window(struct reading *list, size_t count);

/*
 * The same in a window of a given kind, to prove how silent windows are; machine_window's is SILENCE_STOPPED where the
 * platform has it, and the others have no deadline. NULL, or why there is no such window: then nothing ran.
 */
const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result);

/* ---- Cores ------------------------------------------------------------------------------------ */

/* A core that could measure. */
struct machine_core {
    unsigned index;
    uint64_t id;         /* APIC identifier; affinity of MPIDR_EL1; Linux's number */
    char type[4];        /* "P", "E"; "" where it has no type, or none that is known before it runs */
    const char *why_not; /* why it cannot be used; NULL where it can */
};

/* All cores of the machine; the one that booted is 0. */
const struct machine_core *machine_cores(size_t *count);
/*
 * From now on windows run on that core, and machine_info, machine_control and machine_count are about it. The core used
 * before is given back to the firmware. NULL, or why not: then the core used before stays in use.
 */
const char *machine_use_core(unsigned index);
/*
 * A window during which another core, `other`, responds to odd numbers in *word with the even number after each
 * (lib/measure/responder.h). The window does not wait for it: it may begin late, or not respond while something else
 * runs there. NULL, or why there is no such window: then nothing ran.
 */
const char *machine_window_with_responder(unsigned other, uint64_t *word, struct reading *list, size_t count,
                                          struct window_result *result);

/* ---- Control and counters ----------------------------------------------------------------------- */

/* What can be controlled on the core in use; NULL, and a sentence why, where its registers cannot be accessed. */
struct control *machine_control(const char **why_not);
/* The counters of the core in use that were proven to count; its `why_not` says why there are none. */
const struct counters *machine_counters(void);
/*
 * From now on the readings that have room for it (struct reading.counts) also sample these counters, in this order.
 * With none, that ends, and the registers are restored. NULL, or why not.
 */
const char *machine_count(const struct counter_setting *list, size_t count);

/* ---- Output and time of day ------------------------------------------------------------------ */

/* Where records go. `write` takes whole lines and returns false when the sink is lost. */
struct sink {
    const char *name; /* "volume", "serial", "file" */
    void *context;
    bool (*write)(void *context, const char *bytes, size_t count);
    bool (*flush)(void *context); /* NULL where nothing is buffered */
    bool brief;                   /* for slow lines: takes no curves, matrices and tables */
    bool failed;
};

/* Text for people. Progress overwrites the progress before it where the screen can; NULL ends it. */
void machine_print(const char *text);
/* The same in bold, or brighter, where the screen can. */
void machine_print_strong(const char *text);
void machine_progress(const char *text);
/* Text for people about a step that begins: shown before this returns, since the machine may hang in it. */
void machine_stage(const char *text);
/* Shows a page of text, and a QR code of it where the screen can; long enough for a photograph. */
void machine_page(const struct lines *page);

/*
 * Lets the core idle for about so many seconds, asleep as the platform has it when there is nothing to do. NULL, or
 * why the platform cannot.
 */
const char *machine_idle(double seconds);
/* Seconds since some start, for progress and budgets, never for measuring. */
double machine_seconds(void);
/* Wall clock as "2026-11-20T10:49:00Z", or "" where there is none. */
void machine_date(char out[24]);

#endif
