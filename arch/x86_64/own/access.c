/* Registers of the core in use, each access in a guarded call. */
#include "arch/access.h"

#include "arch/own.h"
#include "arch/window.h"
#include "arch/x86_64/own/call.h"
#include "arch/x86_64/own/instructions.h"

/* An access to a register, for the core in use to make. */
struct register_access {
    uint32_t id;
    uint64_t value;
};

static void read_here(void *access)
{
    struct register_access *a = access;

    a->value = read_msr(a->id);
}

static void write_here(void *access)
{
    const struct register_access *a = access;

    write_msr(a->id, a->value);
}

static bool read_guarded(void *context, uint32_t id, uint64_t *value)
{
    struct register_access a = {.id = id};

    (void)context;
    if (own_call(read_here, &a).end != WINDOW_RAN)
        return false;
    *value = a.value;
    return true;
}

static bool write_guarded(void *context, uint32_t id, uint64_t value)
{
    (void)context;
    return own_call(write_here, &(struct register_access){id, value}).end == WINDOW_RAN;
}

/* A leaf of CPUID, for the core in use to read. */
struct leaf {
    uint32_t leaf, subleaf;
    struct cpuid registers;
};

static void cpuid_here(void *leaf)
{
    struct leaf *l = leaf;

    l->registers = cpuid_known(l->leaf, l->subleaf);
}

static void cpuid_known_of(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    struct leaf l = {.leaf = leaf, .subleaf = subleaf};

    (void)context;
    on_core(cpuid_here, &l, FIRMWARE_LATER_MS);
    out[0] = l.registers.eax;
    out[1] = l.registers.ebx;
    out[2] = l.registers.ecx;
    out[3] = l.registers.edx;
}

void own_access(struct access *out)
{
    *out = (struct access){.read = read_guarded, .write = write_guarded, .cpuid = cpuid_known_of};
}
