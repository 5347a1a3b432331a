/*
 * Units of forms: on which execution units do the operations of each form of the catalogue run?
 *
 * Experiment: the probe `units` knows classes of operations and the set of units of each. Instructions of one such
 * class, as many as keep its whole set busy for some cycles, stand beside one instance of the form, over and over, all
 * independent of each other. Operations of the form that can run on no other unit make each round longer, by one over
 * the number of units each; others take no time. Each set of the map is kept busy in turn, and where a form has
 * operations that none of them held, two sets at once. The same with instructions that take a slot of the front end and
 * no unit shows how many slots the form takes.
 *
 * There is no curve: the result is a table, one row for each form.
 *
 * Inference: an operation belongs to the smallest set that it cannot leave (lib/structure/form_units.h). That set may
 * have more units than the operation can use: it is exact, "=", only where instances of the form alone keep all of it
 * busy. Three numbers of blockers must give the same whole number of operations, of several orders of instances and
 * blockers the fastest counts, and the form must not be faster alone than its operations allow; else the row is
 * undecided. The form's own operands have other registers than the blockers. Classes that stand for several operations
 * block nothing. A set whose blockers alone are slower than the map says is left out.
 *
 * Records: `table`, a few forms a record (docs/INSTRUCTION_TABLES.md). No findings: there would be thousands. All of
 * grade C. Method: docs/METHODS.md, 6.11; Abel and Reineke, uops.info, 2019 (blocking, there with counters of units).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/kernels/forms.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/form_bench.h"
#include "lib/structure/form_draw.h"
#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_once.h"
#include "lib/structure/ports_text.h"

enum {
    QUICK_FORMS = 200, /* drawn at random in profile quick */
    SMOKE_FORMS = 2,
    ROWS_OF_A_RECORD = 8,
    LINE = 160,
    TEXT = 64
};

_Static_assert((size_t)FACT_UNITS == PORTS_CLASSES, "a class has no blocker");

struct row {
    const struct form *form;
    struct instruction_once once;
    struct form_units units;
};

/* What the forms of all rows are measured with. */
struct bench {
    struct form_bench group;
    struct form_units_sets sets;
};

/* ---- The table ------------------------------------------------------------------------------------ */

static const char *text_of_ports(uint16_t ports, char *text, size_t room)
{
    ports_text_of_ops((const struct ports_op[PORTS_OPS]){{ports, 1}}, text, room);
    return text;
}

static void send_row(struct record *r, const struct row *row)
{
    const struct form_units *u = &row->units;
    const bool is_measured = !row->once.why.reason;
    char text[TEXT];

    record_array(r, NULL);
    record_text(r, NULL, form_name(row->form));
    record_text(r, NULL,
                row->once.is_absent ? "absent"
                : !is_measured      ? "not-measured"
                : u->why            ? "undecided"
                : u->is_partial     ? "partial"
                                    : "decided");
    const char *why = instruction_why_text(is_measured ? why_of(u->why) : row->once.why);
    if (why)
        record_text(r, NULL, why);
    else
        record_null(r, NULL);
    record_number(r, NULL, is_measured ? rounded(u->cycles) : (double)NAN);
    record_number(r, NULL, is_measured ? u->slots : (double)NAN);
    record_array(r, NULL);
    for (size_t i = 0; i < u->op_count && !u->why; i++) {
        record_array(r, NULL);
        record_integer(r, NULL, u->ops[i].times);
        record_text(r, NULL, u->ops[i].is_exact ? "=" : "<=");
        record_text(r, NULL, text_of_ports(u->ops[i].ports, text, sizeof text));
        record_integer(r, NULL, u->ops[i].cycles);
        record_close(r);
    }
    record_close(r);
    record_array(r, NULL);
    for (size_t i = 0; i < u->test_count; i++) {
        record_array(r, NULL);
        record_text(r, NULL, text_of_ports(u->tests[i].set->ports, text, sizeof text));
        for (size_t n = 0; n < FORM_UNITS_LENGTHS; n++)
            record_number(r, NULL, rounded(u->tests[i].ops[n]));
        record_close(r);
    }
    record_close(r);
    record_close(r);
}

static void send_rows(struct probe *p, const struct row *rows, size_t count)
{
    struct record r;

    if (!count)
        return;
    record_table(p, &r, "backend.instruction.units");
    record_boolean(&r, "trusted", p->run->trusted);
    RECORD_COLUMNS(&r, "form", "state", "reason", "cycles", "slots", "operations", "tests");
    for (size_t i = 0; i < count; i++)
        send_row(&r, &rows[i]);
    record_close(&r);
    record_send(&r);
}

/* ---- All forms ------------------------------------------------------------------------------------ */

static void choose_blockers(struct bench *b, const struct fact_units *known)
{
    uint16_t ports[PORTS_CLASSES] = {0};

    for (size_t i = 0; i < known->count; i++) {
        b->group.blockers[i] = (struct blocker){.kind = known->of[i].form       ? BLOCKER_FORM
                                                        : known->of[i].is_store ? BLOCKER_STORE
                                                                                : BLOCKER_LOAD,
                                                .form = known->of[i].form};
        /* a smoke run executes everything once, but knows no map: each class has a unit of its own there */
        ports[i] = (uint16_t)(probe_is_smoke(b->group.probe) ? 1u << i : known->of[i].ports);
    }
    b->group.blockers[FORM_UNITS_BLANK] = (struct blocker){
        .kind = known->idiom ? BLOCKER_IDIOM : BLOCKER_NOP, .idiom = known->idiom, .nop_bytes = known->nop_bytes};
    form_units_sets(&b->sets, ports, known->count);
    b->sets.width = known->width;
    b->sets.orders = (unsigned)probe_smoke(b->group.probe, 1, FORM_UNITS_ORDERS);
    b->sets.measure = form_bench_measure;
    b->sets.context = &b->group;
}

/* How often an instance reads and writes memory. */
static unsigned accesses_of(const struct form *f)
{
    unsigned count = 0;

    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            count += (unsigned)__builtin_popcount(form_operand(f, i)->access);
    return count;
}

/*
 * Operations that one slot may hold: halves of vectors that are longer than units (Zen 4: AMD's optimisation guide 57647,
 * 2.11), and there another that keeps what a mask leaves of the register.
 */
static unsigned ops_of_slot(const struct form *f)
{
    enum { UNIT_BITS = 256 };
    bool is_long = false, is_masked = false, keeps = false;

    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        is_long |= o->kind == OPERAND_VECTOR && o->bits > UNIT_BITS;
        is_masked |= o->kind == OPERAND_MASK && (o->access & OPERAND_READ);
        keeps |= o->kind == OPERAND_VECTOR && (o->access & OPERAND_READ) && (o->access & OPERAND_WRITE);
    }
    return is_long ? 2u + (is_masked && keeps) : 1;
}

/* Measures one form. Those that need companions, or whose cost depends on what was executed before, have no units. */
static void measure_form(struct bench *b, struct row *row)
{
    row->once = instruction_execute_once(b->group.probe, &b->group.data, row->form);
    if (!row->once.why.reason && (form_needs_companions(row->form) || row->form->class == FORM_STREAMS ||
                                  form_is_branch(row->form))) /* of these blockers change the flags */
        row->once.why.reason = REASON_NO_INDEPENDENT_INSTANCES;
    if (row->once.why.reason)
        return;
    form_fill_data(row->form, FORM_VALUES_ONE, b->group.data.write);
    b->group.form = row->form;
    b->group.why = why_of(REASON_NONE);
    if (!form_units_find(&b->sets, accesses_of(row->form), ops_of_slot(row->form), &row->units))
        row->once.why = b->group.why.reason ? b->group.why : why_of(REASON_NO_READINGS);
}

static void measure_forms(struct bench *b)
{
    struct probe *p = b->group.probe;
    struct row rows[ROWS_OF_A_RECORD];
    size_t count = 0;
    unsigned decided = 0, undecided = 0, others = 0;
    struct form_draw draw = form_draw_start(
        p, (size_t)probe_scale(p, SMOKE_FORMS, QUICK_FORMS, (double)form_count, (double)form_count));
    char line[LINE];

    for (const struct form *f; probe_goes_on(p) && (f = form_draw_next(&draw));) {
        struct row *row = &rows[count++];
        *row = (struct row){.form = f};
        measure_form(b, row);
        others += row->once.why.reason != REASON_NONE;
        decided += !row->once.why.reason && !row->units.why;
        undecided += !row->once.why.reason && row->units.why;
        if (count == ROWS_OF_A_RECORD) {
            send_rows(p, rows, count);
            count = 0;
        }
    }
    send_rows(p, rows, count);
    snprintf(line, sizeof line, "  form_units: units of %u forms decided, of %u undecided; %u absent or not measured\n",
             decided, undecided, others);
    machine_print(line);
}

static void run(struct probe *p)
{
    const struct fact_units *known = &p->run->facts.units;
    struct bench *b = probe_calloc(p, 1, sizeof *b);

    if (!b)
        return;
    b->group.probe = p;
    if (probe_map(p, &b->group.data, BLOCKERS_DATA_AT + BLOCKERS_DATA_BYTES, 0)) {
        choose_blockers(b, known);
        measure_forms(b);
    }
    free(b);
}

PROBE(form_units, .title = "Units of forms", .family = "backend", .after = "instructions",
      .needs = NEEDS("backend.unit.map"), .run = run, .findings = FINDINGS({0}));
