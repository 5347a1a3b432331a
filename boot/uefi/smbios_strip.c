/*
 * DSP0134 3.6: 6.1.2 and 6.1.3 for structures and their strings; 7.1 to 7.42 for the fields of each type, given below
 * by their offsets.
 */
#include "boot/uefi/smbios_strip.h"

#include <stdbool.h>
#include <string.h>

enum { HEADER_BYTES = 4, TYPE_END = 127, FIELDS = 3, STRINGS = 256 };

/*
 * What is published. `kept` are the fields with the numbers of strings that may be: all other strings are taken out,
 * also one of these where a field of `personal` has the same number.
 */
static const struct rule {
    uint8_t type;
    uint8_t kept[FIELDS], personal[FIELDS];
    uint8_t zero_at, zero_bytes;
} rules[] = {
    {.type = 0, .kept = {0x04, 0x05, 0x08}}, /* firmware: vendor, version, date */
    {.type = 1,
     .kept = {0x04, 0x05, 0x06},
     .personal = {0x07},
     .zero_at = 8,
     .zero_bytes = 16},                                                       /* system: maker, product, version */
    {.type = 2, .kept = {0x04, 0x05, 0x06}, .personal = {0x07, 0x08, 0x0a}},  /* board: maker, product, version */
    {.type = 3, .kept = {0x04, 0x06}, .personal = {0x07, 0x08}},              /* chassis: maker, version */
    {.type = 4, .kept = {0x04, 0x07, 0x10}, .personal = {0x20, 0x21, 0x22}},  /* processor: socket, maker, version */
    {.type = 7, .kept = {0x04}},                                              /* cache: socket */
    {.type = 9, .kept = {0x04}},                                              /* slot: designation */
    {.type = 16},                                                             /* array of memory */
    {.type = 17, .kept = {0x10, 0x11, 0x17}, .personal = {0x18, 0x19, 0x1a}}, /* memory device: locator, bank, maker */
    {.type = 19},                                                             /* addresses of an array */
    {.type = 20},                                                             /* addresses of a device */
    {.type = TYPE_END},
};

/* The end of the structure at `at`, behind its strings; NULL where there is no whole one. */
static const uint8_t *structure_end(const uint8_t *at, const uint8_t *end)
{
    if (end - at < HEADER_BYTES || at[1] < HEADER_BYTES || at[1] > end - at)
        return NULL;
    /* The strings end with two zeros, also where there are none. */
    for (at += at[1]; end - at >= 2; at++)
        if (!at[0] && !at[1])
            return at + 2;
    return NULL;
}

size_t smbios_bytes(const uint8_t *table, size_t most)
{
    const uint8_t *at = table, *next;
    bool last = false;

    while (!last && (next = structure_end(at, table + most)) != NULL) {
        last = at[0] == TYPE_END;
        at = next;
    }
    return (size_t)(at - table);
}

static const struct rule *find_rule(uint8_t type)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].type == type)
            return &rules[i];
    return NULL;
}

/* Sets whether the strings of those fields stay. Offset 0 is no field. */
static void mark(const uint8_t *structure, const uint8_t fields[FIELDS], bool value, bool stays[STRINGS])
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i] && fields[i] < structure[1])
            stays[structure[fields[i]]] = value;
}

static void strip(uint8_t *structure, const uint8_t *end)
{
    const struct rule *rule = find_rule(structure[0]);
    uint8_t *text = structure + structure[1];
    bool stays[STRINGS] = {false};

    if (rule) {
        mark(structure, rule->kept, true, stays);
        mark(structure, rule->personal, false, stays);
        for (size_t i = rule->zero_at; i < (size_t)rule->zero_at + rule->zero_bytes && i < structure[1]; i++)
            structure[i] = 0;
    } else {
        memset(structure + HEADER_BYTES, 0, structure[1] - (size_t)HEADER_BYTES);
    }
    for (size_t number = 1; text < end && *text; text++) { /* a field holds at most 255: later ones are not kept */
        for (; *text; text++)
            if (number >= STRINGS || !stays[number])
                *text = '*';
        number++;
    }
}

void smbios_strip(uint8_t *table, size_t bytes)
{
    uint8_t *at = table;

    for (const uint8_t *next; (next = structure_end(at, table + bytes)) != NULL; at += next - at)
        strip(at, next);
    memset(at, 0, (size_t)(table + bytes - at)); /* no whole structure */
}
