#include "tests/registers/model.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct model_register *find(struct model *m, uint32_t id)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].id == id)
            return &m->list[i];
    return NULL;
}

struct model_register *model_register(struct model *m, const char *name, uint32_t id, uint64_t value, uint64_t writable)
{
    struct model_register *r = find(m, id);

    if (r == NULL) {
        assert_true(m->count < MODEL_REGISTERS);
        r = &m->list[m->count++];
    }
    *r = (struct model_register){
        .name = name,
        .id = id,
        .value = value,
        .found = value,
        .shown = value,
        .writable = writable,
        .allowed = writable,
    };
    return r;
}

struct model_register *model_at(struct model *m, uint32_t id)
{
    struct model_register *r = find(m, id);

    if (r == NULL)
        fail_msg("register 0x%" PRIx32 " is not declared", id);
    return r;
}

void model_cpuid(struct model *m, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                 uint32_t edx)
{
    size_t i = 0;

    while (i < m->leaves && (m->cpuid[i].leaf != leaf || m->cpuid[i].subleaf != subleaf))
        i++;
    if (i == m->leaves) {
        assert_true(m->leaves < MODEL_LEAVES);
        m->leaves++;
    }
    m->cpuid[i].leaf = leaf;
    m->cpuid[i].subleaf = subleaf;
    memcpy(m->cpuid[i].out, (uint32_t[4]){eax, ebx, ecx, edx}, sizeof m->cpuid[i].out);
}

/* Notes the access; true when it is the one that is to fault. */
static bool note(struct model *m, const struct model_register *r, uint32_t id, bool write, uint64_t value)
{
    assert_true(m->accesses < MODEL_LOG);
    m->log[m->accesses++] = (struct model_access){.at = r, .id = id, .write = write, .value = value};
    return m->accesses == m->fault_at;
}

static bool faulted(struct model *m)
{
    m->log[m->accesses - 1].faulted = true;
    return false;
}

static uint64_t readable_value(struct model *m, const struct model_register *r)
{
    switch (r->kind) {
    case MODEL_SETS:
    case MODEL_CLEARS: return model_at(m, r->view_of)->value & r->writable;
    case MODEL_ALIAS: return model_at(m, r->view_of)->value;
    case MODEL_LIES: return r->shown;
    default: return r->value;
    }
}

static bool read_register(void *context, uint32_t id, uint64_t *value)
{
    struct model *m = context;
    struct model_register *r = find(m, id);

    if (note(m, r, id, false, 0) || r == NULL || r->read_faults)
        return faulted(m);
    *value = readable_value(m, r);
    m->log[m->accesses - 1].value = *value;
    return true;
}

/* What a plain register holds after the write. */
static uint64_t written(const struct model_register *r, uint64_t old, uint64_t value)
{
    if (r->extended != 0) {
        const uint64_t mask = r->extended < 64 ? (UINT64_C(1) << r->extended) - 1 : UINT64_MAX;

        value = (uint64_t)(int64_t)(int32_t)value & mask;
    }
    return ((old & ~r->writable) | (value & r->writable)) | (old & r->sticky);
}

/*
 * `old` is what the writer could have read. Bits that differ from it and are not allowed fail the test, also where the
 * register would not have taken them: a list that says too much is wrong on some machine.
 */
static void hold_to_list(const struct model_register *r, uint64_t old, uint64_t value)
{
    const uint64_t changed = r->kind == MODEL_SETS || r->kind == MODEL_CLEARS ? value : old ^ value;

    if (changed & ~r->allowed)
        fail_msg("writing 0x%" PRIx64 " to %s, which holds 0x%" PRIx64 ", changes bits 0x%" PRIx64
                 " that are not on the list",
                 value, r->name, old, changed & ~r->allowed);
}

static bool write_register(void *context, uint32_t id, uint64_t value)
{
    struct model *m = context;
    struct model_register *r = find(m, id);
    const bool fault = note(m, r, id, true, value);

    if (r == NULL) {
        fail_msg("0x%" PRIx64 " is written to register 0x%" PRIx32 ", which is not on the list", value, id);
        return false;
    }
    hold_to_list(r, readable_value(m, r), value);
    r->writes++;
    if (fault || r->write_faults || r->kind == MODEL_READ_ONLY || (value & r->reserved))
        return faulted(m);
    switch (r->kind) {
    case MODEL_PLAIN: r->value = written(r, r->value, value); break;
    case MODEL_LIES: r->shown = written(r, r->shown, value); break;
    case MODEL_SETS: model_at(m, r->view_of)->value |= value & r->writable; break;
    case MODEL_CLEARS: model_at(m, r->view_of)->value &= ~(value & r->writable); break;
    case MODEL_ALIAS: {
        struct model_register *same = model_at(m, r->view_of);

        same->value = written(r, same->value, value);
        break;
    }
    default: break;
    }
    return true;
}

static void cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    const struct model *m = context;

    memset(out, 0, 4 * sizeof out[0]);
    for (size_t i = 0; i < m->leaves; i++)
        if (m->cpuid[i].leaf == leaf && m->cpuid[i].subleaf == subleaf)
            memcpy(out, m->cpuid[i].out, sizeof m->cpuid[i].out);
}

struct access model_access(struct model *m)
{
    return (struct access){.context = m, .read = read_register, .write = write_register, .cpuid = cpuid};
}

void model_begin(struct model *m)
{
    m->accesses = 0;
    m->fault_at = 0;
    for (size_t i = 0; i < m->count; i++) {
        m->list[i].found = m->list[i].value;
        m->list[i].writes = 0;
    }
}

bool model_as_found(const struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].value != m->list[i].found)
            return false;
    return true;
}

void model_assert_as_found(const struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].value != m->list[i].found)
            fail_msg("%s held 0x%" PRIx64 " and is left with 0x%" PRIx64, m->list[i].name, m->list[i].found,
                     m->list[i].value);
}

static void assert_accesses(const struct model *m, const char *expected, bool writes_only)
{
    static char text[MODEL_LOG * 64];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < m->accesses; i++) {
        const struct model_access *a = &m->log[i];

        if (writes_only && !a->write)
            continue;
        if (a->at != NULL)
            used += (size_t)snprintf(text + used, sizeof text - used, "%c %s", a->write ? 'w' : 'r', a->at->name);
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%c 0x%" PRIx32, a->write ? 'w' : 'r', a->id);
        if (a->write || !a->faulted)
            used += (size_t)snprintf(text + used, sizeof text - used, " %" PRIx64, a->value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", a->faulted ? " fault" : "");
        assert_true(used < sizeof text);
    }
    assert_string_equal(text, expected);
}

void model_assert_log(const struct model *m, const char *expected)
{
    assert_accesses(m, expected, false);
}

void model_assert_writes(const struct model *m, const char *expected)
{
    assert_accesses(m, expected, true);
}
