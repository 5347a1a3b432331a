#include "lib/counters/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counters/events/table.h"

/* Bounds of the section into which EVENT_FAMILY puts its pointers; the linker makes them where there is one. */
extern const struct event_family *const __start_event_families[] __attribute__((weak, visibility("hidden")));
extern const struct event_family *const __stop_event_families[] __attribute__((weak, visibility("hidden")));

/* Selector bits that change what an x86 event counts: cmask 31:24, inv 23, edge 18 (SDM vol. 3B, 20.2.1.1). */
enum { CMASK_SHIFT = 24, INVERT = 1 << 23, EDGE = 1 << 18 };

/* ---- Cores --------------------------------------------------------------------------------------- */

static const struct event_family *const *families(size_t *count)
{
    *count = __start_event_families ? (size_t)(__stop_event_families - __start_event_families) : 0;
    return __start_event_families;
}

const struct event_core *events_core(const char *core_name)
{
    size_t count;
    const struct event_family *const *list = families(&count);

    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < list[f]->count; i++)
            if (!strcmp(list[f]->cores[i].name, core_name))
                return &list[f]->cores[i];
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t events_cores(const char *names[], size_t room)
{
    size_t count, used = 0;
    const struct event_family *const *list = families(&count);

    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < list[f]->count && used < room; i++)
            names[used++] = list[f]->cores[i].name;
    if (used)
        qsort(names, used, sizeof *names, compare_names);
    return used;
}

const char *events_name(const struct event_core *core)
{
    return core->name;
}

enum counters_kind events_kind(const struct event_core *core)
{
    return core->kind;
}

uint64_t events_slots(const struct event_core *core)
{
    return core->slots;
}

const char *events_source(const struct event_core *core)
{
    return core->source;
}

const struct event_core *events_unknown(enum counters_kind kind)
{
    size_t count;
    const struct event_family *const *list = families(&count);

    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < 2; i++)
            if (list[f]->unknown[i] && list[f]->unknown[i]->kind == kind)
                return list[f]->unknown[i];
    return NULL;
}

/* ---- The rows of a core, wherever they come from -------------------------------------------------- */

static bool packed_row(const struct event_core *core, size_t i, struct event_row *out)
{
    size_t count;
    const struct event_family *const *list = families(&count);

    for (size_t f = 0; core->packed && f < count; f++) {
        const struct packed_events *packed = list[f]->packed;
        for (const struct packed_table *t = packed ? packed->tables : NULL; t && t->name; t++) {
            if (strcmp(t->name, core->packed) != 0)
                continue;
            if (i >= t->count)
                return false;
            const struct packed_event *e = &packed->events[t->first + i];
            out->name = packed->names + e->name;
            out->code = e->code | (uint64_t)e->code_32 << 32 | (uint64_t)e->code_40 << 40;
            out->register_value = packed->values[e->register_value];
            return true;
        }
    }
    return false;
}

/* The i-th event: our own rows, then libpfm4's. */
static bool row_at(const struct event_core *core, size_t i, struct event_row *out)
{
    for (size_t list = 0; list < sizeof core->rows / sizeof core->rows[0]; list++) {
        for (const struct event_row *row = core->rows[list]; row && row->name; row++) {
            if (row->code < 64 && core->lacks >> row->code & 1)
                continue;
            if (i-- == 0) {
                *out = *row;
                return true;
            }
        }
    }
    return packed_row(core, i, out);
}

static bool row_named(const struct event_core *core, const char *name, struct event_row *out)
{
    for (size_t i = 0; row_at(core, i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

/* The first event with that code that needs no register besides. */
static bool row_coded(const struct event_core *core, uint64_t code, struct event_row *out)
{
    for (size_t i = 0; row_at(core, i, out); i++)
        if (out->code == code && !out->register_value)
            return true;
    return false;
}

static const struct event_need *need_at(const struct event_core *core, size_t i)
{
    for (size_t list = 0; list < sizeof core->needs / sizeof core->needs[0]; list++)
        for (const struct event_need *n = core->needs[list]; n && n->need; n++)
            if (i-- == 0)
                return n;
    return NULL;
}

static const struct event_need *need_named(const struct event_core *core, const char *name)
{
    const struct event_need *n;
    for (size_t i = 0; (n = need_at(core, i)); i++)
        if (!strcmp(n->need, name))
            break;
    return n;
}

/* ---- What counters an event needs ------------------------------------------------------------------ */

static bool is_x86(const struct event_core *core)
{
    return core->kind == COUNTERS_INTEL || core->kind == COUNTERS_AMD;
}

static unsigned event_number(const struct event_core *core, uint64_t code)
{
    if (core->kind == COUNTERS_AMD) /* bits 11:8 are in 35:32: APM vol. 2, 13.2.1 */
        return (unsigned)(code & 0xff) | (unsigned)(code >> 24 & 0xf00);
    return (unsigned)(code & (core->kind == COUNTERS_INTEL ? 0xff : 0xffff));
}

static unsigned unit_mask(const struct event_core *core, uint64_t code)
{
    return is_x86(core) ? (unsigned)(code >> 8 & 0xff) : 0;
}

/* Nothing but event and unit mask: what a fixed counter counts. */
static bool is_plain(const struct event_core *core, uint64_t code)
{
    return !is_x86(core) || code >> 16 == 0;
}

static void set_demand(const struct event_core *core, struct event *e)
{
    unsigned number = event_number(core, e->code), umask = unit_mask(core, e->code);
    const struct event_rule *rule = core->rules;

    while (!(rule->first <= number && number <= rule->last && (rule->umask == ANY_UMASK || rule->umask == umask)))
        rule++;
    e->demand.slots = rule->slots;
    for (const struct event_fixed *f = core->fixed; f && f->slot; f++)
        if (f->event == number && f->umask == umask && is_plain(core, e->code))
            e->demand.slots = (f->only ? 0 : e->demand.slots) | f->slot;
    e->demand.slots &= core->most;

    e->demand.width = core->wide && core->wide == number ? 2 : 1;

    e->second_code = e->code;
    for (const struct event_register *r = core->registers; r && r->resource[0]; r++) {
        if (r->event != number || r->umask != umask)
            continue;
        e->demand.resource[0] = r->resource[0];
        e->demand.resource[1] = r->resource[1];
        if (r->second_code)
            e->second_code = (e->code & ~(uint64_t)0xffff) | r->second_code;
    }
    if (!e->demand.resource[0])
        e->demand.value = 0;
}

/* ---- Looking up ------------------------------------------------------------------------------------ */

/* How many letters differ, at least (Levenshtein 1966). */
static unsigned distance(const char *a, const char *b)
{
    unsigned char row[EVENT_NAME + 1];
    size_t length = strlen(b);

    if (length > EVENT_NAME)
        length = EVENT_NAME;
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned char)j;
    for (size_t i = 1; a[i - 1] && i < 200; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned char)i;
        for (size_t j = 1; j <= length; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            best = row[j] + 1U < best ? row[j] + 1U : best;
            best = row[j - 1] + 1U < best ? row[j - 1] + 1U : best;
            diagonal = row[j];
            row[j] = (unsigned char)best;
        }
    }
    return row[length];
}

/* Appends similar names to `why`, the most similar first; one that contains `name` counts as much more similar. */
static void tell_near_names(const struct event_core *core, const char *name, char *why, size_t room)
{
    enum { NEAR = 4 };
    const char *near[NEAR] = {NULL};
    unsigned score[NEAR] = {0};
    const struct event_need *n;
    struct event_row row;
    size_t needs = 0;

    for (size_t i = 0; (n = need_at(core, i)) || row_at(core, i - needs, &row); i++) {
        const char *other = n ? n->need : row.name;
        needs += n != NULL;
        unsigned s = strstr(other, name) ? (unsigned)(strlen(other) - strlen(name)) / 4 : distance(name, other);
        if (s > strlen(name) / 3 + 2)
            continue;
        for (size_t k = 0; k < NEAR; k++) {
            if (near[k] && score[k] <= s)
                continue;
            memmove(&near[k + 1], &near[k], (NEAR - 1 - k) * sizeof near[0]);
            memmove(&score[k + 1], &score[k], (NEAR - 1 - k) * sizeof score[0]);
            near[k] = other;
            score[k] = s;
            break;
        }
    }
    for (size_t k = 0; k < NEAR && near[k]; k++) {
        size_t used = strlen(why);
        snprintf(why + used, room - used, "%s%s", k ? ", " : "; near it: ", near[k]);
    }
}

static bool parse_hex(const char *digits, uint64_t *value)
{
    size_t length = strspn(digits, "0123456789abcdef");
    if (!length || digits[length] || length > 16)
        return false;
    *value = strtoull(digits, NULL, 16);
    return true;
}

static bool raw_number(const char *name, uint64_t *code)
{
    return (!strncmp(name, "0x", 2) && parse_hex(name + 2, code)) || (name[0] == 'r' && parse_hex(name + 1, code));
}

/*
 * Bits of a selector that say what is counted. x86: all but USR, OS, PIN, INT, EN, and on AMD the guest and host
 * filters (SDM vol. 3B, 20.2.1.1 and UMASK2 47:40, EQ 36 of 20.3; APM vol. 2, 13.2.1). Arm: DDI 0487, PMEVTYPER,
 * evtCount.
 */
static uint64_t code_bits(const struct event_core *core)
{
    switch (core->kind) {
    case COUNTERS_INTEL: return 0xff13ffa4ffff;
    case COUNTERS_AMD: return 0xfff84ffff;
    case COUNTERS_APPLE: return ((uint64_t)1 << core->code_bits) - 1;
    default: return 0xffff;
    }
}

/* Reads a modifier's number, as in "c=2"; `missing` where none is given, 0: one must be. False where it is wrong. */
static bool modifier_value(const char *word, uint64_t missing, uint64_t most, uint64_t *value)
{
    char *end;

    *value = missing;
    if (word[1] == 0 && missing)
        return true;
    if (word[1] != '=' || word[2] < '0' || word[2] > '9')
        return false;
    *value = strtoull(word + 2, &end, 0);
    return !*end && *value <= most;
}

/* NULL, or what is wrong with the modifier. */
static const char *modify(const struct event_core *core, const char *word, struct event *e)
{
    uint64_t value;

    if (!strcmp(word, "chain") && core->kind == COUNTERS_PMUV3) {
        e->demand.width = 2;
        e->demand.slots &= UINT32_MAX;
        e->partner = 0x1e; /* CHAIN: DDI 0487, D13 */
        return NULL;
    }
    if (!is_x86(core))
        return core->kind == COUNTERS_PMUV3 ? "only :chain is known on this core"
                                            : "this core's events have no modifiers";
    if (word[0] == 'x' && modifier_value(word, 0, UINT64_MAX, &value)) {
        if (!e->demand.resource[0])
            return ":x= is for events that need a register besides, and this one needs none";
        e->demand.value = value;
        return NULL;
    }
    if (word[0] == 'c' && modifier_value(word, 0, core->kind == COUNTERS_AMD ? 0x7f : 0xff, &value))
        e->code = (e->code & ~((uint64_t)0xff << CMASK_SHIFT)) | value << CMASK_SHIFT;
    else if (word[0] == 'i' && modifier_value(word, 1, 1, &value))
        e->code = (e->code & ~(uint64_t)INVERT) | (value ? INVERT : 0);
    else if (word[0] == 'e' && modifier_value(word, 1, 1, &value))
        e->code = (e->code & ~(uint64_t)EDGE) | (value ? EDGE : 0);
    else
        return "modifiers are c=N, i, e and x=VALUE";
    if (e->demand.width > 1)
        return "an event of two counters takes no modifiers";
    return NULL;
}

static bool is_modifier(const char *word)
{
    return !strcmp(word, "chain") || (strchr("ciex", word[0]) && word[0] && (!word[1] || word[1] == '='));
}

/* Fills in the event of that name, without modifiers. */
static bool find_base(const struct event_core *core, const char *name, struct event *out, char *why, size_t room)
{
    const struct event_need *need = need_named(core, name);
    struct event_row row;
    uint64_t code;

    if (need)
        return events_find(core, core->kind, need->event, out, why, room);
    *out = (struct event){.source = core->source};
    if (row_named(core, name, &row)) {
        snprintf(out->name, sizeof out->name, "%s", row.name);
        out->code = row.code;
        out->demand.value = row.register_value;
    } else if (raw_number(name, &code)) {
        if (code & ~code_bits(core)) {
            snprintf(why, room, "%s has bits that do not say which event it is: 0x%llx", name,
                     (unsigned long long)(code & ~code_bits(core)));
            return false;
        }
        out->code = code;
        if (row_coded(core, code, &row)) {
            snprintf(out->name, sizeof out->name, "%s", row.name);
        } else {
            snprintf(out->name, sizeof out->name, "0x%llx", (unsigned long long)code);
            out->source = "a number";
        }
    } else {
        snprintf(why, room, "no event %s is known of %s", name, core->name);
        for (size_t i = 0; i < event_need_count; i++)
            if (!strcmp(event_needs[i].name, name))
                snprintf(why, room, "%s has no event for the need %s", core->name, name);
        tell_near_names(core, name, why, room);
        return false;
    }
    set_demand(core, out);
    return true;
}

bool events_find(const struct event_core *core, enum counters_kind kind, const char *text, struct event *out, char *why,
                 size_t room)
{
    char words[EVENT_NAME], name[EVENT_NAME], *modifiers[8];
    size_t count = 0, used = 0;

    why[0] = 0;
    core = core ? core : events_unknown(kind);
    if (!core) {
        snprintf(why, room, "no events are known of this core");
        return false;
    }
    if (strlen(text) >= sizeof words) {
        snprintf(why, room, "the name of an event is too long");
        return false;
    }
    for (size_t i = 0; i <= strlen(text); i++)
        words[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);

    /* A unit mask may stand behind a colon, as perf has it, or behind a dot, as vendors do. */
    for (char *word = words, *next; word; word = next) {
        if ((next = strchr(word, ':')))
            *next++ = 0;
        if (word == words || !is_modifier(word)) {
            used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", used ? "." : "", word);
        } else if (count < sizeof modifiers / sizeof modifiers[0]) {
            modifiers[count++] = word;
        } else {
            snprintf(why, room, "too many modifiers");
            return false;
        }
    }
    if (!find_base(core, name, out, why, room))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *wrong = modify(core, modifiers[i], out);
        if (wrong) {
            snprintf(why, room, "%s:%s: %s", name, modifiers[i], wrong);
            return false;
        }
        used = strlen(out->name);
        snprintf(out->name + used, sizeof out->name - used, ":%s", modifiers[i]);
    }
    if (count && is_x86(core))
        set_demand(core, out);
    if (out->demand.resource[0] && !out->demand.value) {
        snprintf(why, room, "%s needs the value of a register besides: :x=VALUE", out->name);
        return false;
    }
    if (!out->demand.slots) {
        snprintf(why, room, "no counter of %s can count %s", core->name, out->name);
        return false;
    }
    return true;
}

bool events_at(const struct event_core *core, size_t i, struct event *out, const char **need)
{
    char why[256];
    struct event_row row;
    const struct event_need *n;
    size_t needs = 0;

    *need = NULL;
    while ((n = need_at(core, needs)) && needs != i)
        needs++;
    if (n) {
        *need = n->need;
        return events_find(core, core->kind, n->event, out, why, sizeof why);
    }
    if (!row_at(core, i - needs, &row))
        return false;
    *out = (struct event){.code = row.code, .demand.value = row.register_value, .source = core->source};
    snprintf(out->name, sizeof out->name, "%s", row.name);
    set_demand(core, out);
    return true;
}

size_t events_settings(const struct event *e, const struct place *at, struct counter_setting out[2])
{
    bool second = at->resource && at->resource == e->demand.resource[1];

    out[0] = (struct counter_setting){.slot = at->slot,
                                      .code = second ? e->second_code : e->code,
                                      .extra = at->resource,
                                      .extra_value = at->resource ? e->demand.value : 0};
    if (!e->partner)
        return 1;
    out[1] = (struct counter_setting){.slot = at->slot + 1, .code = e->partner};
    return 2;
}

/* ---- Needs ----------------------------------------------------------------------------------------- */

const struct need event_needs[] = {
    {"cycles", "cycles of the core's clock"},
    {"reference_cycles", "cycles of a clock that does not change"},
    {"instructions", "instructions retired"},
    {"ops_issued", "operations that left the front end, wrong paths too"},
    {"ops_issued_int", "integer operations issued"},
    {"ops_issued_load", "loads issued"},
    {"ops_issued_store", "stores issued; their addresses where the core splits them"},
    {"ops_issued_memory", "loads and stores issued, where the core does not distinguish them"},
    {"ops_issued_vector", "vector and floating-point operations issued"},
    {"ops_issued_branch", "branches issued"},
    {"ops_executed", "operations that went through an execution unit"},
    {"ops_retired", "operations retired"},
    {"branches", "branches retired"},
    {"branches_conditional", "conditional branches retired"},
    {"branches_taken", "taken branches retired"},
    {"mispredicts", "mispredicted branches, of retired ones where the core can"},
    {"conditional_mispredicts", "mispredicted conditional branches"},
    {"indirect_mispredicts", "mispredicted indirect branches"},
    {"return_mispredicts", "mispredicted returns"},
    {"btb_redirects", "fetching sent elsewhere by the decoder: a branch that the branch target buffer did not know"},
    {"loop_buffer_ops", "operations from the loop buffer"},
    {"op_cache_ops", "operations from the operation cache"},
    {"op_cache_misses", "fetches that missed the operation cache"},
    {"decoder_ops", "operations from the decoders"},
    {"microcode_ops", "operations from the microcode sequencer"},
    {"l1i_misses", "level 1 instruction cache: misses; of Zen 1 and 2 those that level 2 answered"},
    {"itlb_misses", "level 1 instruction TLB: misses"},
    {"itlb_l2_hits", "level 1 instruction TLB: misses that the level 2 TLB answered"},
    {"itlb_walks", "page walks for instructions"},
    {"l1d_misses", "level 1 data cache: misses of loads, and of stores where the core does not distinguish them"},
    {"l2_misses", "level 2 cache: misses"},
    {"dtlb_misses", "level 1 data TLB: misses"},
    {"dtlb_l2_hits", "level 1 data TLB: misses that the level 2 TLB answered"},
    {"dtlb_walks", "page walks for data"},
    {"loads", "loads, of retired ones where the core can"},
    {"stores", "stores, likewise"},
    {"loads_split", "loads that cross a cache line"},
    {"loads_aliased", "loads held up by an older store of the same page offset"},
    {"store_forwards", "loads answered by an older store that waits"},
    {"store_forwards_blocked", "loads that an older store overlaps and cannot answer"},
    {"machine_clears", "times that everything in flight was thrown away, branches apart"},
    {"machine_clears_memory", "the same for the order of memory accesses"},
    {"l1d_prefetches", "fills of the level 1 data cache by its prefetchers"},
    {"l2_prefetches", "prefetches that reached the level 2 cache"},
    {"smis", "system management interrupts"},
};
const size_t event_need_count = sizeof event_needs / sizeof event_needs[0];
