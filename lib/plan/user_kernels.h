/*
 * Kernels of the user: code that somebody wants to know the cost of, and what it needs. docs/KERNELS.md describes the
 * files.
 *
 * A file holds one kernel or several; each begins with its `name`. A kernel with a mistake is left out, with a message
 * that names file, line, what is wrong and what would be accepted; the other kernels stay. Of one file 20 messages are
 * shown.
 */
#ifndef FATHOM_LIB_PLAN_USER_KERNELS_H
#define FATHOM_LIB_PLAN_USER_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/plan/config.h"

enum {
    USER_KERNELS = 256, /* of this instruction set, in all files together, at most */
    USER_NAME = 25,     /* bytes of a name, its end included: facts have room for no more */
    USER_FROM = 64,     /* of the file's name; a longer one is cut */
    USER_CODE = 4096,   /* of the code, and of the initial code */
    USER_EVENTS = 256,  /* of the list of events, its end included */
    USER_REGISTERS = 32 /* that are given a value */
};

enum user_contents { CONTENTS_ZEROS, CONTENTS_RANDOM, CONTENTS_CHAIN, USER_CONTENTS };

struct user_register {
    char name[8];
    uint64_t value;
    bool is_address; /* the value is added to the address of the memory */
};

struct user_kernel {
    char name[USER_NAME], from[USER_FROM];
    unsigned line; /* on which it begins */
    char isa[8];   /* "x86_64", "aarch64" */
    uint8_t code[USER_CODE], init[USER_CODE];
    size_t code_bytes, init_bytes;
    uint64_t memory_bytes, page_bytes; /* 0: none, and the platform's smallest page */
    uint64_t offset_bytes;             /* of the memory from the beginning of its first page */
    enum user_contents contents;
    unsigned stride_bytes; /* between the pointers of a chain */
    struct user_register registers[USER_REGISTERS];
    unsigned register_count;
    unsigned unroll;          /* copies; 0: chosen */
    char events[USER_EVENTS]; /* names as the key `events` of the configuration has them */
    bool cold;                /* also with caches flushed */
    bool each_prefetcher;     /* also with each prefetcher switched */
    bool why;                 /* also why it takes that long */
    bool predict;             /* also how long it should take by its instructions */
};

/* All kernels of the user; begins as all zero. */
struct user_kernels {
    struct user_kernel *list; /* of this machine's instruction set */
    size_t count;
    size_t others; /* how many were of another instruction set */
    size_t wrong;  /* mistakes that were found */
};

/*
 * Reads a file that a kernel for the instruction set `isa` names, beside its own. NULL, and then *bytes is to be freed;
 * or why it cannot.
 */
struct user_files {
    const char *(*read)(void *context, const char *isa, const char *file, uint8_t **bytes, size_t *count);
    void *context;
};

/*
 * Adds the kernels of a text. `from` is the file's name, for messages; `files` may be NULL where there are no other
 * files. Mistakes, a text without a kernel and a shortage of memory are passed to `warn` and counted in k->wrong. Never
 * reads past `bytes`.
 */
void user_kernels_add(struct user_kernels *k, const char *from, const char *text, size_t bytes,
                      const struct user_files *files, config_warn *warn, void *context);
/* Whether any of them is to be predicted. */
bool user_kernels_predict(const struct user_kernels *k);
/* Frees all kernels; *k is all zero then. */
void user_kernels_free(struct user_kernels *k);

#endif
