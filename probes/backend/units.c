/*
 * Units: which operations share execution units, and how many units does each have?
 *
 * Representatives of classes of operations (arch/catalogue.h), loads and stores, each alone and in mixes: independent of
 * each other, over and over, in random order. Operations that can run on the same ports slow each other down, others do
 * not. What mixes take says how many ports two classes have together, and which sets of ports explain all mixes
 * (lib/fit/ports.h). Ports have no names here: they are numbered from 0, those that run most classes first.
 *
 * Schedulers bind operations to ports before it is known which will be free, better in one order than in another: the
 * best of several orders counts. What the core takes in each cycle masks ports beyond that; it is the rate of NOPs.
 *
 * Answer: for each class its ports, by the best map; the record has all maps that explain what was measured. Once a map
 * is found it has to predict mixes that are drawn by chance. Grade C: one experiment. A map is not told where any mix is
 * faster than it allows, or more than one in ten is much slower; how far mixes are off is told with it.
 *
 * Method: conflicts of mixes, Ritter and Hack, PMEvo, 2020, and Derumigny et al., PALMED, 2022; classes as
 * Johnson, Firestorm, 2021.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/kernels/mixes.h"
#include "lib/fit/ports.h"
#include "lib/probe.h"
#include "lib/sample.h"

enum {
    ORDERS = 4,
    NOPS = 6, /* lengths of NOPs */
    NOP_SAMPLES = 3,
    CLASSES_SMOKE = 2, /* and the load */
    MAPS_SENT = 8,
    NAME = 64,
    TEXT = 512
};

struct units {
    struct probe *probe;
    struct mixes mixes;
    unsigned orders; /* the first is the even one */
    double width;
};

/* The best of several orders: none is faster than the ports allow. */
static bool measure(void *context, struct ports_mix *mix)
{
    struct units *u = context;
    double best = NAN;

    u->mixes.mix = *mix;
    for (unsigned i = 0; i < u->orders; i++) {
        double cycles = NAN;
        u->mixes.shuffled = i > 0;
        if (!sample_cycles(u->probe, 1, mixes_build, &u->mixes, &cycles))
            return false;
        best = fmin(best, cycles);
    }
    mix->cycles = isnan(best) ? 0 : best;
    return !isnan(best);
}

/* The rate of those NOPs that are fastest: what is long may be held up on its way to the core. */
static bool measure_width(struct probe *p, struct units *u)
{
    for (size_t i = 0; i < (size_t)probe_smoke(p, 1, NOPS) && emit_nop_lengths[i]; i++) {
        double cycles = NAN;
        u->mixes.nop_bytes = emit_nop_lengths[i];
        if (!sample_cycles(p, NOP_SAMPLES, mixes_build, &u->mixes, &cycles))
            return false;
        u->width = fmax(u->width, 1 / cycles);
    }
    return true;
}

/* Both kinds of operations of an instruction: "0 1 5", "0 1 + 2x 3". */
static void tell_ports(const struct ports_op ops[PORTS_OPS], char *text, size_t room)
{
    size_t at = 0;

    text[0] = 0;
    for (size_t o = 0; o < PORTS_OPS && ops[o].ports && at < room; o++) {
        if (o)
            at += (size_t)snprintf(text + at, room - at, "+ ");
        if (ops[o].times > 1 && at < room)
            at += (size_t)snprintf(text + at, room - at, "%ux ", ops[o].times);
        for (unsigned port = 0; port < PORTS_MOST && at < room; port++)
            if (ops[o].ports >> port & 1)
                at += (size_t)snprintf(text + at, room - at, "%u ", port);
    }
    if (at && at < room)
        text[at - 1] = 0;
}

static void send_maps(struct probe *p, const struct mixes *u, const struct ports *s)
{
    static const char *const columns[] = {"map", "class", "form", "ports", "alone_cycles"};
    struct record r;

    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_core(&r);
    record_text(&r, "name", "maps");
    record_number(&r, "width", rounded(s->width));
    record_integer(&r, "mixes", s->mix_count);
    record_boolean(&r, "fits", s->fits);
    record_array(&r, "columns");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        record_text(&r, NULL, columns[i]);
    record_close(&r);
    record_array(&r, "rows");
    for (size_t m = 0; m < s->map_count && m < MAPS_SENT; m++)
        for (size_t i = 0; i < u->count; i++) {
            char ports[TEXT];
            tell_ports(s->maps[m].ops[i], ports, sizeof ports);
            record_array(&r, NULL);
            record_integer(&r, NULL, m);
            record_text(&r, NULL, u->classes[i]);
            record_text(&r, NULL, u->forms[i] ? form_name(u->forms[i]) : u->classes[i]);
            record_text(&r, NULL, ports);
            record_number(&r, NULL, rounded(s->mixes[i].cycles));
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}

/* Every mix with what was measured and what the best map says: the evidence. */
static void send_mixes(struct probe *p, const struct mixes *u, const struct ports *s)
{
    struct record r;

    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_core(&r);
    record_text(&r, "name", "mixes");
    record_array(&r, "columns");
    for (size_t i = 0; i < u->count; i++)
        record_text(&r, NULL, u->classes[i]);
    record_text(&r, NULL, "measured_cycles");
    record_text(&r, NULL, "predicted_cycles");
    record_close(&r);
    record_array(&r, "rows");
    for (size_t m = 0; m < s->mix_count; m++) {
        record_array(&r, NULL);
        for (size_t i = 0; i < u->count; i++)
            record_integer(&r, NULL, s->mixes[m].times[i]);
        record_number(&r, NULL, rounded(s->mixes[m].cycles));
        record_number(&r, NULL,
                      s->map_count ? rounded(ports_cycles(&s->maps[0], s->width, &s->mixes[m])) : (double)NAN);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void report_map(struct probe *p, const struct mixes *u, const struct ports *s, bool measured)
{
    char text[TEXT] = "", ports[TEXT], maps[NAME], off[NAME] = "";
    const bool told = s->fits && s->verified;
    size_t at = 0;

    if (s->map_count)
        snprintf(off, sizeof off, "%.1f %% faster to %.1f %% slower; %u of %u by more than %.0f %%",
                 100 * s->maps[0].fast, 100 * s->maps[0].slow, s->maps[0].slow_mixes, s->maps[0].mixes,
                 100 * PORTS_SLOW);
    for (size_t i = 0; told && i < u->count && at < sizeof text; i++) {
        tell_ports(s->maps[0].ops[i], ports, sizeof ports);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s: %s", i ? "; " : "", u->classes[i], ports);
    }
    snprintf(maps, sizeof maps, "%zu", s->map_count);
    report(p, &(struct finding){.name = "backend.unit.map",
                                .value = NAN,
                                .text = told ? text : NULL,
                                .low = NAN,
                                .high = NAN,
                                .grade = told ? 'C' : 'U',
                                .reason = !measured ? "no-readings"
                                          : s->fits ? "not-verified"
                                                    : "no-map-fits",
                                .method = "ports that explain what mixes take",
                                .remarks = {{"maps", maps}, {"mixes_off", off}}});
}

static void run(struct probe *p)
{
    struct units u = {.probe = p, .orders = (unsigned)probe_smoke(p, 1, ORDERS)};
    struct ports *s = malloc(sizeof *s);
    struct area area;

    if (!s) {
        probe_skip(p, "memory is short");
        return;
    }
    u.mixes.area = &area;
    mixes_choose(&u.mixes, (size_t)probe_smoke(p, CLASSES_SMOKE, PORTS_CLASSES), probe_smoke(p, false, true) > 0);
    if (probe_map(p, &area, MIX_AREA_BYTES, 0) && measure_width(p, &u)) {
        *s = (struct ports){.count = u.mixes.count,
                            .width = u.width > 0 ? u.width : (double)INFINITY,
                            .budget = (unsigned)probe_scale(p, 0, 80, 200, 200),
                            .measure = measure,
                            .context = &u};
        const bool measured = ports_solve(s);
        if (p->outcome == OUTCOME_OK) {
            send_maps(p, &u.mixes, s);
            send_mixes(p, &u.mixes, s);
            report_map(p, &u.mixes, s, measured);
        }
    }
    free(s);
}

PROBE(units, .title = "Execution units", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.unit.map", "ports", "which classes of operations share which units"}));
