#include "arch/aarch64/own/delivery.h"

#include "arch/aarch64/own/gic.h"
#include "arch/aarch64/own/guard.h"
#include "arch/aarch64/own/high_half.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/own/timers.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/system_registers.h"

static struct gic gic;
static struct access registers, both; /* of system registers; of these and of the GIC's blocks */
static uint64_t blocks[4];            /* where GIC_DISTRIBUTOR and so on are */
static struct changes fiq = {.access = &registers};
static struct changes *changes; /* of either; NULL: nothing is changed */

/* ---- Memory-mapped registers ---------------------------------------------------------------------------- */

/*
 * Runs one of guard.h's kernels on a register, in a window: there a fault or a system error is caught, and our own page
 * tables show the register as device memory. The firmware's need not map it (U-Boot on a Raspberry Pi 4 maps nothing
 * from 0xff800000 on, where its GIC is) or may map it as cacheable.
 */
static bool run_on(const char *kernel, uint64_t address, uint64_t argument)
{
    uintptr_t at;

    if (high_half_show_device(address, &at))
        return false;
    struct reading word = {.kernel = (uintptr_t)kernel, .argument = {at, argument}};
    const struct window_result result = own_window(&word, 1, READER_TIME_ONLY, 0);
    own_unmap_all();
    return result.end == WINDOW_RAN;
}

static bool read_word(uint64_t address, uint32_t *value)
{
    return run_on(guard_read_word_kernel, address, (uintptr_t)value);
}

static uint64_t address_of(uint32_t id)
{
    return blocks[id >> GIC_BLOCK_SHIFT & 3] + (id & ((UINT32_C(1) << GIC_BLOCK_SHIFT) - 1));
}

static bool read_register(void *unused, uint32_t id, uint64_t *value)
{
    uint32_t word;

    (void)unused;
    if (id < GIC_DISTRIBUTOR)
        return registers.read(registers.context, id, value);
    if (!read_word(address_of(id), &word))
        return false;
    *value = word;
    return true;
}

static bool write_register(void *unused, uint32_t id, uint64_t value)
{
    (void)unused;
    if (id < GIC_DISTRIBUTOR)
        return registers.write(registers.context, id, value);
    return run_on(guard_write_word_kernel, address_of(id), value);
}

/* ---- What delivers it ------------------------------------------------------------------------------------ */

static const char *deliver_by_gic(const struct own_interrupts *i)
{
    blocks[GIC_DISTRIBUTOR >> GIC_BLOCK_SHIFT] = i->distributor;
    blocks[GIC_CPU_INTERFACE >> GIC_BLOCK_SHIFT] = i->cpu_interface;
    if (i->gic_version > 2) {
        const uint64_t frame = gic_redistributor(i->redistributors, OWN_REDISTRIBUTORS, READ(MPIDR_EL1), read_word);
        if (!frame)
            return "no redistributor of the GIC belongs to this core, or it cannot be read";
        blocks[GIC_REDISTRIBUTOR >> GIC_BLOCK_SHIFT] = frame;
    }
    changes = &gic.changes;
    both = (struct access){.read = read_register, .write = write_register};
    return gic_deliver(&gic, &both, i->gic_version, i->virtual_timer);
}

const char *delivery_start(void)
{
    const struct own_interrupts *i = own.services->interrupts;

    own_access(&registers);
    if (virtual_timer_runs(own.e2h))
        return "the firmware has left that timer on, and may not expect its interrupt";
    if (timer_raises_fiq(&registers)) {
        changes = &fiq;
        return timer_fiq_deliver(&fiq);
    }
    if (!i || !i->gic_version)
        return "neither ACPI nor a device tree describes an interrupt controller";
    return deliver_by_gic(i);
}

void delivery_finish(void)
{
    if (changes)
        changes_restore(changes, 0);
    changes = NULL;
}

size_t delivery_values(struct own_value *out, size_t room)
{
    const size_t count = !changes ? 0 : changes->count < room ? changes->count : room;

    for (size_t i = 0; i < count; i++)
        out[i] = (struct own_value){changes->list[i].name, changes->list[i].found};
    return count;
}
