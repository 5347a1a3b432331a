/*
 * An MRS and an MSR for every register of system_registers.h, since both name theirs in the instruction:
 * bits 20 to 5 are op0, op1, CRn, CRm and op2 (Arm ARM C6.2, MRS, MSR (register)).
 */
#include "arch/aarch64/system_registers.h"

    .text
    .balign 8
    .globl  register_entries
    .hidden register_entries
    .globl  register_entries_end
    .hidden register_entries_end

/* id; uint64_t read(void); void write(uint64_t) */
.macro entry op0, op1, crn, crm, op2
    .word   \op0 << 14 | \op1 << 11 | \crn << 7 | \crm << 3 | \op2
    .inst   0xd5200000 | (\op0 << 14 | \op1 << 11 | \crn << 7 | \crm << 3 | \op2) << 5
    ret
    .inst   0xd5000000 | (\op0 << 14 | \op1 << 11 | \crn << 7 | \crm << 3 | \op2) << 5
    isb
    ret
.endm

/* One to a line of the assembler: it takes ; as its separator. */
#define ENTRY(name, op0, op1, crn, crm, op2) entry op0, op1, crn, crm, op2;

register_entries:
    SYSTEM_REGISTERS(ENTRY)
register_entries_end:

    .section .note.GNU-stack, "", %progbits
