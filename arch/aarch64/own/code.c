/*
 * Code just written becomes code that runs (Arm ARM DDI 0487, B2.4.4, "Implementation of caches by
 * address", and K13.5 for the sequence): the data lines are cleaned to the point of unification, then
 * the instruction caches are emptied. The instruction cache may be indexed by virtual address, and the
 * code runs at another one than it was written at, so all of it is invalidated, not the lines written.
 * Invalidating by "inner shareable" reaches the core wherever it is; the window's own ISB drops what
 * was fetched before.
 */
#include "arch/aarch64/registers.h"
#include "arch/own.h"

void own_code_written(const void *base, size_t bytes)
{
    uint64_t line = UINT64_C(4) << field(READ(CTR_EL0), 16, 4); /* DminLine: log2 of words */
    uint64_t end = (uintptr_t)base + bytes;

    for (uint64_t at = (uintptr_t)base & ~(line - 1); at < end; at += line)
        __asm__ volatile("dc cvau, %0" ::"r"(at) : "memory");
    __asm__ volatile("dsb ish\n\tic ialluis\n\tdsb ish" ::: "memory");
    isb();
}
