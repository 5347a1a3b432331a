/*
 * Control of the core: prefetcher switches, frequency, speculation, serialisation.
 *
 * Each ISA has tables of what each family of cores lets one switch, with the source of every bit;
 * nothing is ever written but named bits of those tables, by reading, changing and writing
 * (arch/access.h), and control_finish puts back all of it in the opposite order.
 */
#ifndef FATHOM_ARCH_CONTROL_H
#define FATHOM_ARCH_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"

/* What a write can do at worst. */
enum hazard {
    HAZARD_NONE,  /* a fault, which has a way back */
    HAZARD_HANGS, /* firmware above us may hang the machine (AArch64: trap to EL3): only with an explicit key */
};

/*
 * A switch of this core, by the vendor's name for it. Each ISA's table says all but `is_off` and `why_not`, which are
 * this core's.
 */
struct control_switch {
    const char *name; /* as in the configuration: "l2-stream", "l1d-ip" */
    const char *text; /* for people, one line */
    const char *register_name;
    uint32_t id;
    enum hazard hazard;
    enum {
        SCOPE_THREAD, /* in force for this hardware thread alone, */
        SCOPE_CORE,   /* for all of this core, */
        SCOPE_MODULE, /* for all cores that share its second-level cache */
    } scope;
    bool is_off; /* as found */
    uint64_t mask;
    uint64_t off;        /* the bits of `mask` that switch it off … */
    uint64_t on;         /* … and on */
    const char *source;  /* manual and section, or where it is known from */
    const char *why_not; /* it cannot be read here; NULL where it can */
};

enum { CONTROL_SWITCHES = 24 };

enum { CLOCK_STATES = 8 };

/* The clock, as the core's registers describe it. */
struct control_clock {
    const char *way;     /* "IA32_PERF_CTL", "HWP", "AMD P-states", "AMD CPPC"; NULL where none can be set */
    const char *why_not; /* then */
    /* Ratios, in the units of the registers; 0: not told. `highest` is what one core alone may reach. */
    unsigned lowest, base, highest;
    double ratio_hz;               /* a ratio of 1, where that is known; else 0 */
    bool turbo;                    /* more than `base` is allowed, as found */
    unsigned kind;                 /* the implementation's own */
    double state_hz[CLOCK_STATES]; /* AMD P-states: the clock of each, 0 where it is not told or not there */
};

/* A register that is recorded and never changed, unless an experiment compares. */
struct control_value {
    const char *name;
    uint64_t value;
    bool readable;
};

struct control {
    struct changes changes;
    struct control_switch switches[CONTROL_SWITCHES];
    size_t switch_count;
    const char *no_switches; /* why there are none */
    struct control_clock clock;
    bool risky; /* the configuration allows HAZARD_HANGS */
};

/* Finds out what this core lets one control; changes nothing. */
void control_start(struct control *c, const struct access *a);
/*
 * `setting` is "as-found", "off" or "NAME=off,NAME=on,…". NULL, or what is wrong with it, written into
 * `why`, by name and with what there is; what can be done is done.
 */
const char *control_prefetch(struct control *c, const char *setting, char *why, size_t room);
/*
 * One switch, for an experiment that compares. NULL, or why not. What was changed since a mark, a count of
 * changes.list, is put back with changes_restore.
 */
const char *control_switch(struct control *c, size_t index, bool off);
/*
 * The switch of the cache of operations; NULL where none is known of this core. It is no prefetcher: no setting turns
 * it, and nothing is read before an experiment does.
 */
const struct control_switch *control_op_cache(const struct access *a);
/* Turns it, as control_switch does; "no switch of it is known" where there is none. */
const char *control_switch_op_cache(struct control *c, bool off);
/*
 * `setting` is "as-found", "fixed" (the base clock, no turbo), "highest" (what firmware allows), or a ratio. NULL,
 * or what is wrong with it, as above; then the clock is as it was. That registers read back does not mean that the
 * clock followed: the caller measures it.
 */
const char *control_frequency(struct control *c, const char *setting, char *why, size_t room);
/* What such a setting comes to in Hz, where that is known; else 0: the highest clock is as high as power and heat allow. */
double control_clock_hz(const struct control_clock *k, const char *setting);
/* Puts everything back. False when a register does not read as it was found. */
bool control_finish(struct control *c);

/* The revision of the microcode in use; false where there is none, or it is not told. */
bool control_microcode(const struct access *a, uint32_t *revision);

/* Speculation and data-independent timing as found: SPEC_CTRL, SSBS, DIT, … Returns how many; at most room. */
size_t control_speculation(const struct access *a, struct control_value *out, size_t room);

/*
 * What disturbs without an interrupt: system management, thermal throttling, power limits. Two looks at it around a
 * measurement must be equal. A few reads of registers: cheap enough for every window.
 */
enum { DISTURBANCES = 2 };
struct disturbance {
    unsigned count; /* so many can be read here */
    const char *name[DISTURBANCES];
    uint64_t value[DISTURBANCES];
};
void control_disturbance(const struct access *a, struct disturbance *out);
/* Machine checks that are pending, corrected ones too. False where they cannot be read, and 0. */
bool control_machine_checks(const struct access *a, uint64_t *count);

/* Quirks and errata of this core, each with its reason and source: quirks.c of each ISA is the one page of them. */
struct quirk {
    const char *name;
    const char *applies; /* to which cores, for people */
    const char *reason;
    const char *source;
};
size_t control_quirks(const struct access *a, const struct quirk *out[], size_t room);

#endif
