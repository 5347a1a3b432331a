/* struct state of execute.h: flags 256, code 264, mask 512, vector 1024. X19 and X20 are of no form. */
    .section .note.GNU-stack, "", @progbits
    .text
    .arch armv8.2-a+sve
    .macro every instruction
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \instruction p\n, [x3, #\n, mul vl]
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction z\n, [x4, #\n, mul vl]
    .endr
    .endm
    .globl execute
execute:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp d8, d9, [sp, #32]
    stp d10, d11, [sp, #48]
    stp d12, d13, [sp, #64]
    stp d14, d15, [sp, #80]
    mov x19, x0
    add x3, x19, #512
    add x4, x19, #1024
    every ldr
    ldr x20, [x19, #264]
    ldr x2, [x19, #256]
    msr nzcv, x2
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    ldr x\n, [x19, #8*\n]
    .endr
    blr x20
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    str x\n, [x19, #8*\n]
    .endr
    mrs x2, nzcv
    str x2, [x19, #256]
    add x3, x19, #512
    add x4, x19, #1024
    every str
    ldp d14, d15, [sp, #80]
    ldp d12, d13, [sp, #64]
    ldp d10, d11, [sp, #48]
    ldp d8, d9, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #96
    ret

/* Every core that qemu-aarch64 -cpu max is has SVE. */
    .globl execute_vector_bytes
execute_vector_bytes:
    rdvl x0, #1
    ret

    .section .rodata
    .balign 8
    .globl execute_flags
execute_flags:
    .quad 0xf0000000
