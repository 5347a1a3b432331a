/* For counter_read.c: the code of the reader that reads its counter again, with a list of readings for a counter. */
#include "arch/aarch64/counter_read.inc"

.macro read_list register
    ldr     \register, [x0], #8
.endm

    .text
    counter_read_again read_list
