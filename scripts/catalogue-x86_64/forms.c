/* From bytes to a form of the catalogue. */
#include <stdio.h>
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

struct found found[FORMS];
size_t found_count;

/* Instructions that read or write state which is not among their operands. */
static bool is_state(const char *mnemonic)
{
    static const char *const all[] = {"fldcw",   "ldmxcsr",   "vldmxcsr", "fxsave",     "fxsave64",
                                      "fxrstor", "fxrstor64", "vzeroall", "vzeroupper", "rdpid"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(mnemonic, all[i]))
            return true;
    return false;
}

static unsigned class_of(const struct decoded *d)
{
    const char *m = ZydisMnemonicGetString(d->i.mnemonic);

    if (d->i.attributes & ZYDIS_ATTRIB_HAS_LOCK || (!strcmp(m, "xchg") && (d->o[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                                                                           d->o[1].type == ZYDIS_OPERAND_TYPE_MEMORY)))
        return FORM_ATOMIC;
    if (!strcmp(m, "div") || !strcmp(m, "idiv"))
        return FORM_DIVIDES;
    if (!strcmp(m, "lfence") || !strcmp(m, "sfence") || !strcmp(m, "mfence") || !strcmp(m, "serialize") ||
        !strcmp(m, "mcommit"))
        return FORM_SERIALISES;
    if (is_state(m))
        return FORM_STATE;
    if (!strncmp(m, "prefetch", 8) || (!strncmp(m, "cl", 2) && strcmp(m, "clc") != 0 && strcmp(m, "cld") != 0) ||
        strstr(m, "movnt") || !strcmp(m, "movdiri"))
        return FORM_STREAMS;
    return FORM_ORDINARY;
}

static struct form_operand operand(unsigned kind, const struct decoded *d, unsigned k)
{
    const ZydisDecodedOperand *o = &d->o[k];
    struct form_operand p = {.kind = (uint8_t)kind,
                             .type = (uint8_t)type_of(o->element_type),
                             .access = (uint8_t)access_of(d, k),
                             .bits = o->size,
                             .is_implicit = o->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT};

    memset(p.field.bit, FIELD_NONE, sizeof p.field.bit);
    return p;
}

static bool fill_operands(struct found *f, const uint8_t *bytes, const struct decoded *d)
{
    struct form_field fields[FORM_OPERANDS];
    unsigned at = 0;

    find_fields(bytes, d, fields);
    for (unsigned k = 0; k < d->i.operand_count; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        unsigned kind;
        if (f->operand_count == FORM_OPERANDS - 1)
            return false;
        if (is_no_mask(o)) {
            at++;
            continue;
        }
        struct form_operand *p = &f->operands[f->operand_count++];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (!kind_of(o->reg.value, &kind)) {
                f->operand_count--;
                at++;
                if (k < d->i.operand_count_visible)
                    return false;
                continue;
            }
            *p = operand(kind, d, k);
            p->fixed = (uint8_t)number_of(o->reg.value);
            p->is_cleared = is_cleared(d, k);
            if (kind == OPERAND_X87 && f->stack > 0 &&
                p->access == OPERAND_WRITE) /* Zydis counts registers from the new top of the stack */
                p->fixed = STACK - 1;
            if (kind == OPERAND_X87 && d->i.mnemonic == ZYDIS_MNEMONIC_FSCALE && p->fixed) /* an exponent */
                p->type = TYPE_INTEGER;
            p->field = fields[at++];
        } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP) {
            *p = operand(OPERAND_IMMEDIATE, d, k);
            p->access = OPERAND_READ;
            at++;
        } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            *p = operand(o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? OPERAND_GENERAL : OPERAND_MEMORY, d, k);
            if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
                p->access = OPERAND_READ;
                p->bits = 64;
            }
            p->fixed = (uint8_t)number_of(o->mem.base);
            at++;
            if (o->mem.index != ZYDIS_REGISTER_NONE) { /* an operand of its own behind the memory operand */
                struct form_operand *index = &f->operands[f->operand_count++];
                *index = operand(vector_index(o) ? OPERAND_VECTOR : OPERAND_GENERAL, d, k);
                index->access = OPERAND_READ;
                index->type = TYPE_INTEGER;
                index->is_index = (uint8_t)(vector_index(o) ? index_bytes(d) : 1);
                index->bits = (uint16_t)(o->mem.index >= ZYDIS_REGISTER_ZMM0   ? 512
                                         : o->mem.index >= ZYDIS_REGISTER_YMM0 ? 256
                                         : vector_index(o)                     ? 128
                                                                               : 64);
                index->fixed = (uint8_t)number_of(o->mem.index);
                index->field = fields[at++];
            }
        } else {
            *p = operand(OPERAND_IMMEDIATE, d, k);
            at++;
        }
    }
    return true;
}

/*
 * The form of this name, or NULL where there was none; then the name belongs to the next form. An open hash table
 * (FNV-1a) of indices into `found` plus one.
 */
static struct found *same_name(const char *name)
{
    enum { SLOTS = 1 << 16 };
    static uint32_t slots[SLOTS];
    uint32_t hash = 2166136261u;

    for (const char *p = name; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 16777619u;
    for (hash %= SLOTS; slots[hash]; hash = (hash + 1) % SLOTS)
        if (!strcmp(found[slots[hash] - 1].name, name))
            return &found[slots[hash] - 1];
    slots[hash] = (uint32_t)found_count + 1;
    return NULL;
}

/* Bits of all register fields: how much choice of registers a form has. */
static unsigned choices(const struct found *f)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < f->operand_count; i++)
        for (unsigned bit = 0; bit < FIELD_BITS; bit++)
            bits += f->operands[i].field.bit[bit] != FIELD_NONE;
    return bits;
}

static void add(const uint8_t *bytes, const struct decoded *decoded, unsigned class)
{
    const struct decoded d = *decoded;

    if (found_count == FORMS)
        return;
    struct found *f = &found[found_count];
    memset(f, 0, sizeof *f);
    f->length = d.i.length;
    f->class = class;
    f->stack = stack_of(&d);
    f->encoding = d.i.encoding;
    memcpy(f->bytes, bytes, d.i.length);
    if (!fill_operands(f, bytes, &d))
        return;
    say_name(f, &d);
    snprintf(f->feature, sizeof f->feature, "%s", ZydisISASetGetString(d.i.meta.isa_set));
    struct found *same = same_name(f->name);
    if (same &&
        same->encoding != f->encoding) { /* a core may have only one of the two encodings; named as assemblers do */
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%s", f->name);
        snprintf(f->name, sizeof f->name, "{evex} %.*s", (int)(sizeof f->name - sizeof "{evex} "), name);
        same = same_name(f->name);
    }
    if (!same)
        found_count++;
    else if (choices(f) > choices(same))
        *same = *f;
}

void take(const uint8_t *bytes)
{
    struct decoded d;

    if (decode(bytes, &d) && is_usable(&d))
        add(bytes, &d, class_of(&d));
}

void take_branch(const uint8_t *bytes, unsigned class)
{
    struct decoded d;

    if (decode(bytes, &d))
        add(bytes, &d, class);
}
