#include "lib/structure/footprint_report.h"

#include <math.h>
#include <stdio.h>

#include "lib/finding/report.h"
#include "lib/plan/facts.h"

static const char BITS[] = "frontend.history.bits", SHIFT[] = "frontend.history.shift",
                  FOOTPRINT[] = "frontend.history.footprint", INPUTS[] = "frontend.history.inputs";
static const char METHOD[] =
    "two paths of branches whose addresses differ in chosen bits: is a later branch predicted?";

static void report_register(struct probe *p, const struct footprint *f, const struct footprint_register *r,
                            const char *open, const char *checked)
{
    double bits = 0;

    for (size_t n = 0; n < r->count; n++)
        bits += f->branches[r->chains[n]];
    const double branches = facts_number(&p->run->facts, "frontend.history.branches", "kind=conditional-taken", 0);
    const bool same_length = fabs(branches * (double)r->count - bits) < 0.5;
    struct finding found = {.name = BITS,
                            .variants = {{"history", r->name}},
                            .value = bits,
                            .low = bits,
                            .high = bits + (double)r->count,
                            .grade = same_length ? 'B' : 'C',
                            .method = "the last number of branches behind two paths that can be distinguished",
                            .remarks = {{"checked", checked}, {"open", open}}};
    report(p, &found);
    found.name = SHIFT;
    found.value = (double)r->count;
    found.low = found.high = NAN;
    found.grade = 'B';
    found.method = "chains of address bits that a branch more between them makes equal";
    report(p, &found);
    for (size_t place = 0; place < FOOTPRINT_GROUPS; place++)
        for (size_t n = 0; n < r->count; n++)
            for (size_t i = 0; i < f->group_count; i++) {
                char formula[FOOTPRINT_TEXT];
                if (f->groups[i].chain != r->chains[n] || f->groups[i].place != place)
                    continue;
                footprint_text(&f->groups[i].bits, formula);
                report(p, &(struct finding){
                              .name = FOOTPRINT,
                              .variants = {{"history", r->name}, {"bit", NULL, (double)(place * r->count + n)}},
                              .value = NAN,
                              .text = formula,
                              .low = NAN,
                              .high = NAN,
                              .grade = 'B',
                              .method = METHOD});
            }
}

/* Of all registers together, open bits included. */
static void report_inputs(struct probe *p, const struct footprint *f)
{
    static const char *const names[] = {"branch", "target"};
    struct footprint_bits all = f->open;

    for (size_t i = 0; i < f->group_count; i++) {
        all.source |= f->groups[i].bits.source;
        all.target |= f->groups[i].bits.target;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const uint64_t bits = i ? all.target : all.source;
        const double count = bits ? 64 - __builtin_clzll(bits) : 0;
        report(p, &(struct finding){.name = INPUTS,
                                    .variants = {{"address", names[i]}},
                                    .value = count,
                                    .low = count,
                                    .high = count,
                                    .grade = 'B',
                                    .method = METHOD});
    }
}

void footprint_report(struct probe *p, const struct footprint *f)
{
    struct footprint_register registers[FOOTPRINT_GROUPS];
    char open[FOOTPRINT_TEXT] = "", checked[64];

    footprint_list(&f->open, open);
    snprintf(checked, sizeof checked, "%u of %u random trials foreseen", f->checked - f->missed, f->checked);
    const size_t count = footprint_registers(f, registers);
    for (size_t i = 0; i < count && p->outcome == OUTCOME_OK; i++)
        report_register(p, f, &registers[i], open, checked);
    report_inputs(p, f);
}
