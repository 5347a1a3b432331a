/* Taking the core, proving what it can do, and giving it back. */
#include <stdio.h>
#include <string.h>

#include "arch/aarch64/own/call.h"
#include "arch/aarch64/own/counters.h"
#include "arch/aarch64/own/delivery.h"
#include "arch/aarch64/own/el2_controls.h"
#include "arch/aarch64/own/environment.h"
#include "arch/aarch64/own/guard.h"
#include "arch/aarch64/own/high_half.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/own/tables.h"
#include "arch/aarch64/own/timers.h"
#include "arch/aarch64/own/worker.h"
#include "arch/aarch64/registers.h"
#include "arch/own.h"

#define TCR_DS (UINT64_C(1) << 59)

/* For steps of a few microseconds on another core: if they have not ended after a second, the core has hung. */
enum { WORKER_LIMIT_MS = 1000 };

/* How long a proof waits for the timer: longer where it is expected to come, since the wait ends when it does. */
enum { UNCERTAIN_MS = 250, EXPECTED_MS = 1000 };

static bool source_enabled; /* by the firmware's own service */
static const char not_arriving[] = "the virtual timer's interrupt does not arrive";

static void do_nothing(void *argument)
{
    (void)argument;
}

/* At EL2: enters the EL1 worker and leaves it once, to prove that this works. *why becomes NULL, or the reason. */
static void prove_worker(void *why)
{
    const char **reason = why;
    uint64_t daif = READ(DAIF);
    struct exception e;

    __asm__ volatile("msr daifset, #0xf" ::: "memory");
    e = call_at_el1(do_nothing, NULL, SILENCE_STOPPED);
    WRITE(DAIF, daif);
    *reason = e.vector == VECTOR_NONE              ? NULL
              : e.vector == VECTOR_OWN_SYNCHRONOUS ? "EL1 worker: HVC is not allowed (SCR_EL3.HCE)"
                                                   : "EL1 worker: an exception at EL1 came to EL2";
}

static const char *start_translation(void)
{
    struct access access;
    const char *reason;
    int memory_index;

    if (own.level == 2) {
        reason = worker_start();
        if (!reason)
            reason = high_half_start(WORKER_MEMORY_INDEX, WORKER_DEVICE_INDEX, false);
        return reason;
    }
    own_access(&access);
    reason = translation_unlike(&access);
    if (reason)
        return reason;
    memory_index = memory_index_write_back(READ(MAIR_EL1));
    if (memory_index < 0)
        return "the firmware's MAIR_EL1 has no write-back memory";
    return high_half_start((unsigned)memory_index, memory_index_device(READ(MAIR_EL1)), (READ(TCR_EL1) & TCR_DS) != 0);
}

/*
 * Runs a kernel that takes far longer than its deadline: when the timer ends it, deadlines work; else it returns by
 * itself after wait_ms, since a loaded emulator may be a hundred milliseconds late. Another interrupt may come first,
 * or a system error that the firmware had kept masked; taking it clears it, so the proof is repeated, for up to three
 * of those.
 */
static const char *prove_deadline(unsigned wait_ms)
{
    enum { DEADLINE_MS = 1, ATTEMPTS = 4 };
    struct reading wait = {
        .kernel = (uintptr_t)guard_wait_kernel,
        .argument = {(uint64_t)(own.services->tick_hz * wait_ms / 1000)},
    };

    own.no_deadline = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        struct window_result r = own_window(&wait, 1, READER_TIME_ONLY, DEADLINE_MS);

        if (r.end == WINDOW_TIMEOUT)
            return NULL;
        if (r.end == WINDOW_FAULT && strcmp(r.fault.vector, "serror") != 0)
            return "virtual timer: the window that was to prove it ended in an exception";
        if (r.end == WINDOW_RAN && !r.interrupts)
            return not_arriving;
    }
    return "virtual timer: other interrupts keep coming first";
}

/*
 * On another core: runs the same kernel in the high half, which the core that booted makes invalid at the deadline.
 * NULL when that ends the kernel, else why it does not or could not be tried. The times are longer than above, since
 * two cores of an emulator take turns.
 */
static const char *prove_withdrawal(void)
{
    enum { DEADLINE_MS = 20, WAIT_MS = 500 };
    const struct own_services *services = own.services;
    size_t sizes[10];
    const char *reason;
    uintptr_t at = 0;

    own_page_sizes(sizes);
    void *page = services->pages(sizes[0], sizes[0]);
    if (!page)
        return "there is not enough memory to prove that deadlines work";
    memcpy(page, guard_wait_kernel, (size_t)(guard_wait_kernel_end - guard_wait_kernel));
    own_code_written(page, sizes[0]);
    reason = own_map((uintptr_t)page, NULL, sizes[0], sizes[0], AREA_CODE, &at);
    if (!reason) {
        struct reading wait = {.kernel = at, .argument = {(uint64_t)(services->tick_hz * WAIT_MS / 1000)}};
        struct window_result r;

        own.no_deadline = NULL;
        r = own_window(&wait, 1, READER_TIME_ONLY, DEADLINE_MS);
        if (r.end != WINDOW_TIMEOUT || r.fault.pc - at >= sizes[0])
            reason = "making its memory invalid does not stop a kernel";
    }
    own_unmap_all();
    services->free_pages(page, sizes[0]);
    return reason;
}

/* Reads registers that a hypervisor or EL3 may keep from this level, which faults. */
static void find_counters(void *unused)
{
    (void)unused;
    own.no_counters = window_counters_missing();
    if (own.no_counters)
        return;
    own.no_counters = window_counters_no_instructions();
    own.counters = READER_CYCLES_INSTRUCTIONS;
}

/*
 * The cycle counter must advance; instructions must be those of the kernel, to one in a hundred, since the architecture
 * allows "a reasonable degree of inaccuracy" (Arm ARM D13.4). Of two kernels the difference is taken: 100,000
 * iterations.
 */
static void prove_counters(void)
{
    enum { FEW = 1000, MANY = 101000 };
    struct reading loop[2] = {
        {.kernel = (uintptr_t)guard_loop_kernel, .argument = {FEW}},
        {.kernel = (uintptr_t)guard_loop_kernel, .argument = {MANY}},
    };
    const uint64_t expected = 2 * (uint64_t)(MANY - FEW);
    struct window_result r;
    uint64_t cycles, instructions;

    if (own.counters == READER_TIME_ONLY)
        return;
    r = own_window(loop, 2, READER_CYCLES_INSTRUCTIONS, 0);
    cycles = loop[1].end_count[0] - loop[1].begin_count[0];
    instructions = loop[1].end_count[1] - loop[1].begin_count[1] - (loop[0].end_count[1] - loop[0].begin_count[1]);
    if (r.end != WINDOW_RAN || cycles == 0) {
        own.counters = READER_TIME_ONLY;
        own.no_counters = r.end != WINDOW_RAN ? "the performance monitors cannot be accessed at EL1"
                                              : "the cycle counter stands still (PMCCNTR_EL0)";
    } else if (!own.no_counters &&
               (instructions < expected - expected / 100 || instructions > expected + expected / 100)) {
        own.no_counters = "the event INST_RETIRED does not count the instructions that are executed";
    }
}

const char *own_start(const struct own_services *services)
{
    const char *reason;

    own = (struct own_state){.services = services, .level = field(READ(CurrentEL), 2, 2)};
    if (own.level == 3)
        return "the firmware started the program at EL3, which is not supported";
    own.e2h = own.level == 2 && (READ(HCR_EL2) & HCR_E2H);

    reason = services->stage("page-tables", "builds page tables");
    if (!reason)
        reason = start_translation();
    if (!reason)
        reason = call_start();
    if (reason)
        own_finish();
    return reason;
}

void own_finish(void)
{
    call_finish();
    high_half_finish();
    if (own.level == 2)
        worker_finish();
}

/* Finds out what EL2 has on this core. Where that was left out, it is as if there were none of it. */
static void find_extensions(void)
{
    struct access access;

    own.extensions = (struct el2_extensions){.counters = 0};
    if (own.level == 1 || own.services->stage("el2-registers", "reads registers of EL2 that EL3 may keep"))
        return;
    own_access(&access);
    own.extensions = el2_extensions(&access);
}

/* Everything else rests on these steps. NULL, or why the core cannot be used. */
static const char *take_first(void)
{
    static const char no_return[] = "it does not finish a function that it is given";
    const char *reason = own.services->stage("empty-call", "calls an empty function with its own vectors");

    if (reason)
        return reason;
    switch (own_call(do_nothing, NULL).end) {
    case WINDOW_TIMEOUT: return no_return;
    case WINDOW_FAULT: return "even an empty function faults on it";
    default: break;
    }
    find_extensions();
    reason = own.services->stage("registers", "reads the control registers");
    if (reason)
        return reason;
    switch (own_call(environment_note, NULL).end) {
    case WINDOW_TIMEOUT: return no_return;
    case WINDOW_FAULT: return "reading its registers faults";
    default: break;
    }
    if (own.level != 2)
        return NULL;
    reason = own.services->stage("el1-worker", "switches to its own page tables at EL1 for the first time");
    if (!reason && !own_on_core(prove_worker, &reason, WORKER_LIMIT_MS))
        reason = "EL1 worker: the core does not return from it";
    return reason;
}

/* Where the firmware does not let the interrupt through: whether it can be made to arrive. NULL, or why not. */
static const char *deliver_it_ourselves(void)
{
    static char text[240];
    const char *reason = own.services->stage("interrupt-controller", "lets the virtual timer's interrupt through");

    if (!reason)
        reason = delivery_start();
    if (!reason)
        reason = prove_deadline(EXPECTED_MS);
    if (!reason)
        return NULL;
    delivery_finish();
    if (reason == not_arriving)
        reason = "it does not even with the interrupt controller set up for it";
    snprintf(text, sizeof text, "%s: %s", not_arriving, reason);
    return text;
}

/* Why no deadline can end a kernel; NULL: one can. */
static const char *take_deadline(void)
{
    const struct own_services *services = own.services;
    const char *reason = own.services->stage("timer", own.runner ? "finds out whether a kernel can be stopped"
                                                                 : "lets the virtual timer interrupt");

    if (reason)
        return reason;
    if (own.runner)
        return prove_withdrawal();
    source_enabled = services->interrupts && services->interrupt_source(services->interrupts->virtual_timer, true);
    reason = services->stage("deadline", "lets the timer end a window");
    if (!reason)
        reason = prove_deadline(UNCERTAIN_MS);
    return reason == not_arriving ? deliver_it_ourselves() : reason;
}

const char *own_core_start(own_runner *runner)
{
    const char *reason;

    own.runner = runner;
    own.counters = READER_TIME_ONLY;
    own.no_deadline = own.no_counters = NULL;
    reason = take_first();
    if (reason)
        return reason;
    own.no_deadline = take_deadline();
    own.no_counters = own.services->stage("counters", "proves the cycle counter in a window");
    if (!own.no_counters) {
        if (own_call(find_counters, NULL).end == WINDOW_RAN)
            prove_counters();
        else
            own.no_counters = "the performance monitors cannot be accessed (PMCR_EL0)";
    }
    return NULL;
}

const char *own_core_unlike(void)
{
    return NULL; /* secondary.c gives another core the translation registers of the one that booted */
}

void own_core_finish(void)
{
    delivery_finish();
    if (source_enabled)
        own.services->interrupt_source(own.services->interrupts->virtual_timer, false);
    source_enabled = false;
    own.runner = NULL;
}
