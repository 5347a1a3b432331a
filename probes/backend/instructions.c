/*
 * Instructions: what does each form of the catalogue cost?
 *
 * Each form is executed once, where a fault is caught: one that ends in an undefined instruction is absent on this
 * core. Then (an instance is one execution of the form in a kernel):
 *
 *   throughput   many independent instances: operands that are written rotate through all registers, operands that are
 *                only read are never written. The cycles of one instance come from kernels of n and 2n instances, so
 *                that the loop around them cancels. Where the two differ by more than a loop can cost, the smaller is
 *                a bound; where an instance of streaming stores or flushes takes more than twice as long among 2n as
 *                among n, there is no single throughput, since buffers fill up: `depends-on-length`. Rounds are
 *                repeated until three confirm the minimum, since cores slow wide operations down for milliseconds when
 *                current runs short; a minimum that is never confirmed is a bound. Each round has two more kernels,
 *                with few NOPs between instances and with as many as the core takes beside them, both with fewer
 *                registers. If few NOPs change nothing, neither the layout of the code nor a dependence through
 *                registers is the limit. Many NOPs keep schedulers from filling up, since some cores bind operations
 *                to units less well when they are full. The least of all these counts
 *   latency      for each operand that is read and each that is written a dependency chain: each instance reads what
 *                the one before it wrote. Where that register can be chosen it changes along the chain, so that
 *                another operand that is both read and written does not link each instance to the next one. Two
 *                operands are never the same register, which some cores take for a zeroing idiom
 *   values       throughput with operands on which some cores take longer or shorter: zeros, also as counts of shifts;
 *                large dividends and full mantissas; denormals. All other kernels have 1 everywhere
 *   one register throughput and a chain with the same register for all operands of a kind: idioms depend on nothing
 *   operations   that one instance becomes: issued, by kind, and retired, where the core's counters count them
 *
 * A number is an upper bound, "<=", where something else may be the limit: a chain that takes as long as independent
 * instances or as another chain through the form; instances that depend on each other whatever registers they have
 * (flags that are read and written, fixed registers, memory); instances that need companions, such as a pop for each
 * push onto the x87 stack, or a copy that sets the mask of a gather again.
 *
 * Between operands of two kinds, and to and from memory, other instructions, the bridges, close the chain: moves
 * between kinds, flags to and from the x87 stack, a load of what was stored, or two exclusive ors with the register
 * that holds the address, which leave it as it was. The latency is then an upper bound: the chain less what its bridges
 * take at least; the record names them. Of bridges that read different flags, the one with the longest chain counts. A
 * chain that takes less than its bridges passes no value: `no-dependence`. A second experiment closes the same chain by
 * a detour through a general register, or through a vector register where a general one is on the way already, and
 * subtracts what the detour takes alone; its result may be higher by what the core adds between units of different
 * kinds. A latency that is no whole number is `unsteady` where readings differ by as much; else the core takes ways of
 * different length, for example units of different latency, in a fixed proportion: `mean-of-ways`.
 *
 * Gathers load zeros, which serve as the next gather's addresses. For throughput their addresses differ; with the value
 * zero they are all the same. Forms that load state, control words or all registers, load what is there already, so
 * that their cost is that of changing nothing.
 *
 * Records: `table`, a few forms a record (docs/INSTRUCTION_TABLES.md). No findings: there would be thousands.
 * Method: docs/METHODS.md, 6.9; Fog, Instruction tables; Abel and Reineke 2019.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/kernels/forms.h"
#include "lib/probe/probe.h"
#include "lib/structure/form_draw.h"
#include "lib/structure/instruction_once.h"
#include "lib/structure/instruction_table.h"

enum {
    BATCH = 64,        /* forms that are measured in turn, so that other forms come between two rounds of one */
    QUICK_FORMS = 200, /* drawn at random in profile quick */
    SMOKE_FORMS = 2,   /* in profile smoke */
    LINE = 160
};

struct batch {
    struct indirect_ways ways;
    struct instruction rows[BATCH];
    size_t count;
    unsigned measured, absent, unmeasured; /* forms of all batches */
};

/* Measures all of a form but the later rounds of its throughput. */
static void measure_form(struct probe *p, const struct area *data, struct indirect_ways *ways, struct instruction *row)
{
    const struct instruction_once once = instruction_execute_once(p, data, row->form);

    row->is_absent = once.is_absent;
    row->why = once.why;
    memcpy(row->bytes, once.bytes, sizeof row->bytes);
    if (row->why.reason)
        return;
    row->why = instruction_round(p, data, row->form, &row->throughput);
    if (row->why.reason)
        return;
    form_fill_data(row->form, FORM_VALUES_ONE, data->write);
    instruction_count_events(p, data, row);
    instruction_measure_chains(p, data, row->form, row->throughput.best.cycles, ways, &row->latency);
}

/* ---- All forms ------------------------------------------------------------------------------------ */

/* Measures the remaining rounds of throughput of the forms whose minimum is not confirmed. */
static void measure_rounds(struct probe *p, const struct area *data, struct batch *b)
{
    for (unsigned rounds = 1; rounds < (unsigned)probe_smoke(p, 1, INSTRUCTION_ROUNDS); rounds++)
        for (size_t i = 0; i < b->count && probe_goes_on(p); i++) {
            struct instruction *row = &b->rows[i];
            if (row->throughput.count && !row->throughput.is_confirmed)
                instruction_round(p, data, row->form, &row->throughput); /* one that fails does not count */
        }
}

static void finish_batch(struct probe *p, const struct area *data, struct batch *b)
{
    measure_rounds(p, data, b);
    instruction_table_send(p, b->rows, b->count);
    b->count = 0;
}

static void add_form(struct probe *p, const struct area *data, struct batch *b, const struct form *f)
{
    struct instruction *row = &b->rows[b->count++];

    instruction_start(row, f);
    measure_form(p, data, &b->ways, row);
    b->absent += row->is_absent;
    b->unmeasured += !row->is_absent && row->why.reason;
    b->measured += !row->why.reason;
    if (b->count == BATCH)
        finish_batch(p, data, b);
}

static void measure_chosen(struct probe *p, const struct area *data, struct batch *b)
{
    struct form_draw draw = form_draw_start(
        p, (size_t)probe_scale(p, SMOKE_FORMS, QUICK_FORMS, (double)form_count, (double)form_count));

    for (const struct form *f; probe_goes_on(p) && (f = form_draw_next(&draw));)
        add_form(p, data, b, f);
    if (b->count)
        finish_batch(p, data, b);
}

static void run(struct probe *p)
{
    struct batch *b = calloc(1, sizeof *b);
    struct area data;
    char line[LINE];

    if (!b) {
        probe_skip(p, "out of memory for the table");
        return;
    }
    if (probe_map(p, &data, INSTRUCTION_DATA_BYTES, 0))
        measure_chosen(p, &data, b);
    snprintf(line, sizeof line, "  instructions: %u forms measured, %u absent, %u not measured, of %zu\n", b->measured,
             b->absent, b->unmeasured, form_count);
    machine_print(line);
    free(b);
}

PROBE(instructions, .title = "Instructions", .family = "backend", .run = run, .findings = FINDINGS({0}));
