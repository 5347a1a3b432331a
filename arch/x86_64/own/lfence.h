/*
 * LFENCE always orders the reader's time stamps on Intel. On AMD it does so only where it is "dispatch serialising",
 * which most families switch with DE_CFG[1] (AMD, Software Techniques for Managing Speculation, "LFENCE"; the PPR of
 * each family, MSRC001_1029).
 */
#ifndef FATHOM_ARCH_X86_64_OWN_LFENCE_H
#define FATHOM_ARCH_X86_64_OWN_LFENCE_H

#include <stdbool.h>
#include <stdint.h>

/* What lfence_serialise found and set. */
struct lfence {
    bool switchable; /* this core has the switch, and reading it worked */
    bool changed;
    uint64_t found; /* DE_CFG */
    uint64_t set;   /* DE_CFG after it, read back: a hypervisor may ignore the write */
};

/*
 * Makes LFENCE dispatch serialising on the core that runs this, where the core has the switch. To be called by
 * own_call: a hypervisor may make the access fault.
 */
void lfence_serialise(struct lfence *l);
/* Writes DE_CFG as lfence_serialise found it, if that changed it; on the same core. */
void lfence_restore(const struct lfence *l);

#endif
