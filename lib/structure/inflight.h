/*
 * The instruction window: how many instructions of a kind can be in flight between two long-latency operations
 * (docs/METHODS.md, 4.12). This file makes the kernel of one experiment; inflight_search.h searches for its knee,
 * inflight_measure.h combines experiments, inflight_limit.h says which structure ended first.
 *
 *   long-latency operation 1 | n fillers | long-latency operation 2 | fence | and again
 *
 * The two operations do not depend on each other. While the core can hold everything between them, both are in flight
 * at the same time, and an iteration grows only by the time that delivering the fillers takes. One filler too many, and
 * the second operation begins when the first one retires: an iteration takes about twice as long. The structure that is
 * full at that point is the smallest of all that a filler occupies. The fence empties all of them before the next
 * iteration.
 *
 *   miss         one step of a pointer chase through lines that the core's own caches do not hold. Its latency depends
 *                on what else uses memory
 *   loads        a pointer chase of several steps through lines that the second level holds and the first does not
 *   arithmetic   a chain of square roots
 *
 * A chain retires operation by operation, and with each the second one comes nearer: its knee is a ramp that begins at
 * the number searched for.
 *
 * Method: Wong 2013, Measuring Reorder Buffer Capacity; arithmetic chains: Johnson 2021, Firestorm.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_H

#include "arch/emit_fillers.h"
#include "lib/base/reason.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"
#include "lib/structure/issue_order.h"

enum long_op { LONG_OP_MISS, LONG_OP_LOADS, LONG_OP_ARITHMETIC, LONG_OPS };
/* "miss", "loads", "arithmetic": for names of curves */
extern const char *const long_op_names[LONG_OPS];

/* What there is to measure with: the long-latency operations of this core. Made once a probe by inflight_start. */
struct inflight {
    struct issue_orders issue;                          /* if the core executes in order, nothing else is set */
    struct pointer_chase chases[LONG_OP_ARITHMETIC][2]; /* for each kind that is measured and loads, two rings */
    size_t near_lines;                                  /* lines of a ring of LONG_OP_LOADS, where these are measured */
    struct area data;               /* of fillers, then where chases go on, then the operand of square roots */
    unsigned steps[LONG_OPS];       /* loads or square roots in one long-latency operation */
    double independent[LONG_OPS];   /* cycles of an iteration whose two operations may overlap; NaN: no reading */
    double chained[LONG_OPS];       /* the same if they are one dependency chain; NaN: no reading */
    double around;                  /* cycles of such an iteration without its operations; NaN: no reading */
    enum reason unusable[LONG_OPS]; /* why that kind shows nothing on this core; REASON_NONE: it is usable */
};

enum {
    INFLIGHT_KINDS = 10,                 /* fillers of an experiment, which take turns */
    INFLIGHT_FEW = 8,                    /* fillers that fit wherever anything does */
    INFLIGHT_SHIFTS = 24,                /* positions at which groups of instructions are looked for */
    INFLIGHT_GROUP = INFLIGHT_SHIFTS / 2 /* the largest group that can be found, in instructions */
};

/* What the address of the second operation, a load, goes through first. */
enum inflight_gate { GATE_NONE, GATE_ADDITION, GATE_MULTIPLICATION };

/*
 * One experiment: two long-latency operations and the fillers between them, which are repeated in turn up to the number
 * that is asked for. A field that is zero, beside `first` and `second`, stands for nothing of that kind.
 *
 * Fillers that wait (`waits`) need the result of the first operation, which must then be a load: they stay in the
 * scheduler until it is there. `gate` puts an operation before the second one's address that needs an entry of the same
 * scheduler.
 */
struct inflight_experiment {
    const struct inflight *inflight;
    enum long_op first, second;
    bool waits;                     /* fillers need the result of the first operation */
    bool ready;                     /* the control of that: everything is emitted alike, and nothing waits */
    enum inflight_gate gate;        /* only where the second operation is a miss or loads */
    unsigned extra_loads;           /* loads beside the one that fillers wait for, which miss as it does */
    const struct emit_filler *head; /* head_count of these come before all other fillers; NULL: none */
    unsigned head_count;
    const struct emit_filler *fillers[INFLIGHT_KINDS]; /* in turn, ended by NULL */
    unsigned nops[INFLIGHT_KINDS];                     /* NOPs after each of them, which count as fillers */
    bool clear_vectors; /* vectors are cleared first: some cores then need no register for them; else all are written */
    unsigned one_chain; /* 1 or 2: the control whose operations are both of the first or of the second chain */
    unsigned pad_before, pad_behind; /* instructions before the first and after the second operation … */
    const struct emit_filler *pad;   /* … of this kind; NULL: the shortest NOPs */
    /* Operations of the first chain that have retired when the second can begin, at the knee, by inflight_search. */
    double retired;
    char name[48]; /* of the curve; inflight_sweep makes it */
};

/*
 * The filler of that name, or its form in legacy (SSE) encoding on a core without the other one. NULL: it has neither.
 */
const struct emit_filler *inflight_filler(const char *name);
/*
 * Sets e->fillers, which must be empty, to those of these names, ended by NULL; e->waits and e->first must be set.
 * False, and the experiment is not usable: this core lacks one of them; e->waits asks for waiting, and one cannot be
 * made to wait or the core cannot load a double for vectors to wait for; or they would slow down the first operation
 * (wide vectors beside square roots).
 */
bool inflight_choose_fillers(struct inflight_experiment *e, const char *const names[INFLIGHT_KINDS]);
/*
 * Makes the kernel of an experiment with so many fillers, for a sweep: `context` is the struct inflight_experiment. The
 * kernel's unit is an iteration. False: the probe is over.
 */
bool inflight_build(struct probe *p, double fillers, void *context, struct kernel *k);
/*
 * Measures the cycles of an iteration of the experiment with so many fillers: the median of seven samples
 * (sample_cycles); NaN where no reading was accepted. False: the probe is over.
 */
bool inflight_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles);
/* The same without its long-latency operations: what delivering the fillers, the fence and the loop take. */
bool inflight_delivery_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles);
/*
 * If one of its operations is a miss, measures the experiment without keeping the result; to be called before cycles
 * are compared that inflight_cycles gives. What ran meanwhile has pushed the page-table lines of the rings out of the
 * caches, and until they are back a miss takes half as long again (measured on Zen 4: 1020 cycles, then 650). Does
 * nothing in a smoke run. False: the probe is over.
 */
bool inflight_warm(struct probe *p, const struct inflight_experiment *e);
/* Where in the data area, in bytes, the chase of operation `which`, 0 or 1, of that kind keeps where it goes on. */
int32_t inflight_cursor_offset(enum long_op kind, unsigned which);
/* Bytes of the data area, and where in it the operand of square roots is. */
enum { INFLIGHT_DATA_BYTES = 4096, INFLIGHT_ROOT_OFFSET = FILLER_DATA_BYTES + 32 };

#endif
