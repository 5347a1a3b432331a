/*
 * LFENCE always orders the reader's time stamps on Intel. On AMD it does so only where it is "dispatch serialising",
 * which most families switch with DE_CFG[1] (AMD, Software Techniques for Managing Speculation, "LFENCE"; the PPR of
 * each family, MSRC001_1029).
 */
#ifndef FATHOM_ARCH_X86_64_OWN_LFENCE_H
#define FATHOM_ARCH_X86_64_OWN_LFENCE_H

#include <stdbool.h>
#include <stdint.h>

struct lfence {
    bool switchable; /* this core has the switch, and reading it worked */
    bool changed;
    uint64_t found; /* DE_CFG */
    uint64_t set;   /* DE_CFG after it, read back: a hypervisor may ignore the write */
};

/* Makes LFENCE serialising. To be called in a guarded call: a hypervisor may make the access fault. */
void lfence_serialise(struct lfence *l);
/* Writes DE_CFG as it was found, if it was changed. */
void lfence_restore(const struct lfence *l);

#endif
