/*
 * From EL2 to EL1 and back (arch/aarch64/own/worker.h).
 *
 *     worker_enter   frame on SP_EL2, our own vectors, ERET ->  at EL1: function(argument)
 *                    exception return to worker_left        <-  HVC, or any other exception to EL2
 */
#include "arch/aarch64/own/frame.inc"

    .text

/* void worker_enter(struct worker_call *c): at EL2, interrupts masked, EL1's registers prepared */
    .balign 64
    .globl  worker_enter
    .hidden worker_enter
    .type   worker_enter, %function
worker_enter:
    save_frame vbar_el2
    adrp    x9, worker_vectors
    add     x9, x9, :lo12:worker_vectors
    msr     vbar_el2, x9
    isb
    /*
     * PSTATE as a whole can only be had from an exception: one to ourselves leaves it in SPSR_EL2. Where
     * EL3 forbids HVC, this one is UNDEFINED, and from_el2 ends the call with VECTOR_OWN_SYNCHRONOUS.
     */
    hvc     #0
after_own_call:
    str     x16, [sp, #FRAME_PSTATE]
    /* EL1 on SP_EL1, everything masked; SSBS (12) and DIT (24) as we have them (D19.2, SPSR_EL2). */
    mov     x10, #(1 << 12)
    orr     x10, x10, #(1 << 24)
    and     x10, x16, x10
    mov     x11, #0x3c5
    orr     x10, x10, x11
    msr     spsr_el2, x10
    adr     x11, at_el1
    msr     elr_el2, x11
    ldr     x12, [x0, #WORKER_STACK]
    msr     sp_el1, x12
    eret

at_el1:
    ldr     x1, [x0, #WORKER_FUNCTION]
    ldr     x0, [x0, #WORKER_ARGUMENT]
    blr     x1
    hvc     #0
after_return:
    b       .

worker_left:
    restore_frame vbar_el2
    ret
    .size   worker_enter, . - worker_enter

/* SP_EL2 is at the frame, x0 holds the vector's number; the other registers are not needed any more. */
    .balign 16
    .type   leave, %function
leave:
    ldr     x1, [sp, #FRAME_CALL]
    add     x1, x1, #WORKER_EXCEPTION
    mrs     x2, esr_el2
    mrs     x3, far_el2
    mrs     x4, elr_el2
    stp     x0, x2, [x1, #EXCEPTION_VECTOR]
    stp     x3, x4, [x1, #EXCEPTION_ADDRESS]
    ldr     x5, [sp, #FRAME_PSTATE]
    msr     spsr_el2, x5
    adr     x6, worker_left
    msr     elr_el2, x6
    eret

/* From EL2 itself, synchronous: the call for PSTATE above, or an error of our own, which ends the call. */
from_el2:
    mrs     x16, spsr_el2
    mrs     x17, elr_el2
    adr     x9, after_own_call
    cmp     x17, x9
    b.ne    1f
    eret
1:  str     x16, [sp, #FRAME_PSTATE]
    mov     x0, #VECTOR_OWN_SYNCHRONOUS
    b       leave

/* From EL1, synchronous: the worker's return, or an exception that EL2 gets instead of EL1. */
from_el1:
    mrs     x1, elr_el2
    adr     x2, after_return
    cmp     x1, x2
    mov     x3, #VECTOR_NONE
    csel    x0, x3, x0, eq
    b       leave

/*
 * From EL1, an interrupt that HCR_EL2 routes here: the firmware's. It is taken again from EL2, where
 * the firmware expects its interrupts; then the worker goes on. Registers a C function preserves need
 * not be saved, nor do vectors: worker_let_firmware_handle uses none (it is compiled so).
 */
interrupted:
    stp     x0, x1, [sp, #-192]!
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    mrs     x1, elr_el2
    mrs     x2, spsr_el2
    stp     x1, x2, [sp, #160]
    bl      worker_let_firmware_handle
    ldp     x1, x2, [sp, #160]
    msr     elr_el2, x1
    msr     spsr_el2, x2
    ldp     x18, x30, [sp, #144]
    ldp     x16, x17, [sp, #128]
    ldp     x14, x15, [sp, #112]
    ldp     x12, x13, [sp, #96]
    ldp     x10, x11, [sp, #80]
    ldp     x8, x9, [sp, #64]
    ldp     x6, x7, [sp, #48]
    ldp     x4, x5, [sp, #32]
    ldp     x2, x3, [sp, #16]
    ldp     x0, x1, [sp], #192
    eret
    .size   leave, . - leave

.macro vector number, handler
    .balign 0x80
    mov     x0, #\number
    b       \handler
.endm

    .balign 0x800
    .globl  worker_vectors
    .hidden worker_vectors
worker_vectors:
    .rept   4                       /* EL2 never runs on SP_EL0 here */
    .balign 0x80
    b       .
    .endr
    .balign 0x80
    b       from_el2
    .rept   3                       /* masked */
    .balign 0x80
    b       .
    .endr
    vector  VECTOR_LOWER_SYNCHRONOUS, from_el1
    .balign 0x80
    b       interrupted
    .balign 0x80
    b       interrupted
    vector  VECTOR_LOWER_SERROR, leave
    .rept   4                       /* from a lower level in AArch32: there is none */
    .balign 0x80
    b       .
    .endr
    .balign 0x80

    .section .note.GNU-stack, "", %progbits
