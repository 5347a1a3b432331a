/*
 * Registers: how many can be renamed beyond those that a program names?
 *
 * Two long operations, and n instructions between them that each write a register (lib/kernels/lookahead.h). A register that is
 * written gets a physical one, which is free again when the next write of it has left the core in order: n in flight hold
 * n of them. While there are that many, both long operations are under way at the same time.
 *
 *   int64, int32   additions of whole general registers and of halves: the same, unless a file can hold two halves in one
 *   flags          comparisons, which write nothing else
 *   vector         of each width; mask registers
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and what the long operations write themselves.
 * A knee where that of NOPs is, is the reorder buffer's.
 *
 * Vector registers that a program names hold physical ones, too. All are written before; or cleared, for which some cores
 * need none: then there are more of them left by so many, and what is found is the file, but for what nothing empties.
 *
 * Shared: fillers of two classes in turn. Where each class has a file of its own there can be twice as many as of the
 * smaller; where they share one, as many as of one. What comes near to both, or to none, or to the reorder buffer, is not
 * told.
 * Method: Wong 2013; jia.je 2024.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/kernels/lookahead.h"
#include "lib/probe.h"

enum { TO = 400, LIMIT = 1280 };

static const struct {
    const char *filler, *class;
    unsigned width; /* 0: of no matter */
    enum filler_class holds;
    bool cleared;
} rows[] = {
    {"int64", "int64", 0, FILLER_GENERAL, false},  {"int32", "int32", 0, FILLER_GENERAL, false},
    {"flags", "flags", 0, FILLER_FLAGS, false},    {"scalar", "vector", 64, FILLER_VECTOR, false},
    {"v128", "vector", 128, FILLER_VECTOR, false}, {"v256", "vector", 256, FILLER_VECTOR, false},
    {"v512", "vector", 512, FILLER_VECTOR, false}, {"v128", "vector", 128, FILLER_VECTOR, true},
    {"v512", "vector", 512, FILLER_VECTOR, true},  {"mask", "mask", 0, FILLER_MASK, false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* `holds`: what blockers must not hold much of. */
static const struct {
    const char *a, *b;
    enum filler_class holds;
} pairs[] = {{"int64", "flags", FILLER_GENERAL},
             {"int64", "v128", FILLER_GENERAL},
             {"v128", "mask", FILLER_VECTOR},
             {"int64", "mask", FILLER_GENERAL}};

/* Relative, and so many steps besides: near enough to be the same; the blockers themselves hold some. */
static bool is_near(double a, double b)
{
    return fabs(a - b) <= 4 + 0.02 * fabs(b);
}

static bool report_pair(struct probe *p, const struct lookahead *with, size_t pair, double of_a, double of_b)
{
    const char *const fillers[LOOKAHEAD_MIX] = {pairs[pair].a, pairs[pair].b};
    const double one = fmin(of_a, of_b), separate = 2 * one;
    char name[48];
    struct lookahead_answer both;

    snprintf(name, sizeof name, "%s and %s", pairs[pair].a, pairs[pair].b);
    if (!lookahead_search(p, with, name, fillers, pairs[pair].holds, TO, LIMIT, probe_scale(p, 1, 0.25, 0.8, 5), &both))
        return false;
    const double seen = lookahead_fitted(&both, FILLER_NOTHING);
    /* two of one size, one of them shared: as many as of either; what differs in size is not shared alone */
    const bool shared = is_near(of_a, of_b) && is_near(seen, one),
               apart = is_near(seen, separate) ||
                       (with->packed == 1 && separate > with->nops && lookahead_masked(with, &both));
    struct finding f = {.name = "backend.registers.shared",
                        .variants = {{"pair", name}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .text = shared == apart ? NULL
                                : shared        ? "shared"
                                                : "separate",
                        .grade = shared == apart ? 'U' : 'C',
                        .reason = shared != apart             ? NULL
                                  : isnan(seen) || isnan(one) ? "no-knee"
                                                              : "ambiguous",
                        .method = "fillers of both in turn"};
    for (size_t i = 0; i < both.count; i++)
        f.curves[i] = both.rows[i].name;
    report(p, &f);
    lookahead_free(&both);
    return true;
}

static void run(struct probe *p)
{
    double fillers[ROWS];
    struct lookahead with;
    bool good = lookahead_start(p, &with) && lookahead_nops(p, &with);

    for (size_t i = 0; i < ROWS && good; i++) {
        const char *const names[LOOKAHEAD_MIX] = {rows[i].filler};
        char name[48];
        struct lookahead_answer a;
        snprintf(name, sizeof name, "%s%s", rows[i].filler, rows[i].cleared ? ", cleared" : "");
        with.cleared = rows[i].cleared;
        fillers[i] = (double)NAN;
        if (!lookahead_runs(emit_filler_named(rows[i].filler)))
            continue;
        good = lookahead_search(p, &with, name, names, rows[i].holds, TO, LIMIT, probe_scale(p, 1, 0.25, 0.8, 5), &a);
        struct finding f = {.name = rows[i].cleared ? "backend.registers.cleared" : "backend.registers.entries",
                            .variants = {{"class", rows[i].class}},
                            .method = "two long operations, and writes of registers between them"};
        if (rows[i].width)
            f.variants[1].key = "width", f.variants[1].number = rows[i].width;
        if (good) {
            fillers[i] = lookahead_fitted(&a, rows[i].holds);
            const char *masked = lookahead_masked(&with, &a);
            if (masked && !isnan(fillers[i]))
                lookahead_undecided(p, &f, masked);
            else
                lookahead_report(p, &f, a.experiments, a.count, 1, with.group);
        }
        lookahead_free(&a);
    }
    with.cleared = false;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && good; i++) {
        double of[2] = {(double)NAN, (double)NAN};
        for (size_t r = 0; r < ROWS; r++) {
            if (rows[r].cleared)
                continue;
            of[0] = strcmp(rows[r].filler, pairs[i].a) ? of[0] : fillers[r];
            of[1] = strcmp(rows[r].filler, pairs[i].b) ? of[1] : fillers[r];
        }
        if (lookahead_runs(emit_filler_named(pairs[i].a)) && lookahead_runs(emit_filler_named(pairs[i].b)))
            good = report_pair(p, &with, i, of[0], of[1]);
    }
}

PROBE(registers, .title = "Register files", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.registers.entries", "registers",
                            "registers of that class that can be renamed, beyond those that a program names"},
                           {"backend.registers.cleared", "registers",
                            "the same where those that a program names were cleared, and may hold none"},
                           {"backend.registers.shared", "files", "whether two classes are renamed to one file"}));
