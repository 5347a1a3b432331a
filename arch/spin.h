/* Waiting in a loop, on whatever core executes it. */
#ifndef FATHOM_ARCH_SPIN_H
#define FATHOM_ARCH_SPIN_H

/*
 * Tells the core that this thread waits in a loop, so that it may leave to a sibling thread what it does not need: PAUSE
 * (Intel SDM, volume 2B), YIELD (Arm ARM DDI 0487, C6.2).
 */
static inline void spin_pause(void)
{
#ifdef __x86_64__
    __asm__ volatile("pause");
#else
    __asm__ volatile("yield");
#endif
}

#endif
