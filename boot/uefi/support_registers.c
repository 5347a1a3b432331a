#include "boot/uefi/support_registers.h"

#include "arch/support.h"
#include "lib/probe/table.h"
#include "lib/run/stage.h"

/* Begins a record of registers: a row for each, with null as the value of one whose read faulted. */
static void begin(struct record *r, struct writer *w, const char *group)
{
    record_start(r, w, "registers");
    record_core(r);
    record_text(r, "group", group);
    RECORD_COLUMNS(r, "name", "id", "value");
}

static void add(struct record *r, const struct access *a, const char *name, uint32_t id)
{
    uint64_t value;

    record_array(r, NULL);
    record_text(r, NULL, name);
    record_hex(r, NULL, id);
    if (a->read(a->context, id, &value))
        record_hex(r, NULL, value);
    else
        record_null(r, NULL);
    record_close(r);
}

static void end(struct record *r)
{
    record_close(r);
    record_send(r);
}

void support_send_groups(struct writer *w, const struct access *a)
{
    struct support_group groups[SUPPORT_GROUPS];
    const size_t count = support_groups(a, groups);
    struct record r;

    for (size_t i = 0; i < count; i++) {
        const char *why = stage_begin(groups[i].stage, groups[i].text);
        begin(&r, w, groups[i].stage);
        for (size_t j = 0; j < groups[i].count && !why; j++)
            add(&r, a, groups[i].list[j].name, groups[i].list[j].id);
        if (why) {
            record_close(&r);
            record_text(&r, "left_out", why);
            record_send(&r);
        } else {
            end(&r);
        }
    }
}

void support_send_switches(struct writer *w, const struct control *c)
{
    struct record r;

    begin(&r, w, "switches");
    for (size_t i = 0; i < c->switch_count; i++) {
        const struct control_switch *s = &c->switches[i];
        bool again = s->why_not != NULL; /* control_start tried to read it, and it cannot be */

        for (size_t j = 0; j < i && !again; j++)
            again = c->switches[j].id == s->id;
        if (!again)
            add(&r, c->changes.access, s->register_name, s->id);
    }
    end(&r);
}
