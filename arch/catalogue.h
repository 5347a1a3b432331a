/*
 * The catalogue: the forms of this ISA's instructions that can be measured, with what each reads and writes.
 *
 * A form is an instruction with the kinds of its operands: "add r64, m64". It is made when fathom is built, by walking
 * what can be encoded with a maintained decoder (scripts/catalogue-*), not typed in; what is left out, and why, is in
 * forms_left_out.
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
    OPERAND_IMMEDIATE, /* as it stands in the bytes */
    OPERAND_KINDS
};
extern const char *const operand_kind_names[OPERAND_KINDS];

enum operand_type { TYPE_INTEGER, TYPE_HALF, TYPE_BFLOAT, TYPE_SINGLE, TYPE_DOUBLE, TYPE_EXTENDED, OPERAND_TYPES };

/*
 * Both: for what is written only in part, or only sometimes, too. But not for flags of which some stay as they are: cores
 * may rename them apart.
 */
enum { OPERAND_READ = 1, OPERAND_WRITE = 2 };

enum { FIELD_BITS = 5, FIELD_NONE = 0xff };

/* Where the number of a register stands: bit i of it is bit `bit[i]` of the instruction, counted from its first byte. */
struct form_field {
    uint8_t bit[FIELD_BITS]; /* FIELD_NONE: this bit of the number is always that of `fixed` */
    uint8_t inverted;        /* those bits i that are stored inverted */
};

struct form_operand {
    uint8_t kind, type, access; /* enum operand_kind, enum operand_type, OPERAND_READ | OPERAND_WRITE */
    uint8_t fixed;              /* the register where there is no choice, or the one that `bytes` have */
    uint16_t bits;              /* what is accessed */
    uint8_t is_implicit;        /* not written down in assembly: flags, the accumulator, … */
    uint8_t is_index; /* addresses relative to the memory operand's register: of a vector, bytes of each one */
    uint8_t is_spent; /* a mask that the instruction clears as it goes on: has to be set again each time */
    uint8_t more;     /* registers behind it that belong to it: of a list, or a pair */
    struct form_field field;
};

enum form_class {
    FORM_ORDINARY,
    FORM_DIVIDES,    /* its cost depends on values, and some trap: divisors must not be 0 */
    FORM_SERIALISES, /* fences and the like */
    FORM_STREAMS,    /* stores past the caches, flushes, prefetches */
    FORM_ATOMIC,     /* reads, changes and writes memory in one */
    FORM_STATE, /* reads or writes what is no operand: control words, all registers of a kind, the clock, which core */
    FORM_CLASSES
};
extern const char *const form_class_names[FORM_CLASSES];

enum { FORM_BYTES = 15, FORM_OPERANDS = 10 };

struct form {
    uint32_t name_at;     /* in form_names */
    uint16_t operands_at; /* in form_operands: explicit ones first, in the order of assembly */
    uint16_t feature;     /* in form_features */
    uint8_t operand_count, class, length, bytes[FORM_BYTES];
    int8_t stack; /* registers pushed onto the stack of x87; popped: negative */
};

/* Made when fathom is built. Offsets instead of pointers: the image moves, and each pointer would cost it a relocation. */
extern const struct form forms[];
extern const size_t form_count;
extern const char form_names[];
extern const struct form_operand form_operands[];
extern const char *const form_features[];

/* "vfmadd231pd zmm{k}, zmm, m512" */
const char *form_name(const struct form *f);
/* What the core must have, as the decoder calls it: "AVX512F_512", "FEAT_LSE"; "" where every core has it. */
const char *form_feature(const struct form *f);
const struct form_operand *form_operand(const struct form *f, unsigned i);
/* Whether its register can be chosen. */
bool form_has_field(const struct form_operand *o);
/* Whether its field can hold that number. */
bool form_fits(const struct form_operand *o, unsigned number);

/* Instructions of which no form is in the catalogue. */
struct form_left_out {
    const char *what, *why; /* "hlt", "waits" */
};
extern const struct form_left_out forms_left_out[]; /* ended by NULL */

/*
 * Registers that a kernel may use for operands of a kind, ascending, ended by FIELD_NONE. Not among them: the stack
 * pointer, REG_COUNT, REG_DATA, and what the place keeps for itself.
 */
extern const uint8_t *const form_registers[OPERAND_KINDS];

/* The number that an enum reg has in encodings. */
unsigned form_register(enum reg r);
/*
 * Emits the form with these registers, one for each operand that has a field, in the order of operands; others are
 * skipped. Invalid where a number does not fit its field.
 */
void emit_form(struct code *c, const struct form *f, const uint8_t *registers);

/* Whether the form's name is as the pattern says, in which * stands for any text and ? for any character. */
bool form_matches(const struct form *f, const char *pattern);
/* The form of that name; NULL: there is none. */
const struct form *form_find(const char *name);

/* Forms that load a register of a kind, to give it a value: of each kind the narrowest first; ended by a NULL name. */
struct form_load {
    unsigned kind, bits;
    const char *name;
};
extern const struct form_load form_loads[];

/*
 * Forms that carry a value from a register of one kind to one of another, or to and from flags and memory, so that
 * chains between kinds can be closed. Several from one kind to the other: each sees only a part (of the flags), or is
 * for values of so many bits. Ended by a NULL name.
 */
struct form_bridge {
    uint8_t from, to; /* enum operand_kind */
    uint16_t bits;    /* of memory, or of the widest vector that the form uses: the narrowest that is enough */
    uint8_t least;    /* cycles that it takes at least */
    const char *name; /* of one form, or of two: "cmp r64, i8; fcmovbe st0, st" */
    /* Of each operand that has a field: d is written, s read, x does not matter, a digit is that register; and "; ". */
    const char *roles;
};
extern const struct form_bridge form_bridges[];
/* Changes the first register by what the second holds; twice: it is as it was. One cycle at least. */
extern const struct form_bridge form_address_bridge;

/* Make 1, and 0, of a register that is 0 or 1, and take a cycle at least; NULL names where no division traps. */
extern const struct form_bridge form_to_one, form_to_zero;
/* Push a copy of the register read, and pop into the one written; NULL names where there is no stack. */
extern const struct form_bridge form_stack_push, form_stack_pop;
/* Makes another register the top of the stack, all of whose registers are in use. */
void emit_form_turn(struct code *c);
/*
 * Begins a stretch of this form: the stack of x87 is empty, and what a form that loads state finds at REG_DATA is the state
 * that there is, so that it stays.
 */
void emit_form_begin(struct code *c, const struct form *f);
/* Ends a stretch of this form, so that it leaves nothing that makes other code slow or wrong. */
void emit_form_end(struct code *c, const struct form *f);
/*
 * Whether this core takes the form's bytes for another instruction: that of cores which lack the feature. Other forms
 * that are lacking trap.
 */
bool form_is_another(const struct form *f);

/*
 * Forms that stand for operations which may have units of their own; of a class the first one that is there. None reads
 * memory, or flags that another one writes. Those are best that do not read what they write, so that none waits for
 * another, and few registers, so that what reads registers is not what limits them. Ended by a NULL name.
 */
struct form_unit {
    const char *class, *form; /* "shift", "shl r64, i8" */
};
extern const struct form_unit form_units[];
bool form_unit_is_there(const struct form_unit *u);
/* What makes a vector register zero, given it for every operand. */
extern const char form_vector_zero[];

#endif
