/*
 * How many fillers fit between two long-latency operations, by every usable kind of them (docs/METHODS.md, 4.12): a
 * request says which fillers, the result holds one experiment for each kind of operation, for the grade.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_MEASURE_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_MEASURE_H

#include "lib/finding/grade.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/inflight.h"

struct inflight_request {
    const struct inflight *inflight;
    char name[40];                       /* curves begin with it */
    const char *fillers[INFLIGHT_KINDS]; /* names, in turn; the first one NULL: nothing is measured */
    enum filler_class class; /* the structure whose entries are counted; FILLER_NOTHING: the reorder buffer */
    double to, limit;        /* fillers: range of the curve, and how far it may grow */
    double group;            /* instructions that enter the reorder buffer together; NaN or 0: not known */
    bool clear_vectors;      /* as in struct inflight_experiment */
    bool one_is_enough;      /* on a simulated core: kinds of operations are tried until one of them decides */
    /* The only experiment, but for its fillers, which are set by name. NULL: one by each kind of operation. */
    const struct inflight_experiment *only;
    /*
     * Called after each search: sets v->reason if the knee belongs to another structure. It may measure. False: the
     * probe is over. NULL: there is nothing to check.
     */
    bool (*control)(struct probe *p, const void *context, const struct inflight_experiment *e, struct verdict *v);
    const void *context;
};

/* `runs`, `sweeps` and `experiments` belong together by index, and point to each other: see inflight_bind. */
struct inflight_result {
    struct inflight_request request;
    struct inflight_experiment runs[LONG_OPS];
    struct sweep sweeps[LONG_OPS];
    struct experiment experiments[LONG_OPS]; /* the number of fillers, as an experiment on the structure's size */
    size_t count;                            /* 0: there is no filler, or no kind of operation could be used */
    unsigned confirmed;                      /* times that this was found (inflight_repeat); 0: to be measured again */
    struct inflight_result *other;           /* what was found at another time, where that differs; NULL: nothing */
};

/*
 * Measures how many fillers of the request fit, by each usable kind of long-latency operation (q->only: by that
 * experiment); kinds that occupy much of the requested structure themselves are left out, and loads on simulated cores.
 * Where several kinds do not agree, and it is not the reorder buffer whose entries are counted, they are searched again
 * with one to five NOPs before the first operation, until they agree, and the largest result of each counts: how many
 * fillers fit depends on what enters together with them; not so in a smoke run and on simulated cores. *out, which need
 * not be set before, is to be freed with inflight_free, also after false. False: the probe is over.
 */
bool inflight_measure(struct probe *p, const struct inflight_request *q, struct inflight_result *out);
/* Whether the i-th experiment decided how many fillers fit. */
bool inflight_is_decided(const struct inflight_result *a, size_t i);
/* Whether no experiment decided it. */
bool inflight_nothing_decided(const struct inflight_result *a);
/*
 * Whether two limits in the same unit may be one limit: they differ by no more than SAME_LIMIT_COUNT or the part
 * SAME_LIMIT of `other`.
 */
bool inflight_same(double one, double other);
/*
 * Returns how many entries of a structure were occupied when no more fillers fitted, graded over all kinds of
 * operations: one by each filler, and those that the long-latency operations themselves occupy. `class` names the
 * structure as the one of which its fillers occupy an entry each; FILLER_NOTHING: the reorder buffer. NaN: not decided.
 */
double inflight_fitted(const struct inflight_result *a, enum filler_class class);
/*
 * Returns how many instructions, fillers and operations together, were in flight when no more fillers fitted; where the
 * kinds of operations do not agree on that number, but do on the entries of `class` (inflight_fitted), that one. NaN:
 * neither is decided.
 */
double inflight_total(const struct inflight_result *a, enum filler_class class);
/* Makes the pointers inside a result that has been copied point into the copy. */
void inflight_bind(struct inflight_result *a);
/* Frees what the result holds, also its `other`, and leaves it without experiments. */
void inflight_free(struct inflight_result *a);

#endif
