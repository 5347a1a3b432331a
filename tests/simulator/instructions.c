/* Instructions that the simulator counts or executes itself. */
#include <string.h>

#include "tests/simulator/clock.h"
#include "tests/simulator/simulator.h"

/*
 * Instructions that the simulator executes itself, by their addresses: open addressing with linear probing. Unicorn
 * walks the list of all hooks at every instruction, so that there is a single one.
 */
enum { SPECIAL_BITS = 13, SPECIAL = 1 << SPECIAL_BITS, SPECIAL_MOST = SPECIAL / 2 };

typedef void handler(uint64_t address);

static struct special {
    uint64_t at; /* 0: free */
    handler *handle;
} specials[SPECIAL];

/* The entry of that address, or the free one where it belongs. */
static struct special *special_of(uint64_t address)
{
    size_t i = address * 0x9e3779b97f4a7c15 >> (64 - SPECIAL_BITS); /* Fibonacci hashing (TAOCP vol. 3, 6.4) */

    while (specials[i].at && specials[i].at != address)
        i = (i + 1) % SPECIAL;
    return &specials[i];
}

void on_instruction(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    const struct special *s = special_of(address);
    (void)u, (void)size, (void)context;

    if (s->at)
        s->handle(address);
    sim.instructions++;
    for (unsigned i = 0; i < DESCRIPTORS && address >= MAPS_AT; i++)
        if (address >= sim.shared[i].runs_at && address < sim.shared[i].runs_end)
            sim.shared[i].translated = true;
}

/* Unicorn does not know that the same memory is executable elsewhere: its translations there are dropped. */
void on_code_write(uc_engine *u, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    struct shared *s = context;
    (void)type, (void)address, (void)size, (void)value;
    if (s->translated)
        uc(uc_ctl_remove_cache(u, s->runs_at, s->runs_end));
    s->translated = false;
}

static void on_rdtsc(uint64_t address)
{
    const uint64_t ticks = (clock_at(address) + sim.slept_ns) / sim.tick_cycles;
    set(UC_X86_REG_RAX, 0, ticks & UINT32_MAX);
    set(UC_X86_REG_RDX, 0, ticks >> 32);
    set(UC_X86_REG_RIP, 0, address + 2);
}

/*
 * A process may not read IA32_APERF. Unicorn allows it, so that the reader can be tested as in a window of the booted
 * image.
 */
static void on_rdmsr(uint64_t address)
{
    const uint64_t aperf = get(UC_X86_REG_RCX, 0) == 0xe8 && !sim.no_counter ? sim.instructions : 0;

    set(UC_X86_REG_RAX, 0, aperf & UINT32_MAX);
    set(UC_X86_REG_RDX, 0, aperf >> 32);
    set(UC_X86_REG_RIP, 0, address + 2);
}

/* MRS Xt of registers that a process may not be allowed to read (Arm ARM DDI 0487, D19: op0, op1, CRn, CRm, op2). */
enum {
    MRS_MASK = 0xffffffe0,
    MRS_CNTFRQ = 0xd53be000,
    MRS_CNTVCT = 0xd53be040,
    MRS_PMCCNTR = 0xd53b9d00,
    MRS_PMEVCNTR0 = 0xd53be800
};

static void on_mrs(uint64_t address)
{
    uint32_t instruction = 0;
    uint64_t value = 0;
    bool refused = true;

    uc(uc_mem_read(sim.uc, address, &instruction, sizeof instruction));
    switch (instruction & MRS_MASK) {
    case MRS_CNTFRQ:
        refused = sim.no_timer;
        value = 1000000000 / sim.tick_cycles;
        break;
    case MRS_CNTVCT:
        refused = sim.no_timer;
        value = (clock_at(address) + sim.slept_ns) / sim.tick_cycles;
        break;
    case MRS_PMCCNTR: /* it stands still while the core sleeps */
        refused = sim.no_counter;
        value = sim.instructions;
        break;
    default: break; /* there are no event counters */
    }
    if (refused) {
        deliver(4, address); /* SIGILL */
        return;
    }
    if ((instruction & 31) != 31)
        set(0, register_at(instruction & 31), value);
    set(0, UC_ARM64_REG_PC, address + 4);
}

void note_special(const uint8_t *code, uint64_t at, uint64_t bytes)
{
    static unsigned count;

    for (uint64_t i = 0; i + 4 <= bytes; i += sim.arm ? 4 : 1) {
        uint32_t word;
        memcpy(&word, code + i, sizeof word);
        word &= sim.arm ? MRS_MASK : 0xffff;
        handler *handle = NULL;
        if (sim.arm && (word == MRS_CNTFRQ || word == MRS_CNTVCT || word == MRS_PMCCNTR || word == MRS_PMEVCNTR0))
            handle = on_mrs;
        else if (!sim.arm && (word == 0x310f || word == 0x320f)) /* 0F 31: RDTSC, 0F 32: RDMSR */
            handle = word == 0x310f ? on_rdtsc : on_rdmsr;
        if (!handle)
            continue;
        if (count++ == SPECIAL_MOST)
            die("too many instructions to be executed here", at + i);
        *special_of(at + i) = (struct special){at + i, handle};
    }
}
