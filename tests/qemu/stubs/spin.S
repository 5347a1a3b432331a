/* Where another core waits, with translation and caches off; X0 is the address of the word that it waits for. */
    .text
    .globl  pen
    .hidden pen
    .globl  pen_end
    .hidden pen_end
pen:
1:  wfe
    ldr     x1, [x0]
    cbz     x1, 1b
    mov     x0, #-1         /* no boot protocol says what it holds */
    br      x1
pen_end:

    .section .note.GNU-stack, "", %progbits
