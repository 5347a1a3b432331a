/*
 * Arm's performance monitors, PMUv3 (Arm ARM DDI 0487, D13; registers D19.5; MDCR_EL2 D19.2).
 *
 * Counters are started and stopped by PMCNTENSET_EL0 and PMCNTENCLR_EL0, all at once; PMCR_EL0.E, without which
 * nothing counts, stays on from counters_program to counters_restore. So counters that were in use already go on
 * counting.
 *
 * Where the core has EL2, MDCR_EL2.HPMN divides the event counters: EL1 can use those below it, EL2 alone those from
 * it on. At EL2 all of them are given to EL1, since that is where windows run.
 */
#include "arch/aarch64/counters_pmuv3.h"

#include <stdio.h>

#include "arch/aarch64/counter_registers.h"
#include "arch/aarch64/system_registers.h"
#include "arch/access.h"

/* ID_AA64DFR0_EL1.PMUVer. */
enum { PMUV3P1 = 4, PMUV3P5 = 6, PMUV3P7 = 7, PMUV3P8 = 8 };

/* PMCR_EL0. */
#define CONTROL_ENABLE BIT(0)
#define CONTROL_DIVIDE BIT(3)      /* D: the cycle counter counts every 64th cycle */
#define CONTROL_LONG_CYCLES BIT(6) /* LC: it overflows at 64 bits */
#define CONTROL_LONG_EVENTS BIT(7) /* LP: so do event counters, from PMUv3p5 on */
#define CONTROL_FREEZE BIT(9)      /* FZO: an overflow stops all, from PMUv3p7 on */

/* MDCR_EL2. */
#define EL2_COUNTERS ONES(5)   /* HPMN */
#define EL2_COUNTERS_ON BIT(7) /* HPME: those from HPMN on count */
#define EL2_NO_EVENTS BIT(17)  /* HPMD: events are not counted at EL2, from PMUv3p1 on */
#define EL2_NO_CYCLES BIT(23)  /* HCCD: nor are cycles, from PMUv3p5 on */

/* PMEVTYPER<n>_EL0, PMCCFILTR_EL0, PMICFILTR_EL0. */
#define FILTER_EL2 BIT(27)                            /* NSH: count at EL2 too; zeros elsewhere count EL1 and EL0 */
#define THRESHOLD (BIT(61) * 7 | (BIT(44) - BIT(32))) /* TC, TH: FEAT_PMUv3_TH, from PMUv3p8 on */

/*
 * Slots of the two fixed counters, and their bits in PMCNTENSET_EL0 and similar registers; event counter n has bit n.
 */
enum { CYCLES = COUNTER_FIXED, INSTRUCTIONS = COUNTER_FIXED + 1 };
enum { CYCLES_FLAG = 31, INSTRUCTIONS_FLAG = 32 };

/* What counters.detail holds. */
enum { EVENTS_0, EVENTS_1, HYPERVISOR, AT_EL2 };

/* Pairs of registers, one of which sets bits that the other clears; counters_state.flags holds them in this order. */
static const struct {
    uint32_t set, clear;
    const char *name;
} flags[] = {
    {ID_PMCNTENSET_EL0, ID_PMCNTENCLR_EL0, "PMCNTENSET_EL0 cannot be accessed"},
    {ID_PMINTENSET_EL1, ID_PMINTENCLR_EL1, "PMINTENSET_EL1 cannot be accessed"},
    {ID_PMOVSSET_EL0, ID_PMOVSCLR_EL0, "PMOVSSET_EL0 cannot be accessed"},
};
_Static_assert(sizeof flags / sizeof flags[0] == COUNTERS_FLAGS, "counters_state.flags");

static uint64_t flags_of(uint64_t slots)
{
    return (slots & ONES(31)) | (slots & BIT(CYCLES) ? BIT(CYCLES_FLAG) : 0) |
           (slots & BIT(INSTRUCTIONS) ? BIT(INSTRUCTIONS_FLAG) : 0);
}

static uint64_t slots_of(uint64_t set)
{
    return (set & ONES(31)) | (set & BIT(CYCLES_FLAG) ? BIT(CYCLES) : 0) |
           (set & BIT(INSTRUCTIONS_FLAG) ? BIT(INSTRUCTIONS) : 0);
}

/* Eight of each to a CRm (Arm ARM D19.5). */
static uint32_t count_register(unsigned slot)
{
    if (slot == CYCLES)
        return ID_PMCCNTR_EL0;
    return slot == INSTRUCTIONS ? (uint32_t)ID_PMICNTR_EL0 : SYSTEM_REGISTER(3, 3, 14, 8 + slot / 8, slot % 8);
}

static uint32_t selector(unsigned slot)
{
    if (slot == CYCLES)
        return ID_PMCCFILTR_EL0;
    return slot == INSTRUCTIONS ? (uint32_t)ID_PMICFILTR_EL0 : SYSTEM_REGISTER(3, 3, 14, 12 + slot / 8, slot % 8);
}

static const char *count_name(unsigned slot)
{
    if (slot == CYCLES)
        return "PMCCNTR_EL0";
    return slot == INSTRUCTIONS ? "PMICNTR_EL0" : "PMEVCNTRn_EL0";
}

static const char *selector_name(unsigned slot)
{
    if (slot == CYCLES)
        return "PMCCFILTR_EL0";
    return slot == INSTRUCTIONS ? "PMICFILTR_EL0" : "PMEVTYPERn_EL0";
}

/*
 * Counters that are in use already. PMCNTENSET_EL0 is not defined after a reset and has no effect while PMCR_EL0.E is
 * 0; for the counters from HPMN on, MDCR_EL2.HPME has the role of E.
 */
static uint64_t counting(uint64_t control, uint64_t enabled, uint64_t hypervisor, unsigned count)
{
    const unsigned first = register_field(hypervisor, 0, 5);
    const uint64_t second_range = ONES(count) & ~ONES(first);
    uint64_t taken = 0;

    if (control & CONTROL_ENABLE)
        taken |= enabled & ~second_range;
    if (hypervisor & EL2_COUNTERS_ON)
        taken |= enabled & second_range;
    return slots_of(taken);
}

bool pmuv3_find(const struct access *a, struct counters *out)
{
    uint64_t features, more_features, control, enabled, value;
    unsigned count;

    out->kind = COUNTERS_PMUV3;
    if (!a->read(a->context, ID_ID_AA64DFR0_EL1, &features))
        return counters_refuse(out, "ID_AA64DFR0_EL1 cannot be read");
    out->version = register_field(features, 8, 4);
    snprintf(out->name, sizeof out->name, "Arm PMUv3, PMUVer %u", out->version);
    if (!a->read(a->context, ID_PMCR_EL0, &control))
        return counters_refuse(out, "PMCR_EL0 is announced (ID_AA64DFR0_EL1.PMUVer) and cannot be read");
    if (!a->read(a->context, ID_PMCEID0_EL0, &out->detail[EVENTS_0]) ||
        !a->read(a->context, ID_PMCEID1_EL0, &out->detail[EVENTS_1]))
        return counters_refuse(out, "PMCEID0_EL0 is announced (ID_AA64DFR0_EL1.PMUVer) and cannot be read");
    if (!a->read(a->context, ID_PMCNTENSET_EL0, &enabled))
        return counters_refuse(out, "PMCNTENSET_EL0 is announced (ID_AA64DFR0_EL1.PMUVer) and cannot be read");

    /* N: at EL1 the event counters that HPMN leaves to EL1, at EL2 all there are. It may be 0. */
    count = register_field(control, 11, 5);
    out->slots = ONES(count) | BIT(CYCLES);
    out->bits = out->version >= PMUV3P5 ? 64 : 32;
    out->fixed_bits = 64;
    /* ID_AA64DFR1_EL1.PMICNTR, bits [39:36]. */
    if (a->read(a->context, ID_ID_AA64DFR1_EL1, &more_features) && register_field(more_features, 36, 4) != 0)
        out->slots |= BIT(INSTRUCTIONS);

    out->detail[AT_EL2] = is_el2(a);
    out->detail[HYPERVISOR] = count;
    if (out->detail[AT_EL2] && !a->read(a->context, ID_MDCR_EL2, &out->detail[HYPERVISOR]))
        return counters_refuse(out, "MDCR_EL2 cannot be read at EL2");
    out->taken = counting(control, enabled, out->detail[HYPERVISOR], count) & out->slots;
    /* When one of EL2's own counters is in use, all of them are left alone. */
    if (out->taken & ONES(count) & ~ONES(register_field(out->detail[HYPERVISOR], 0, 5)))
        out->taken |= ONES(count) & ~ONES(register_field(out->detail[HYPERVISOR], 0, 5));

    for (unsigned slot = 0; slot < COUNTER_SLOTS; slot++)
        if ((out->slots & BIT(slot)) &&
            (!a->read(a->context, count_register(slot), &value) || !a->read(a->context, selector(slot), &value)))
            return counters_refuse(out, slot < COUNTER_FIXED
                                            ? "PMEVCNTRn_EL0 is announced (PMCR_EL0.N) and cannot be read"
                                        : slot == CYCLES ? "PMCCNTR_EL0 cannot be read"
                                                         : "PMICNTR_EL0 is announced and cannot be read");
    return true;
}

/* MDCR_EL2, for code at EL1 and at EL2. */
static const char *open_el2(const struct counters *have, struct counters_state *state)
{
    const unsigned count = (unsigned)__builtin_popcountll(have->slots & ONES(31));
    const uint64_t second_range = ONES(count) & ~ONES(register_field(have->detail[HYPERVISOR], 0, 5));
    uint64_t mask = 0;

    if (!have->detail[AT_EL2])
        return NULL;
    if (have->version >= PMUV3P1)
        mask |= EL2_NO_EVENTS;
    if (have->version >= PMUV3P5)
        mask |= EL2_NO_CYCLES;
    if (!(have->taken & second_range))
        return changes_set(&state->changes, "MDCR_EL2", ID_MDCR_EL2, mask | EL2_COUNTERS, count);
    return changes_set(&state->changes, "MDCR_EL2", ID_MDCR_EL2, mask, 0);
}

/*
 * Arm ARM D13.1 and Linux, drivers/perf/arm_pmuv3.c: off first, then configured, then enabled. Each write is followed
 * by an ISB (access.S).
 */
static const char *program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state)
{
    const uint64_t others = flags_of(have->taken), filter = have->detail[AT_EL2] ? FILTER_EL2 : 0;
    const uint64_t events = (have->version >= PMUV3P1 ? ONES(16) : ONES(10)) |
                            (have->version >= PMUV3P8 ? THRESHOLD : 0);
    uint64_t mask = CONTROL_ENABLE, control = CONTROL_ENABLE;
    const char *why_not;

    for (size_t i = 0; i < count; i++) {
        if (!counters_is_fixed(&list[i]) && (list[i].code & ~events))
            return "an event has bits that PMEVTYPERn_EL0 of this core does not have";
        if (list[i].extra != 0)
            return "events of this core need no further registers";
    }
    for (size_t i = 0; i < COUNTERS_FLAGS; i++)
        if (!a->read(a->context, flags[i].set, &state->flags[i]))
            return flags[i].name;
    state->flags_found = true;
    /* Bits that mean nothing, set since a reset, are cleared too: their counters would count once E is set. */
    for (size_t i = 0; i < COUNTERS_FLAGS; i++)
        if ((state->flags[i] & ~others) && !a->write(a->context, flags[i].clear, state->flags[i] & ~others))
            return flags[i].name;

    why_not = open_el2(have, state);
    /* Where counters are in use already, settings that concern all counters stay. */
    if (have->taken == 0) {
        mask |= CONTROL_DIVIDE | CONTROL_LONG_CYCLES;
        control |= CONTROL_LONG_CYCLES;
        if (have->version >= PMUV3P5) {
            mask |= CONTROL_LONG_EVENTS;
            control |= CONTROL_LONG_EVENTS;
        }
        if (have->version >= PMUV3P7)
            mask |= CONTROL_FREEZE;
    }
    for (size_t i = 0; i < count && why_not == NULL; i++) {
        const unsigned slot = list[i].slot;

        why_not = changes_set(&state->changes, selector_name(slot), selector(slot), UINT64_MAX,
                              filter | (counters_is_fixed(&list[i]) ? 0 : list[i].code));
        if (why_not == NULL)
            why_not = changes_set(&state->changes, count_name(slot), count_register(slot), UINT64_MAX, 0);
    }
    if (why_not == NULL)
        why_not = changes_set(&state->changes, "PMCR_EL0", ID_PMCR_EL0, mask, control);
    return why_not;
}

static bool run(const struct access *a, const struct counters *have, const struct counters_state *state, bool go)
{
    (void)have;
    /* Before anything was programmed there is nothing to stop, and the bits found have not been noted. */
    if (!state->flags_found)
        return true;
    return a->write(a->context, go ? ID_PMCNTENSET_EL0 : ID_PMCNTENCLR_EL0, flags_of(state->slots));
}

static bool read_count(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value)
{
    (void)have;
    return a->read(a->context, count_register(slot), value);
}

static bool restore(const struct access *a, const struct counters *have, struct counters_state *state)
{
    const uint64_t others = flags_of(have->taken);
    bool all = changes_restore(&state->changes, 0);

    for (size_t i = COUNTERS_FLAGS; i-- > 0 && state->flags_found;) {
        uint64_t now, set, clear;

        if (!a->read(a->context, flags[i].set, &now)) {
            all = false;
            continue;
        }
        set = state->flags[i] & ~now & ~others;
        clear = now & ~state->flags[i] & ~others;
        all &= (set == 0 || a->write(a->context, flags[i].set, set)) &&
               (clear == 0 || a->write(a->context, flags[i].clear, clear));
    }
    return all;
}

/*
 * PMCEID0_EL0 and PMCEID1_EL0 have a bit for each of the events 0 to 3FH, in their upper halves 4000H to 403FH
 * (D19.5).
 */
static const char *lacks(const struct counters *have, uint64_t code)
{
    const uint64_t event = code & ONES(16), number = event & 0x1f;
    const uint64_t listed = have->detail[event & 0x20 ? EVENTS_1 : EVENTS_0];

    if ((event & ~UINT64_C(0x403f)) != 0) /* beyond both ranges */
        return NULL;
    return listed & BIT(event & 0x4000 ? 32 + number : number) ? NULL
                                                               : "this core does not have the event (PMCEID0/1_EL0)";
}

/* PMCEID0_EL0 says which of the common events there are (D13.11): INST_RETIRED 08H, else CPU_CYCLES 11H. */
static void proof(const struct access *a, const struct counters *have, struct counter_proof *p)
{
    enum { INST_RETIRED = 0x08, CPU_CYCLES = 0x11 };
    const bool instructions = have->detail[EVENTS_0] & BIT(INST_RETIRED);

    (void)a;
    p->counts = COUNTS_SOMETHING;
    if (p->setting.slot == INSTRUCTIONS) {
        p->counts = COUNTS_INSTRUCTIONS;
    } else if (!counters_is_fixed(&p->setting)) {
        p->setting.code = instructions ? INST_RETIRED : CPU_CYCLES;
        p->counts = instructions ? COUNTS_INSTRUCTIONS : COUNTS_SOMETHING;
    }
}

const struct counter_driver pmuv3_counters = {
    .program = program,
    .run = run,
    .read = read_count,
    .restore = restore,
    .proof = proof,
    .lacks = lacks,
};
