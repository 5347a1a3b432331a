#include "arch/aarch64/own/environment.h"

#include <string.h>

#include "arch/aarch64/own/delivery.h"
#include "arch/aarch64/own/el1_registers.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/registers.h"
#include "arch/own.h"

static struct own_value values[48];
static size_t count;

static void note(const char *name, uint64_t value)
{
    if (count < sizeof values / sizeof values[0])
        values[count++] = (struct own_value){name, value};
}

#define NOTE(name) note(#name, READ(name))

/*
 * Caches: CLIDR_EL1 says what each level is (Ctype, three bits a level: 1 instruction, 2 data, 3 both
 * apart, 4 unified), CCSIDR_EL1 describes the one chosen by CSSELR_EL1 (Arm ARM DDI 0487, D19.2).
 */
static void note_caches(void)
{
    static const char *const names[][2] = {{"CCSIDR_EL1.L1D", "CCSIDR_EL1.L1I"},
                                           {"CCSIDR_EL1.L2D", "CCSIDR_EL1.L2I"},
                                           {"CCSIDR_EL1.L3D", "CCSIDR_EL1.L3I"},
                                           {"CCSIDR_EL1.L4D", "CCSIDR_EL1.L4I"}};
    uint64_t levels = READ(CLIDR_EL1), chosen = READ(CSSELR_EL1);

    NOTE(CLIDR_EL1);
    for (unsigned level = 0; level < sizeof names / sizeof names[0]; level++) {
        unsigned type = field(levels, 3 * level, 3);

        for (unsigned instruction = 0; instruction < 2; instruction++) {
            if (!(instruction ? type & 1 : type & 6))
                continue;
            WRITE(CSSELR_EL1, level << 1 | instruction);
            isb();
            note(names[level][instruction], READ(CCSIDR_EL1));
        }
    }
    WRITE(CSSELR_EL1, chosen);
    isb();
}

void environment_note(void *unused)
{
    (void)unused;
    count = 0;
    NOTE(CurrentEL);
    NOTE(MPIDR_EL1);
    note_caches();
    /* PSTATE bits that slow speculation or fix timing, where the core has them (Arm ARM C5.2). */
    if (field(READ(ID_AA64PFR1_EL1), 4, 4) >= 2)
        note("SSBS", READ(S3_3_C4_C2_6));
    if (field(READ(ID_AA64PFR0_EL1), 48, 4) >= 1)
        note("DIT", READ(S3_3_C4_C2_5));
    if (own.level == 2) {
        NOTE(HCR_EL2);
        NOTE(SCTLR_EL2);
        NOTE(TCR_EL2);
        NOTE(MAIR_EL2);
        NOTE(CPTR_EL2);
        NOTE(MDCR_EL2);
        NOTE(CNTHCTL_EL2);
        NOTE(CNTVOFF_EL2);
        if (own.extensions.hcrx)
            note("HCRX_EL2", READ(S3_4_C1_C2_2));
        if (own.extensions.instruction_traps)
            note("HDFGRTR2_EL2", READ(S3_4_C3_C1_0));
    } else {
        NOTE(SCTLR_EL1);
        NOTE(TCR_EL1);
        NOTE(MAIR_EL1);
        NOTE(CPACR_EL1);
        NOTE(CNTKCTL_EL1);
    }
}

size_t own_values(struct own_value *out, size_t room)
{
    size_t n = count < room ? count : room;

    memcpy(out, values, n * sizeof values[0]);
    return n + delivery_values(out + n, room - n);
}
