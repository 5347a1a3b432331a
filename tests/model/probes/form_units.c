/*
 * The probe form_units: on which units the operations of a form run, on cores whose units differ. The map of units, which
 * the probe `units` would take many minutes to find here, is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/catalogue.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/isa.h"
#include "tests/model/test.h"

enum { FORMS_LONG = 3 /* forms of a core with LONG; else one */ };

/* Forms of both ISAs that are not among those that stand for classes, and each one's mnemonic in isa.units. */
static const struct {
    const char *form, *unit;
} others[] = {{"not r64", "not"},
              {"bswap r64", "bswap"},
              {"lea r64, [base]", "lea"},
              {"mulps xmm, xmm", ".mulps"},
              {"subps xmm, xmm", ".subps"},
              {"pxor xmm, xmm", ".pxor"},
              {"shufps xmm, xmm, i8", ".shufps"},
              {"cvtps2dq xmm, xmm", ".cvtps2dq"},
              {"eor x, x, x", "eor"},
              {"clz x, x", "clz"},
              {"smulh x, x, x", "smulh"},
              {"rbit x, x", "rbit"},
              {"fsub v.2d, v.2d, v.2d", ".fsub"},
              {"sub v.4s, v.4s, v.4s", ".sub"},
              {"uzp1 v.16b, v.16b, v.16b", ".uzp1"},
              {"fcvtzs v.2d, v.2d", ".fcvtzs"}};
enum { OTHERS = sizeof others / sizeof others[0] };

/* ---- The map that is given ------------------------------------------------------------------------ */

static const struct core_design *given; /* of the core that runs */

/* Forms of form_units that this core executes: of each class one, as mixes_choose has them. */
static size_t class_forms(const struct form *all[], size_t most)
{
    size_t count = 0;

    for (const struct form_unit *u = form_units; u->class && count < most; u++) {
        bool again = u->form[0] == 'v'; /* modelled cores have no AVX */
        for (const struct form_unit *before = form_units; before < u; before++)
            again |= before->form[0] != 'v' && !strcmp(before->class, u->class);
        if (!again)
            all[count++] = form_find(u->form);
    }
    return count;
}

static void give_units(struct probe *p)
{
    struct fact_units *known = &p->run->facts.units;
    const struct form *all[FACT_UNITS];

    known->count = class_forms(all, FACT_UNITS);
    for (size_t i = 0; i < known->count; i++) {
        known->of[i].form = all[i];
        known->of[i].ports = given->ports.of[i][0];
    }
    known->width = given->width;
    known->nop_bytes = emit_nop_lengths[0];
    facts_set(&p->run->facts,
              &(struct fact){.name = "backend.unit.map", .value = PORTS_UNITS, .grade = 'C', .source = "given_units"});
}

PROBE(given_units, .title = "Units that are given", .family = "backend", .only_named = true, .run = give_units,
      .findings = FINDINGS({0}));

/* ---- The core ------------------------------------------------------------------------------------- */

static uint16_t draw_set(unsigned units)
{
    uint16_t set = 0;

    for (size_t n = pick(1, 3); n > 0; n--)
        set |= (uint16_t)(1u << pick(0, units - 1));
    return set;
}

/* One operation of each class; of the other forms one or two, most of them where a class has them. */
static void draw_units(struct core_design *c)
{
    const struct form *all[FACT_UNITS];
    const size_t classes = class_forms(all, FACT_UNITS);
    const unsigned units = (unsigned)pick(4, PORTS_UNITS);

    c->ports.differ = true;
    c->units = c->multipliers = 0;
    c->width = (unsigned)pick(6, 10);
    c->l1i_fetch = c->width * FORM_BYTES; /* nothing else in the front end is slower */
    c->fetch_bytes = c->decoders = 0;
    for (size_t i = 0; i < classes; i++)
        c->ports.of[i][0] = draw_set(units);
    for (size_t i = classes; i < PORTS_KINDS && isa.units[i]; i++)
        for (size_t n = 0; n < pick(1, 4) / 3 + 1 && n < PORTS_OPERATIONS; n++)
            c->ports.of[i][n] = pick(0, 3) ? c->ports.of[pick(0, classes - 1)][0] : draw_set(units);
}

/* ---- What is reported ----------------------------------------------------------------------------- */

/* Operations of the form that can run on no unit outside of the set. */
static unsigned within(const uint16_t *operations, uint16_t set)
{
    unsigned count = 0;

    for (unsigned i = 0; i < PORTS_OPERATIONS && operations[i]; i++)
        count += !(operations[i] & ~set);
    return count;
}

/* The units of `"4 5"`. */
static uint16_t set_of(const char *text)
{
    uint16_t set = 0;

    for (char *end; *text != '"'; text = end) {
        set |= (uint16_t)(1u << strtoul(text, &end, 10));
        if (end == text)
            fail_msg("no units: %.20s", text);
    }
    return set;
}

/* Compares the row's operations, [times, "=" or "<=", "units", cycles] each, with those that the form has. */
static void check_row(const struct machine_design *m, const char *form, const uint16_t *operations, const char *row)
{
    const char *at = strstr(row, ",[["), *end = at ? strstr(at, "]]") : NULL;
    struct {
        unsigned times;
        uint16_t ports;
    } found[PORTS_KINDS];
    unsigned count = 0;

    for (at = at ? at + 2 : NULL; at && at < end && count < PORTS_KINDS; at = strchr(at + 1, '[')) {
        char relation[4];
        if (sscanf(at, "[%u,\"%3[=<]\",\"", &found[count].times, relation) != 2)
            break;
        const char *ports = strstr(at, relation[0] == '=' ? "=\",\"" : "<=\",\"");
        found[count].ports = set_of(ports + strlen(relation[0] == '=' ? "=\",\"" : "<=\",\""));
        if (relation[0] == '=' && operations[0] != found[count].ports && operations[1] != found[count].ports)
            complain(m, "%s: no operation runs on exactly %#x: %.200s", form, found[count].ports, row);
        count++;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned sum = 0;
        for (unsigned k = 0; k < count; k++)
            sum += found[k].ports & ~found[i].ports ? 0 : found[k].times;
        if (sum > within(operations, found[i].ports))
            complain(m, "%s: %u operations on %#x, not %u: %.200s", form, sum, found[i].ports,
                     within(operations, found[i].ports), row);
    }
}

static size_t unit_index(const char *mnemonic)
{
    size_t i = 0;

    while (i < PORTS_KINDS && isa.units[i] && strcmp(isa.units[i], mnemonic) != 0)
        i++;
    return i;
}

static void try_form(const struct machine_design *m, const char *form, size_t kind)
{
    run_probes_on_forms(m, "given_units form_units", form, PROFILE_QUICK);
    const char *row = records_find(&records, NULL, "table", "name", "backend.instruction.units");
    if (!row || !(row = strstr(row, "\"rows\":[[")))
        fail_msg("%s has no row", form);
    const bool decided = strstr(row, "\"decided\"") || strstr(row, "\"partial\"");
    checked.decided += decided;
    checked.undecided += !decided;
    if (getenv("MODEL_SHOWS"))
        fprintf(stderr, "# %#x %#x %.300s\n", m->core.ports.of[kind][0], m->core.ports.of[kind][1], row);
    if (decided)
        check_row(m, form, m->core.ports.of[kind], row);
}

MODEL_TEST(units_of_forms_are_given_back, "form_units")
{
    const size_t wanted = getenv("LONG") ? FORMS_LONG : 1;
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine(seed);
        draw_units(&m.core);
        given = &m.core;
        size_t tried = 0;
        for (size_t i = pick(0, 3); i < OTHERS && tried < wanted; i++)
            if (form_find(others[i].form) && unit_index(others[i].unit) < PORTS_KINDS &&
                isa.units[unit_index(others[i].unit)]) {
                try_form(&m, others[i].form, unit_index(others[i].unit));
                tried++;
            }
        assert_int_equal(tried, wanted);
    }
    end(cores ? 1 : 0, 8);
    decides(1, 0);
}
