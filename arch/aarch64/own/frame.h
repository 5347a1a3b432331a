/*
 * What assembly and C share on the way into a window and back.
 *
 * The way is the same at either exception level: save what the calling convention preserves on the current stack, make
 * that stack the one on which exceptions are taken (SP_ELx), run the code, and return through the same frame, whether
 * the code returns or an exception ends it.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_FRAME_H
#define FATHOM_ARCH_AARCH64_OWN_FRAME_H

/* Vectors by number: the table's offset / 0x80 (Arm ARM DDI 0487, D1.3.2, "Exception vectors"). */
#define VECTOR_SYNCHRONOUS 0 /* from the same level, on SP_EL0 */
#define VECTOR_IRQ 1
#define VECTOR_FIQ 2
#define VECTOR_SERROR 3
#define VECTOR_OWN_SYNCHRONOUS 4   /* from the same level, on SP_ELx */
#define VECTOR_LOWER_SYNCHRONOUS 8 /* from a lower level in AArch64 */
#define VECTOR_LOWER_SERROR 11
#define VECTOR_NONE 16 /* came back without an exception */

/* Offsets in struct guarded, a run of the reader at EL1. */
#define GUARDED_LIST 0
#define GUARDED_COUNT 8
#define GUARDED_COUNTERS 16
#define GUARDED_STACK 24
#define GUARDED_DAIF 32
#define GUARDED_EXCEPTION 40

/* Offsets in struct worker_call, a call of a function at EL1 from EL2. */
#define WORKER_FUNCTION 0
#define WORKER_ARGUMENT 8
#define WORKER_STACK 16
#define WORKER_EXCEPTION 24

/* Offsets in struct guarded_call, a call of a function at the exception level of its caller. */
#define CALL_FUNCTION 0
#define CALL_ARGUMENT 8
#define CALL_STACK 16
#define CALL_EXCEPTION 24

/* Offsets in struct exception. */
#define EXCEPTION_VECTOR 0
#define EXCEPTION_SYNDROME 8
#define EXCEPTION_ADDRESS 16
#define EXCEPTION_PC 24

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* How the code ended: by which exception, or by none. */
struct exception {
    uint64_t vector;   /* VECTOR_… */
    uint64_t syndrome; /* ESR_ELx, FAR_ELx, ELR_ELx */
    uint64_t address;
    uint64_t pc;
};

/* A run of the reader at EL1 (guard.h). */
struct guarded {
    struct reading *list;
    uint64_t count;
    uint64_t counters; /* enum reader_counters */
    uint64_t stack;    /* for the kernels */
    uint64_t daif;     /* PSTATE.DAIF while they run */
    struct exception exception;
};

/* A call of a function at EL1 from EL2 (worker.h). */
struct worker_call {
    void (*function)(void *argument);
    void *argument;
    uint64_t stack; /* top of the worker's own stack */
    struct exception exception;
};

/* A call of a function at the exception level of its caller (call.h). */
struct guarded_call {
    void (*function)(void *argument);
    void *argument;
    uint64_t stack; /* top of the function's */
    struct exception exception;
};

_Static_assert(offsetof(struct guarded_call, function) == CALL_FUNCTION, "call.S");
_Static_assert(offsetof(struct guarded_call, argument) == CALL_ARGUMENT, "call.S");
_Static_assert(offsetof(struct guarded_call, stack) == CALL_STACK, "call.S");
_Static_assert(offsetof(struct guarded_call, exception) == CALL_EXCEPTION, "call.S");
_Static_assert(offsetof(struct guarded, list) == GUARDED_LIST, "guard.S");
_Static_assert(offsetof(struct guarded, count) == GUARDED_COUNT, "guard.S");
_Static_assert(offsetof(struct guarded, counters) == GUARDED_COUNTERS, "guard.S");
_Static_assert(offsetof(struct guarded, stack) == GUARDED_STACK, "guard.S");
_Static_assert(offsetof(struct guarded, daif) == GUARDED_DAIF, "guard.S");
_Static_assert(offsetof(struct guarded, exception) == GUARDED_EXCEPTION, "guard.S");
_Static_assert(offsetof(struct worker_call, function) == WORKER_FUNCTION, "worker.S");
_Static_assert(offsetof(struct worker_call, argument) == WORKER_ARGUMENT, "worker.S");
_Static_assert(offsetof(struct worker_call, stack) == WORKER_STACK, "worker.S");
_Static_assert(offsetof(struct worker_call, exception) == WORKER_EXCEPTION, "worker.S");
_Static_assert(offsetof(struct exception, vector) == EXCEPTION_VECTOR, "guard.S, worker.S");
_Static_assert(offsetof(struct exception, syndrome) == EXCEPTION_SYNDROME, "guard.S, worker.S");
_Static_assert(offsetof(struct exception, address) == EXCEPTION_ADDRESS, "guard.S, worker.S");
_Static_assert(offsetof(struct exception, pc) == EXCEPTION_PC, "guard.S, worker.S");
#endif
#endif
