#include "lib/structure/user_limits.h"

#include <math.h>
#include <string.h>

#include "arch/catalogue.h"
#include "lib/structure/tolerances_user.h"
#include "lib/structure/user_decide.h"
#include "lib/structure/user_search.h"

enum {
    COPIES_MOST = 16,  /* of the kernel: with what is added they still fit into caches of decoded operations */
    NOP_BYTES_MOST = 8 /* Zen 4 packs two shorter NOPs into one entry of its operation cache, or does not */
};

/* ---- What it has used up -------------------------------------------------------------------------- */

/* Cycles that each further operation takes where it is the limit: from two large numbers of them. */
static bool alone_cycles(struct user_search *s, struct user_variant v, double *cycles)
{
    const unsigned few = 16 + (unsigned)(8 * fmin(s->l->cycles, 50));
    double first, second;

    v.added.count = few;
    if (!user_search_cycles(s, v, &first))
        return false;
    v.added.count = 2 * few;
    if (!user_search_cycles(s, v, &second))
        return false;
    *cycles = (second - first) / few;
    return true;
}

/*
 * Adds some of these operations. *part: of what they take alone, by how much the kernel became slower; NaN: unknown.
 * Where that is much, twice as many must make it slower by as much again: what moves other instructions into worse places
 * does so once.
 */
static bool try_adding(struct user_search *s, const char *what, struct user_added added, double *alone, double *part)
{
    struct user_variant v = {.added = added};
    struct user_trial *t = user_search_trial(s, what, 0);

    *part = NAN;
    if (!alone_cycles(s, v, alone))
        return false;
    if (!(*alone > 0))
        return true;
    const double wanted = USER_ADDED_PART * s->l->cycles / *alone;
    v.added.count = t->count = wanted > 1 ? (unsigned)(wanted + 0.5) : 1;
    t->expected = t->count * *alone;
    if (!user_search_cycles(s, v, &t->cycles))
        return false;
    *part = (t->cycles - s->l->cycles) / t->expected;
    if (*part > USER_WIDTH_PART) {
        double twice;
        v.added.count *= 2;
        if (!user_search_cycles(s, v, &twice))
            return false;
        *part = fmin(*part, (twice - t->cycles) / t->expected);
    }
    return true;
}

/* What came of NOPs, of the least length and of a longer one: some cores keep two short ones as one operation. */
struct nops {
    double alone[2]; /* cycles that each takes alone */
    double part[2];  /* of that, by how much each made the kernel slower; NaN: unknown */
    struct user_trial *trials[2];
};

static bool try_nops(struct user_search *s, struct nops *n)
{
    struct user_added nops[2] = {{.nop_bytes = emit_nop_lengths[0]}, {.nop_bytes = 0}};

    for (const unsigned *length = emit_nop_lengths; *length && *length <= NOP_BYTES_MOST; length++)
        nops[1].nop_bytes = *length;
    for (unsigned i = 0; i < 2; i++) {
        if (!try_adding(s, "nop", nops[i], &n->alone[i], &n->part[i]))
            return false;
        n->trials[i] = &s->l->trials[s->l->count - 1];
    }
    return true;
}

/*
 * Whether NOPs have found no room, and in what. Long ones decide. Many short ones next to each other may need a further
 * entry of the operation cache, and then cost time although more instructions would have found room.
 */
static void judge_nops(struct user_search *s, const struct nops *n, bool *found)
{
    for (unsigned i = 0; i < 2; i++)
        n->trials[i]->limits = user_is_full_width(n->part[1]);
    if (n->trials[1]->limits)
        user_search_say(s, "",
                        user_is_full_fetch(n->part[0] * n->alone[0], n->part[1] * n->alone[1])
                            ? "bytes of code"
                            : "number of instructions");
    /* where NOPs find no room, other operations find none either, and say nothing about units */
    *found = n->part[1] > USER_WIDTH_PART;
}

/*
 * NOPs wait for nothing and need no unit. One that costs far more than its place in the front end takes a place in the
 * reorder buffer from what is waited for long.
 */
static void judge_window(struct user_search *s, const struct nops *n, bool *found)
{
    *found = user_is_full_queue(n->part[0]) || user_is_full_queue(n->part[1]);
    for (unsigned i = 0; i < 2 && *found; i++)
        n->trials[i]->limits = true;
    if (*found)
        user_search_say(s, "", "reorder buffer");
}

/* The class whose operations take least among those that find no unit left, and what they take. */
struct busiest {
    const char *class;
    double alone;
};

static bool try_unit(struct user_search *s, const char *class, struct user_added added, struct busiest *busiest)
{
    double alone, part;

    if (!user_can_add(s->w, &added))
        return true;
    if (!try_adding(s, class, added, &alone, &part))
        return false;
    struct user_trial *t = &s->l->trials[s->l->count - 1];
    if ((added.load || added.store) && user_is_full_queue(part)) {
        t->limits = true;
        user_search_say(s, "", added.load ? "load queue" : "store queue");
    }
    if (user_is_full_unit(part)) {
        t->limits = true;
        if (!busiest->class || user_has_more_units(alone, busiest->alone))
            *busiest = (struct busiest){class, alone};
    }
    return true;
}

/*
 * Where all units of one kind are used up, operations that run on one of them, or return their results through it, find
 * none either: of several classes the one counts that most units execute.
 */
static bool try_units(struct user_search *s)
{
    struct busiest busiest = {.class = NULL};
    const char *done = "";

    if (!s->w->unused)
        s->l->not_tried = "units, since the code leaves no general register alone, or faults with other values in them";
    for (const struct form_unit *u = form_units; u->class; u++) {
        const struct form *f = form_find(u->form);
        if (!f || !form_unit_is_there(u) || !strcmp(u->class, done))
            continue;
        done = u->class;
        if (!try_unit(s, u->class, (struct user_added){.form = f}, &busiest))
            return false;
    }
    if (!try_unit(s, "load", (struct user_added){.load = true}, &busiest) ||
        !try_unit(s, "store", (struct user_added){.store = true}, &busiest))
        return false;
    if (busiest.class && !s->l->text[0]) /* what waits for an entry of a queue delays others, too */
        user_search_say(s, "units: ", busiest.class);
    return true;
}

/* Tries one kind of limit after the other, until one is found. False: the probe is over. */
static bool find(struct user_search *s)
{
    struct user_limits *l = s->l;
    struct nops nops;
    bool found = false;
    double cost;

    if (!try_nops(s, &nops) || !user_search_mispredicted(s, nops.alone[0], &cost))
        return false;
    if (cost > 0)
        /* what else registers do away with: only where most of the time is left */
        return cost > l->cycles / 2 || user_search_waits(s, cost, &found);
    if (s->values) { /* each change to registers or to the place of branches changes the time in that way, too */
        if (!user_search_waits(s, 0, &found))
            return false;
        l->not_tried = found ? l->not_tried
                             : "other limits, since what is in registers decides how long the code takes";
        return true;
    }
    judge_window(s, &nops, &found);
    if (found)
        return true;
    if (!user_search_waits(s, 0, &found))
        return false;
    /*
     * What waits is made slower by whatever delays it, also where there is room; and where the number of instructions
     * limits, every operation costs its place.
     */
    if (!found)
        judge_nops(s, &nops, &found);
    return found || (try_units(s) && (l->text[0] || user_search_instructions(s)));
}

bool user_limits_find(struct probe *p, struct user_place *w, struct user_limits *l)
{
    struct user_search s = {.p = p, .w = w, .l = l, .copies = user_copies(w->kernel)};

    struct user_cycles cycles;

    *l = (struct user_limits){.cycles = NAN};
    if (s.copies > COPIES_MOST)
        s.copies = COPIES_MOST;
    if (!user_search_measure(&s, (struct user_variant){.copies = 0}, &cycles))
        return false;
    l->cycles = cycles.cycles;
    l->least = cycles.least;
    if (isnan(l->cycles))
        return true;
    if (!find(&s))
        return false;
    if (user_search_gave_up(&s))
        l->not_tried = "the rest: changes to the code ended in faults, or at the deadline";
    return true;
}
