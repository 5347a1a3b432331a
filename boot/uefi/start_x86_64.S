/*
 * Where firmware enters the image on x86-64, from Microsoft's calling convention to System V's, which is
 * that of our C: on the core that booted, where the image relocates itself first, and on other cores.
 *
 * By the one (UEFI 2.10, 2.3.4.2) RCX and RDX hold the arguments, and RDI, RSI and XMM6 to XMM15, which
 * the other lets a callee destroy, must be returned as they were. U-Boot enters with SSE off. Then there is
 * nothing to save, and saving would fault: FXSAVE64 runs only where the caller can use SSE, CR0.EM and
 * CR0.TS clear and CR4.OSFXSR set (Intel SDM vol. 3A, 2.5). What is called here returns with the control
 * registers as it found them.
 */
    .text

/* Arguments to RDI and RSI; RBX and R12 are kept by what is called. Destroys RAX. */
.macro enter
    pushq %rbp
    movq %rsp, %rbp
    pushq %rdi
    pushq %rsi
    pushq %rbx
    pushq %r12
    subq $512, %rsp         /* the FXSAVE area, 16-byte aligned: as is the stack here */
    andq $-16, %rsp
    movq %rcx, %rdi
    movq %rdx, %rsi

    xorl %ebx, %ebx         /* EBX: SSE state was saved */
    movq %cr0, %rax
    testb $0x0c, %al        /* EM, TS */
    jnz 1f
    movq %cr4, %rax
    testl $0x200, %eax      /* OSFXSR */
    jz 1f
    fxsave64 (%rsp)
    incl %ebx
1:
.endm

.macro leave_to_firmware
    testl %ebx, %ebx
    jz 3f
    fxrstor64 (%rsp)
3:
    leaq -32(%rbp), %rsp
    popq %r12
    popq %rbx
    popq %rsi
    popq %rdi
    popq %rbp
    ret
.endm

    .globl _start
    .type _start, @function
_start:
    enter                   /* image handle, system table */
    movq %rsi, %r12
    pushq %rdi
    pushq %rdi              /* twice: the stack stays aligned */
    movq %rdi, %rdx
    movq %rsi, %rcx
    leaq ImageBase(%rip), %rdi
    leaq _DYNAMIC(%rip), %rsi
    call _relocate          /* gnu-efi: EFI_STATUS (image base, dynamic section, handle, table) */
    popq %rdi
    popq %rdi
    movq %r12, %rsi
    testq %rax, %rax
    jnz 2f
    call efi_main
2:
    leave_to_firmware
    .size _start, . - _start

/* Where firmware enters on another core. The argument is a struct work (processors.c): function and argument. */
    .globl processor_enter
    .hidden processor_enter
    .type processor_enter, @function
processor_enter:
    enter
    movq 8(%rdi), %rsi
    movq (%rdi), %rdi
    call own_with_vector_state
    leave_to_firmware
    .size processor_enter, . - processor_enter

/*
 * One block of base relocations with nothing in it (PE/COFF 6.6): the image relocates itself, but
 * firmware refuses to move an image that has no such table. The page is the header's.
 */
    .section .reloc, "a", @progbits
    .long 0                 /* page */
    .long 12                /* bytes in this block */
    .short 0, 0             /* two entries of kind ABSOLUTE: do nothing */

    .section .note.GNU-stack, "", @progbits
