/*
 * How far the core looks ahead: two long operations with fillers between them.
 *
 *   first blocker, n fillers, second blocker, a fence, and again
 *
 * Neither blocker waits for the other. While the core can hold what lies between them, both are under way at the same
 * time, the second one later by what it takes to deliver the fillers: an iteration grows by that. One filler more than
 * fits, and the second begins when the first is done: an iteration takes about twice as long. What is full by then is the
 * least of all that a filler holds. The fence has all of it empty when the next iteration begins.
 *
 *   miss         a step of a chase through lines that the core's own caches do not hold. How long it takes is other
 *                people's affair, too
 *   loads        a chase through lines that the second level holds and the first does not
 *   arithmetic   a chain of square roots
 *
 * Chains leave the core operation by operation: as each does, the second chain comes so much nearer, and the knee is a
 * ramp, which begins at the answer.
 *
 * What the blockers themselves hold of a structure is added (lookahead_holds). What counts and branches back lies behind
 * the fence, before the first blocker, and is done before that has begun.
 *
 * Control: both blockers one chain, which can never overlap. Blockers that are not much faster as two cannot tell
 * anything, and are left out: square roots, where the core takes one at a time.
 *
 * Method: Wong 2013, Measuring Reorder Buffer Capacity; arithmetic blockers: Johnson 2021, Firestorm.
 */
#ifndef FATHOM_LIB_KERNELS_LOOKAHEAD_H
#define FATHOM_LIB_KERNELS_LOOKAHEAD_H

#include "arch/emit_fillers.h"
#include "lib/kernels/chase.h"
#include "lib/find.h"
#include "lib/probe.h"

enum blocker { BLOCKER_MISS, BLOCKER_LOADS, BLOCKER_ARITHMETIC, BLOCKERS };
/* "miss", "loads", "arithmetic" */
extern const char *const blocker_names[BLOCKERS];

/* What is there to look ahead with, made once a probe. */
struct lookahead {
    struct chase chases[BLOCKER_ARITHMETIC][2];
    size_t near_lines;           /* of a chase that the second level holds */
    struct area data;            /* fillers', then where chases go on and what roots begin with */
    unsigned steps[BLOCKERS];    /* operations a blocker */
    double alone[BLOCKERS];      /* cycles of an iteration whose blockers overlap; … */
    double chained[BLOCKERS];    /* … and of one whose blockers are one chain */
    const char *unfit[BLOCKERS]; /* why that blocker tells nothing here; NULL: it does */
};

enum { LOOKAHEAD_MIX = 10, LOOKAHEAD_FEW = 8 /* fillers: they fit wherever anything does */ };

/* What the second long operation begins with. */
enum lookahead_gate { GATE_NONE, GATE_ADDITION, GATE_MULTIPLICATION };

/*
 * One experiment: a row of fillers that takes them in turn.
 *
 * Fillers that wait need what the first blocker brings, a miss then, and are not done before it is: they stay where they
 * wait to be picked. Should the second blocker have to get past the same place, it can be made to begin with an operation
 * of the fillers' kind that waits for nothing.
 */
struct lookahead_row {
    const struct lookahead *with;
    enum blocker blocker, second;
    bool waits, ready;              /* ready: the control, of which all is there and nothing waits */
    enum lookahead_gate gate;       /* of misses alone */
    const struct emit_filler *head; /* so many of these come before them; NULL: none */
    unsigned head_count;
    unsigned more;                                    /* loads of what is waited for that nobody needs */
    const struct emit_filler *fillers[LOOKAHEAD_MIX]; /* those behind the first may be NULL */
    unsigned nops[LOOKAHEAD_MIX];                     /* behind each of them, which count as fillers */
    bool
        cleared; /* vector registers that programs name, so that the core may hold none for them; else all are written */
    unsigned one_chain;               /* 1, 2: the control, both blockers the first or the second chain; 0: one each */
    unsigned before, behind;          /* NOPs, before the first blocker and behind the second … */
    const struct emit_filler *around; /* … or these instead; NULL: the shortest */
    double done;   /* operations of the first chain that have left by the time the second could begin, at the knee */
    char name[48]; /* of the curve; lookahead_sweep makes it */
};

/* Maps and links the chases and tries the blockers. False: the probe is over, also where no blocker fits. */
bool lookahead_start(struct probe *p, struct lookahead *l);
/* The filler of that name, or what does the same on a core that lacks it. NULL: this core cannot execute either. */
const struct emit_filler *lookahead_filler(const char *name);
/*
 * The sweep over how many fillers there are, with what `what` calls them; coarse points up to `to`, more up to `limit`.
 * To be searched by whoever asks.
 */
struct sweep lookahead_sweep(struct probe *p, struct lookahead_row *r, const char *what, double to, double limit);
/*
 * Searches it, and sees to it that a knee for want of time to deliver so many fillers is none: the reason is
 * lookahead_delivery then. False: the probe is over.
 */
extern const char lookahead_delivery[];
bool lookahead_row_search(struct probe *p, struct lookahead_row *r, struct sweep *s);
/*
 * Before numbers are compared: what else ran meanwhile has pushed out the tables by which misses are translated, and until
 * they are back misses take up to half as long again (Zen 4: 1020 cycles, then 650). Fetches them.
 */
bool lookahead_warm(struct probe *p, const struct lookahead_row *r);
/* Cycles of an iteration of so many fillers of that row, the median of a few samples. */
bool lookahead_cycles(struct probe *p, const struct lookahead_row *r, double fillers, double *cycles);
/*
 * The fillers of those names. False where this core lacks one of them, or none can wait and `r->waits`; or where the first
 * blocker tells nothing beside them.
 */
bool lookahead_choose(struct lookahead_row *r, const char *const fillers[LOOKAHEAD_MIX]);
/*
 * How many entries the two blockers hold of what fillers of that class do: FILLER_NOTHING asks for the reorder buffer.
 * Of chains those operations of the first that have not left yet when the second could begin, and one of that, since
 * there the ramp begins.
 */
double lookahead_holds(const struct lookahead_row *r, enum filler_class class);

/*
 * Groups: a core may take in so many instructions at once, or none of them. Misses around such fillers, about as many as
 * fit, with NOPs behind that fill the second one's group; and of NOPs before the first one none, one, two …, each of which
 * moves all groups by one. Fillers that are NOPs are themselves those before and behind: where short ones share entries,
 * others may not. `most` is how many fillers fit for each of those; NaN: not told.
 */
enum { LOOKAHEAD_SHIFTS = 24, LOOKAHEAD_GROUP = LOOKAHEAD_SHIFTS / 2 };
bool lookahead_shift(struct probe *p, const struct lookahead *with, const char *const fillers[LOOKAHEAD_MIX],
                     double about, double most[LOOKAHEAD_SHIFTS]);

/*
 * How many fillers of that row fit, to one in a hundred: where an iteration takes half of what it takes more when they
 * do not. For questions that need no edge, as whether one class's fillers are in the other's way: half way up tells
 * where edges are blurred, and a few numbers cost less than a curve. `about` is what does not fit any more, or little
 * less than that. It is looked for below that, and again closer, since the longer rows are behind the edge, the longer
 * they take, and half way between short and long ones may lie beyond it. NaN: not told, as where nothing rises. False:
 * the probe is over.
 */
bool lookahead_most(struct probe *p, const struct lookahead_row *r, double about, double *fits);

#endif
