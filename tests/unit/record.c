/* Records are JSON with a right checksum, and no sink announces what the volume may still lose. */
/* libs: -lm -Wl,--wrap=malloc -Wl,--wrap=realloc */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/record.h"
#include "lib/engine/statistics.h"

/* ---- What stands around the writer --------------------------------------------------------------- */

static double seconds;

double machine_seconds(void)
{
    return seconds;
}

/* How many allocations succeed before all fail; -1: all succeed. */
static long allocations_left = -1;

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool may_allocate(void)
{
    if (allocations_left > 0)
        allocations_left--;
    return allocations_left != 0;
}

void *__wrap_malloc(size_t bytes)
{
    return may_allocate() ? __real_malloc(bytes) : NULL;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return may_allocate() ? __real_realloc(old, bytes) : NULL;
}

/*
 * A sink that keeps what it is given. `stable` is how much of it a power cut would leave. A sink with
 * `after` announces: it fails the test when it is given a line that `after` could still lose.
 */
struct store {
    char text[400000];
    size_t used, stable;
    const struct store *after;
    uint64_t *random; /* decides which calls fail; NULL: none */
    unsigned fail_one_in;
    bool broken, flushes;
    unsigned calls_after_failure;
};

static bool call_fails(struct store *s)
{
    if (s->broken)
        s->calls_after_failure++;
    if (s->random && random_below(s->random, s->fail_one_in) == 0)
        s->broken = true;
    return s->broken;
}

static bool store_write(void *context, const char *bytes, size_t count)
{
    struct store *s = context;

    assert_true(count > 0 && bytes[count - 1] == '\n');
    assert_null(memchr(bytes, '\n', count - 1));
    assert_true(sizeof s->text - s->used > count);
    if (s->after && !s->after->broken) {
        char *line = strndup(bytes, count);

        assert_non_null(memmem(s->after->text, s->after->stable, line, count));
        free(line);
    }
    if (call_fails(s))
        return false;
    memcpy(s->text + s->used, bytes, count);
    s->used += count;
    s->text[s->used] = 0;
    if (!s->flushes)
        s->stable = s->used;
    return true;
}

static bool store_flush(void *context)
{
    struct store *s = context;

    if (call_fails(s))
        return false;
    s->stable = s->used;
    return true;
}

static struct store stores[3];

/* A volume with a flush, a serial line without one, and a file with one. */
static void start(struct writer *w, size_t sinks)
{
    static const char *const names[] = {"volume", "serial", "file"};

    memset(stores, 0, sizeof stores);
    seconds = 1000;
    writer_start(w);
    for (size_t i = 0; i < sinks; i++) {
        stores[i].flushes = i != 1;
        stores[i].after = i > 0 ? &stores[0] : NULL;
        assert_true(writer_add(w, (struct sink){
                                      .name = names[i],
                                      .context = &stores[i],
                                      .write = store_write,
                                      .flush = stores[i].flushes ? store_flush : NULL,
                                  }));
    }
    w->last_flush = seconds;
}

static unsigned lines_in(const char *text, size_t bytes)
{
    unsigned lines = 0;

    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

static void send_empty(struct writer *w, const char *kind)
{
    struct record r;

    record_start(&r, w, kind);
    record_send(&r);
}

/* ---- What a line holds --------------------------------------------------------------------------- */

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

/* ---- Random records, held against Python's json and zlib ------------------------------------------ */

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

static void random_text(char *out, size_t room, uint64_t *random)
{
    /* Whole, cut, overlong, surrogate and out-of-range sequences among plain bytes. */
    static const char *const pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "\x7f",
                                         "\xc2\x80",
                                         "\xc3\xa9",
                                         "/",
                                         " ",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xed\xa0\x80",
                                         "\xc0\xaf",
                                         "\xf4\x90\x80\x80",
                                         "\xe2\x82",
                                         "\xf0\x9f",
                                         "\x80",
                                         "\xff",
                                         "\xef\xbf\xbf"};
    size_t used = 0;

    for (uint64_t count = random_below(random, 12); count > 0; count--) {
        char byte[2] = {(char)(1 + random_below(random, 255)), 0};
        uint64_t pick = random_below(random, 28);
        const char *piece = pick < 20 ? pieces[pick] : byte;

        if (used + strlen(piece) + 1 > room)
            break;
        memcpy(out + used, piece, strlen(piece));
        used += strlen(piece);
    }
    out[used] = 0;
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

static void random_records_read_back_elsewhere(void **state)
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

/* ---- The writer ------------------------------------------------------------------------------------ */

static void only_bulk_waits_for_a_flush(void **state)
{
    const char *const at_once[] = {"run",     "machine", "environment", "start", "fault",
                                   "finding", "end",     "warning",     "done"};
    const char *const waits[] = {"curve", "matrix", "table"};
    struct writer w;

    (void)state;
    start(&w, 2);
    for (size_t i = 0; i < 9; i++) {
        send_empty(&w, at_once[i]);
        assert_int_equal(stores[0].stable, stores[0].used);
        assert_int_equal(lines_in(stores[1].text, stores[1].used), i + 1);
    }
    for (size_t i = 0; i < 3; i++) {
        size_t stable = stores[0].stable, announced = stores[1].used;

        send_empty(&w, waits[i]);
        send_empty(&w, waits[i]);
        assert_int_equal(stores[0].stable, stable);
        assert_int_equal(stores[1].used, announced);
        send_empty(&w, at_once[i]);
        assert_int_equal(stores[0].stable, stores[0].used);
        assert_int_equal(stores[1].used, stores[0].used);
        assert_memory_equal(stores[1].text, stores[0].text, stores[0].used);
    }
    assert_int_equal(w.lines, 18);
    assert_int_equal(w.lost, 0);
    writer_stop(&w);
}

/* A brief sink, first or later, gets the same lines in the same order but for what is bulk. */
static void a_slow_line_is_spared_bulk(void **state)
{
    const char *const kinds[] = {"run", "curve", "finding", "table", "matrix", "end"};

    (void)state;
    for (unsigned brief = 0; brief < 2; brief++) {
        struct writer w;

        start(&w, 2);
        w.sinks[brief].brief = true;
        stores[1].after = brief ? &stores[0] : NULL; /* where the first one is spared, the other has more than it */
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            send_empty(&w, kinds[i]);
        writer_flush(&w, true);
        assert_int_equal(lines_in(stores[brief].text, stores[brief].used), 3);
        assert_int_equal(lines_in(stores[!brief].text, stores[!brief].used), 6);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            char line[32];
            snprintf(line, sizeof line, "{\"t\":\"%s\"", kinds[i]);
            assert_non_null(memmem(stores[!brief].text, stores[!brief].used, line, strlen(line)));
            assert_true((memmem(stores[brief].text, stores[brief].used, line, strlen(line)) != NULL) ==
                        (i == 0 || i == 2 || i == 5));
        }
        assert_int_equal(w.lost, 0);
        writer_stop(&w);
    }
}

static void bulk_waits_a_quarter_second_at_most(void **state)
{
    struct writer w;

    (void)state;
    start(&w, 2);
    send_empty(&w, "curve");
    writer_flush(&w, false);
    assert_int_equal(stores[1].used, 0);
    seconds += 0.26;
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 2);
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 2);
    seconds += 0.26;
    writer_flush(&w, false);
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 3);
    send_empty(&w, "curve");
    writer_flush(&w, true);
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 4);
    seconds -= 500; /* a clock that steps back must not stop the flushing */
    send_empty(&w, "curve");
    assert_int_equal(lines_in(stores[1].text, stores[1].used), 5);
    writer_stop(&w);
}

static void no_more_sinks_than_there_is_room_for(void **state)
{
    struct writer w;

    (void)state;
    start(&w, 3);
    assert_true(writer_add(&w, w.sinks[0]));
    assert_false(writer_add(&w, w.sinks[0]));
    start(&w, 0);
    send_empty(&w, "curve");
    send_empty(&w, "end");
    assert_int_equal(w.lines, 2);
    writer_stop(&w);
}

static void a_lost_volume_is_told_before_what_it_lost(void **state)
{
    uint64_t random = 1;
    struct writer w;
    const char *warning, *curve;

    (void)state;
    start(&w, 2);
    send_empty(&w, "curve");
    stores[0].random = &random; /* the next call, a flush, fails */
    stores[0].fail_one_in = 1;
    writer_flush(&w, true);
    warning = strstr(stores[1].text, "\"t\":\"warning\",\"subject\":\"volume\"");
    curve = strstr(stores[1].text, "\"t\":\"curve\"");
    assert_non_null(warning);
    assert_non_null(curve);
    assert_true(warning < curve);
    assert_int_equal(w.lost, 2); /* the curve, and the warning that the volume could not take */
    assert_int_equal(stores[0].calls_after_failure, 0);
    writer_stop(&w);
}

/*
 * Sinks fail at random. The others go on, miss nothing, get every line in order and once, and one
 * warning for each failure; what is missing anywhere is counted. That a line is announced only after
 * its flush is checked by store_write.
 */
static void sinks_fail_at_random(void **state)
{
    uint64_t random = 99;

    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        static const char *const kinds[] = {"curve", "table", "curve", "finding", "end", "matrix"};
        struct writer w;
        unsigned failures = 0, sent = 0;
        uint64_t missing = 0;

        start(&w, 1 + round % 3);
        for (size_t i = 0; i < w.sink_count; i++) {
            stores[i].random = random_below(&random, 3) > 0 ? &random : NULL;
            stores[i].fail_one_in = 5 + (unsigned)random_below(&random, 100);
        }
        for (; sent < 60; sent++) {
            struct record r;

            record_start(&r, &w, kinds[random_below(&random, 6)]);
            record_integer(&r, "number", sent);
            record_send(&r);
            seconds += (double)random_below(&random, 100) / 1000;
        }
        writer_stop(&w);

        for (size_t i = 0; i < w.sink_count; i++) {
            const struct store *s = &stores[i];
            unsigned expected = 0;

            failures += s->broken;
            assert_int_equal(w.sinks[i].failed, s->broken);
            assert_int_equal(s->calls_after_failure, 0);
            missing += w.lines - lines_in(s->text, s->stable);
            for (const char *line = s->text; *line; line = strchr(line, '\n') + 1) {
                char number[24];
                size_t bytes = (size_t)(strchr(line, '\n') - line);

                assert_true(record_line_good(line, bytes));
                if (record_line_value(line, bytes, "number", number, sizeof number))
                    assert_int_equal(strtoul(number, NULL, 10), expected++);
            }
            if (!s->broken)
                assert_int_equal(expected, sent);
        }
        assert_int_equal(w.lines, sent + failures);
        assert_int_equal(w.lost, missing);
    }
}

/* Every allocation in turn is the one from which on there is no memory. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (long left = 0; left < 40; left++) {
        struct writer w;
        struct record r;

        start(&w, 2);
        allocations_left = left;
        for (unsigned i = 0; i < 8; i++) {
            record_start(&r, &w, "curve");
            for (unsigned n = 0; n < 200; n++)
                record_text(&r, "key", "a value of some length");
            record_send(&r);
        }
        record_warning(&w, "subject", "text");
        send_empty(&w, "end");
        allocations_left = -1;
        writer_stop(&w);
        assert_int_equal(lines_in(stores[0].text, stores[0].stable), 10);
        assert_int_equal(stores[1].used, stores[0].used);
        assert_memory_equal(stores[1].text, stores[0].text, stores[0].used);
        for (const char *line = stores[0].text; *line; line = strchr(line, '\n') + 1)
            assert_true(record_line_good(line, (size_t)(strchr(line, '\n') - line)));
        if (left == 0)
            assert_non_null(strstr(stores[0].text, "\"subject\":\"curve\",\"text\":\"record lost: out of memory\""));
    }
}

/* ---- Reading back ---------------------------------------------------------------------------------- */

static bool value_of(const char *line, const char *key, char *out, size_t room)
{
    size_t bytes = strlen(line);
    char *copy = malloc(bytes); /* of just this length, so that a read past it is seen */
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

static void fields_are_walked_in_order(void **state)
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
        /* Once cleaned of what is no UTF-8, a text comes back as it went in. */
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

static void good_lines_are_told_from_bad(void **state)
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
        cmocka_unit_test(unbalanced_records_become_a_warning),
        cmocka_unit_test(random_records_read_back_elsewhere),
        cmocka_unit_test(only_bulk_waits_for_a_flush),
        cmocka_unit_test(a_slow_line_is_spared_bulk),
        cmocka_unit_test(bulk_waits_a_quarter_second_at_most),
        cmocka_unit_test(no_more_sinks_than_there_is_room_for),
        cmocka_unit_test(a_lost_volume_is_told_before_what_it_lost),
        cmocka_unit_test(sinks_fail_at_random),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(values_of_a_line),
        cmocka_unit_test(fields_are_walked_in_order),
        cmocka_unit_test(text_survives_the_round_trip),
        cmocka_unit_test(good_lines_are_told_from_bad),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
