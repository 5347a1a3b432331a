/* Control registers of the core in use, for the environment record. */
#include "arch/own.h"
#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/call.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/state.h"
#include "arch/x86_64/own/vector_state.h"

/* Room on the list of own_values: more than values_here writes. */
enum { VALUES = 16 + APIC_LOCAL_VECTORS };

/* For own_values, on the core in use. */
struct values {
    struct own_value *out;
    size_t room, count;
};

static void values_here(void *values_of_core)
{
    struct values *v = values_of_core;
    const uint32_t features = cpuid(1, 0).edx;
    const struct vector_state *found = vector_state_found();
    struct own_value values[VALUES];
    size_t n = 0;

    values[n++] = (struct own_value){"CR0", found->cr0};
    values[n++] = (struct own_value){"CR0 in windows", read_cr0() | CR0_WP};
    values[n++] = (struct own_value){"CR3", read_cr3()};
    values[n++] = (struct own_value){"CR4", found->cr4};
    values[n++] = (struct own_value){"CR4 in windows", window_cr4(read_cr4())};
    values[n++] = (struct own_value){"EFER", read_msr(MSR_EFER)};
    if (read_cr4() & CR4_OSXSAVE) {
        values[n++] = (struct own_value){"XCR0", found->xcr0};
        values[n++] = (struct own_value){"XCR0 in windows", read_xcr0()};
    }
    /* CPUID.01H:EDX says which of these registers there are: [9] APIC, [16] PAT, [12] MTRR. */
    if (features >> 9 & 1)
        values[n++] = (struct own_value){"IA32_APIC_BASE", read_msr(MSR_APIC_BASE)};
    if (features >> 16 & 1)
        values[n++] = (struct own_value){"IA32_PAT", read_msr(MSR_PAT)};
    if (features >> 12 & 1)
        values[n++] = (struct own_value){"IA32_MTRR_DEF_TYPE", read_msr(MSR_MTRR_DEF_TYPE)};
    if (core.lfence.switchable) {
        values[n++] = (struct own_value){"DE_CFG", core.lfence.found};
        values[n++] = (struct own_value){"DE_CFG in windows", core.lfence.set};
    }

    n += apic_local_values(values + n);
    v->count = n < v->room ? n : v->room;
    for (size_t i = 0; i < v->count; i++)
        v->out[i] = values[i];
}

size_t own_values(struct own_value *out, size_t room)
{
    struct values v = {.out = out, .room = room};

    on_core(values_here, &v, FIRMWARE_LATER_MS);
    return v.count;
}
