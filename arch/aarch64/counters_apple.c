/*
 * Apple's performance counters, M1 to M4: two fixed ones, cycles and instructions, and eight with selectors.
 *
 * Nothing of this is documented by the maker. Registers and layouts: Linux, arch/arm64/include/asm/apple_m1_pmu.h and
 * drivers/perf/apple_m1_cpu_pmu.c; XNU, osfmk/arm64/monotonic_arm64.c; D. Johnson's applecpu for the sequence. From
 * M3 on a selector is 16 bits wide, which only one of these sources says. A register that a core lacks faults, and then
 * counters_find reports it.
 */
#include "arch/aarch64/counters_apple.h"

#include <stdio.h>

#include "arch/aarch64/counter_registers.h"
#include "arch/aarch64/system_registers.h"
#include "arch/access.h"

enum { COUNTERS = 10, FIRST_SELECTED = 2, SELECTORS_A_REGISTER = 4 };

/* MIDR_EL1.PartNum, bits [15:4], of the first core of a generation (Linux, arch/arm64/include/asm/cputype.h). */
enum { PART_M1 = 0x022, PART_M2 = 0x032, PART_M3 = 0x042 };

/* What counters.detail holds. */
enum { SELECTOR_BITS, AT_EL2 };

/*
 * PMCR0: interrupt mode. It is set to FIQ with no counter's interrupt on, since counters may not count while it is
 * off.
 */
#define MODE (BIT(8) | BIT(9) | BIT(10))
#define MODE_FIQ BIT(10)

/* In every field of the registers, the bits of counters 8 and 9 are separate from those of counters 0 to 7. */
static uint64_t bits_at(uint64_t slots, unsigned low, unsigned high)
{
    return (slots & ONES(8)) << low | (slots >> 8 & ONES(2)) << high;
}

static uint64_t enables(uint64_t slots)
{
    return bits_at(slots, 0, 32); /* PMCR0 */
}

static uint64_t interrupts(uint64_t slots)
{
    return bits_at(slots, 12, 44); /* PMCR0 */
}

/* PMCR1: count at EL0 and at EL1, which with E2H is the host at EL2. */
static uint64_t levels(uint64_t slots)
{
    return bits_at(slots, 8, 40) | bits_at(slots, 16, 48);
}

/* CRm 8 is not a counter. */
static uint32_t count_register(unsigned slot)
{
    return SYSTEM_REGISTER(3, 2, 15, slot < 8 ? slot : slot + 1, 0);
}

static const struct {
    uint32_t id;
    const char *why_not;
} needed[] = {
    {ID_APPLE_PMCR0, "PMCR0_EL1 (S3_1_C15_C0_0) of this Apple core cannot be read"},
    {ID_APPLE_PMCR1, "PMCR1_EL1 (S3_1_C15_C1_0) of this Apple core cannot be read"},
    {ID_APPLE_PMESR0, "PMESR0_EL1 (S3_1_C15_C5_0) of this Apple core cannot be read"},
    {ID_APPLE_PMESR1, "PMESR1_EL1 (S3_1_C15_C6_0) of this Apple core cannot be read"},
};

bool apple_find(const struct access *a, struct counters *out)
{
    uint64_t midr, control, value;
    unsigned part;

    if (!a->read(a->context, ID_MIDR_EL1, &midr))
        return counters_refuse(out, "MIDR_EL1 cannot be read");
    part = register_field(midr, 4, 12);
    if (part < PART_M1)
        return counters_refuse(out, "the counters of Apple's cores before M1 are not known");
    out->kind = COUNTERS_APPLE;
    out->version = part < PART_M2 ? 1 : part < PART_M3 ? 2 : part < 0x052 ? 3 : 4;
    snprintf(out->name, sizeof out->name, "Apple performance counters, M%u%s", out->version,
             out->version == 4 ? " or later" : "");
    out->bits = out->fixed_bits = out->version == 1 ? 48 : 64;
    out->slots = ONES(COUNTERS);
    out->detail[SELECTOR_BITS] = out->version <= 2 ? 8 : 16;
    out->detail[AT_EL2] = is_el2(a);

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!a->read(a->context, needed[i].id, &value))
            return counters_refuse(out, needed[i].why_not);
    /* The register that lets code at EL1 be counted while a host runs at EL2. */
    if (out->detail[AT_EL2] && !a->read(a->context, ID_APPLE_PMCR1_EL12, &value))
        return counters_refuse(out, "PMCR1_EL12 (S3_1_C15_C7_2) of this Apple core cannot be read");
    for (unsigned slot = 0; slot < COUNTERS; slot++)
        if (!a->read(a->context, count_register(slot), &value))
            return counters_refuse(out, "a counter (S3_2_C15_Cn_0) of this Apple core cannot be read");
    if (!a->read(a->context, ID_APPLE_PMCR0, &control))
        return counters_refuse(out, needed[0].why_not);
    for (unsigned slot = 0; slot < COUNTERS; slot++)
        if (control & enables(BIT(slot)))
            out->taken |= BIT(slot);
    return true;
}

/* Linux's order: interrupts of counters off, counts, selectors, levels, and the enables in counters_go. */
static const char *program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                           size_t count, struct counters_state *state)
{
    struct changes *c = &state->changes;
    const unsigned bits = (unsigned)have->detail[SELECTOR_BITS];
    uint64_t mask[2] = {0}, value[2] = {0};
    const char *why_not;

    (void)a;
    for (size_t i = 0; i < count; i++) {
        const unsigned field = list[i].slot - FIRST_SELECTED;
        const unsigned which = field / SELECTORS_A_REGISTER, shift = bits * (field % SELECTORS_A_REGISTER);

        if (list[i].extra != 0)
            return "events of this core need no further registers";
        if (list[i].slot < FIRST_SELECTED)
            continue;
        if (list[i].code & ~ONES(bits))
            return "an event number is wider than the selectors of this core";
        mask[which] |= ONES(bits) << shift;
        value[which] |= list[i].code << shift;
    }
    /* All counters share the interrupt mode: where some are in use already, their mode stays. */
    why_not = changes_set(c, "PMCR0_EL1", ID_APPLE_PMCR0,
                          enables(state->slots) | interrupts(state->slots) | (have->taken ? 0 : MODE), MODE_FIQ);
    for (size_t i = 0; i < count && why_not == NULL; i++)
        why_not = changes_set(c, "PMCn_EL1", count_register(list[i].slot), ONES(have->bits), 0);
    if (why_not == NULL && mask[0] != 0)
        why_not = changes_set(c, "PMESR0_EL1", ID_APPLE_PMESR0, mask[0], value[0]);
    if (why_not == NULL && mask[1] != 0)
        why_not = changes_set(c, "PMESR1_EL1", ID_APPLE_PMESR1, mask[1], value[1]);
    if (why_not == NULL)
        why_not = changes_set(c, "PMCR1_EL1", ID_APPLE_PMCR1, levels(state->slots), UINT64_MAX);
    if (why_not == NULL && have->detail[AT_EL2])
        why_not = changes_set(c, "PMCR1_EL12", ID_APPLE_PMCR1_EL12, levels(state->slots), UINT64_MAX);
    return why_not;
}

static bool run(const struct access *a, const struct counters *have, const struct counters_state *state, bool go)
{
    uint64_t control;

    (void)have;
    if (!a->read(a->context, ID_APPLE_PMCR0, &control))
        return false;
    return a->write(a->context, ID_APPLE_PMCR0,
                    go ? control | enables(state->slots) : control & ~enables(state->slots));
}

static bool read_count(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value)
{
    if (!a->read(a->context, count_register(slot), value))
        return false;
    *value &= ONES(have->bits);
    return true;
}

static bool restore(const struct access *a, const struct counters *have, struct counters_state *state)
{
    (void)a, (void)have;
    return changes_restore(&state->changes, 0);
}

/* Instructions on the fixed counter 1; CORE_ACTIVE_CYCLE, 02H or from M4 on 11H, on every one with a selector. */
static void proof(const struct access *a, const struct counters *have, struct counter_proof *p)
{
    enum { FIXED_INSTRUCTIONS = 1 };

    (void)a;
    p->counts = p->setting.slot == FIXED_INSTRUCTIONS ? COUNTS_INSTRUCTIONS : COUNTS_SOMETHING;
    if (p->setting.slot >= FIRST_SELECTED)
        p->setting.code = have->version <= 3 ? 0x02 : 0x11;
}

const struct counter_driver apple_counters = {
    .program = program,
    .run = run,
    .read = read_count,
    .restore = restore,
    .proof = proof,
};
