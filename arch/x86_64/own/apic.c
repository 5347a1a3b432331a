#include "arch/x86_64/own/apic.h"

#include "arch/reader.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/vector_numbers.h"

/* Registers, by their offset (Intel SDM vol. 3A, table 11-1; the extended ones AMD APM vol. 2, table 16-2). */
enum {
    APIC_VERSION = 0x030,
    APIC_TASK_PRIORITY = 0x080,
    APIC_EOI = 0x0b0,
    APIC_SPURIOUS = 0x0f0,
    APIC_REQUESTS = 0x200, /* 8 registers of 32 vectors */
    APIC_CMCI = 0x2f0,
    APIC_COMMAND = 0x300,
    APIC_COMMAND_TARGET = 0x310,
    APIC_TIMER = 0x320,
    APIC_THERMAL = 0x330,
    APIC_PERFORMANCE = 0x340,
    APIC_LINT0 = 0x350,
    APIC_LINT1 = 0x360,
    APIC_ERROR = 0x370,
    APIC_INITIAL_COUNT = 0x380,
    APIC_CURRENT_COUNT = 0x390,
    APIC_DIVIDE = 0x3e0,
    APIC_EXTENDED_FEATURES = 0x400,
    APIC_EXTENDED_VECTOR = 0x500,
};

/* IA32_APIC_BASE: Intel SDM vol. 3A, figure 11-5. */
#define BASE_X2APIC (1u << 10)
#define BASE_ENABLED (1u << 11)
#define BASE_ADDRESS UINT64_C(0x000ffffffffff000)

#define SPURIOUS_ENABLE (1u << 8) /* figure 11-23 */
#define LOCAL_MASKED (1u << 16)   /* figure 11-8 */
#define DELIVERY_MODE (7u << 8)
#define DELIVERY_SMI (2u << 8)
#define TIMER_MODE (3u << 17)
#define TIMER_PERIODIC (1u << 17)
#define TIMER_TSC_DEADLINE (2u << 17)
#define DIVIDE_BY_16 0x3            /* figure 11-10 */
#define VERSION_EXTENDED (1u << 31) /* AMD APM vol. 2, 16.3.3 */

/*
 * The local vectors in the order in which generations added them: an APIC has the first ones of this list, up to its
 * "max LVT entry" (SDM vol. 3A, 11.4.8). The error vector comes first, so that it is masked before anything else is
 * written, and restored after.
 */
static const uint16_t local_vectors[APIC_LOCAL_VECTORS] = {APIC_ERROR,       APIC_TIMER,   APIC_LINT0, APIC_LINT1,
                                                           APIC_PERFORMANCE, APIC_THERMAL, APIC_CMCI};
static const char *const local_names[APIC_LOCAL_VECTORS] = {"LVT_ERROR",       "LVT_TIMER",   "LVT_LINT0", "LVT_LINT1",
                                                            "LVT_PERFORMANCE", "LVT_THERMAL", "LVT_CMCI"};
enum { LOCAL_TIMER = 1 };

static struct {
    const char *problem; /* why there is no deadline */
    bool usable;         /* registers can be reached */
    bool msr;            /* x2APIC */
    uintptr_t base;
    unsigned local_count;
    unsigned extended_count;
    double counts_per_ms;
} apic = {.problem = "the core has not been taken into use yet"};

GENERAL_REGISTERS static uint32_t apic_read(unsigned offset)
{
    if (apic.msr)
        return (uint32_t)read_msr(0x800 + (offset >> 4)); /* Intel SDM vol. 3A, table 11-6 */
    return *(volatile uint32_t *)(apic.base + offset);
}

GENERAL_REGISTERS static void apic_write(unsigned offset, uint32_t value)
{
    if (apic.msr)
        write_msr(0x800 + (offset >> 4), value);
    else
        *(volatile uint32_t *)(apic.base + offset) = value;
}

GENERAL_REGISTERS void apic_end_of_interrupt(void)
{
    if (apic.usable)
        apic_write(APIC_EOI, 0);
}

/* Figures 11-12 and 11-28: delivery mode NMI, asserted, to a physical identifier. */
void apic_send_nmi(uint32_t id)
{
    const uint32_t command = 4u << 8 | 1u << 14;

    if (!apic.usable)
        return;
    if (apic.msr) {
        write_msr(0x830, (uint64_t)id << 32 | command);
    } else {
        apic_write(APIC_COMMAND_TARGET, id << 24);
        apic_write(APIC_COMMAND, command);
    }
}

void apic_unusable(const char *reason)
{
    apic.usable = false;
    apic.problem = reason;
}

void apic_refuse_deadline(const char *reason)
{
    apic.problem = reason;
}

const char *apic_no_deadline(void)
{
    return apic.problem;
}

/* Timer counts in one millisecond of the time stamp; 0 when the count stands still. */
static double count_one_ms(double tick_hz)
{
    const uint64_t span = (uint64_t)(tick_hz / 1000);
    uint64_t begin, end;
    uint32_t left;

    apic_write(APIC_INITIAL_COUNT, UINT32_MAX);
    begin = reader_ticks();
    do
        end = reader_ticks();
    while (end - begin < span);
    left = apic_read(APIC_CURRENT_COUNT);
    return (double)(UINT32_MAX - left) * (double)span / (double)(end - begin);
}

static double median_of_three(double a, double b, double c)
{
    const double low = a < b ? a : b;
    const double high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

void apic_start(double tick_hz)
{
    uint64_t base;
    uint32_t version;
    struct apic_state found;

    apic.usable = false;
    /* CPUID.01H:EDX[9]: there is a local APIC, and IA32_APIC_BASE with it. */
    if (!(cpuid(1, 0).edx >> 9 & 1)) {
        apic.problem = "this core has no local APIC, or the firmware has switched it off";
        return;
    }
    base = read_msr(MSR_APIC_BASE);
    if (!(base & BASE_ENABLED)) {
        apic.problem = "the firmware has switched the local APIC off";
        return;
    }
    apic.msr = base & BASE_X2APIC;
    apic.base = (uintptr_t)(base & BASE_ADDRESS);

    version = apic_read(APIC_VERSION);
    if (version == 0 || version == UINT32_MAX) {
        apic.problem = "the registers of the local APIC cannot be read";
        return;
    }
    apic.local_count = (version >> 16 & 0xff) + 1;
    if (apic.local_count > APIC_LOCAL_VECTORS)
        apic.local_count = APIC_LOCAL_VECTORS;
    apic.extended_count = 0;
    if (version & VERSION_EXTENDED) {
        apic.extended_count = apic_read(APIC_EXTENDED_FEATURES) >> 16 & 0xff;
        if (apic.extended_count > APIC_EXTENDED_VECTORS)
            apic.extended_count = APIC_EXTENDED_VECTORS;
    }
    apic.usable = true;

    if (tick_hz <= 0) {
        apic.problem = "the frequency of the time stamp is not known";
        return;
    }
    /* The median of three measurements: a system management interrupt may disturb one of them. */
    apic_quiet(&found);
    apic_write(APIC_DIVIDE, DIVIDE_BY_16);
    apic.counts_per_ms = median_of_three(count_one_ms(tick_hz), count_one_ms(tick_hz), count_one_ms(tick_hz));
    apic_restore(&found);
    /* The slowest known timer clock, a crystal of 19.2 MHz, makes 1200 counts of 16 in a millisecond. */
    apic.problem = apic.counts_per_ms < 10 ? "the local APIC's timer does not count" : NULL;
}

/*
 * Whether a window masks this local vector. One that is delivered as a system management interrupt belongs to the
 * firmware, which may protect the machine by it: Linux leaves thermal interrupts to the firmware where it finds this
 * mode (arch/x86/kernel/cpu/mce/therm_throt.c). It needs no handler of ours, and the window counts it.
 */
static bool is_masked_by_us(uint32_t found)
{
    return !(found & LOCAL_MASKED) && (found & DELIVERY_MODE) != DELIVERY_SMI;
}

size_t apic_local_values(struct own_value out[APIC_LOCAL_VECTORS])
{
    const size_t count = apic.usable ? apic.local_count : 0;

    for (size_t i = 0; i < count; i++)
        out[i] = (struct own_value){local_names[i], apic_read(local_vectors[i])};
    return count;
}

void apic_quiet(struct apic_state *found)
{
    *found = (struct apic_state){0};
    if (!apic.usable)
        return;

    for (unsigned i = 0; i < apic.local_count; i++) {
        found->local[i] = apic_read(local_vectors[i]);
        if (is_masked_by_us(found->local[i]))
            apic_write(local_vectors[i], found->local[i] | LOCAL_MASKED);
    }
    for (unsigned i = 0; i < apic.extended_count; i++) {
        found->extended[i] = apic_read(APIC_EXTENDED_VECTOR + 0x10 * i);
        if (is_masked_by_us(found->extended[i]))
            apic_write(APIC_EXTENDED_VECTOR + 0x10 * i, found->extended[i] | LOCAL_MASKED);
    }

    found->divide = apic_read(APIC_DIVIDE);
    found->initial_count = apic_read(APIC_INITIAL_COUNT);
    found->current_count = apic_read(APIC_CURRENT_COUNT);
    if ((found->local[LOCAL_TIMER] & TIMER_MODE) == TIMER_TSC_DEADLINE)
        found->deadline = read_msr(MSR_TSC_DEADLINE);
    /* One shot, ours, not counting: a change of mode also disarms a deadline (11.5.4.1). */
    apic_write(APIC_TIMER, LOCAL_MASKED | VECTOR_DEADLINE);
    apic_write(APIC_INITIAL_COUNT, 0);

    found->spurious = apic_read(APIC_SPURIOUS);
    apic_write(APIC_SPURIOUS, (found->spurious & ~0xffu) | SPURIOUS_ENABLE | VECTOR_SPURIOUS);
    found->task_priority = apic_read(APIC_TASK_PRIORITY);
    apic_write(APIC_TASK_PRIORITY, (VECTOR_DEADLINE & 0xf0u) - 0x10); /* lets in the classes above (11.8.3.1) */
}

void apic_restore(const struct apic_state *found)
{
    if (!apic.usable)
        return;

    apic_write(APIC_TASK_PRIORITY, found->task_priority);

    apic_write(APIC_DIVIDE, found->divide);
    apic_write(APIC_TIMER, found->local[LOCAL_TIMER]);
    switch (found->local[LOCAL_TIMER] & TIMER_MODE) {
    case TIMER_TSC_DEADLINE:
        /* Writes to memory-mapped registers and to MSRs are not ordered among each other (11.5.4.1). */
        __asm__ volatile("mfence" : : : "memory");
        write_msr(MSR_TSC_DEADLINE, found->deadline);
        break;
    case TIMER_PERIODIC: apic_write(APIC_INITIAL_COUNT, found->initial_count); break;
    default:
        /* The rest of a single shot; one that had expired is 0 and does not start again. */
        apic_write(APIC_INITIAL_COUNT, found->current_count);
        break;
    }

    for (unsigned i = 0; i < apic.extended_count; i++)
        if (is_masked_by_us(found->extended[i]))
            apic_write(APIC_EXTENDED_VECTOR + 0x10 * i, found->extended[i]);
    for (unsigned i = apic.local_count; i-- > 0;)
        if (i != LOCAL_TIMER && is_masked_by_us(found->local[i]))
            apic_write(local_vectors[i], found->local[i]);
    /* Last: without the enable bit every local vector is masked by the processor. */
    apic_write(APIC_SPURIOUS, found->spurious);
}

void apic_arm(unsigned milliseconds)
{
    const double counts = apic.counts_per_ms * milliseconds;

    apic_write(APIC_DIVIDE, DIVIDE_BY_16);
    apic_write(APIC_TIMER, VECTOR_DEADLINE); /* one shot, not masked */
    apic_write(APIC_INITIAL_COUNT, counts < 1 ? 1 : counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts);
}

static bool deadline_requested(void)
{
    return apic_read(APIC_REQUESTS + VECTOR_DEADLINE / 32 * 0x10) >> VECTOR_DEADLINE % 32 & 1;
}

void apic_disarm(void)
{
    apic_write(APIC_TIMER, LOCAL_MASKED | VECTOR_DEADLINE);
    apic_write(APIC_INITIAL_COUNT, 0);
    /*
     * The deadline may have passed after the list ended. Its interrupt is taken here, by our vectors, since the
     * firmware has no handler for it.
     */
    while (deadline_requested())
        interrupts_let_in();
}
