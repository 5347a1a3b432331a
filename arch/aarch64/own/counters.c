/*
 * PMUv3 (Arm ARM DDI 0487, D13, and D19.5 for the registers). Event counter 0 counts instructions, the cycle counter
 * cycles; all other counters are stopped meanwhile, and everything is restored.
 */
#include "arch/aarch64/own/counters.h"

#include "arch/aarch64/registers.h"

/* PMCR_EL0 */
enum {
    PMCR_ENABLE = 1 << 0,
    PMCR_LONG_CYCLES = 1 << 6, /* LC: the cycle counter overflows at 64 bits */
    PMCR_LONG_EVENTS = 1 << 7, /* LP: so do event counters, from PMUv3p5 on */
};
enum { PMUV3P5 = 6 }; /* ID_AA64DFR0_EL1.PMUVer */

enum { EVENT_INSTRUCTIONS_RETIRED = 0x08 };

#define COUNTER_CYCLES (UINT64_C(1) << 31)
#define COUNTER_EVENTS (UINT64_C(1) << 0)
#define ALL_COUNTERS UINT64_C(0xffffffff)
/*
 * PMCCFILTR_EL0, PMEVTYPER<n>_EL0: NSH counts at EL2 too. Windows never run there; with interrupts let in, a firmware
 * at EL2 handles them, and the counts should show it.
 */
#define COUNT_EL2 (UINT64_C(1) << 27)

static unsigned version(void)
{
    return field(READ(ID_AA64DFR0_EL1), 8, 4);
}

const char *window_counters_missing(void)
{
    if (version() == 0)
        return "no performance monitors (ID_AA64DFR0_EL1.PMUVer is 0)";
    if (version() == 0xf)
        return "performance monitors are the implementer's own, not PMUv3 (ID_AA64DFR0_EL1.PMUVer is 15)";
    if (field(READ(PMCR_EL0), 11, 5) == 0) /* N: event counters that EL1 may use */
        return "no event counter for EL1 (PMCR_EL0.N is 0)";
    return NULL;
}

const char *window_counters_no_instructions(void)
{
    if (!(READ(PMCEID0_EL0) & UINT64_C(1) << EVENT_INSTRUCTIONS_RETIRED))
        return "the core does not have the event INST_RETIRED (PMCEID0_EL0)";
    return NULL;
}

void window_counters_start(struct window_counters *found, bool instructions)
{
    uint64_t control = PMCR_ENABLE | PMCR_LONG_CYCLES | (version() >= PMUV3P5 ? PMCR_LONG_EVENTS : 0);

    *found = (struct window_counters){
        .control = READ(PMCR_EL0),
        .enabled = READ(PMCNTENSET_EL0),
        .interrupts = READ(PMINTENSET_EL1),
        .overflowed = READ(PMOVSSET_EL0),
        .cycle_filter = READ(PMCCFILTR_EL0),
        .event_type = READ(PMEVTYPER0_EL0),
    };
    WRITE(PMCR_EL0, found->control & ~(uint64_t)PMCR_ENABLE);
    isb();
    found->cycles = READ(PMCCNTR_EL0);
    found->events = READ(PMEVCNTR0_EL0);

    WRITE(PMCNTENCLR_EL0, ALL_COUNTERS);
    WRITE(PMINTENCLR_EL1, ALL_COUNTERS);
    WRITE(PMCCFILTR_EL0, COUNT_EL2);
    WRITE(PMEVTYPER0_EL0, COUNT_EL2 | EVENT_INSTRUCTIONS_RETIRED);
    WRITE(PMCCNTR_EL0, 0);
    WRITE(PMEVCNTR0_EL0, 0);
    WRITE(PMCNTENSET_EL0, COUNTER_CYCLES | (instructions ? COUNTER_EVENTS : 0));
    isb();
    WRITE(PMCR_EL0, control);
    isb();
}

void window_counters_stop(const struct window_counters *found)
{
    WRITE(PMCR_EL0, 0);
    isb();
    WRITE(PMCNTENCLR_EL0, ALL_COUNTERS);
    WRITE(PMCCFILTR_EL0, found->cycle_filter);
    WRITE(PMEVTYPER0_EL0, found->event_type);
    WRITE(PMCCNTR_EL0, found->cycles);
    WRITE(PMEVCNTR0_EL0, found->events);
    WRITE(PMOVSCLR_EL0, ALL_COUNTERS);
    WRITE(PMOVSSET_EL0, found->overflowed);
    WRITE(PMINTENSET_EL1, found->interrupts);
    WRITE(PMCNTENSET_EL0, found->enabled);
    isb();
    WRITE(PMCR_EL0, found->control);
    isb();
}

void window_counters_unwrap(struct reading *list, size_t count)
{
    if (version() >= PMUV3P5)
        return;
    for (size_t i = 0; i < count; i++)
        if (list[i].end_count[1] < list[i].begin_count[1])
            list[i].end_count[1] += UINT64_C(1) << 32;
}
