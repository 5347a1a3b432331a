/*
 * Text of settings: one `key = value` a line.
 *
 * A # starts a comment at the start of a line or after a space, but not in keys that take all of their line. A byte
 * order mark and CRLF are accepted.
 */
#ifndef FATHOM_LIB_PLAN_SETTINGS_H
#define FATHOM_LIB_PLAN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SETTING_KEY = 44,     /* bytes of a key, or of a text that is shown, its end included; a longer key is cut */
    SETTING_VALUE = 8192, /* bytes of a value, its end included */
};

struct setting {
    unsigned line;           /* from 1 */
    const char *key, *value; /* without blanks around them; valid during the call */
    bool cut;                /* the value did not fit SETTING_VALUE, and is not complete */
};

struct settings_reader {
    void (*take)(void *context, const struct setting *s);
    /* A line that holds no setting, and why; line 0: the whole text. */
    void (*wrong)(void *context, unsigned line, const char *text);
    bool (*takes_all)(const char *key); /* whether # does not start a comment in this key's value; NULL: no key does */
    void *context;
};

/*
 * Calls the reader's `take` for each line that is a setting, and its `wrong` for any other that is neither empty nor a
 * comment. Of a text in UTF-16 nothing is taken. Never reads past `bytes`.
 */
void settings_read(const char *text, size_t bytes, const struct settings_reader *r);

/* What was found, fit for a message: printable ASCII, and only so much of it. Returns `out`. */
const char *settings_show(char out[SETTING_KEY], const char *found);

#endif
