/* One atomic instruction on a word, the same as in form_atomics (arch/catalogue.h), on whatever core executes it. */
#ifndef FATHOM_ARCH_ATOMIC_H
#define FATHOM_ARCH_ATOMIC_H

#include <stdint.h>

/*
 * Adds 0: LOCK XADD (Intel SDM, volume 2), LDADDAL (Arm ARM DDI 0487, C6.2), which is only for cores that have
 * FEAT_LSE. A compiler might replace an addition of 0 by something else.
 */
static inline void atomic_add_nothing(volatile uint64_t *word)
{
    uint64_t value = 0;

#ifdef __x86_64__
    __asm__ volatile("lock xaddq %0, %1" : "+r"(value), "+m"(*word) : : "cc", "memory");
#else
    __asm__ volatile(".arch_extension lse\n\tldaddal %0, %0, %1" : "+r"(value), "+Q"(*word) : : "memory");
#endif
}

/* Compares with 0, and stores 0 where the word is 0: LOCK CMPXCHG, CASAL. */
static inline void atomic_compare_with_nothing(volatile uint64_t *word)
{
    uint64_t expected = 0;

#ifdef __x86_64__
    __asm__ volatile("lock cmpxchgq %2, %1" : "+a"(expected), "+m"(*word) : "r"(UINT64_C(0)) : "cc", "memory");
#else
    __asm__ volatile(".arch_extension lse\n\tcasal %0, xzr, %1" : "+r"(expected), "+Q"(*word) : : "memory");
#endif
}

#endif
