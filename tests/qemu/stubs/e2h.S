/*
 * void host_mode_on(uint64_t ttbr, uint64_t tcr, uint64_t hcr, uint64_t cptr)
 *
 * Code and stack must have the same address with translation off and with either table.
 */
    .text
    .globl  host_mode_on
    .hidden host_mode_on
    .type   host_mode_on, %function
host_mode_on:
    mrs     x9, daif
    msr     daifset, #0xf
    mrs     x10, sctlr_el2
    bic     x11, x10, #1            /* M */
    dsb     sy
    msr     sctlr_el2, x11
    isb
    msr     hcr_el2, x2
    isb
    msr     cptr_el2, x3
    msr     tcr_el2, x1
    msr     ttbr0_el2, x0
    isb
    tlbi    alle2
    dsb     sy
    isb
    msr     sctlr_el2, x10
    isb
    msr     daif, x9
    ret
    .size   host_mode_on, . - host_mode_on

    .section .note.GNU-stack, "", %progbits
