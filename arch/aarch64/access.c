#include "arch/aarch64/system_registers.h"

/* An entry of the table in access.S: the number of a register, and the instructions that read and write it. */
struct entry {
    uint32_t id;
    uint32_t read[2];
    uint32_t write[3];
};
_Static_assert(sizeof(struct entry) == 24, "access.S");

extern const struct entry register_entries[], register_entries_end[] __attribute__((visibility("hidden")));

bool register_code(uint32_t id, struct register_code *out)
{
    for (const struct entry *e = register_entries; e < register_entries_end; e++) {
        if (e->id != id)
            continue;
        out->read = (uint64_t(*)(void))(uintptr_t)e->read;
        out->write = (void (*)(uint64_t))(uintptr_t)e->write;
        return true;
    }
    return false;
}
