/*
 * Windows as a Linux process has them: a signal handler ends a kernel that faults, a timer one that takes too long, and
 * the kernel reports whether another process has had the core meanwhile.
 */
#define _GNU_SOURCE
#include "boot/linux/window.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "boot/linux/areas.h"
#include "boot/linux/perf.h"
#include "boot/linux/registers.h"
#include "boot/linux/simulated.h"
#include "lib/machine.h"

enum {
    SIGNAL_STACK_BYTES = 65536, /* a signal frame takes less than 16 KiB with the largest vector state */
    ALARMS = 4,    /* per deadline: a kernel is ended between three quarters of the deadline and the whole of it */
    ATTEMPTS = 10, /* at a measurement of up to 20 ms, of which one or two must not be disturbed by another process */
    /* Of the reference chain: 204,800 cycles, of which reading the kernel's clock takes less than one part in 1,000. */
    CALIBRATION_ITERATIONS = 1600,
    /* The same in a simulator, whose clocks are exact: 25,600 cycles. */
    SIMULATED_ITERATIONS = 200,
};

/* Time stamps in scope advance at 1 MHz to 10 GHz: another rate is one of a clock that does not pass as time does. */
static const double LOWEST_TICK_HZ = 1e6, HIGHEST_TICK_HZ = 1e10;

static enum reader_counters counters;
static bool counting; /* windows sample the counters that perf_windows_count opened */
static sigjmp_buf way_back;
static volatile sig_atomic_t in_window;
static volatile sig_atomic_t describing; /* an instruction that reads a register it may not read returns zero */
static volatile sig_atomic_t alarms;     /* that have come in this window */
static volatile struct window_result ended;

/* ---- Signals --------------------------------------------------------------------------------- */

/* `code` is si_code: SI_KERNEL of a fault that has no address, as a general protection fault. */
static const char *signal_vector(int number, int code)
{
    switch (number) {
    case SIGILL: return "undefined-instruction";
    case SIGSEGV: return code == SI_KERNEL ? "general-protection" : "memory-access";
    case SIGBUS: return "bus-error";
    case SIGFPE: return "divide-error";
    default: return "trap";
    }
}

static uint64_t signal_pc(const ucontext_t *c)
{
#if defined(__x86_64__)
    return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#else
    return c->uc_mcontext.pc;
#endif
}

/* If the instruction that was undefined reads a system register, skips it with zero as its result. Else false. */
static bool read_as_zero(ucontext_t *c)
{
#if defined(__x86_64__)
    (void)c; /* here a process reads identification by CPUID, which does not fault */
    return false;
#else
    uint32_t instruction = *(const uint32_t *)c->uc_mcontext.pc;
    if ((instruction & 0xfff00000) != 0xd5300000) /* MRS Xt, <register> (Arm ARM DDI 0487, C6.2) */
        return false;
    if ((instruction & 31) != 31)
        c->uc_mcontext.regs[instruction & 31] = 0;
    c->uc_mcontext.pc += sizeof instruction;
    return true;
#endif
}

static void on_fault(int number, siginfo_t *si, void *context)
{
    if (!in_window) {
        if (describing && number == SIGILL && read_as_zero(context))
            return;
        if (number == SIGSEGV && areas_guard_touched((uintptr_t)si->si_addr, signal_pc(context)))
            return;
        signal(number, SIG_DFL); /* no kernel did this: it is a bug of ours, and the default action shows it */
        raise(number);
        return;
    }
    ended.end = WINDOW_FAULT;
    ended.fault.pc = signal_pc(context);
    ended.fault.vector = signal_vector(number, si->si_code);
    ended.fault.syndrome = (uint64_t)number << 32 | (uint32_t)si->si_code;
    ended.fault.address = number == SIGSEGV || number == SIGBUS ? (uintptr_t)si->si_addr : 0;
    siglongjmp(way_back, 1);
}

/*
 * Alarms come all the time, so that a window need not set a timer. Most windows end before the next one; a window in
 * which ALARMS of them have come has lasted for the deadline, and is ended.
 */
static void on_alarm(int number, siginfo_t *si, void *context)
{
    (void)number, (void)si;
    if (!in_window || ++alarms < ALARMS)
        return;
    ended.end = WINDOW_TIMEOUT;
    ended.fault.pc = signal_pc(context);
    siglongjmp(way_back, 1);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* After a handler was left by a jump, the signals that it masked are still masked. */
static void unmask_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void windows_describing(bool on)
{
    describing = on;
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* A cycle counter of 32 bits may have wrapped between two reads (PMCR_EL0.LC; Arm ARM DDI 0487, D19.5). */
static void unwrap(struct reading *r)
{
    if (r->end_count[0] < r->begin_count[0])
        r->end_count[0] += UINT64_C(1) << 32;
    if (r->end_ticks < r->begin_ticks)
        r->end_ticks += UINT64_C(1) << 32;
}

/* Writes into the readings where their counters are. False while the kernel has taken a counter away. */
static bool point_at_counters(struct reading *list, size_t count)
{
    static struct reader_counts unread;
    struct reader_counts where;

    if (!perf_windows_index(&where))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].counts)
            list[i].counts = &unread;
        list[i].counts->count = where.count;
        memcpy(list[i].counts->index, where.index, sizeof where.index);
    }
    return true;
}

void windows_count(bool on)
{
    counting = on;
}

/* The value of that name; 0 where it cannot be read. */
static uint64_t value_of(const struct disturbance *d, const char *name)
{
    for (unsigned i = 0; i < d->count; i++)
        if (!strcmp(d->name[i], name))
            return d->value[i];
    return 0;
}

static void note_disturbance(const struct disturbance *before)
{
    struct disturbance after;

    registers_disturbance(&after);
    ended.smis = (uint32_t)(value_of(&after, "smi") - value_of(before, "smi"));
    ended.throttled = value_of(&after, "heat") != value_of(before, "heat");
    ended.limited = value_of(&after, "limits") != value_of(before, "limits");
}

/* In a simulator nothing interrupts, and there are no signals to come back by. */
static struct window_result simulated_window(struct reading *list, size_t count)
{
    reader_run(list, count, READER_TIME_ONLY);
    return (struct window_result){.end = WINDOW_RAN};
}

struct window_result machine_window(struct reading *list, size_t count)
{
    static long switches;
    struct disturbance before;
    struct rusage usage;

    if (simulated())
        return simulated_window(list, count);
    ended = (struct window_result){.end = WINDOW_RAN};
    if (counting && !point_at_counters(list, count)) {
        ended.interrupts = 1;
        return ended;
    }
    registers_disturbance(&before);
    alarms = 0;
    if (sigsetjmp(way_back, 0) == 0) {
        in_window = 1;
        reader_run(list, count, counting ? READER_EVENTS : counters);
    }
    in_window = 0;
    if (ended.end != WINDOW_RAN)
        unmask_signals();
    note_disturbance(&before);
    for (size_t i = 0; i < count && counters != READER_TIME_ONLY && !counting; i++)
        unwrap(&list[i]);
    /*
     * Another process has had the core, in this window or since the last one. Caches and predictors are no longer as
     * our code left them, so the list is void as after an interrupt.
     */
    ended.interrupts = (unsigned)alarms + (counting && !perf_windows_kept());
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        ended.interrupts += (unsigned)(usage.ru_nivcsw - switches);
        switches = usage.ru_nivcsw;
    }
    return ended;
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    if (silence != SILENCE_NONE)
        return "a Linux process cannot mask interrupts";
    *result = machine_window(list, count); /* interrupts are never masked for a process */
    return NULL;
}

/* ---- What the reader can read ---------------------------------------------------------------- */

/* Runs the readings that prove a counter in a window. False where reading it faults. */
static bool prove(enum reader_counters kind, struct reading list[READER_PROOF])
{
    struct window_result result = {.interrupts = 1};

    counters = kind;
    reader_proof_list(list);
    for (unsigned attempt = 0; attempt < ATTEMPTS && result.end == WINDOW_RAN && result.interrupts; attempt++)
        result = machine_window(list, READER_PROOF);
    return result.end == WINDOW_RAN;
}

static bool time_can_be_read(void)
{
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel};

    counters = READER_TIME_ONLY;
    return machine_window(&once, 1).end == WINDOW_RAN;
}

const char *windows_start(unsigned deadline_ms, struct machine_info *info, const char **no_cycles)
{
    static uint8_t stack[SIGNAL_STACK_BYTES]; /* for handlers: a kernel may have overflowed the ordinary stack */
    static const int faults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP};
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    const long period_us = (long)deadline_ms * 1000 / ALARMS;
    const struct timeval period = {period_us / 1000000, period_us % 1000000};
    const struct itimerval timer = {.it_interval = period, .it_value = period};
    struct reading list[READER_PROOF];

    if (simulated()) { /* a register that may trap is not read: there is no way back */
        info->counters = READER_TIME_ONLY;
        info->no_deadline = "the profile simulated sets no timer";
        *no_cycles = "the profile simulated reads no cycle counter";
        return NULL;
    }
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        install(faults[i], on_fault);
    install(SIGALRM, on_alarm);
    if (setitimer(ITIMER_REAL, &timer, NULL) != 0)
        info->no_deadline = "the kernel gives no timer (setitimer failed)";

    /* Reading a cycle counter without a fault is not enough: it must count cycles to be used as the unit. */
    *no_cycles = prove(READER_CYCLES_ONLY, list) ? reader_proof_verdict(list)
                                                 : "a process cannot read a cycle counter here";
    if (*no_cycles && !time_can_be_read() && !(prove(READER_CYCLES_AS_TIME, list) && reader_proof_moves(list)))
        return "a process can read neither a time stamp nor a cycle counter here";
    info->counters = counters;
    if (counters != READER_TIME_ONLY) {
        info->cycle_source = reader_cycle_counter;
        *no_cycles = NULL;
    }
    return NULL;
}

/* ---- Frequency of the time stamp ------------------------------------------------------------- */

/*
 * Ticks of the time stamp per second of the kernel's clock, over 20 ms of sleep: with both read to within a few
 * microseconds, that is accurate to 1 in 1,000. A cycle counter in the time stamp's place may stop while the process
 * sleeps, so it is measured over a reference chain instead.
 */
static double ticks_a_second(void)
{
    const struct timespec while_asleep = {.tv_nsec = 20000000};
    const uint64_t iterations = simulated() ? SIMULATED_ITERATIONS : CALIBRATION_ITERATIONS;
    struct reading r[2] = {{.kernel = (uintptr_t)reader_empty_kernel}, {.kernel = (uintptr_t)reader_empty_kernel}};

    if (counters == READER_CYCLES_AS_TIME || simulated()) {
        r[1] = (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {iterations}};
        double start = machine_seconds();
        machine_window(&r[1], 1);
        return (double)(r[1].end_ticks - r[1].begin_ticks) / (machine_seconds() - start);
    }
    machine_window(&r[0], 1);
    double start = machine_seconds();
    nanosleep(&while_asleep, NULL);
    machine_window(&r[1], 1);
    double end = machine_seconds();
    return (double)(r[1].begin_ticks - r[0].end_ticks) / (end - start);
}

double windows_tick_hz(const char **source)
{
    double hz[2] = {0, 1};

    *source = "calibrated against CLOCK_MONOTONIC_RAW";
    if (simulated()) {
        hz[0] = ticks_a_second();
        if (hz[0] >= LOWEST_TICK_HZ && hz[0] <= HIGHEST_TICK_HZ)
            return hz[0];
        *source = "assumed: the simulator's clock does not pass";
        return 1e9;
    }
    /* Until two in a row agree to 1 in 1,000: they differ where another process had the core in between. */
    for (unsigned i = 0; i < ATTEMPTS && fabs(hz[0] - hz[1]) > 1e-3 * hz[1]; i++)
        hz[i % 2] = ticks_a_second();
    return hz[0];
}
