#include "arch/control_private.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- What there is ------------------------------------------------------------------------------- */

void control_add_switch(struct control *c, const struct control_switch *row)
{
    const struct access *a = c->changes.access;
    uint64_t value;

    if (c->switch_count == CONTROL_SWITCHES)
        return;
    struct control_switch *s = &c->switches[c->switch_count++];
    *s = *row;
    if (a->read(a->context, s->id, &value))
        s->is_off = (value & s->mask) == s->off;
    else
        s->why_not = "its register cannot be read";
}

void control_start(struct control *c, const struct access *a)
{
    *c = (struct control){.changes = {.access = a}};
    control_find_switches(c);
    control_find_clock(c);
}

bool control_finish(struct control *c)
{
    return changes_restore(&c->changes, 0);
}

/* ---- Words of a setting ---------------------------------------------------------------------------- */

enum { WORD = 32 };

/*
 * Copies the next word of a list separated by commas or blanks; what does not fit is cut. False at the end of the
 * list.
 */
static bool next_word(const char **list, char out[WORD])
{
    size_t length = strcspn(*list += strspn(*list, " ,"), " ,");

    snprintf(out, WORD, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

/* A text to which reasons are appended. */
struct reasons {
    char *text;
    size_t room, used;
};

static void add_reason(struct reasons *r, const char *name, const char *reason)
{
    int length = snprintf(r->text + r->used, r->room - r->used, "%s%s: %s", r->used ? "; " : "", name, reason);

    if (length > 0) /* snprintf has cut what did not fit */
        r->used = r->used + (size_t)length < r->room ? r->used + (size_t)length : r->room - 1;
}

/* ---- Prefetchers ----------------------------------------------------------------------------------- */

bool control_single_source(const struct control_switch *s)
{
    return !strstr(s->source, "; ");
}

const char *control_forbidden(const struct control *c, const struct control_switch *s, bool off)
{
    if (s->why_not)
        return s->why_not;
    if (s->hazard == HAZARD_HANGS && !c->risky)
        return "writing it may hang this machine: not without risky = prefetch";
    if (s->hazard == HAZARD_UNDOCUMENTED && !c->risky)
        return "its vendor does not document it for this core: not without risky = prefetch";
    if (s->hazard == HAZARD_UNDOCUMENTED && s->is_off && !off)
        return "its vendor does not document it, and it was found off: not switched on";
    return NULL;
}

const char *control_switch(struct control *c, size_t index, bool off)
{
    const struct control_switch *s = &c->switches[index];
    const char *why = control_forbidden(c, s, off);

    return why ? why : changes_set(&c->changes, s->register_name, s->id, s->mask, off ? s->off : s->on);
}

const char *control_switch_op_cache(struct control *c, bool off)
{
    const struct control_switch *s = control_op_cache(c->changes.access);
    const char *why = !s               ? "no switch of the operation cache is known for this core"
                      : c->no_op_cache ? c->no_op_cache
                                       : control_forbidden(c, s, off);

    return why ? why : changes_set(&c->changes, s->register_name, s->id, s->mask, off ? s->off : s->on);
}

static void unknown_switch(const struct control *c, struct reasons *r, const char *name)
{
    char text[320];
    int used = snprintf(text, sizeof text, "there is no such switch; this core has");

    for (size_t i = 0; i < c->switch_count && used > 0 && (size_t)used < sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", i ? "," : "", c->switches[i].name);
    add_reason(r, name, text);
}

/* "NAME=off" or "NAME=on". */
static void switch_by_word(struct control *c, struct reasons *r, char *word)
{
    char *equals = strchr(word, '=');
    size_t i = 0;

    if (!equals || (strcasecmp(equals, "=off") != 0 && strcasecmp(equals, "=on") != 0)) {
        add_reason(r, word, "is neither as-found, nor off, nor NAME=off or NAME=on");
        return;
    }
    *equals = 0;
    while (i < c->switch_count && strcasecmp(c->switches[i].name, word) != 0)
        i++;
    if (i == c->switch_count) {
        unknown_switch(c, r, word);
        return;
    }
    const char *why = control_switch(c, i, !strcasecmp(equals + 1, "off"));
    if (why)
        add_reason(r, word, why);
}

const char *control_prefetch(struct control *c, const char *setting, char *why, size_t room)
{
    struct reasons r = {.text = why, .room = room};
    char word[WORD];

    why[0] = 0;
    if (!setting[0] || !strcasecmp(setting, "as-found"))
        return NULL;
    if (!c->switch_count) {
        add_reason(&r, setting, c->no_switches);
    } else if (!strcasecmp(setting, "off")) {
        for (size_t i = 0; i < c->switch_count; i++) {
            const char *reason = control_switch(c, i, true);
            if (reason)
                add_reason(&r, c->switches[i].name, reason);
        }
    } else {
        while (next_word(&setting, word))
            switch_by_word(c, &r, word);
    }
    return r.used ? why : NULL;
}

/* ---- The clock ------------------------------------------------------------------------------------- */

/* The ratio in a text; 0 when it is not a whole number above 0. */
static unsigned ratio_of(const char *text)
{
    unsigned ratio = 0;

    for (; *text >= '0' && *text <= '9' && ratio < 100000; text++)
        ratio = 10 * ratio + (unsigned)(*text - '0');
    return *text ? 0 : ratio;
}

/* "8 to 35, in steps of 100 MHz", for people. */
static void name_ratios(const struct control_clock *k, char *out, size_t room)
{
    int used = snprintf(out, room, "%u to %u", k->lowest, k->highest);

    if (k->ratio_hz > 0 && used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used, ", in steps of %.0f MHz", k->ratio_hz / 1e6);
}

const char *control_frequency(struct control *c, const char *setting, char *why, size_t room)
{
    const struct control_clock *k = &c->clock;
    struct reasons r = {.text = why, .room = room};
    enum clock_aim aim = CLOCK_RATIO;
    const char *reason = NULL;
    char text[160], range[64];
    unsigned ratio = 0;

    why[0] = 0;
    if (!setting[0] || !strcasecmp(setting, "as-found"))
        return NULL;
    if (!strcasecmp(setting, "fixed"))
        aim = CLOCK_FIXED;
    else if (!strcasecmp(setting, "highest"))
        aim = CLOCK_HIGHEST;
    else
        ratio = ratio_of(setting);

    if (aim == CLOCK_RATIO && !ratio) {
        reason = "is neither as-found, nor fixed, nor highest, nor a ratio";
    } else if (!k->way) {
        reason = k->why_not;
    } else if (aim == CLOCK_RATIO && k->highest && (ratio < k->lowest || ratio > k->highest)) {
        name_ratios(k, range, sizeof range);
        snprintf(text, sizeof text, "this core has no such ratio; with %s it has %s", k->way, range);
        reason = text;
    } else {
        reason = control_set_clock(c, aim, ratio);
    }
    if (reason)
        add_reason(&r, setting, reason);
    return reason ? why : NULL;
}

double control_clock_hz(const struct control_clock *k, const char *setting)
{
    if (!strcasecmp(setting, "fixed"))
        return k->base ? k->base * k->ratio_hz : k->state_hz[0];
    return ratio_of(setting) * k->ratio_hz;
}
