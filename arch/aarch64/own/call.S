/*
 * Calls a function that may run into an exception, at the exception level of the firmware
 * (arch/aarch64/own/call.h). It runs on a stack of its own with SP_EL0 in use: an exception arrives on
 * SP_ELx, at the frame, and the way back is that of guard.S.
 */
#include "arch/aarch64/own/frame.inc"

    .text

.macro vector number, leave
    .balign 0x80
    mov     x0, #\number
    b       \leave
.endm

/* Two copies, since each level has registers of its own; `mode` is SPSR_ELx.M for that level on SP_ELx. */
.macro guarded_call_at el, mode
    .balign 64
    .globl  guarded_call_\el
    .hidden guarded_call_\el
    .type   guarded_call_\el, %function
guarded_call_\el:
    save_frame vbar_\el
    adrp    x9, call_vectors_\el
    add     x9, x9, :lo12:call_vectors_\el
    msr     vbar_\el, x9
    isb
    mov     x9, #VECTOR_NONE
    str     x9, [x0, #CALL_EXCEPTION + EXCEPTION_VECTOR]
    ldr     x10, [x0, #CALL_STACK]
    ldr     x1, [x0, #CALL_FUNCTION]
    ldr     x0, [x0, #CALL_ARGUMENT]
    msr     spsel, #0
    mov     sp, x10
    blr     x1
    msr     spsel, #1
back_\el:
    restore_frame vbar_\el
    ret

leave_\el:
    ldr     x1, [sp, #FRAME_CALL]
    add     x1, x1, #CALL_EXCEPTION
    mrs     x2, esr_\el
    mrs     x3, far_\el
    mrs     x4, elr_\el
    stp     x0, x2, [x1, #EXCEPTION_VECTOR]
    stp     x3, x4, [x1, #EXCEPTION_ADDRESS]
    mrs     x5, spsr_\el
    /* Without IL (20), SS (21), BTYPE (11, 10) and the mode (4 to 0), as in guard.S. */
    ldr     x6, =~(1 << 20 | 1 << 21 | 3 << 10 | 0x1f)
    and     x5, x5, x6
    mov     x6, #0x3c0 + \mode
    orr     x5, x5, x6
    msr     spsr_\el, x5
    adr     x6, back_\el
    msr     elr_\el, x6
    eret
    .size   guarded_call_\el, . - guarded_call_\el
    .ltorg

    .balign 0x800
call_vectors_\el:
    vector  VECTOR_SYNCHRONOUS, leave_\el
    vector  VECTOR_IRQ, leave_\el
    vector  VECTOR_FIQ, leave_\el
    vector  VECTOR_SERROR, leave_\el
    .rept   12                      /* exceptions that cannot occur here */
    .balign 0x80
    b       .
    .endr
    .balign 0x80
.endm

    guarded_call_at el1, 0x5
    guarded_call_at el2, 0x9

    .section .note.GNU-stack, "", %progbits
