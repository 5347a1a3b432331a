/*
 * The catalogue: the forms of this ISA's instructions that can be measured, with what each reads and writes.
 *
 * A form is an instruction with the kinds of its operands: "add r64, m64". The catalogue is generated when fathom is
 * built, by decoding all encodings with a maintained decoder (scripts/catalogue-*); forms_left_out lists what is left
 * out and why.
 *
 * Registers are named by the numbers that encodings have, not by enum reg.
 */
#ifndef FATHOM_ARCH_CATALOGUE_H
#define FATHOM_ARCH_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/emit.h"

enum operand_kind {
    OPERAND_GENERAL,   /* a general register, or a part of it */
    OPERAND_VECTOR,    /* a vector register, or a part of it */
    OPERAND_MASK,      /* a mask or predicate register */
    OPERAND_MMX,       /* x86-64 */
    OPERAND_X87,       /* x86-64: the stack, counted from its top before the instruction; what is pushed is the last */
    OPERAND_FLAGS,     /* condition flags, as one */
    OPERAND_MEMORY,    /* at the address in a general register, which the field names; no displacement */
    OPERAND_IMMEDIATE, /* a constant in the bytes of the instruction */
    OPERAND_KINDS
};
/* Names of the kinds, for records and tables. */
extern const char *const operand_kind_names[OPERAND_KINDS];

/* What the bits of an operand represent. */
enum operand_type { TYPE_INTEGER, TYPE_HALF, TYPE_BFLOAT, TYPE_SINGLE, TYPE_DOUBLE, TYPE_EXTENDED, OPERAND_TYPES };

/*
 * How an instruction accesses an operand. One that is written only in part, or only sometimes, counts as read too,
 * since its old value matters. Flags of which some are not written do not: cores may rename flags separately.
 */
enum { OPERAND_READ = 1, OPERAND_WRITE = 2 };

/*
 * Bits of a register's number at most; and the value that stands for a bit that cannot be chosen, and ends lists of
 * registers.
 */
enum { FIELD_BITS = 5, FIELD_NONE = 0xff };

/*
 * Where an instruction holds the number of a register: bit i of the number is bit `bit[i]` of the instruction's
 * bytes.
 */
struct form_field {
    uint8_t bit[FIELD_BITS]; /* FIELD_NONE: this bit of the number cannot be chosen, and is that of `fixed` */
    uint8_t inverted;        /* mask of the bits i that are stored inverted */
};

/* One operand of a form. */
struct form_operand {
    uint8_t kind, type, access; /* enum operand_kind, enum operand_type, OPERAND_READ | OPERAND_WRITE */
    uint8_t fixed;              /* the register that the form's bytes name */
    uint16_t bits;              /* width of the access */
    uint8_t is_implicit;        /* not named in assembly: flags, the accumulator, … */
    uint8_t is_index;           /* not 0: the index of the memory operand's address; of a vector, bytes of each index */
    uint8_t is_cleared;         /* a mask that the instruction clears as it goes on: has to be set again each time */
    uint8_t more;               /* how many registers of the next numbers belong to it, as in a list or a pair */
    struct form_field field;
};

/* What has to be known to measure a form. */
enum form_class {
    FORM_ORDINARY,
    FORM_DIVIDES,    /* its cost depends on values, and some trap: divisors must not be 0 */
    FORM_SERIALISES, /* fences and the like */
    FORM_STREAMS,    /* stores past the caches, flushes, prefetches */
    FORM_ATOMIC,     /* reads, changes and writes memory in one */
    FORM_STATE, /* reads or writes what is no operand: control words, all registers of a kind, the clock, which core */
    FORM_TAKEN, /* a branch to what comes next, with its condition true (emit_form_condition) … */
    FORM_NOT_TAKEN, /* … and with it false */
    FORM_CLASSES
};
/* Names of the classes, for records and tables. */
extern const char *const form_class_names[FORM_CLASSES];

enum { FORM_BYTES = 15, FORM_OPERANDS = 10 };

/* One form: an instruction with the kinds of its operands. */
struct form {
    uint32_t name_at;     /* in form_names */
    uint16_t operands_at; /* in form_operands: explicit ones first, in the order of assembly */
    uint16_t feature;     /* in form_features */
    uint8_t operand_count, class, length, bytes[FORM_BYTES];
    int8_t stack; /* registers pushed onto the stack of x87; popped: negative */
};

/*
 * All forms, sorted by name, form_count of them, and what they refer to. Made when fathom is built. Offsets instead of
 * pointers: the image moves, and each pointer would cost it a relocation.
 */
extern const struct form forms[];
extern const size_t form_count;
extern const char form_names[];
extern const struct form_operand form_operands[];
extern const char *const form_features[];

/* The form's name: "vfmadd231pd zmm{k}, zmm, m512". */
const char *form_name(const struct form *f);
/*
 * The feature that the core must have for the form, as the decoder calls it: "AVX512F_512", "FEAT_LSE"; "" where every
 * core has it.
 */
const char *form_feature(const struct form *f);
/* The operand with the index i, which is less than f->operand_count. */
const struct form_operand *form_operand(const struct form *f, unsigned i);
/* Whether the operand's register can be chosen, because the instruction's bytes hold its number. */
bool form_has_field(const struct form_operand *o);
/*
 * Whether the operand's field can hold that register number; where it has none, whether the operand is that register.
 */
bool form_fits(const struct form_operand *o, unsigned number);

/* Instructions of which no form is in the catalogue, and why. */
struct form_left_out {
    const char *what, *why; /* "hlt", "waits" */
};
extern const struct form_left_out forms_left_out[]; /* ended by NULL */

/*
 * Registers that a kernel may use for operands of a kind, ascending, ended by FIELD_NONE. The stack pointer, REG_COUNT,
 * REG_DATA, and registers that the calling convention reserves are not among them.
 */
extern const uint8_t *const form_registers[OPERAND_KINDS];

/* The number that an enum reg has in encodings. */
unsigned form_register(enum reg r);
/*
 * Emits the form with these registers: one number for each operand that has a field, in the order of the operands. The
 * code becomes invalid where a number does not fit its field. An instruction that the core lacks is emitted all the
 * same.
 */
void emit_form(struct code *c, const struct form *f, const uint8_t *registers);

/*
 * Whether the form is a branch. Its class says whether it is taken; its bytes, which lead to what comes next, are the same
 * either way.
 */
bool form_is_branch(const struct form *f);
/* Emits a branch as emit_form does, but to the next multiple of `bytes`. What is left out traps. */
void emit_form_over(struct code *c, const struct form *f, const uint8_t *registers, size_t bytes);
/*
 * Emits what sets flags so that the branch is taken or not, as its class says; nothing for branches that read no flags.
 * It changes REG_T0.
 */
void emit_form_condition(struct code *c, const struct form *f);
/* Whether the register that a branch reads must be 0, as its class says; otherwise it must be 1. */
bool form_wants_zero(const struct form *f);
/* Has the branch, whose bytes these are, lead that many bytes further: what each ISA does for emit_form_over. */
void form_reach(uint8_t *bytes, const struct form *f, size_t further);

/* Whether the form's name matches the pattern, in which * stands for any text and ? for any character. */
bool form_matches(const struct form *f, const char *pattern);
/* The form of that name; NULL: there is none. */
const struct form *form_find(const char *name);

/* A form that loads a register from memory, to give it a value. */
struct form_load {
    unsigned kind, bits;
    const char *name;
};
/* Forms that load a register; of each kind of register the narrowest first. Ended by a NULL name. */
extern const struct form_load form_loads[];

/*
 * A form, or two, that carry a value from a register of one kind to one of another, or to and from flags and memory, so
 * that chains of instructions between kinds can be closed.
 */
struct form_bridge {
    uint8_t from, to; /* enum operand_kind */
    uint16_t bits;    /* width of the value in memory, or of the widest vector that the form uses */
    uint8_t least;    /* the least latency in cycles that it has on any core */
    const char *name; /* of one form, or of two: "cmp r64, i8; fcmovbe st0, st" */
    /*
     * A letter for each operand that has a field: d is written, s is read, x does not matter, a digit is that
     * register.
     */
    const char *roles;
};
/*
 * All bridges, ended by a NULL name. There may be several from one kind to another: each sees only a part (of the
 * flags), or is for values of so many bits.
 */
extern const struct form_bridge form_bridges[];
/*
 * Combines the second register into the first so that doing it twice restores the first (XOR); it takes one cycle at
 * least.
 */
extern const struct form_bridge form_address_bridge;

/*
 * form_to_one makes 1 of a register that is 0 or 1, form_to_zero makes 0 of it; each depends on the register and takes
 * one cycle at least. NULL names on an ISA where no division traps.
 */
extern const struct form_bridge form_to_one, form_to_zero;
/*
 * form_stack_push pushes a copy of a register of the x87 stack; form_stack_pop pops its top into one. NULL names on an
 * ISA without that stack.
 */
extern const struct form_bridge form_stack_push, form_stack_pop;
/*
 * Emits the instruction that makes the next register of the x87 stack its top. All registers of the stack must be in
 * use.
 */
void emit_form_rotate_stack(struct code *c);
/*
 * Emits what must be executed once before instructions of the form f, if anything: x87 forms find an empty stack, and
 * forms that load processor state from memory find the current state where REG_DATA points, so that they change
 * nothing.
 */
void emit_form_begin(struct code *c, const struct form *f);
/*
 * Emits what must be executed after instructions of the form f, before other code: it restores what would make that
 * code slow or wrong (x87 and MMX state, upper halves of vectors).
 */
void emit_form_end(struct code *c, const struct form *f);
/*
 * Whether a core that lacks the form's feature executes its bytes as another instruction, and this core does. Other
 * forms that a core lacks trap.
 */
bool form_is_other_instruction(const struct form *f);

/* Forms that read and change 64 bits of memory in one step, by what they do: "add", "cas". Ended by a NULL name. */
struct form_atomic {
    const char *name, *form;
};
extern const struct form_atomic form_atomics[];

/* A form that represents operations which may have execution units of their own. */
struct form_unit {
    const char *class, *form; /* "shift", "shl r64, i8" */
};
/*
 * The forms of all classes of operations; of each class the first one that the core has is used. None reads memory, or
 * flags that another one writes. Forms are preferred that do not read what they write, so that they do not depend on
 * each other, and that read few registers, so that register read ports do not limit them. Ended by a NULL name.
 */
extern const struct form_unit form_units[];
/* More of them, for long profiles: classes that few units execute, and that a core may lack. */
extern const struct form_unit form_units_more[];
/*
 * Whether the core that runs this can execute the form. On x86-64 forms whose name begins with v need AVX; all others
 * of the list are on every core.
 */
bool form_unit_is_there(const struct form_unit *u);
/* Name of a form that sets a vector register to zero when every operand is that register. */
extern const char form_vector_zero[];

#endif
