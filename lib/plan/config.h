/*
 * Configuration: defaults, then the file on the volume (or nothing), then SMBIOS, then load options or arguments.
 *
 * The file has one `key = value` a line; # starts a comment at the start of a line or after a space, but not in
 * `notes`, which take all of their line. A byte order mark and CRLF are accepted. Nothing in it is fatal: a line that
 * cannot be used becomes a warning that names line, key and what would be accepted, and the value before it stays. A
 * key that is set twice becomes a warning too, and the later value counts.
 */
#ifndef FATHOM_LIB_PLAN_CONFIG_H
#define FATHOM_LIB_PLAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of config.memory_mib, not a size in MiB, that asks for all the memory the platform can give. */
enum { MEMORY_ALL = 1 << 30 };

enum profile { PROFILE_SMOKE, PROFILE_SIMULATED, PROFILE_QUICK, PROFILE_STANDARD, PROFILE_FULL, PROFILES };
enum serial { SERIAL_OFF, SERIAL_FINDINGS, SERIAL_ALL, SERIAL_AUTO, SERIALS };
enum bringup { BRINGUP_AUTO, BRINGUP_ONLY, BRINGUP_OFF };
enum after { AFTER_STAY, AFTER_REBOOT, AFTER_POWEROFF, AFTER_RETURN, AFTERS };

/* The configuration of a run. Each comment begins with the key in the file, and its values. */
struct config {
    char probes[1024];    /* probes = names, separated by spaces or commas; empty: all but debug ones */
    enum profile profile; /* profile = bringup | smoke | simulated | quick | standard | full */
    enum bringup bringup; /* bringup = auto | off: the page for a machine that nobody has tried; profile = bringup */
    enum after after;     /* after = stay | reboot | poweroff | return */
    unsigned repeat;      /* repeat = 1 … 1000000: runs in a row, a boot each */
    unsigned memory_mib;  /* memory = 8 … 1048576 (MiB) to measure in; 0 = as the profile needs; all = MEMORY_ALL */
    unsigned deadline_ms; /* deadline = 10 … 60000 (ms) one window may last */
    char cores[128];      /* cores = one-per-type | all | indices and ranges: "0, 2 4-7" */
    bool retry;           /* retry = all: forget what the journal says; retry = none */
    /*
     * serial = auto | all | findings | off: records on the serial line; findings: without curves, which take more than
     * a minute at 115200 baud; auto: all where no file keeps the records or the line is the console, else findings.
     */
    enum serial serial;
    bool own;              /* own = on | off: off leaves the core as the firmware has it, and measures nothing */
    bool windows;          /* windows = on | off: off leaves interrupts on while it measures (to compare) */
    unsigned watchdog;     /* watchdog = off (0) | 10 … 600: seconds without progress until it may reset */
    unsigned menu_seconds; /* menu = off (0) | 1 … 3600: seconds without a key after which the start menu ends */
    char events[512];      /* events = what the counters probe counts: needs, vendors' names, raw numbers */
    char kernels[128];     /* kernels = what it counts them over; empty: all */
    bool discover;         /* counters = known | discover: tries every event number on every counter as well */
    char forms[96];        /* forms = which the instructions probe takes: a pattern with * and ?; empty: all */
    char prefetch[256];    /* prefetch = as-found | off | NAME=off,NAME=on,… */
    char frequency[16];    /* frequency = as-found | fixed | highest | RATIO */
    bool risky_prefetch;   /* risky = prefetch: also switches whose writes may hang a machine; risky = none */
    bool risky_cores;      /* risky = cores: also cores at spin tables, which cannot be given back; may be both */
    char hang[40];         /* hang = STAGE@CORE: stops there for ever (to test what the next run does) */
    char fault[40];        /* fault = STAGE@CORE: writes to an address there that does not exist (for tests) */
    char omit[40];         /* omit = STAGE@CORE: leaves it out, as if it had hung in an earlier run (for tests) */
    char notes[128];       /* notes = anything: copied into the run record */
};

/* Names of the profiles, as the file has them, by enum profile. */
extern const char *const profile_names[PROFILES];
/* Values of the key `serial`, by enum serial. */
extern const char *const serial_names[SERIALS];
/* Values of the key `after`, by enum after. */
extern const char *const after_names[AFTERS];

/*
 * Takes a warning: `subject` is where the setting stands, "FATHOM.CFG", `text` what is wrong with it. Both are valid
 * until it returns.
 */
typedef void config_warn(void *context, const char *subject, const char *text);

/* Warnings about one text that are passed on; a binary file is wrong in every line. */
enum { WARNINGS_SHOWN = 20 };
/*
 * Passes on that `text` is wrong with a line of `from`; line 0: with no single one. `count` is how many warnings about
 * that text there were before: of the first WARNINGS_SHOWN each is passed on, then one that the others are not shown.
 */
void warn_of_line(config_warn *warn, void *context, const char *from, size_t count, unsigned line, const char *text);

/* Sets every member to its default. */
void config_defaults(struct config *c);
/*
 * Applies the settings of a text of `bytes` bytes to *c. `from` names the text in warnings: "FATHOM.CFG", "SMBIOS",
 * "load options". What is wrong with it is passed to `warn`, with `context`: 20 warnings, and one that the others are
 * not shown. A setting that cannot be used leaves what was set before.
 */
void config_parse(struct config *c, const char *from, const char *text, size_t bytes, config_warn *warn, void *context);
/* The value of the key `profile` that is in force, for records: "bringup", "smoke", … */
const char *config_profile_name(const struct config *c);
/*
 * Applies one setting, as from an argument of the program. False when it cannot be used: then *c is unchanged, and
 * `why` is the reason in words, cut to `room`.
 */
bool config_set(struct config *c, const char *key, const char *value, char *why, size_t room);

#endif
