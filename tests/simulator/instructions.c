/* Instructions that the simulator counts or executes itself. */
#include <string.h>

#include "tests/simulator/clock.h"
#include "tests/simulator/simulator.h"

enum { HOOKS = 4096 };

void on_instruction(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    (void)u, (void)size, (void)context;
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

static void on_rdtsc(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    (void)u, (void)size, (void)context;
    const uint64_t ticks = (clock_at(address) + sim.slept_ns) / sim.tick_cycles;
    set(UC_X86_REG_RAX, 0, ticks & UINT32_MAX);
    set(UC_X86_REG_RDX, 0, ticks >> 32);
    set(UC_X86_REG_RIP, 0, address + 2);
}

/*
 * A process may not read IA32_APERF. Unicorn allows it, so that the reader can be tested as in a window of the booted
 * image.
 */
static void on_rdmsr(uc_engine *u, uint64_t address, uint32_t size, void *context)
{
    const uint64_t aperf = get(UC_X86_REG_RCX, 0) == 0xe8 && !sim.no_counter ? sim.instructions : 0;
    (void)u, (void)size, (void)context;
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

void hook_special(const uint8_t *code, uint64_t at, uint64_t bytes)
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
