/*
 * Intel's architectural performance monitoring, versions 1 to 6 (SDM vol. 3B, 20.2).
 *
 *     version 1   IA32_PERFEVTSELn select, enable and start; IA32_PMCn count
 *     version 2   IA32_PERF_GLOBAL_CTRL starts and stops all at once; fixed counters
 *     version 4   counters can be frozen: IA32_PERF_GLOBAL_STATUS, cleared and set by registers of their own
 *     version 5   fixed counters by a bitmap
 *     version 6   both kinds by bitmaps, in CPUID.23H
 */
#include "arch/x86_64/counters_intel.h"

#include <stdio.h>

#include "arch/access.h"
#include "arch/x86_64/counter_registers.h"
#include "arch/x86_64/cpu.h"

/* SDM vol. 4, table 2-2 (architectural) and tables of the models named. */
enum {
    IA32_PMC0 = 0xc1,
    MSR_TSX_FORCE_ABORT = 0x10f, /* Skylake to Comet Lake, Intel document 604224 */
    IA32_PERFEVTSEL0 = 0x186,
    MSR_OFFCORE_RSP_0 = 0x1a6,
    MSR_OFFCORE_RSP_1 = 0x1a7,
    IA32_DEBUGCTL = 0x1d9,
    IA32_FIXED_CTR0 = 0x309,
    IA32_PERF_CAPABILITIES = 0x345,
    IA32_FIXED_CTR_CTRL = 0x38d,
    IA32_PERF_GLOBAL_STATUS = 0x38e,
    IA32_PERF_GLOBAL_CTRL = 0x38f,
    IA32_PERF_GLOBAL_STATUS_RESET = 0x390, /* before version 4 IA32_PERF_GLOBAL_OVF_CTRL */
    IA32_PERF_GLOBAL_STATUS_SET = 0x391,
    MSR_OFFMODULE_RSP_0 = 0x3e0, /* Nova Lake, to 0x3e3 */
    MSR_PEBS_LD_LAT = 0x3f6,
    MSR_PEBS_FRONTEND = 0x3f7,
    IA32_A_PMC0 = 0x4c1,
};

/*
 * The addresses above leave room for ten general counters, since IA32_PERFEVTSEL10 would be another register, and for
 * seven fixed ones.
 */
enum { GENERAL = 10, FIXED = 7 };

#define FREEZE_IN_SMM BIT(14)           /* IA32_DEBUGCTL */
#define CAN_FREEZE BIT(12)              /* IA32_PERF_CAPABILITIES: FREEZE_IN_SMM is there */
#define FULL_WIDTH BIT(13)              /* and counters can be written in full, as IA32_A_PMCn */
#define UNIT_MASK_2 (BIT(48) - BIT(40)) /* IA32_PERFEVTSELn, where CPUID.23H says so */
#define EQUAL BIT(36)
#define ANY_THREAD BIT(21) /* from version 3 on, until CPUID.0AH:EDX[15] says that it has gone */
#define RTM_FORCE_ABORT BIT(0)

/* What counters.detail holds. */
enum { LEAF_A_AB, LEAF_A_CD, CAPABILITIES, SELECTABLE, WARM_UP };

static const struct global_registers global = {
    .control = IA32_PERF_GLOBAL_CTRL,
    .status = IA32_PERF_GLOBAL_STATUS,
    .clear = IA32_PERF_GLOBAL_STATUS_RESET,
    .set = IA32_PERF_GLOBAL_STATUS_SET,
    .control_name = "IA32_PERF_GLOBAL_CTRL",
    .no_status = "IA32_PERF_GLOBAL_STATUS cannot be read",
    .stays_frozen = "the counters are frozen, and IA32_PERF_GLOBAL_STATUS_RESET cannot be written",
};

static bool readable(const struct access *a, uint32_t id)
{
    uint64_t value;

    return a->read(a->context, id, &value);
}

static uint32_t count_register(const struct counters *have, unsigned slot)
{
    if (slot >= COUNTER_FIXED)
        return IA32_FIXED_CTR0 + slot - COUNTER_FIXED;
    return (have->detail[CAPABILITIES] & FULL_WIDTH ? IA32_A_PMC0 : IA32_PMC0) + slot;
}

/* The slots that CPUID announces: leaf 0AH (SDM vol. 2A, CPUID; vol. 3B, 20.2), leaf 23H where it is there. */
static uint64_t announced_slots(const struct access *a, const struct counters *c)
{
    const uint64_t a_ab = c->detail[LEAF_A_AB], a_cd = c->detail[LEAF_A_CD];
    uint64_t general = ONES(a_ab >> 8 & 0xff);
    uint64_t fixed = c->version >= 2 ? ONES(a_cd >> 32 & 0x1f) : 0; /* EDX[4:0] */

    if (c->version >= 5)
        fixed |= a_cd & 0xffffffff; /* ECX */
    /* CPUID.(07H,1):EAX[8]: leaf 23H; its sub-leaf 0, EAX[1]: sub-leaf 1 has the bitmaps. */
    if (cpu_bit(a, 7, 1, CPUID_EAX, 8) && cpu_bit(a, 0x23, 0, CPUID_EAX, 1)) {
        const uint32_t general_23 = cpu_leaf(a, 0x23, 1, CPUID_EAX);

        if (general_23 != 0) {
            general = general_23;
            fixed = cpu_leaf(a, 0x23, 1, CPUID_EBX);
        }
    }
    return (general & ONES(GENERAL)) | (fixed & ONES(FIXED)) << COUNTER_FIXED;
}

/*
 * A performance core of Alder and Raptor Lake has eight general and four fixed counters, but on a processor with
 * efficiency cores it announces what both kinds have, six and three (Linux, events/intel/core.c, INTEL_ALDERLAKE).
 * Whether the others exist is found by reading them: they fault where they do not.
 */
static uint64_t unannounced_slots(const struct access *a, uint64_t announced)
{
    enum { PERFORMANCE_CORE = 0x40 }; /* CPUID.1AH:EAX[31:24] */
    const uint64_t six_and_three = ONES(6) | ONES(3) << COUNTER_FIXED;

    if (announced != six_and_three || cpu_leaf(a, 0x1a, 0, CPUID_EAX) >> 24 != PERFORMANCE_CORE)
        return 0;
    for (uint32_t n = 6; n < 8; n++)
        if (!readable(a, IA32_PERFEVTSEL0 + n) || !readable(a, IA32_PMC0 + n))
            return 0;
    return BIT(6) | BIT(7) | (readable(a, IA32_FIXED_CTR0 + 3) ? BIT(COUNTER_FIXED + 3) : 0);
}

/* Reads every register that counting needs; notes the counters that are enabled. */
static bool read_registers(const struct access *a, struct counters *c)
{
    uint64_t value;

    if (c->version >= 2 && !readable(a, IA32_PERF_GLOBAL_CTRL))
        return counters_refuse(c, "IA32_PERF_GLOBAL_CTRL is announced (CPUID.0AH) and cannot be read");
    if (c->version >= 2 && !readable(a, IA32_PERF_GLOBAL_STATUS))
        return counters_refuse(c, "IA32_PERF_GLOBAL_STATUS is announced (CPUID.0AH) and cannot be read");
    for (unsigned n = 0; n < GENERAL; n++) {
        if (!(c->slots & BIT(n)))
            continue;
        if (!a->read(a->context, IA32_PERFEVTSEL0 + n, &value))
            return counters_refuse(c, "IA32_PERFEVTSELn is announced (CPUID.0AH) and cannot be read");
        if (value & SELECT_ENABLE)
            c->taken |= BIT(n);
        if (!readable(a, count_register(c, n)))
            return counters_refuse(c, "IA32_PMCn is announced (CPUID.0AH) and cannot be read");
    }
    if (c->slots >> COUNTER_FIXED == 0)
        return true;
    if (!a->read(a->context, IA32_FIXED_CTR_CTRL, &value))
        return counters_refuse(c, "IA32_FIXED_CTR_CTRL is announced (CPUID.0AH) and cannot be read");
    for (unsigned n = 0; n < FIXED; n++) {
        if (!(c->slots & BIT(COUNTER_FIXED + n)))
            continue;
        if (value >> 4 * n & 3) /* counts at ring 0, or above */
            c->taken |= BIT(COUNTER_FIXED + n);
        if (!readable(a, IA32_FIXED_CTR0 + n))
            return counters_refuse(c, "IA32_FIXED_CTRn is announced (CPUID.0AH) and cannot be read");
    }
    return true;
}

bool intel_find(const struct access *a, struct counters *out)
{
    const uint32_t eax = cpu_leaf(a, 0xa, 0, CPUID_EAX);
    const uint32_t edx = cpu_leaf(a, 0xa, 0, CPUID_EDX);
    const uint32_t leaf_23 = cpu_bit(a, 7, 1, CPUID_EAX, 8) ? cpu_leaf(a, 0x23, 0, CPUID_EBX) : 0;
    struct cpu cpu;

    out->version = eax & 0xff;
    if (out->version == 0)
        return counters_refuse(out, "CPUID.0AH announces no performance counters");
    out->kind = COUNTERS_INTEL;
    snprintf(out->name, sizeof out->name, "Intel architectural PMU, version %u", out->version);
    out->bits = eax >> 16 & 0xff;
    out->fixed_bits = edx >> 5 & 0xff;
    out->detail[LEAF_A_AB] = (uint64_t)cpu_leaf(a, 0xa, 0, CPUID_EBX) << 32 | eax;
    out->detail[LEAF_A_CD] = (uint64_t)edx << 32 | cpu_leaf(a, 0xa, 0, CPUID_ECX);
    /* CPUID.01H:ECX[15], PDCM. Counting works without these capabilities too. */
    if (!cpu_bit(a, 1, 0, CPUID_ECX, 15) || !a->read(a->context, IA32_PERF_CAPABILITIES, &out->detail[CAPABILITIES]))
        out->detail[CAPABILITIES] = 0;
    /* CPUID.(23H,0):EBX[0] and [1]. */
    out->detail[SELECTABLE] = SELECT_EVENT | (leaf_23 & 1 ? UNIT_MASK_2 : 0) | (leaf_23 & 2 ? EQUAL : 0);
    if (out->version >= 3 && !(edx & BIT(15)))
        out->detail[SELECTABLE] |= ANY_THREAD;
    cpu_find(a, &cpu);
    out->detail[WARM_UP] = cpu_warms_up_counters(&cpu);

    out->slots = announced_slots(a, out);
    out->slots |= unannounced_slots(a, out->slots);
    if (out->slots == 0)
        return counters_refuse(out, "CPUID.0AH announces performance monitoring without a counter");
    return read_registers(a, out);
}

/* Registers that some events need besides their selectors; no other may be written for an event. */
static const struct {
    uint32_t first, last;
    const char *name;
} extras[] = {
    {MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, "MSR_OFFCORE_RSP_n"},
    {MSR_OFFMODULE_RSP_0, MSR_OFFMODULE_RSP_0 + 3, "MSR_OFFMODULE_RSP_n"},
    {MSR_PEBS_LD_LAT, MSR_PEBS_LD_LAT, "MSR_PEBS_LD_LAT"},
    {MSR_PEBS_FRONTEND, MSR_PEBS_FRONTEND, "MSR_PEBS_FRONTEND"},
};

static const char *set_extra(const struct counter_setting *list, size_t i, struct counters_state *state)
{
    const char *name = NULL;

    if (list[i].extra == 0)
        return NULL;
    for (size_t j = 0; j < i; j++)
        if (list[j].extra == list[i].extra && list[j].extra_value != list[i].extra_value)
            return "two events need different values of a register that they share";
    for (size_t j = 0; j < sizeof extras / sizeof extras[0]; j++)
        if (list[i].extra >= extras[j].first && list[i].extra <= extras[j].last)
            name = extras[j].name;
    if (name == NULL)
        return "an event needs a register that is not on the list of those that may be written";
    return changes_set(&state->changes, name, list[i].extra, UINT64_MAX, list[i].extra_value);
}

/*
 * A write takes 32 bits of a count and extends their sign, where there are no full-width writes (SDM vol. 3B,
 * "Full-Width Writes to Performance Counter Registers"): whether the count that this counter has now could be put back.
 */
static bool can_be_put_back(const struct access *a, const struct counters *have, unsigned slot)
{
    uint64_t count;

    if (!a->read(a->context, count_register(have, slot), &count))
        return false;
    return count >> 31 == 0 || count >> 31 == ONES(have->bits - 31);
}

/*
 * Errata AAK100 (Nehalem), AAP53 (Lynnfield) and BD53 (Westmere): counters may count wrongly unless the events B5H, D2H
 * and B1H have run on them since they were last set up. The steps are those of Linux, intel_pmu_nhm_workaround, and of
 * sv6, enable_nehalem_workaround: one event on each of the four counters, B1H twice, started and stopped. Everything is
 * put back at once. Where one of the four is not ours to change this is left out, and the counters' proof decides.
 * NULL, or why a register could not be written.
 */
static const char *warm_up(const struct access *a, const struct counters *have, struct counters_state *state)
{
    enum { COUNTERS = 4 };
    static const uint64_t events[COUNTERS] = {0xb5, 0xd2, 0xb1, 0xb1};
    struct changes *c = &state->changes;
    const size_t mark = c->count;
    const char *why_not;

    if (!have->detail[WARM_UP] || (have->slots & ~have->taken & ONES(COUNTERS)) != ONES(COUNTERS))
        return NULL;
    for (unsigned n = 0; n < COUNTERS; n++)
        if (!can_be_put_back(a, have, n))
            return NULL;
    why_not = changes_set(c, global.control_name, global.control, ONES(COUNTERS), 0);
    for (unsigned n = 0; n < COUNTERS && why_not == NULL; n++) {
        why_not = changes_set(c, "IA32_PERFEVTSELn", IA32_PERFEVTSEL0 + n, UINT64_MAX,
                              events[n] | SELECT_USER | SELECT_SYSTEM | SELECT_ENABLE);
        if (why_not == NULL)
            why_not = changes_set(c, "IA32_PMCn", count_register(have, n), UINT64_MAX, 0);
    }
    if (why_not == NULL)
        why_not = changes_set(c, global.control_name, global.control, ONES(COUNTERS), ONES(COUNTERS));
    if (!changes_restore(c, mark) && why_not == NULL)
        why_not = "a counter does not go back to what it was after its warm-up";
    return why_not;
}

/*
 * In the manual's order (SDM vol. 3B, 20.2.2): our counters disabled, counts, additional registers, selectors. Overflow
 * interrupts stay off.
 */
static const char *program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state)
{
    struct changes *c = &state->changes;
    uint64_t fixed_mask = 0, fixed_value = 0;
    const char *why_not = NULL;

    if (have->version >= 2)
        why_not = global_prepare(a, &global, state->slots, state);
    if (why_not == NULL)
        why_not = warm_up(a, have, state);
    /* If this fails, instructions of system management mode are counted too, which is no reason to give up. */
    if (have->detail[CAPABILITIES] & CAN_FREEZE)
        changes_set(c, "IA32_DEBUGCTL", IA32_DEBUGCTL, FREEZE_IN_SMM, FREEZE_IN_SMM);
    /* CPUID.(07H,0):EDX[13]: transactions borrow counter 3 unless they are made to abort. */
    if (why_not == NULL && (state->slots & BIT(3)) && cpu_bit(a, 7, 0, CPUID_EDX, 13))
        why_not = changes_set(c, "MSR_TSX_FORCE_ABORT", MSR_TSX_FORCE_ABORT, RTM_FORCE_ABORT, RTM_FORCE_ABORT);
    for (size_t i = 0; i < count && why_not == NULL; i++)
        why_not = changes_set(c, counters_is_fixed(&list[i]) ? "IA32_FIXED_CTRn" : "IA32_PMCn",
                              count_register(have, list[i].slot), UINT64_MAX, 0);
    for (size_t i = 0; i < count && why_not == NULL; i++)
        why_not = set_extra(list, i, state);
    for (size_t i = 0; i < count && why_not == NULL; i++) {
        /* Version 1 has no other switch: its counters run as soon as they are enabled. */
        const uint64_t enable = have->version >= 2 ? SELECT_ENABLE : 0;

        if (counters_is_fixed(&list[i])) {
            const unsigned shift = 4 * (list[i].slot - COUNTER_FIXED);

            fixed_mask |= UINT64_C(0xf) << shift;
            fixed_value |= UINT64_C(3) << shift; /* at ring 0 and above, no interrupt */
        } else if (list[i].code & ~have->detail[SELECTABLE]) {
            why_not = "an event has bits that IA32_PERFEVTSELn of this core does not have";
        } else {
            why_not = changes_set(c, "IA32_PERFEVTSELn", IA32_PERFEVTSEL0 + list[i].slot, UINT64_MAX,
                                  list[i].code | SELECT_USER | SELECT_SYSTEM | enable);
        }
    }
    if (why_not == NULL && fixed_mask != 0)
        why_not = changes_set(c, "IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL, fixed_mask, fixed_value);
    return why_not;
}

static bool run(const struct access *a, const struct counters *have, const struct counters_state *state, bool go)
{
    if (have->version >= 2)
        return global_run(a, &global, state->slots, go);
    return selectors_run(a, state->slots, IA32_PERFEVTSEL0, 1, go);
}

static bool read_count(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value)
{
    return a->read(a->context, count_register(have, slot), value);
}

static bool restore(const struct access *a, const struct counters *have, struct counters_state *state)
{
    const bool status = have->version < 2 || global_restore(a, &global, state->slots, state);

    return changes_restore(&state->changes, 0) && status;
}

/* Architectural events (SDM vol. 3B, table 20-1); CPUID.0AH:EBX[1] says that instructions are missing. */
static void proof(const struct access *a, const struct counters *have, struct counter_proof *p)
{
    enum { CYCLES = 0x3c, INSTRUCTIONS = 0xc0, FIXED_INSTRUCTIONS = COUNTER_FIXED };
    const bool instructions = !(have->detail[LEAF_A_AB] >> 32 & BIT(1));

    (void)a;
    p->counts = COUNTS_SOMETHING;
    if (p->setting.slot == FIXED_INSTRUCTIONS) {
        p->counts = COUNTS_INSTRUCTIONS;
    } else if (!counters_is_fixed(&p->setting)) {
        p->setting.code = instructions ? INSTRUCTIONS : CYCLES;
        p->counts = instructions ? COUNTS_INSTRUCTIONS : COUNTS_SOMETHING;
    }
}

const struct counter_driver intel_counters = {
    .program = program,
    .run = run,
    .read = read_count,
    .restore = restore,
    .proof = proof,
};
