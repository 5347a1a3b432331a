/* What the model needs to know of an instruction set, besides what Unicorn and Capstone know. */
#ifndef FATHOM_TESTS_MODEL_ISA_H
#define FATHOM_TESTS_MODEL_ISA_H

#include <capstone/capstone.h>
#include <unicorn/unicorn.h>

#include <stdbool.h>

struct isa {
    uc_arch uc_arch;
    uc_mode uc_mode;
    cs_arch cs_arch;
    cs_mode cs_mode;
    int arguments[2], stack_pointer, program_counter; /* Unicorn's registers */
    int link;                                         /* where a call leaves the return address; 0: on the stack */
    unsigned cs_stack_pointer, cs_count;              /* Capstone's registers; the first argument counts turns */
    const char *multiply;                             /* mnemonics */
    const char *shifts[3];                            /* of shifts and what executes where they do, ended by NULL */
    /*
     * Mnemonics of instructions that may have units of their own (ports.h), ended by NULL; with a dot in front of those that
     * write a vector register. Those that stand for a class of units (arch/catalogue.h, form_units) come first, in that
     * order.
     */
    const char *units[32];
    const char *jumps[3]; /* mnemonics of branches that are always taken, ended by NULL */
    const char *counting; /* the core whose events tests/model/counters.c has */
    int counters_kind;    /* enum counters_kind */
    /*
     * Instructions without a branch among them that Unicorn surely translates; 0: any number. Of its 512 temporaries
     * version 2.0 never frees one for each PSHUFD, the vector filler of modelled x86-64 cores: 470 of them crash it
     * (unicorn-engine/unicorn issue 2240 and pull request 2372 describe it).
     */
    unsigned longest_block;
    unsigned (*whole)(unsigned reg); /* Capstone's 64-bit register that a narrower one is part of */
    uint16_t (*operand_register)(const cs_insn *i, unsigned n); /* whole register that operand n is; 0: it is none */
    unsigned (*base_register)(const cs_insn *i);                /* Capstone's, of the memory operand; 0: it has none */
    bool (*jump_is_indirect)(const cs_insn *i);                 /* of one of `jumps`: its target is in a register */
    /* Whether a conditional branch of these bytes was taken, as the registers are behind it. */
    bool (*is_taken)(uc_engine *uc, const uint8_t *bytes);
};

extern const struct isa isa;

#endif
