/*
 * Where firmware enters the image on AArch64: relocate, then call efi_main. X0 and X1 hold the image
 * handle and the system table (UEFI 2.10, 2.3.6.4); the convention is the one C uses anyway.
 */
    .text
    .globl _start
    .type _start, %function
_start:
    stp x29, x30, [sp, #-32]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    mov x2, x0
    mov x3, x1
    adrp x0, ImageBase
    add x0, x0, #:lo12:ImageBase
    adrp x1, _DYNAMIC
    add x1, x1, #:lo12:_DYNAMIC
    bl _relocate            /* gnu-efi: EFI_STATUS (image base, dynamic section, handle, table) */
    cbnz x0, 1f
    ldp x0, x1, [sp, #16]
    bl efi_main
1:
    ldp x29, x30, [sp], #32
    ret
    .size _start, . - _start

/*
 * One block of base relocations with nothing in it (PE/COFF 6.6): the image relocates itself, but
 * firmware refuses to move an image that has no such table. The page is the header's.
 */
    .section .reloc, "a", %progbits
    .long 0                 /* page */
    .long 12                /* bytes in this block */
    .short 0, 0             /* two entries of kind ABSOLUTE: do nothing */

    .section .note.GNU-stack, "", %progbits
