/*
 * Vector state: floating point and vectors on, as the core has them, and back as they were found.
 *
 * UEFI promises that SSE is ready (UEFI 2.10, 2.3.4), yet U-Boot on x86-64 starts applications with
 * CR4.OSFXSR clear, and most firmware leaves AVX off. Nothing here may use a vector register.
 */
#include "arch/own.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/vector_state.h"

/*
 * What was found on the core that booted, and on the one that runs our code now: of several that do so at the same time
 * it is the first one's.
 */
static struct vector_state booted;
static const struct vector_state *current = &booted;

GENERAL_REGISTERS static void turn_on(struct vector_state *found)
{
    /* The state that UEFI requires: all floating-point exceptions masked, double extended precision. */
    static const uint32_t mxcsr = 0x1f80;
    /* CPUID.01H:ECX[26]: XSAVE, and with it XCR0 (Intel SDM vol. 1, 13.2). */
    const bool xsave = cpuid(1, 0).ecx >> 26 & 1;
    const uint64_t offered = xsave ? cpuid_known(0xd, 0).eax : 0;

    *found = (struct vector_state){.cr0 = read_cr0(), .cr4 = read_cr4()};
    write_cr0((found->cr0 | CR0_MP) & ~(uint64_t)(CR0_EM | CR0_TS));
    write_cr4(found->cr4 | CR4_OSFXSR | CR4_OSXMMEXCPT | (xsave ? CR4_OSXSAVE : 0));
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));

    if (xsave) {
        uint64_t wanted;

        found->xcr0 = read_xcr0();
        wanted = found->xcr0 | XCR0_X87 | (offered & (XCR0_SSE | XCR0_AVX));
        if ((offered & XCR0_AVX) && (offered & XCR0_AVX512) == XCR0_AVX512)
            wanted |= XCR0_AVX512;
        write_xcr0(wanted);
    }
}

GENERAL_REGISTERS static void restore(const struct vector_state *found)
{
    if (read_cr4() & CR4_OSXSAVE)
        write_xcr0(found->xcr0);
    write_cr4(found->cr4);
    write_cr0(found->cr0);
}

GENERAL_REGISTERS void own_vector_state_on(void)
{
    turn_on(&booted);
}

GENERAL_REGISTERS void own_vector_state_restore(void)
{
    restore(&booted);
}

GENERAL_REGISTERS void own_with_vector_state(void (*function)(void *), void *argument)
{
    struct vector_state found;

    turn_on(&found);
    if (current == &booted)
        current = &found;
    function(argument);
    if (current == &found)
        current = &booted;
    restore(&found);
}

const struct vector_state *vector_state_found(void)
{
    return current;
}
