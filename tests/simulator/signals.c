/* Signals on AArch64: struct rt_sigframe of Linux, arch/arm64/kernel/signal.c. */
#include "tests/simulator/simulator.h"

enum { INFO_BYTES = 128, CONTEXT_AT = 128, MACHINE_AT = CONTEXT_AT + 176, RESERVED_BYTES = 4096 };
enum { FRAME_BYTES = MACHINE_AT + 8 * 36 + RESERVED_BYTES };

void deliver(int number, uint64_t pc)
{
    static const uint8_t zero[FRAME_BYTES];
    if (!sim.arm || !sim.actions[number].handler)
        die("a signal without a handler, at", pc);
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

void signal_return(void)
{
    uint64_t machine = get(0, UC_ARM64_REG_SP) + MACHINE_AT;
    uint64_t sp = number_at(machine + 8 * 32), pc = number_at(machine + 8 * 33), flags = number_at(machine + 8 * 34);

    for (unsigned i = 0; i < 31; i++)
        set(0, register_at(i), number_at(machine + 8 + 8 * i));
    set(0, UC_ARM64_REG_NZCV, flags);
    set(0, UC_ARM64_REG_SP, sp);
    set(0, UC_ARM64_REG_PC, pc);
}
