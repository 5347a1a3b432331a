/*
 * A small simulator in which the Linux program runs: Unicorn executes its instructions, and the simulator does its
 * system calls. Instructions are counted exactly, and time is in cycles of one nanosecond: one for each instruction, or
 * those of a modelled core (clock.h). The cycle counter, and on AArch64 the generic timer, can be withheld, as some
 * simulators and kernels do.
 *
 * usage: simulator [--no-timer] [--no-counter] [--bare] [--tick=CYCLES] [--core=DESIGN] PROGRAM ARGUMENT...
 * e.g.:  simulator --no-counter build/fathom run clock --profile smoke
 *
 * --bare: only the system calls that simulators of cores have; --tick: cycles from one tick of the time stamp to the
 * next; --core: timed/clock.c. PROGRAM is a static ELF executable for x86-64 or AArch64. Its output is passed on; the
 * last line on standard error is the number of instructions, and the exit status is the program's, or 125 when it
 * cannot be simulated. There are no files, no other processes, and no signals but those of undefined instructions
 * (AArch64).
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/simulator/clock.h"
#include "tests/simulator/simulator.h"

static const uint64_t STACK_TOP = 0x30000000, STACK_BYTES = 8 << 20;

struct simulator sim;

void die(const char *why, uint64_t number)
{
    fprintf(stderr, "simulator: %s (0x%llx)\n", why, (unsigned long long)number);
    exit(125);
}

void uc(uc_err error)
{
    if (error != UC_ERR_OK)
        die(uc_strerror(error), (uint64_t)error);
}

uint64_t get(int x86, int arm)
{
    uint64_t value = 0;
    uc(uc_reg_read(sim.uc, sim.arm ? arm : x86, &value));
    return value;
}

void set(int x86, int arm, uint64_t value)
{
    uc(uc_reg_write(sim.uc, sim.arm ? arm : x86, &value));
}

void *host_memory(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        die("out of memory", bytes);
    return p;
}

void put(uint64_t at, const void *bytes, size_t count)
{
    uc(uc_mem_write(sim.uc, at, bytes, count));
}

void put_number(uint64_t at, uint64_t value)
{
    put(at, &value, sizeof value);
}

uint64_t number_at(uint64_t at)
{
    uint64_t value;
    uc(uc_mem_read(sim.uc, at, &value, sizeof value));
    return value;
}

uint64_t now_ns(void)
{
    return clock_now() + sim.slept_ns;
}

int register_at(unsigned i)
{
    return i < 29 ? UC_ARM64_REG_X0 + (int)i : i == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30;
}

/* ---- The program ------------------------------------------------------------------------------- */

/* Maps the executable and fills in its part of the auxiliary vector. Returns the address at which it is entered. */
static uint64_t load(const char *path, uint64_t auxiliary[6])
{
    int file = open(path, O_RDONLY);
    struct stat info;

    if (file < 0 || fstat(file, &info) != 0)
        die("cannot open the program", (uint64_t)errno);
    const uint8_t *image = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    if (image == MAP_FAILED || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_type != ET_EXEC)
        die("not a static executable", 0);
    sim.arm = head->e_machine == EM_AARCH64;
    uc(uc_open(sim.arm ? UC_ARCH_ARM64 : UC_ARCH_X86, sim.arm ? UC_MODE_ARM : UC_MODE_64, &sim.uc));
    if (sim.arm)
        uc(uc_ctl_set_cpu_model(sim.uc, UC_CPU_ARM64_A72));

    const Elf64_Phdr *part = (const Elf64_Phdr *)(image + head->e_phoff);
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD) {
            low = part[i].p_vaddr < low ? part[i].p_vaddr : low;
            high = part[i].p_vaddr + part[i].p_memsz > high ? part[i].p_vaddr + part[i].p_memsz : high;
        }
    low = low / PAGE_BYTES * PAGE_BYTES;
    high = (high + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uc(uc_mem_map_ptr(sim.uc, low, high - low, UC_PROT_ALL, host_memory(high - low)));
    for (unsigned i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD) {
            put(part[i].p_vaddr, image + part[i].p_offset, part[i].p_filesz);
            if (part[i].p_flags & PF_X)
                note_special(image + part[i].p_offset, part[i].p_vaddr, part[i].p_filesz);
        }
    const uint64_t values[6] = {AT_PHDR, low + head->e_phoff, AT_PHNUM, head->e_phnum, AT_PHENT, sizeof *part};
    memcpy(auxiliary, values, sizeof values);
    return head->e_entry;
}

/* The stack as a program finds it: number of arguments, arguments, no environment, auxiliary vector. Returns SP. */
static uint64_t make_stack(char **arguments, uint64_t count, const uint64_t auxiliary[6])
{
    const uint64_t hwcap = 1 << 0 | 1 << 1 | 1 << 11; /* FP, ASIMD, CPUID: arch/arm64/include/uapi/asm/hwcap.h */
    uint64_t strings = STACK_TOP - 65536, words[96], n = 0;

    if (count > 32)
        die("too many arguments", count);
    uc(uc_mem_map_ptr(sim.uc, STACK_TOP - STACK_BYTES, STACK_BYTES, UC_PROT_READ | UC_PROT_WRITE,
                      host_memory(STACK_BYTES)));
    words[n++] = count;
    for (uint64_t i = 0; i < count; i++) {
        put(strings, arguments[i], strlen(arguments[i]) + 1);
        words[n++] = strings;
        strings += strlen(arguments[i]) + 1;
    }
    words[n++] = 0;
    words[n++] = 0;
    memcpy(words + n, auxiliary, 6 * sizeof *words);
    n += 6;
    const uint64_t rest[] = {AT_PAGESZ, PAGE_BYTES, AT_RANDOM, STACK_TOP - 64, AT_HWCAP, sim.arm ? hwcap : 0, AT_CLKTCK,
                             100,       AT_SECURE,  0,         AT_NULL,        0};
    memcpy(words + n, rest, sizeof rest);
    n += sizeof rest / sizeof *words;
    uint64_t sp = (STACK_TOP - 65536 - n * sizeof *words) & ~UINT64_C(15);
    put(sp, words, n * sizeof *words);
    return sp;
}

int main(int count, char **words)
{
    static const uint32_t trampoline[] = {0xd2801168, 0xd4000001}; /* mov x8, #RT_SIGRETURN; svc #0 */
    uint64_t auxiliary[6];
    const char *design = NULL;
    uc_hook hook;
    int i = 1;

    for (; i < count && words[i][0] == '-'; i++)
        if (!strcmp(words[i], "--no-timer"))
            sim.no_timer = true;
        else if (!strcmp(words[i], "--no-counter"))
            sim.no_counter = true;
        else if (!strcmp(words[i], "--bare"))
            sim.bare = true;
        else if (!strncmp(words[i], "--core=", 7))
            design = words[i] + 7;
        else if (!strncmp(words[i], "--tick=", 7))
            sim.tick_cycles = strtoull(words[i] + 7, NULL, 10);
        else
            die("unknown option", 0);
    if (i == count)
        die("no PROGRAM is given", 0);

    if (sim.tick_cycles == 0)
        sim.tick_cycles = sim.arm ? 10 : 1; /* a generic timer of 100 MHz */
    sim.heap_end = HEAP_AT;
    sim.next_map = MAPS_AT;
    uint64_t entry = load(words[i], auxiliary);
    uc(uc_mem_map_ptr(sim.uc, HEAP_AT, HEAP_BYTES, UC_PROT_READ | UC_PROT_WRITE, host_memory(HEAP_BYTES)));
    uc(uc_mem_map(sim.uc, RETURN_AT, PAGE_BYTES, UC_PROT_READ | UC_PROT_EXEC));
    put(RETURN_AT, trampoline, sizeof trampoline);
    set(UC_X86_REG_RSP, UC_ARM64_REG_SP, make_stack(words + i, (uint64_t)(count - i), auxiliary));
    uc(uc_hook_add(sim.uc, &hook, UC_HOOK_CODE, (void *)on_instruction, NULL, 1, 0));
    if (sim.arm)
        uc(uc_hook_add(sim.uc, &hook, UC_HOOK_INTR, (void *)on_exception_arm, NULL, 1, 0));
    else
        uc(uc_hook_add(sim.uc, &hook, UC_HOOK_INSN, (void *)on_syscall_x86, NULL, 1, 0, UC_X86_INS_SYSCALL));

    clock_start(design);
    uc_err error = uc_emu_start(sim.uc, entry, UINT64_MAX, 0, 0);
    fflush(stdout);
    if (error != UC_ERR_OK) {
        fprintf(stderr, "simulator: %s at pc 0x%llx\n", uc_strerror(error),
                (unsigned long long)get(UC_X86_REG_RIP, UC_ARM64_REG_PC));
        sim.status = 125;
    }
    fprintf(stderr, "%llu instructions\n", (unsigned long long)sim.instructions);
    return sim.status;
}
