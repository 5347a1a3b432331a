/*
 * Line transfer: how long does an access take to a line that another core has?
 *
 * Before each reading the lines are brought into a state. This core may flush them from all caches (F), load them (L),
 * and request (R) the other core to load or to store to all of them (lib/measure/responder.h):
 *
 *   modified   R    the other core has stored to the lines, and only it has them
 *   exclusive  F R  it has loaded them after they were flushed: only it has them, as memory does
 *   shared     FLR  both cores have loaded them
 *   owned      RL   this core has loaded them after the other one has stored to them: both have them, memory may not
 *
 * Then one reading loads from, or stores to, all lines, one after another: each load returns the address of the next
 * one, and each store is followed by a fence, so that nothing overlaps. A second reading does the same to the lines as
 * this core has them now. The difference is what the transfer takes: the accesses, the fences and the clock's own time
 * cancel. Of each of the two the shortest of several counts, since whatever else happens makes a reading longer.
 *
 * Loads of shared lines need no transfer: a load is measured where only the other core has the line. A store to a line
 * that this core has, too, is an upgrade: it only has to remove the other core's copy. Instructions that read and
 * change memory in one step (add, cas) are measured like stores, where the core has them.
 *
 * The lines lie in random order on pages that no other pair of cores uses, 256 bytes apart, so that no prefetcher finds
 * the next one. Their homes differ: the result is a mean over them. There is no curve; one experiment is grade C.
 *
 * Method: docs/METHODS.md, 8.8. Molka et al. 2009, Memory performance and cache coherency effects on an Intel Nehalem
 * multiprocessor system: states prepared by another core; here with differences and two cores only.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/forms.h"
#include "lib/kernels/round_trip.h"
#include "lib/probe/beside.h"
#include "lib/probe/probe.h"
#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_once.h"
#include "lib/structure/line_transfer.h"

enum {
    LINES = 32, /* few enough for any first level: every fourth set of 64-byte lines has at most two of them */
    LINE = ROUND_TRIP_LINE,
    REPEATS = 5,  /* in a window, the first of which only warms up */
    LONGEST = 5,  /* readings of a repeat: three that prepare, and two that are timed */
    ATTEMPTS = 3, /* of windows */
    DATA_AT = 8,  /* of a line: the word that is stored to; before it lies the address of the next line */
    CONTROL_AT = LINES * LINE + 128, /* the line of the requests, in another set than those lines, … */
    STATE_AT = CONTROL_AT + LINE,
    PAIR_BYTES = LINES * LINE + 4096, /* whole pages of their own */
    CODE_BYTES = 16384,
    STEP = 4095, /* that one addition makes, at most */
    ATOMICS = 2  /* of form_atomics */
};

static const char name[] = "system.line.transfer_ns";

static const struct transfer {
    const char *state, *access;
    const char *before; /* what prepares the lines, as above */
    enum responder_duty duty;
} transfers[] = {
    {"modified", "load", "R", RESPONDER_STORES},  {"modified", "store", "R", RESPONDER_STORES},
    {"exclusive", "load", "FR", RESPONDER_LOADS}, {"exclusive", "store", "FR", RESPONDER_LOADS},
    {"shared", "store", "FLR", RESPONDER_LOADS},  {"owned", "store", "RL", RESPONDER_STORES},
    {"modified", "add", "R", RESPONDER_STORES},   {"modified", "cas", "R", RESPONDER_STORES},
    {"exclusive", "cas", "FR", RESPONDER_LOADS},  {"shared", "cas", "FLR", RESPONDER_LOADS},
};
enum { TRANSFERS = sizeof transfers / sizeof transfers[0] };

struct lines {
    struct area area; /* PAIR_BYTES for each of the other cores */
    struct kernel request, flush, load, store, atomic[ATOMICS];
    bool has[ATOMICS]; /* the core has this form of form_atomics */
    unsigned attempts;
};

/* One atomic access to each line; the address goes along, since these forms have no displacement. */
static void emit_atomics(struct code *c, const struct form *f, const size_t *order)
{
    const uint8_t registers[] = {(uint8_t)form_register(REG_T1), (uint8_t)form_register(REG_T2)};
    int32_t at = 0;

    emit_constant(c, REG_T1, 1);
    emit_constant(c, REG_T2, 1);
    for (size_t i = 0; i < LINES; i++) {
        for (int32_t step, on = (int32_t)(order[i] + DATA_AT) - at; on; on -= step, at += step) {
            step = on > STEP ? STEP : on < -STEP ? -STEP : on;
            emit_add_constant(c, REG_DATA, step);
        }
        emit_form(c, f, registers);
        emit_fence(c, FENCE_MEMORY);
    }
    emit_return(c);
}

/* Emits all kernels. Each works on the lines of the pair that its argument points to. */
static bool build(struct probe *p, struct lines *l, const size_t *order)
{
    struct code c = probe_code(p, CODE_BYTES);
    const size_t request = c.used;

    round_trip_emit(p, &c);
    const size_t flush = c.used;
    for (size_t i = 0; i < LINES; i++) { /* each line is loaded first: only what a core can load it can flush */
        emit_move(&c, REG_T0, REG_DATA);
        emit_load(&c, REG_DATA, REG_T0, 0);
        emit_flush(&c, REG_T0);
    }
    emit_fence(&c, FENCE_MEMORY);
    emit_return(&c);
    const size_t load = c.used;
    for (size_t i = 0; i < LINES; i++)
        emit_load(&c, REG_DATA, REG_DATA, 0);
    emit_return(&c);
    const size_t store = c.used;
    for (size_t i = 0; i < LINES; i++) {
        emit_store(&c, REG_COUNT, REG_DATA, (int32_t)(order[i] + DATA_AT));
        emit_fence(&c, FENCE_MEMORY);
    }
    emit_return(&c);
    for (size_t i = 0; i < ATOMICS; i++) {
        const size_t atomic = c.used;
        l->atomic[i].units = 1;
        if (!l->has[i])
            continue;
        emit_atomics(&c, form_find(form_atomics[i].form), order);
        if (!probe_kernel(p, &c, atomic, &l->atomic[i]))
            return false;
    }
    l->request.units = l->flush.units = l->load.units = l->store.units = 1;
    return probe_kernel(p, &c, request, &l->request) && probe_kernel(p, &c, flush, &l->flush) &&
           probe_kernel(p, &c, load, &l->load) && probe_kernel(p, &c, store, &l->store);
}

/* Links the lines of a pair to a ring in that order, which begins with offset 0. */
static void link_lines(const struct lines *l, size_t pair, const size_t *order)
{
    for (size_t i = 0; i < LINES; i++)
        *(uint64_t *)(l->area.write + pair + order[i]) = l->area.at + pair + order[(i + 1) % LINES];
    ((struct round_trip_line *)(l->area.write + pair + CONTROL_AT))->state = l->area.at + pair + STATE_AT;
}

/* The index of an access in form_atomics; ATOMICS: it is a plain load or store. */
static size_t atomic_of(const char *access)
{
    size_t i = 0;

    while (i < ATOMICS && strcmp(access, form_atomics[i].name) != 0)
        i++;
    return i;
}

static const struct kernel *kernel_of(const struct lines *l, const char *access)
{
    const size_t atomic = atomic_of(access);

    return atomic < ATOMICS ? &l->atomic[atomic] : !strcmp(access, "load") ? &l->load : &l->store;
}

/* Fills in the readings of one repeat. Returns how many; the last two are timed. */
static size_t prepare(const struct lines *l, const struct transfer *t, size_t pair, struct reading *list)
{
    const uint64_t first = l->area.at + pair;
    const struct kernel *timed = kernel_of(l, t->access);
    size_t count = 0;

    for (const char *step = t->before; *step; step++)
        list[count++] = *step == 'R' ? (struct reading){.kernel = l->request.entry, .argument = {1, first + CONTROL_AT}}
                                     : (struct reading){.kernel = *step == 'F' ? l->flush.entry : l->load.entry,
                                                        .argument = {1, first}};
    for (unsigned twice = 0; twice < 2; twice++)
        list[count++] = (struct reading){.kernel = timed->entry, .argument = {1, first}};
    return count;
}

static double ns_of(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks) / machine_info()->tick_hz * 1e9;
}

/* Measures one kind of transfer. NULL, or why the core cannot be used. *ns is NaN where no reading counts: *reason. */
static const char *measure(struct probe *p, const struct lines *l, const struct transfer *t, unsigned other,
                           size_t pair, double *ns, enum reason *reason, bool *good)
{
    uint8_t *const first = l->area.write + pair;
    const struct round_trip_state *kept = (const struct round_trip_state *)(first + STATE_AT);
    const struct responder_task task = {.word = &((struct round_trip_line *)(first + CONTROL_AT))->word,
                                        .duty = t->duty,
                                        .lines = (volatile uint64_t *)(first + DATA_AT),
                                        .count = LINES,
                                        .pitch = LINE};
    struct reading list[REPEATS * LONGEST];
    struct window_result result;
    double moved = INFINITY, held = INFINITY;

    *reason = REASON_NO_READINGS;

    for (unsigned attempt = 0; attempt < l->attempts; attempt++) {
        size_t count = 0, each = 0;
        for (unsigned repeat = 0; repeat < REPEATS; repeat++)
            count += each = prepare(l, t, pair, list + count);
        const char *why = probe_window_beside(p, other, &task, list, count, &result, good);
        if (why || !*good)
            return why;
        if (kept->left)
            *reason = REASON_NO_RESPONSE;
        if (result.interrupts || result.smis || kept->left)
            continue;
        for (unsigned repeat = 1; repeat < REPEATS; repeat++) {
            moved = fmin(moved, ns_of(&list[(repeat + 1) * each - 2]));
            held = fmin(held, ns_of(&list[(repeat + 1) * each - 1]));
            p->run->meter.kernel_seconds += (moved + held) / 1e9;
        }
    }
    *ns = isinf(moved) ? (double)NAN : line_transfer_of(moved, held) / LINES;
    if (!isinf(moved))
        *reason = REASON_NOISE; /* where it is undecided nevertheless */
    return NULL;
}

/* Measures and reports all transfers from one other core. NULL, or why that core cannot be used. */
static const char *measure_core(struct probe *p, const struct lines *l, unsigned other, size_t pair, bool *good)
{
    char cores[32];

    snprintf(cores, sizeof cores, "%u and %u", machine_info()->core, other);
    for (size_t i = 0; i < TRANSFERS; i++) {
        double ns = (double)NAN;
        enum reason reason;
        const size_t atomic = atomic_of(transfers[i].access);
        if (atomic < ATOMICS && !l->has[atomic])
            continue;
        const char *why = measure(p, l, &transfers[i], other, pair, &ns, &reason, good);
        if (why || !*good)
            return why;
        report_number(p,
                      &(struct finding){
                          .name = name,
                          .variants = {{"pair", cores}, {"state", transfers[i].state}, {"access", transfers[i].access}},
                          .reason = reason,
                          .method = "time beyond that of the same access to lines that this core has"},
                      ns);
    }
    return NULL;
}

/* Which atomic forms the core has: each is executed once, where a fault is caught. False: the probe is over. */
static bool find_atomics(struct probe *p, struct lines *l)
{
    struct area area;

    if (!probe_map(p, &area, INSTRUCTION_DATA_BYTES, 0))
        return false;
    for (size_t i = 0; i < ATOMICS && form_atomics[i].name; i++) {
        const struct form *f = form_find(form_atomics[i].form);
        l->has[i] = f && !instruction_execute_once(p, &area, f).why.reason;
    }
    return true;
}

static void run(struct probe *p)
{
    size_t order[LINES], count, pair = 0;
    const struct machine_core *all = machine_cores(&count);
    const size_t most = (size_t)probe_scale(p, 1, 8, 64, 64); /* other cores that are measured */
    struct lines l = {.attempts = (unsigned)probe_scale(p, 1, ATTEMPTS, 4 * ATTEMPTS, 8 * ATTEMPTS)};
    const char *why = NULL;
    bool good = true;

    for (size_t i = 0; i < LINES; i++)
        order[i] = i * LINE;
    random_shuffle(order + 1, LINES - 1, sizeof *order, &p->random);
    if (!probe_map(p, &l.area, (count < most + 1 ? count : most + 1) * PAIR_BYTES, 0) || !find_atomics(p, &l) ||
        !build(p, &l, order))
        return;
    for (size_t i = 0; i < count && pair < most && good; i++) {
        if (all[i].index == machine_info()->core)
            continue;
        link_lines(&l, pair * PAIR_BYTES, order);
        const char *unusable = all[i].why_not ? all[i].why_not
                                              : measure_core(p, &l, all[i].index, pair * PAIR_BYTES, &good);
        why = why ? why : unusable;
        pair += !unusable;
    }
    if (good && !pair)
        report_number(
            p, &(struct finding){.name = name, .reason = count > 1 ? REASON_PLATFORM : REASON_ONE_CORE, .detail = why},
            (double)NAN);
}

PROBE(line_transfer, .title = "Line transfer", .family = "system", .run = run,
      .findings = FINDINGS({"system.line.transfer_ns", "ns",
                            "time that an access takes longer because another core has the line"}));
