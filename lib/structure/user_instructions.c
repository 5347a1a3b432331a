/* Without which instruction a kernel of the user is faster. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch/form_read.h"
#include "lib/structure/user_decide.h"
#include "lib/structure/user_search.h"

enum { INSTRUCTIONS_MOST = 48 /* that are tried, so that there is room for all trials */ };

/* The fewest cycles of the kernel as it is, and with NOPs added, which move it to other places. */
static double with_nops(const struct user_limits *l)
{
    double least = l->least;

    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->trials[i].what, "nop"))
            least = fmin(least, l->trials[i].cycles); /* fmin ignores NaN */
    return least;
}

/* Counts the instructions of the code, or as many as can be read. */
static unsigned count_instructions(const struct user_kernel *k, bool *all)
{
    struct form_use u;
    unsigned count = 0;
    size_t at = 0;

    while (at < k->code_bytes) {
        form_read(k->code + at, k->code_bytes - at, &u);
        if (!u.length)
            break;
        at += u.length;
        count++;
    }
    *all = at == k->code_bytes;
    return count;
}

static void say(struct user_search *s, const struct user_trial *t)
{
    const struct user_kernel *k = s->w->kernel;
    struct form_use u;
    char text[USER_LIMIT_TEXT];

    form_read(k->code + t->offset, k->code_bytes - (size_t)t->offset, &u);
    snprintf(text, sizeof text, "at byte %u%s%s", (unsigned)t->offset, u.form ? ": " : "",
             u.form ? form_name(u.form) : "");
    user_search_say(s, "instruction ", text);
}

bool user_search_instructions(struct user_search *s)
{
    const struct user_kernel *k = s->w->kernel;
    const double least = with_nops(s->l);
    struct user_trial *best = NULL;
    struct form_use u;
    bool all;

    if (count_instructions(k, &all) > INSTRUCTIONS_MOST || !all) {
        s->l->not_tried = "single instructions, since there are too many, or some could not be read";
        return true;
    }
    for (size_t at = 0; at < k->code_bytes && !user_search_gave_up(s); at += u.length) {
        struct user_trial *t = user_search_trial(s, "instruction", 0);
        struct user_cycles without;
        form_read(k->code + at, k->code_bytes - at, &u);
        t->offset = (int64_t)at;
        if (!user_search_measure(s, (struct user_variant){.without_at = at, .without_bytes = u.length}, &without))
            return false;
        t->cycles = without.cycles;
        if (user_is_faster(without.most, least) && (!best || t->cycles < best->cycles))
            best = t;
    }
    if (best) {
        best->limits = true;
        say(s, best);
    }
    return true;
}
