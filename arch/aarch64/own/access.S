/*
 * An access to a system register behind vectors that skip it when it faults (arch/aarch64/own/access.c).
 *
 * Interrupts are masked meanwhile, so that a synchronous exception is all that can arrive, and the only instruction
 * that can raise one is the MRS or MSR. Neither stack nor memory is needed to recover from it.
 */
    .text

/* uint64_t guarded_access_elN(uintptr_t code, uint64_t value, uint64_t *faulted): at that level */
.macro guarded_access el
    .balign 64
    .globl  guarded_access_\el
    .hidden guarded_access_\el
    .type   guarded_access_\el, %function
guarded_access_\el:
    stp     x29, x30, [sp, #-32]!
    str     x2, [sp, #16]
    mrs     x9, daif
    msr     daifset, #0xf
    mrs     x10, vbar_\el
    mrs     x11, elr_\el
    mrs     x12, spsr_\el
    adrp    x13, access_vectors_\el
    add     x13, x13, :lo12:access_vectors_\el
    msr     vbar_\el, x13
    isb
    mov     x14, x0
    mov     x0, x1
    mov     x16, #0
    blr     x14                     /* access.S of the folder above: uses x0 alone */
    msr     vbar_\el, x10
    msr     elr_\el, x11
    msr     spsr_\el, x12
    isb
    msr     daif, x9
    ldr     x2, [sp, #16]
    str     x16, [x2]
    ldp     x29, x30, [sp], #32
    ret
    .size   guarded_access_\el, . - guarded_access_\el

skip_\el:
    mrs     x17, elr_\el
    add     x17, x17, #4
    msr     elr_\el, x17
    mov     x16, #1
    eret

    /* Synchronous from this level, on SP_EL0 and on SP_ELx (Arm ARM DDI 0487, D1.3.2); the rest is masked. */
    .balign 0x800
access_vectors_\el:
    b       skip_\el
    .balign 0x80
    .rept   3
    b       .
    .balign 0x80
    .endr
    b       skip_\el
    .balign 0x80
    .rept   11
    b       .
    .balign 0x80
    .endr
.endm

    guarded_access el1
    guarded_access el2

    .section .note.GNU-stack, "", %progbits
