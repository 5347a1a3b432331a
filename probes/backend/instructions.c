/*
 * Instructions: what does each form of the catalogue cost?
 *
 * Each form is executed once, where a fault has a way back: a core that lacks it says so. Then
 *
 *   throughput   many instances that do not depend on each other: what they write goes through all registers in turn, and
 *                what they only read is never written. Cycles of one instance, from kernels of n and 2n, so that the loop
 *                around them comes off; where these differ by more than a loop costs, the smaller one is a bound
 *   latency      for each operand that is read and each that is written, of one kind, a chain: each instance reads what
 *                the one before wrote. Where the registers can be chosen, what is written turns all the same, so that no
 *                other operand that is both read and written makes a chain of every instance, and two operands are never
 *                the same register, which some cores take for a zero
 *
 * Where something else may be what limits a chain it is told as a bound, "<=": a form that takes as long as independent
 * instances do; one whose registers are fixed, and that depends on itself through another operand as well. Where
 * instances depend on each other whatever one does (flags that are read and written, fixed registers, memory that is), the
 * throughput is a bound too. Chains from one kind of operand to another, and through memory, are not measured yet; nor are
 * forms of the x87 stack, and gathers.
 *
 * All values are 1 (lib/kernels/forms.h): quotients are exact, and small.
 *
 * Latencies are rows of: operand read, operand written, relation, cycles, whether that is a whole number (where it is not,
 * something disturbed the chain, or the core does not take the same way each time), and why there is no number.
 *
 * Records: `table`, some forms a record, with the bytes of an instance and both raw throughputs. No finding: there would
 * be thousands.
 *
 * Method: Fog, Instruction tables; Abel and Reineke 2019, uops.info: Characterizing Latency, Throughput, and Port Usage
 * of Instructions on Intel Microarchitectures.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/forms.h"

enum { INSTANCES = 48, SMOKE_INSTANCES = 12, DATA_BYTES = 4096, CHAINS = 8, ROWS = 16, SAMPLES = 5, TEXT = 160 };

/* What disturbs a kernel makes it longer; but its yardsticks may have been disturbed, too. */
static const double SAMPLES_QUANTILE = 0.2;
/* What the loop around instances costs is a smaller part of them. */
static const double STEADY_PART = 0.06;
/* A chain is what limits its instances where they take so much longer than independent ones. */
static const double LIMITS_PART = 0.1;
/* Latencies are whole numbers of cycles, to this part of them and so much. */
static const double WHOLE_PART = 0.01, WHOLE_CYCLES = 0.04;

struct chain {
    unsigned from, to;
    double cycles;
    bool is_bound;
    const char *reason; /* why it was not measured */
};

struct row {
    const struct form *form;
    const char *absent, *reason; /* why it cannot be executed; why it is not measured */
    double cycles, once, twice;  /* of an instance: without the loop, and with it in kernels of n and 2n */
    bool is_bound;
    struct chain chains[CHAINS];
    unsigned chain_count;
    uint8_t bytes[FORM_BYTES];
};

struct table {
    struct row rows[ROWS];
    size_t count;
    unsigned measured, absent, unmeasured;
};

/* NULL, or why it can't be told. */
static const char *measure(struct probe *p, const struct area *data, struct form_kernel *w, double *cycles)
{
    const unsigned samples = (unsigned)probe_smoke(p, 1, SAMPLES);
    double y[SAMPLES];
    size_t count = 0;
    struct kernel k;
    struct point pt;

    *cycles = (double)NAN;
    const char *why = form_kernel(p, w, data->at, &k);
    for (unsigned i = 0; i < samples && !why; i++) {
        const struct window_result result = meter_measure(&p->run->meter, &k, &pt);
        if (result.end != WINDOW_RAN)
            why = result.end == WINDOW_TIMEOUT ? "timeout" : result.fault.vector;
        else if (!isnan(pt.q20))
            y[count++] = pt.q20;
    }
    if (why)
        return why;
    sort_numbers(y, count);
    *cycles = quantile(y, count, SAMPLES_QUANTILE);
    return count ? NULL : "not-steady";
}

/* Once, alone. An undefined instruction that is the form's own is one that the core lacks. */
static bool is_there(struct probe *p, const struct area *data, struct row *row)
{
    struct form_kernel w = {.form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = 1};
    struct kernel k;

    if (form_is_another(row->form))
        row->absent = "another-instruction";
    else
        row->reason = form_kernel(p, &w, data->at, &k);
    if (row->absent || row->reason)
        return false;
    memcpy(row->bytes, w.bytes, sizeof row->bytes);
    struct reading r = {.kernel = k.entry, .argument = {1, k.data}};
    const struct window_result result = machine_window(&r, 1);
    if (result.end == WINDOW_RAN)
        return true;
    const uint64_t at = k.entry + w.first;
    if (result.end == WINDOW_FAULT && !strcmp(result.fault.vector, "undefined-instruction") && result.fault.pc == at)
        row->absent = result.fault.vector;
    else
        row->reason = result.end == WINDOW_TIMEOUT ? "timeout" : result.fault.vector;
    return false;
}

static void measure_throughput(struct probe *p, const struct area *data, struct row *row)
{
    const unsigned n = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
    struct form_kernel w = {.form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = n};

    row->reason = measure(p, data, &w, &row->once);
    w.instances = 2 * n;
    if (!row->reason)
        row->reason = measure(p, data, &w, &row->twice);
    if (row->reason)
        return;
    const bool steady = fabs(row->once - row->twice) <= STEADY_PART * row->twice;
    row->cycles = steady ? 2 * row->twice - row->once : fmin(row->once, row->twice);
    row->is_bound = !steady || form_is_chained(row->form);
}

static void measure_chain(struct probe *p, const struct area *data, struct row *row, unsigned from, unsigned to)
{
    struct form_kernel w = {.form = row->form, .from = from, .to = to};
    struct chain *c = &row->chains[row->chain_count];
    double other = row->cycles;

    w.instances = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
    row->chain_count++;
    *c = (struct chain){.from = from, .to = to};
    c->reason = measure(p, data, &w, &c->cycles);
    for (unsigned i = 0; i < row->chain_count && !form_chain_turns(row->form, from, to); i++)
        if (from != to && row->chains[i].from == to && row->chains[i].to == to) /* goes on beside it */
            other = fmax(other, row->chains[i].cycles);
    c->is_bound = !(c->cycles > other * (1 + LIMITS_PART));
}

/* What an operand that is both takes by itself comes first: chains that cannot turn are held against it. */
static void measure_chains(struct probe *p, const struct area *data, struct row *row)
{
    const struct form *f = row->form;

    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned from = 0; from < f->operand_count; from++)
            for (unsigned to = 0; to < f->operand_count; to++)
                if ((from == to) == (pass == 0) && form_can_chain(f, from, to) && row->chain_count < CHAINS)
                    measure_chain(p, data, row, from, to);
}

static void measure_form(struct probe *p, const struct area *data, struct row *row)
{
    row->cycles = row->once = row->twice = (double)NAN;
    row->reason = form_unmeasured(row->form);
    if (row->reason)
        return;
    form_prepare(row->form, data->write);
    if (!is_there(p, data, row))
        return;
    measure_throughput(p, data, row);
    if (!row->reason)
        measure_chains(p, data, row);
}

/* ---- The table ------------------------------------------------------------------------------------ */

/* "0:general"; its place, since a form may have several operands of a kind. */
static void send_operand(struct record *r, const struct form *f, unsigned i)
{
    char text[32];

    snprintf(text, sizeof text, "%u:%s", i, operand_kind_names[form_operand(f, i)->kind]);
    record_text(r, NULL, text);
}

static void send_bytes(struct record *r, const struct row *row)
{
    char text[2 * FORM_BYTES + 1] = "";

    for (unsigned i = 0; i < row->form->length && !row->reason && !row->absent; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", row->bytes[i]);
    record_text(r, NULL, text);
}

static void send_optional(struct record *r, const char *text)
{
    if (text)
        record_text(r, NULL, text);
    else
        record_null(r, NULL);
}

static void send_row(struct record *r, const struct row *row)
{
    record_array(r, NULL);
    record_text(r, NULL, form_name(row->form));
    record_text(r, NULL, form_feature(row->form));
    record_text(r, NULL, form_class_names[row->form->class]);
    record_text(r, NULL, row->absent ? "absent" : row->reason ? "not-measured" : "measured");
    send_optional(r, row->absent ? row->absent : row->reason);
    record_text(r, NULL, row->is_bound ? "<=" : "=");
    record_number(r, NULL, rounded(row->cycles));
    record_number(r, NULL, rounded(row->once));
    record_number(r, NULL, rounded(row->twice));
    record_array(r, NULL);
    for (unsigned i = 0; i < row->chain_count; i++) {
        const struct chain *c = &row->chains[i];
        const double whole = floor(c->cycles + 0.5);
        record_array(r, NULL);
        send_operand(r, row->form, c->from);
        send_operand(r, row->form, c->to);
        record_text(r, NULL, c->is_bound ? "<=" : "=");
        record_number(r, NULL, rounded(c->cycles));
        record_boolean(r, NULL, whole > 0 && fabs(c->cycles - whole) <= fmax(WHOLE_CYCLES, WHOLE_PART * c->cycles));
        send_optional(r, c->reason);
        record_close(r);
    }
    record_close(r);
    send_bytes(r, row);
    record_close(r);
}

static void send_table(struct probe *p, struct table *t)
{
    static const char *const columns[] = {
        "form",      "feature", "class", "state", "reason", "relation", "cycles", "kernel_n_cycles", "kernel_2n_cycles",
        "latencies", "bytes"};
    struct record r;

    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", "backend.instruction");
    record_core(&r);
    record_boolean(&r, "trusted", p->run->trusted);
    record_text(&r, "unit", "cycles/instruction");
    record_array(&r, "columns");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        record_text(&r, NULL, columns[i]);
    record_close(&r);
    record_array(&r, "rows");
    for (size_t i = 0; i < t->count; i++)
        send_row(&r, &t->rows[i]);
    record_close(&r);
    record_send(&r);
    t->count = 0;
}

static void add_form(struct probe *p, const struct area *data, struct table *t, const struct form *f)
{
    struct row *row = &t->rows[t->count++];

    *row = (struct row){.form = f};
    measure_form(p, data, row);
    t->absent += row->absent != NULL;
    t->unmeasured += !row->absent && row->reason;
    t->measured += !row->absent && !row->reason;
    if (t->count == ROWS)
        send_table(p, t);
}

static void run(struct probe *p)
{
    const size_t wanted = (size_t)probe_scale(p, 16, 200, (double)form_count, (double)form_count);
    struct table *t = calloc(1, sizeof *t);
    struct area data;
    size_t left = wanted < form_count ? wanted : form_count;
    char line[TEXT];

    if (!t) {
        probe_skip(p, "out of memory for the table");
        return;
    }
    /* each form is drawn with the chance that as many as are wanted are drawn of those that are left */
    if (probe_map(p, &data, DATA_BYTES, 0))
        for (size_t i = 0; i < form_count && left > 0 && p->outcome == OUTCOME_OK; i++)
            if (random_below(&p->random, form_count - i) < left) {
                left--;
                add_form(p, &data, t, &forms[i]);
            }
    if (t->count)
        send_table(p, t);
    snprintf(line, sizeof line, "  instructions: %u forms measured, %u absent, %u not measured, of %zu\n", t->measured,
             t->absent, t->unmeasured, form_count);
    machine_print(line);
    free(t);
}

PROBE(instructions, .title = "Instructions", .family = "backend", .run = run, .findings = FINDINGS({0}));
