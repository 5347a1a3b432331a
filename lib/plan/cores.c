#include "lib/plan/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char cores_one_per_type[] = "one-per-type", cores_all[] = "all";

enum { INDEX_MAXIMUM = 65535 };

/* ---- Lists ------------------------------------------------------------------------------------- */

static bool number(const char **text, unsigned *out)
{
    char *end;
    bool digit = **text >= '0' && **text <= '9';
    unsigned long value = digit ? strtoul(*text, &end, 10) : 0;

    if (!digit || value > INDEX_MAXIMUM)
        return false;
    *text = end;
    *out = (unsigned)value;
    return true;
}

/* Takes the next index or range off the list. False at its end, and where it is malformed: then **list is not 0. */
static bool next_range(const char **list, unsigned *first, unsigned *last)
{
    const char *at = *list + strspn(*list, " ,\t");

    if (!number(&at, first))
        return false;
    *last = *first;
    if (*at == '-' && (at++, !number(&at, last) || *last < *first))
        return false;
    if (*at && !strchr(" ,\t", *at))
        return false;
    *list = at + strspn(at, " ,\t");
    return true;
}

bool cores_valid(const char *text)
{
    const char *list = text;
    unsigned first, last, ranges = 0;

    while (next_range(&list, &first, &last))
        ranges++;
    return (ranges > 0 && !*list) || !strcasecmp(text, cores_one_per_type) || !strcasecmp(text, cores_all);
}

/* ---- Choosing ---------------------------------------------------------------------------------- */

struct chosen {
    unsigned *out;
    size_t count;
    cores_warn *warn;
    void *context;
};

static void add(struct chosen *c, const struct machine_core *core)
{
    char text[200];

    for (size_t i = 0; i < c->count; i++)
        if (c->out[i] == core->index)
            return;
    if (!core->why_not) {
        c->out[c->count++] = core->index;
        return;
    }
    snprintf(text, sizeof text, "core %u cannot be used: %s", core->index, core->why_not);
    c->warn(c->context, text);
}

static void add_range(struct chosen *c, const struct machine_core *all, size_t count, unsigned first, unsigned last)
{
    char text[120];

    for (size_t i = 0; i < count; i++)
        if (all[i].index >= first && all[i].index <= last)
            add(c, &all[i]);
    if (last < count)
        return;
    unsigned missing = first < count ? (unsigned)count : first;
    if (missing == last)
        snprintf(text, sizeof text, "there is no core %u; this machine has 0 to %zu", last, count - 1);
    else
        snprintf(text, sizeof text, "there are no cores %u to %u; this machine has 0 to %zu", missing, last, count - 1);
    c->warn(c->context, text);
}

static bool type_seen(const struct machine_core *all, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].type, type))
            return true;
    return false;
}

static void add_each_type(struct chosen *c, const struct machine_core *all, size_t count, unsigned here)
{
    add(c, &all[here]);
    for (size_t i = 0; i < count; i++) {
        size_t usable = i;

        if (!strcmp(all[i].type, all[here].type) || type_seen(all, i, all[i].type))
            continue;
        while (usable < count && (all[usable].why_not || strcmp(all[usable].type, all[i].type) != 0))
            usable++;
        add(c, &all[usable < count ? usable : i]); /* where none of its type can be used, the first says why */
    }
}

size_t cores_choose(const char *text, const struct machine_core *all, size_t count, unsigned here, unsigned *out,
                    cores_warn *warn, void *context)
{
    struct chosen c = {.out = out, .warn = warn, .context = context};
    unsigned first, last;
    char instead[80];

    if (!strcasecmp(text, cores_one_per_type))
        add_each_type(&c, all, count, here);
    else if (!strcasecmp(text, cores_all))
        add_range(&c, all, count, 0, (unsigned)count - 1);
    else
        while (next_range(&text, &first, &last))
            add_range(&c, all, count, first, last);
    if (c.count == 0) {
        snprintf(instead, sizeof instead, "no core that was asked for can be had: core %u measures", here);
        warn(context, instead);
        out[c.count++] = here;
    }
    return c.count;
}
