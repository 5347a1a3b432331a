#include "arch/aarch64/own/secondary.h"

#include <stddef.h>

#include "arch/aarch64/own/el2_controls.h"
#include "arch/aarch64/own/high_half.h"
#include "arch/aarch64/own/secondary_layout.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/registers.h"
#include "arch/reader.h"

#define TTBR1_EL2 S3_4_C2_C0_1 /* with HCR_EL2.E2H */

/* For functions that run on the starting core before own_with_vector_state has turned vector registers on. */
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only")))

enum { STACK_BYTES = 0x8000 };
/*
 * How long to wait for a core: to start, to return after its memory was taken away, to switch itself off. Each takes
 * microseconds on hardware; a second leaves room for a host that runs the other core late. Of the time between two
 * readings of the clock at most STEP_MS count: a host that shares a processor among its guests' cores runs each for a
 * few milliseconds at a time, so a longer gap means that it stopped the whole guest.
 */
enum { START_MS = 1000, BACK_MS = 1000, OFF_MS = 1000, STEP_MS = 50 };

/* In pages of its own, which can be cleaned to memory: the starting core reads it with its caches off. */
struct secondary {
    uint64_t stack; /* top */
    uint64_t tcr, mair;
    uint64_t ttbr0, sctlr;
    uint64_t ttbr1;
    uint64_t hcr;

    uint64_t vbar;
    uint64_t cptr; /* CPACR_EL1 at EL1 */
    uint64_t cntkctl;
    uint64_t mdcr, cnthctl, cntvoff, vttbr;
    enum psci_conduit conduit;

    /* The mailbox. The counts are those of requests made, begun and completed so far. */
    void (*function)(void *); /* NULL: switch the core off */
    void *argument;
    volatile uint64_t requested, begun, done;

    /* For the core that booted. */
    uint64_t affinity;
    bool lost; /* the core has not arrived, returned or switched itself off in time, and cannot be used any more */
};

_Static_assert(offsetof(struct secondary, stack) == SECONDARY_STACK, "secondary.S");
_Static_assert(offsetof(struct secondary, tcr) == SECONDARY_TCR, "secondary.S");
_Static_assert(offsetof(struct secondary, mair) == SECONDARY_TCR + 8, "secondary.S");
_Static_assert(offsetof(struct secondary, ttbr0) == SECONDARY_TTBR0, "secondary.S");
_Static_assert(offsetof(struct secondary, sctlr) == SECONDARY_TTBR0 + 8, "secondary.S");
_Static_assert(offsetof(struct secondary, ttbr1) == SECONDARY_TTBR1, "secondary.S");
_Static_assert(offsetof(struct secondary, hcr) == SECONDARY_HCR, "secondary.S");

/* secondary.S */
extern const char secondary_enter_spinning[] __attribute__((visibility("hidden")));
extern const char secondary_enter[] __attribute__((visibility("hidden")));
extern const char secondary_enter_end[] __attribute__((visibility("hidden")));
_Noreturn void secondary_main(struct secondary *s) __attribute__((visibility("hidden")));

/* For secondary_enter_spinning, of the core that is being started. In a cache line of its own. */
extern const struct secondary *secondary_context __attribute__((visibility("hidden")));
const struct secondary *secondary_context __attribute__((aligned(256)));

/* Cores that spin tables have started. Each waits for a request, or is LOST. */
enum { KEPT = 256 };
static const uint64_t LOST = UINT64_MAX; /* no affinity */
static struct {
    uint64_t affinity;
    struct secondary *context;
} kept[KEPT];
static size_t kept_count;

/* ---- PSCI --------------------------------------------------------------------------------------- */

/* DEN0022, 5.2: the functions with addresses in the SMC64 convention. */
enum { PSCI_CPU_OFF = 0x84000002 };
#define PSCI_CPU_ON UINT64_C(0xc4000003)
#define PSCI_AFFINITY_INFO UINT64_C(0xc4000004)

/* SMC Calling Convention (DEN0028), 2.6: X4 to X17 may be destroyed. */
GENERAL_REGISTERS_ONLY static int64_t psci(enum psci_conduit conduit, uint64_t function, uint64_t a, uint64_t b,
                                           uint64_t c)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = a;
    register uint64_t x2 __asm__("x2") = b;
    register uint64_t x3 __asm__("x3") = c;

#define PSCI_CALL(instruction) \
    __asm__ volatile(instruction " #0" \
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) \
                     : \
                     : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", \
                       "memory")
    if (conduit == PSCI_HVC)
        PSCI_CALL("hvc");
    else
        PSCI_CALL("smc");
#undef PSCI_CALL
    return (int32_t)x0;
}

/* DEN0022, 5.2.2. */
static const char *psci_error(int64_t status)
{
    switch (status) {
    case -1: return "PSCI: not supported";
    case -2: return "PSCI: invalid parameters";
    case -3: return "PSCI: denied";
    case -4: return "PSCI: it is on already";
    case -5: return "PSCI: it is being started already";
    case -6: return "PSCI: internal failure";
    case -7: return "PSCI: not present";
    case -8: return "PSCI: disabled";
    case -9: return "PSCI: invalid address";
    default: return "PSCI: unknown error";
    }
}

/* A call of PSCI, and its result. */
struct psci_call {
    enum psci_conduit conduit;
    uint64_t function, a, b, c;
    int64_t result;
};

static void call_psci_here(void *call)
{
    struct psci_call *p = call;

    p->result = psci(p->conduit, p->function, p->a, p->b, p->c);
}

/* Makes the call, guarded, on this core. False where it faults, as it does when tables name the wrong instruction. */
static bool call_psci(struct psci_call *p)
{
    own_runner *in_use = own.runner;

    own.runner = NULL;
    bool returned = own_call(call_psci_here, p).end == WINDOW_RAN;
    own.runner = in_use;
    return returned;
}

bool secondary_is_off(enum psci_conduit conduit, uint64_t affinity)
{
    struct psci_call p = {.conduit = conduit, .function = PSCI_AFFINITY_INFO, .a = affinity};

    return call_psci(&p) && p.result == 1; /* DEN0022, 5.7.2: 0 on, 1 off, 2 being switched on */
}

/* ---- The core that was started --------------------------------------------------------------------- */

/* Sets the other registers as the firmware has them, but for those that windows set and restore themselves. */
GENERAL_REGISTERS_ONLY static void take_over(const struct secondary *s)
{
    if (READ(CurrentEL) == 2 << 2) {
        WRITE(VBAR_EL2, s->vbar);
        WRITE(CPTR_EL2, s->cptr);
        WRITE(MDCR_EL2, s->mdcr);
        WRITE(CNTHCTL_EL2, s->cnthctl);
        WRITE(CNTVOFF_EL2, s->cntvoff);
        WRITE(VTTBR_EL2, s->vttbr);
        WRITE(VPIDR_EL2, READ(MIDR_EL1));
        WRITE(VMPIDR_EL2, READ(MPIDR_EL1));
        WRITE(HSTR_EL2, 0);
    } else {
        WRITE(VBAR_EL1, s->vbar);
        WRITE(CPACR_EL1, s->cptr);
        WRITE(CNTKCTL_EL1, s->cntkctl);
    }
    isb();
}

GENERAL_REGISTERS_ONLY _Noreturn void secondary_main(struct secondary *s)
{
    uint64_t requested = s->requested; /* the first request is only to arrive */

    take_over(s);
    do {
        __asm__ volatile("dmb ish" ::: "memory"); /* the other core must see the results before `done` */
        s->done = requested;
        while (s->requested == requested)
            __asm__ volatile("wfe" ::: "memory");
        requested = s->requested;
        __asm__ volatile("dmb ish" ::: "memory");
        s->begun = requested;
        if (s->function)
            own_with_vector_state(s->function, s->argument);
    } while (s->function);
    for (;;) /* the call returns only when it is denied */
        psci(s->conduit, PSCI_CPU_OFF, 0, 0, 0);
}

/* ---- The core that booted -------------------------------------------------------------------------- */

static uint64_t now(void)
{
    isb();
    return reader_ticks();
}

static uint64_t ticks(unsigned ms)
{
    return (uint64_t)(own.services->tick_hz * ms / 1000);
}

/*
 * Waits until the count has reached a request's number. False when it has not after `ms` (0: waits without a limit).
 * Time in which this core stood still does not count: a host that stops its guest stops both cores.
 */
static bool wait_for(const volatile uint64_t *count, uint64_t requested, unsigned ms)
{
    const uint64_t longest = ticks(STEP_MS);
    uint64_t waited = 0;

    for (uint64_t last = now(), at; *count != requested; last = at) {
        at = now();
        waited += at - last < longest ? at - last : longest;
        if (ms && waited > ticks(ms))
            return false;
    }
    __asm__ volatile("dmb ish" ::: "memory");
    return true;
}

static void request(struct secondary *s, void (*function)(void *), void *argument)
{
    s->function = function;
    s->argument = argument;
    __asm__ volatile("dmb ish" ::: "memory");
    s->requested = s->requested + 1;
    __asm__ volatile("dsb ish\n\tsev" ::: "memory");
}

/* Writes memory back to the point of coherency, where a core whose caches are off sees it. */
static void clean(const void *base, size_t bytes)
{
    uint64_t line = UINT64_C(4) << field(READ(CTR_EL0), 16, 4); /* DminLine: log2 of words */

    for (uint64_t at = (uintptr_t)base & ~(line - 1); at < (uintptr_t)base + bytes; at += line)
        __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
    __asm__ volatile("dsb sy" ::: "memory");
}

/* Copies this core's registers, for the other core to load. */
static void copy_registers(struct secondary *s)
{
    if (own.level == 2) {
        s->tcr = READ(TCR_EL2);
        s->mair = READ(MAIR_EL2);
        s->ttbr0 = READ(TTBR0_EL2);
        s->ttbr1 = own.e2h ? READ(TTBR1_EL2) : 0;
        s->sctlr = READ(SCTLR_EL2);
        s->hcr = READ(HCR_EL2);
        s->vbar = READ(VBAR_EL2);
        s->cptr = READ(CPTR_EL2);
        s->mdcr = READ(MDCR_EL2);
        s->cnthctl = READ(CNTHCTL_EL2);
        s->cntvoff = READ(CNTVOFF_EL2);
        s->vttbr = READ(VTTBR_EL2);
    } else {
        s->tcr = READ(TCR_EL1);
        s->mair = READ(MAIR_EL1);
        s->ttbr0 = READ(TTBR0_EL1);
        s->ttbr1 = READ(TTBR1_EL1);
        s->sctlr = READ(SCTLR_EL1);
        s->vbar = READ(VBAR_EL1);
        s->cptr = READ(CPACR_EL1);
        s->cntkctl = READ(CNTKCTL_EL1);
    }
}

/* Frees it, unless the core may still use it. */
static void free_secondary(struct secondary *s)
{
    for (size_t i = 0; i < kept_count && s->lost; i++)
        if (kept[i].context == s)
            kept[i].affinity = LOST;
    if (!s->lost) {
        own.services->free_pages((void *)(uintptr_t)(s->stack - STACK_BYTES), STACK_BYTES);
        own.services->free_pages(s, sizeof *s);
    }
}

/* Writes the address at which a core begins to the word that it waits for (booting.rst). */
static void release(void *word)
{
    volatile uint64_t *at = *(uint64_t *const *)word;

    *at = (uintptr_t)secondary_enter_spinning;
    clean((const void *)at, sizeof *at);
    __asm__ volatile("sev" ::: "memory");
}

static const char *start_by_spin_table(const struct secondary *s, uint64_t word)
{
    own_runner *in_use = own.runner;

    if (own.level != 2)
        return "it waits at a spin table, probably at EL2, and the firmware runs at EL1";
    secondary_context = s;
    clean(&secondary_context, sizeof secondary_context);
    own.runner = NULL;
    const bool written = own_call(release, &word).end == WINDOW_RAN;
    own.runner = in_use;
    return written ? NULL : "its spin table cannot be written";
}

static const char *start_by_psci(const struct secondary *s, uint64_t affinity)
{
    struct psci_call p = {.conduit = s->conduit,
                          .function = PSCI_CPU_ON,
                          .a = affinity,
                          .b = (uintptr_t)secondary_enter,
                          .c = (uintptr_t)s};

    if (!call_psci(&p))
        return "PSCI: the call faults";
    return p.result ? psci_error(p.result) : NULL;
}

/* A core that waits for a request; NULL where none of that affinity does. */
static struct secondary *take_kept(uint64_t affinity)
{
    for (size_t i = 0; i < kept_count; i++)
        if (kept[i].affinity == affinity)
            return kept[i].context;
    return NULL;
}

bool secondary_kept(void)
{
    return kept_count > 0;
}

const char *secondary_start(struct secondary_way way, uint64_t affinity, struct secondary **out)
{
    *out = take_kept(affinity);
    if (*out)
        return NULL;
    if (way.release && kept_count == KEPT)
        return "too many cores have been started by spin tables";
    struct secondary *s = own.services->pages(sizeof *s, 0x1000);
    uint8_t *stack = own.services->pages(STACK_BYTES, 0x1000);

    if (!s || !stack) {
        if (s)
            own.services->free_pages(s, sizeof *s);
        if (stack)
            own.services->free_pages(stack, STACK_BYTES);
        return "there is not enough memory to start it";
    }
    s->affinity = affinity;
    s->conduit = way.release ? PSCI_NONE : way.conduit;
    s->stack = (uintptr_t)stack + STACK_BYTES;
    s->requested = 1; /* completed when the core has arrived */
    copy_registers(s);
    clean(s, sizeof *s);
    clean(stack, STACK_BYTES);
    clean(secondary_enter_spinning, (size_t)(secondary_enter_end - secondary_enter_spinning));

    const char *why = way.release ? start_by_spin_table(s, way.release) : start_by_psci(s, affinity);
    if (why) {
        free_secondary(s);
        return why;
    }
    if (way.release) { /* from now on, whether it arrives or not */
        kept[kept_count].affinity = LOST;
        kept[kept_count++].context = s;
    }
    if (!wait_for(&s->done, 1, START_MS)) {
        s->lost = true; /* it may still arrive, so its memory is not reused */
        free_secondary(s);
        return "it has been started, and has not arrived after a second";
    }
    if (way.release)
        kept[kept_count - 1].affinity = affinity;
    *out = s;
    return NULL;
}

bool secondary_begin(struct secondary *s, void (*function)(void *), void *argument)
{
    if (s->lost)
        return false;
    request(s, function, argument);
    /* The limit of the function counts from when it has begun: in an emulator the other core may sleep first. */
    s->lost = !wait_for(&s->begun, s->requested, BACK_MS);
    return !s->lost;
}

bool secondary_wait(struct secondary *s, unsigned limit_ms)
{
    if (s->lost)
        return false;
    if (wait_for(&s->done, s->requested, limit_ms))
        return true;
    high_half_withdraw();
    s->lost = !wait_for(&s->done, s->requested, BACK_MS);
    high_half_return();
    return false;
}

bool secondary_lost(const struct secondary *s)
{
    return s->lost;
}

const char *secondary_stop(struct secondary *s)
{
    if (s->lost) {
        free_secondary(s);
        return "it did not return from a function that it was given, and still runs";
    }
    if (s->conduit == PSCI_NONE) /* a spin table has started it */
        return NULL;
    request(s, NULL, NULL);
    const uint64_t start = now();
    bool on;
    do
        on = !secondary_is_off(s->conduit, s->affinity);
    while (on && now() - start < ticks(OFF_MS));
    s->lost = on;
    free_secondary(s);
    return on ? "PSCI does not report it as off" : NULL;
}
