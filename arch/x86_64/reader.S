/*
 * The reader (arch/reader.h), for the System V calling convention of both platforms.
 *
 * A kernel may use every register but the stack pointer, so what the reader has to remember lies on
 * the stack. The reading's address, arguments and line are fetched before the first time stamp, so
 * that no miss on the list is timed.
 */
#include "arch/x86_64/reader_layout.h"

#define STACK_READING 0 /* the current reading */
#define STACK_LEFT    8 /* readings left, this one included */

    .text

/*
 * The time stamp into rax, ordered on both sides: LFENCE waits for all earlier instructions, RDTSC
 * then reads, and nothing later starts before the second LFENCE has completed (Intel SDM vol. 2B,
 * RDTSC; on AMD where LFENCE is dispatch serialising: APM vol. 2, 3.2.6, and arch/x86_64/own/lfence.c).
 */
.macro ordered_ticks
    lfence
    rdtsc
    lfence
    shl     $32, %rdx
    or      %rdx, %rax
.endm

/*
 * IA32_APERF into rax: core cycles, while the core is not halted (Intel SDM vol. 3B, 15.2; AMD APM vol. 2, 17.3).
 * RDMSR of it does not wait for earlier instructions: it stands between fences.
 */
.macro cycles
    mov     $MSR_APERF, %ecx
    rdmsr
    shl     $32, %rdx
    or      %rdx, %rax
.endm

/*
 * The counters of r10's list, one after another, into its values at \values. RDPMC does not wait for earlier
 * instructions (Intel SDM vol. 2B, RDPMC; AMD APM vol. 3): the fences around keep the kernel out.
 */
.macro sample values
    lfence
    xor     %r9d, %r9d
9:  mov     COUNTS_INDEX(%r10, %r9, 4), %ecx
    rdpmc
    shl     $32, %rdx
    or      %rdx, %rax
    mov     %rax, \values(%r10, %r9, 8)
    inc     %r9d
    cmp     (%r10), %r9d
    jb      9b
    lfence
.endm

.macro prepare
    mov     STACK_READING(%rsp), %rbx
    mov     READING_KERNEL(%rbx), %r11
    mov     READING_ARGUMENT_0(%rbx), %rdi
    mov     READING_ARGUMENT_1(%rbx), %rsi
.endm

.macro next_reading again
    mov     %rax, READING_END_TICKS(%rbx)
    add     $READING_BYTES, %rbx
    mov     %rbx, STACK_READING(%rsp)
    decq    STACK_LEFT(%rsp)
    jnz     \again
.endm

/*
 * void reader_run(struct reading *list, size_t count, enum reader_counters counters)
 *
 * READER_CYCLES_ONLY and READER_EVENTS are implemented. With any other value of `counters` only time stamps are stored.
 */
    .balign 64
    .globl  reader_run
    .hidden reader_run
    .type   reader_run, @function
reader_run:
    push    %rbp
    push    %rbx
    push    %r12
    push    %r13
    push    %r14
    push    %r15
    sub     $24, %rsp               /* return address, 48 bytes pushed, 24 here: 16-byte aligned */
    mov     %rdi, STACK_READING(%rsp)
    mov     %rsi, STACK_LEFT(%rsp)
    test    %rsi, %rsi
    jz      4f
    cmp     $COUNT_CYCLES, %edx
    je      2f
    cmp     $COUNT_EVENTS, %edx
    je      3f

    .balign 64
1:  prepare
    ordered_ticks
    mov     %rax, READING_BEGIN_TICKS(%rbx)
    call    *%r11
    ordered_ticks
    mov     STACK_READING(%rsp), %rbx
    next_reading 1b
    jmp     4f

    .balign 64
2:  prepare
    ordered_ticks
    mov     %rax, READING_BEGIN_TICKS(%rbx)
    cycles
    mov     %rax, READING_BEGIN_COUNT(%rbx)
    lfence
    call    *%r11
    lfence
    cycles
    mov     STACK_READING(%rsp), %rbx
    mov     %rax, READING_END_COUNT(%rbx)
    ordered_ticks
    next_reading 2b
    jmp     4f

/* The counters lie inside the time stamps; what their reading costs is the same for every kernel. */
    .balign 64
3:  prepare
    mov     READING_COUNTS(%rbx), %r10
    ordered_ticks
    mov     %rax, READING_BEGIN_TICKS(%rbx)
    sample  COUNTS_BEGIN
    call    *%r11
    mov     STACK_READING(%rsp), %rbx
    mov     READING_COUNTS(%rbx), %r10
    sample  COUNTS_END
    ordered_ticks
    next_reading 3b

4:  add     $24, %rsp
    pop     %r15
    pop     %r14
    pop     %r13
    pop     %r12
    pop     %rbx
    pop     %rbp
    ret
    .size   reader_run, . - reader_run

/* uint64_t reader_ticks(void) */
    .balign 16
    .globl  reader_ticks
    .hidden reader_ticks
    .type   reader_ticks, @function
reader_ticks:
    rdtsc
    shl     $32, %rdx
    or      %rdx, %rax
    ret
    .size   reader_ticks, . - reader_ticks

    .balign 64
    .globl  reader_empty_kernel
    .hidden reader_empty_kernel
    .type   reader_empty_kernel, @function
reader_empty_kernel:
    ret
    .size   reader_empty_kernel, . - reader_empty_kernel

/*
 * READER_CHAIN (arch/reader.h) dependent additions per iteration. The loop counter does not depend on the chain and
 * takes no time beside it.
 */
    .balign 64
    .globl  reader_chain_kernel
    .hidden reader_chain_kernel
    .type   reader_chain_kernel, @function
reader_chain_kernel:
    mov     $1, %ecx
1:  .rept   CHAIN_ADDITIONS
    add     %rcx, %rax
    .endr
    sub     $1, %rdi
    jnz     1b
    ret
    .size   reader_chain_kernel, . - reader_chain_kernel

/* The same with half of the additions. */
    .balign 64
    .globl  reader_half_chain_kernel
    .hidden reader_half_chain_kernel
    .type   reader_half_chain_kernel, @function
reader_half_chain_kernel:
    mov     $1, %ecx
1:  .rept   CHAIN_ADDITIONS / 2
    add     %rcx, %rax
    .endr
    sub     $1, %rdi
    jnz     1b
    ret
    .size   reader_half_chain_kernel, . - reader_half_chain_kernel

/*
 * READER_WIDTH (arch/reader.h) independent NOPs per iteration. They have eight bytes: Zen 4 packs two shorter NOPs
 * into one entry of its operation cache, or does not, depending on how that was filled. With shorter NOPs, whole
 * readings took 7 % longer at three of four addresses after a kernel that had accessed much memory, as if a sibling
 * thread ran.
 */
    .balign 64
    .globl  reader_width_kernel
    .hidden reader_width_kernel
    .type   reader_width_kernel, @function
reader_width_kernel:
1:  .rept   WIDTH_NOPS
    nopl    512(%rax,%rax)
    .endr
    sub     $1, %rdi
    jnz     1b
    ret
    .size   reader_width_kernel, . - reader_width_kernel

    .section .note.GNU-stack, "", @progbits
