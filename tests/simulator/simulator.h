/* What the parts of the simulator share. */
#ifndef FATHOM_TESTS_SIMULATOR_H
#define FATHOM_TESTS_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

enum { PAGE_BYTES = 4096, SIGNALS = 65, DESCRIPTORS = 16, FIRST_DESCRIPTOR = 3, RT_SIGRETURN = 139 };
#define MAPS_AT UINT64_C(0x40000000) /* from here on upwards lies what the program maps */
#define HEAP_AT UINT64_C(0x20000000)
#define HEAP_BYTES (UINT64_C(64) << 20)
#define RETURN_AT UINT64_C(0x38000000) /* code that returns from a signal handler */

/* A file of memory that is mapped twice: writable at one address, executable at another. */
struct shared {
    uint8_t *bytes;
    uint64_t size;
    uint64_t runs_at, runs_end; /* the executable addresses; its pages may be there in any order, and several times */
    bool translated;            /* executed since the last write to it */
};

extern struct simulator {
    uc_engine *uc;
    bool arm, no_timer, no_counter;
    bool bare;            /* hardly any system calls, and no file may be opened */
    uint64_t tick_cycles; /* from one tick of the time stamp to the next */
    uint64_t instructions, slept_ns;
    uint64_t heap_end, next_map;
    struct shared shared[DESCRIPTORS];
    struct {
        uint64_t handler, flags, restorer, mask;
    } actions[SIGNALS];
    uint64_t alternate_stack, alternate_bytes;
    int status;
} sim;

/* Ends the simulator with status 125 and this message. */
void die(const char *why, uint64_t number);
/* Dies of an error of Unicorn. */
void uc(uc_err error);

/* A register of the program: its Unicorn names on x86-64 and AArch64. */
uint64_t get(int x86, int arm);
void set(int x86, int arm, uint64_t value);
/* Register Xi of AArch64, Unicorn's name. */
int register_at(unsigned i);

/* Zeroed memory of the simulator, to be mapped into the program; dies where there is none. */
void *host_memory(uint64_t bytes);
/* The program's memory. */
void put(uint64_t at, const void *bytes, size_t count);
void put_number(uint64_t at, uint64_t value);
uint64_t number_at(uint64_t at);

/* The time of day: one nanosecond for each cycle, and what the program slept. */
uint64_t now_ns(void);

/* ---- signals.c ------------------------------------------------------------------------------------- */

/* Enters the program's handler of a signal (AArch64) that interrupted it at pc; dies where there is no handler. */
void deliver(int number, uint64_t pc);
/* What the system call rt_sigreturn does. */
void signal_return(void);

/* ---- instructions.c -------------------------------------------------------------------------------- */

/* Unicorn's hook before every instruction: counts it, and executes those that note_special was told of. */
void on_instruction(uc_engine *u, uint64_t address, uint32_t size, void *context);
/* Unicorn's hook of writes to a file of memory that is also executable, whose struct shared is the context. */
void on_code_write(uc_engine *u, uc_mem_type type, uint64_t address, int size, int64_t value, void *context);
/* Finds the few instructions that are not left to Unicorn, in code that lies at `at` in the program. */
void note_special(const uint8_t *code, uint64_t at, uint64_t bytes);

/* ---- calls.c --------------------------------------------------------------------------------------- */

/* Unicorn's hooks of system calls, and on AArch64 of undefined instructions. */
void on_syscall_x86(uc_engine *u, void *context);
void on_exception_arm(uc_engine *u, uint32_t number, void *context);

#endif
