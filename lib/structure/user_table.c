#include "lib/structure/user_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/probe/count.h"
#include "lib/probe/table.h"

enum { LINE = 240, EVENTS_AT_MOST = 32, SWITCH_SAMPLES = 3, BYTES_SHOWN = 64, BOUNDS_SHOWN = 5 };

/* ---- The table, and how it ended ------------------------------------------------------------------ */

static const char *outcome(const struct user_end *end)
{
    return end->breaks ? "breaks-harness"
                       : outcome_names[end->end == WINDOW_FAULT     ? OUTCOME_FAULT
                                       : end->end == WINDOW_TIMEOUT ? OUTCOME_TIMEOUT
                                                                    : OUTCOME_OK];
}

static void send_rows(struct record *r, const char *way, const struct user_cycles *cycles, size_t count, double hz)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(cycles[i].cycles))
            continue;
        record_array(r, NULL);
        record_text(r, NULL, way);
        record_integer(r, NULL, i);
        record_number(r, NULL, rounded(cycles[i].cycles));
        record_number(r, NULL, rounded(cycles[i].least));
        record_number(r, NULL, rounded(cycles[i].most));
        record_number(r, NULL, rounded(cycles[i].cycles / hz * 1e9));
        record_close(r);
    }
}

void user_table_send(struct probe *p, const struct user_kernel *k, const struct user_cost *c)
{
    char bytes[2 * BYTES_SHOWN + 1] = "";
    struct record r;

    for (size_t i = 0; i < k->code_bytes && i < BYTES_SHOWN; i++)
        snprintf(bytes + 2 * i, 3, "%02x", k->code[i]);
    record_table(p, &r, "kernel");
    record_text(&r, "kernel", k->name);
    record_text(&r, "file", k->from);
    record_integer(&r, "line", k->line);
    record_text(&r, "code", bytes);
    record_integer(&r, "bytes", k->code_bytes);
    record_integer(&r, "copies", c->copies);
    record_text(&r, "outcome", outcome(&c->end));
    if (c->end.breaks)
        record_text(&r, "breaks", c->end.breaks);
    if (c->end.end == WINDOW_FAULT) {
        record_text(&r, "vector", c->end.fault.vector);
        record_hex(&r, "syndrome", c->end.fault.syndrome);
        record_hex(&r, "address", c->end.fault.address);
        record_hex(&r, "pc", c->end.fault.pc);
    }
    if (c->end.where) {
        record_text(&r, "where", c->end.where);
        record_integer(&r, "offset", c->end.offset);
    }
    RECORD_COLUMNS(&r, "way", "layout", "cycles", "least", "most", "ns");
    send_rows(&r, "unrolled", c->unrolled, USER_LAYOUTS, c->hz);
    send_rows(&r, "loop", c->loop, USER_LAYOUTS, c->hz);
    send_rows(&r, "cold", &c->cold, 1, c->hz);
    record_close(&r);
    record_send(&r);
}

void user_end_print(const struct user_kernel *k, const struct user_end *end)
{
    char line[LINE], place[64] = "";

    if (end->where && (!strcmp(end->where, "code") || !strcmp(end->where, "init")))
        snprintf(place, sizeof place, " at byte %llu of its %s", (unsigned long long)end->offset, end->where);
    else if (end->where && !strcmp(end->where, "harness"))
        snprintf(place, sizeof place, " where a return, or a jump, has left the code");
    else if (end->where)
        snprintf(place, sizeof place, " at 0x%llx, outside its code", (unsigned long long)end->fault.pc);
    if (end->breaks)
        snprintf(line, sizeof line, "    %s: %s; it was not measured\n", k->name, end->breaks);
    else if (end->end == WINDOW_TIMEOUT)
        snprintf(line, sizeof line, "    %s: did not end before the deadline; it was%s\n", k->name, place);
    else
        snprintf(line, sizeof line, "    %s: %s%s, address 0x%llx\n", k->name, end->fault.vector, place,
                 (unsigned long long)end->fault.address);
    machine_print(line);
}

void user_limits_send(struct probe *p, const struct user_kernel *k, const struct user_limits *l)
{
    struct record r;

    record_table(p, &r, "kernel_limits");
    record_text(&r, "kernel", k->name);
    record_number(&r, "cycles", rounded(l->cycles));
    if (l->not_tried)
        record_text(&r, "not_tried", l->not_tried);
    RECORD_COLUMNS(&r, "changed", "register", "added", "cycles", "expected", "limits");
    for (size_t i = 0; i < l->count; i++) {
        const struct user_trial *t = &l->trials[i];
        record_array(&r, NULL);
        record_text(&r, NULL, t->what);
        if (!strcmp(t->what, "register"))
            record_text(&r, NULL, harness_register_name(t->which));
        else if (!strcmp(t->what, "vector"))
            record_integer(&r, NULL, t->which);
        else if (!strcmp(t->what, "memory") || !strcmp(t->what, "stack") || !strcmp(t->what, "instruction"))
            record_number(&r, NULL, (double)t->offset);
        else
            record_null(&r, NULL);
        record_integer(&r, NULL, t->count);
        record_number(&r, NULL, rounded(t->cycles));
        record_number(&r, NULL, rounded(t->expected));
        record_boolean(&r, NULL, t->limits);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- The model ------------------------------------------------------------------------------------ */

static const char *form_of(const struct user_model *m, size_t index)
{
    const struct form_use *u = &m->use[index];

    return u->form ? form_name(u->form) : "";
}

void user_chain_text(const struct user_model *m, char *text, size_t room)
{
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < m->chain_count && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%u %s", i ? "; " : "", m->at[m->chain[i]],
                                 form_of(m, m->chain[i]));
}

static void print_bounds(const struct user_model *m)
{
    char line[LINE];

    for (size_t i = 0; i < m->bound_count && i < BOUNDS_SHOWN; i++) {
        const struct model_bound *b = &m->bounds[i];
        snprintf(line, sizeof line, "    %-11s %8.2f cycles  %s\n", b->limit, b->cycles, b->of ? b->of : "");
        machine_print(line);
    }
}

void user_model_send(struct probe *p, const struct user_kernel *k, const struct user_model *m, double measured)
{
    struct record r;

    record_table(p, &r, "kernel_model");
    record_text(&r, "kernel", k->name);
    record_number(&r, "measured", rounded(measured));
    record_number(&r, "predicted", rounded(m->cycles));
    if (m->why) {
        record_text(&r, "reason", m->why);
        record_integer(&r, "offset", m->offset);
    }
    record_array(&r, "chain");
    for (size_t i = 0; i < m->chain_count; i++) {
        record_array(&r, NULL);
        record_integer(&r, NULL, m->at[m->chain[i]]);
        record_text(&r, NULL, form_of(m, m->chain[i]));
        record_close(&r);
    }
    record_close(&r);
    RECORD_COLUMNS(&r, "limit", "of", "cycles");
    for (size_t i = 0; i < m->bound_count; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, m->bounds[i].limit);
        record_text(&r, NULL, m->bounds[i].of ? m->bounds[i].of : "");
        record_number(&r, NULL, rounded(m->bounds[i].cycles));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
    print_bounds(m);
}

/* ---- Events and prefetchers ----------------------------------------------------------------------- */

bool user_events_count(struct probe *p, struct user_place *w, struct user_cost *c)
{
    static struct event events[EVENTS_AT_MOST];
    static struct count counts[EVENTS_AT_MOST];
    const struct user_kernel *k = w->kernel;
    const struct counters *have = machine_counters();
    const struct count_options options = {
        .iterations = 20, .warmup = 3, .repetitions = (unsigned)probe_scale(p, 3, 10, 20, 100)};
    struct user_variant v = {.copies = c->copies};
    struct kernel kernel;
    struct record r;

    if (!k->events[0])
        return true;
    record_table(p, &r, "kernel_events");
    record_text(&r, "kernel", k->name);
    if (have->why_not) {
        record_text(&r, "reason", have->why_not);
        record_array(&r, "rows");
        record_close(&r);
        record_send(&r);
        machine_print("    no events: ");
        machine_print(have->why_not);
        machine_print("\n");
        return true;
    }
    const size_t count = probe_find_events(p, k->events, true, events, EVENTS_AT_MOST);
    if (!user_code_make(p, w, &v, &kernel))
        return false;
    const struct window_result result = count_kernel(&kernel, events, count, &options, counts);
    c->end.end = result.end;
    c->end.fault = result.fault;
    record_array(&r, "rows");
    for (size_t i = 0; i < count && result.end == WINDOW_RAN; i++) {
        count_send_row(&r, &events[i], &counts[i]);
        count_print_row(&events[i], &counts[i]);
    }
    record_close(&r);
    record_send(&r);
    return true;
}

bool user_prefetchers_switch(struct probe *p, struct user_place *w, struct user_cost *c)
{
    const char *why_not = NULL;
    struct control *control = machine_control(&why_not);
    const struct user_variant v = {.copies = c->copies};
    struct user_cycles cycles;
    struct record r;
    char text[160];

    if (!w->kernel->each_prefetcher)
        return true;
    record_table(p, &r, "kernel_prefetchers");
    record_text(&r, "kernel", w->kernel->name);
    if (!control || !control->switch_count)
        record_text(&r, "reason", control ? control->no_switches : why_not);
    RECORD_COLUMNS(&r, "turned", "cycles", "reason");
    for (size_t i = 0; control && control->switch_count && i <= control->switch_count + 1; i++) {
        const size_t mark = control->changes.count, all = control->switch_count;
        const char *why = i == 0     ? NULL
                          : i <= all ? control_switch(control, i - 1, !control->switches[i - 1].is_off)
                                     : control_prefetch(control, "off", text, sizeof text);
        cycles.cycles = NAN;
        if (!why && !user_measure(p, w, &v, SWITCH_SAMPLES, &c->end, &cycles))
            return false;
        if (!changes_restore(&control->changes, mark))
            return probe_skip(p, "a prefetcher switch does not go back to what it was");
        record_array(&r, NULL);
        record_text(&r, NULL, i == 0 ? "" : i <= all ? control->switches[i - 1].name : "all");
        record_number(&r, NULL, rounded(cycles.cycles));
        record_text(&r, NULL, why);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
    return true;
}
