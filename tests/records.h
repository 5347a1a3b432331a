/* A sink in memory, and values of its lines. The checksum of every line is verified. */
#ifndef FATHOM_TESTS_RECORDS_H
#define FATHOM_TESTS_RECORDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/base/record_read.h"

struct records {
    char *text; /* whole lines, ended by 0 */
    size_t used, room;
};

static bool records_write(void *context, const char *bytes, size_t count)
{
    struct records *r = context;

    if (r->used + count + 1 > r->room) {
        r->room = 2 * (r->used + count + 1);
        r->text = realloc(r->text, r->room);
        if (!r->text)
            abort();
    }
    memcpy(r->text + r->used, bytes, count);
    r->used += count;
    r->text[r->used] = 0;
    return true;
}

static inline struct sink records_sink(struct records *r)
{
    return (struct sink){.name = "memory", .context = r, .write = records_write};
}

static inline void records_free(struct records *r)
{
    free(r->text);
    *r = (struct records){0};
}

/* The value of a key, or NULL. It is valid until the next call for the same slot, 0 to 3. */
static inline const char *record_value(const char *line, const char *key, unsigned slot)
{
    static char values[4][512];
    size_t length = strcspn(line, "\n");

    if (!record_line_good(line, length))
        abort();
    return record_line_value(line, length, key, values[slot], sizeof values[slot]) ? values[slot] : NULL;
}

/*
 * The next line behind `after` (NULL: from the first line on) of that kind in which `key` has that value; with a NULL
 * key, the next of that kind. NULL when there is none.
 */
static inline const char *records_find(const struct records *r, const char *after, const char *kind, const char *key,
                                       const char *value)
{
    const char *line = after ? strchr(after, '\n') + 1 : r->text;

    for (; line && *line; line = strchr(line, '\n') + 1) {
        const char *t = record_value(line, "t", 0), *v = key ? record_value(line, key, 1) : NULL;
        if (t && !strcmp(t, kind) && (!key || (v && !strcmp(v, value))))
            return line;
    }
    return NULL;
}

#endif
