/*
 * For the tests of switches_x86_64.c and control_aarch64.c: where the switches of a core are known from, and where the
 * model of that core has its bits from. A model that was written from what the tables cite cannot show that they are
 * right, only that they are used as they are written; each family says which of the two it is.
 */
#ifndef FATHOM_TESTS_CONTROL_SOURCES_H
#define FATHOM_TESTS_CONTROL_SOURCES_H

#include <stdio.h>
#include <string.h>

#include "arch/control.h"

/* The next of a list of sources, of at most `room` - 1 bytes; false at its end. */
static bool next_source(const char **list, char *out, size_t room)
{
    const char *end = strstr(*list, "; ");
    const size_t length = end ? (size_t)(end - *list) : strlen(*list);

    if (!length)
        return false;
    snprintf(out, room, "%.*s", (int)length, *list);
    *list += length + (end ? 2 : 0);
    return true;
}

/* Whether a list names this source, with a section or without. */
static bool names_source(const char *list, const char *name)
{
    char source[64];

    while (next_source(&list, source, sizeof source))
        if (!strncmp(source, name, strlen(name)))
            return true;
    return false;
}

/* Every switch names a source and none twice, and is marked where it names one only. */
static void check_sources(const struct control *c, const char *family)
{
    char first[64], second[64];

    for (size_t i = 0; i < c->switch_count; i++) {
        const struct control_switch *s = &c->switches[i];
        const char *rest = s->source;

        if (!rest || !next_source(&rest, first, sizeof first))
            fail_msg("%s: %s names no source", family, s->name);
        if (control_single_source(s) != !*rest)
            fail_msg("%s: %s is marked wrongly: %s", family, s->name, s->source);
        for (; *rest && names_source(rest, first); rest += strlen(rest))
            fail_msg("%s: %s names %s twice", family, s->name, first);
        while (next_source(&rest, second, sizeof second))
            if (names_source(rest, second))
                fail_msg("%s: %s names %s twice", family, s->name, second);
    }
}

/* `same` says that the model has bits from a source that the tables cite for this core. */
static void check_model_source(const struct control *c, const char *family, const char *from, bool same)
{
    char source[64];
    bool cited = false;

    if (!from || !*from)
        fail_msg("%s does not say where its model is from", family);
    while (next_source(&from, source, sizeof source))
        for (size_t i = 0; i < c->switch_count; i++)
            cited |= names_source(c->switches[i].source, source);
    if (cited != same)
        fail_msg("%s: its model is %sfrom a source that the tables cite", family, cited ? "" : "not ");
}

#endif
