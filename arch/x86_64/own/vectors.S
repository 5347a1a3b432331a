/*
 * The 256 entry stubs, and the guarded call with its way back (vectors.h).
 */
#include "arch/returns.h"
#include "arch/x86_64/own/vectors_layout.h"

    .text

/*
 * Each stub leaves the same layout on the stack: the processor's frame, an error code (0 where the
 * exception has none), the vector. Exceptions 8, 10 to 14, 17, 21, 29 and 30 push an error code
 * (Intel SDM vol. 3A, table 7-1; AMD APM vol. 2, 8.2 for 29 and 30). The stub of RETURNING_INTERRUPT only returns.
 */
    .balign VECTOR_STUB_BYTES
    .globl  vector_stubs
    .hidden vector_stubs
vector_stubs:
    .set    vector, 0
    .rept   256
    .org    vector_stubs + vector * VECTOR_STUB_BYTES, 0xcc /* an error if the one before is too long */
    .if     vector == RETURNING_INTERRUPT
    iretq
    .else
    .if     !(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30)
    push    $0
    .endif
    push    $vector
    jmp     vector_common
    .endif
    .set    vector, vector + 1
    .endr

/*
 * Saves the general registers as struct trap_frame has them, calls vectors_dispatch, and returns to where the frame
 * then points: to the code that was interrupted, or to guarded_way_back. Every vector has a stack of its own, so the
 * frame is aligned: 5 words of the processor's, 2 of the stub's, 15 here.
 */
vector_common:
    push    %rax
    push    %rcx
    push    %rdx
    push    %rbx
    push    %rbp
    push    %rsi
    push    %rdi
    push    %r8
    push    %r9
    push    %r10
    push    %r11
    push    %r12
    push    %r13
    push    %r14
    push    %r15
    cld
    mov     %rsp, %rdi
    call    vectors_dispatch
    pop     %r15
    pop     %r14
    pop     %r13
    pop     %r12
    pop     %r11
    pop     %r10
    pop     %r9
    pop     %r8
    pop     %rdi
    pop     %rsi
    pop     %rbp
    pop     %rbx
    pop     %rdx
    pop     %rcx
    pop     %rax
    add     $16, %rsp               /* vector and error code */
    iretq

/*
 * void guarded_call(struct guarded_call *call)
 *
 * Everything that the calling convention preserves is saved first, with the control words of x87 and SSE and the flags,
 * because the function may be stopped at any instruction.
 */
    .balign 16
    .globl  guarded_call
    .hidden guarded_call
    .type   guarded_call, @function
guarded_call:
    push    %rbp
    push    %rbx
    push    %r12
    push    %r13
    push    %r14
    push    %r15
    pushfq
    sub     $8, %rsp
    stmxcsr (%rsp)
    fnstcw  4(%rsp)
    mov     %rsp, CALL_SAVED_STACK(%rdi)

    mov     %rdi, %rbx
    mov     CALL_STACK_TOP(%rbx), %rax
    test    %rax, %rax
    cmovz   %rsp, %rax              /* this stack, below what is saved */
    and     $-16, %rax              /* as the calling convention has it before a call */
    mov     %rax, %rsp
    mov     CALL_ARGUMENT_0(%rbx), %rdi
    mov     CALL_ARGUMENT_1(%rbx), %rsi
    mov     CALL_ARGUMENT_2(%rbx), %rdx
    mov     CALL_FUNCTION(%rbx), %rax
    cmpq    $0, CALL_INTERRUPTS(%rbx)
    je      1f
    sti
1:  call    *%rax
    cli
    mov     CALL_SAVED_STACK(%rbx), %rsp

/* The dispatcher returns here too, with the stack pointer that was saved above and interrupts disabled. */
    .globl  guarded_way_back
    .hidden guarded_way_back
guarded_way_back:
    fninit
    fldcw   4(%rsp)
    ldmxcsr (%rsp)
    add     $8, %rsp
    popfq                           /* the caller has interrupts disabled, so they stay so */
    pop     %r15
    pop     %r14
    pop     %r13
    pop     %r12
    pop     %rbx
    pop     %rbp
    ret
    .size   guarded_call, . - guarded_call

    .section .note.GNU-stack, "", @progbits
