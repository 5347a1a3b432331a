#include "lib/structure/instruction_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"

enum {
    ROWS_OF_A_RECORD = 8,
    BRIDGE_NAMES = 160 /* bytes of the names of all bridges of a chain */
};

const char *const instruction_events[INSTRUCTION_EVENTS] = {
    "ops_issued",        "ops_issued_int",    "ops_issued_load",   "ops_issued_store",
    "ops_issued_memory", "ops_issued_vector", "ops_issued_branch", "ops_retired"};

void instruction_start(struct instruction *row, const struct form *f)
{
    *row = (struct instruction){.form = f};
    instruction_rounds_start(&row->throughput);
    for (unsigned i = 0; i < INSTRUCTION_EVENTS; i++)
        row->events[i] = (double)NAN;
}

/* By kernels of n and 2n instances, so that the events of the loop come off. */
void instruction_count_events(struct probe *p, const struct area *data, struct instruction *row)
{
    const unsigned n = instruction_instances(p);
    struct form_kernel w = {.form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = n};
    double once[INSTRUCTION_EVENTS], twice;
    struct kernel k;

    if (probe_is_smoke(p) || machine_counters()->why_not || form_kernel_make(p, &w, data->at, &k))
        return;
    for (unsigned i = 0; i < INSTRUCTION_EVENTS; i++)
        if (!probe_count(p, &k, instruction_events[i], &once[i]))
            return;
    w.instances = 2 * n;
    if (form_kernel_make(p, &w, data->at, &k))
        return;
    for (unsigned i = 0; i < INSTRUCTION_EVENTS; i++) {
        if (!probe_count(p, &k, instruction_events[i], &twice))
            return;
        row->events[i] = 2 * twice - once[i];
    }
}

/* ---- The record ----------------------------------------------------------------------------------- */

/* "0:general": the operand's number first, since a form may have several operands of one kind. */
static void send_operand(struct record *r, const struct form *f, unsigned i)
{
    char text[32];

    snprintf(text, sizeof text, "%u:%s", i, operand_kind_names[form_operand(f, i)->kind]);
    record_text(r, NULL, text);
}

static void send_bytes(struct record *r, const uint8_t *bytes, unsigned count)
{
    char text[2 * FORM_PERIOD_BYTES + 1] = "";

    for (unsigned i = 0; i < count; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", bytes[i]);
    record_text(r, NULL, text);
}

/* Null where there is no text. */
static void send_optional(struct record *r, const char *text)
{
    if (text)
        record_text(r, NULL, text);
    else
        record_null(r, NULL);
}

/* A name and a number; nothing where there is no number. */
static void send_pair(struct record *r, const char *name, double value)
{
    if (isnan(value))
        return;
    record_array(r, NULL);
    record_text(r, NULL, name);
    record_number(r, NULL, rounded(value));
    record_close(r);
}

/* Names of bridges, with "; " between them; null where there is none. */
static void send_bridges(struct record *r, const struct instruction_chain *c)
{
    char text[BRIDGE_NAMES] = "";

    for (unsigned i = 0; i < c->bridge_count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? "; " : "", c->bridges[i]->name);
    }
    send_optional(r, c->bridge_count ? text : NULL);
}

static void send_chain(struct record *r, const struct form *f, const struct instruction_chain *c)
{
    record_array(r, NULL);
    send_operand(r, f, c->from);
    send_operand(r, f, c->to);
    record_text(r, NULL, c->is_bound ? "<=" : "=");
    record_number(r, NULL, rounded(instruction_latency(c)));
    record_boolean(r, NULL, instruction_is_whole(c->cycles));
    send_optional(r, instruction_why_text(instruction_chain_remark(c)));
    record_number(r, NULL, rounded(c->raw));
    send_bridges(r, c);
    send_bytes(r, c->bytes, c->period);
    record_number(r, NULL, rounded(c->second));
    record_close(r);
}

static void send_row(struct record *r, const struct instruction *row)
{
    const struct instruction_rounds *t = &row->throughput;
    const bool is_measured = !row->why.reason;
    struct why why = row->why;

    if (is_measured && isnan(t->best.cycles))
        why.reason = REASON_DEPENDS_ON_LENGTH;
    record_array(r, NULL);
    record_text(r, NULL, form_name(row->form));
    record_text(r, NULL, form_feature(row->form));
    record_text(r, NULL, form_class_names[row->form->class]);
    record_text(r, NULL, row->is_absent ? "absent" : is_measured ? "measured" : "not-measured");
    send_optional(r, instruction_why_text(why));
    record_text(r, NULL, t->best.is_bound ? "<=" : "=");
    record_number(r, NULL, rounded(t->best.cycles));
    record_number(r, NULL, rounded(t->best.once));
    record_number(r, NULL, rounded(t->best.twice));
    record_array(r, NULL);
    for (unsigned i = 0; i < row->latency.count; i++)
        send_chain(r, row->form, &row->latency.chain[i]);
    record_close(r);
    record_array(r, NULL);
    for (unsigned i = 0; i < FORM_VALUES; i++)
        send_pair(r, form_values_names[i], instruction_variant_cycles(t, VARIANT_VALUES + i));
    record_close(r);
    record_number(r, NULL, rounded(instruction_variant_cycles(t, VARIANT_ONE_REGISTER)));
    record_number(r, NULL, rounded(instruction_variant_cycles(t, VARIANT_ONE_REGISTER_CHAIN)));
    send_bytes(r, row->bytes, is_measured ? row->form->length : 0);
    record_number(r, NULL, rounded(instruction_variant_cycles(t, VARIANT_FEW_NOPS)));
    record_number(r, NULL, rounded(instruction_variant_cycles(t, VARIANT_MANY_NOPS)));
    record_array(r, NULL);
    for (unsigned i = 0; i < INSTRUCTION_EVENTS; i++)
        send_pair(r, instruction_events[i], row->events[i]);
    record_close(r);
    record_close(r);
}

static void send_record(struct probe *p, const struct instruction *rows, size_t count)
{
    struct record r;

    record_table(p, &r, "backend.instruction");
    record_boolean(&r, "trusted", p->run->trusted);
    record_text(&r, "unit", "cycles/instruction");
    RECORD_COLUMNS(&r, "form", "feature", "class", "state", "reason", "relation", "cycles", "kernel_n_cycles",
                   "kernel_2n_cycles", "latencies", "values", "same_register_cycles", "same_register_chain_cycles",
                   "bytes", "few_nops_cycles", "many_nops_cycles", "operations");
    for (size_t i = 0; i < count; i++)
        send_row(&r, &rows[i]);
    record_close(&r);
    record_send(&r);
}

void instruction_table_send(struct probe *p, const struct instruction *rows, size_t count)
{
    for (size_t i = 0; i < count; i += ROWS_OF_A_RECORD)
        send_record(p, &rows[i], count - i < ROWS_OF_A_RECORD ? count - i : ROWS_OF_A_RECORD);
}
