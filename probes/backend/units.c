/*
 * Units: which operations share execution units, and how many units does each have? (docs/METHODS.md, 6.7)
 *
 * Experiment: representatives of classes of operations (arch/catalogue.h), a load and a store, alone, in pairs, and in
 * mixes, all independent of each other, repeated in the best order that is found (lib/structure/mix_search.h).
 * Operations that can run on the same ports slow each other down, others do not. Other limits would look like shared
 * ports. So forms read few registers, and none that another form wrote: an operation that is bound to a busy port then
 * delays no other. Stores are side by side, and all code is short.
 *
 * There is no curve: the result is a table of mixes and one of maps.
 *
 * Inference: the sets of ports that explain all mixes (lib/structure/ports_solve.h). More ports than the core takes
 * instructions in a cycle do not show. This width is the rate of blanks (NOPs, zeros), or, where NOPs are packed, the
 * most instructions a cycle of any mix. Pairs that stay slower than the map says are measured as conflicts
 * (lib/structure/conflicts.h); arch/x86_64/units.c describes one on Zen 4, of additions and moves from vectors. Map and
 * conflicts must then predict mixes drawn at random. The map is undecided where a mix is faster than it allows, where
 * more than one mix in ten is much slower, or where fewer than nine in ten of the unseen mixes are predicted. How far
 * mixes are off is reported with it, and how many the map predicts without the conflicts. Ports have no names: they are
 * numbered from 0, those that run most classes first. Grade C: one experiment.
 *
 * Method: Ritter and Hack, PMEvo, 2020 (maps from mixes); Derumigny et al., PALMED, 2022 (mixes that conflict); classes
 * as Johnson, Firestorm, 2021.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_once.h"
#include "lib/structure/mix_search.h"
#include "lib/structure/ports_predict.h"
#include "lib/structure/ports_solve.h"
#include "lib/structure/ports_text.h"
#include "lib/structure/tolerances_ports.h"

enum {
    ORDERS = 12,       /* of each mix that are measured */
    CONFIRMATIONS = 2, /* of an order that is better than those before */
    NOP_LENGTHS = 6,   /* tried as blanks */
    CLASSES_SMOKE = 2, /* of a smoke run, besides the load */
    MAPS_SENT = 8,
    NUMBER_TEXT = 64,
    TEXT = 1024
};

struct units {
    struct mix_search search;
    struct ports ports;
    struct ports_beam beams[2]; /* memory that ports_solve works in */
    struct ports_conflicts conflicts;
    struct ports_prediction prediction;
    bool measured; /* all measurements were made */
};

/* ---- Tables --------------------------------------------------------------------------------------- */

static void send_maps(struct probe *p, const struct units *u)
{
    const struct mixes *m = &u->search.mixes;
    const struct ports *s = &u->ports;
    struct record r;

    record_table(p, &r, "maps");
    record_number(&r, "width", rounded(s->width));
    record_integer(&r, "mixes", s->mix_count);
    record_boolean(&r, "fits", s->fits);
    RECORD_COLUMNS(&r, "map", "class", "form", "ports", "alone_cycles");
    for (size_t k = 0; k < s->map_count && k < MAPS_SENT; k++)
        for (size_t i = 0; i < m->count; i++) {
            char ports[TEXT];
            ports_text_of_ops(s->maps[k].ops[i], ports, sizeof ports);
            record_array(&r, NULL);
            record_integer(&r, NULL, k);
            record_text(&r, NULL, m->classes[i]);
            record_text(&r, NULL, m->forms[i] ? form_name(m->forms[i]) : m->classes[i]);
            record_text(&r, NULL, ports);
            record_number(&r, NULL, rounded(s->mixes[i].cycles));
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}

/* Every mix with what was measured and what was expected: the evidence. */
static void send_mixes(struct probe *p, const struct units *u)
{
    const struct mixes *m = &u->search.mixes;
    const struct ports *s = &u->ports;
    struct record r;

    record_table(p, &r, "mixes");
    record_array(&r, "columns");
    for (size_t i = 0; i < m->count; i++)
        record_text(&r, NULL, m->classes[i]);
    record_text(&r, NULL, "measured_cycles");
    record_text(&r, NULL, "predicted_cycles");
    record_close(&r);
    record_array(&r, "rows");
    for (size_t k = 0; k < s->mix_count; k++) {
        record_array(&r, NULL);
        for (size_t i = 0; i < m->count; i++)
            record_integer(&r, NULL, s->mixes[k].times[i]);
        record_number(&r, NULL, rounded(s->mixes[k].cycles));
        record_number(&r, NULL, s->map_count ? rounded(ports_expected(s, &u->conflicts, &s->mixes[k])) : (double)NAN);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- The finding ---------------------------------------------------------------------------------- */

/* Why the best map is undecided; REASON_NONE: it is not. */
static enum reason why_undecided(const struct units *u)
{
    const struct ports_prediction *p = &u->prediction;

    if (u->ports.fits && u->ports.verified && p->mixes * 2 >= p->wanted && ports_is_predicted(p))
        return REASON_NONE;
    if (!u->measured)
        return REASON_NO_READINGS;
    if (!u->ports.fits)
        return REASON_NO_MAP_FITS;
    if (!u->ports.verified)
        return REASON_NOT_VERIFIED;
    return p->mixes * 2 >= p->wanted ? REASON_NOT_PREDICTED : REASON_TOO_FEW_MIXES;
}

static void report_map(struct probe *p, const struct units *u)
{
    const struct ports *s = &u->ports;
    const struct ports_prediction *predicted = &u->prediction;
    const enum reason reason = why_undecided(u);
    char text[TEXT], maps[NUMBER_TEXT], off[NUMBER_TEXT] = "", unseen[TEXT] = "none", conflicts[TEXT];

    if (s->map_count)
        snprintf(off, sizeof off, "%.1f %% faster to %.1f %% slower; %u of %u by more than %.0f %%",
                 100 * s->maps[0].fast, 100 * s->maps[0].slow, s->maps[0].slow_mixes, s->maps[0].mixes,
                 100 * PORTS_SLOW);
    if (predicted->mixes)
        snprintf(unseen, sizeof unseen,
                 "%u of %u within %.0f %%, %u of them by units alone; %.1f %% faster to %.1f %% slower",
                 predicted->within, predicted->mixes, 100 * PORTS_PREDICTED, predicted->by_map,
                 100 * predicted->fastest, 100 * predicted->slowest);
    ports_text_of_map(&s->maps[0], &u->search.mixes, text, sizeof text);
    snprintf(maps, sizeof maps, "%zu", s->map_count);
    ports_text_of_conflicts(&u->conflicts, &u->search.mixes, conflicts, sizeof conflicts);
    report(p, &(struct finding){
                  .name = "backend.unit.map",
                  .value = NAN,
                  .text = reason ? NULL : text,
                  .low = NAN,
                  .high = NAN,
                  .grade = reason ? 'U' : 'C',
                  .reason = reason,
                  .method = "ports that explain the cycles of mixes",
                  .remarks = {{"maps", maps}, {"mixes_off", off}, {"conflicts", conflicts}, {"unseen_mixes", unseen}}});
}

/*
 * Keeps the best map as a fact, for probes that keep chosen units busy; in a smoke run, which only executes everything
 * once, whatever map there is.
 */
static void remember_map(struct probe *p, const struct units *u)
{
    const struct mixes *m = &u->search.mixes;
    struct fact_units *known = &p->run->facts.units;
    const struct mix_blank blank = mix_search_blank(&u->search, &known->width);

    known->nop_bytes = blank.nop_bytes;
    known->idiom = blank.idiom;
    known->count = m->count;
    for (size_t i = 0; i < m->count; i++) {
        const struct ports_op *ops = u->ports.maps[0].ops[i];
        known->of[i].form = m->forms[i];
        known->of[i].is_store = i == m->store;
        known->of[i].ports = ops[0].times == 1 && !ops[1].ports ? ops[0].ports : 0;
    }
    facts_set(&p->run->facts,
              &(struct fact){
                  .name = "backend.unit.map", .value = ports_used(&u->ports.maps[0]), .grade = 'C', .source = "units"});
}

/* A mixes_is_there: whether it can be executed once. */
static bool is_executable(void *probe, const struct form *f)
{
    struct probe *p = probe;
    struct area data;

    return probe_map(p, &data, INSTRUCTION_DATA_BYTES, 0) && !instruction_execute_once(p, &data, f).why.reason;
}

static bool measure_all(struct probe *p, struct units *u)
{
    u->prediction.wanted = (unsigned)probe_scale(p, 0, 100, 200, 200);
    return ports_solve(&u->ports, u->beams) &&
           (!u->ports.map_count || (ports_measure_conflicts(&u->search, &u->ports, &u->conflicts) &&
                                    ports_predict(&u->search, &u->ports, &u->conflicts, &u->prediction)));
}

static void run(struct probe *p)
{
    struct units *u = calloc(1, sizeof *u);
    struct area area;

    if (!u) {
        probe_skip(p, "memory is short");
        return;
    }
    u->search = (struct mix_search){.probe = p,
                                    .orders = (unsigned)probe_smoke(p, 1, ORDERS),
                                    .confirmations = (unsigned)probe_smoke(p, 0, CONFIRMATIONS),
                                    .searches = (unsigned)probe_scale(p, 0, 100, 5000, 5000),
                                    .tries = (unsigned)probe_scale(p, 0, 100, 100, 100),
                                    .quick_samples_most = (uint64_t)probe_scale(p, 0, 800000, 4000000, 12000000),
                                    .mixes.area = &area};
    mixes_choose(&u->search.mixes, (size_t)probe_smoke(p, CLASSES_SMOKE, PORTS_CLASSES),
                 probe_scale(p, 0, 0, 1, 1) > 0 ? is_executable : NULL, p, !probe_is_smoke(p));
    if (probe_map(p, &area, MIX_AREA_BYTES, 0) &&
        mix_search_width(&u->search, (size_t)probe_smoke(p, 1, NOP_LENGTHS))) {
        u->ports.count = u->search.mixes.count;
        u->ports.width = u->search.width > 0 ? u->search.width : (double)INFINITY;
        u->ports.budget = (unsigned)probe_scale(p, 0, 80, 200, 200);
        u->ports.measure = mix_search_measure;
        u->ports.context = &u->search;
        u->measured = measure_all(p, u);
        if (p->outcome == OUTCOME_OK) {
            send_maps(p, u);
            send_mixes(p, u);
            report_map(p, u);
            if (!why_undecided(u) || probe_is_smoke(p))
                remember_map(p, u);
        }
    }
    free(u);
}

PROBE(units, .title = "Execution units", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.unit.map", "ports", "which classes of operations share which units"}));
