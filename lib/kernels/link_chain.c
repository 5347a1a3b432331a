#include "lib/kernels/link_chain.h"

#include <string.h>

#include "lib/probe/sample.h"

enum {
    LENGTH = 192, /* links of an iteration: the loop's end takes less than 1 % of a core of one instruction a cycle */
    NAME_BYTES = 40,
    FORMS_OF_A_LINK = 2,
    VALUES = 24,     /* instructions that give registers their values, at most */
    ZERO_AT = 64,    /* offsets in the data: 0.0 in all elements, … */
    ONE_AT = 128,    /* … and 1.0; what is loaded by links is at 0 */
    VALUE_BYTES = 16 /* of each */
};

/* The double 1.0, whose bytes stand in the data. no test: it is exact. */
static const double ONE = 1.0;

/* Which register a letter of the roles stands for. */
static unsigned register_of(const struct form_operand *o, char role)
{
    static const char letters[] = "c01ax";
    static const enum reg general[] = {REG_DATA, REG_T0, REG_T1, REG_T2, REG_T3};
    const size_t i = strcspn(letters, (const char[]){role, '\0'});

    return o->kind == OPERAND_GENERAL ? form_register(general[i]) : form_registers[o->kind][i];
}

void link_chain_fill(const struct area *data)
{
    memset(data->write, 0, LINK_CHAIN_DATA_BYTES);
    memcpy(data->write, &data->at, sizeof data->at);
    for (unsigned i = 0; i < VALUE_BYTES; i += sizeof ONE)
        memcpy(data->write + ONE_AT + i, &ONE, sizeof ONE);
}

static const struct form *form_named(const char *name)
{
    char one[NAME_BYTES] = "";
    const size_t length = strcspn(name, ";");

    memcpy(one, name, length < NAME_BYTES ? length : NAME_BYTES - 1);
    return form_find(one);
}

bool link_forms(const struct form_link *link, const struct form *forms_found[2], unsigned *count)
{
    const char *second = strchr(link->forms, ';');

    *count = second ? FORMS_OF_A_LINK : 1;
    forms_found[0] = form_named(link->forms);
    forms_found[1] = second ? form_named(second + 2) : NULL; /* "; " */
    return forms_found[0] && (!second || forms_found[1]);
}

static void emit_link(struct code *c, const char *roles, const struct form *const *found, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t registers[FORM_OPERANDS];
        unsigned used = 0;
        for (unsigned k = 0; k < found[i]->operand_count; k++)
            if (form_has_field(form_operand(found[i], k)))
                registers[used++] = (uint8_t)register_of(form_operand(found[i], k), *roles++);
        emit_form(c, found[i], registers);
        roles += strspn(roles, "; ");
    }
}

void emit_link_chain(struct code *c, const struct link_chain *chain, unsigned rounds)
{
    const struct form *found[LINK_CHAIN_LINKS][FORMS_OF_A_LINK];
    unsigned counts[LINK_CHAIN_LINKS];

    for (unsigned i = 0; i < chain->count; i++)
        if (!link_forms(chain->links[i], found[i], &counts[i])) {
            c->invalid = true;
            return;
        }
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < chain->count; i++)
            emit_link(c, chain->links[i]->roles, found[i], counts[i]);
}

/* Loads a vector register from the data. */
static void emit_vector_value(struct code *c, char role, int32_t offset)
{
    const struct form_operand vector = {.kind = OPERAND_VECTOR};
    const uint8_t registers[] = {(uint8_t)register_of(&vector, role)};
    const struct form_load *load = form_loads;

    while (load->name && load->kind != OPERAND_VECTOR) /* the first one is the narrowest */
        load++;
    emit_add_constant(c, REG_DATA, offset);
    emit_form(c, form_find(load->name), registers);
    emit_add_constant(c, REG_DATA, -offset);
}

void emit_link_values(struct code *c)
{
    emit_vector_value(c, '0', ZERO_AT);
    emit_vector_value(c, '1', ONE_AT);
    emit_vector_value(c, 'a', ONE_AT);
    emit_vector_value(c, 'c', ONE_AT);
    emit_constant(c, REG_T0, 0);
    emit_constant(c, REG_T1, 1);
    emit_move(c, REG_T2, REG_DATA);
}

static unsigned rounds_of(const struct link_chain *chain)
{
    return LENGTH / chain->count;
}

static void emit_body(struct code *c, const void *context)
{
    const struct link_chain *chain = context;

    emit_link_chain(c, chain, rounds_of(chain));
}

bool link_chain_cycles(struct probe *p, const struct link_chain *chain, unsigned samples, double *cycles)
{
    const struct loop l = {.begin = emit_link_values,
                           .body = emit_body,
                           .context = chain,
                           .instructions = (size_t)LENGTH * FORMS_OF_A_LINK + VALUES,
                           .data = chain->data->at};
    const bool good = sample_loop(p, samples, &l, cycles);

    *cycles /= rounds_of(chain);
    return good;
}
