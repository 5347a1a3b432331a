/*
 * Where PSCI starts another core (secondary.h): translation and caches off, every exception masked, X0 the
 * context, a struct secondary (Arm DEN0022, 6.4.3, "initial core configuration"). The translation registers get the
 * values of the core that booted, and from then on both cores see the same memory.
 */
#include "arch/aarch64/own/secondary_layout.h"

    .text

/* Entries that the TLB and the instruction cache held before are invalidated. */
.macro translation_on el, tlb
    ldp     x1, x2, [x0, #SECONDARY_TCR]        /* and MAIR */
    ldp     x3, x4, [x0, #SECONDARY_TTBR0]      /* and SCTLR */
    msr     tcr_\el, x1
    msr     mair_\el, x2
    msr     ttbr0_\el, x3
    isb
    tlbi    \tlb
    ic      iallu
    dsb     nsh
    isb
    msr     sctlr_\el, x4
    isb
.endm

/* Where a spin table starts it, with X0 undefined (Linux, Documentation/arch/arm64/booting.rst). */
    .balign 64
    .globl  secondary_enter_spinning
    .hidden secondary_enter_spinning
    .type   secondary_enter_spinning, %function
secondary_enter_spinning:
    msr     daifset, #0xf
    adrp    x0, secondary_context
    ldr     x0, [x0, #:lo12:secondary_context]
    .size   secondary_enter_spinning, . - secondary_enter_spinning
    /* and on */

    .globl  secondary_enter
    .hidden secondary_enter
    .type   secondary_enter, %function
secondary_enter:
    mrs     x5, CurrentEL
    cmp     x5, #(2 << 2)
    b.eq    1f
    ldr     x1, [x0, #SECONDARY_TTBR1]
    msr     ttbr1_el1, x1
    translation_on el1, vmalle1
    b       2f
1:  ldr     x1, [x0, #SECONDARY_HCR]            /* with E2H it says what the others mean */
    msr     hcr_el2, x1
    isb
    tbz     x1, #34, 3f
    ldr     x1, [x0, #SECONDARY_TTBR1]
    msr     s3_4_c2_c0_1, x1                    /* TTBR1_EL2 */
3:  translation_on el2, alle2
2:  msr     spsel, #1
    ldr     x1, [x0, #SECONDARY_STACK]
    mov     sp, x1
    mov     x29, xzr
    mov     x30, xzr
    b       secondary_main                      /* does not return */
    .globl  secondary_enter_end
    .hidden secondary_enter_end
secondary_enter_end:
    .size   secondary_enter, . - secondary_enter

    .section .note.GNU-stack, "", %progbits
