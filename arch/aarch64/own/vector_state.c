/*
 * Floating point and vectors on, whatever the firmware left.
 *
 * EL1: CPACR_EL1. EL2: CPTR_EL2, which has the layout of CPACR_EL1 when HCR_EL2.E2H is set, and bits
 * that trap, the other way round, when it is not (Arm ARM DDI 0487, D19.2). Where there
 * is SVE, ZCR_ELx.LEN is set to the longest vectors the core has.
 */
#include "arch/aarch64/own/el2_controls.h"
#include "arch/aarch64/registers.h"
#include "arch/own.h"

/* These functions turn vector instructions on, so they must not contain any. */
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only")))

#define FPEN (UINT64_C(3) << 20) /* CPACR_EL1, CPTR_EL2 with E2H: no trap at any level */
#define ZEN (UINT64_C(3) << 16)  /* the same for SVE */
#define TFP (UINT64_C(1) << 10)  /* CPTR_EL2 without E2H: floating point traps */
#define TZ (UINT64_C(1) << 8)    /* the same for SVE; RES1 where there is none */
#define ZCR_LEN UINT64_C(0xf)    /* more than the core has gives what it has */

struct vector_state {
    uint64_t control; /* CPACR_EL1 or CPTR_EL2 */
    uint64_t vector_length;
};

/* What was found on the core that booted. */
static struct vector_state booted;

GENERAL_REGISTERS_ONLY static bool at_el2(void)
{
    return READ(CurrentEL) == 2 << 2;
}

GENERAL_REGISTERS_ONLY static bool has_sve(void)
{
    return field(READ(ID_AA64PFR0_EL1), 32, 4) != 0;
}

GENERAL_REGISTERS_ONLY static void turn_on(struct vector_state *found)
{
    bool sve = has_sve();

    if (!at_el2()) {
        found->control = READ(CPACR_EL1);
        WRITE(CPACR_EL1, found->control | FPEN | (sve ? ZEN : 0));
    } else {
        found->control = READ(CPTR_EL2);
        if (READ(HCR_EL2) & HCR_E2H)
            WRITE(CPTR_EL2, found->control | FPEN | (sve ? ZEN : 0));
        else
            WRITE(CPTR_EL2, found->control & ~(TFP | (sve ? TZ : 0)));
    }
    isb();
    if (!sve)
        return;
    if (at_el2()) {
        found->vector_length = READ(ZCR_EL2);
        WRITE(ZCR_EL2, found->vector_length | ZCR_LEN);
    } else {
        found->vector_length = READ(ZCR_EL1);
        WRITE(ZCR_EL1, found->vector_length | ZCR_LEN);
    }
    isb();
}

GENERAL_REGISTERS_ONLY static void restore(const struct vector_state *found)
{
    if (has_sve() && at_el2())
        WRITE(ZCR_EL2, found->vector_length);
    else if (has_sve())
        WRITE(ZCR_EL1, found->vector_length);
    if (at_el2())
        WRITE(CPTR_EL2, found->control);
    else
        WRITE(CPACR_EL1, found->control);
    isb();
}

GENERAL_REGISTERS_ONLY void own_vector_state_on(void)
{
    turn_on(&booted);
}

GENERAL_REGISTERS_ONLY void own_vector_state_restore(void)
{
    restore(&booted);
}

GENERAL_REGISTERS_ONLY void own_with_vector_state(void (*function)(void *), void *argument)
{
    struct vector_state found = {0};

    turn_on(&found);
    function(argument);
    restore(&found);
}
