#include "lib/structure/user_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch/catalogue.h"
#include "lib/structure/tolerances_user.h"
#include "lib/structure/user_decide.h"

enum {
    COPIES_MOST = 16, /* of the kernel: with what is added they still fit into caches of decoded operations */
    SAMPLES = 3,
    NOP_BYTES_MOST = 8, /* Zen 4 packs two shorter NOPs into one entry of its operation cache, or does not */
    /* How often all registers are given their values, in copies: between, a chain may be that many copies long. */
    EVERY = 4,
    ENDS_MOST = 3 /* changes that may end in a fault or at the deadline before no more are tried */
};

struct search {
    struct probe *p;
    struct user_place *w;
    struct user_limits *l;
    unsigned copies, ends;
};

/* Cycles of a copy of this variant; NaN where it faulted, did not end, or gave no reading. False: the probe is over. */
static bool cycles_of(struct search *s, struct user_variant v, double *cycles)
{
    struct user_end end = {.end = WINDOW_RAN};
    struct user_cycles c;

    *cycles = NAN;
    if (s->ends >= ENDS_MOST)
        return true;
    v.copies = s->copies;
    if (!user_measure(s->p, s->w, &v, SAMPLES, &end, &c))
        return false;
    s->ends += end.end != WINDOW_RAN;
    *cycles = c.cycles;
    return true;
}

static struct user_trial *add_trial(struct user_limits *l, const char *what, unsigned which)
{
    struct user_trial *t = &l->trials[l->count < USER_LIMIT_TRIALS ? l->count++ : USER_LIMIT_TRIALS - 1];

    *t = (struct user_trial){.what = what, .which = which, .cycles = NAN, .expected = NAN};
    return t;
}

static void say(struct user_limits *l, const char *before, const char *text)
{
    const size_t used = strlen(l->text);

    snprintf(l->text + used, sizeof l->text - used, "%s%s%s", used ? ", " : "", before, text);
}

/* ---- What the kernel waits for -------------------------------------------------------------------- */

/* Whether the kernel becomes faster by this, and not by as many NOPs in the same places. False: the probe is over. */
static bool try_without(struct search *s, struct user_variant v, struct user_trial *t)
{
    double control;

    if (!cycles_of(s, v, &t->cycles))
        return false;
    if (!user_waited(s->l->cycles, t->cycles, INFINITY))
        return true;
    v.as_nops = true;
    if (!cycles_of(s, v, &control))
        return false;
    t->limits = user_waited(s->l->cycles, t->cycles, control);
    return true;
}

static bool add_of_register(struct user_variant *v, unsigned r)
{
    const unsigned vector = r - harness_registers;

    if (r < harness_registers && harness_is_free(r))
        v->values |= UINT32_C(1) << r;
    else if (r >= harness_registers && vector < harness_vectors)
        v->vectors |= UINT32_C(1) << vector;
    else if (r == harness_registers + harness_vectors)
        v->flags = true;
    else
        return false;
    return true;
}

static const char *name_of(char out[16], unsigned r)
{
    if (r < harness_registers)
        snprintf(out, 16, "%s", harness_register_name(r));
    else if (r < harness_registers + harness_vectors)
        snprintf(out, 16, "vector %u", r - harness_registers);
    else
        snprintf(out, 16, "flags");
    return out;
}

/* Gives each register its first value again before each copy, so that no chain through it joins two copies. */
static bool try_each_register(struct search *s, bool *found)
{
    char name[16];

    for (unsigned r = 0; r <= harness_registers + harness_vectors; r++) {
        struct user_variant v = {.copies = 0};
        if (!add_of_register(&v, r))
            continue;
        const bool general = r < harness_registers;
        struct user_trial *t = add_trial(s->l,
                                         general   ? "register"
                                         : v.flags ? "flags"
                                                   : "vector",
                                         general ? r : r - harness_registers);
        if (!try_without(s, v, t))
            return false;
        if (t->limits)
            say(s->l, *found ? "" : "waits for ", name_of(name, r));
        *found |= t->limits;
    }
    return true;
}

/* The same with all registers at once: there may be several chains that are equally long. */
static bool try_all_registers(struct search *s, bool *found)
{
    struct user_variant v = {.every = EVERY, .flags = true};
    struct user_trial *t = add_trial(s->l, "all", 0);

    for (unsigned r = 0; r <= harness_registers + harness_vectors; r++)
        add_of_register(&v, r);
    if (!try_without(s, v, t))
        return false;
    *found = t->limits;
    if (t->limits)
        say(s->l, "waits for ", "several registers");
    return true;
}

/* ---- What it has used up -------------------------------------------------------------------------- */

/* Cycles that each further operation takes where it is the limit: from two large numbers of them. */
static bool alone_cycles(struct search *s, struct user_variant v, double *cycles)
{
    const unsigned few = 16 + (unsigned)(8 * fmin(s->l->cycles, 50));
    double first, second;

    v.added.count = few;
    if (!cycles_of(s, v, &first))
        return false;
    v.added.count = 2 * few;
    if (!cycles_of(s, v, &second))
        return false;
    *cycles = (second - first) / few;
    return true;
}

/* Adds some of these operations. *part: of what they take alone, by how much the kernel became slower; NaN: unknown. */
static bool try_adding(struct search *s, const char *what, struct user_added added, double *alone, double *part)
{
    struct user_variant v = {.added = added};
    struct user_trial *t = add_trial(s->l, what, 0);

    *part = NAN;
    if (!alone_cycles(s, v, alone))
        return false;
    if (!(*alone > 0))
        return true;
    const double wanted = USER_ADDED_PART * s->l->cycles / *alone;
    v.added.count = t->count = wanted > 1 ? (unsigned)(wanted + 0.5) : 1;
    t->expected = t->count * *alone;
    if (!cycles_of(s, v, &t->cycles))
        return false;
    *part = (t->cycles - s->l->cycles) / t->expected;
    return true;
}

/* NOPs of the least length and of a longer one: some cores keep two short ones as one operation. */
static bool try_width(struct search *s, bool *found)
{
    struct user_added nops[2] = {{.nop_bytes = emit_nop_lengths[0]}, {.nop_bytes = 0}};
    double alone, part;

    for (const unsigned *length = emit_nop_lengths; *length && *length <= NOP_BYTES_MOST; length++)
        nops[1].nop_bytes = *length;
    for (unsigned i = 0; i < 2 && !*found; i++) {
        if (!try_adding(s, "nop", nops[i], &alone, &part))
            return false;
        *found = s->l->trials[s->l->count - 1].limits = user_is_full_width(part);
    }
    if (*found)
        say(s->l, "", "number of instructions");
    return true;
}

/* The class whose operations take least among those that find no unit left, and what they take. */
struct busiest {
    const char *class;
    double alone;
};

static bool try_unit(struct search *s, const char *class, struct user_added added, struct busiest *busiest)
{
    double alone, part;

    if (!user_can_add(s->w, &added))
        return true;
    if (!try_adding(s, class, added, &alone, &part))
        return false;
    if (user_is_full_unit(part)) {
        s->l->trials[s->l->count - 1].limits = true;
        if (!busiest->class || alone < busiest->alone)
            *busiest = (struct busiest){class, alone};
    }
    return true;
}

/*
 * Where all units of one kind are used up, operations that run on one of them, or return their results through it, find
 * none either: of several classes the one counts that most units execute.
 */
static bool try_units(struct search *s)
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
    if (busiest.class)
        say(s->l, "units: ", busiest.class);
    return true;
}

bool user_limits_find(struct probe *p, struct user_place *w, struct user_limits *l)
{
    struct search s = {.p = p, .w = w, .l = l, .copies = user_copies(w->kernel)};
    bool found = false;

    *l = (struct user_limits){.cycles = NAN};
    if (s.copies > COPIES_MOST)
        s.copies = COPIES_MOST;
    if (!cycles_of(&s, (struct user_variant){.copies = 0}, &l->cycles))
        return false;
    if (isnan(l->cycles))
        return true;
    if (!try_each_register(&s, &found) || (!found && !try_all_registers(&s, &found)))
        return false;
    /*
     * What waits is made slower by whatever delays it, also where there is room; and where the number of instructions
     * limits, every operation costs its place.
     */
    if (!found && !try_width(&s, &found))
        return false;
    if (!found && (!user_find_unused(p, w) || !try_units(&s)))
        return false;
    if (s.ends >= ENDS_MOST)
        l->not_tried = "the rest: changes to the code ended in faults, or at the deadline";
    return true;
}
