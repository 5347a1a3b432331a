/* Records are JSON with a right checksum, and can be read back. */
/* link: tests/unit/record/stores.c */
/* libs: -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/base/record_read.h"
#include "tests/unit/record/stores.h"

/* ---- What a line holds ------------------------------------------------------------------------------------ */

static void checksum_is_ieee_802_3(void **state)
{
    (void)state;
    /* The check value of CRC-32 in every catalogue, e.g. Williams, A painless guide to CRC, 1993. */
    assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_of("", 0), 0);
}

static void a_line_as_it_is_written(void **state)
{
    const double numbers[] = {0, 1, -1, 0.1, 1e15, 9007199254740992.0, 1e16, 1.5e-7, NAN, INFINITY, 1.0 / 3};
    struct writer w;
    struct record r;

    (void)state;
    start(&w, 1);
    record_start(&r, &w, "finding");
    record_text(&r, "name", "a \"b\"\\\n\x1b");
    record_text(&r, "bytes", "\xc3\xa4\xff\xc2\x85\xe2\x82");
    record_text(&r, "none", NULL);
    record_array(&r, "x");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        record_number(&r, NULL, numbers[i]);
    record_close(&r);
    record_integer(&r, "n", UINT64_MAX);
    record_hex(&r, "h", 0x1f);
    record_object(&r, "o");
    record_boolean(&r, "yes", true);
    record_array(&r, "empty");
    record_close(&r);
    record_close(&r);
    record_null(&r, "last");
    record_send(&r);
    stores[0].text[stores[0].used - 17] = 0;
    assert_string_equal(
        stores[0].text,
        "{\"t\":\"finding\",\"name\":\"a \\\"b\\\"\\\\\\u000a\\u001b\","
        "\"bytes\":\"\xc3\xa4\xef\xbf\xbd\\u0085\xef\xbf\xbd\",\"none\":null,"
        "\"x\":[0,1,-1,0.1,1000000000000000,9007199254740992,1e+16,1.5e-07,null,null,0.3333333333333333],"
        "\"n\":18446744073709551615,\"h\":\"0x1f\",\"o\":{\"yes\":true,\"empty\":[]},\"last\":null");
    writer_stop(&w);
}

/* As the C library writes them with the fewest digits of 15, 16 and 17 that come back: neither more nor fewer. */
static void numbers_are_as_short_as_they_can_be(void **state)
{
    uint64_t random = 27;

    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        const double magnitude = (double)(random_next(&random) >> random_below(&random, 64));
        const double values[] = {magnitude / 10000, -magnitude / 10000, magnitude / 1000, magnitude / 100000,
                                 magnitude};
        const double value = values[random_below(&random, sizeof values / sizeof values[0])];
        char expected[64], text[32];
        struct writer w;
        struct record r;

        for (int digits = 15; digits <= 17; digits++) {
            const bool whole = fabs(value) <= 9007199254740992.0 && value == floor(value);
            if (whole)
                snprintf(text, sizeof text, "%.0f", value);
            else
                snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
        snprintf(expected, sizeof expected, "{\"t\":\"x\",\"v\":%s,", text);
        start(&w, 1);
        record_start(&r, &w, "x");
        record_number(&r, "v", value);
        record_send(&r);
        assert_memory_equal(stores[0].text, expected, strlen(expected));
        writer_stop(&w);
    }
}

static void unbalanced_records_become_a_warning(void **state)
{
    struct writer w;
    struct record r;

    (void)state;
    for (unsigned fault = 0; fault < 5; fault++) {
        start(&w, 1);
        record_start(&r, &w, "curve");
        if (fault == 0) {
            record_array(&r, "open");
        } else if (fault == 1) {
            record_close(&r);
        } else if (fault == 2) {
            record_number(&r, NULL, 1);
        } else if (fault == 3) {
            record_array(&r, "a");
            record_number(&r, "key", 1);
            record_close(&r);
        } else {
            for (unsigned i = 0; i < 40; i++)
                record_array(&r, i > 0 ? NULL : "deep");
            for (unsigned i = 0; i < 40; i++)
                record_close(&r);
        }
        record_send(&r);
        assert_int_equal(lines_in(stores[0].text, stores[0].used), 1);
        assert_true(record_line_good(stores[0].text, stores[0].used - 1));
        assert_non_null(strstr(stores[0].text, "\"t\":\"warning\",\"subject\":\"curve\""));
        assert_int_equal(w.lost, 1);
        writer_stop(&w);
    }
}

/* ---- Random records, compared with what Python's json and zlib read --------------------------------------- */

struct random_record {
    struct record r;
    FILE *steps;
    uint64_t *random;
    unsigned keys;
};

static void print_hex(FILE *f, const char *text)
{
    for (; *text; text++)
        fprintf(f, "%02x", (unsigned char)*text);
}

static double random_number(uint64_t *random)
{
    union {
        uint64_t bits;
        double number;
    } any = {.bits = random_next(random)};

    switch (random_below(random, 5)) {
    case 0: return any.number;
    case 1: return (double)(int64_t)any.bits / 1024;
    case 2: return (double)random_below(random, 1000000) / 10000;
    case 3: return (double)random_below(random, (uint64_t)1 << 54) - 9007199254740992.0;
    default: return (double)random_below(random, 100);
    }
}

static void random_value(struct random_record *x, bool in_array, unsigned depth);

static void random_group(struct random_record *x, const char *key, bool array, unsigned depth)
{
    if (array)
        record_array(&x->r, key);
    else
        record_object(&x->r, key);
    fputc('\n', x->steps);
    for (uint64_t count = random_below(x->random, 5); count > 0; count--)
        random_value(x, array, depth + 1);
    record_close(&x->r);
    fputs("close\n", x->steps);
}

static void random_value(struct random_record *x, bool in_array, unsigned depth)
{
    static const char *const operations[] = {"text", "number", "integer", "hex", "boolean", "null", "array", "object"};
    uint64_t operation = random_below(x->random, depth < 6 ? 8 : 6), n = random_next(x->random);
    char key_text[80], text[64];
    const char *key = in_array ? NULL : key_text;
    union {
        double number;
        uint64_t bits;
    } value = {.number = random_number(x->random)};

    snprintf(key_text, sizeof key_text, "%u", x->keys++); /* no two alike */
    random_text(key_text + strlen(key_text), 60, x->random);
    fprintf(x->steps, "%s ", operations[operation]);
    if (key)
        print_hex(x->steps, key);
    else
        fputc('-', x->steps);
    fputc(' ', x->steps);

    switch (operation) {
    case 0:
        random_text(text, sizeof text, x->random);
        record_text(&x->r, key, text);
        print_hex(x->steps, text);
        break;
    case 1:
        record_number(&x->r, key, value.number);
        fprintf(x->steps, "%016llx", (unsigned long long)value.bits);
        break;
    case 2:
        record_integer(&x->r, key, n);
        fprintf(x->steps, "%llx", (unsigned long long)n);
        break;
    case 3:
        record_hex(&x->r, key, n);
        fprintf(x->steps, "%llx", (unsigned long long)n);
        break;
    case 4:
        record_boolean(&x->r, key, n & 1);
        fprintf(x->steps, "%d", (int)(n & 1));
        break;
    case 5: record_null(&x->r, key); break;
    default: random_group(x, key, operation == 6, depth); return;
    }
    fputc('\n', x->steps);
}

static void random_records_are_what_python_reads(void **state)
{
    enum { RECORDS = 300 };
    char lines_name[] = "/tmp/fathom-record-XXXXXX", steps_name[] = "/tmp/fathom-record-XXXXXX", command[200];
    FILE *lines = fdopen(mkstemp(lines_name), "w"), *steps = fdopen(mkstemp(steps_name), "w"), *python;
    uint64_t random = 2026;
    struct writer w;
    int count = 0;

    (void)state;
    assert_non_null(lines);
    assert_non_null(steps);
    start(&w, 1);
    for (unsigned i = 0; i < RECORDS; i++) {
        struct random_record x = {.steps = steps, .random = &random};

        record_start(&x.r, &w, "table");
        fprintf(steps, "text 74 7461626c65\n"); /* t: table */
        for (uint64_t values = random_below(&random, 8); values > 0; values--)
            random_value(&x, false, 0);
        record_send(&x.r);
        fputs("send\n", steps);
        fwrite(stores[0].text, 1, stores[0].used, lines);
        assert_true(record_line_good(stores[0].text, stores[0].used - 1));
        stores[0].used = 0;
    }
    writer_stop(&w);
    fclose(lines);
    fclose(steps);
    snprintf(command, sizeof command, "python3 tests/unit/record_check.py %s %s", lines_name, steps_name);
    python = popen(command, "r");
    assert_non_null(python);
    assert_int_equal(fscanf(python, "%d", &count), 1);
    assert_int_equal(pclose(python), 0);
    assert_int_equal(count, RECORDS);
    unlink(lines_name);
    unlink(steps_name);
}

/* ---- Reading back ----------------------------------------------------------------------------------------- */

static bool value_of(const char *line, const char *key, char *out, size_t room)
{
    size_t bytes = strlen(line);
    char *copy = malloc(bytes); /* of exactly this length, so that the sanitizer notices a read past it */
    bool found;

    memcpy(copy, line, bytes);
    found = record_line_value(copy, bytes, key, out, room);
    free(copy);
    return found;
}

static void values_of_a_line(void **state)
{
    static const char line[] =
        "{\"t\":\"run\",\"nested\":{\"x\":\"]}\",\"a\":[1,{\"x\":2}]},\"x\":\"q\\\"\\\\\\/\\n\\u00e9\\u20AC\","
        "\"n\":-1.5e+300,\"b\":true,\"key \\\"\\u0041\":7,\"empty\":\"\",\"c\":\"01234567\"}";
    char out[64];

    (void)state;
    assert_true(value_of(line, "t", out, sizeof out));
    assert_string_equal(out, "run");
    assert_true(value_of(line, "x", out, sizeof out));
    assert_string_equal(out, "q\"\\/\n\xc3\xa9\xe2\x82\xac");
    assert_true(value_of(line, "n", out, sizeof out));
    assert_string_equal(out, "-1.5e+300");
    assert_true(value_of(line, "b", out, sizeof out));
    assert_string_equal(out, "true");
    assert_true(value_of(line, "key \"A", out, sizeof out));
    assert_string_equal(out, "7");
    assert_true(value_of(line, "empty", out, sizeof out));
    assert_string_equal(out, "");
    assert_false(value_of(line, "nested", out, sizeof out));
    assert_false(value_of(line, "a", out, sizeof out));
    assert_false(value_of(line, "absent", out, sizeof out));
    assert_false(value_of(line, "", out, sizeof out));

    assert_true(value_of(line, "n", out, 4));
    assert_string_equal(out, "");
    assert_true(value_of(line, "t", out, 3));
    assert_string_equal(out, "ru");
    assert_true(value_of(line, "t", out, 1));
    assert_string_equal(out, "");
    assert_false(value_of(line, "t", out, 0));
    for (size_t bytes = 0; bytes < sizeof line - 1; bytes++) {
        char *cut = strndup(line, bytes);

        assert_false(value_of(cut, "absent", out, sizeof out));
        free(cut);
    }
}

static void fields_come_in_order(void **state)
{
    static const char line[] = "{\"t\":\"x\",\"o\":{\"a\":[1,\"]\"],\"b\":null},\"s\":\"q\\\"\",\"c\":\"01234567\"}";
    static const char *const keys[] = {"t", "o", "s", "c"}, *const inside[] = {"a", "b"};
    static const char *const values[] = {"[1,\"]\"]", "null"};
    struct record_field f, g;
    char text[16];
    size_t at = 0, count = 0, deep = 0;

    (void)state;
    for (; record_line_field(line, sizeof line - 1, &at, &f); count++) {
        assert_string_equal(f.key, keys[count]);
        for (size_t there = 0; *f.value == '{' && record_line_field(f.value, f.bytes, &there, &g); deep++) {
            assert_string_equal(g.key, inside[deep]);
            assert_int_equal(g.bytes, strlen(values[deep]));
            assert_memory_equal(g.value, values[deep], g.bytes);
        }
        if (count == 2) {
            record_field_text(&f, text, sizeof text);
            assert_string_equal(text, "q\"");
        }
    }
    assert_int_equal(count, 4);
    assert_int_equal(deep, 2);
}

static void text_survives_the_round_trip(void **state)
{
    uint64_t random = 77;
    struct writer w;

    (void)state;
    start(&w, 1);
    for (unsigned i = 0; i < 2000; i++) {
        char text[64], once[256], twice[256];
        struct record r;

        random_text(text, sizeof text, &random);
        /* After the first pass has replaced what is no UTF-8, a text comes back as it went in. */
        for (unsigned pass = 0; pass < 2; pass++) {
            stores[0].used = 0;
            record_start(&r, &w, "finding");
            record_text(&r, "value", pass == 0 ? text : once);
            record_send(&r);
            assert_true(record_line_value(stores[0].text, stores[0].used - 1, "value", pass == 0 ? once : twice, 256));
        }
        assert_string_equal(once, twice);
        assert_true(strlen(once) >= strlen(text));
    }
    writer_stop(&w);
}

static void damaged_lines_are_recognised(void **state)
{
    struct writer w;
    char *line;
    size_t bytes;

    (void)state;
    start(&w, 1);
    record_warning(&w, "subject", "text");
    line = stores[0].text;
    bytes = stores[0].used - 1;
    assert_true(record_line_good(line, bytes));
    for (size_t cut = 0; cut < bytes; cut++)
        assert_false(record_line_good(line, cut));
    for (size_t skipped = 1; skipped <= bytes; skipped++)
        assert_false(record_line_good(line + skipped, bytes - skipped));
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        line[bit / 8] ^= (char)(1 << bit % 8);
        assert_false(record_line_good(line, bytes));
        line[bit / 8] ^= (char)(1 << bit % 8);
    }
    writer_stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_is_ieee_802_3),
        cmocka_unit_test(a_line_as_it_is_written),
        cmocka_unit_test(numbers_are_as_short_as_they_can_be),
        cmocka_unit_test(unbalanced_records_become_a_warning),
        cmocka_unit_test(random_records_are_what_python_reads),
        cmocka_unit_test(values_of_a_line),
        cmocka_unit_test(fields_come_in_order),
        cmocka_unit_test(text_survives_the_round_trip),
        cmocka_unit_test(damaged_lines_are_recognised),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
