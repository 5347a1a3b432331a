/*
 * A small simulator in which the Linux program runs: Unicorn executes its instructions, this file answers its
 * system calls. It counts instructions exactly, and time is their number: one instruction is one cycle of one
 * nanosecond. It can take the cycle counter away, and on AArch64 the generic timer, as some simulators and
 * kernels do.
 *
 * usage: simulator [--no-timer] [--no-counter] PROGRAM ARGUMENT...
 *
 * PROGRAM is a static ELF executable. Its output is its own; the last line on standard error is the number of
 * instructions, and the exit status is the program's. What a system call does here is no more than fathom needs:
 * there are no files, no other processes, and signals come only from undefined instructions (AArch64).
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <unicorn/unicorn.h>

enum { PAGE_BYTES = 4096, SIGNALS = 65, DESCRIPTORS = 16, FIRST_DESCRIPTOR = 3, HOOKS = 4096 };
static const uint64_t HEAP_AT = 0x20000000, HEAP_BYTES = 64 << 20, STACK_TOP = 0x30000000, STACK_BYTES = 8 << 20;
static const uint64_t RETURN_AT = 0x38000000, MAPS_AT = 0x40000000;
static const uint64_t TIMER_DIVIDER = 10; /* the generic timer counts at 100 MHz */

/* Memory that was mapped twice, to be written here and executed there. */
struct shared {
    uint8_t *bytes;
    uint64_t size;
    uint64_t runs_at, runs_end; /* where it is executable; pages of it may be there in any order, and more than once */
    bool translated;            /* executed since it was written last */
};

static struct {
    uc_engine *uc;
    bool arm, no_timer, no_counter;
    uint64_t instructions, slept_ns;
    uint64_t heap_end, next_map;
    struct shared shared[DESCRIPTORS];
    struct {
        uint64_t handler, flags, restorer, mask;
    } actions[SIGNALS];
    uint64_t alternate_stack, alternate_bytes;
    int status;
} sim;

static void die(const char *why, uint64_t number)
{
    fprintf(stderr, "simulator: %s (0x%llx)\n", why, (unsigned long long)number);
    exit(125);
}

static void uc(uc_err error)
{
    if (error != UC_ERR_OK)
        die(uc_strerror(error), (uint64_t)error);
}

static uint64_t get(int x86, int arm)
{
    uint64_t value = 0;
    uc(uc_reg_read(sim.uc, sim.arm ? arm : x86, &value));
    return value;
}

static void set(int x86, int arm, uint64_t value)
{
    uc(uc_reg_write(sim.uc, sim.arm ? arm : x86, &value));
}

static void *host_memory(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        die("out of memory", bytes);
    return p;
}

static void put(uint64_t at, const void *bytes, size_t count)
{
    uc(uc_mem_write(sim.uc, at, bytes, count));
}

static void put_number(uint64_t at, uint64_t value)
{
    put(at, &value, sizeof value);
}

static uint64_t number_at(uint64_t at)
{
    uint64_t value;
    uc(uc_mem_read(sim.uc, at, &value, sizeof value));
    return value;
}

static uint64_t now_ns(void)
{
    return sim.instructions + sim.slept_ns;
}

/* ---- Signals (AArch64): struct rt_sigframe of Linux, arch/arm64/kernel/signal.c ---------------- */

enum { INFO_BYTES = 128, CONTEXT_AT = 128, MACHINE_AT = CONTEXT_AT + 176, RESERVED_BYTES = 4096 };
enum { FRAME_BYTES = MACHINE_AT + 8 * 36 + RESERVED_BYTES };

static int register_at(unsigned i)
{
    return i < 29 ? UC_ARM64_REG_X0 + (int)i : i == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30;
}

static void deliver(int number, uint64_t pc)
{
    static const uint8_t zero[FRAME_BYTES];
    if (!sim.arm || !sim.actions[number].handler)
        die("a signal that nobody handles, at", pc);
    uint64_t sp = get(0, UC_ARM64_REG_SP);
    uint64_t top = sim.alternate_bytes ? sim.alternate_stack + sim.alternate_bytes : sp;
    uint64_t frame = (top - FRAME_BYTES) & ~UINT64_C(15);

    put(frame, zero, sizeof zero);
    put_number(frame, (uint64_t)number);
    for (unsigned i = 0; i < 31; i++)
        put_number(frame + MACHINE_AT + 8 + 8 * i, get(0, register_at(i)));
    put_number(frame + MACHINE_AT + 8 * 32, sp);
    put_number(frame + MACHINE_AT + 8 * 33, pc);
    put_number(frame + MACHINE_AT + 8 * 34, get(0, UC_ARM64_REG_NZCV));
    set(0, UC_ARM64_REG_X0, (uint64_t)number);
    set(0, UC_ARM64_REG_X1, frame);
    set(0, UC_ARM64_REG_X2, frame + CONTEXT_AT);
    set(0, UC_ARM64_REG_X30, RETURN_AT);
    set(0, UC_ARM64_REG_SP, frame);
    set(0, UC_ARM64_REG_PC, sim.actions[number].handler);
}

static void signal_return(void)
{
    uint64_t machine = get(0, UC_ARM64_REG_SP) + MACHINE_AT;
    uint64_t sp = number_at(machine + 8 * 32), pc = number_at(machine + 8 * 33), flags = number_at(machine + 8 * 34);

    for (unsigned i = 0; i < 31; i++)
        set(0, register_at(i), number_at(machine + 8 + 8 * i));
    set(0, UC_ARM64_REG_NZCV, flags);
    set(0, UC_ARM64_REG_SP, sp);
    set(0, UC_ARM64_REG_PC, pc);
}

/* ---- Instructions ------------------------------------------------------------------------------ */

static void on_instruction(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    (void)u, (void)size, (void)context;
    sim.instructions++;
    for (unsigned i = 0; i < DESCRIPTORS && address >= MAPS_AT; i++)
        if (address >= sim.shared[i].runs_at && address < sim.shared[i].runs_end)
            sim.shared[i].translated = true;
}

/* Unicorn does not know that what is written here runs there. */
static void on_code_write(uc_engine *u, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    struct shared *s = context;
    (void)type, (void)address, (void)size, (void)value;
    if (s->translated)
        uc(uc_ctl_remove_cache(u, s->runs_at, s->runs_end));
    s->translated = false;
}

static void on_rdtsc(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    (void)u, (void)size, (void)context;
    set(UC_X86_REG_RAX, 0, now_ns() & UINT32_MAX);
    set(UC_X86_REG_RDX, 0, now_ns() >> 32);
    set(UC_X86_REG_RIP, 0, address + 2);
}

/* A process may not read IA32_APERF. Unicorn lets it, and what windows of the booted image do can be seen. */
static void on_rdmsr(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    const uint64_t aperf = get(UC_X86_REG_RCX, 0) == 0xe8 && !sim.no_counter ? sim.instructions : 0;
    (void)u, (void)size, (void)context;
    set(UC_X86_REG_RAX, 0, aperf & UINT32_MAX);
    set(UC_X86_REG_RDX, 0, aperf >> 32);
    set(UC_X86_REG_RIP, 0, address + 2);
}

/* MRS Xt of what a process may be refused: op0, op1, CRn, CRm, op2 as in the instruction (Arm ARM DDI 0487, D19). */
enum {
    MRS_MASK = 0xffffffe0,
    MRS_CNTFRQ = 0xd53be000,
    MRS_CNTVCT = 0xd53be040,
    MRS_PMCCNTR = 0xd53b9d00,
    MRS_PMEVCNTR0 = 0xd53be800
};

static void on_mrs(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    uint32_t instruction = 0;
    uint64_t value = 0;
    bool refused = true;
    (void)size, (void)context;

    uc(uc_mem_read(u, address, &instruction, sizeof instruction));
    switch (instruction & MRS_MASK) {
    case MRS_CNTFRQ:
        refused = sim.no_timer;
        value = 1000000000 / TIMER_DIVIDER;
        break;
    case MRS_CNTVCT:
        refused = sim.no_timer;
        value = now_ns() / TIMER_DIVIDER;
        break;
    case MRS_PMCCNTR: /* it stands still while the core sleeps */
        refused = sim.no_counter;
        value = sim.instructions;
        break;
    default: break; /* no event counters */
    }
    if (refused) {
        deliver(4, address); /* SIGILL */
        return;
    }
    if ((instruction & 31) != 31)
        set(0, register_at(instruction & 31), value);
    set(0, UC_ARM64_REG_PC, address + 4);
}

/* The few instructions that are not left to Unicorn, wherever they stand in the program's code. */
static void hook_special(const uint8_t *code, uint64_t at, uint64_t bytes)
{
    static unsigned hooks;

    for (uint64_t i = 0; i + 4 <= bytes; i += sim.arm ? 4 : 1) {
        uint32_t word;
        uc_hook hook;
        memcpy(&word, code + i, sizeof word);
        word &= sim.arm ? MRS_MASK : 0xffff;
        void *handler = NULL;
        if (sim.arm && (word == MRS_CNTFRQ || word == MRS_CNTVCT || word == MRS_PMCCNTR || word == MRS_PMEVCNTR0))
            handler = (void *)on_mrs;
        else if (!sim.arm && (word == 0x310f || word == 0x320f)) /* 0F 31: RDTSC, 0F 32: RDMSR */
            handler = word == 0x310f ? (void *)on_rdtsc : (void *)on_rdmsr;
        if (handler && hooks++ < HOOKS)
            uc(uc_hook_add(sim.uc, &hook, UC_HOOK_CODE, handler, NULL, at + i, at + i));
    }
}

/* ---- System calls ------------------------------------------------------------------------------ */

static uint64_t map(uint64_t bytes, void *host, uint32_t protection)
{
    uint64_t at = sim.next_map;

    bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uc(uc_mem_map_ptr(sim.uc, at, bytes, protection, host ? host : host_memory(bytes)));
    sim.next_map += bytes + PAGE_BYTES; /* what is unmapped is not used again: programs here map little */
    return at;
}

static uint64_t map_file(uint64_t descriptor, uint64_t bytes, uint64_t protection)
{
    struct shared *s = descriptor < DESCRIPTORS ? &sim.shared[descriptor] : NULL;
    uc_hook hook;

    if (!s || !s->bytes || bytes > s->size)
        return (uint64_t)-EINVAL;
    uint64_t at = map(bytes, s->bytes,
                      protection & PROT_EXEC ? UC_PROT_READ | UC_PROT_EXEC : UC_PROT_READ | UC_PROT_WRITE);
    if (protection & PROT_EXEC) {
        s->runs_at = at;
        s->runs_end = at + s->size;
    } else {
        uc(uc_hook_add(sim.uc, &hook, UC_HOOK_MEM_WRITE, (void *)on_code_write, s, at, at + s->size - 1));
    }
    return at;
}

/* Pages of a file over what is mapped at `at`: a process that orders frames does so piece by piece. */
static uint64_t map_over(uint64_t at, uint64_t bytes, uint64_t protection, uint64_t descriptor, uint64_t offset)
{
    struct shared *s = descriptor < DESCRIPTORS ? &sim.shared[descriptor] : NULL;
    const bool code = protection & PROT_EXEC;

    if (!s || !s->bytes || offset + bytes > s->size)
        return (uint64_t)-EINVAL;
    uc(uc_mem_unmap(sim.uc, at, bytes));
    uc(uc_mem_map_ptr(sim.uc, at, bytes, UC_PROT_READ | (code ? UC_PROT_EXEC : UC_PROT_WRITE), s->bytes + offset));
    if (code) {
        s->runs_at = s->runs_at && s->runs_at < at ? s->runs_at : at;
        s->runs_end = s->runs_end > at + bytes ? s->runs_end : at + bytes;
    }
    return at;
}

/* A file of memory; closing its descriptor leaves it, since it stays mapped. */
static uint64_t make_file(void)
{
    for (unsigned i = FIRST_DESCRIPTOR; i < DESCRIPTORS; i++)
        if (!sim.shared[i].size) {
            sim.shared[i].size = PAGE_BYTES;
            return i;
        }
    return (uint64_t)-EMFILE;
}

static uint64_t resize_file(uint64_t descriptor, uint64_t bytes)
{
    struct shared *s = descriptor < DESCRIPTORS ? &sim.shared[descriptor] : NULL;

    if (!s || !s->size || s->bytes)
        return (uint64_t)-EINVAL;
    s->size = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    s->bytes = host_memory(s->size);
    return 0;
}

static uint64_t output(uint64_t descriptor, uint64_t at, uint64_t count)
{
    uint8_t *bytes = malloc(count + 1);

    if (!bytes || (descriptor != 1 && descriptor != 2))
        die("write to descriptor", descriptor);
    uc(uc_mem_read(sim.uc, at, bytes, count));
    for (uint64_t done = 0; done < count;) {
        ssize_t n = write((int)descriptor, bytes + done, count - done);
        if (n <= 0)
            die("output failed", descriptor);
        done += (uint64_t)n;
    }
    free(bytes);
    return count;
}

static uint64_t output_vector(uint64_t descriptor, uint64_t vector, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += output(descriptor, number_at(vector + 16 * i), number_at(vector + 16 * i + 8));
    return sum;
}

static uint64_t set_action(uint64_t number, uint64_t new, uint64_t old)
{
    if (number >= SIGNALS)
        return (uint64_t)-EINVAL;
    if (old)
        put(old, &sim.actions[number], sizeof sim.actions[number]);
    if (new)
        uc(uc_mem_read(sim.uc, new, &sim.actions[number], sizeof sim.actions[number]));
    return 0;
}

static uint64_t zeros(uint64_t at, size_t count)
{
    static const uint8_t none[512];
    if (at)
        put(at, none, count);
    return 0;
}

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux. */
static uint64_t system_call(uint64_t number, const uint64_t a[6])
{
    static const struct {
        uint16_t x86, arm;
    } same[] = {{1, 64},    {9, 222},   {12, 214},  {13, 134},  {14, 135},  {20, 66},   {28, 233},
                {35, 101},  {38, 103},  {60, 93},   {63, 160},  {77, 46},   {98, 165},  {99, 179},
                {131, 132}, {158, 999}, {201, 998}, {203, 122}, {204, 123}, {228, 113}, {231, 94},
                {230, 115}, {309, 168}, {318, 278}, {319, 279}, {999, 139}, {3, 57},    {10, 226},
                {11, 215},  {218, 96},  {273, 99},  {302, 261}, {186, 178}, {16, 29},   {26, 227}};

    for (size_t i = 0; sim.arm && i < sizeof same / sizeof same[0]; i++)
        if (same[i].arm == number) {
            number = same[i].x86;
            break;
        } else if (i + 1 == sizeof same / sizeof same[0]) {
            return (uint64_t)-ENOSYS;
        }
    switch (number) {
    case 1: return output(a[0], a[1], a[2]);         /* write */
    case 20: return output_vector(a[0], a[1], a[2]); /* writev */
    case 9:                                          /* mmap */
        if (a[3] & MAP_FIXED)
            return map_over(a[0], a[1], a[2], a[4], a[5]);
        return a[3] & MAP_ANONYMOUS ? map(a[1], NULL, UC_PROT_READ | UC_PROT_WRITE) : map_file(a[4], a[1], a[2]);
    case 12: /* brk */
        if (a[0] >= HEAP_AT && a[0] <= HEAP_AT + HEAP_BYTES)
            sim.heap_end = a[0];
        return sim.heap_end;
    case 319: return make_file();            /* memfd_create */
    case 77: return resize_file(a[0], a[1]); /* ftruncate */
    case 3:                                  /* close */
    case 10:                                 /* mprotect */
    case 11:                                 /* munmap */
    case 28:                                 /* madvise */
    case 14:                                 /* rt_sigprocmask: nothing is ever blocked */
    case 203:                                /* sched_setaffinity: to the one core there is */
    case 273: return 0;                      /* set_robust_list */
    case 38: return 0;                       /* setitimer: no kernel hangs here, or the caller's patience ends it */
    case 186:                                /* gettid */
    case 218: return 1;                      /* set_tid_address */
    case 13: return set_action(a[0], a[1], a[2]); /* rt_sigaction */
    case 131:                                     /* sigaltstack: its address, flags, size */
        if (a[0]) {
            sim.alternate_stack = number_at(a[0]);
            sim.alternate_bytes = number_at(a[0] + 16);
        }
        return 0;
    case 204: /* sched_getaffinity */
        zeros(a[2], 8);
        put(a[2], "\1", 1);
        return 8;
    case 309: /* getcpu */ zeros(a[0], 4); return zeros(a[1], 4);
    case 35: /* nanosleep */ sim.slept_ns += number_at(a[0]) * 1000000000 + number_at(a[0] + 8); return 0;
    case 230: /* clock_nanosleep, relative */
        sim.slept_ns += number_at(a[2]) * 1000000000 + number_at(a[2] + 8);
        return 0;
    case 228: /* clock_gettime */
        put_number(a[1], now_ns() / 1000000000);
        put_number(a[1] + 8, now_ns() % 1000000000);
        return 0;
    case 98: return zeros(a[1], 144); /* getrusage: nobody else ever runs */
    case 99:                          /* sysinfo: totalram */
        zeros(a[0], 112);
        put_number(a[0] + 32, 1 << 30);
        put(a[0] + 104, "\1", 1);
        return 0;
    case 63: { /* uname: six fields */
        static char names[6][65] = {"Linux", "simulator", "6.1.0", "#1", "", ""};
        strcpy(names[4], sim.arm ? "aarch64" : "x86_64");
        put(a[0], names, sizeof names);
        return 0;
    }
    case 158: /* arch_prctl: ARCH_SET_FS */
        if (a[0] != 0x1002)
            return (uint64_t)-EINVAL;
        set(UC_X86_REG_FS_BASE, 0, a[1]);
        return 0;
    case 318: return zeros(a[0], a[1] < 512 ? a[1] : 512), a[1]; /* getrandom: the same in every run */
    case 60:
    case 231: /* exit_group */
        sim.status = (int)a[0];
        uc(uc_emu_stop(sim.uc));
        return 0;
    default: return (uint64_t)-ENOSYS;
    }
}

static void on_syscall_x86(uc_engine *u, void *context)
{
    const uint64_t a[6] = {get(UC_X86_REG_RDI, 0), get(UC_X86_REG_RSI, 0), get(UC_X86_REG_RDX, 0),
                           get(UC_X86_REG_R10, 0), get(UC_X86_REG_R8, 0),  get(UC_X86_REG_R9, 0)};
    (void)u, (void)context;
    set(UC_X86_REG_RAX, 0, system_call(get(UC_X86_REG_RAX, 0), a));
}

static void on_exception_arm(uc_engine *u, uint32_t number, void *context)
{
    enum { UNDEFINED = 1, SUPERVISOR_CALL = 2 }; /* EXCP_UDEF, EXCP_SWI of QEMU */
    uint64_t a[6], call = get(0, UC_ARM64_REG_X8);
    (void)u, (void)context;

    if (number == UNDEFINED) {
        deliver(4, get(0, UC_ARM64_REG_PC)); /* SIGILL */
        return;
    }
    if (number != SUPERVISOR_CALL)
        die("exception", number);
    if (call == 139) { /* rt_sigreturn */
        signal_return();
        return;
    }
    for (unsigned i = 0; i < 6; i++)
        a[i] = get(0, register_at(i));
    set(0, UC_ARM64_REG_X0, system_call(call, a));
}

/* ---- The program ------------------------------------------------------------------------------- */

/* Maps the executable; returns where it is entered, and fills in the auxiliary vector's part about it. */
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
                hook_special(image + part[i].p_offset, part[i].p_vaddr, part[i].p_filesz);
        }
    const uint64_t values[6] = {AT_PHDR, low + head->e_phoff, AT_PHNUM, head->e_phnum, AT_PHENT, sizeof *part};
    memcpy(auxiliary, values, sizeof values);
    return head->e_entry;
}

/* The stack as a program finds it: the count of arguments, they, no environment, the auxiliary vector. */
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
    static const uint32_t trampoline[] = {0xd2801168, 0xd4000001}; /* mov x8, #139; svc #0 */
    uint64_t auxiliary[6];
    uc_hook hook;
    int i = 1;

    for (; i < count && words[i][0] == '-'; i++)
        if (!strcmp(words[i], "--no-timer"))
            sim.no_timer = true;
        else if (!strcmp(words[i], "--no-counter"))
            sim.no_counter = true;
        else
            die("unknown option", 0);
    if (i == count)
        die("which program?", 0);

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
