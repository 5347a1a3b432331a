/*
 * Units: which operations share execution units, and how many units does each have?
 *
 * Representatives of classes of operations (arch/catalogue.h), loads and stores, each alone and in mixes: independent of
 * each other, over and over, in random order. Operations that can run on the same ports slow each other down, others do
 * not. What mixes take says how many ports two classes have together, and which sets of ports explain all mixes
 * (lib/fit/ports.h). Ports have no names here: they are numbered from 0, those that run most classes first.
 *
 * Other limits would look like shared ports: forms read few registers, and not what others wrote, so that one that is
 * bound to a busy port keeps nothing else waiting; stores are side by side, and all code is short.
 *
 * Schedulers bind operations to ports before it is known which will be free, better in one order than in another, and
 * worse when they are full: the best of several orders counts, and of kernels with as many NOPs between as hold the front
 * end back to what the ports can do. What the core takes in each cycle masks ports beyond that; it is the rate of NOPs.
 *
 * Answer: for each class its ports, by the best map; the record has all maps that explain what was measured. Once a map
 * is found it has to predict mixes that are drawn by chance. Grade C: one experiment. A map is not told where any mix is
 * faster than it allows, or more than one in ten is much slower, or it predicts less than nine in ten of more mixes that
 * the search has not seen; how far mixes are off is told with it, and how many of those it predicts.
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
    ORDERS = 12,
    HELD = 16,
    PREDICTED_OF = 10, /* of so many unseen mixes one may be slower than the map says */
    NOPS = 6,          /* lengths of NOPs */
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
    unsigned held;   /* how often the front end is held back */
    double width;
};

/* A mix is predicted when it takes what the map says, to this part of it. */
static const double PREDICTED_PART = 0.05;

/* How much sooner than in a mix's best time the front end is done with it, where it is held back: once, twice, … this. */
static const double HELD_PART = 0.015;

struct prediction {
    unsigned mixes, within;
    double fastest, slowest; /* parts of what the map says */
};

static bool measure_once(struct units *u, double *best)
{
    double cycles = NAN;

    if (!sample_cycles(u->probe, 1, mixes_build, &u->mixes, &cycles))
        return false;
    *best = fmin(*best, cycles);
    return true;
}

/*
 * The best of several orders, and of the even one with NOPs that leave room for a little less than a cycle of the best
 * so far: none is faster than the ports allow.
 */
static bool measure(void *context, struct ports_mix *mix)
{
    struct units *u = context;
    double best = NAN, instructions = 0;

    u->mixes.mix = *mix;
    u->mixes.nops = 0;
    for (size_t i = 0; i < u->mixes.count; i++)
        instructions += mix->times[i];
    for (unsigned i = 0; i < u->orders; i++) {
        u->mixes.shuffled = i > 0;
        if (!measure_once(u, &best))
            return false;
    }
    u->mixes.shuffled = false;
    const double ordered = best;
    for (unsigned i = 1; i <= u->held; i++) {
        u->mixes.nops = ordered * (1 - HELD_PART * i) * u->width - instructions;
        if (!(u->mixes.nops > 0))
            break;
        if (!measure_once(u, &best))
            return false;
    }
    u->mixes.nops = 0;
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

/* Mixes that the map has not seen, drawn by chance, and how many of them it predicts. */
static bool predict(struct units *u, struct ports *s, struct prediction *told)
{
    const unsigned wanted = (unsigned)probe_scale(u->probe, 0, 50, 200, 200);

    for (; told->mixes < wanted; told->mixes++) {
        struct ports_mix mix = ports_random_mix(s, &u->probe->random, true);
        if (!measure(u, &mix))
            return false;
        const double off = mix.cycles / ports_cycles(&s->maps[0], s->width, &mix) - 1;
        told->within += fabs(off) <= PREDICTED_PART;
        told->slowest = fmax(told->slowest, off);
        told->fastest = fmax(told->fastest, -off);
        if (s->mix_count < PORTS_MIXES)
            s->mixes[s->mix_count++] = mix;
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

static void report_map(struct probe *p, const struct mixes *u, const struct ports *s, bool measured,
                       const struct prediction *predicted)
{
    char text[TEXT] = "", ports[TEXT], maps[NAME], off[NAME] = "", unseen[NAME] = "none";
    const bool predicts = predicted->within * PREDICTED_OF >= predicted->mixes * (PREDICTED_OF - 1);
    const bool told = s->fits && s->verified && predicts;
    size_t at = 0;

    if (s->map_count)
        snprintf(off, sizeof off, "%.1f %% faster to %.1f %% slower; %u of %u by more than %.0f %%",
                 100 * s->maps[0].fast, 100 * s->maps[0].slow, s->maps[0].slow_mixes, s->maps[0].mixes,
                 100 * PORTS_SLOW);
    if (predicted->mixes)
        snprintf(unseen, sizeof unseen, "%u of %u within %.0f %%; %.1f %% faster to %.1f %% slower", predicted->within,
                 predicted->mixes, 100 * PREDICTED_PART, 100 * predicted->fastest, 100 * predicted->slowest);
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
                                .remarks = {{"maps", maps}, {"mixes_off", off}, {"unseen_mixes", unseen}}});
}

static void run(struct probe *p)
{
    struct units u = {
        .probe = p, .orders = (unsigned)probe_smoke(p, 1, ORDERS), .held = (unsigned)probe_smoke(p, 0, HELD)};
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
        struct prediction told = {.mixes = 0};
        const bool measured = ports_solve(s) && (!s->map_count || predict(&u, s, &told));
        if (p->outcome == OUTCOME_OK) {
            send_maps(p, &u.mixes, s);
            send_mixes(p, &u.mixes, s);
            report_map(p, &u.mixes, s, measured, &told);
        }
    }
    free(s);
}

PROBE(units, .title = "Execution units", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.unit.map", "ports", "which classes of operations share which units"}));
