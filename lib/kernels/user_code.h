/*
 * Code of the user (lib/plan/user_kernels.h) made into kernels: in the harness of arch/emit_harness.h, with its memory
 * and a stack of its own, each in an area between guards.
 */
#ifndef FATHOM_LIB_KERNELS_USER_CODE_H
#define FATHOM_LIB_KERNELS_USER_CODE_H

#include "arch/catalogue.h"
#include "arch/emit_harness.h"
#include "lib/plan/user_kernels.h"
#include "lib/probe/probe.h"

/* Where a kernel of the user runs. */
struct user_place {
    const struct user_kernel *kernel;
    struct area data; /* its memory; no bytes: it has none */
    struct area stack;
    struct area state; /* struct harness_state */
    uint64_t memory;   /* address of its memory inside windows */
    /* Registers below 24 that begin with 0 and that the code does not write, bit by bit; 0 before user_find_unused. */
    uint32_t unused, unused_vectors;
    uint64_t trap; /* address of an undefined instruction, where code ends that returns; set by user_code_make */
};

/*
 * Operations that are added behind each copy, to see whether they make it slower. They write registers that the code
 * does not write (user_find_unused), a word of the stack that is theirs, and perhaps the flags.
 */
struct user_added {
    const struct form *form; /* of the catalogue, NULL: not that */
    bool load, store;        /* to or from the stack */
    unsigned nop_bytes;      /* NOPs of this length; 0: not that */
    unsigned count;          /* of them, behind each copy */
};

enum { USER_WRITTEN = 8 };

/* A word of 8 bytes, aligned to that, in the memory or the stack of a kernel. */
struct user_word {
    uint64_t at;    /* its address; 0: there is none */
    uint64_t value; /* what is in it at first */
    bool in_stack;
    int64_t offset; /* from the beginning of the memory, or from the stack pointer */
};

/* Words that the code writes. */
struct user_written {
    struct user_word words[USER_WRITTEN];
    unsigned count;
    bool more; /* than USER_WRITTEN */
};

/* How it is emitted. */
struct user_variant {
    unsigned copies;
    bool once;      /* without the loop around the copies: for one iteration only */
    unsigned shift; /* NOPs of the least length by which the copies lie further on than at a multiple of a line */
    /*
     * Registers, by number, that are given their first value again before each copy, or each `every`th copy; vector
     * registers that are cleared; and whether the flags are set.
     */
    uint32_t values, vectors;
    bool flags;
    struct user_word word; /* that is stored again with its first value there, from two registers that are unused */
    double length_factor;  /* by which readings are longer than usual; 0: 1 */
    bool fences;           /* before that, all that came before is done */
    unsigned every;        /* 0: 1 */
    bool as_nops;          /* instead of these instructions NOPs of the same number and length, as a control */
    /* Bytes of the code in whose place NOPs stand in each copy; 0: none. */
    size_t without_at, without_bytes;
    struct user_added added;
    bool others; /* registers that begin with 0 have other values, vector registers doubles */
    bool dumps;  /* with `once`: behind the last copy all registers are stored, for user_find_unused */

    /* Set by user_code_make, as offsets in the code. */
    size_t entry;                    /* where it is entered */
    size_t init, first;              /* of the initial code, and of the first copy */
    size_t starts[2];                /* first byte of the user's code in the first copy, and in the second */
    size_t end;                      /* behind the last copy */
    size_t flush_data, flush_code;   /* of kernels that displace both from the caches, behind code with `once`; */
    uint64_t data_lines, code_lines; /* the iterations to call them with; 0: there is nothing to displace */
};

/* Bytes of a cache line at least, on this ISA: to begin loops at, and to flush by. */
enum { USER_LINE = 64 };
/* Of larger memory only so much is displaced from the caches. */
enum { USER_FLUSHED = 1 << 20 };

/*
 * Maps what the kernel needs and sets *w. NULL, or why it cannot. In either case the caller gives back what was mapped
 * with the machine_map_mark before.
 */
const char *user_place_map(struct user_place *w, const struct user_kernel *k);
/* The first value of a general register. */
uint64_t user_value(const struct user_place *w, unsigned number);
/* Clears the stack, and fills the memory as the kernel wants it. */
void user_fill(struct user_place *w);
/* Fills the memory and makes the kernel; one unit is one copy. False: the probe is over. */
bool user_code_make(struct probe *p, struct user_place *w, struct user_variant *v, struct kernel *k);
/*
 * Finds out, by executing two copies once, which registers below 24 that begin with 0 the code does not write: they
 * keep other values, too. None where the code faults with other values in them. False: the probe is over.
 */
bool user_find_unused(struct probe *p, struct user_place *w);
/*
 * Finds out, by executing two copies once, which words of its memory and stack the code changes; none where it faults
 * with other values in registers. False: the probe is over.
 */
bool user_find_written(struct probe *p, struct user_place *w, struct user_written *out);
/* Whether two registers are unused that a word can be stored with. */
bool user_can_store(const struct user_place *w);
/* Whether there are registers for operations of that kind. */
bool user_can_add(const struct user_place *w, const struct user_added *a);

/*
 * Where an address lies: "code", "init", "harness", or "elsewhere", and its offset in the user's code or initial code.
 * In "harness" lies what stands around and between the copies.
 */
const char *user_where(const struct user_place *w, const struct user_variant *v, uint64_t entry, uint64_t pc,
                       uint64_t *offset);
/*
 * What the harness's registers held after the code ran: NULL where that is as it must be, else a sentence. count: what
 * the register that counts iterations must hold, as many as were asked for with `once`, 0 after a loop.
 */
const char *user_left(const struct user_place *w, uint64_t count);

#endif
