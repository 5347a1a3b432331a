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

struct probe_definition {
    const char *name;                           /* as on the command line */
    const char *title;                          /* for people */
    const char *family;                         /* frontend, backend, memory, system */
    const char *after;                          /* name of a probe that runs before it; NULL: none */
    bool debug;                                 /* runs only when it is named */
    bool gate;                                  /* runs first and always: decides whether times can be trusted */
    const struct finding_declaration *findings; /* ended by a NULL name */
    const char *const *needs; /* facts without which it is skipped: "memory.cache.bytes level=1"; ended by NULL */
    const char *const *wants; /* facts that make it better, likewise */
    void (*run)(struct probe *p);
};

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

/* Code whose pages show chosen frames: it is written in one piece, and copied to the frames from there. */
struct code_frames {
    struct area area;     /* where the code is executed */
    struct area written;  /* where it is written; no bytes: kernels are written into the frames directly */
    const size_t *frames; /* of the pages of `area` */
};

struct probe {
    const struct probe_definition *definition;
    struct run *run;
    struct area code;                 /* where probe_code puts kernels while `frames` is NULL */
    const struct code_frames *frames; /* where it puts them otherwise */
    uint64_t random;                  /* state of random_next; begins alike in every run */
    enum outcome outcome;             /* ok until something ends the probe */
    char reason[96];                  /* why it was skipped, a sentence */
    struct fault fault;
};

/* Ends the probe as skipped, with a sentence that says what is missing. Always false. */
bool probe_skip(struct probe *p, const char *reason);
/* Zeroed memory for that many objects, to be freed; NULL where there is none, and the probe has ended as skipped. */
void *probe_calloc(struct probe *p, size_t count, size_t bytes);
/* Maps memory for data, zeroed; ends the probe when there is none. Everything mapped is given back when it ends. */
bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes);
/* The same with the largest pages up to the area's size that the platform has, so that TLBs interfere least. */
bool probe_map_large(struct probe *p, struct area *a, size_t bytes);
/*
 * Gives back everything mapped since the mark (machine_map_mark) before the probe ends, the probe's code area with
 * it: the next probe_code maps a new one.
 */
void probe_release(struct probe *p, size_t mark);
/* Starts new code of at most `bytes` in the probe's code area. Without memory it has no room, and the probe ends. */
struct code probe_code(struct probe *p, size_t bytes);
/*
 * Maps pages for code that show chosen frames (machine_map_frames); `frames` stays in use. Ends the probe where the
 * platform cannot.
 */
bool probe_map_code(struct probe *p, struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/* The same without ending the probe: NULL, or a sentence why the platform cannot. */
const char *probe_try_code(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * The same without f->written, the buffer as large as all pages together in which code is written before it is copied
 * to the frames: for large pages that would exceed the memory. The caller writes code to area.write, where the frames
 * lie one after the other.
 */
const char *probe_try_frames(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes);
/*
 * From now on probe_code puts kernels into the pages of *f; NULL: into the probe's own code area. Pages that show one
 * frame must hold the same bytes where they are executed: the last of them is copied to the frame.
 */
void probe_use_code(struct probe *p, const struct code_frames *f);
/*
 * Makes finished code a kernel that is entered at offset `entry`. Ends the probe when the code did not fit or has an
 * operand out of range. The caller may have moved the code within the room that probe_code gave, `write` and `at`
 * alike, by whole pages where it has frames.
 */
bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k);
/*
 * Whether the observer lets the probe go on; false ends it as skipped. probe_measure asks by itself: this is for
 * probes that run windows themselves.
 */
bool probe_goes_on(struct probe *p);
/* Measures one point (meter_measure). */
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out);
/* Takes a quick sample (meter_quick_sample), only to choose what to measure. */
bool probe_quick_sample(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles);
/* Ends the probe where a window ended by a fault or a timeout. */
bool probe_survived(struct probe *p, const struct window_result *result);
/*
 * The number for this run's profile: of samples, points, bytes or seconds. The profile simulated takes that of quick.
 */
double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full);
/* Whether this run only shows that everything works: profile smoke. */
bool probe_is_smoke(const struct probe *p);
/* Whether the core is a simulated one: profile simulated, in which instructions are few and readings repeat. */
bool probe_is_simulated(const struct probe *p);
/* The first number in profile simulated, the second in all others. */
double probe_simulated(const struct probe *p, double simulated, double otherwise);
/* One number for profile smoke, in which few instructions are executed, and one for all others. */
double probe_smoke(const struct probe *p, double smoke, double otherwise);
/*
 * Whether the frames of this area lie at random addresses, so that a physically indexed cache is left early. Where the
 * platform does not choose frames, those of a large page still follow each other, unless a hypervisor maps them again.
 */
bool probe_scattered(const struct area *a);
/* Why an experiment cannot show what pages of this size do on this platform; REASON_NONE: it can. */
enum reason probe_no_pages(const struct probe *p, size_t page_bytes);
/* Stores the verdict of a gate probe: why the times of this core cannot be trusted; NULL: they can. */
void trust(struct probe *p, const char *untrusted_cause);

#endif
