#include "lib/plan/config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/plan/cores.h"
#include "lib/plan/settings.h"

const char *const profile_names[PROFILES] = {"smoke", "simulated", "quick", "standard", "full"};
const char *const serial_names[SERIALS] = {"off", "findings", "all", "auto"};
const char *const after_names[AFTERS] = {"stay", "reboot", "poweroff", "return"};

static const char *const switch_names[] = {"off", "on"};
static const char *const counters_names[] = {"known", "discover"};
static const char *const retry_names[] = {"none", "all"};

enum key {
    KEY_PROBES,
    KEY_PROFILE,
    KEY_BRINGUP,
    KEY_AFTER,
    KEY_REPEAT,
    KEY_MEMORY,
    KEY_DEADLINE,
    KEY_CORES,
    KEY_RETRY,
    KEY_SERIAL,
    KEY_OWN,
    KEY_WINDOWS,
    KEY_WATCHDOG,
    KEY_MENU,
    KEY_EVENTS,
    KEY_KERNELS,
    KEY_COUNTERS,
    KEY_FORMS,
    KEY_PREFETCH,
    KEY_FREQUENCY,
    KEY_RISKY,
    KEY_HANG,
    KEY_FAULT,
    KEY_OMIT,
    KEY_NOTES,
    KEYS,
};

/* The name of each key and, for warnings, what it takes. */
static const struct {
    const char *name, *takes;
} keys[KEYS] = {
    [KEY_PROBES] = {"probes", "names of probes with commas or spaces between them, 1023 characters at most"},
    [KEY_PROFILE] = {"profile", "bringup, smoke, simulated, quick, standard or full"},
    [KEY_BRINGUP] = {"bringup", "auto or off"},
    [KEY_AFTER] = {"after", "stay, reboot, poweroff or return"},
    [KEY_REPEAT] = {"repeat", "a whole number from 1 to 1000000"},
    [KEY_MEMORY] = {"memory", "a whole number of MiB from 8 to 1048576, all, or 0 for what the profile needs"},
    [KEY_DEADLINE] = {"deadline", "a whole number of milliseconds from 10 to 60000"},
    [KEY_CORES] = {"cores", "one-per-type, all, or indices and ranges from 0 to 65535, as in 0, 2, 4-7"},
    [KEY_RETRY] = {"retry", "none or all"},
    [KEY_SERIAL] = {"serial", "auto, all, findings or off"},
    [KEY_OWN] = {"own", "on or off"},
    [KEY_WINDOWS] = {"windows", "on or off"},
    [KEY_WATCHDOG] = {"watchdog", "off, or a whole number of seconds from 10 to 600"},
    [KEY_MENU] = {"menu", "off, or a whole number of seconds from 1 to 3600"},
    [KEY_EVENTS] = {"events", "names or numbers of events with commas or spaces between them, 511 characters at most"},
    [KEY_KERNELS] = {"kernels", "names of the counters probe's kernels with commas or spaces between them"},
    [KEY_COUNTERS] = {"counters", "known or discover"},
    [KEY_FORMS] = {"forms", "a pattern of form names of 95 characters at most, in which * and ? stand for any"},
    [KEY_PREFETCH] = {"prefetch", "as-found, off, or NAME=off,NAME=on,... without spaces"},
    [KEY_FREQUENCY] = {"frequency", "as-found, fixed, highest, or a ratio"},
    [KEY_RISKY] = {"risky", "none, prefetch, cores, or prefetch,cores"},
    [KEY_HANG] = {"hang", "a stage and a core, as in first-window@0"},
    [KEY_FAULT] = {"fault", "a stage and a core, as in first-window@0"},
    [KEY_OMIT] = {"omit", "a stage and a core, as in first-window@0"},
    [KEY_NOTES] = {"notes", "text of 127 bytes at most"},
};

void config_defaults(struct config *c)
{
    *c = (struct config){
        .profile = PROFILE_QUICK,
        .after = AFTER_STAY,
        .repeat = 1,
        .deadline_ms = 1000,
        .cores = "one-per-type",
        .serial = SERIAL_AUTO,
        .own = true,
        .windows = true,
        .menu_seconds = 5,
        .prefetch = "as-found",
        .frequency = "as-found",
    };
}

/* ---- One setting ----------------------------------------------------------------------------- */

/* Finds a key by name; KEYS when there is none. Case does not matter, here and in values that are words. */
static enum key find_key(const char *name)
{
    unsigned key = 0;

    while (key < KEYS && strcasecmp(keys[key].name, name) != 0)
        key++;
    return (enum key)key;
}

static bool set_number(unsigned *out, const char *value, unsigned low, unsigned high)
{
    unsigned number = 0;

    for (const char *digit = value; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return false;
        number = 10 * number + (unsigned)(*digit - '0');
        if (number > high) /* long before it could wrap around */
            return false;
    }
    if (!*value || number < low)
        return false;
    *out = number;
    return true;
}

static bool set_choice(unsigned *out, const char *value, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcasecmp(names[i], value) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool set_switch(bool *out, const char *value, const char *const *names)
{
    unsigned choice;

    if (!set_choice(&choice, value, names, 2))
        return false;
    *out = choice == 1;
    return true;
}

static bool set_text(char *out, size_t room, const char *value)
{
    size_t bytes = strlen(value) + 1;

    if (bytes > room)
        return false;
    memcpy(out, value, bytes);
    return true;
}

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* Sets a text if it has no characters but the allowed ones. */
static bool set_names(char *out, size_t room, const char *value, const char *allowed)
{
    return value[strspn(value, allowed)] == 0 && set_text(out, room, value);
}

/* Checks the form only: which switches there are depends on the core. */
static bool set_prefetch(struct config *c, const char *value)
{
    if (!value[0] || (!strchr(value, '=') && strcasecmp(value, "as-found") != 0 && strcasecmp(value, "off") != 0))
        return false;
    return set_names(c->prefetch, sizeof c->prefetch, value, WORDS "=,.");
}

static bool set_frequency(struct config *c, const char *value)
{
    unsigned ratio;

    if (strcasecmp(value, "as-found") != 0 && strcasecmp(value, "fixed") != 0 && strcasecmp(value, "highest") != 0 &&
        !set_number(&ratio, value, 1, 65535))
        return false;
    return set_text(c->frequency, sizeof c->frequency, value);
}

static bool set_risky(struct config *c, const char *value)
{
    static const struct {
        const char *text;
        bool prefetch, cores;
    } settings[] = {{"none", false, false},
                    {"prefetch", true, false},
                    {"cores", false, true},
                    {"prefetch,cores", true, true},
                    {"cores,prefetch", true, true}};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (!strcasecmp(value, settings[i].text)) {
            c->risky_prefetch = settings[i].prefetch;
            c->risky_cores = settings[i].cores;
            return true;
        }
    return false;
}

/* `bringup` is no profile of probes: it runs none but the gates, as shortly as they can. */
static bool set_profile(struct config *c, const char *value)
{
    unsigned choice = PROFILE_SMOKE;
    const bool bringup = strcasecmp(value, "bringup") == 0;

    if (!bringup && !set_choice(&choice, value, profile_names, PROFILES))
        return false;
    c->profile = (enum profile)choice;
    c->bringup = bringup ? BRINGUP_ONLY : c->bringup == BRINGUP_ONLY ? BRINGUP_AUTO : c->bringup;
    return true;
}

const char *config_profile_name(const struct config *c)
{
    return c->bringup == BRINGUP_ONLY ? "bringup" : profile_names[c->profile];
}

static bool set_memory(unsigned *mib, const char *value)
{
    if (!strcasecmp(value, "all")) {
        *mib = MEMORY_ALL;
        return true;
    }
    return set_number(mib, value, 8, 1048576) || set_number(mib, value, 0, 0);
}

/* Seconds, or `off`: 0. */
static bool set_seconds(unsigned *seconds, const char *value, unsigned low, unsigned high)
{
    if (!strcasecmp(value, "off")) {
        *seconds = 0;
        return true;
    }
    return set_number(seconds, value, low, high);
}

static bool set_value(struct config *c, enum key key, const char *value)
{
    unsigned choice;

    switch (key) {
    case KEY_PROBES: return set_names(c->probes, sizeof c->probes, value, WORDS ", \t");
    case KEY_PROFILE: return set_profile(c, value);
    case KEY_BRINGUP:
        if (strcasecmp(value, "auto") != 0 && strcasecmp(value, "off") != 0)
            return false;
        if (c->bringup != BRINGUP_ONLY)
            c->bringup = strcasecmp(value, "off") == 0 ? BRINGUP_OFF : BRINGUP_AUTO;
        return true;
    case KEY_AFTER:
        if (!set_choice(&choice, value, after_names, AFTERS))
            return false;
        c->after = (enum after)choice;
        return true;
    case KEY_REPEAT: return set_number(&c->repeat, value, 1, 1000000);
    case KEY_MEMORY: return set_memory(&c->memory_mib, value);
    case KEY_DEADLINE: return set_number(&c->deadline_ms, value, 10, 60000);
    case KEY_CORES: return cores_valid(value) && set_text(c->cores, sizeof c->cores, value);
    case KEY_RETRY: return set_switch(&c->retry, value, retry_names);
    case KEY_SERIAL:
        if (!set_choice(&choice, value, serial_names, SERIALS))
            return false;
        c->serial = (enum serial)choice;
        return true;
    case KEY_OWN: return set_switch(&c->own, value, switch_names);
    case KEY_WINDOWS: return set_switch(&c->windows, value, switch_names);
    case KEY_WATCHDOG: return set_seconds(&c->watchdog, value, 10, 600);
    case KEY_MENU: return set_seconds(&c->menu_seconds, value, 1, 3600);
    case KEY_EVENTS: return set_names(c->events, sizeof c->events, value, WORDS ".:=, \t");
    case KEY_KERNELS: return set_names(c->kernels, sizeof c->kernels, value, WORDS ", \t");
    case KEY_COUNTERS: return set_switch(&c->discover, value, counters_names);
    case KEY_FORMS: return set_text(c->forms, sizeof c->forms, value);
    case KEY_PREFETCH: return set_prefetch(c, value);
    case KEY_FREQUENCY: return set_frequency(c, value);
    case KEY_RISKY: return set_risky(c, value);
    case KEY_HANG: return set_names(c->hang, sizeof c->hang, value, WORDS "@");
    case KEY_FAULT: return set_names(c->fault, sizeof c->fault, value, WORDS "@");
    case KEY_OMIT: return set_names(c->omit, sizeof c->omit, value, WORDS "@");
    case KEY_NOTES: return set_text(c->notes, sizeof c->notes, value);
    case KEYS: break;
    }
    return false;
}

bool config_set(struct config *c, const char *key, const char *value, char *why, size_t room)
{
    char shown[SETTING_KEY];
    enum key k = find_key(key);

    if (k == KEYS) {
        int used = snprintf(why, room, "%s: unknown key; known are", settings_show(shown, key));

        for (unsigned i = 0; i < KEYS && used >= 0 && (size_t)used < room; i++)
            used += snprintf(why + used, room - (size_t)used, "%s %s", i > 0 ? "," : "", keys[i].name);
        return false;
    }
    if (!set_value(c, k, value)) {
        snprintf(why, room, "%s: '%s' cannot be used; it takes %s", keys[k].name, settings_show(shown, value),
                 keys[k].takes);
        return false;
    }
    return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

struct parser {
    struct config *config;
    const char *from; /* "FATHOM.CFG" */
    size_t warnings;
    unsigned line_of[KEYS]; /* where each key was set, 0 while it was not */
    config_warn *warn;
    void *context;
};

void warn_of_line(config_warn *warn, void *context, const char *from, size_t count, unsigned line, const char *text)
{
    char message[320];

    if (count > WARNINGS_SHOWN)
        return;
    if (count == WARNINGS_SHOWN)
        snprintf(message, sizeof message, "further mistakes, from line %u on, are not shown", line);
    else if (line)
        snprintf(message, sizeof message, "line %u: %s", line, text);
    else
        snprintf(message, sizeof message, "%s", text);
    warn(context, from, message);
}

static void parser_warn(void *parser, unsigned line, const char *text)
{
    struct parser *p = parser;

    warn_of_line(p->warn, p->context, p->from, p->warnings++, line, text);
}

static void take_setting(void *parser, const struct setting *s)
{
    struct parser *p = parser;
    const enum key k = find_key(s->key);
    char text[280];

    if (!config_set(p->config, s->key, s->value, text, sizeof text)) {
        parser_warn(p, s->line, text);
        return;
    }
    if (p->line_of[k] > 0) {
        snprintf(text, sizeof text, "%s: was set before, on line %u; this one counts", keys[k].name, p->line_of[k]);
        parser_warn(p, s->line, text);
    }
    p->line_of[k] = s->line;
}

static bool takes_all(const char *key)
{
    return find_key(key) == KEY_NOTES;
}

void config_parse(struct config *c, const char *from, const char *text, size_t bytes, config_warn *warn, void *context)
{
    struct parser p = {.config = c, .from = from, .warn = warn, .context = context};

    settings_read(
        text, bytes,
        &(struct settings_reader){.take = take_setting, .wrong = parser_warn, .takes_all = takes_all, .context = &p});
}
