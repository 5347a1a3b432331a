#include "arch/x86_64/own/environment.h"

#include <string.h>

#include "arch/own.h"
#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/call.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/state.h"
#include "arch/x86_64/own/vector_state.h"

/* More than note_here writes. */
static struct own_value values[16 + APIC_LOCAL_VECTORS];
static size_t count;

/* Not in a guarded call, where some of them would be ours. */
static void note_here(void *unused)
{
    const uint32_t features = cpuid(1, 0).edx;
    const struct vector_state *found = vector_state_found();
    size_t n = 0;

    (void)unused;
    core.memory_types = (struct memory_types){.known = true};

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
    if (features >> 16 & 1) {
        core.memory_types.pat = read_msr(MSR_PAT);
        values[n++] = (struct own_value){"IA32_PAT", core.memory_types.pat};
    }
    if (features >> 12 & 1) {
        core.memory_types.mtrr_default = read_msr(MSR_MTRR_DEF_TYPE);
        values[n++] = (struct own_value){"IA32_MTRR_DEF_TYPE", core.memory_types.mtrr_default};
    }
    if (core.lfence.switchable) {
        values[n++] = (struct own_value){"DE_CFG", core.lfence.found};
        values[n++] = (struct own_value){"DE_CFG in windows", core.lfence.set};
    }
    count = n + apic_local_values(values + n);
}

bool environment_note(void)
{
    environment_forget();
    return on_core(note_here, NULL, FIRMWARE_LATER_MS);
}

void environment_forget(void)
{
    count = 0;
    core.memory_types.known = false;
}

size_t own_values(struct own_value *out, size_t room)
{
    const size_t n = count < room ? count : room;

    memcpy(out, values, n * sizeof values[0]);
    return n;
}
