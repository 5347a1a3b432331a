/* Where firmware enters on other cores of x86-64. */
#include "boot/uefi/enter_x86_64.inc"

    .text
/* The argument is a struct work (processors.c): a function and its argument. */
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

    .section .note.GNU-stack, "", @progbits
