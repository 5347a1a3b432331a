#include "lib/structure/user_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLES = 3,
    ENDS_MOST = 3 /* changes that may end in a fault or at the deadline before no more are tried */
};

bool user_search_gave_up(const struct user_search *s)
{
    return s->ends >= ENDS_MOST;
}

bool user_search_measure(struct user_search *s, struct user_variant v, struct user_cycles *cycles)
{
    struct user_end end = {.end = WINDOW_RAN};

    *cycles = (struct user_cycles){NAN, NAN, NAN};
    if (user_search_gave_up(s))
        return true;
    v.copies = s->copies;
    if (!user_measure(s->p, s->w, &v, SAMPLES, &end, cycles))
        return false;
    s->ends += end.end != WINDOW_RAN;
    return true;
}

bool user_search_cycles(struct user_search *s, struct user_variant v, double *cycles)
{
    struct user_cycles c;
    const bool good = user_search_measure(s, v, &c);

    *cycles = c.cycles;
    return good;
}

struct user_trial *user_search_trial(struct user_search *s, const char *what, unsigned which)
{
    struct user_limits *l = s->l;
    struct user_trial *t = &l->trials[l->count < USER_LIMIT_TRIALS ? l->count++ : USER_LIMIT_TRIALS - 1];

    *t = (struct user_trial){.what = what, .which = which, .cycles = NAN, .expected = NAN};
    return t;
}

void user_search_say(struct user_search *s, const char *before, const char *text)
{
    struct user_limits *l = s->l;
    static const char more[] = ", and others"; /* takes the place of what the text has no room for */
    const size_t used = strlen(l->text), needed = strlen(", ") + strlen(before) + strlen(text);
    const bool full = used + needed + sizeof more > sizeof l->text;

    if (!full)
        snprintf(l->text + used, sizeof l->text - used, "%s%s%s", used ? ", " : "", before, text);
    else if (!strstr(l->text, more))
        snprintf(l->text + used, sizeof l->text - used, "%s", more);
}
