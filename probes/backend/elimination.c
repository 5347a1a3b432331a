/*
 * Elimination: which moves and zeros are done with when they are renamed, and how many in one cycle?
 *
 * Two experiments, each fooled by something else:
 *
 *   latency  moves, each of what the one before it wrote. Whatever a unit does takes a cycle at least; more than one a
 *            cycle means that they need no unit. Zeros depend on nothing, so it tells nothing of them
 *   units    additions, as many as units take, and the form strewn among them, one for what is added in a cycle, or two.
 *            Controls: loads in their place, which need other units, and further additions. The row is as fast as the
 *            one, or as slow as the other. General registers only, and only where additions are held up by units rather
 *            than by renaming. NOPs would be no control: where one takes no place of its own beside an addition, as on
 *            Zen 4, no form is as fast as they are
 *
 * Answer: how many go through the core in one cycle where none waits for another, or 0 where they need units. It counts
 * what can be renamed as well; both experiments share that, so that no answer is better than grade B.
 *
 * Method: chains of moves, Fog, Microarchitecture, and jia.je 2024; controls are ours.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"

enum {
    ROW = 240,
    CHAIN = 4,   /* registers */
    ADDED = 6,   /* registers that additions take in turn: so many a cycle at most */
    TARGETS = 2, /* of forms strewn among them */
    MIXES = 2,   /* so many of them at most for what is added in a cycle */
    SAMPLES = 9,
    PASSES = 3,
    FORMS = 16, /* at most */
    SLOTS = 8,
    DATA_BYTES = 4096
};

/* Moves that take less than this many cycles each need no unit. */
static const double NO_LATENCY = 0.9;
/* A unit takes a cycle, but for so much. */
static const double LATENCY = 0.97;
/* Units hold additions up when they are slower than what goes by them by this part at least. */
static const double HELD_UP = 0.08;
/* As one control, and not as the other: within this part of how far they are apart. */
static const double NEAR = 0.3;

enum strewn { STREWN_LOADS, STREWN_ADDITIONS, STREWN_FORM };

struct row {
    const struct emit_idiom *form;
    bool chain;         /* forms alone, each of what the one before it wrote; else of one register */
    enum strewn strewn; /* where `among` is not 0 */
    double among;       /* this part of it are additions */
};

static void emit_alone(struct code *c, const struct row *r)
{
    const bool vector = r->form->kind == IDIOM_VECTOR_MOVE;
    const unsigned first = vector ? VREG_0 : REG_T0;

    for (unsigned i = 0; i < ROW; i++)
        if (r->chain)
            emit_idiom(c, r->form, first + (i + 1) % CHAIN, first + i % CHAIN);
        else
            emit_idiom(c, r->form, first + i % CHAIN, first + CHAIN);
}

static void emit_among(struct code *c, const struct row *r)
{
    unsigned added = 0, strewn = 0;

    for (unsigned i = 0; i < ROW; i++) {
        const bool addition = added <= r->among * i;
        if (addition || r->strewn == STREWN_ADDITIONS)
            emit_add(c, (enum reg)(REG_T0 + (added + strewn) % ADDED), REG_T8);
        else if (r->strewn == STREWN_LOADS)
            emit_load(c, (enum reg)(REG_T0 + ADDED + strewn % TARGETS), REG_DATA, (int32_t)(8 * (strewn % SLOTS)));
        else
            emit_idiom(c, r->form, REG_T0 + ADDED + strewn % TARGETS, REG_T8);
        added += addition;
        strewn += !addition;
    }
}

static void emit_row(struct code *c, const void *context)
{
    const struct row *r = context;

    if (r->among > 0)
        emit_among(c, r);
    else
        emit_alone(c, r);
}

/* Instructions a cycle. */
static bool measure(struct probe *p, const struct area *data, const struct row *r, double *rate)
{
    const struct loop l = {.body = emit_row, .context = r, .instructions = ROW, .data = data->at};
    double cycles = NAN;
    bool good = sample_loop(p, (unsigned)probe_scale(p, 1, 5, SAMPLES, SAMPLES), &l, &cycles);

    *rate = ROW / cycles;
    return good;
}

/* What holds for all forms: rows of additions and loads. */
struct controls {
    struct area data;
    double added; /* additions a cycle */
    struct mix {
        double among; /* the part of a row that is additions, when others are strewn among them … */
        double loads; /* … and how fast it is with loads; NaN: no faster than additions */
    } mixes[MIXES];
};

static bool measure_controls(struct probe *p, struct controls *t)
{
    const struct row additions = {.strewn = STREWN_ADDITIONS, .among = 1};
    bool good = probe_map(p, &t->data, DATA_BYTES, 0) && measure(p, &t->data, &additions, &t->added);

    for (unsigned i = 0; i < MIXES && good; i++) {
        struct mix *m = &t->mixes[i];
        m->loads = NAN;
        if (!(t->added > 0)) /* no reading was accepted */
            continue;
        m->among = t->added / (t->added + i + 1);
        good = measure(p, &t->data, &(struct row){.strewn = STREWN_LOADS, .among = m->among}, &m->loads);
        if (!(t->added < (1 - HELD_UP) * m->loads && t->added < (1 - HELD_UP) * ADDED))
            m->loads = NAN;
    }
    return good;
}

/* 1: needs none; 0: needs a unit; NaN: not told. */
static bool ask_latency(struct probe *p, const struct area *data, const struct emit_idiom *form, double *answer)
{
    const struct row chain = {.form = form, .chain = true};
    double rate = NAN;

    *answer = NAN;
    if (form->kind == IDIOM_ZERO)
        return true;
    if (!measure(p, data, &chain, &rate))
        return false;
    if (1 / rate < NO_LATENCY)
        *answer = 1;
    else if (1 / rate > LATENCY)
        *answer = 0;
    return true;
}

static bool ask_units(struct probe *p, const struct emit_idiom *form, const struct controls *t, const struct mix *m,
                      double *answer)
{
    const struct row mixed = {.form = form, .strewn = STREWN_FORM, .among = m->among};
    double rate = NAN;

    *answer = NAN;
    if (form->kind == IDIOM_VECTOR_MOVE || isnan(m->loads))
        return true;
    if (!measure(p, &t->data, &mixed, &rate))
        return false;
    const double needs = (1 / rate - 1 / m->loads) / (1 / t->added - 1 / m->loads);
    if (needs < NEAR)
        *answer = 1;
    else if (needs > 1 - NEAR)
        *answer = 0;
    return true;
}

/* How fast forms are that wait for nothing: the best of passes over all, since whoever shares the core only takes of it. */
static bool measure_alone(struct probe *p, const struct area *data, size_t count, double *rates)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        rates[i] = NAN;
    for (size_t i = 0; i < PASSES * count && good; i++) {
        double rate = NAN;
        good = measure(p, data, &(struct row){.form = &emit_idioms[i % count]}, &rate);
        rates[i % count] = fmax(rates[i % count], rate);
    }
    return good;
}

static bool find_form(struct probe *p, const struct emit_idiom *form, const struct controls *t, double rate)
{
    double latency = NAN, units[MIXES] = {NAN, NAN};

    if (!ask_latency(p, &t->data, form, &latency) || !ask_units(p, form, t, &t->mixes[0], &units[0]) ||
        !ask_units(p, form, t, &t->mixes[1], &units[1]))
        return false;
    const struct find_value v[] = {{"latency", "renaming", latency * rate},
                                   {"units", "renaming", units[0] * rate},
                                   {"units, two among additions", "renaming", units[1] * rate}};
    const struct finding f = {.name = "backend.elimination.per_cycle",
                              .variants = {{"form", form->name}},
                              .method = "chains of moves; additions that take all units, and the form among them"};
    find_number(p, &f, v, sizeof v / sizeof v[0]);
    return true;
}

static void run(struct probe *p)
{
    struct controls t;
    double rates[FORMS];
    size_t count = 0;

    while (count < (size_t)probe_smoke(p, 2, FORMS) && emit_idioms[count].name)
        count++;
    bool good = measure_controls(p, &t) && measure_alone(p, &t.data, count, rates);
    for (size_t i = 0; i < count && good; i++)
        good = find_form(p, &emit_idioms[i], &t, rates[i]);
}

PROBE(elimination, .title = "Moves and zeros that need no unit", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.elimination.per_cycle", "instructions/cycle",
                            "of that form, done with when they are renamed, in one cycle; 0: they need a unit"}));
