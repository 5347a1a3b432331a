/*
 * Bypass: does what an instruction takes depend on who made its operand? (docs/METHODS.md, 6.12)
 *
 * A multiply-add may need its sum later when another multiply-add has made it; a load may be ready for the address of
 * another load before it is ready for an addition; a result may take a cycle to reach units of another kind.
 *
 * Experiment: dependency chains through one register, in which nothing changes the value.
 *
 *   alone        links of one kind: what they take among themselves
 *   alternating  one link of each of two kinds
 *   in pairs     two links of the one kind and two of the other: as many ways between the kinds in a longer round, and
 *                two ways within each kind
 *
 * There is no curve. Inference: the clock may be off by a percent, which chains of one kind show: what they take is a
 * whole number times a factor that all have in common, by which all is divided. All rounds are whole numbers of cycles.
 * What an alternating round takes more than a link of each alone is the cost of the way there and back; `in pairs` must
 * show the same. Which of the two ways it is cannot be told by chains (lib/structure/bypass.h). Both experiments are
 * chains, in two orders: grade B.
 *
 * A chain keeps no unit busy, so that units and width are no limits. Where an instruction goes to one of several units
 * with other latencies, rounds are no whole numbers, or the two orders disagree: undecided.
 *
 * Records: table `backend.bypass` with all chains; from profile `standard` on of all pairs of a kind.
 * Method: Fog, Microarchitecture (data bypass delays); late forwarding: Arm's optimisation guides. Orders are ours.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/finding/report.h"
#include "lib/kernels/link_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/bypass.h"
#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_once.h"

enum {
    LINKS = 24, /* of an ISA, at most */
    SMOKE_LINKS = 3,
    SAMPLES = 5,  /* of a measurement */
    ATTEMPTS = 3, /* measurements of a chain until its round is a whole number */
    ROWS = 16,    /* of a record */
    PAIR_TEXT = 96
};

/* Pairs that are findings, where the core has both links. */
static const struct {
    const char *one, *other;
} reported[] = {
    {"add", "multiply"},
    {"add", "shift"},
    {"add", "select"},
    {"add", "load"},
    {"multiply", "load"},
    {"multiply", "multiply-add, sum"},
    {"add", "multiply-add, sum"},
    {"add", "way through vectors"},
    {"fp add", "fp multiply"},
    {"fp add", "fp multiply-add, factor"},
    {"fp add", "fp multiply-add, sum"},
    {"fp multiply", "fp multiply-add, factor"},
    {"fp multiply", "fp multiply-add, sum"},
    {"fp multiply-add, factor", "fp multiply-add, sum"},
    {"fp add", "fp logic"},
    {"fp add", "fp shuffle"},
    {"fp add", "integer add"},
    {"fp multiply", "integer add"},
    {"fp add", "integer logic"},
    {"fp add", "integer shuffle"},
    {"fp add", "conversion"},
    {"fp add", "way through general registers"},
    {"integer add", "fp logic"},
    {"integer add", "fp shuffle"},
    {"integer add", "integer multiply"},
    {"integer add", "integer shuffle"},
    {"integer add", "conversion"},
    {"integer add", "way through general registers"},
    {"integer add", "integer multiply-add, sum"},
    {"integer multiply", "integer multiply-add, sum"},
};

struct links {
    struct area data;
    const struct form_link *link[LINKS]; /* that the core has */
    double alone[LINKS];
    size_t count;
    double scale; /* cycles as they are measured, by cycles */
    struct record *record;
    unsigned rows; /* of that record */
};

/* Whether the core has all forms of the link. What it says of itself is asked first: a simulator may know no faults. */
static bool is_there(struct probe *p, const struct links *l, const struct form_link *link)
{
    const struct form *found[2];
    unsigned count;

    if (!form_link_is_there(link) || !link_forms(link, found, &count))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (instruction_execute_once(p, &l->data, found[i]).why.reason)
            return false;
    return true;
}

/* Measures until a round is a whole number of cycles, since a disturbed one hardly is. */
static bool measure(struct probe *p, const struct links *l, struct link_chain chain, double *cycles)
{
    const unsigned attempts = (unsigned)probe_scale(p, 1, ATTEMPTS, ATTEMPTS, ATTEMPTS);
    double whole;
    bool good = true;

    chain.data = &l->data;
    *cycles = (double)NAN;
    for (unsigned i = 0; i < attempts && good && !bypass_is_whole(*cycles, &whole); i++) {
        good = link_chain_cycles(p, &chain, SAMPLES, cycles);
        *cycles /= l->scale;
    }
    return good;
}

/* All chains are measured once more by the scale that they have shown. */
static bool measure_alone(struct probe *p, struct links *l)
{
    bool good = true;

    l->scale = 1;
    for (size_t i = 0; i < l->count && good; i++)
        good = measure(p, l, (struct link_chain){{l->link[i]}, .count = 1}, &l->alone[i]);
    l->scale = bypass_scale(l->alone, l->count);
    for (size_t i = 0; i < l->count && good; i++)
        good = measure(p, l, (struct link_chain){{l->link[i]}, .count = 1}, &l->alone[i]);
    return good;
}

static bool measure_pair(struct probe *p, const struct links *l, size_t a, size_t b, struct bypass *out)
{
    const struct form_link *one = l->link[a], *other = l->link[b];

    *out = (struct bypass){.one = l->alone[a], .other = l->alone[b]};
    return measure(p, l, (struct link_chain){{one, other}, .count = 2}, &out->alternating) &&
           measure(p, l, (struct link_chain){{one, one, other, other}, .count = 4}, &out->in_pairs);
}

static bool is_reported(const struct form_link *one, const struct form_link *other)
{
    for (size_t i = 0; i < sizeof reported / sizeof reported[0]; i++)
        if (!strcmp(reported[i].one, one->name) && !strcmp(reported[i].other, other->name))
            return true;
    return false;
}

static void report_pair(struct probe *p, const char *pair, const struct bypass_verdict *v)
{
    report(p, &(struct finding){.name = "backend.bypass.cycles",
                                .variants = {{"pair", pair}},
                                .value = v->extra,
                                .low = v->extra,
                                .high = v->extra,
                                .grade = v->reason ? 'U' : 'B',
                                .reason = v->reason,
                                .agreement = v->reason ? NULL : "alternating with in pairs",
                                .method = "chains of both, less chains of each alone"});
}

/* ---- The table ------------------------------------------------------------------------------------ */

static void finish_record(struct links *l)
{
    if (!l->rows)
        return;
    record_close(l->record);
    record_send(l->record);
    l->rows = 0;
}

static void add_row(struct probe *p, struct links *l, const struct form_link *one, const struct form_link *other,
                    const struct bypass *b, const struct bypass_verdict *v)
{
    struct record *r = l->record;

    if (!l->rows) {
        record_table(p, r, "backend.bypass");
        record_number(r, "scale", l->scale);
        RECORD_COLUMNS(r, "one", "other", "one_alone", "other_alone", "alternating", "in_pairs", "extra");
    }
    record_array(r, NULL);
    record_text(r, NULL, one->name);
    record_text(r, NULL, other->name);
    record_number(r, NULL, b->one);
    record_number(r, NULL, b->other);
    record_number(r, NULL, b->alternating);
    record_number(r, NULL, b->in_pairs);
    record_number(r, NULL, v->extra);
    record_close(r);
    if (++l->rows == ROWS)
        finish_record(l);
}

/* ---- All pairs ------------------------------------------------------------------------------------ */

static bool find_links(struct probe *p, struct links *l)
{
    const size_t most = (size_t)probe_smoke(p, SMOKE_LINKS, LINKS);

    if (!probe_map(p, &l->data, INSTRUCTION_DATA_BYTES, 0))
        return false;
    for (const struct form_link *link = form_links; link->name && l->count < most; link++)
        if (is_there(p, l, link))
            l->link[l->count++] = link;
    link_chain_fill(&l->data);
    return measure_alone(p, l);
}

static bool measure_and_report(struct probe *p, struct links *l, size_t a, size_t b)
{
    const bool reports = is_reported(l->link[a], l->link[b]);
    char pair[PAIR_TEXT];
    struct bypass chains;

    if (l->link[a]->kind != l->link[b]->kind || (!reports && probe_scale(p, 1, 1, 0, 0) > 0))
        return true;
    if (!measure_pair(p, l, a, b, &chains))
        return false;
    const struct bypass_verdict v = bypass_decide(&chains);
    add_row(p, l, l->link[a], l->link[b], &chains, &v);
    snprintf(pair, sizeof pair, "%s with %s", l->link[a]->name, l->link[b]->name);
    if (reports)
        report_pair(p, pair, &v);
    return true;
}

static void run(struct probe *p)
{
    struct record record;
    struct links l = {.record = &record};
    bool good = find_links(p, &l);

    for (size_t a = 0; a < l.count && good; a++)
        for (size_t b = a + 1; b < l.count && good; b++)
            good = measure_and_report(p, &l, a, b);
    finish_record(&l);
}

PROBE(bypass, .title = "Bypass between kinds of instruction", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.bypass.cycles", "cycles",
                            "that a value takes longer from one kind of instruction to another and back than within "
                            "each kind"}));
