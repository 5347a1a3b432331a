/*
 * Elimination: which moves and zeroing idioms are completed at renaming, and how many in one cycle?
 * (docs/METHODS.md, 6.6)
 *
 * Experiments, each with another confounder:
 *
 *   latency  a chain of moves, each of the register that the one before it wrote. An execution unit takes at least one
 *            cycle, so that moves that take less need no unit. Zeroing idioms depend on nothing and form no chain
 *   units    additions that keep all their units busy, and among each cycle's additions one or two instructions of the
 *            form. Controls have, in place of the form, loads, which need other units, or further additions. If the
 *            form needs no unit, the sequence is as fast as with loads, else as slow as with additions. Only for
 *            general registers, and only where additions are limited by units, not by renaming. NOPs would be no
 *            control: where a NOP beside an addition takes no place of its own, as on Zen 4, no form is as fast as NOPs
 *
 * There is no curve. Result: the rate of the form alone where it needs no unit, and 0 where it needs one. The rate may
 * be that of renaming, which both experiments share: never better than grade B.
 *
 * Method: chains of moves, Fog, Microarchitecture, and jia.je 2024; the controls are ours.
 */
#include <math.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"

enum {
    LENGTH = 240, /* instructions of a sequence */
    CHAIN = 4,    /* registers of a chain */
    ADDED = 6,    /* registers that additions take in turn: each is a chain, so that a cycle has at most so many */
    TARGETS = 2,  /* registers that forms among additions write */
    MIXES = 2,    /* forms for the additions of a cycle: one, two */
    SAMPLES = 9,
    PASSES = 3,
    FORMS = 16, /* at most */
    WORDS = 8,  /* that are loaded */
    DATA_BYTES = 4096
};

/* Cycles of a move in a chain: below NO_LATENCY it needs no unit; above LATENCY it needs one, which takes a cycle. */
static const double NO_LATENCY = 0.9;
static const double LATENCY = 0.97;
/* Units limit additions if their rate is below that with loads among them, and below ADDED a cycle, by this part. */
static const double LIMITED = 0.08;
/* A sequence is as fast as a control if their times differ by at most this part of what both controls differ by. */
static const double NEAR = 0.3;

enum among { AMONG_LOADS, AMONG_ADDITIONS, AMONG_FORM };

struct sequence {
    const struct emit_idiom *form;
    bool chain;       /* each form reads what the one before it wrote; else all read one register */
    enum among other; /* what is among additions */
    double additions; /* part of the sequence that is additions; 0: the form alone */
};

static void emit_form_alone(struct code *c, const struct sequence *s)
{
    const bool vector = s->form->kind == IDIOM_VECTOR_MOVE;
    const unsigned first = vector ? VREG_0 : REG_T0;

    for (unsigned i = 0; i < LENGTH; i++)
        if (s->chain)
            emit_idiom(c, s->form, first + (i + 1) % CHAIN, first + i % CHAIN);
        else
            emit_idiom(c, s->form, first + i % CHAIN, first + CHAIN);
}

static void emit_among_additions(struct code *c, const struct sequence *s)
{
    unsigned added = 0, others = 0;

    for (unsigned i = 0; i < LENGTH; i++) {
        const bool addition = added <= s->additions * i;
        if (addition || s->other == AMONG_ADDITIONS)
            emit_add(c, (enum reg)(REG_T0 + (added + others) % ADDED), REG_T8);
        else if (s->other == AMONG_LOADS)
            emit_load(c, (enum reg)(REG_T0 + ADDED + others % TARGETS), REG_DATA, (int32_t)(8 * (others % WORDS)));
        else
            emit_idiom(c, s->form, REG_T0 + ADDED + others % TARGETS, REG_T8);
        added += addition;
        others += !addition;
    }
}

static void emit_sequence(struct code *c, const void *context)
{
    const struct sequence *s = context;

    if (s->additions > 0)
        emit_among_additions(c, s);
    else
        emit_form_alone(c, s);
}

/* Instructions a cycle; NaN where no reading was accepted, or no time passed. */
static bool measure_rate(struct probe *p, const struct area *data, const struct sequence *s, double *rate)
{
    const struct loop l = {.body = emit_sequence, .context = s, .instructions = LENGTH, .data = data->at};
    double cycles = NAN;
    bool good = sample_loop(p, (unsigned)probe_scale(p, 1, 5, SAMPLES, SAMPLES), &l, &cycles);

    *rate = cycles > 0 ? LENGTH / cycles : (double)NAN; /* a coarse clock may see no time pass */
    return good;
}

/* Additions alone and with loads: the same for all forms. */
struct controls {
    struct area data;
    double additions; /* a cycle */
    struct mix {
        double part;  /* of a sequence that is additions … */
        double loads; /* … and its rate with loads among them; NaN: units do not limit additions */
    } mixes[MIXES];
};

static bool measure_controls(struct probe *p, struct controls *t)
{
    const struct sequence additions = {.other = AMONG_ADDITIONS, .additions = 1};
    bool good = probe_map(p, &t->data, DATA_BYTES, 0) && measure_rate(p, &t->data, &additions, &t->additions);

    for (unsigned i = 0; i < MIXES && good; i++) {
        struct mix *m = &t->mixes[i];
        m->loads = NAN;
        if (!(t->additions > 0)) /* no reading was accepted */
            continue;
        m->part = t->additions / (t->additions + i + 1);
        good = measure_rate(p, &t->data, &(struct sequence){.other = AMONG_LOADS, .additions = m->part}, &m->loads);
        if (!(t->additions < (1 - LIMITED) * m->loads && t->additions < (1 - LIMITED) * ADDED))
            m->loads = NAN;
    }
    return good;
}

/* *needs_none, here and below: 1: the form needs no unit; 0: it needs one; NaN: not decided. */
static bool check_latency(struct probe *p, const struct area *data, const struct emit_idiom *form, double *needs_none)
{
    const struct sequence chain = {.form = form, .chain = true};
    double rate = NAN;

    *needs_none = NAN;
    if (form->kind == IDIOM_ZERO)
        return true;
    if (!measure_rate(p, data, &chain, &rate))
        return false;
    if (1 / rate < NO_LATENCY)
        *needs_none = 1;
    else if (1 / rate > LATENCY)
        *needs_none = 0;
    return true;
}

static bool check_units(struct probe *p, const struct emit_idiom *form, const struct controls *t, const struct mix *m,
                        double *needs_none)
{
    const struct sequence mixed = {.form = form, .other = AMONG_FORM, .additions = m->part};
    double rate = NAN;

    *needs_none = NAN;
    if (form->kind == IDIOM_VECTOR_MOVE || isnan(m->loads))
        return true;
    if (!measure_rate(p, &t->data, &mixed, &rate))
        return false;
    /* 0: as fast as with loads; 1: as slow as with additions */
    const double slowness = (1 / rate - 1 / m->loads) / (1 / t->additions - 1 / m->loads);
    if (slowness < NEAR)
        *needs_none = 1;
    else if (slowness > 1 - NEAR)
        *needs_none = 0;
    return true;
}

/* Rates of each form alone: the best of several passes, since a sibling thread can only lower a rate. */
static bool measure_forms_alone(struct probe *p, const struct area *data, size_t count, double *rates)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        rates[i] = NAN;
    for (size_t i = 0; i < PASSES * count && good; i++) {
        double rate = NAN;
        good = measure_rate(p, data, &(struct sequence){.form = &emit_idioms[i % count]}, &rate);
        rates[i % count] = fmax(rates[i % count], rate);
    }
    return good;
}

static bool report_form(struct probe *p, const struct emit_idiom *form, const struct controls *t, double rate)
{
    double latency = NAN, units[MIXES] = {NAN, NAN};

    if (!check_latency(p, &t->data, form, &latency) || !check_units(p, form, t, &t->mixes[0], &units[0]) ||
        !check_units(p, form, t, &t->mixes[1], &units[1]))
        return false;
    const struct experiment_value v[] = {{"latency", "renaming", latency * rate},
                                         {"units", "renaming", units[0] * rate},
                                         {"units, two among additions", "renaming", units[1] * rate}};
    const struct finding f = {.name = "backend.elimination.per_cycle",
                              .variants = {{"form", form->name}},
                              .method = "chains of moves; additions that take all units, with the form among them"};
    report_graded_number(p, &f, v, sizeof v / sizeof v[0]);
    return true;
}

static void run(struct probe *p)
{
    struct controls t;
    double rates[FORMS];
    size_t count = 0;

    while (count < (size_t)probe_smoke(p, 2, FORMS) && emit_idioms[count].name)
        count++;
    bool good = measure_controls(p, &t) && measure_forms_alone(p, &t.data, count, rates);
    for (size_t i = 0; i < count && good; i++)
        good = report_form(p, &emit_idioms[i], &t, rates[i]);
}

PROBE(elimination, .title = "Moves and zeros that need no unit", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.elimination.per_cycle", "instructions/cycle",
                            "of that form, done with when they are renamed, in one cycle; 0: they need a unit"}));
