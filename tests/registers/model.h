/*
 * A modelled register file behind struct access, for unit tests of everything that programs registers.
 *
 * A test declares the registers of its core and how they behave: bits that ignore writes, bits that fault, bits that
 * stay set, registers that ignore writes or only read back as written, views that set or clear the bits of another
 * register. Reading a register that is not declared faults. Writing one fails the test, and so does changing a bit that
 * is not allowed: code may write only what it lists.
 *
 *     struct model m = {0};
 *     model_register(&m, "MISC_FEATURE_CONTROL", 0x1a4, 0, 0xf)->reserved = ~UINT64_C(0xf);
 *     struct access a = model_access(&m);
 *     …
 *     model_assert_as_found(&m);
 *     model_assert_log(&m, "r MISC_FEATURE_CONTROL 0\n" "w MISC_FEATURE_CONTROL 1\n");
 */
#ifndef FATHOM_TESTS_REGISTERS_MODEL_H
#define FATHOM_TESTS_REGISTERS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"

enum { MODEL_REGISTERS = 160, MODEL_LOG = 1024, MODEL_LEAVES = 24 };

enum model_kind {
    MODEL_PLAIN,     /* writes replace the writable bits; the others keep their values */
    MODEL_READ_ONLY, /* a write faults */
    MODEL_IGNORES,   /* a write has no effect and does not fault, as in emulators */
    MODEL_LIES,      /* reads back as written, without effect: .value stays as it was */
    MODEL_SETS,      /* writing ones sets bits of the register `view_of`; reads as that register */
    MODEL_CLEARS,    /* writing ones clears bits of that register; reads as it */
    MODEL_ALIAS,     /* the register `view_of` under another number, with its own rules for writes */
};

struct model_register {
    const char *name;
    uint32_t id;
    enum model_kind kind;
    uint64_t value;    /* the effective value */
    uint64_t found;    /* the value at the beginning */
    uint64_t shown;    /* the value that MODEL_LIES reads as */
    uint64_t writable; /* bits that a write replaces */
    uint64_t allowed;  /* bits that fathom may change: by default all writable ones */
    uint64_t reserved; /* a write with one of these set faults */
    uint64_t sticky;   /* bits that stay once they are set */
    unsigned extended; /* not 0: a write takes the lower 32 bits and extends their sign to this many bits */
    bool read_faults;
    bool write_faults;
    uint32_t view_of; /* the register whose bits a view sets or clears */
    unsigned writes;  /* number of writes */
};

struct model_access {
    const struct model_register *at; /* NULL: not declared */
    uint32_t id;
    bool write;
    bool faulted;
    uint64_t value;
};

struct model {
    struct model_register list[MODEL_REGISTERS];
    size_t count;
    struct {
        uint32_t leaf, subleaf, out[4];
    } cpuid[MODEL_LEAVES];
    size_t leaves;

    struct model_access log[MODEL_LOG];
    size_t accesses;
    size_t fault_at; /* the access of this number, from 1, faults; 0: none */
};

/* Declares a register and returns it, so that its other members can be set. Declaring it again replaces it. */
struct model_register *model_register(struct model *m, const char *name, uint32_t id, uint64_t value,
                                      uint64_t writable);
void model_cpuid(struct model *m, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                 uint32_t edx);
/* The register; fails the test when it is not declared. */
struct model_register *model_at(struct model *m, uint32_t id);
struct access model_access(struct model *m);

/* Empties the log, and takes the present values as those at the beginning. */
void model_begin(struct model *m);
/* Every register has the value that it had at the beginning. */
void model_assert_as_found(const struct model *m);
bool model_as_found(const struct model *m);
/* The accesses since the beginning, one a line: "r NAME value" or "w NAME value", in hex, with " fault" for a fault. */
void model_assert_log(const struct model *m, const char *expected);
/* The same for writes only. */
void model_assert_writes(const struct model *m, const char *expected);

#endif
