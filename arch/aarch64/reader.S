/*
 * The reader (arch/reader.h), for the procedure call standard of both platforms (AAPCS64, 6).
 *
 * A kernel may use every register but the stack pointer, so what the reader has to remember lies on
 * the stack. The reading's address and arguments are fetched before the first time stamp, so that no
 * miss on the list is timed.
 *
 *     sp + 0    x29, x30
 *     sp + 16   x19 ... x28
 *     sp + 96   d8 ... d15
 *     sp + 160  the current reading
 *     sp + 168  the end of the list
 *     sp + 176  counter_erratum
 */
#include "arch/aarch64/counter_read.inc"
#include "arch/aarch64/reader_layout.h"

#define STACK_READING 160
#define STACK_END     168
#define STACK_ERRATUM 176
#define STACK_BYTES   192

/* Common with the one of counter_errata.c, so that unit tests can link this file alone. */
    .hidden counter_erratum
    .comm   counter_erratum, 4, 4

    .text

/*
 * Reads the time stamp into x11. Where the counter has an erratum, in x17, it is read again: a loop whose length varies
 * by a few readings of the counter. A reading of the list that becomes longer by it is judged as any other one is.
 */
.macro read_ticks
    mrs     x11, cntvct_el0
    cbz     x17, 8f
    bl      read_again
8:
.endm

/* The same after the kernel. */
.macro ticks_after
    mrs     x11, cntvct_el0
    ldr     x17, [sp, #STACK_ERRATUM]
    cbz     x17, 8f
    bl      read_again
8:
.endm

/*
 * The time stamp before the kernel. The counter may be read early or late unless an ISB stands before and after it (Arm
 * ARM DDI 0487, D12.2.1): the one before is here, the one after stands before the kernel's call.
 */
.macro ticks_before
    isb
    read_ticks
    str     x11, [x9, #READING_BEGIN_TICKS]
.endm

.macro next_reading again
    str     x11, [x9, #READING_END_TICKS]
    add     x9, x9, #READING_BYTES
    ldr     x12, [sp, #STACK_END]
    cmp     x9, x12
    b.lo    \again
.endm

.macro prepare
    str     x9, [sp, #STACK_READING]
    ldr     x10, [x9, #READING_KERNEL]
    ldp     x0, x1, [x9, #READING_ARGUMENTS]
    ldr     x17, [sp, #STACK_ERRATUM]
.endm

/*
 * The counters of x14's list, one after another, into its values at \values. Each counter is read by an instruction of
 * its own: reader_counter has two instructions for each, 8 bytes, that leave the value in x12 and return.
 */
.macro sample values
    isb
    mov     x15, #0
9:  add     x12, x14, #COUNTS_INDEX
    ldr     w13, [x12, x15, lsl #2]
    adr     x12, reader_counter
    add     x12, x12, x13, lsl #3
    blr     x12
    add     x13, x14, #\values
    str     x12, [x13, x15, lsl #3]
    add     x15, x15, #1
    ldr     w13, [x14]
    cmp     x15, x13
    b.lo    9b
    isb
.endm

/* Entry n reads counter n (arch/reader.h): Arm ARM DDI 0487, D19.5; Apple's by the numbers of their PMC<n>. */
    .balign 64
reader_counter:
    .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    mrs     x12, pmevcntr\n\()_el0
    ret
    .endr
    mrs     x12, pmccntr_el0
    ret
    .irp    n, 0,1,2,3,4,5,6,7
    mrs     x12, s3_2_c15_c\n\()_0
    ret
    .endr
    .irp    n, 9,10
    mrs     x12, s3_2_c15_c\n\()_0
    ret
    .endr
    mrs     x12, s3_3_c9_c4_0       /* PMICNTR_EL0 */
    ret

/* void reader_run(struct reading *list, size_t count, enum reader_counters counters) */
    .balign 64
    .globl  reader_run
    .hidden reader_run
    .type   reader_run, %function
reader_run:
    cbz     x1, 6f
    stp     x29, x30, [sp, #-STACK_BYTES]!
    mov     x29, sp
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]
    mov     x9, x0
    mov     x10, #READING_BYTES
    madd    x10, x10, x1, x9
    str     x10, [sp, #STACK_END]
    adrp    x17, counter_erratum
    ldr     w17, [x17, #:lo12:counter_erratum]
    str     x17, [sp, #STACK_ERRATUM]
    cmp     w2, #COUNT_EVENTS
    b.eq    7f
    cmp     w2, #COUNT_CYCLES
    b.eq    3f
    b.hi    4f
    cbnz    w2, 2f

    .balign 64
1:  prepare
    stp     xzr, xzr, [x9, #READING_BEGIN_COUNT]
    stp     xzr, xzr, [x9, #READING_END_COUNT]
    ticks_before
    isb
    blr     x10
    isb
    ticks_after
    ldr     x9, [sp, #STACK_READING]
    next_reading 1b
    b       5f

/*
 * The counters lie inside the time stamps, the instruction counter outside the cycle counter, so that
 * the instructions between the two reads of either are always the same: what the empty kernel shows
 * is what every reading costs. The ISBs keep the reads from moving past the kernel's instructions
 * (Arm ARM, D13.1.1, on when a direct read sees earlier instructions).
 */
    .balign 64
2:  prepare
    ticks_before
    mrs     x13, pmevcntr0_el0
    mrs     x12, pmccntr_el0
    stp     x12, x13, [x9, #READING_BEGIN_COUNT]
    isb
    blr     x10
    isb
    mrs     x12, pmccntr_el0
    mrs     x13, pmevcntr0_el0
    isb
    ticks_after
    ldr     x9, [sp, #STACK_READING]
    stp     x12, x13, [x9, #READING_END_COUNT]
    next_reading 2b
    b       5f

/* The cycle counter only, where nothing else can be read at EL0 (PMUSERENR_EL0.CR; Arm ARM, D19.5). */
    .balign 64
3:  prepare
    ticks_before
    mrs     x12, pmccntr_el0
    stp     x12, xzr, [x9, #READING_BEGIN_COUNT]
    isb
    blr     x10
    isb
    mrs     x12, pmccntr_el0
    isb
    ticks_after
    ldr     x9, [sp, #STACK_READING]
    stp     x12, xzr, [x9, #READING_END_COUNT]
    next_reading 3b
    b       5f

/* The same where the generic timer cannot be read: the cycle counter is the time stamp too. */
    .balign 64
4:  prepare
    isb
    mrs     x11, pmccntr_el0
    str     x11, [x9, #READING_BEGIN_TICKS]
    stp     x11, xzr, [x9, #READING_BEGIN_COUNT]
    isb
    blr     x10
    isb
    mrs     x11, pmccntr_el0
    ldr     x9, [sp, #STACK_READING]
    stp     x11, xzr, [x9, #READING_END_COUNT]
    next_reading 4b
    b       5f

/* Any counters, inside the time stamps; what their reading costs is the same for every kernel. */
    .balign 64
7:  prepare
    ldr     x14, [x9, #READING_COUNTS]
    ticks_before
    mov     x16, x10
    sample  COUNTS_BEGIN
    blr     x16
    ldr     x9, [sp, #STACK_READING]
    ldr     x14, [x9, #READING_COUNTS]
    sample  COUNTS_END
    isb
    ticks_after
    next_reading 7b

5:  ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     d8, d9, [sp, #96]
    ldp     d10, d11, [sp, #112]
    ldp     d12, d13, [sp, #128]
    ldp     d14, d15, [sp, #144]
    ldp     x29, x30, [sp], #STACK_BYTES
6:  ret
    .size   reader_run, . - reader_run

.macro read_counter register
    mrs     \register, cntvct_el0
.endm

    .balign 64
    .type   read_again, %function
read_again:
    counter_read_again read_counter
    .size   read_again, . - read_again

/* uint64_t reader_ticks(void) */
    .balign 16
    .globl  reader_ticks
    .hidden reader_ticks
    .type   reader_ticks, %function
reader_ticks:
    adrp    x17, counter_erratum
    ldr     w17, [x17, #:lo12:counter_erratum]
    mrs     x11, cntvct_el0
    cbz     x17, 1f
    stp     x29, x30, [sp, #-16]!
    bl      read_again
    ldp     x29, x30, [sp], #16
1:  mov     x0, x11
    ret
    .size   reader_ticks, . - reader_ticks

    .balign 64
    .globl  reader_empty_kernel
    .hidden reader_empty_kernel
    .type   reader_empty_kernel, %function
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
    .type   reader_chain_kernel, %function
reader_chain_kernel:
    mov     x2, #1
1:  .rept   CHAIN_ADDITIONS
    add     x3, x3, x2
    .endr
    subs    x0, x0, #1
    b.ne    1b
    ret
    .size   reader_chain_kernel, . - reader_chain_kernel

/* The same with half of the additions. */
    .balign 64
    .globl  reader_half_chain_kernel
    .hidden reader_half_chain_kernel
    .type   reader_half_chain_kernel, %function
reader_half_chain_kernel:
    mov     x2, #1
1:  .rept   CHAIN_ADDITIONS / 2
    add     x3, x3, x2
    .endr
    subs    x0, x0, #1
    b.ne    1b
    ret
    .size   reader_half_chain_kernel, . - reader_half_chain_kernel

/* READER_WIDTH (arch/reader.h) NOPs per iteration. */
    .balign 64
    .globl  reader_width_kernel
    .hidden reader_width_kernel
    .type   reader_width_kernel, %function
reader_width_kernel:
1:  .rept   WIDTH_NOPS
    nop
    .endr
    subs    x0, x0, #1
    b.ne    1b
    ret
    .size   reader_width_kernel, . - reader_width_kernel

    .section .note.GNU-stack, "", %progbits
