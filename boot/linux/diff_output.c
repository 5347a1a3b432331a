#include "boot/linux/diff_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void heading(const struct comparison *c, const char *text)
{
    if (!c->json)
        printf("\n%s\n", text);
}

void core_text(const struct comparison *c, unsigned order, const char *type, char *out, size_t room)
{
    out[0] = 0;
    if (c->side[0].core_count > 1 || c->side[1].core_count > 1)
        snprintf(out, room, *type ? "%s core %u:" : "%score %u:", type, order);
}

void record_written(struct record *r, const char *key, const char *text)
{
    char *end;
    double number = text ? strtod(text, &end) : 0;

    if (!text || !strcmp(text, "null"))
        record_null(r, key);
    else if (!strcmp(text, "true") || !strcmp(text, "false"))
        record_boolean(r, key, *text == 't');
    else if (*text && !*end && (*text == '-' || (*text >= '0' && *text <= '9')) && text[1] != 'x')
        record_number(r, key, number);
    else
        record_text(r, key, text);
}
