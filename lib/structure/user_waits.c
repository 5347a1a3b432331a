/* What a kernel of the user waits for: registers, words of memory, mispredicted branches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_user.h"
#include "lib/structure/user_decide.h"
#include "lib/structure/user_search.h"

enum {
    /*
     * How often registers are given their values, in copies: between, a chain may be that many copies long. Of short
     * code each 4th, since giving them takes instructions, too; of all registers in each 4th and then each 16th.
     */
    EVERY = 4,
    EVERY_ALL = 16,
    SHORT_BYTES = 64 /* of code, of which 8 copies are some hundred instructions: all of them are in flight */
};

/*
 * Whether the kernel becomes faster than `before` by this, and not by as many NOPs in the same places. False: the probe
 * is over.
 */
static bool try_without(struct user_search *s, double before, struct user_variant v, struct user_trial *t)
{
    struct user_cycles without, control;

    if (!user_search_measure(s, v, &without))
        return false;
    t->cycles = without.cycles;
    if (!user_waited(before, without.most, INFINITY))
        return true;
    v.as_nops = true;
    if (!user_search_measure(s, v, &control))
        return false;
    /* readings of code that waits for memory scatter: the slowest without counts, and the fastest with */
    t->limits = user_waited(before, without.most, control.least);
    return true;
}

static unsigned every_of(const struct user_search *s)
{
    return s->w->kernel->code_bytes <= SHORT_BYTES ? EVERY : 1;
}

/* ---- Registers ------------------------------------------------------------------------------------ */

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

static void add_all_registers(struct user_variant *v)
{
    for (unsigned r = 0; r <= harness_registers + harness_vectors; r++)
        add_of_register(v, r);
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

/* What giving most registers of that kind their values takes: the median of these trials; NaN where there are none. */
static double usual_cycles(const struct user_limits *l, size_t first, const char *what)
{
    double cycles[USER_LIMIT_TRIALS];
    size_t count = 0;

    for (size_t i = first; i < l->count; i++)
        if (!strcmp(l->trials[i].what, what) && !isnan(l->trials[i].cycles))
            cycles[count++] = l->trials[i].cycles;
    sort_numbers(cycles, count);
    return count ? quantile(cycles, count, 0.5) : (double)NAN;
}

/* Says which of the registers tried from `first` on the kernel waits for. */
static void say_registers(struct user_search *s, size_t first, bool *found)
{
    struct user_limits *l = s->l;
    const double general = usual_cycles(l, first, "register"), vector = usual_cycles(l, first, "vector");
    char name[16];

    for (struct user_trial *t = l->trials + first; t < l->trials + l->count; t++) {
        const bool is_vector = !strcmp(t->what, "vector");
        t->limits = t->limits && user_is_unusual(t->cycles, is_vector ? vector : general);
        if (!t->limits)
            continue;
        user_search_say(s,
                        *found      ? ""
                        : s->values ? "waits for the values of "
                                    : "waits for ",
                        name_of(name, !strcmp(t->what, "flags") ? harness_registers + harness_vectors
                                                                : t->which + is_vector * harness_registers));
        *found = true;
    }
}

/* Gives each register its first value again before each copy, so that no chain through it joins two copies. */
static bool try_each_register(struct user_search *s, double cost, bool *found)
{
    const size_t first = s->l->count;

    for (unsigned r = 0; r <= harness_registers + harness_vectors; r++) {
        struct user_variant v = {.every = every_of(s)};
        if (!add_of_register(&v, r))
            continue;
        const bool general = r < harness_registers;
        struct user_trial *t = user_search_trial(s,
                                                 general   ? "register"
                                                 : v.flags ? "flags"
                                                           : "vector",
                                                 general ? r : r - harness_registers);
        if (!try_without(s, s->l->least - cost, v, t))
            return false;
    }
    say_registers(s, first, found);
    return true;
}

/* The same with all registers at once: there may be several chains that are equally long. */
static bool try_all_registers(struct user_search *s, double cost, bool *found)
{
    struct user_variant v = {.copies = 0};

    add_all_registers(&v);
    for (v.every = EVERY; v.every <= EVERY_ALL && !*found; v.every *= EVERY_ALL / EVERY) {
        struct user_trial *t = user_search_trial(s, "all", 0);
        if (!try_without(s, s->l->least - cost, v, t))
            return false;
        *found = t->limits;
    }
    if (*found)
        user_search_say(s, s->values ? "waits for the values of " : "waits for ", "several registers");
    return true;
}

/* ---- Memory --------------------------------------------------------------------------------------- */

/* Stores the first value again into each word that the code writes, so that no chain through it joins two copies. */
static bool try_each_word(struct user_search *s, bool *found)
{
    struct user_written written;
    char name[32];

    if (!user_find_unused(s->p, s->w) || !user_find_written(s->p, s->w, &written))
        return false;
    if (written.more)
        s->l->not_tried = "chains through memory, since the code writes many words of it";
    else if (written.count && !user_can_store(s->w))
        s->l->not_tried = "chains through memory, since the code leaves no two general registers alone";
    for (unsigned i = 0; i < written.count && user_can_store(s->w) && !written.more; i++) {
        const struct user_word *word = &written.words[i];
        struct user_variant v = {.every = every_of(s), .word = *word};
        struct user_trial *t = user_search_trial(s, word->in_stack ? "stack" : "memory", 0);
        t->offset = word->offset;
        if (!try_without(s, s->l->least, v, t))
            return false;
        snprintf(name, sizeof name, "%s%+lld", t->what, (long long)word->offset);
        if (t->limits)
            user_search_say(s, *found ? "" : "waits for ", name);
        *found |= t->limits;
    }
    return true;
}

bool user_search_waits(struct user_search *s, double cost, bool *found)
{
    return try_each_register(s, cost, found) && (*found || try_each_word(s, found)) &&
           (*found || try_all_registers(s, cost, found));
}

/* ---- Mispredicted branches ------------------------------------------------------------------------ */

bool user_search_mispredicted(struct user_search *s, double nop_cycles, double *cost)
{
    /* before the fence all is done, so that what is cut there was no chain: registers only decide what code does */
    struct user_variant v = {.every = s->copies, .fences = true};
    double again, carried, more;

    *cost = 0;
    if (s->copies < 2)
        return true;
    add_all_registers(&v);
    struct user_trial *t = user_search_trial(s, "values", 0);
    if (!user_search_cycles(s, v, &again))
        return false;
    t->cycles = again;
    v.as_nops = true;
    if (!user_search_cycles(s, v, &carried))
        return false;
    t->expected = carried;
    if (!(carried - again > USER_FASTER_PART * s->l->cycles) || !user_is_faster(again, carried))
        return true;
    s->values = true;
    /*
     * Values decide which lines are accessed, too, or how long a division takes. Only mispredictions leave the front
     * end idle, so that each NOP delays what is behind it.
     */
    v.added = (struct user_added){.nop_bytes = emit_nop_lengths[0]};
    v.added.count = 1 + (unsigned)(USER_ADDED_PART * carried / nop_cycles);
    if (!user_search_cycles(s, v, &more))
        return false;
    t->count = v.added.count;
    t->limits = user_is_full_width((more - carried) / (v.added.count * nop_cycles));
    if (t->limits) {
        *cost = carried - again;
        user_search_say(s, "", "mispredicted branches");
    }
    return true;
}
