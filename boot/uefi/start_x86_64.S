/*
 * Where firmware enters the image on x86-64, on the core that booted: the image relocates itself, then efi_main runs.
 */
#include "boot/uefi/enter_x86_64.inc"

    .text
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

/*
 * One block of base relocations with nothing in it (PE/COFF 6.6): the image relocates itself, but
 * firmware refuses to move an image that has no such table. The page is the header's.
 */
    .section .reloc, "a", @progbits
    .long 0                 /* page */
    .long 12                /* bytes in this block */
    .short 0, 0             /* two entries of kind ABSOLUTE: do nothing */

    .section .note.GNU-stack, "", @progbits
