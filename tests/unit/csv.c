/*
 * Tables of numbers as people write them: every dialect gives the same fields, every mistake is reported with its
 * place.
 */
/* link: boot/linux/csv.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/linux/csv.h"

/* All rows as "[line|field|field]", one after the other. */
static char rows[16384];
static struct csv csv;

static bool write_row(void *context, struct csv *c)
{
    size_t used = strlen(rows);

    assert_ptr_equal(context, rows);
    assert_in_range(c->count, 1, c->columns);
    used += (size_t)snprintf(rows + used, sizeof rows - used, "[%u", (unsigned)c->line);
    for (size_t i = 0; i < c->count; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "|%s", c->field[i]);
    snprintf(rows + used, sizeof rows - used, "]");
    return true;
}

/* In pieces of so many bytes, each from a heap block of just this length, so that a read past it is seen. */
static bool read_in_pieces(const char *text, size_t bytes, size_t piece)
{
    bool good = true;

    rows[0] = 0;
    csv_start(&csv, write_row, rows);
    for (size_t at = 0; at < bytes && good; at += piece) {
        size_t count = bytes - at < piece ? bytes - at : piece;
        char *copy = malloc(count);
        memcpy(copy, text + at, count);
        good = csv_feed(&csv, copy, count);
        free(copy);
    }
    return good && csv_end(&csv);
}

static void assert_bytes_read(const char *text, size_t bytes, const char *expected)
{
    for (size_t piece = 1; piece <= bytes + 1; piece += piece < 8 ? 1 : bytes) {
        assert_true(read_in_pieces(text, bytes, piece));
        assert_string_equal(rows, expected);
        assert_string_equal(csv.error, "");
    }
}

static void assert_read(const char *text, const char *expected)
{
    assert_bytes_read(text, strlen(text), expected);
}

/* The reading ends at this line, with these words in its reason, and stays ended. */
static void assert_refused(const char *text, size_t bytes, unsigned line, const char *words)
{
    for (size_t piece = 1; piece <= bytes; piece += piece < 8 ? 1 : bytes) {
        assert_false(read_in_pieces(text, bytes, piece));
        assert_int_equal(csv.line, line);
        if (!strstr(csv.error, words))
            fail_msg("'%s' is not in '%s'", words, csv.error);
        assert_false(csv_feed(&csv, "1,2\n", 4));
        assert_false(csv_end(&csv));
    }
}

static void separators_and_blanks(void **state)
{
    (void)state;
    assert_read("1,2\n3,4\n", "[1|1|2][2|3|4]");
    assert_read("1;2\n3;4", "[1|1|2][2|3|4]");
    assert_read("1\t2\n3\t4\n", "[1|1|2][2|3|4]");
    assert_read("1 2\n3    4\n  5 6  \n7\t8\n", "[1|1|2][2|3|4][3|5|6][4|7|8]");
    assert_read(" 1 , 2 \n 3\t,\t4\t\n", "[1|1|2][2|3|4]");
    assert_read(" 1 \t 2 \n", "[1|1|2]");
    /* The first line decides: no later one changes what separates. */
    assert_read("a,b\n1,2;3\n", "[1|a|b][2|1|2;3]");
    assert_read("a;b\n1,5;2\n", "[1|a|b][2|1,5|2]");
    assert_read("x\n1\n", "[1|x][2|1]");
}

static void empty_fields_and_lines(void **state)
{
    (void)state;
    assert_read("", "");
    assert_read("\n \n\t\n\r\n", "");
    assert_read("1,,3\n,5,\n", "[1|1||3][2||5|]");
    assert_read("1\t\t3\n\t5\t\n", "[1|1||3][2||5|]");
    assert_read("1,2\n3,4,,\n5\n", "[1|1|2][2|3|4][3|5]");
    assert_read("\n\n1,2\n\n3,4\n\n", "[3|1|2][5|3|4]");
}

static void ends_of_lines_and_marks(void **state)
{
    (void)state;
    assert_read("1,2\r\n3,4\r\n", "[1|1|2][2|3|4]");
    assert_read("1,2\r\n3,4\r", "[1|1|2][2|3|4]");
    assert_read("\xef\xbb\xbfsize,min\n1,2\n", "[1|size|min][2|1|2]");
    assert_read("a,b\n\xef\xbb\xbfsize,min\n1,2\n", "[1|a|b][2|size|min][3|1|2]");
    assert_read("\xef\xbb\xbf", "");
}

static void comments(void **state)
{
    (void)state;
    assert_read("# by hand\n1,2\n  # more\n3,4 # good\n", "[2|1|2][4|3|4]");
    assert_read("#\n#,;\n1;2\n", "[3|1|2]");
    assert_read("1#2,3\n", "[1|1#2|3]");
    assert_read("\"a # b\",3\n", "[1|a # b|3]");
    assert_read("1 2 # a, b\n", "[1|1|2]"); /* what a comment holds does not separate */
}

static void quotes(void **state)
{
    (void)state;
    assert_read("\"size, in bytes\",min\n\"1\",\"2\"\n", "[1|size, in bytes|min][2|1|2]");
    assert_read("\"a \"\"b\"\"\" , c\n", "[1|a \"b\"|c]");
    assert_read("\"a \"\"b;\t# c\"\"\",d\n", "[1|a \"b;\t# c\"|d]");
    assert_read("\"a b\" c\n\"\" d\n", "[1|a b|c][2||d]");
    assert_read("\"a;b\"\t\"c\"\n", "[1|a;b|c]");
    assert_read("5\",6\n", "[1|5\"|6]"); /* not at the start: an inch */
    assert_refused("a,b\n1,\"2\n3,4\n", 13, 2, "column 2: a quote is not closed");
    assert_refused("\"a\"b,c\n", 7, 1, "column 1: text after a closing quote");
    assert_refused("\"a\"b c\n", 7, 1, "column 1: text after a closing quote");
}

static void what_is_no_table_is_refused(void **state)
{
    static char text[CSV_LINE_BYTES + 8];
    (void)state;

    assert_refused("1,2\n1\0,2\n", 9, 2, "not plain text");
    assert_refused("\xff\xfe"
                   "1\0,\0",
                   6, 1, "not plain text");
    assert_refused("\xff\xfe", 2, 1, "not plain text");
    /* A decimal comma where the comma separates: 1,5 and 2,5. */
    assert_refused("size,min\n1,5,2,5\n", 17, 2, "decimals need a point");

    /* The longest line that is read, and one byte more. */
    memset(text, ' ', sizeof text);
    memcpy(text, "7,8", 3);
    text[CSV_LINE_BYTES] = '\n';
    assert_true(read_in_pieces(text, CSV_LINE_BYTES + 1, 4096));
    assert_string_equal(rows, "[1|7|8]");
    text[CSV_LINE_BYTES] = ' ';
    assert_false(read_in_pieces(text, CSV_LINE_BYTES + 1, 4096));
    assert_int_equal(csv.line, 1);
    assert_non_null(strstr(csv.error, "a line of more than"));

    /* As many columns as there may be, and one more. */
    memset(text, ',', CSV_COLUMNS);
    assert_true(read_in_pieces(text, CSV_COLUMNS - 1, 4096));
    assert_int_equal(csv.columns, CSV_COLUMNS);
    assert_false(read_in_pieces(text, CSV_COLUMNS, 4096));
    assert_non_null(strstr(csv.error, "more than 1024 columns"));
}

static bool refuse_second(void *context, struct csv *c)
{
    unsigned *seen = context;

    if (++*seen == 2)
        snprintf(c->error, sizeof c->error, "no");
    return *seen < 2;
}

static void the_reader_of_rows_may_stop(void **state)
{
    unsigned seen = 0;
    (void)state;

    csv_start(&csv, refuse_second, &seen);
    assert_false(csv_feed(&csv, "1\n2\n3\n", 6));
    assert_int_equal(seen, 2);
    assert_int_equal(csv.line, 2);
    assert_false(csv_feed(&csv, "4\n", 2));
    assert_int_equal(seen, 2);
}

static void numbers(void **state)
{
    static const struct {
        const char *field;
        double number;
    } good[] = {{"0", 0},         {"-1.5", -1.5},
                {"+2", 2},        {".5", .5},
                {"5.", 5},        {"1e3", 1000},
                {"1E-2", .01},    {"0x40", 64},
                {"0.1", 0.1},     {"  7", 7},
                {"-0", -0.0},     {"9007199254740993", 9007199254740992.0},
                {"1e308", 1e308}, {"4.9e-324", 4.9e-324}};
    static const char *const missing[] = {"",    "-",   "nan",  "NaN",  "-nan",     "nan(2)", "NA",
                                          "n/a", "N/A", "null", "None", "infinity", "-inf",   "1e999"};
    static const char *const text[] = {"size", "1,5", "1.5.2", "12 ns", "0x", "1e", "--", ".", "#", "1_000", "nano"};
    double number;
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(csv_value(good[i].field, &number), CSV_NUMBER);
        assert_memory_equal(&number, &good[i].number, sizeof number);
    }
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        assert_int_equal(csv_value(missing[i], &number), CSV_MISSING);
        assert_true(isnan(number));
    }
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_int_equal(csv_value(text[i], &number), CSV_TEXT);
        assert_true(isnan(number));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_and_blanks),
        cmocka_unit_test(empty_fields_and_lines),
        cmocka_unit_test(ends_of_lines_and_marks),
        cmocka_unit_test(comments),
        cmocka_unit_test(quotes),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(the_reader_of_rows_may_stop),
        cmocka_unit_test(numbers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
