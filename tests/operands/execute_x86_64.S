/* struct state of execute.h: flags 256, code 264, mmx 272, x87 336, uses_x87 444, mask 512, vector 1024. RDI and RSP are of no form. */
    .section .note.GNU-stack, "", @progbits
    .text
    .globl execute
execute:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovups 1024+\n*64(%rdi), %zmm\n
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq 512+\n*8(%rdi), %k\n
    movq 272+\n*8(%rdi), %mm\n
    .endr
    cmpl $0, 444(%rdi)
    je 1f
    frstor 336(%rdi)
1:  push 256(%rdi)
    popfq
    mov 0(%rdi), %rax
    mov 8(%rdi), %rcx
    mov 16(%rdi), %rdx
    mov 24(%rdi), %rbx
    mov 40(%rdi), %rbp
    mov 48(%rdi), %rsi
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov \n*8(%rdi), %r\n
    .endr
    call *264(%rdi)
    mov %rax, 0(%rdi)
    mov %rcx, 8(%rdi)
    mov %rdx, 16(%rdi)
    mov %rbx, 24(%rdi)
    mov %rbp, 40(%rdi)
    mov %rsi, 48(%rdi)
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov %r\n, \n*8(%rdi)
    .endr
    pushfq
    pop 256(%rdi)
    cld
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq %k\n, 512+\n*8(%rdi)
    .endr
    cmpl $0, 444(%rdi)
    je 2f
    fnsave 336(%rdi)
    jmp 3f
2:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movq %mm\n, 272+\n*8(%rdi)
    .endr
3:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vmovups %zmm\n, 1024+\n*64(%rdi)
    .endr
    emms
    vzeroupper
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

/* AVX512BW with its states enabled: CPUID leaf 7, EBX bit 30; XCR0 bits 1, 2, 5 to 7 (SDM vol. 1, 15.2). */
    .globl execute_vector_bytes
execute_vector_bytes:
    push %rbx
    mov $7, %eax
    xor %ecx, %ecx
    cpuid
    bt $30, %ebx
    jnc 1f
    xor %ecx, %ecx
    xgetbv
    and $0xe6, %eax
    cmp $0xe6, %eax
    jne 1f
    mov $64, %eax
    pop %rbx
    ret
1:  xor %eax, %eax
    pop %rbx
    ret

/* CF, PF, AF, ZF, SF, OF: SDM vol. 1, 3.4.3.1. */
    .section .rodata
    .balign 8
    .globl execute_flags
execute_flags:
    .quad 0x8d5
