/*
 * A modelled register file behind struct access, for unit tests of everything that programs registers.
 *
 * A test declares the registers that its core has, and how they behave: bits that take no writes, bits that fault,
 * bits that stay set, registers that ignore writes or only pretend to take them, views that set or clear the bits of
 * another. Reading what is not declared faults. Writing it fails the test, and so does changing a bit that the family's
 * list does not allow: nothing may ever be written but what is listed.
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
    MODEL_IGNORES,   /* takes every write without a fault and keeps its value, as an emulator's do */
    MODEL_LIES,      /* reads back what was written, and has no effect: .value stays as it was */
    MODEL_SETS,      /* ones that are written set bits of the register `view_of`; reads as that */
    MODEL_CLEARS,    /* ones that are written clear bits of it; reads as that */
    MODEL_ALIAS,     /* the register `view_of` under another number, with rules of its own for writing */
};

struct model_register {
    const char *name;
    uint32_t id;
    enum model_kind kind;
    uint64_t value;    /* what is in force */
    uint64_t found;    /* at the beginning */
    uint64_t shown;    /* what MODEL_LIES reads as */
    uint64_t writable; /* bits that a write replaces */
    uint64_t allowed;  /* bits that fathom may change: the writable ones, unless the test says less */
    uint64_t reserved; /* a write with one of these set faults */
    uint64_t sticky;   /* bits that stay once they are set */
    unsigned extended; /* not 0: a write takes the lower 32 bits and extends their sign to so many */
    bool read_faults;
    bool write_faults;
    uint32_t view_of; /* the register whose bits a view sets or clears */
    unsigned writes;  /* how many there were */
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
    size_t fault_at; /* access number fault_at, from 1, faults, whatever it is; 0: none */
};

/* Declares a register and returns it, for what else is to be said of it. Declaring it again replaces it. */
struct model_register *model_register(struct model *m, const char *name, uint32_t id, uint64_t value,
                                      uint64_t writable);
void model_cpuid(struct model *m, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                 uint32_t edx);
/* The register; fails the test when it is not declared. */
struct model_register *model_at(struct model *m, uint32_t id);
struct access model_access(struct model *m);

/* Forgets the log, and takes the values of now for those at the beginning. */
void model_begin(struct model *m);
/* Every register holds what it held at the beginning. */
void model_assert_as_found(const struct model *m);
bool model_as_found(const struct model *m);
/* The accesses since the beginning, one a line: "r NAME value", "w NAME value", in hex; with " fault" where it did. */
void model_assert_log(const struct model *m, const char *expected);
/* The same of writes alone. */
void model_assert_writes(const struct model *m, const char *expected);

#endif
