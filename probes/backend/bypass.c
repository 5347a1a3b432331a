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
 * with other latencies, rounds are no whole numbers, or the two orders disagree: undecided. What others disturb is
 * measured again later, as long as there is time: beside a neighbour that is loud all the time, two moments must show the
 * same (grade C then).
 *
 * Records: table `backend.bypass` with all chains; from profile `standard` on of all pairs of a kind.
 * Method: Fog, Microarchitecture (data bypass delays); late forwarding: Arm's optimisation guides. Orders are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
    LOOKS = 40,   /* at a pair, at most */
    SAMPLES = 5,  /* of a measurement */
    ATTEMPTS = 3, /* measurements of a chain until its round is a whole number */
    ROWS = 16,    /* of a record */
    PAIR_TEXT = 96
};

/* Two links of one kind. */
struct pair {
    uint8_t one, other; /* indices of links */
    bool is_reported;
    struct bypass chains; /* as they were measured latest */
    struct bypass_looks looks;
};

struct links {
    struct area data;
    struct pair pairs[LINKS * (LINKS - 1) / 2];
    size_t pair_count;
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

/* Chains of one kind that are no whole number yet, once more. */
static bool measure_alone(struct probe *p, struct links *l)
{
    double whole;
    bool good = true;

    for (size_t i = 0; i < l->count && good; i++)
        if (!bypass_is_whole(l->alone[i], &whole))
            good = measure(p, l, (struct link_chain){{l->link[i]}, .count = 1}, &l->alone[i]);
    return good;
}

/* All of them are measured once more by the scale that they have shown. */
static bool measure_scale(struct probe *p, struct links *l)
{
    for (size_t i = 0; i < l->count; i++)
        l->alone[i] = (double)NAN;
    if (!measure_alone(p, l))
        return false;
    l->scale = bypass_scale(l->alone, l->count);
    for (size_t i = 0; i < l->count; i++)
        l->alone[i] = (double)NAN;
    return measure_alone(p, l);
}

static bool measure_pair(struct probe *p, const struct links *l, struct pair *pair)
{
    const struct form_link *one = l->link[pair->one], *other = l->link[pair->other];
    struct bypass *b = &pair->chains;

    *b = (struct bypass){.one = l->alone[pair->one], .other = l->alone[pair->other]};
    if (!measure(p, l, (struct link_chain){{one, other}, .count = 2}, &b->alternating) ||
        !measure(p, l, (struct link_chain){{one, one, other, other}, .count = 4}, &b->in_pairs))
        return false;
    bypass_look(&pair->looks, b);
    return true;
}

static void report_pair(struct probe *p, const struct links *l, const struct pair *pair, const struct bypass_verdict *v)
{
    char text[PAIR_TEXT];

    snprintf(text, sizeof text, "%s with %s", l->link[pair->one]->name, l->link[pair->other]->name);
    report(p, &(struct finding){.name = "backend.bypass.cycles",
                                .variants = {{"pair", text}},
                                .value = v->extra,
                                .low = v->extra,
                                .high = v->extra,
                                .grade = v->reason ? 'U' : 'B',
                                .reason = v->reason,
                                .is_confirmed = bypass_is_confirmed(&pair->looks),
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

static void add_row(struct probe *p, struct links *l, const struct pair *pair, const struct bypass_verdict *v)
{
    const struct bypass *b = &pair->chains;
    struct record *r = l->record;

    if (!l->rows) {
        record_table(p, r, "backend.bypass");
        record_number(r, "scale", l->scale);
        RECORD_COLUMNS(r, "one", "other", "one_alone", "other_alone", "alternating", "in_pairs", "extra");
    }
    record_array(r, NULL);
    record_text(r, NULL, l->link[pair->one]->name);
    record_text(r, NULL, l->link[pair->other]->name);
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

    l->scale = 1;
    if (!probe_map(p, &l->data, INSTRUCTION_DATA_BYTES, 0))
        return false;
    for (const struct form_link *link = form_links; link->name && l->count < most; link++)
        if (is_there(p, l, link))
            l->link[l->count++] = link;
    link_chain_fill(&l->data);
    return measure_scale(p, l);
}

/* Those that are reported; from profile standard on all of one kind. */
static void list_pairs(const struct probe *p, struct links *l)
{
    const bool all = probe_scale(p, 0, 0, 1, 1) > 0;

    for (size_t a = 0; a < l->count; a++)
        for (size_t b = a + 1; b < l->count; b++) {
            const bool reports = bypass_is_reported(l->link[a]->name, l->link[b]->name);
            if (l->link[a]->kind == l->link[b]->kind && (reports || all))
                l->pairs[l->pair_count++] = (struct pair){
                    .one = (uint8_t)a, .other = (uint8_t)b, .is_reported = reports};
        }
}

/* Looks at each pair once, and then, in turns, at those that another look may decide, as long as there is time. */
static bool look(struct probe *p, struct links *l)
{
    const double until = meter_seconds(&p->run->meter) + probe_scale(p, 0, 5, 20, 60);
    size_t left = l->pair_count;

    for (unsigned look = 0; look < LOOKS && left; look++) {
        left = 0;
        if (!measure_alone(p, l))
            return false;
        for (struct pair *pair = l->pairs; pair < l->pairs + l->pair_count; pair++) {
            if (look &&
                (!bypass_wants_look(&pair->looks, report_is_disturbed(p)) || meter_seconds(&p->run->meter) > until))
                continue;
            if (!measure_pair(p, l, pair))
                return false;
            left++;
        }
        if (probe_is_smoke(p))
            break;
    }
    return true;
}

static void run(struct probe *p)
{
    struct record record;
    struct links *l = probe_calloc(p, 1, sizeof *l);

    if (!l)
        return;
    l->record = &record;
    if (find_links(p, l)) {
        list_pairs(p, l);
        look(p, l);
    }
    for (const struct pair *pair = l->pairs; pair < l->pairs + l->pair_count; pair++) {
        if (!pair->looks.all) /* the probe has ended before */
            break;
        const struct bypass_verdict v = bypass_of_looks(&pair->looks, report_is_disturbed(p));
        add_row(p, l, pair, &v);
        if (pair->is_reported)
            report_pair(p, l, pair, &v);
    }
    finish_record(l);
    free(l);
}

PROBE(bypass, .title = "Bypass between kinds of instruction", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.bypass.cycles", "cycles",
                            "that a value takes longer from one kind of instruction to another and back than within "
                            "each kind"}));
