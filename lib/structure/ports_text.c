#include "lib/structure/ports_text.h"

#include <math.h>
#include <stdio.h>

#include "lib/structure/tolerances_ports.h"

enum { OPS_TEXT = 512 };

void ports_text_of_ops(const struct ports_op ops[PORTS_OPS], char *text, size_t room)
{
    size_t at = 0;

    text[0] = 0;
    for (size_t o = 0; o < PORTS_OPS && ops[o].ports && at < room; o++) {
        if (o)
            at += (size_t)snprintf(text + at, room - at, "+ ");
        if (ops[o].times > 1 && at < room)
            at += (size_t)snprintf(text + at, room - at, "%ux ", ops[o].times);
        for (unsigned port = 0; port < PORTS_MOST && at < room; port++)
            if (ops[o].ports >> port & 1)
                at += (size_t)snprintf(text + at, room - at, "%u ", port);
    }
    if (at && at < room)
        text[at - 1] = 0;
}

void ports_text_of_map(const struct ports_map *map, const struct mixes *m, char *text, size_t room)
{
    char ports[OPS_TEXT];
    size_t at = 0;

    text[0] = 0;
    for (size_t i = 0; i < m->count && at < room; i++) {
        ports_text_of_ops(map->ops[i], ports, sizeof ports);
        at += (size_t)snprintf(text + at, room - at, "%s%s: %s", i ? "; " : "", m->classes[i], ports);
    }
}

/* " (0.7 of multiply, 0.5 of load)": kinds that conflict as the first one does. Returns the length. */
static size_t text_of_parts(const struct conflict *c, const struct mixes *m, char *text, size_t room)
{
    size_t at = 0;

    for (size_t i = 0; i < m->count && at < room; i++)
        if (c->parts[i] >= CONFLICT_PART_SHOWN)
            at += (size_t)snprintf(text + at, room - at, "%s%.1f of %s", at ? ", " : " (", c->parts[i], m->classes[i]);
    if (at && at < room)
        at += (size_t)snprintf(text + at, room - at, ")");
    return at;
}

void ports_text_of_conflicts(const struct ports_conflicts *all, const struct mixes *m, char *text, size_t room)
{
    size_t at = (size_t)snprintf(text, room, "%s", all->count ? "" : "none");

    for (size_t i = 0; i < all->count && at < room; i++) {
        const struct conflict *c = &all->all[i];
        double most = 0;
        for (size_t n = 0; n < CONFLICT_MIXES; n++)
            most = fmax(most, c->mixes[n].cycles / c->by_ports[n] - 1);
        at += (size_t)snprintf(text + at, room - at, "%s%s", i ? "; " : "", m->classes[c->first]);
        if (at < room)
            at += text_of_parts(c, m, text + at, room - at);
        if (at < room)
            at += (size_t)snprintf(text + at, room - at, " and %s: up to %.0f %% slower", m->classes[c->second],
                                   100 * most);
    }
}
