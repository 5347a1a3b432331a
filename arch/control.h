/*
 * Control of the core: prefetcher switches, frequency, speculation, serialisation.
 *
 * Each ISA has tables of what can be switched on each family of cores, with the source of every bit. Only bits named in
 * those tables are ever written (arch/access.h), and control_finish restores all of them in the opposite order.
 */
#ifndef FATHOM_ARCH_CONTROL_H
#define FATHOM_ARCH_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"

/* What a write to a switch's register can do at worst. */
enum hazard {
    HAZARD_NONE,  /* a fault, which is caught */
    HAZARD_HANGS, /* firmware may hang the machine (AArch64: a trap to EL3); the configuration must allow it */
    /*
     * Not known: the vendor documents the bit for no core, or not for this one. The configuration must allow it, and it
     * is only ever switched off and back, since nothing says that the core works with it on where the firmware left it
     * off.
     */
    HAZARD_UNDOCUMENTED,
};

/*
 * A switch of this core. Each ISA's tables hold all members but `is_off` and `why_not`, which control_start finds on
 * this core.
 */
struct control_switch {
    const char *name; /* as in the configuration: "l2-stream", "l1d-ip" */
    const char *text; /* for people, one line */
    const char *register_name;
    uint32_t id;
    enum hazard hazard;
    enum {
        SCOPE_THREAD, /* it takes effect for this hardware thread */
        SCOPE_CORE,   /* for this core */
        SCOPE_MODULE, /* for all cores that share its second-level cache */
    } scope;
    bool is_off; /* as found */
    uint64_t mask;
    uint64_t off;        /* the bits of `mask` when it is off */
    uint64_t on;         /* the bits of `mask` when it is on */
    const char *source;  /* manual and section, or where it is known from; several are separated by "; " */
    const char *why_not; /* why it cannot be read or used here; NULL where it can */
};

enum { CONTROL_SWITCHES = 24 };

/* P-states that a core of AMD has at most. */
enum { CLOCK_STATES = 8 };

/* The clock, as the core's registers describe it. */
struct control_clock {
    const char *way;     /* "IA32_PERF_CTL", "HWP", "AMD P-states", "AMD CPPC"; NULL where the clock cannot be set */
    const char *why_not; /* why it cannot be set */
    /* Ratios, in the units of the registers; 0: not known. `highest` is what one core alone may reach. */
    unsigned lowest, base, highest;
    double ratio_hz; /* the clock at a ratio of 1; 0 where it is not known */
    bool turbo;      /* more than `base` was allowed when it was found */
    unsigned kind;   /* the implementation's own */
    /* AMD P-states: the clock of each; 0 where it is not known, or there is no such state. */
    double state_hz[CLOCK_STATES];
};

/* A register that is recorded, not controlled; only experiments that compare its settings change it. */
struct control_value {
    const char *name;
    uint64_t value;
    bool readable;
};

/* What can be controlled on one core, and what was changed. */
struct control {
    struct changes changes;
    struct control_switch switches[CONTROL_SWITCHES];
    size_t switch_count;
    const char *no_switches; /* why there are none */
    struct control_clock clock;
    bool risky;              /* the configuration allows switches with a hazard */
    const char *no_op_cache; /* why the switch of the operation cache must not be turned; NULL: it may be */
};

/*
 * Finds out what can be controlled on the core whose registers `a` accesses, and fills in *c; changes nothing on the
 * core.
 */
void control_start(struct control *c, const struct access *a);
/*
 * Sets prefetcher switches; `setting` is "as-found", "off" (all of them) or "NAME=off,NAME=on,…". Returns NULL, or
 * `why`, cut to `room`, which says for each switch that could not be set what is wrong, and for an unknown name which
 * there are; the rest of the setting has taken effect. control_finish undoes it.
 */
const char *control_prefetch(struct control *c, const char *setting, char *why, size_t room);
/* Whether only one source says what this switch does. */
bool control_single_source(const struct control_switch *s);
/*
 * Why this switch must not be turned off (`off`), or on; NULL where it may be. It must not where s->why_not says so,
 * where it has a hazard that the configuration does not allow, or on where it is undocumented and was found off.
 */
const char *control_forbidden(const struct control *c, const struct control_switch *s, bool off);
/*
 * Turns the switch with that index off or on, for an experiment that compares both. NULL, or why not. changes_restore,
 * with the value that changes.count had before, undoes it.
 */
const char *control_switch(struct control *c, size_t index, bool off);
/*
 * The switch of the operation cache; NULL where none is known for this core. It is not among c->switches: no setting of
 * the configuration turns it, only an experiment does, and its register is not read before.
 */
const struct control_switch *control_op_cache(const struct access *a);
/*
 * Switches the operation cache off or on. NULL, or why not. changes_restore, with the value that changes.count had
 * before, undoes it.
 */
const char *control_switch_op_cache(struct control *c, bool off);
/*
 * Sets the clock; `setting` is "as-found", "fixed" (the base clock, no turbo), "highest" (the highest that the firmware
 * allows), or a ratio. NULL, or a message in `why`; then the clock is as it was. The registers may hold the setting
 * though the clock does not follow it, so the caller has to measure the clock. control_finish undoes it.
 */
const char *control_frequency(struct control *c, const char *setting, char *why, size_t room);
/*
 * The clock in Hz that a setting of control_frequency means; 0 where it is not known, as with "highest", which power
 * and heat limit.
 */
double control_clock_hz(const struct control_clock *k, const char *setting);
/* Undoes every change that was noted in c->changes. False when a register does not read as it was found. */
bool control_finish(struct control *c);

/*
 * Sets *revision to the revision of the microcode in use; on Intel's cores this writes IA32_BIOS_SIGN_ID (SDM vol. 3A,
 * 10.11.7.1). False where no register holds it, or it is 0; *revision must then not be used.
 */
bool control_microcode(const struct access *a, uint32_t *revision);

/*
 * Reads the registers that say how speculation and data-independent timing are set: SPEC_CTRL, SSBS, DIT, … One that
 * the core announces, but that cannot be read, has an entry whose `readable` is false. Returns how many entries it
 * wrote to `out`, at most `room`.
 */
size_t control_speculation(const struct access *a, struct control_value *out, size_t room);

/*
 * Counts and flags of what disturbs a measurement without an interrupt: the number of entries into system management
 * mode ("smi"), flags of throttling by heat ("heat"), and flags of limits of power and current ("limits"), which only
 * lower the clock. Two of these, read before and after a measurement, differ where it was disturbed.
 */
enum { DISTURBANCES = 3 };
struct disturbance {
    unsigned count; /* how many of them can be read here */
    const char *name[DISTURBANCES];
    uint64_t value[DISTURBANCES];
};
/* Reads the counts and flags of what disturbs, by a few register accesses; those that this core lacks are left out. */
void control_disturbance(const struct access *a, struct disturbance *out);
/*
 * Sets *count to how many of the core's first 32 error banks hold a machine check, corrected ones included. False, and
 * 0, where there is no register that says how many banks there are, or it cannot be read, as on AArch64.
 */
bool control_machine_checks(const struct access *a, uint64_t *count);

/* A quirk or erratum that this program takes account of. */
struct quirk {
    const char *name;
    const char *applies; /* the cores that have it, for people */
    const char *reason;
    const char *source;
};
/*
 * Writes pointers to the quirks and errata of this core to `out`; quirks.c of each ISA lists all of them, each with its
 * reason and source. Returns how many it wrote, at most `room`.
 */
size_t control_quirks(const struct access *a, const struct quirk *out[], size_t room);

#endif
