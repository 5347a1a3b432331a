/* arch/aarch64/own/guard.h */
#include "arch/aarch64/own/frame.inc"
#include "arch/returns.h"

    .text

/* void guard_run(struct guarded *g) */
    .balign 64
    .globl  guard_run
    .hidden guard_run
    .type   guard_run, %function
guard_run:
    save_frame vbar_el1
    adrp    x9, guard_vectors
    add     x9, x9, :lo12:guard_vectors
    msr     vbar_el1, x9
    isb
    mov     x9, #VECTOR_NONE
    str     x9, [x0, #GUARDED_EXCEPTION + EXCEPTION_VECTOR]
    ldr     x10, [x0, #GUARDED_STACK]
    ldr     x11, [x0, #GUARDED_DAIF]
    ldr     x2, [x0, #GUARDED_COUNTERS]
    ldr     x1, [x0, #GUARDED_COUNT]
    ldr     x0, [x0, #GUARDED_LIST]
    msr     spsel, #0
    mov     sp, x10
    msr     daif, x11
    bl      reader_run
    /* Errors of memory accesses that are not complete yet belong to the list: they are taken before the mask. */
    dsb     sy
    hint    #16                     /* ESB (Arm ARM C6.2, with FEAT_RAS; else a NOP) */
    isb
    msr     daifset, #0xf
    msr     spsel, #1
way_back:
    restore_frame vbar_el1
    ret
    .size   guard_run, . - guard_run

/*
 * An exception: SP_EL1 is at the frame, x0 holds the vector's number, and the other registers are not needed any
 * more. The exception return restores bits of PSTATE such as SSBS and DIT, which taking the exception may have changed.
 */
    .balign 16
    .type   leave, %function
leave:
    ldr     x1, [sp, #FRAME_CALL]
    add     x1, x1, #GUARDED_EXCEPTION
    mrs     x2, esr_el1
    mrs     x3, far_el1
    mrs     x4, elr_el1
    stp     x0, x2, [x1, #EXCEPTION_VECTOR]
    stp     x3, x4, [x1, #EXCEPTION_ADDRESS]
    mrs     x5, spsr_el1
    /* Without IL (20), SS (21), BTYPE (11, 10) and the mode (4 to 0); masked; EL1 on SP_EL1 (D19.2, SPSR_EL1). */
    ldr     x6, =~(1 << 20 | 1 << 21 | 3 << 10 | 0x1f)
    and     x5, x5, x6
    mov     x6, #0x3c5
    orr     x5, x5, x6
    msr     spsr_el1, x5
    adr     x6, way_back
    msr     elr_el1, x6
    eret
    .size   leave, . - leave
    .ltorg

.macro vector number
    .balign 0x80
    mov     x0, #\number
    b       leave
.endm

/*
 * A synchronous exception: SVC RETURNING_CALL returns with all registers as they were, the flags included, which the
 * exception return restores. ESR_EL1 of SVC in AArch64: class 0x15, IL, and the operand (Arm ARM DDI 0487, D19.2).
 */
#define SYNDROME_RETURNS (0x15 << 26 | 1 << 25 | RETURNING_CALL)
.macro synchronous
    .balign 0x80
    stp     x0, x1, [sp, #-16]!
    mrs     x0, esr_el1
    ldr     x1, =SYNDROME_RETURNS
    sub     x0, x0, x1
    cbnz    x0, 1f
    ldp     x0, x1, [sp], #16
    eret
1:  add     sp, sp, #16
    mov     x0, #VECTOR_SYNCHRONOUS
    b       leave
.endm

/*
 * An exception of code that runs on SP_EL1, which is our own: at EL1 within guard_run before and after the reader, in
 * the EL1 worker anywhere. There is no frame then; in the worker, a call to EL2 ends it.
 */
.macro stray
    .balign 0x80
    hvc     #1
    b       .
.endm

    .balign 0x800
    .globl  guard_vectors
    .hidden guard_vectors
guard_vectors:
    synchronous
    vector  VECTOR_IRQ
    vector  VECTOR_FIQ
    vector  VECTOR_SERROR
    .rept   4
    stray
    .endr
    .rept   8                       /* from EL0, where nothing runs */
    stray
    .endr
    .balign 0x80

    .balign 64
    .globl  guard_loop_kernel
    .hidden guard_loop_kernel
    .type   guard_loop_kernel, %function
guard_loop_kernel:
    subs    x0, x0, #1
    b.ne    guard_loop_kernel
    ret
    .size   guard_loop_kernel, . - guard_loop_kernel

    .balign 64
    .globl  guard_wait_kernel
    .hidden guard_wait_kernel
    .type   guard_wait_kernel, %function
guard_wait_kernel:
    mrs     x2, cntvct_el0
    add     x2, x2, x0
1:  isb
    mrs     x3, cntvct_el0
    cmp     x3, x2
    b.lo    1b
    ret
    .globl  guard_wait_kernel_end
    .hidden guard_wait_kernel_end
guard_wait_kernel_end:
    .size   guard_wait_kernel, . - guard_wait_kernel

    .globl  guard_read_word_kernel
    .hidden guard_read_word_kernel
    .type   guard_read_word_kernel, %function
guard_read_word_kernel:
    ldr     w2, [x0]
    str     w2, [x1]
    ret
    .size   guard_read_word_kernel, . - guard_read_word_kernel

    .globl  guard_write_word_kernel
    .hidden guard_write_word_kernel
    .type   guard_write_word_kernel, %function
guard_write_word_kernel:
    str     w1, [x0]
    ret
    .size   guard_write_word_kernel, . - guard_write_word_kernel

    .section .note.GNU-stack, "", %progbits
