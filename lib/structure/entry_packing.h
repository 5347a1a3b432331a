/*
 * Entries of the reorder buffer that several instructions share (docs/METHODS.md, 6.1 and 4.13): how many entries there
 * are, how many instructions share one, and how many enter together. Inferred from how many fillers of several
 * sequences fit in the instruction window; what the sequences are is up to the probe.
 */
#ifndef FATHOM_LIB_STRUCTURE_ENTRY_PACKING_H
#define FATHOM_LIB_STRUCTURE_ENTRY_PACKING_H

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/knee/sawtooth.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_measure.h"

enum {
    PACKING_SEQUENCES = 13,
    PACKING_LONG_OPS_HOLD = 2 /* entries of two single misses */
};

/* What a sequence contributes. */
enum packing_use {
    PACKING_MIXTURE,      /* many kinds in turn: none fills its own structure first, and neighbours differ */
    PACKING_NOPS,         /* NOPs of one length: they occupy nothing else, but may share entries */
    PACKING_PAIRS,        /* two memory accesses side by side, and NOPs: fewer fit where entries hold several */
    PACKING_DILUTED,      /* one memory access in every so many instructions */
    PACKING_KIND,         /* one kind alone, which shares no entry with its own kind */
    PACKING_KIND_WRITING, /* one kind alone that writes a register, so that renames may end first */
    PACKING_WRITERS       /* writers of two register files: where renames end */
};

struct packing_sequence {
    const char *name, *confounder; /* as in struct experiment */
    enum packing_use use;
    unsigned every;             /* of PACKING_DILUTED: instructions with one access among them */
    const char *const *fillers; /* INFLIGHT_KINDS of them, in turn; NULL from the first one that is not used on */
};

/* A sequence and what was measured of it. The element must not be moved once packing_measure_groups was called. */
struct packing_found {
    const struct packing_sequence *sequence;
    struct inflight_result *result; /* counted in entries of the reorder buffer */
    double shifts[INFLIGHT_SHIFTS]; /* of NOPs: inflight_group_shifts */
    struct sawtooth teeth;          /* of those; period 0: none */
    unsigned worn;                  /* sawtooth_blurred_period, where there is no whole sawtooth; else 0 */
    struct verdict top;             /* the top of the teeth as a knee, … */
    struct experiment shifted;      /* … and as an experiment */
    char name[48];
};

/* How many entries there are, by one of three ways. */
struct packing {
    const char *method;
    enum reason reason;                                          /* why it is undecided; REASON_NONE: it is not */
    struct experiment experiments[PACKING_SEQUENCES * LONG_OPS]; /* on the number of entries */
    size_t count;
    double group;     /* for inflight_report */
    double per_entry; /* instructions that share an entry; NaN: not known */
    double alone;     /* entries, where neighbours share them by kind; NaN: they do not, or it is not known */
};

/*
 * Measures in what groups the NOPs of a sequence enter the reorder buffer, and sets f->shifts, teeth, worn and name;
 * only where a whole sawtooth was found (f->teeth.period is not 0) also f->top and f->shifted, which point into *f.
 * f->sequence and f->result must be set. False: the probe is over.
 */
bool packing_measure_groups(struct probe *p, const struct inflight *l, struct packing_found *f);
/*
 * Decides how many entries the reorder buffer has, by the first of these ways that decides it; where none does, the
 * result is that of `mixtures`, with its reason. The second and the third need packing_is_possible:
 *
 *   mixtures   as many mixtures, NOPs and pairs fit, within a group: each instruction has an entry of its own
 *   dilution   sequences with one access in every 2, 3 and 4 instructions, divided by that, give one number, and NOPs
 *              are a whole multiple of it, three times at least: entries hold several instructions, but one access
 *              (Johnson 2021, Firestorm)
 *   kinds      at least three sequences of one kind each, or of NOPs, end at the same least number, and another one at
 *              PACKED_RATIO times that or more: neighbours share entries by kind (Zen 4: unless both write a general
 *              register or both have displacements). Kinds that write a register and end where renames do not count
 */
struct packing packing_decide(const struct packing_found all[PACKING_SEQUENCES]);
/*
 * Whether instructions may share entries: pairs (PACKING_PAIRS) and NOPs do not fit in equal numbers, give or take a
 * group, or one of both numbers is not known.
 */
bool packing_is_possible(const struct packing_found all[PACKING_SEQUENCES]);
/*
 * Stores in e[] the experiments of one sequence on how many instructions are in flight, and returns how many these are.
 * possible: instructions may share entries (packing_is_possible). It is then not known how the instructions of chains
 * share them, so that only experiments with single misses count, if one of them decides anything.
 */
size_t packing_experiments(const struct packing_found *f, bool possible, struct experiment e[LONG_OPS]);
/*
 * Stores in v[] how many instructions enter the reorder buffer together, a value for each sequence that shows it (1:
 * each enters by itself), and returns the number of values. Entries that neighbours share make such a saw-tooth as
 * well. alone: only sequences of which that many instructions fit count, since these share no entries; NaN: all count.
 */
size_t packing_groups(const struct packing_found all[PACKING_SEQUENCES], double alone,
                      struct experiment_value v[PACKING_SEQUENCES]);
/*
 * Returns how many instructions enter the reorder buffer together, where all values that packing_groups stores with
 * this `alone` agree; NaN where they do not, or there are none.
 */
double packing_group(const struct packing_found all[PACKING_SEQUENCES], double alone);

#endif
