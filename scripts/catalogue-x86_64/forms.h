/*
 * Makes the catalogue of x86-64's instruction forms (arch/catalogue.h) as a C file, at build time.
 *
 * All opcodes of all maps are offered to Zydis, with each encoding, mandatory prefix, operand size, vector length, kind
 * of mask and broadcast, and with a register or memory in ModR/M. Each sequence of bytes that Zydis decodes is a form;
 * of forms with the same name and encoding the one with the largest choice of registers is kept.
 */
#ifndef FATHOM_SCRIPTS_CATALOGUE_FORMS_H
#define FATHOM_SCRIPTS_CATALOGUE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "arch/catalogue.h"

enum { FORMS = 20000, NAME_BYTES = 96, LONGEST = 15, REG_DATA_NUMBER = 6, STACK = 8 };

/* A form that was found. */
struct found {
    char name[NAME_BYTES], feature[32];
    struct form_operand operands[FORM_OPERANDS];
    unsigned operand_count, class, length;
    int stack;
    ZydisInstructionEncoding encoding;
    uint8_t bytes[LONGEST];
    size_t name_at, operands_at, feature_at; /* in the tables of the C file, once they are written */
};

extern struct found found[FORMS];
extern size_t found_count;

struct decoded {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
};

/* Adds a branch that is one of class FORM_TAKEN, or FORM_NOT_TAKEN. */
void take_branch(const uint8_t *bytes, unsigned class);
/* Adds the form of these LONGEST bytes to `found`, where they are an instruction that the catalogue has. */
void take(const uint8_t *bytes);

/* ---- decoder.c ---------------------------------------------------------------------------------------- */

/* To be called before all others. */
void decoder_start(void);
/* Decodes LONGEST bytes; false where they are no instruction. */
bool decode(const uint8_t *bytes, struct decoded *d);

/* ---- left_out.c: instructions that the catalogue does not have -------------------------------------- */

bool is_usable(const struct decoded *d);
/* Writes the table of what is left out and why. */
void print_left_out(void);

/* ---- operands.c: what an operand is ------------------------------------------------------------------ */

/* TYPE_... of an element. */
unsigned type_of(ZydisElementType t);
/* OPERAND_... of a register; false for one that no dependency chain can go through. */
bool kind_of(ZydisRegister r, unsigned *kind);
/* Number of a register. Zydis counts AH to BH between BL and SPL; they are parts of registers 0 to 3. */
unsigned number_of(ZydisRegister r);
/* OPERAND_READ and OPERAND_WRITE of operand k. */
unsigned access_of(const struct decoded *d, unsigned k);
/*
 * Registers that the instruction pushes onto the stack of x87, less those that it pops (SDM vol. 2A). tests/operands
 * checks this against execution.
 */
int stack_of(const struct decoded *d);
/* A mask operand that selects all elements, which is as good as none. */
bool is_no_mask(const ZydisDecodedOperand *o);
/* A memory operand whose index is a vector: that of a gather or scatter. */
bool vector_index(const ZydisDecodedOperand *o);
/* Bytes of each index of a gather or scatter: D or Q behind the first word of the name (SDM vol. 2C, VGATHERDPD). */
unsigned index_bytes(const struct decoded *d);
/*
 * Whether operand k is the mask of a gather or scatter, whose bits are cleared one by one: a mask register, or the last
 * vector.
 */
bool is_cleared(const struct decoded *d, unsigned k);

/* ---- fields.c ------------------------------------------------------------------------------------------ */

/*
 * The bits of the encoding that hold each chosen register's number. They are found by trying: a bit whose change
 * changes nothing but the number of one operand's register, by a power of two, belongs to that operand's field. AH to
 * BH have the numbers 4 to 7 without REX, so byte registers are offered with REX. Number 4 has another meaning in
 * ModR/M and SIB, so a base has a fixed register, and its fields are not used.
 */
void find_fields(const uint8_t *bytes, const struct decoded *d, struct form_field fields[FORM_OPERANDS]);

/* ---- names.c ------------------------------------------------------------------------------------------- */

/* Names the form as an assembler writes it, with kinds of operands instead of registers: "add r64, m64". */
void say_name(struct found *f, const struct decoded *d);

#endif
