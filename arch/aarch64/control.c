/* Clock, speculation as found, and what disturbs without an interrupt (arch/control.h). */
#include "arch/aarch64/system_registers.h"
#include "arch/control_private.h"

/* ---- The clock --------------------------------------------------------------------------------------------- */

/*
 * The clock belongs to the platform's power management: ACPI's _CPC through mailboxes, SCMI, or a vendor's registers in
 * memory (Linux, drivers/cpufreq). So it is measured and never set.
 */
void control_find_clock(struct control *c)
{
    c->clock.why_not = "AArch64 has no register that sets the clock: it is only measured";
}

const char *control_set_clock(struct control *c, enum clock_aim aim, unsigned ratio)
{
    (void)aim, (void)ratio;
    return c->clock.why_not;
}

/* ---- Speculation ------------------------------------------------------------------------------------------- */

/*
 *   SSBS  1 lets loads pass older stores: ID_AA64PFR1_EL1.SSBS [7:4] from 2 on, when it can be read (C5.2)
 *   DIT   1 makes timing independent of data, and on Apple's M3 and later switches the data-dependent prefetcher
 *         off: ID_AA64PFR0_EL1.DIT [51:48] (C5.2)
 *
 * Whether predictors may be trained across contexts (CSV2 [59:56], CSV3 [63:60]) and whether there are instructions
 * that restrict predictions (ID_AA64ISAR1_EL1.SPECRES [43:40]) is in the identification registers. SCXTNUM_EL1
 * is not read: SCR_EL3.EnSCXT may trap it to EL3.
 */
static const struct {
    const char *name;
    uint32_t id, announced;
    unsigned low, least;
} speculation[] = {
    {"SSBS", ID_SSBS, ID_ID_AA64PFR1_EL1, 4, 2},
    {"DIT", ID_DIT, ID_ID_AA64PFR0_EL1, 48, 1},
    {"ID_AA64PFR0_EL1", ID_ID_AA64PFR0_EL1, ID_MIDR_EL1, 0, 0},
    {"ID_AA64PFR1_EL1", ID_ID_AA64PFR1_EL1, ID_MIDR_EL1, 0, 0},
    {"ID_AA64ISAR1_EL1", ID_ID_AA64ISAR1_EL1, ID_MIDR_EL1, 0, 0},
};

bool control_microcode(const struct access *a, uint32_t *revision)
{
    (void)a, (void)revision;
    return false;
}

size_t control_speculation(const struct access *a, struct control_value *out, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof speculation / sizeof speculation[0] && count < room; i++) {
        uint64_t announced = 0;

        if (!a->read(a->context, speculation[i].announced, &announced) ||
            (announced >> speculation[i].low & 0xf) < speculation[i].least)
            continue;
        struct control_value *v = &out[count++];
        *v = (struct control_value){.name = speculation[i].name};
        v->readable = a->read(a->context, speculation[i].id, &v->value);
    }
    return count;
}

/* ---- The operation cache ---------------------------------------------------------------------------------------- */

/* Arm documents no switch for the cores that have one. */
const struct control_switch *control_op_cache(const struct access *a)
{
    (void)a;
    return NULL;
}

/* ---- Disturbances ------------------------------------------------------------------------------------------- */

/*
 * No register counts entries into EL3, and none shows throttling, which is the platform's; both make readings longer.
 * Error records of the RAS extension are not read, since that may trap to EL3 (SCR_EL3.TERR), from which older
 * firmware does not return; an error that was not corrected ends the window as a fault.
 */
void control_disturbance(const struct access *a, struct disturbance *out)
{
    (void)a;
    *out = (struct disturbance){0};
}

bool control_machine_checks(const struct access *a, uint64_t *count)
{
    (void)a;
    *count = 0;
    return false;
}
