/* Access to system registers by number, at the exception level of the firmware; an access that faults is caught. */
#include "arch/aarch64/own/call.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/system_registers.h"
#include "arch/own.h"

/* In access.S. */
uint64_t guarded_access_el1(uintptr_t code, uint64_t value, uint64_t *faulted);
uint64_t guarded_access_el2(uintptr_t code, uint64_t value, uint64_t *faulted);

enum { LIMIT_MS = 1000 }; /* for one instruction on another core: if that has not returned, the core has hung */

/* One access, on its way to the core in use and back. */
struct request {
    uintptr_t code;
    uint64_t value, faulted;
};

static void access_here(void *request)
{
    struct request *r = request;

    r->value = own.level == 2 ? guarded_access_el2(r->code, r->value, &r->faulted)
                              : guarded_access_el1(r->code, r->value, &r->faulted);
}

static bool guarded(uintptr_t code, uint64_t *value)
{
    struct request r = {.code = code, .value = *value};

    if (!own_on_core(access_here, &r, LIMIT_MS) || r.faulted)
        return false;
    *value = r.value;
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
