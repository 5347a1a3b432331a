/* The probe bypass: how much longer a value takes from one kind of instruction to another and back. */
#include <stdio.h>
#include <string.h>

#include "arch/form_links.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* What each link needs, and what it makes. */
static const struct {
    const char *name;
    enum bypass_kind needs, makes;
} links[] = {
    {"add", BYPASS_PLAIN, BYPASS_PLAIN},
    {"shift", BYPASS_PLAIN, BYPASS_PLAIN},
    {"select", BYPASS_PLAIN, BYPASS_PLAIN},
    {"multiply", BYPASS_MULTIPLY, BYPASS_MULTIPLY},
    {"multiply-add, sum", BYPASS_SUM, BYPASS_MULTIPLY},
    {"load", BYPASS_LOAD, BYPASS_LOAD},
    {"way through vectors", BYPASS_WAY, BYPASS_WAY},
    {"fp add", BYPASS_FLOAT, BYPASS_FLOAT},
    {"fp multiply", BYPASS_FLOAT, BYPASS_FLOAT},
    {"fp multiply-add, factor", BYPASS_FLOAT, BYPASS_FLOAT},
    {"fp multiply-add, sum", BYPASS_FLOAT_SUM, BYPASS_FLOAT},
    {"fp logic", BYPASS_FLOAT, BYPASS_FLOAT},
    {"fp shuffle", BYPASS_FLOAT, BYPASS_FLOAT},
    {"integer add", BYPASS_INTEGER, BYPASS_INTEGER},
    {"integer multiply", BYPASS_INTEGER, BYPASS_INTEGER},
    {"integer multiply-add, sum", BYPASS_INTEGER_SUM, BYPASS_INTEGER},
    {"integer logic", BYPASS_INTEGER, BYPASS_INTEGER},
    {"integer shuffle", BYPASS_INTEGER, BYPASS_INTEGER},
    {"conversion", BYPASS_CONVERT, BYPASS_CONVERT},
    {"way through general registers", BYPASS_WAY, BYPASS_WAY},
};

/* Index of the link whose name stands there, the longest that does, since some begin as others do. */
static size_t link_at(const char *text)
{
    size_t best = sizeof links / sizeof links[0], longest = 0;

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (!strncmp(text, links[i].name, strlen(links[i].name)) && strlen(links[i].name) > longest)
            best = i, longest = strlen(links[i].name);
    return best;
}

/* Sums that are needed late after a multiplication of their kind, or after anything, and ways that take longer. */
static void draw_bypass(struct machine_design *m)
{
    struct bypass_design *b = &m->core.bypass;
    static const enum bypass_kind sums[][2] = {
        {BYPASS_MULTIPLY, BYPASS_SUM}, {BYPASS_FLOAT, BYPASS_FLOAT_SUM}, {BYPASS_INTEGER, BYPASS_INTEGER_SUM}};

    b->differs = true;
    for (unsigned i = 0; i < BYPASS_FLOAT; i++) /* multiplications and loads take what the core says elsewhere */
        b->latency[i] = 1;
    for (unsigned i = BYPASS_FLOAT; i < BYPASS_MAKERS; i++)
        b->latency[i] = (double)pick(i == BYPASS_INTEGER ? 1 : 3, i == BYPASS_INTEGER ? 3 : 5);
    for (unsigned made = 0; made < BYPASS_MAKERS; made++)
        for (unsigned needs = 0; needs < BYPASS_MAKERS; needs++)
            b->longer[made][needs] = made != needs && pick(0, 1) ? (double)pick(1, 2) : 0;
    b->longer[BYPASS_LOAD][BYPASS_LOAD] = -(double)pick(0, 1);
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        const enum bypass_kind own = sums[i][0], sum = sums[i][1];
        const double latency = own == BYPASS_MULTIPLY ? 3 : b->latency[own],
                     early = (double)pick(0, (size_t)latency - 1);
        const bool from_all = pick(0, 1);
        for (unsigned made = 0; made < BYPASS_MAKERS; made++)
            b->longer[made][sum] = (made == own ? 0 : b->longer[made][own]) - (made == own || from_all ? early : 0);
    }
}

static double truth(const struct bypass_design *b, size_t one, size_t other)
{
    const enum bypass_kind a = links[one].makes, c = links[other].makes;

    return b->longer[a][links[other].needs] + b->longer[c][links[one].needs] - b->longer[a][links[one].needs] -
           b->longer[c][links[other].needs];
}

/* Every pair that is reported: no difference is a result as well. */
static void check_pairs(const struct machine_design *m)
{
    for (const char *f = NULL; (f = next_finding(f, "backend.bypass.cycles"));) {
        char pair[128] = "";
        const char *text = strstr(f, "\"pair\":\""), *with;
        if (!text || sscanf(text, "\"pair\":\"%127[^\"]", pair) != 1 || !(with = strstr(pair, " with ")))
            fail_msg("no pair in %.100s", f);
        const size_t one = link_at(pair), other = link_at(with + strlen(" with "));
        assert_true(one < sizeof links / sizeof links[0] && other < sizeof links / sizeof links[0]);
        check_whole(m, f, "backend.bypass.cycles", pair, truth(&m->core.bypass, one, other));
    }
}

MODEL_TEST(who_made_an_operand_is_told, "bypass")
{
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = draw_noisy_machine(seed);
        draw_bypass(&m);
        run_probes_on(&m, "bypass", PROFILE_QUICK);
        check_pairs(&m);
    }
    end(30, 4);
    decides(38, 52);
}
