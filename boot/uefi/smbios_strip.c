/*
 * DSP0134 3.6: 6.1.2 and 6.1.3 for structures and their strings; 7.1 to 7.42 for the fields of each type, given below
 * by their offsets.
 */
#include "boot/uefi/smbios_strip.h"

#include <stdbool.h>
#include <string.h>

enum { HEADER_BYTES = 4, TYPE_END = 127, FIELDS = 3, STRINGS = 256 };

/*
 * What is published: the first `known` bytes of a structure, of which some become zeros; and the strings whose numbers
 * the fields `kept` hold, unless a field of `personal` holds the same number.
 */
static const struct rule {
    uint8_t type, known;
    uint8_t kept[FIELDS], personal[FIELDS];
    uint8_t zero_at, zero_bytes;
} rules[] = {
    /* Firmware: vendor, version, date. System, with its UUID; board; chassis; processor: makers, names, versions. */
    {.type = 0, .known = 26, .kept = {0x04, 0x05, 0x08}},
    {.type = 1, .known = 27, .kept = {0x04, 0x05, 0x06}, .personal = {0x07}, .zero_at = 8, .zero_bytes = 16},
    {.type = 2, .known = 15, .kept = {0x04, 0x05, 0x06}, .personal = {0x07, 0x08, 0x0a}},
    {.type = 3, .known = 21, .kept = {0x04, 0x06}, .personal = {0x07, 0x08}},
    {.type = 4, .known = 50, .kept = {0x04, 0x07, 0x10}, .personal = {0x20, 0x21, 0x22}},
    /* Names of caches and slots. Memory: arrays, devices with locators and makers, addresses of both. */
    {.type = 7, .known = 27, .kept = {0x04}},
    {.type = 9, .known = 17, .kept = {0x04}},
    {.type = 16, .known = 23},
    {.type = 17, .known = 92, .kept = {0x10, 0x11, 0x17}, .personal = {0x18, 0x19, 0x1a}},
    {.type = 19, .known = 31},
    {.type = 20, .known = 35},
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
    }
    for (size_t i = HEADER_BYTES; i < structure[1]; i++)
        if (!rule || i >= rule->known || (i >= rule->zero_at && i - rule->zero_at < rule->zero_bytes))
            structure[i] = 0;
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
