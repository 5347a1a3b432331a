/*
 * A probe: one question about the core. Its definition, and what every probe does: emit kernels, measure them, map
 * memory.
 *
 * Functions that can end the probe (at a fault, a timeout, without memory, by a key) return false when they have done
 * so: the outcome and its reason are kept in struct probe, and the probe just returns.
 */
#ifndef FATHOM_LIB_PROBE_PROBE_H
#define FATHOM_LIB_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/emit.h"
#include "arch/emit_idioms.h"
#include "arch/emit_modes.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/measure/meter.h"
#include "lib/probe/run_state.h"

struct probe;

/* A finding that a probe may report. Reporting any other ends the probe as a fault. */
struct finding_declaration {
    const char *name; /* stable; docs/FINDINGS.md lists all */
    const char *unit;
    const char *text; /* its definition in one sentence */
};

/* What a probe is. It is constant, and registered by PROBE. */
struct probe_definition {
    const char *name;                           /* as on the command line */
    const char *title;                          /* for people */
    const char *family;                         /* frontend, backend, memory, system */
    const char *after;                          /* name of a probe that runs before it; NULL: none */
    bool only_named;                            /* runs only when it is named */
    bool on_kernels;                            /* runs without being named only where the user has given kernels */
    bool gate;                                  /* runs first and always: decides whether times can be trusted */
    const struct finding_declaration *findings; /* ended by a NULL name */
    const char *const *needs; /* facts without which it is skipped: "memory.cache.bytes level=1"; ended by NULL */
    const char *const *wants; /* facts that make it better, but are not needed; ended by NULL … */
    bool (*wants_if)(const struct user_kernels *k); /* … and whether these kernels need them; NULL: always */
    void (*run)(struct probe *p);
};

/* The lists of a definition, ended as they have to be. */
#define FINDINGS(...) ((const struct finding_declaration[]){__VA_ARGS__, {0}})
#define NEEDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/*
 * Puts the probe on the list of its binary: a pointer in the linker section `probes`, whose bounds lib/run/plan.c
 * reads. No other file has to know of it.
 */
#define PROBE(id, ...) \
    static const struct probe_definition probe_##id = {.name = #id, __VA_ARGS__}; \
    static const struct probe_definition *const probe_entry_##id __attribute__((used, section("probes"))) = &probe_##id

/* ---- A probe while it runs ----------------------------------------------------------------------- */

/*
 * Room for code whose pages show chosen frames (probe_map_code). Code is written in one piece, and copied from there to
 * the frames. Where no frames are chosen, `written` is the area itself.
 */
struct code_frames {
    struct area area;     /* where the code is executed */
    struct area written;  /* where it is written; no bytes: kernels are written into the frames directly */
    const size_t *frames; /* of the pages of `area`; NULL: none are chosen */
};

struct probe {
    const struct probe_definition *definition;
    struct run *run;
    struct area code;                        /* where probe_code puts kernels while `frames` is NULL */
    const struct code_frames *frames;        /* where it puts them otherwise */
    uint64_t random;                         /* state of random_next; begins alike in every run */
    uint64_t taken_before, disturbed_before; /* readings of the run before the probe, and those that others spoiled */
    enum outcome outcome;                    /* ok until something ends the probe */
    char reason[96];                         /* why it was skipped, a sentence */
    struct fault fault;
};

/*
 * Ends the probe as skipped. `reason`, a sentence that says what is missing, is copied. Always false, so that the
 * caller can return it.
 */
bool probe_skip(struct probe *p, const char *reason);
/*
 * Zeroed memory for `count` objects of `bytes` bytes, for the caller to free. NULL where there is none; the probe has
 * then ended as skipped.
 */
void *probe_calloc(struct probe *p, size_t count, size_t bytes);
/*
 * Maps zeroed memory for data (machine_map); `page_bytes` 0 takes the smallest page. False: the platform cannot, and
 * the probe has ended as skipped. Everything that is mapped is given back when the probe ends.
 */
bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes);
/*
 * Maps zeroed memory for data with the largest pages that the platform has, no larger than the area, so that TLBs
 * interfere least; with smaller ones where those cannot be had. False: it cannot be mapped at all, and the probe has
 * ended as skipped.
 */
bool probe_map_large(struct probe *p, struct area *a, size_t bytes);
/*
 * Gives back everything mapped since machine_map_mark returned `mark`, before the probe ends. The probe's code area is
 * given up too: the next probe_code maps a new one. `mark` must therefore be from before the first probe_code, or none
 * of its kernels may run any more.
 */
void probe_release(struct probe *p, size_t mark);
/*
 * Starts new code of at most `bytes` at the start of the probe's code area, or of the pages of probe_use_code and then
 * no more than these hold; it overwrites the code emitted before. Where there is no memory, the code has no room, the
 * probe has ended as skipped, and probe_kernel returns false.
 */
struct code probe_code(struct probe *p, size_t bytes);
/*
 * Maps `pages` pages for code that show chosen frames: page i shows frames[i], as for machine_map_frames. `frames`
 * stays in use as long as *f. False: the platform cannot, and the probe has ended as skipped.
 */
bool probe_map_code(struct probe *p, struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * Maps pages as probe_map_code does, but does not end the probe: returns NULL, or a sentence why the platform cannot.
 */
const char *probe_try_code(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * Maps pages as probe_try_code does, but without f->written, the buffer as large as all pages together in which code is
 * written before it is copied to the frames: with large pages it would exceed the memory. The caller writes code to
 * area.write instead, where the frames lie one after the other. Returns NULL, or why the platform cannot.
 */
const char *probe_try_frames(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * From now on probe_code puts kernels into the pages of *f, which must stay valid; with NULL, into the probe's own code
 * area again. Where several pages show one frame, the code must have the same bytes in each of them that is executed,
 * since only the last of them is copied to the frame.
 */
void probe_use_code(struct probe *p, const struct code_frames *f);
/*
 * Makes finished code a kernel that is entered at offset `entry`: sets k->entry and k->instructions, and makes the core
 * see the code. Other members of *k are the caller's, set before. False when the code did not fit or has an operand out
 * of range, and the probe has then ended as skipped, or when it had ended before. The caller may have moved c->write
 * and c->at within the room that probe_code gave, both by the same distance, and by whole pages where the code has
 * frames.
 */
bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k);
/*
 * Whether the observer lets the probe go on; waits while the run is paused. False: a key has ended the probe as
 * skipped, and perhaps stopped the run (run->stopped), or the probe had ended before. probe_measure and
 * probe_quick_sample ask by themselves: this is for probes that run windows themselves.
 */
bool probe_goes_on(struct probe *p);
/* Measures one point (meter_measure). False: a fault, a timeout or a key has ended the probe. */
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out);
/*
 * Takes a quick sample (meter_quick_sample), only to choose what to measure. False: a fault, a timeout or a key has
 * ended the probe.
 */
bool probe_quick_sample(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles);
/* Ends the probe where a window ended by a fault or a timeout, with that outcome; false then. */
bool probe_survived(struct probe *p, const struct window_result *result);
/*
 * Returns the one of the four numbers that is for this run's profile; whether they are samples, points, bytes or
 * seconds is the caller's affair. Profile simulated takes that of quick.
 */
double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full);
/* Whether this run only shows that everything works: profile smoke. */
bool probe_is_smoke(const struct probe *p);
/* Whether the core is a simulated one: profile simulated, in which instructions are few and readings repeat. */
bool probe_is_simulated(const struct probe *p);
/* Returns the first number in profile simulated, the second in all others. */
double probe_simulated(const struct probe *p, double simulated, double otherwise);
/* Returns the first number in profile smoke, in which few instructions are executed, the second in all others. */
double probe_smoke(const struct probe *p, double smoke, double otherwise);
/*
 * Whether the frames of this area lie at random addresses, so that a sweep leaves a physically indexed cache early,
 * when some of its sets are full. Where the platform does not choose frames, the 4 KiB pieces of a large page still
 * follow each other, unless a hypervisor maps them again.
 */
bool probe_scattered(const struct area *a);
/*
 * Why an experiment with pages of this size cannot show on this platform what such pages do: a hypervisor may map them
 * in smaller ones. REASON_NONE: it can, or the profile is smoke, or the machine an emulator, where times mean nothing.
 */
enum reason probe_no_pages(const struct probe *p, size_t page_bytes);
/*
 * For gate probes: stores whether the times of this core can be trusted. `untrusted_cause`, which is copied, says why
 * not; NULL: they can. Where they cannot, every finding of the core becomes undecided.
 */
void trust(struct probe *p, const char *untrusted_cause);

#endif
