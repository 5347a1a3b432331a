/*
 * Loads and stores: how many of them can a core execute together in each cycle?
 *
 * Loops of groups of n loads and m stores, all of one width and all in the first level
 * (lib/kernels/load_store_groups.h). Where the core executes n loads and m stores in every cycle, a group takes one
 * cycle. Two experiments, which also differ in the length of the loop:
 *
 *   in order   n loads, then m stores, then n loads …
 *   shuffled   as many of both in random order: the selection of ports may suit one order and not the other
 *
 * A group is sustained when it takes one cycle by both experiments together. Where they differ, the faster one counts
 * if it is the same in each pass: nothing makes a core faster than it is, but random bursts of one kind may exceed its
 * queues (two loads and a store of 128 bits on Zen 4: 1.00 in order, 0.88 to 0.95 shuffled). Reported are, for each
 * number of stores, the largest number of loads that is sustained, and the next one, which is not; the record has all
 * groups. Everything is measured in three passes: some cores execute the same group at one rate now and at another one
 * a while later.
 *
 * Accesses touch neighbouring addresses, which suits caches that take two stores to one line at once: all loads in one
 * line and all stores in another, or both over 512 bytes. The better layout is reported, with its name. How the rate
 * changes with the distance of neighbours, by banks or lines, is measured apart: loads alone and stores alone, of 64
 * bits, 8 to 512 bytes apart, in loops of two lengths and as many passes.
 *
 * On a Raptor Cove under a hypervisor, groups at the limit (two loads and two stores of 256 bits among them) lose one
 * part in 17 for 1 to 10 ms, or for as long as they are measured. It is the same in both orders, over one line and over
 * 512 bytes, with one kernel at one address measured 400 times, and while a loop of PAUSE occupies the other virtual
 * processor: it depends on time, not on code or data. Measured in turn, groups of two and two in loops of another
 * length lose it at the same moments, 683 times of 704; groups of two and one, one and two, three and none, none and
 * two not once of 1205, though three loads use all load ports and two stores all store ports. So no sibling takes
 * ports; the cause is open. Hence the three passes, and under a hypervisor all experiments share the confounder
 * "neighbours".
 *
 * Scalable vectors are measured besides those of a fixed length, since the core may execute them in another way.
 *
 * Method: docs/METHODS.md, 7.19. jia.je 2025, Apple M4 and Redwood Cove; strides: the same, Neoverse V2 and Oryon.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/access.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/issue_order.h"
#include "lib/structure/load_store_rates.h"

enum {
    ACCESSES = 16,
    STRIDE_FROM = 8, /* bytes */
    STRIDES = 7      /* each twice the one before */
};

/*
 * Loads wait for registers if with one fewer of six, or of three pairs, their rate falls below this part. It falls to 5/6
 * then, or 2/3; else it stays. Chosen: the middle of 5/6 and 1.
 */
static const double REGISTERS_RATIO = 0.92;

static const char *const conditions[RATE_LAYOUTS] = {"loads in one line, stores in one",
                                                     "loads over 512 bytes, and stores"};

/* ---- Groups ------------------------------------------------------------------------------------- */

/* Under a hypervisor all experiments share a confounder: other guests may use the same core, perhaps for long. */
static void share_confounder(struct experiment_value *v, size_t count)
{
    for (size_t i = 0; i < count && machine_info()->hypervisor[0]; i++)
        v[i].confounder = "neighbours";
}

/*
 * A core in order that does not rename registers lets a load wait for the one before into the same register. Then the
 * rate is that of the registers, and falls where loads write one fewer in turn. Sets *reason. False: the probe is over.
 */
static bool find_waits(struct probe *p, const struct area *area, const struct emit_access *a,
                       const struct group_rate *g, enum reason *reason)
{
    double fewer[RATE_ORDERS], all[RATE_ORDERS];
    struct load_store_groups how = {
        .area = area, .access = a, .loads = g->loads, .stores = g->stores, .span = rate_span(a, g->best)};

    *reason = REASON_NONE;
    if (!g->loads)
        return true;
    if (!rate_measure(p, &how, all))
        return false;
    how.fewer_registers = true;
    if (!rate_measure(p, &how, fewer))
        return false;
    if (fewer[0] < REGISTERS_RATIO * all[0])
        *reason = REASON_MASKED_BY_REGISTERS;
    return true;
}

static bool report_groups(struct probe *p, const struct area *area, const struct access_rates *s, bool in_order)
{
    const struct emit_access *a = s->access;

    if (!access_represents_width(a) && !access_variant(a))
        return true;
    for (size_t i = 0; i < s->count; i++) {
        const struct group_rate *g = &s->groups[i];
        const struct rate *best = &g->rates[g->best];
        const bool alone = best->order < RATE_ORDERS;
        struct experiment_value v[RATE_PASSES * RATE_ORDERS];
        size_t count = rate_values(g, g->best, best->order, v);
        if (alone) /* one experiment, whose passes are no experiments of their own */
            v[0].value = best->graded.value, count = 1;
        share_confounder(v, count);
        if (!rate_at_limit(s, g))
            continue;
        enum reason reason = REASON_NONE;
        if (in_order && !find_waits(p, area, a, g, &reason))
            return false;
        const struct finding f = {.name = "memory.mix.per_cycle",
                                  .variants = {{"loads", .number = g->loads},
                                               {"stores", .number = g->stores},
                                               {"width", .number = a->bits},
                                               {access_variant(a), .text = access_variant_text(a)}},
                                  .reason = reason,
                                  .remarks = {{"condition", conditions[g->best]},
                                              {alone ? "order" : NULL, alone ? rate_order_names[best->order] : NULL}},
                                  .method = "loops of such groups, in order and shuffled; three passes"};
        if (reason)
            report_number(p, &f, (double)NAN);
        else
            report_graded_number(p, &f, v, count);
    }
    return true;
}

static void send_groups(struct probe *p, const struct access_rates *s)
{
    struct record r;

    record_table(p, &r, s->access->name);
    record_integer(&r, "width", s->access->bits);
    RECORD_COLUMNS(&r, "loads", "stores", "span_bytes", "in_order_least", "in_order_most", "shuffled_least",
                   "shuffled_most");
    for (size_t i = 0; i < s->count * RATE_LAYOUTS; i++) {
        const struct group_rate *g = &s->groups[i / RATE_LAYOUTS];
        const size_t layout = i % RATE_LAYOUTS;
        if (g->per_cycle[layout][0][0] <= 0)
            continue;
        record_array(&r, NULL);
        record_integer(&r, NULL, g->loads);
        record_integer(&r, NULL, g->stores);
        record_integer(&r, NULL, rate_span(s->access, layout));
        for (size_t e = 0; e < RATE_ORDERS; e++) {
            double least = g->per_cycle[layout][0][e], most = least;
            for (size_t pass = 1; pass < RATE_PASSES && g->per_cycle[layout][pass][e] > 0; pass++) {
                least = fmin(least, g->per_cycle[layout][pass][e]);
                most = fmax(most, g->per_cycle[layout][pass][e]);
            }
            record_number(&r, NULL, rounded(least));
            record_number(&r, NULL, rounded(most));
        }
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- Strides ------------------------------------------------------------------------------------ */

struct strides {
    double per_cycle[2][STRIDES][RATE_PASSES][RATE_ORDERS]; /* of loads, then of stores */
};

static size_t strides(const struct probe *p)
{
    return (size_t)probe_smoke(p, 1, STRIDES);
}

static bool measure_strides(struct probe *p, const struct area *area, const struct emit_access *a, size_t pass,
                            struct strides *out)
{
    for (unsigned store = 0; store < 2; store++)
        for (size_t i = 0; i < strides(p); i++) {
            struct load_store_groups how = {
                .area = area, .access = a, .loads = !store, .stores = store, .stride = STRIDE_FROM << i};
            if (!rate_measure(p, &how, out->per_cycle[store][i][pass]))
                return false;
        }
    return true;
}

/* Reports the range of rates too: loads of one cycle that conflict in a bank are repeated, so passes may differ. */
static void report_strides(struct probe *p, const struct strides *s)
{
    static const char *const names[RATE_ORDERS] = {"shorter loop", "longer loop"};

    for (unsigned store = 0; store < 2; store++)
        for (size_t i = 0; i < strides(p); i++) {
            struct experiment_value v[RATE_PASSES * RATE_ORDERS];
            double least = INFINITY, most = 0;
            size_t count = 0;
            char range[40];
            for (size_t pass = 0; pass < rate_passes(p); pass++)
                for (size_t e = 0; e < RATE_ORDERS; e++) {
                    const double now = s->per_cycle[store][i][pass][e];
                    v[count++] = (struct experiment_value){names[e], e ? "operation cache" : "loop", now};
                    least = fmin(least, now);
                    most = fmax(most, now);
                }
            share_confounder(v, count);
            snprintf(range, sizeof range, "%.3f to %.3f", least, most);
            report_graded_number(p,
                                 &(struct finding){.name = "memory.stride.per_cycle",
                                                   .variants = {{"access", store ? "store" : "load"},
                                                                {"stride", .number = STRIDE_FROM << i}},
                                                   .method = "loops over 32 places, of 64 bits; three passes",
                                                   .remarks = {{"range", range}}},
                                 v, count);
        }
}

static bool measure_all(struct probe *p, const struct area *area, struct access_rates *sets, size_t count,
                        const struct emit_access *general, struct strides *s)
{
    for (size_t pass = 0; pass < rate_passes(p); pass++) {
        for (size_t i = 0; i < count; i++)
            if (!access_rates_pass(p, area, &sets[i], pass))
                return false;
        if (general && !measure_strides(p, area, general, pass, s))
            return false;
    }
    return true;
}

static void run(struct probe *p)
{
    const struct emit_access *general = NULL;
    struct access_rates *sets = malloc(ACCESSES * sizeof *sets);
    struct strides by_stride = {0};
    struct issue_orders issue;
    struct area area;
    size_t count = 0;

    if (!sets) {
        probe_skip(p, "out of memory for the groups");
        return;
    }
    for (const struct emit_access *a = emit_accesses; a->name && count < ACCESSES; a++)
        if (!a->streams && access_can_run(a)) {
            access_rates_start(p, a, &sets[count++]);
            if (a->file == ACCESS_GENERAL && a->registers == 1)
                general = a; /* the last one is the widest */
        }
    bool good = issue_order_find(p, &issue) && probe_map(p, &area, GROUPS_AREA_BYTES, 0) &&
                measure_all(p, &area, sets, count, general, &by_stride);
    for (size_t i = 0; i < count && good; i++) {
        access_rates_decide(&sets[i]);
        send_groups(p, &sets[i]);
        good = report_groups(p, &area, &sets[i], issue.order == IN_ORDER);
    }
    free(sets);
    if (good && general)
        report_strides(p, &by_stride);
}

PROBE(mix, .title = "Loads and stores together", .family = "memory", .after = "load_use", .run = run,
      .findings = FINDINGS({"memory.mix.per_cycle", "groups/cycle",
                            "groups of so many loads and stores that the core sustains in one cycle"},
                           {"memory.stride.per_cycle", "operations/cycle",
                            "loads, or stores, in one cycle to places so far apart"}));
