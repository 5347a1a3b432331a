/*
 * The one door between the run and the place it runs in.
 *
 * boot/uefi and boot/linux implement these functions; tests/model does too. A thing the place
 * cannot do is reported as unavailable, with the reason, never half done.
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

struct record;

/* ---- What this place is ---------------------------------------------------------------------- */

struct machine_info {
    const char *platform;    /* "uefi" or "linux" */
    const char *isa;         /* "x86_64" or "aarch64" */
    char core_name[32];      /* as in the known values: "zen4", "golden-cove"; "" when not known */
    char core_model[64];     /* what the core says of itself, for people */
    char fingerprint[17];    /* tells machines apart: hex, from identification registers */
    char hypervisor[32];     /* name, "" when none is announced */
    bool emulator;           /* the hypervisor says that it is an instruction emulator */
    double tick_hz;          /* frequency of the reader's time stamp */
    const char *tick_source; /* where that frequency comes from */
    enum reader_counters counters;
    const char *cycle_source; /* the counter that gives cycles: "PMCCNTR_EL0"; NULL where they are calibrated */
    const char *no_counters;  /* why, where there are none */
    const char *no_deadline;  /* why no timer can end a kernel, NULL where one can */
    size_t memory_bytes;      /* what machine_map can give in all */
    const struct identity_cache *caches; /* as declared by the core, firmware or system, the best source first */
    size_t cache_count;
    const struct identity_tlb *tlbs;
    size_t tlb_count;
    bool contiguous;        /* the frames of an area follow each other */
    unsigned vector_bits;   /* width of the widest vectors that can be used, scalable ones apart: … */
    unsigned scalable_bits; /* … the length of those; 0: there are none */
    size_t page_bytes[10];  /* page sizes it can map, ascending, ended by 0 */
    unsigned core;          /* index of the core that measures */
    char core_type[4];      /* "P", "E"; "" where cores have no types */
};

const struct machine_info *machine_info(void);

/* Adds what identifies the machine to its `machine` record: raw registers, firmware, memory. */
void machine_describe(struct record *r);
/* Adds what was set or found set for the run to its `environment` record. */
void machine_describe_environment(struct record *r);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory to measure with. It has two addresses, which may be equal for data. */
struct area {
    uint8_t *write; /* outside windows: write here */
    uintptr_t at;   /* inside windows: it is seen here; code is executable only here */
    size_t bytes;
    size_t page_bytes; /* size of the pages it is mapped with */
};

/*
 * Maps zeroed memory for windows (arch/frames.h says for what). `page_bytes` 0 takes the smallest page the place has.
 * Returns NULL when it worked, else why it did not, in words a record can carry.
 */
const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use);
/*
 * The same with frames of one's choice: page i of a->at shows frame frames[i] of a block of them, and a->write has that
 * block, in its own order. Several pages may show one frame, and where frames[i] is NO_FRAME there is no page.
 * `frames` stays in use until the area is given back.
 */
const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes,
                               enum area_use use);
/*
 * Which pages of the area were accessed since this was asked last, a flag for each: what the core noted in page tables of
 * ours. Asked first, it means nothing; cores may also note what they only guess. NULL, or why the place cannot tell.
 */
const char *machine_pages_accessed(const struct area *a, bool *accessed);
/* Gives back everything mapped since the mark; probes need not, the run does it after each. */
size_t machine_map_mark(void);
void machine_map_release(size_t mark);
/*
 * What lies around each area is guarded, and releasing it looks whether that is intact. True when something outside was
 * touched since this was asked last: `fault` has the first place of which that is known.
 */
bool machine_touched_outside(struct fault *fault);
/* To be called after code was written and before it runs; offsets are those of a->at. */
void machine_code_written(const struct area *a, size_t offset, size_t bytes);

/* ---- Windows --------------------------------------------------------------------------------- */

/*
 * Owns the core, runs the list and nothing else, gives the core back. A window lasts at most the
 * deadline of the configuration; a list that is void (fault, timeout, interrupt) must not be used.
 */
struct window_result machine_window(struct reading *list, size_t count);

/*
 * For the proof of silence: the same list in a window of that kind; machine_window's is SILENCE_STOPPED where the
 * place has it. The others have no deadline. Returns NULL, or why there is no such window here: then nothing ran.
 */
const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result);

/* ---- Cores ------------------------------------------------------------------------------------ */

/* A core that could measure. */
struct machine_core {
    unsigned index;
    uint64_t id;         /* APIC identifier; affinity of MPIDR_EL1; Linux's number */
    char type[4];        /* "P", "E"; "" where it has no type or does not tell before it runs */
    const char *why_not; /* it cannot be used; NULL where it can */
};

/* All there are; the one that booted is 0. */
const struct machine_core *machine_cores(size_t *count);
/*
 * From now on windows run there, and machine_info, machine_control and machine_count speak of that core. The one
 * used before is given back: parked as the firmware wants it. NULL, or why not; then the one before goes on.
 */
const char *machine_use_core(unsigned index);
/*
 * A window during which core `other`, which is not the one in use, answers odd numbers in *word by the even ones behind
 * them (lib/answer.h). Neither waits for the other: it may be late, or not answer at all while somebody else has it. NULL, or
 * why it cannot be had: then nothing ran.
 */
const char *machine_window_answered(unsigned other, uint64_t *word, struct reading *list, size_t count,
                                    struct window_result *result);

/* ---- Control and counters ----------------------------------------------------------------------- */

/* What can be controlled of the core in use; NULL, with the reason, where its registers are out of reach. */
struct control *machine_control(const char **why_not);
/* The counters of the core in use, proven to count; `why_not` in it says why there are none. */
const struct counters *machine_counters(void);
/*
 * From now on the readings of windows that have room for it (struct reading.counts) also sample these counters, in
 * this order. With none, that ends, and what the registers held before is back. NULL, or why not.
 */
const char *machine_count(const struct counter_setting *list, size_t count);

/* ---- Output and time of day ------------------------------------------------------------------ */

/* A place records go to. `write` takes whole lines and returns false when the sink is lost. */
struct sink {
    const char *name; /* "volume", "serial", "file" */
    void *context;
    bool (*write)(void *context, const char *bytes, size_t count);
    bool (*flush)(void *context); /* NULL where nothing is buffered */
    bool brief;                   /* for slow lines: takes no curves, matrices and tables */
    bool failed;
};

/* Text for people. Progress overwrites itself where the screen can; NULL ends it. */
void machine_print(const char *text);
/* The same in bold, or brighter than the rest, where the screen can. */
void machine_print_strong(const char *text);
void machine_progress(const char *text);

/*
 * Lets the core idle for about so long, as the place does when there is nothing to do: asleep where it can, not
 * spinning. NULL, or why there is no such thing here.
 */
const char *machine_idle(double seconds);
/* Seconds since some start, for progress and budgets, never for measuring. */
double machine_seconds(void);
/* Wall clock as "2026-11-20T10:49:00Z", or "" where there is none. */
void machine_date(char out[24]);

#endif
