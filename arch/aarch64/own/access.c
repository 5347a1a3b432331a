/* System registers by number, each access with a way back, at the level the firmware runs at. */
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/system_registers.h"
#include "arch/own.h"

/* In access.S. */
uint64_t guarded_access_el1(uintptr_t code, uint64_t value, uint64_t *faulted);
uint64_t guarded_access_el2(uintptr_t code, uint64_t value, uint64_t *faulted);

static bool guarded(uintptr_t code, uint64_t *value)
{
    uint64_t faulted;
    const uint64_t result = own.level == 2 ? guarded_access_el2(code, *value, &faulted)
                                           : guarded_access_el1(code, *value, &faulted);

    if (faulted)
        return false;
    *value = result;
    return true;
}

static bool read_register(void *context, uint32_t id, uint64_t *value)
{
    struct register_code code;
    uint64_t result = 0;

    (void)context;
    if (!register_code(id, &code) || !guarded((uintptr_t)code.read, &result))
        return false;
    *value = result;
    return true;
}

static bool write_register(void *context, uint32_t id, uint64_t value)
{
    struct register_code code;

    (void)context;
    return register_code(id, &code) && guarded((uintptr_t)code.write, &value);
}

void own_access(struct access *out)
{
    *out = (struct access){.read = read_register, .write = write_register};
}
