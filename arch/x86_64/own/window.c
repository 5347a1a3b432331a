/*
 * A window, in order: interrupts off; our descriptor tables, control registers and page tables; local APIC quiet; the
 * deadline; the list, on a stack of our own. Then the same backwards. Between the first step and the last no firmware
 * runs, except with SILENCE_NONE, where its interrupt handlers do: so that they find the stack that they know, the list
 * then runs on the firmware's.
 */
#include "arch/window.h"

#include "arch/own.h"
#include "arch/reader.h"
#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/call.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/state.h"
#include "arch/x86_64/own/vectors.h"
#include "arch/x86_64/thermal.h"

/*
 * How long the firmware waits for another core in a window without a deadline. Windows last a second at most, and ten
 * leave room for a hypervisor that stops the core meanwhile.
 */
enum { NOISY_LIMIT_MS = 10000 };

/* Entries into system management mode since reset: Intel, from Nehalem on (SDM vol. 4, MSR_SMI_COUNT, bits 31:0). */
static uint32_t count_smis(void)
{
    return (uint32_t)read_msr(MSR_SMI_COUNT);
}

static uint32_t read_heat(void)
{
    return (uint32_t)read_msr(MSR_THERM_STATUS);
}

static void run_list(uintptr_t list, uintptr_t count, uintptr_t counters)
{
    reader_run((struct reading *)list, count, (enum reader_counters)counters);
}

/* On the stack of its caller, until the stack is chosen. */
static struct guarded_call list_call(struct reading *list, size_t count, enum reader_counters counters, bool interrupts)
{
    return (struct guarded_call){
        .function = run_list,
        .argument = {(uintptr_t)list, count, counters},
        .interrupts = interrupts,
    };
}

struct window {
    struct reading *list;
    size_t count;
    enum reader_counters counters;
    unsigned deadline_ms;
    enum silence silence; /* without SILENCE_STOPPED, no deadline */
    struct window_result result;
    const char *why_not; /* nothing ran */
};

static void window_taken(void *window)
{
    struct window *w = window;
    const bool deadline = w->deadline_ms > 0 && apic_no_deadline() == NULL;
    struct guarded_call call = list_call(w->list, w->count, w->counters, deadline);
    struct apic_state apic;

    call.stack_top = own.stack_top;
    apic_quiet(&apic);
    const uint32_t heat_before = core.shows_heat ? read_heat() : 0;
    const uint32_t smis_before = core.counts_smis ? count_smis() : 0;
    if (deadline)
        apic_arm(w->deadline_ms);
    guarded_run(&call, &w->result);
    if (deadline)
        apic_disarm();
    w->result.smis = core.counts_smis ? count_smis() - smis_before : 0;
    const uint32_t heat = core.shows_heat ? read_heat() ^ heat_before : 0;
    w->result.throttled = heat & THERM_HEAT;
    w->result.limited = heat & THERM_LIMITS;
    apic_restore(&apic);
}

static void window_here(void *window)
{
    with_core_taken(window_taken, window, false);
}

/*
 * The time in milliseconds after which the firmware stops another core than the one that booted; 0: never. Where the
 * local APIC's timer can end a kernel, it is later than the deadline, so that the timer ends the kernel first.
 */
static unsigned firmware_limit(unsigned deadline_ms)
{
    return apic_no_deadline() == NULL ? deadline_ms + FIRMWARE_LATER_MS : deadline_ms;
}

struct window_result own_window(struct reading *list, size_t count, enum reader_counters counters, unsigned deadline_ms)
{
    struct window w = {.list = list, .count = count, .counters = counters, .deadline_ms = deadline_ms};

    if (!on_core(window_here, &w, firmware_limit(deadline_ms)))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    return w.result;
}

static void noisy_window_taken(void *window)
{
    struct window *w = window;
    const bool interrupts = w->silence == SILENCE_NONE;
    struct guarded_call call = list_call(w->list, w->count, w->counters, interrupts);

    if (!interrupts)
        call.stack_top = own.stack_top;
    guarded_run(&call, &w->result);
}

static void noisy_window_here(void *window)
{
    struct window *w = window;
    const bool interrupts = w->silence == SILENCE_NONE;

    /* U-Boot disables interrupts and has no handlers for them; the same is true of edk2 on other cores. */
    if (interrupts && !(read_rflags() & RFLAGS_IF))
        w->why_not = "the firmware runs with interrupts disabled";
    else if (interrupts && (read_cr4() & CR4_CET))
        w->why_not = "the firmware runs with shadow stacks (CR4.CET), and windows have none for its handlers";
    else
        with_core_taken(noisy_window_taken, w, interrupts);
}

const char *own_noisy_window(struct reading *list, size_t count, enum reader_counters counters, enum silence silence,
                             struct window_result *result)
{
    struct window w = {.list = list, .count = count, .counters = counters, .silence = silence};

    w.result.end = WINDOW_TIMEOUT;
    on_core(noisy_window_here, &w, NOISY_LIMIT_MS);
    *result = w.result;
    return w.why_not;
}

const char *own_no_deadline(void)
{
    return core.runner != NULL ? NULL : apic_no_deadline(); /* the firmware can stop another core */
}
