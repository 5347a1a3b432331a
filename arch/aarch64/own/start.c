/* Taking the core, proving what it can do, and giving it back. */
#include <string.h>

#include "arch/aarch64/own/counters.h"
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

struct own_state own;

#define TCR_DS (UINT64_C(1) << 59)

static bool timer_reaches_us;

static void do_nothing(void *argument)
{
    (void)argument;
}

/* At EL2: everything between the two levels, once, with nothing in it. */
static const char *prove_worker(void)
{
    uint64_t daif = READ(DAIF);
    struct exception e;

    __asm__ volatile("msr daifset, #0xf" ::: "memory");
    e = call_at_el1(do_nothing, NULL, SILENCE_STOPPED);
    WRITE(DAIF, daif);
    if (e.vector == VECTOR_OWN_SYNCHRONOUS)
        return "EL1 worker: HVC is not allowed (SCR_EL3.HCE)";
    return e.vector == VECTOR_NONE ? NULL : "EL1 worker: an exception at EL1 came to EL2";
}

static const char *start_translation(void)
{
    int memory_index;

    if (own.level == 2) {
        const char *reason = worker_start();

        if (!reason)
            reason = high_half_start(WORKER_MEMORY_INDEX, false);
        return reason ? reason : prove_worker();
    }
    memory_index = memory_index_write_back(READ(MAIR_EL1));
    if (memory_index < 0)
        return "the firmware's MAIR_EL1 has no write-back memory";
    return high_half_start((unsigned)memory_index, (READ(TCR_EL1) & TCR_DS) != 0);
}

/*
 * A kernel that would take far longer than its deadline: either the timer ends it, and that is the proof,
 * or it returns by itself. A loaded emulator may be a hundred milliseconds late. Interrupts of others may
 * come first, and are handled in between; so may a system error that the firmware had masked since it
 * started, and taking it is the end of it.
 */
static const char *prove_deadline(void)
{
    enum { DEADLINE_MS = 1, WAIT_MS = 250, ATTEMPTS = 4 };
    struct reading wait = {
        .kernel = (uintptr_t)guard_wait_kernel,
        .argument = {(uint64_t)(own.services->tick_hz * WAIT_MS / 1000)},
    };

    own.no_deadline = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        struct window_result r = own_window(&wait, 1, READER_TIME_ONLY, DEADLINE_MS);

        if (r.end == WINDOW_TIMEOUT)
            return NULL;
        if (r.end == WINDOW_FAULT && strcmp(r.fault.vector, "serror") != 0)
            return "virtual timer: the window meant to prove it ended in an exception";
        if (r.end == WINDOW_RAN && !r.interrupts)
            return "the virtual timer's interrupt (27) does not arrive: the firmware has set up no interrupt "
                   "controller for it";
    }
    return "virtual timer: other interrupts keep coming first";
}

/* Cycles must move; instructions must be those of the kernel, to one in a hundred (Arm ARM D13.4, accuracy). */
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

    own.no_counters = window_counters_missing();
    if (own.no_counters)
        return;
    own.no_counters = window_counters_no_instructions();
    own.counters = READER_CYCLES_INSTRUCTIONS;
    r = own_window(loop, 2, READER_CYCLES_INSTRUCTIONS, 0);
    cycles = loop[1].end_count[0] - loop[1].begin_count[0];
    instructions = loop[1].end_count[1] - loop[1].begin_count[1] - (loop[0].end_count[1] - loop[0].begin_count[1]);
    if (r.end != WINDOW_RAN || cycles == 0) {
        own.counters = READER_TIME_ONLY;
        own.no_counters = r.end != WINDOW_RAN ? "the performance monitors cannot be accessed at EL1"
                                              : "the cycle counter stands still (PMCCNTR_EL0)";
    } else if (!own.no_counters &&
               (instructions < expected - expected / 100 || instructions > expected + expected / 100)) {
        own.no_counters = "cycles only: the instruction counter does not count instructions (INST_RETIRED)";
    }
}

const char *own_start(const struct own_services *services)
{
    const char *reason;

    own = (struct own_state){.services = services, .level = field(READ(CurrentEL), 2, 2)};
    if (own.level == 3)
        return "entered at EL3, where no firmware should leave us";
    own.e2h = own.level == 2 && (READ(HCR_EL2) & HCR_E2H);
    environment_note();

    reason = start_translation();
    if (reason) {
        own_finish();
        return reason;
    }
    timer_reaches_us = services->interrupt_source && services->interrupt_source(VIRTUAL_TIMER_INTERRUPT, true);
    own.no_deadline = prove_deadline();
    prove_counters();
    return NULL;
}

void own_finish(void)
{
    if (timer_reaches_us)
        own.services->interrupt_source(VIRTUAL_TIMER_INTERRUPT, false);
    timer_reaches_us = false;
    high_half_finish();
    if (own.level == 2)
        worker_finish();
}
