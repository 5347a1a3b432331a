/*
 * Grading: several experiments on one question become one value with a grade. docs/METHODS.md, chapter 3.
 *
 * Two experiments count as different when different things could mislead them: their `confounder` differs. Such things
 * are the address pattern, the filler, the long-latency operation, the counter; never the base address alone.
 * Experiments with the same confounder are layouts of one experiment. Values that disagree are never averaged.
 *
 *   A  all experiments, at least two different ones, put the knee into the same step, whatever may be hidden in the noise
 *      of each, and both views of each curve (lib/knee/knee.h) agree
 *   B  all agree within AGREE or one step, at least two different ones; or most agree as for A; or one experiment in
 *      two layouts does
 *   C  most agree within AGREE or one step, or overlap the interval of one whose curve both views agree about; or there
 *      is one experiment, and both views of its curve agree
 *   U  not decided. No experiment has a knee: the reason is that of the first one. They contradict each other:
 *      experiments-disagree. There is one experiment, and the two views of its curve differ: views-disagree. The
 *      interval of the value is wider than VAGUE_FACTOR and than VAGUE_STEPS: noise, except where the value is the
 *      middle of a ramp, which is then grade C
 *
 * "Most" means more than half of the experiments that have a knee. Where only experiments with narrow intervals decide,
 * because others are vague, the grade is C at best. Where an agreeing experiment saw another value at another time, the
 * interval includes that value, and the grade is C.
 *
 * Where the value is the middle of a ramp (`half`), two experiments agree when the value of each lies on the ramp of
 * the other, and the interval is the whole ramp from its foot: what is not replaced in order of use begins to be
 * missed one by one.
 */
#ifndef FATHOM_LIB_FINDING_GRADE_H
#define FATHOM_LIB_FINDING_GRADE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/knee/knee.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

/*
 * Experiments that are graded together at most (those of all sequences of lib/structure/entry_packing.h); and bytes of
 * struct graded's agreement.
 */
enum { EXPERIMENTS_MAXIMUM = 36, AGREEMENT_TEXT = 192 };

/* One experiment on a capacity: a curve with a verdict. */
struct experiment {
    const char *name;              /* of its curve */
    const char *confounder;        /* what could mislead it, in a word or two: "prefetchers", "TLB" */
    const struct verdict *verdict; /* about its curve */
    size_t knee;      /* index of the knee that counts; `count` of the verdict or more: it has no such knee */
    double scale;     /* from x to the finding's unit; 0: 1 */
    double holds;     /* what the experiment itself occupies of the structure, in the finding's unit; is added */
    bool reckoned;    /* `holds`, or the beginning of a ramp, is calculated, not measured, and may be slightly wrong */
    bool half;        /* the value is where half of the rise is reached */
    double otherwise; /* another x of the knee that may be right too, such as at another time of this run; 0: none */
};

/* The result of grading. */
struct graded {
    double value, low, high;  /* the interval is [last good, first bad]; `holds` is included */
    double holds;             /* of the experiment whose value it is */
    char grade;               /* 'A', 'B', 'C', 'U' */
    enum reason reason;       /* for U */
    size_t first;             /* index of the experiment whose value it is */
    size_t agreeing, against; /* experiments that agree with it, and that contradict it */
    bool agrees[EXPERIMENTS_MAXIMUM];
    char agreement[AGREEMENT_TEXT]; /* for people: "lines with whole", "lines", "lines with whole against stride"; names
                                     * that it has no room for are counted: "lines with whole and 3 more" */
};

/*
 * Grades `count` experiments, EXPERIMENTS_MAXIMUM at most, on one capacity by the rules above. `step` is the finest
 * difference that means something, in the finding's unit. The verdict of each experiment must have been decided; one
 * that has a reason counts as an experiment without a knee.
 */
struct graded grade_capacity(const struct experiment *e, size_t count, double step);

/* One number that an experiment gave, which is no capacity: a latency or a rate. */
struct experiment_value {
    const char *name, *confounder; /* as in struct experiment */
    double value;                  /* NaN: it gave none */
};
/*
 * Grades the numbers of `count` experiments by the rules above: two experiments agree closely, as for A, when their
 * numbers differ by AGREE_CLOSELY at most, and agree, as for B, when they differ by AGREE at most. Where no experiment
 * gave a number, the grade is U and the reason not-steady.
 */
struct graded grade_number(const struct experiment_value *v, size_t count);

/*
 * Whether, of `count` experiments on the same question over the same range, one has the knee that it is to be graded
 * by, and another has certainly none. Then the knee is not that of the structure that was asked about.
 */
bool experiments_contradict(const struct experiment *e, size_t count);

/*
 * Writes to `out` an experiment for each of `count` sweeps that have been searched: its first knee, its name and its
 * confounder. The verdict stays the sweep's, so the sweep must not be freed before.
 */
void experiments_of_sweeps(const struct sweep *s, size_t count, struct experiment *out);

/*
 * Grades a capacity by grade_capacity and reports it (report.h). Of *f the caller sets name, variants and whatever else
 * it knows; value, interval, grade, reason, agreement, holds and curves are filled in, and the method if there is none.
 */
void report_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step);
/*
 * Grades numbers by grade_number and reports the result: fills in value, grade, reason and agreement of a copy of *f;
 * there is no interval. Where no experiment gave a number the reason is f->reason, if that is set.
 */
void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count);

/*
 * Corrects `r`, a graded capacity, for a structure that may not replace its entries in order of use. Pseudo-LRU, for
 * example, may keep entries that are not used any more, and then holds fewer of those in use than it has room for (Berg
 * 2006, PLRU Cache Domino Effects). The experiments use the entries in several orders; `same_order` is the verdict
 * about a curve over the same x in which all are used in one order again and again, so that from the first entry too
 * many on all entries of a set are missed. Where that curve leaves its level elsewhere, or rises for longer, the
 * experiments saw only a part of the structure: the value becomes that curve's where it is larger, the interval is
 * extended to the end of that curve's rise, and the grade is C. Where that curve has no knee, or the interval becomes
 * too wide, the grade is U. `r` is returned as it is where it is undecided, or `same_order` is NULL: no such curve was
 * measured.
 */
struct graded grade_resident(struct graded r, const struct verdict *same_order, double step);
/* Grades a capacity by grade_capacity, corrects it by grade_resident, and reports it as report_capacity does. */
void report_resident_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count,
                              double step, const struct verdict *same_order);

/*
 * The height, in the unit of y, of the curve's level with the index `level`, the first being 0. NaN where there is no
 * such level, or where it scatters or slopes by more than STEADY: then it is shared with other cores, or no level.
 */
double level_height(const struct verdict *v, size_t level);
/*
 * How much higher the level with the index `behind` in `w` is than the level with the index `level` in `v`; `w` is the
 * same curve as `v`, or one that continues it at larger x. NaN where there is no such level, where the first is higher,
 * or where the two scatter or slope by more than STEADY of the difference.
 */
double level_difference(const struct verdict *v, size_t level, const struct verdict *w, size_t behind);
/*
 * Index of the knee of `v` whose x is nearest to `x` in proportion, and at most a factor `within` away; v->count when
 * there is none.
 */
size_t knee_near(const struct verdict *v, double x, double within);

#endif
