/*
 * Finding: several experiments on one question become one answer with a grade.
 *
 * Experiments count as different when they differ in what could fool them: the address pattern, the filler,
 * the blocker, the counter; never in the base address alone. Their disagreement is never averaged away.
 *
 *   A  all experiments, two different ones at least, put the knee into the same step, and both views of
 *      each curve agree
 *   B  all agree within 2 % or one step, two different ones at least; or most agree as for A; or one
 *      experiment in two layouts does
 *   C  most agree less well, their intervals overlapping at least that of one whose curve both views agree
 *      about; or there is one experiment, both views of its curve agreeing
 *   U  none is decided (the reason is the first one's), or they contradict each other: experiments-disagree,
 *      or there is one experiment and the views of its curve do: views-disagree; or the interval of the
 *      answer is wider than a factor of two, that of each experiment or all together: noise. An answer half
 *      way up a ramp may have such an interval: it is grade C then. What others than the vague ones say is grade C at best
 *
 * What one that agrees has seen at another time belongs to the interval, and the grade is C.
 *
 * Where the answer is half way up a ramp, experiments agree when each puts it onto the other's ramp, and the interval is
 * all of the ramp with its foot: what is replaced by no order of use begins to be missed one by one.
 *
 * Most is more than half of those that are decided at all. Experiments that the same thing could fool are
 * layouts of one experiment.
 */
#ifndef FATHOM_LIB_FIND_H
#define FATHOM_LIB_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/engine/knee.h"
#include "lib/report.h"

enum { FIND_EXPERIMENTS = 8, FIND_WHICH = 96 };

struct find_experiment {
    const char *name;              /* of its curve */
    const char *fooled_by;         /* what could fool it, in a word or two: "prefetchers", "TLB" */
    const struct verdict *verdict; /* what its curve says */
    size_t knee;      /* which of its knees, or for a height which of its levels; `count` or more: does not see it */
    double scale;     /* from x to the finding's unit; 0: 1 */
    double holds;     /* what the experiment itself holds of the structure, in the finding's unit: added */
    bool reckoned;    /* `holds`, or where a ramp begins, is no count, and may be off */
    bool half;        /* the answer is where half of the rise is reached */
    double otherwise; /* what the knee was at another time, where it may be that as well; 0: nothing else was seen */
};

struct find_result {
    double value, low, high;  /* [last good, first bad], corrected by `holds` */
    double holds;             /* the correction of the experiment whose value it is */
    char grade;               /* 'A', 'B', 'C', 'U' */
    const char *reason;       /* for U */
    size_t first;             /* the experiment whose value it is */
    size_t agreeing, against; /* experiments that say so, and that say something else */
    bool agrees[FIND_EXPERIMENTS];
    char agreement[FIND_WHICH]; /* "lines and whole agree", "lines alone", "lines against whole"; for people */
};

/* `step` is the finest difference that means something, in the finding's unit. */
struct find_result find_decide(const struct find_experiment *e, size_t count, double step);
/* One number that an experiment gave. */
struct find_value {
    const char *name, *fooled_by; /* as above */
    double value;                 /* NaN: it gave none */
};
/*
 * The same for numbers that are no capacities: two experiments agree closely when they differ by 0.5 % at most,
 * which is what calibrated time can tell, and agree when they differ by 2 %.
 */
struct find_result find_number_decide(const struct find_value *v, size_t count);

/*
 * Whether one experiment sees its knee and another one, of the same question over the same range, surely none: then what
 * the first one sees is not what was asked for.
 */
bool find_contradicted(const struct find_experiment *e, size_t count);

/* What each sweep says, as an experiment: its first knee, and what else its fields have. */
void find_experiments(const struct sweep *s, size_t count, struct find_experiment *out);

/*
 * Decides and reports. The finding's value, grade, reason and agreement are filled in; of a capacity also its interval,
 * curves and method.
 */
void find_capacity(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                   double step);
/*
 * The same of what may be replaced by no strict order of use, as pseudo-LRU does it: that may keep what nobody uses any
 * more, and hold less than there is room for (Berg 2006, PLRU Cache Domino Effects). In `same_order`, a curve over the
 * same x, all are used in one order again and again, and in the experiments in several. Of the least recently used ones all
 * of a set are missed then, from the first on that is too many. Where that curve is left elsewhere, or rises for longer,
 * what holds in all orders is a part of the structure: the interval goes on to where that curve has no rise left, and
 * the grade is C. NULL: nothing is known of that.
 */
struct find_result find_held(struct find_result r, const struct verdict *same_order, double step);
void find_held_capacity(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                        double step, const struct verdict *same_order);
void find_number(struct probe *p, const struct finding *f, const struct find_value *v, size_t count);

/*
 * The height of level `level`, from 0, for find_number. NaN where there is none, or where it is not steady: its
 * points scatter, or it slopes, by more than 6 %, since others share it or it is no level.
 */
double find_height(const struct verdict *v, size_t level);
/*
 * By how much one level is higher than another, of the same curve or of one that goes on behind it; NaN where a curve has
 * it not, or where what they scatter or slope by is more than 6 % of that.
 */
double find_difference(const struct verdict *v, size_t level, const struct verdict *w, size_t behind);
/* The knee of `v` nearest to x, at most a factor `within` from it; v->count when there is none. */
size_t find_knee_near(const struct verdict *v, double x, double within);

#endif
