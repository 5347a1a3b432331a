/*
 * The window: nothing but our list runs on the core.
 *
 *     own_window, at the firmware's level     interrupts masked
 *       open, at EL1                          timers silent, counters on, high half shown
 *         guard_run                           our vectors, our stack; only the deadline gets through
 *       close, at EL1                         all of that back
 *                                             interrupts as they were
 */
#include "arch/aarch64/own/call.h"
#include "arch/aarch64/own/counters.h"
#include "arch/aarch64/own/faults.h"
#include "arch/aarch64/own/guard.h"
#include "arch/aarch64/own/high_half.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/own/timers.h"
#include "arch/aarch64/own/worker.h"
#include "arch/aarch64/registers.h"
#include "arch/own.h"

/* PSTATE.DAIF, as DAIF has it (Arm ARM DDI 0487, C5.2.2) */
enum { DEBUG_MASKED = 1 << 9, SERROR_MASKED = 1 << 8, IRQ_MASKED = 1 << 7, FIQ_MASKED = 1 << 6 };

struct window {
    struct guarded guarded;
    uint64_t deadline_ticks; /* 0: none */
    enum silence silence;    /* unless SILENCE_STOPPED, timers stay the firmware's */
    uint64_t daif;           /* the firmware's masks */
    bool deadline_came;

    bool open; /* what follows is to be put back */
    struct high_half high_half;
    struct timers timers;
    struct window_counters counters;
    uint64_t return_address, return_state; /* ELR_EL1, SPSR_EL1, which exceptions overwrite */
};

static uint64_t mask_interrupts(void)
{
    uint64_t found = READ(DAIF);

    __asm__ volatile("msr daifset, #0xf" ::: "memory");
    return found;
}

static void restore_interrupts(uint64_t found)
{
    WRITE(DAIF, found);
}

/* Whether the window programs and restores the counters itself. For READER_EVENTS the caller does (arch/counters.h). */
static bool counts_itself(const struct window *w)
{
    return w->guarded.counters != READER_TIME_ONLY && w->guarded.counters != READER_EVENTS;
}

static void open_window(struct window *w)
{
    w->return_address = READ(ELR_EL1);
    w->return_state = READ(SPSR_EL1);
    if (w->silence == SILENCE_STOPPED)
        timers_stop(&w->timers);
    if (counts_itself(w))
        window_counters_start(&w->counters, !own.no_counters);
    high_half_on(&w->high_half);
    w->open = true;
}

static void close_window(void *window)
{
    struct window *w = window;

    high_half_off(&w->high_half);
    if (counts_itself(w))
        window_counters_stop(&w->counters);
    if (w->silence == SILENCE_STOPPED)
        timers_restore(&w->timers);
    WRITE(SPSR_EL1, w->return_state);
    WRITE(ELR_EL1, w->return_address);
    w->open = false;
}

static void run_guarded(void *window)
{
    struct window *w = window;

    open_window(w);
    if (w->deadline_ticks)
        deadline_arm(w->deadline_ticks);
    guard_run(&w->guarded);
    w->deadline_came = w->deadline_ticks && deadline_due();
    close_window(w);
}

/* At EL1: runs the list with our tables, but on the firmware's stack and with the firmware's vectors. */
static void run_interruptible(struct window *w)
{
    open_window(w);
    restore_interrupts(w->daif);
    reader_run(w->guarded.list, w->guarded.count, (enum reader_counters)w->guarded.counters);
    mask_interrupts();
    close_window(w);
}

static struct window_result result_of(const struct window *w, const struct exception *at_el2)
{
    const struct exception *e = &w->guarded.exception;
    struct window_result result = {.end = WINDOW_RAN};

    if (at_el2->vector != VECTOR_NONE) {
        result.end = WINDOW_FAULT;
        result.fault = at_el2->vector == VECTOR_LOWER_SERROR
                           ? fault_serror(at_el2->syndrome, at_el2->pc)
                           : fault_describe(at_el2->syndrome, at_el2->address, at_el2->pc);
        return result;
    }
    switch (e->vector) {
    case VECTOR_NONE: break;
    case VECTOR_IRQ:
    case VECTOR_FIQ: /* where there is no GIC, the timer's interrupt comes as an FIQ (Apple) */
        if (w->deadline_came) {
            result.end = WINDOW_TIMEOUT;
            result.fault.pc = e->pc;
        } else {
            /*
             * Only the firmware can acknowledge it, so the list ends here. It stays pending, and the
             * firmware handles it as soon as its masks are back.
             */
            result.interrupts = 1;
        }
        break;
    case VECTOR_SERROR:
        result.end = WINDOW_FAULT;
        result.fault = fault_serror(e->syndrome, e->pc);
        break;
    default:
        result.end = WINDOW_FAULT;
        result.fault = fault_describe(e->syndrome, e->address, e->pc);
        break;
    }
    return result;
}

static struct window_result run(struct window *w)
{
    struct exception at_el2 = {.vector = VECTOR_NONE};
    struct window_result result;

    if (!high_half_ready())
        return (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = "no-memory-for-tables"}};
    w->guarded.exception.vector = VECTOR_NONE;
    w->daif = mask_interrupts();
    if (w->silence == SILENCE_NONE && own.level == 1)
        run_interruptible(w);
    else
        at_el2 = call_at_el1(run_guarded, w, w->silence);
    if (w->open) /* it ended at EL2, and left behind what EL2 can't put back */
        call_at_el1(close_window, w, SILENCE_STOPPED);
    restore_interrupts(w->daif);

    result = result_of(w, &at_el2);
    if (counts_itself(w))
        window_counters_unwrap(w->guarded.list, w->guarded.count);
    return result;
}

/* What is to be run on the core in use. */
struct request {
    struct window window;
    struct window_result result;
};

static void run_here(void *request)
{
    struct request *r = request;

    r->result = run(&r->window);
}

static struct window prepare(struct reading *list, size_t count, enum reader_counters counters)
{
    return (struct window){
        .guarded =
            {
                .list = list,
                .count = count,
                .counters = own.counters == READER_TIME_ONLY && counters != READER_EVENTS ? READER_TIME_ONLY : counters,
                .stack = high_half_stack(),
            },
    };
}

struct window_result own_window(struct reading *list, size_t count, enum reader_counters counters, unsigned deadline_ms)
{
    struct request r = {.window = prepare(list, count, counters), .result = {.end = WINDOW_TIMEOUT}};

    /* On another core than the one that booted, that one watches (secondary.c), and no interrupt is needed. */
    r.window.guarded.daif = DEBUG_MASKED;
    if (deadline_ms && !own.no_deadline && !own.runner)
        r.window.deadline_ticks = (uint64_t)(own.services->tick_hz * deadline_ms / 1000);
    else
        r.window.guarded.daif |= IRQ_MASKED | FIQ_MASKED;
    if (!own_on_core(run_here, &r, own.no_deadline ? 0 : deadline_ms))
        return (struct window_result){.end = WINDOW_TIMEOUT, .fault.pc = r.result.fault.pc};
    return r.result;
}

const char *own_noisy_window(struct reading *list, size_t count, enum reader_counters counters, enum silence silence,
                             struct window_result *result)
{
    struct request r = {.window = prepare(list, count, counters), .result = {.end = WINDOW_TIMEOUT}};

    if (silence == SILENCE_NONE && own.runner)
        return "interrupts go to the core that booted alone";
    /* With SILENCE_NONE interrupts go to a firmware at EL2, which these masks of EL1 do not hold back. */
    r.window.guarded.daif = DEBUG_MASKED | IRQ_MASKED | FIQ_MASKED;
    r.window.silence = silence;
    own_on_core(run_here, &r, 0);
    *result = r.result;
    return NULL;
}

const char *own_no_deadline(void)
{
    return own.no_deadline;
}

enum reader_counters own_counters(const char **why_not)
{
    if (why_not)
        *why_not = own.no_counters;
    return own.counters;
}
