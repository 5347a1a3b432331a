#include "arch/aarch64/own/faults.h"

#include <stdbool.h>
#include <stddef.h>

/* ESR_ELx.EC (Arm ARM DDI 0487, D19.2), and whether FAR_ELx then holds an address (D19.2). */
static const struct {
    uint8_t class;
    bool has_address;
    const char *name;
} classes[] = {
    {0x00, false, "undefined-instruction"},
    {0x01, false, "wait-instruction"},
    {0x07, false, "vector-trap"},
    {0x09, false, "pointer-authentication-trap"},
    {0x0d, false, "branch-target"},
    {0x0e, false, "illegal-state"},
    {0x15, false, "supervisor-call"},
    {0x16, false, "hypervisor-call"},
    {0x17, false, "secure-monitor-call"},
    {0x18, false, "system-register"},
    {0x19, false, "sve-trap"},
    {0x1c, false, "pointer-authentication"},
    {0x1d, false, "sme-trap"},
    {0x20, true, "instruction-abort"},
    {0x21, true, "instruction-abort"},
    {0x22, true, "pc-alignment"},
    {0x24, true, "data-abort"},
    {0x25, true, "data-abort"},
    {0x26, false, "sp-alignment"},
    {0x27, false, "memory-copy"},
    {0x2c, false, "floating-point"},
    {0x2f, false, "serror"},
    {0x30, false, "breakpoint"},
    {0x31, false, "breakpoint"},
    {0x32, false, "software-step"},
    {0x33, false, "software-step"},
    {0x34, true, "watchpoint"},
    {0x35, true, "watchpoint"},
    {0x3c, false, "breakpoint"},
};

/* ISS of an abort: FnV, the fault address register is not valid (Arm ARM D19.2, bit 10). */
#define ADDRESS_NOT_VALID (UINT64_C(1) << 10)

struct fault fault_describe(uint64_t syndrome, uint64_t address, uint64_t pc)
{
    struct fault f = {.vector = "exception", .syndrome = syndrome, .pc = pc};
    unsigned class = exception_class(syndrome);
    bool abort = class == 0x20 || class == 0x21 || class == 0x24 || class == 0x25;

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].class != class)
            continue;
        f.vector = classes[i].name;
        if (classes[i].has_address && !(abort && (syndrome & ADDRESS_NOT_VALID)))
            f.address = address;
    }
    return f;
}

struct fault fault_serror(uint64_t syndrome, uint64_t pc)
{
    return (struct fault){.vector = "serror", .syndrome = syndrome, .pc = pc};
}
