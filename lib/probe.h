/*
 * What a probe is, and everything it needs: this is the one header a probe includes.
 */
#ifndef FATHOM_LIB_PROBE_H
#define FATHOM_LIB_PROBE_H

#include "arch/emit.h"
#include "arch/emit_idioms.h"
#include "arch/emit_modes.h"
#include "lib/machine.h"
#include "lib/measure.h"
#include "lib/record.h"
#include "lib/report.h"
#include "lib/run.h"
#include "lib/engine/statistics.h"
#include "lib/sweep.h"

/* A finding this probe may report. An undeclared one fails the probe. */
struct finding_declaration {
    const char *name; /* stable, see FINDINGS */
    const char *unit;
    const char *text; /* one sentence */
};

struct probe_definition {
    const char *name;                           /* as on the command line */
    const char *title;                          /* for people */
    const char *family;                         /* frontend, backend, memory, system */
    const char *after;                          /* name of a probe that should run before, or NULL */
    bool debug;                                 /* runs only when named */
    bool gate;                                  /* runs first and always: says whether this place can be trusted */
    const struct finding_declaration *findings; /* ended by a NULL name */
    const char *const *needs; /* facts it cannot do without: "memory.cache.bytes level=1"; ended by NULL */
    const char *const *wants; /* facts it does better with, likewise */
    void (*run)(struct probe *p);
};

#define FINDINGS(...) ((const struct finding_declaration[]){__VA_ARGS__, {0}})
#define NEEDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/*
 * Puts the probe on the list of its binary: a pointer in the linker section `probes`, whose bounds
 * lib/run.c walks. No other file has to know of it.
 */
#define PROBE(id, ...) \
    static const struct probe_definition probe_##id = {.name = #id, __VA_ARGS__}; \
    static const struct probe_definition *const probe_entry_##id __attribute__((used, section("probes"))) = &probe_##id

#endif
