/* The probe history: how many branches of each kind the branch history holds. */
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* A kind of branch that never enters the history is reported as 0, which has no interval. */
static void check_span(const struct machine_design *m, const char *kind, double truth)
{
    static const char name[] = "frontend.history.branches";
    const char *f = finding_of(name, "kind", kind);

    if (truth > 0)
        check_capacity(m, name, "kind", kind, truth);
    else if (is_decided(m, f, name, kind) && number(f, "value") > 0)
        complain(m, "%s %s: reported %g, and this kind does not enter the history", name, kind, number(f, "value"));
}

/*
 * Of a call and its return both enter the history, one of them, or neither. Where one does, two branches take one
 * entry, and since they come in pairs the span is known to lie between two even numbers.
 */
static void check_history(const struct machine_design *m)
{
    static const char *const kinds[] = {"conditional-taken", "conditional-not-taken", "unconditional", "indirect"};
    const bool *enters = m->core.history_enters;
    const unsigned of_pair = enters[HISTORY_CALL] + enters[HISTORY_RETURN];

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        check_span(m, kinds[kind], enters[kind] ? m->core.history : 0);
    check_span(m, "call-return", of_pair == 2 ? m->core.history : of_pair == 1 ? 2 * m->core.history - 1 : 0);
}

MODEL_TEST(histories_are_given_back, "history")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine_with_history(seed);
        shorten_readings(&m);
        run_probes_on(&m, "history", PROFILE_QUICK);
        check_history(&m);
    }
    end(4 * cores, cores);
    decides(5, 0);
}
