#include "arch/aarch64/own/delivery.h"

#include "arch/aarch64/own/gic.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/system_registers.h"

static struct gic gic;
static struct access registers, both; /* of system registers; of these and of the GIC's blocks */
static uint64_t blocks[4];            /* where GIC_DISTRIBUTOR and so on are */
static struct changes fiq = {.access = &registers};
static struct changes *changes; /* of either; NULL: nothing is changed */

/* ---- Memory-mapped registers ---------------------------------------------------------------------------- */

struct word {
    uint64_t address;
    uint32_t value;
    bool write, done;
};

/*
 * Whether the firmware's tables map the address to itself as device memory. Nothing else is touched: through a
 * cacheable mapping a register may be read ahead and written back. PAR_EL1: Arm ARM DDI 0487, D19.2; memory attributes
 * as in MAIR_EL1, where 0b0000dd0x is a device.
 */
static bool mapped_as_device(uint64_t address)
{
    const uint64_t found = READ(PAR_EL1), frame = UINT64_C(0x000ffffffffff000);
    uint64_t result;

    if (own.level == 2)
        __asm__ volatile("at s1e2r, %0\n\tisb" ::"r"(address) : "memory");
    else
        __asm__ volatile("at s1e1r, %0\n\tisb" ::"r"(address) : "memory");
    result = READ(PAR_EL1);
    WRITE(PAR_EL1, found);
    return !(result & 1) && (result & frame) == (address & frame) && !(field(result, 56, 8) & 0xf2);
}

/* Within own_call. A system error that the access raises is taken at once, and ends the call as a fault does. */
static void access_word(void *word)
{
    struct word *w = word;
    volatile uint32_t *at = (volatile uint32_t *)(uintptr_t)w->address;

    if (!mapped_as_device(w->address))
        return;
    __asm__ volatile("dsb sy\n\tmsr daifclr, #4\n\tisb" ::: "memory");
    if (w->write)
        *at = w->value;
    else
        w->value = *at;
    __asm__ volatile("dsb sy\n\tisb\n\tmsr daifset, #4" ::: "memory");
    w->done = true;
}

static bool guarded_word(struct word *w)
{
    return own_call(access_word, w).end == WINDOW_RAN && w->done;
}

static bool read_word(uint64_t address, uint32_t *value)
{
    struct word w = {.address = address};

    if (!guarded_word(&w))
        return false;
    *value = w.value;
    return true;
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
    return guarded_word(&(struct word){.address = address_of(id), .value = (uint32_t)value, .write = true});
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
