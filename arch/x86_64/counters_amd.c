/*
 * AMD's core performance counters (APM vol. 2, 13.2.1).
 *
 *     legacy     four, the selectors alone start them
 *     extended   six, at other numbers; CPUID.80000001H:ECX[23], PerfCtrExtCore
 *     version 2  the number in CPUID.80000022H:EBX[3:0], and a register that starts all at once
 */
#include "arch/x86_64/counters_amd.h"

#include <stdio.h>

#include "arch/access.h"
#include "arch/x86_64/counter_registers.h"
#include "arch/x86_64/cpu.h"

/* APM vol. 2, appendix A; version 2: AMD document 56795, "Performance Monitoring, version 2". */
enum {
    PERF_LEGACY_CTL0 = 0xc0010000u,
    PERF_LEGACY_CTR0 = 0xc0010004u,
    PERF_CTL0 = 0xc0010200u, /* and the counter behind each */
    PERF_GLOBAL_STATUS = 0xc0000300u,
    PERF_GLOBAL_CTL = 0xc0000301u,
    PERF_GLOBAL_STATUS_CLR = 0xc0000302u,
    PERF_GLOBAL_STATUS_SET = 0xc0000303u,
};

enum { VERSION_LEGACY, VERSION_EXTENDED, VERSION_2 };
enum { LEGACY_COUNTERS = 4, EXTENDED_COUNTERS = 6 };
enum { FAMILY_ZEN = 0x17 };

/* Bits [11:8] of an event are bits [35:32] of its selector. */
#define SELECT_EVENT_HIGH (BIT(36) - BIT(32))
#define SELECT_EVENT_ALL (SELECT_EVENT_HIGH | 0xff)
/*
 * Floating-point operations can be more in a cycle than one counter takes: event 003H needs an even counter, and the
 * odd one behind it the event "merge", FFFH, and nothing else (PPR for family 17h, 2.1.15.3, "large increment per
 * cycle events"; Linux, events/amd/core.c, AMD_MERGE_EVENT). It is the even one that is read.
 */
enum { EVENT_LARGE = 0x003 };
#define EVENT_MERGE SELECT_EVENT_ALL

static const struct global_registers global = {
    .control = PERF_GLOBAL_CTL,
    .status = PERF_GLOBAL_STATUS,
    .clear = PERF_GLOBAL_STATUS_CLR,
    .set = PERF_GLOBAL_STATUS_SET,
    .control_name = "PerfCntrGlobalCtl",
    .no_status = "PerfCntrGlobalStatus cannot be read",
    .stays_frozen = "the counters are frozen, and PerfCntrGlobalStatusClr cannot be written",
};

static uint32_t selector(const struct counters *have, unsigned slot)
{
    return have->version == VERSION_LEGACY ? PERF_LEGACY_CTL0 + slot : PERF_CTL0 + 2 * slot;
}

static uint32_t count_register(const struct counters *have, unsigned slot)
{
    return have->version == VERSION_LEGACY ? PERF_LEGACY_CTR0 + slot : PERF_CTL0 + 2 * slot + 1;
}

bool amd_find(const struct access *a, struct counters *out)
{
    static const char *const names[] = {
        [VERSION_LEGACY] = "AMD legacy performance counters",
        [VERSION_EXTENDED] = "AMD extended performance counters",
        [VERSION_2] = "AMD performance counters, version 2",
    };
    unsigned count = LEGACY_COUNTERS;
    uint64_t value;

    out->kind = COUNTERS_AMD;
    out->bits = 48; /* APM vol. 2, 13.2.1 */
    out->version = VERSION_LEGACY;
    out->detail[0] = cpu_leaf(a, 0x80000001, 0, CPUID_ECX);
    out->detail[1] = (uint64_t)cpu_leaf(a, 0x80000022, 0, CPUID_EBX) << 32 | cpu_leaf(a, 0x80000022, 0, CPUID_EAX);
    if (out->detail[0] & BIT(23)) {
        out->version = out->detail[1] & 1 ? VERSION_2 : VERSION_EXTENDED;
        count = out->version == VERSION_2 ? (unsigned)(out->detail[1] >> 32 & 0xf) : 0;
        if (count == 0)
            count = EXTENDED_COUNTERS;
    }
    snprintf(out->name, sizeof out->name, "%s", names[out->version]);
    out->slots = ONES(count);
    if (out->version == VERSION_2 && !a->read(a->context, PERF_GLOBAL_CTL, &value))
        return counters_refuse(out, "PerfCntrGlobalCtl is announced (CPUID.80000022H) and cannot be read");
    if (out->version == VERSION_2 && !a->read(a->context, PERF_GLOBAL_STATUS, &value))
        return counters_refuse(out, "PerfCntrGlobalStatus is announced (CPUID.80000022H) and cannot be read");
    for (unsigned n = 0; n < count; n++) {
        if (!a->read(a->context, selector(out, n), &value))
            return counters_refuse(out, "PERF_CTLn cannot be read");
        if (value & SELECT_ENABLE)
            out->taken |= BIT(n);
        if (!a->read(a->context, count_register(out, n), &value))
            return counters_refuse(out, "PERF_CTRn cannot be read");
    }
    return true;
}

static bool is_large(const struct access *a, const struct counter_setting *s)
{
    struct cpu cpu;

    cpu_find(a, &cpu);
    return (s->code & SELECT_EVENT_ALL) == EVENT_LARGE && cpu.family >= FAMILY_ZEN;
}

static const char *set_counter(const struct counters *have, unsigned slot, uint64_t select,
                               struct counters_state *state)
{
    /* Without the global control, counters run as soon as they are enabled. */
    const uint64_t enable = have->version == VERSION_2 ? SELECT_ENABLE : 0;
    const char *why_not = changes_set(&state->changes, "PERF_CTRn", count_register(have, slot), UINT64_MAX, 0);

    if (why_not == NULL)
        why_not = changes_set(&state->changes, "PERF_CTLn", selector(have, slot), UINT64_MAX, select | enable);
    return why_not;
}

static const char *program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state)
{
    const char *why_not = NULL;

    for (size_t i = 0; i < count; i++) {
        const uint64_t partner = BIT(list[i].slot + 1);

        if (list[i].code & ~(SELECT_EVENT | SELECT_EVENT_HIGH))
            return "an event has bits that PERF_CTLn does not have";
        if (list[i].extra != 0)
            return "events of this core need no further registers";
        if (!is_large(a, &list[i]))
            continue;
        if ((list[i].slot & 1) || !(partner & have->slots & ~have->taken & ~state->slots))
            return "event 003H needs an even counter, and the odd one behind it";
        state->slots |= partner;
    }
    if (have->version == VERSION_2)
        why_not = global_prepare(a, &global, state->slots, state);
    for (size_t i = 0; i < count && why_not == NULL; i++) {
        if (is_large(a, &list[i]))
            why_not = set_counter(have, list[i].slot + 1, EVENT_MERGE, state);
        if (why_not == NULL)
            why_not = set_counter(have, list[i].slot, list[i].code | SELECT_USER | SELECT_SYSTEM, state);
    }
    return why_not;
}

static bool run(const struct access *a, const struct counters *have, const struct counters_state *state, bool go)
{
    if (have->version == VERSION_2)
        return global_run(a, &global, state->slots, go);
    return selectors_run(a, state->slots, selector(have, 0), selector(have, 1) - selector(have, 0), go);
}

static bool read_count(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value)
{
    return a->read(a->context, count_register(have, slot), value);
}

static bool restore(const struct access *a, const struct counters *have, struct counters_state *state)
{
    const bool status = have->version != VERSION_2 || global_restore(a, &global, state->slots, state);

    return changes_restore(&state->changes, 0) && status;
}

/* Event C0H, retired instructions, on every counter of every family from 0Fh on (their BKDGs and PPRs). */
static void proof(const struct access *a, const struct counters *have, struct counter_proof *p)
{
    (void)a, (void)have;
    p->setting.code = 0xc0;
    p->counts = COUNTS_INSTRUCTIONS;
}

const struct counter_driver amd_counters = {
    .program = program,
    .run = run,
    .read = read_count,
    .restore = restore,
    .proof = proof,
};
