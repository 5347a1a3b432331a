/* SMBIOS for the support file: nothing that distinguishes machines of one model is left, and the rest is. */
/* link: boot/uefi/smbios_strip.c */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/smbios_strip.h"
#include "lib/base/random.h"

/* ---- A table built by hand, in the layouts of DSP0134 3.6, 7.1 to 7.42 -------------------------------------- */

enum { ROOM = 4096, PUBLIC = 'p', SIZE_AT = 9 };

struct table {
    uint8_t at[ROOM];
    size_t used;
};

/*
 * A structure of that type and length, whose string fields have the given offsets, each with a string of its own: in
 * upper case those that may be published, as "PUBLIC-17-10", the others as "secret-17-18".
 */
static void add(struct table *t, uint8_t type, uint8_t length, const char *fields, size_t count)
{
    uint8_t *structure = t->at + t->used;
    uint8_t number = 0;

    structure[0] = type;
    structure[1] = length;
    t->used += length;
    for (size_t i = 0; i < count; i += 2) {
        const char *word = fields[i] == PUBLIC ? "PUBLIC" : "secret";
        structure[(uint8_t)fields[i + 1]] = ++number;
        t->used += (size_t)snprintf((char *)t->at + t->used, ROOM - t->used, "%s-%u-%02x", word, type,
                                    (unsigned)(uint8_t)fields[i + 1]) +
                   1;
    }
    t->used += number ? 1 : 2;
}

#define ADD(t, type, length, fields) add(t, type, length, fields, sizeof(fields) - 1)

static const char uuid[] = "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x10";

static struct table whole_machine(void)
{
    struct table t = {.used = 0};

    ADD(&t, 0, 26, "p\x04p\x05p\x08");
    memcpy(t.at + t.used + 8, uuid, 16);
    ADD(&t, 1, 27, "p\x04p\x05p\x06s\x07s\x19s\x1a");
    ADD(&t, 2, 15, "p\x04p\x05p\x06s\x07s\x08s\x0a");
    ADD(&t, 3, 22, "p\x04p\x06s\x07s\x08s\x15");
    ADD(&t, 4, 48, "p\x04p\x07p\x10s\x20s\x21s\x22");
    ADD(&t, 7, 27, "p\x04");
    ADD(&t, 9, 17, "p\x04");
    ADD(&t, 11, 5, "s\x04"); /* OEM strings, which the owner may set */
    ADD(&t, 12, 5, "s\x04"); /* configuration options */
    ADD(&t, 16, 23, "");     /* no strings */
    ADD(&t, 17, 92, "p\x10p\x11p\x17s\x18s\x19s\x1as\x2b");
    ADD(&t, 19, 31, "");
    ADD(&t, 22, 26, "s\x04s\x05s\x06s\x07s\x08"); /* battery */
    ADD(&t, 39, 22, "s\x05s\x06s\x07s\x08");      /* power supply */
    memcpy(t.at + t.used + 8, uuid, 16);          /* a vendor's own structure with the UUID in it */
    ADD(&t, 221, 32, "s\x04s\x05");
    ADD(&t, 127, 4, "");
    return t;
}

static bool has(const uint8_t *table, size_t bytes, const void *what, size_t count)
{
    for (size_t at = 0; at + count <= bytes; at++)
        if (!memcmp(table + at, what, count))
            return true;
    return false;
}

/* ---- Tests ------------------------------------------------------------------------------------------------ */

static void nothing_private_is_left(void **state)
{
    const struct table found = whole_machine();
    struct table t = found;

    (void)state;
    assert_true(has(t.at, t.used, "secret-1-07", 11) && has(t.at, t.used, "secret-17-1a", 12));
    assert_true(has(t.at, t.used, uuid, 16));
    smbios_strip(t.at, t.used);
    assert_false(has(t.at, t.used, "secret", 6));
    assert_false(has(t.at, t.used, uuid, 2));
    for (size_t i = 0; i + 1 < sizeof uuid; i += 4) /* nor a part of it */
        assert_false(has(t.at, t.used, uuid + i, 4));
}

static void the_rest_is_as_it_was(void **state)
{
    const struct table found = whole_machine();
    struct table t = found;
    size_t kept = 0;

    (void)state;
    t.at[SIZE_AT] = 0x5a; /* of the firmware's ROM */
    smbios_strip(t.at, t.used);
    assert_int_equal(t.at[SIZE_AT], 0x5a);
    for (size_t i = 0; i + 6 < t.used; i++) {
        if (memcmp(found.at + i, "PUBLIC", 6) != 0)
            continue;
        kept++;
        assert_string_equal((char *)t.at + i, (char *)found.at + i);
    }
    assert_int_equal(kept, 19);
    /* Every structure and string is where it was. */
    assert_int_equal(smbios_bytes(t.at, ROOM), found.used);
}

/* A string that a public and a private field share is private. */
static void shared_strings_go(void **state)
{
    struct table t = {.used = 0};

    (void)state;
    ADD(&t, 1, 27, "p\x04p\x05");
    t.at[7] = 2; /* the serial number is the product's name */
    ADD(&t, 127, 4, "");
    smbios_strip(t.at, t.used);
    assert_true(has(t.at, t.used, "PUBLIC-1-04", 11));
    assert_false(has(t.at, t.used, "PUBLIC-1-05", 11));
}

/* Strings that no field names, and those of a structure too short for its fields. */
static void strings_without_a_field_go(void **state)
{
    struct table t = {.used = 0};

    (void)state;
    ADD(&t, 1, 8, "p\x04");
    t.used--; /* one more string */
    memcpy(t.at + t.used, "secret\0", 8);
    t.used += 8;
    ADD(&t, 127, 4, "");
    smbios_strip(t.at, t.used);
    assert_true(has(t.at, t.used, "PUBLIC-1-04", 11));
    assert_false(has(t.at, t.used, "secret", 6));
}

static void what_follows_the_last_structure_is_not_taken(void **state)
{
    struct table t = whole_machine();
    const size_t bytes = t.used;

    (void)state;
    ADD(&t, 1, 27, "s\x04");
    assert_int_equal(smbios_bytes(t.at, ROOM), bytes);
    memcpy(t.at + bytes - 3, uuid, 3); /* no whole structure */
    smbios_strip(t.at, bytes);
    assert_false(has(t.at, bytes, uuid, 2));
}

/* Fields that a later version of the specification, or a vendor, adds behind those that are known. */
static void unknown_fields_go(void **state)
{
    struct table t = {.used = 0};

    (void)state;
    memcpy(t.at + 27, uuid, 16);
    ADD(&t, 1, 43, "p\x04");
    ADD(&t, 127, 4, "");
    smbios_strip(t.at, t.used);
    assert_true(has(t.at, t.used, "PUBLIC-1-04", 11));
    assert_false(has(t.at, t.used, uuid, 2));
}

/* Copies of just the right size, so that the sanitizer sees the first byte too far. */
static void try_it(const uint8_t *table, size_t bytes)
{
    uint8_t *copy = malloc(bytes ? bytes : 1);

    assert_non_null(copy);
    memcpy(copy, table, bytes);
    assert_true(smbios_bytes(copy, bytes) <= bytes);
    smbios_strip(copy, bytes);
    free(copy);
}

static void no_table_leads_outside(void **state)
{
    const struct table good = whole_machine();
    uint64_t random = 5;

    (void)state;
    for (size_t bytes = 0; bytes <= good.used; bytes++)
        try_it(good.at, bytes);
    for (unsigned i = 0; i < 20000; i++) {
        struct table bad = good;
        for (unsigned j = 0; j <= i % 4; j++)
            bad.at[random_below(&random, good.used)] = i % 3 ? (uint8_t)random_next(&random) : 0xff;
        try_it(bad.at, bad.used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_private_is_left),
        cmocka_unit_test(the_rest_is_as_it_was),
        cmocka_unit_test(shared_strings_go),
        cmocka_unit_test(strings_without_a_field_go),
        cmocka_unit_test(what_follows_the_last_structure_is_not_taken),
        cmocka_unit_test(unknown_fields_go),
        cmocka_unit_test(no_table_leads_outside),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
