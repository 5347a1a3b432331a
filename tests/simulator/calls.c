/* System calls of Linux, no more of them than the program under test needs. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/simulator/simulator.h"

static uint64_t map(uint64_t bytes, void *host, uint32_t protection)
{
    uint64_t at = sim.next_map;

    bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uc(uc_mem_map_ptr(sim.uc, at, bytes, protection, host ? host : host_memory(bytes)));
    sim.next_map += bytes + PAGE_BYTES; /* unmapped addresses are not used again: the program maps little */
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

/* Maps pages of a file over what is mapped at `at`: a process that orders frames does so piece by piece. */
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

/* A file of memory. It outlives the closing of its descriptor, because it stays mapped. */
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

/* What a simulator of a core has (x86-64's numbers): output, memory, time, and the end of the program. */
static bool is_basic(uint64_t number)
{
    static const uint16_t basic[] = {1, 2, 9, 10, 11, 12, 20, 28, 60, 63, 158, 228, 231, 257, 318};

    for (size_t i = 0; i < sizeof basic / sizeof basic[0]; i++)
        if (basic[i] == number)
            return true;
    return false;
}

/* Only what becomes executable is changed: everything else can be read and written from the beginning. */
static uint64_t protect(uint64_t at, uint64_t bytes, uint64_t protection)
{
    if (protection & PROT_EXEC)
        uc(uc_mem_protect(sim.uc, at, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, UC_PROT_ALL));
    return 0;
}

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux. */
static uint64_t system_call(uint64_t number, const uint64_t a[6])
{
    static const struct {
        uint16_t x86, arm;
    } same[] = {{1, 64},    {9, 222},   {12, 214},  {13, 134},  {14, 135}, {20, 66},   {28, 233},  {35, 101},
                {38, 103},  {60, 93},   {63, 160},  {77, 46},   {98, 165}, {99, 179},  {131, 132}, {158, 999},
                {201, 998}, {203, 122}, {204, 123}, {228, 113}, {231, 94}, {230, 115}, {309, 168}, {318, 278},
                {319, 279}, {999, 139}, {3, 57},    {10, 226},  {11, 215}, {218, 96},  {273, 99},  {302, 261},
                {186, 178}, {16, 29},   {26, 227},  {257, 56}};

    for (size_t i = 0; sim.arm && i < sizeof same / sizeof same[0]; i++)
        if (same[i].arm == number) {
            number = same[i].x86;
            break;
        } else if (i + 1 == sizeof same / sizeof same[0]) {
            return (uint64_t)-ENOSYS;
        }
    if (sim.bare && !is_basic(number))
        return (uint64_t)-ENOSYS;
    switch (number) {
    case 2:
    case 257: /* open, openat */
        if (sim.bare)
            die("the program opens a file of the machine that simulates", number);
        return (uint64_t)-ENOSYS;
    case 1: return output(a[0], a[1], a[2]);         /* write */
    case 20: return output_vector(a[0], a[1], a[2]); /* writev */
    case 10: return protect(a[0], a[1], a[2]);
    case 9: /* mmap */
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
    case 11:                                 /* munmap */
    case 28:                                 /* madvise */
    case 14:                                 /* rt_sigprocmask: nothing is ever blocked */
    case 203:                                /* sched_setaffinity: to the one core there is */
    case 273: return 0;                      /* set_robust_list */
    case 38: return 0;  /* setitimer: no kernel hangs here; if one does, the caller's time limit ends it */
    case 186:           /* gettid */
    case 218: return 1; /* set_tid_address */
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
    case 98: return zeros(a[1], 144); /* getrusage: no other process ever runs */
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

void on_syscall_x86(uc_engine *u, void *context)
{
    const uint64_t a[6] = {get(UC_X86_REG_RDI, 0), get(UC_X86_REG_RSI, 0), get(UC_X86_REG_RDX, 0),
                           get(UC_X86_REG_R10, 0), get(UC_X86_REG_R8, 0),  get(UC_X86_REG_R9, 0)};
    (void)u, (void)context;
    set(UC_X86_REG_RAX, 0, system_call(get(UC_X86_REG_RAX, 0), a));
}

void on_exception_arm(uc_engine *u, uint32_t number, void *context)
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
    if (call == RT_SIGRETURN) {
        signal_return();
        return;
    }
    for (unsigned i = 0; i < 6; i++)
        a[i] = get(0, register_at(i));
    set(0, UC_ARM64_REG_X0, system_call(call, a));
}
