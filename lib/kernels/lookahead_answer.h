/*
 * How many fillers fit between two long operations, by all blockers that tell (lib/kernels/lookahead.h): the questions
 * that probes of windows ask, what is said to them, whether it is so at other times, and what ends first.
 */
#ifndef FATHOM_LIB_KERNELS_LOOKAHEAD_ANSWER_H
#define FATHOM_LIB_KERNELS_LOOKAHEAD_ANSWER_H

#include "lib/kernels/lookahead.h"

enum { LOOKAHEAD_NOPS = 640 /* range of a reorder buffer, at first */ };

/*
 * How many of these fillers fit? Asked of all blockers that do, in rows that have nothing else in them; or of one row
 * alone, as `only` has it.
 */
struct lookahead_question {
    const struct lookahead *with;
    char name[40];                      /* curves begin with it */
    const char *fillers[LOOKAHEAD_MIX]; /* the first one NULL: nothing is asked */
    enum filler_class class;            /* whose entries are counted; FILLER_NOTHING: the reorder buffer's */
    double to, limit;                   /* of the sweep */
    double group;                       /* as of struct lookahead_limits; NaN or 0: not known */
    bool cleared;                       /* as of struct lookahead_row */
    const struct lookahead_row *only;   /* what a row has besides; NULL: all blockers */
    /* Sets the verdict's reason where what it says is something else's. NULL: nothing has to be seen to */
    bool (*control)(struct probe *p, const void *context, const struct lookahead_row *r, struct verdict *v);
    const void *context;
};
/*
 * What is said to that: experiments that say how many entries there are. Where blockers do not agree, and it is not the
 * reorder buffer that is asked for, they are searched again with one NOP before the first blocker, with two … `count` 0:
 * the core lacks a filler, or no blocker fits.
 */
struct lookahead_answer {
    struct lookahead_question asked;
    struct lookahead_row rows[BLOCKERS];
    struct sweep sweeps[BLOCKERS];
    struct find_experiment experiments[BLOCKERS];
    size_t count;
    unsigned seen;                  /* times that it was so; 0: it is known not to be */
    struct lookahead_answer *other; /* what else was found, where it was not */
};
bool lookahead_search(struct probe *p, const struct lookahead_question *q, struct lookahead_answer *out);
/*
 * Whether those are so now, too. What is not is searched again: where more fits now than did then, or less, or what was
 * measured contradicts itself. Of what was found that which fits most is kept, if it was so twice; what else fitted once
 * goes into the interval. Another hardware thread of the core, awake for a while, has half of a buffer that is split among
 * threads, and registers, though it may take no part of the width. And more may be free for a while (Zen 4: 51 masks for
 * a second or less, in one run of twenty, and 45 otherwise; that thread may have been so fast asleep that it had none):
 * that is hardly seen twice. To be asked LOOKAHEAD_LOOKS times, when some time has passed.
 */
enum { LOOKAHEAD_LOOKS = 4 };
bool lookahead_look(struct probe *p, struct lookahead_answer *answers, size_t count);
void lookahead_free(struct lookahead_answer *a);

/*
 * What ends by itself, whatever is asked for: any filler's knee that is there may be the reorder buffer's; or of renames
 * in flight, where those end before.
 */
struct lookahead_limits {
    const struct lookahead *with;
    double nops;     /* that can be in flight, blockers with them; NaN: not known */
    double writers;  /* the same of instructions that each write a register of two files in turn; NaN: not known */
    double written;  /* so many of those at least, by whatever blocker; 0: not known */
    unsigned packed; /* so many NOPs at most share an entry */
    unsigned shared; /* instructions of any kind that share an entry; 1: none do */
    double group;    /* instructions that are taken in together, or not at all; NaN: not known */
};
/* Finds them, or takes what the probe `rob` has found. */
bool lookahead_find_limits(struct probe *p, const struct lookahead *with, struct lookahead_limits *l);
/* The fillers that write registers of two files. */
extern const char *const lookahead_writers[LOOKAHEAD_MIX];
/* How many of those fit: searched as of FILLER_GENERAL, and to be counted as FILLER_NOTHING. */
struct lookahead_question lookahead_of_writers(const struct lookahead *with, const char *name);
/*
 * How many fillers fitted, by all blockers, with what those hold of what fillers of that class do; FILLER_NOTHING: of the
 * reorder buffer. NaN: not decided.
 */
double lookahead_fitted(const struct lookahead_answer *a, enum filler_class class);
/* How many were in flight of whatever class, blockers with them; or of that one, where blockers agree only on that. */
double lookahead_ends(const struct lookahead_answer *a, enum filler_class class);
/*
 * Why such a knee may be the reorder buffer's: it is where NOPs end; or, where several NOPs may share an entry, where they
 * would end without that. NULL: it is not.
 */
const char *lookahead_masked(const struct lookahead_limits *l, const struct lookahead_answer *a);
/*
 * Why fillers that each write a register and end at `fitted` may have found how many renames can be in flight, which some
 * cores hold apart (Johnson 2021, Firestorm): no more were ever seen, and `seen` is the most that were. NULL: they have not.
 */
const char *lookahead_renames(double fitted, double seen);
/* So near to each other, where both are counted alike, that they may be one limit. */
bool lookahead_same(double one, double other);

/*
 * Decides and reports a structure's size; `step` as of find_decide. Never better than grade B, however well experiments
 * agree: they all see only what can be filled. Cores that take several instructions at once may want room for a whole
 * group of them, or two, before they take one; those entries show in no such experiment, and `remarks` says so. Of
 * grade C where the blockers hold some and no single misses bear it out: how much of a chain is still there at the
 * beginning of a ramp is reckoned. What is taken in by groups, where `group` is more than 1, may be as many more, less
 * one; NaN: they may be the largest there are.
 */
void lookahead_report(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                      double step, double group);
/* The same where it is not decided. */
void lookahead_undecided(struct probe *p, const struct finding *f, const char *reason);

#endif
