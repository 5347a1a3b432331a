/*
 * Elimination: which moves and zeros are done with when they are renamed, and how many in one cycle?
 *
 * Two experiments, each fooled by something else:
 *
 *   latency  moves, each of what the one before it wrote. Whatever a unit does takes a cycle at least; more than one a
 *            cycle means that they need no unit. Zeros depend on nothing, so it tells nothing of them
 *   units    additions, as many as units take, and the form strewn among them, so many that the whole row is just what
 *            the core can rename in that time. Controls: NOPs in their place, which need no unit, and further additions.
 *            The row is as fast as the one, or as slow as the other. General registers only, and only where additions are
 *            held up by units rather than by renaming
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
    SAMPLES = 9
};

/* Moves that take less than this many cycles each need no unit. */
static const double NO_LATENCY = 0.9;
/* A unit takes a cycle, but for so much. */
static const double LATENCY = 0.97;
/* Units hold additions up when they are slower than what goes by them by this part at least. */
static const double HELD_UP = 0.08;
/* As one control, and not as the other: within this part of how far they are apart. */
static const double NEAR = 0.3;

enum strewn { STREWN_NOPS, STREWN_ADDITIONS, STREWN_FORM };

struct row {
    const struct emit_idiom *form; /* NULL: none */
    bool chain;                    /* forms alone, each of what the one before it wrote; else of one register */
    enum strewn strewn;            /* where `among` is not 0 */
    double among;                  /* this part of it are additions */
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
        else if (r->strewn == STREWN_NOPS)
            emit_nop(c, emit_nop_lengths[0]);
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
    else if (r->form)
        emit_alone(c, r);
    else
        emit_nop_row(c, emit_nop_lengths[0], ROW);
}

/* Instructions a cycle. */
static bool measure(struct probe *p, const struct row *r, double *rate)
{
    const struct loop l = {.body = emit_row, .context = r, .instructions = ROW};
    double cycles = NAN;
    bool good = sample_loop(p, (unsigned)probe_scale(p, 1, 5, SAMPLES, SAMPLES), &l, &cycles);

    *rate = ROW / cycles;
    return good;
}

/* What holds for all forms: rows of additions and NOPs. */
struct controls {
    double added; /* additions a cycle; NaN: units do not hold them up, or what is added does */
    double among; /* the part of a row that is additions, when NOPs fill it up to what can be renamed … */
    double nops;  /* … and how fast it is then */
};

static bool measure_controls(struct probe *p, struct controls *t)
{
    const struct row nops = {.form = NULL}, additions = {.strewn = STREWN_ADDITIONS, .among = 1};
    struct row mixed = {.strewn = STREWN_NOPS};
    double nop_rate = NAN;

    if (!measure(p, &nops, &nop_rate) || !measure(p, &additions, &t->added))
        return false;
    t->among = fmin(t->added / nop_rate, 1);
    mixed.among = t->among;
    if (!measure(p, &mixed, &t->nops))
        return false;
    if (!(t->added < (1 - HELD_UP) * t->nops && t->added < (1 - HELD_UP) * ADDED))
        t->added = NAN;
    return true;
}

/* 1: needs none; 0: needs a unit; NaN: not told. */
static bool ask_latency(struct probe *p, const struct emit_idiom *form, double *answer)
{
    const struct row chain = {.form = form, .chain = true};
    double rate = NAN;

    *answer = NAN;
    if (form->kind == IDIOM_ZERO)
        return true;
    if (!measure(p, &chain, &rate))
        return false;
    if (1 / rate < NO_LATENCY)
        *answer = 1;
    else if (1 / rate > LATENCY)
        *answer = 0;
    return true;
}

static bool ask_units(struct probe *p, const struct emit_idiom *form, const struct controls *t, double *answer)
{
    const struct row mixed = {.form = form, .strewn = STREWN_FORM, .among = t->among};
    double rate = NAN;

    *answer = NAN;
    if (form->kind == IDIOM_VECTOR_MOVE || isnan(t->added))
        return true;
    if (!measure(p, &mixed, &rate))
        return false;
    const double needs = (1 / rate - 1 / t->nops) / (1 / t->added - 1 / t->nops);
    if (needs < NEAR)
        *answer = 1;
    else if (needs > 1 - NEAR)
        *answer = 0;
    return true;
}

static bool find_form(struct probe *p, const struct emit_idiom *form, const struct controls *t)
{
    const struct row free = {.form = form};
    double latency = NAN, units = NAN, rate = NAN;

    if (!ask_latency(p, form, &latency) || !ask_units(p, form, t, &units) || !measure(p, &free, &rate))
        return false;
    const struct find_value v[] = {{"latency", "renaming", latency * rate}, {"units", "renaming", units * rate}};
    const struct finding f = {.name = "backend.elimination.per_cycle",
                              .variants = {{"form", form->name}},
                              .method = "chains of moves; additions that take all units, and the form among them"};
    find_number(p, &f, v, sizeof v / sizeof v[0]);
    return true;
}

static void run(struct probe *p)
{
    struct controls t;
    size_t left = (size_t)probe_smoke(p, 2, 1000);
    bool good = measure_controls(p, &t);

    for (const struct emit_idiom *form = emit_idioms; form->name && left && good; form++, left--)
        good = find_form(p, form, &t);
}

PROBE(elimination, .title = "Moves and zeros that need no unit", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.elimination.per_cycle", "instructions/cycle",
                            "of that form, done with when they are renamed, in one cycle; 0: they need a unit"}));
