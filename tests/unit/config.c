/* Configuration: every key works, and no input stops a run or floods it with warnings. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/plan/config.h"

/* The warnings of a parse: their number, and all of them as lines `subject: text`. */
struct said {
    unsigned count;
    char text[16384];
};

static void note(void *context, const char *subject, const char *text)
{
    struct said *said = context;
    size_t used = strlen(said->text);

    said->count++;
    for (const char *at = text; *at; at++)
        assert_true(*at >= ' ' && *at <= '~');
    snprintf(said->text + used, sizeof said->text - used, "%s: %s\n", subject, text);
}

/* From a block of exactly this length, so that the sanitizer notices a read past it. */
static struct said parse_bytes(struct config *c, const void *text, size_t bytes)
{
    struct said said = {0};
    char *copy = malloc(bytes);

    if (bytes > 0)
        memcpy(copy, text, bytes);
    config_parse(c, "FATHOM.CFG", copy, bytes, note, &said);
    free(copy);
    return said;
}

static struct said parse(struct config *c, const char *text)
{
    config_defaults(c);
    return parse_bytes(c, text, strlen(text));
}

static void assert_defaults(const struct config *c)
{
    assert_string_equal(c->probes, "");
    assert_string_equal(c->notes, "");
    assert_string_equal(c->events, "");
    assert_string_equal(c->kernels, "");
    assert_string_equal(c->forms, "");
    assert_string_equal(c->prefetch, "as-found");
    assert_string_equal(c->frequency, "as-found");
    assert_false(c->risky_prefetch || c->risky_cores);
    assert_int_equal(c->profile, PROFILE_QUICK);
    assert_int_equal(c->after, AFTER_STAY);
    assert_int_equal(c->repeat, 1);
    assert_int_equal(c->memory_mib, 0);
    assert_int_equal(c->deadline_ms, 1000);
    assert_string_equal(c->cores, "one-per-type");
    assert_false(c->retry);
    assert_int_equal(c->serial, SERIAL_AUTO);
    assert_true(c->own);
    assert_true(c->windows);
    assert_int_equal(c->watchdog, 0);
    assert_int_equal(c->menu_seconds, 5);
}

static void every_key_is_set(void **state)
{
    struct config c;
    struct said said = parse(&c, "# a comment\n\nprobes = cache, l1i return_stack\nprofile=full\n after\t=\tpoweroff \n"
                                 "repeat = 1000000\nmemory = 1048576\ndeadline = 10\ncores = 0, 2 4-7\nretry = all\n"
                                 "serial = off\nown = off\nwindows = off\nwatchdog = 10\nmenu = OFF\nbringup = off\n"
                                 "hang = apic@0\nfault = el1-worker@1\nomit = page@2\nnotes = bench #3, = sign");

    (void)state;
    assert_string_equal(said.text, "");
    assert_string_equal(c.probes, "cache, l1i return_stack");
    assert_int_equal(c.profile, PROFILE_FULL);
    assert_int_equal(c.after, AFTER_POWEROFF);
    assert_int_equal(c.repeat, 1000000);
    assert_int_equal(c.memory_mib, 1048576);
    assert_int_equal(c.deadline_ms, 10);
    assert_string_equal(c.cores, "0, 2 4-7");
    assert_true(c.retry);
    assert_int_equal(c.serial, SERIAL_OFF);
    assert_false(c.own);
    assert_false(c.windows);
    assert_int_equal(c.bringup, BRINGUP_OFF);
    assert_string_equal(c.hang, "apic@0");
    assert_string_equal(c.fault, "el1-worker@1");
    assert_string_equal(c.omit, "page@2");
    assert_int_equal(c.watchdog, 10);
    assert_int_equal(c.menu_seconds, 0);
    assert_string_equal(c.notes, "bench #3, = sign");
}

static void every_word_is_known(void **state)
{
    struct config c;
    char text[64];

    (void)state;
    for (unsigned i = 0; i < PROFILES; i++) {
        snprintf(text, sizeof text, "profile = %s", profile_names[i]);
        assert_int_equal(parse(&c, text).count, 0);
        assert_int_equal(c.profile, i);
    }
    for (unsigned i = 0; i < AFTERS; i++) {
        snprintf(text, sizeof text, "After = %s", after_names[i]);
        assert_int_equal(parse(&c, text).count, 0);
        assert_int_equal(c.after, i);
    }
    for (unsigned i = 0; i < SERIALS; i++) {
        snprintf(text, sizeof text, "serial = %s", serial_names[i]);
        assert_int_equal(parse(&c, text).count, 0);
        assert_int_equal(c.serial, i);
    }
    assert_int_equal(parse(&c, "memory = all").count, 0);
    assert_int_equal(c.memory_mib, MEMORY_ALL);
    assert_int_equal(parse(&c, "memory = 8").count, 0);
    assert_int_equal(c.memory_mib, 8);
    assert_int_equal(parse(&c, "retry = NONE\nserial = Auto\nwindows = on\nprobes =\nnotes =\nmemory = 0").count, 0);
    assert_defaults(&c);
}

static void comments_end_a_line(void **state)
{
    struct config c;
    struct said said = parse(
        &c, "repeat = 3 # thrice\nmemory = 16#2\nserial = off\t#x\n#after = reboot\n  # memory = 32\n");

    (void)state;
    assert_int_equal(c.repeat, 3);
    assert_int_equal(c.serial, SERIAL_OFF);
    assert_int_equal(c.memory_mib, 0);
    assert_int_equal(c.after, AFTER_STAY);
    assert_int_equal(said.count, 1); /* in 16#2 no blank is in front of the #, so it starts no comment */
}

static void line_ends_and_byte_order_mark(void **state)
{
    const char *const texts[] = {
        "\xef\xbb\xbfrepeat = 2\r\n\r\ndeadline = 50\r\nfoo = 1\r\n",
        "repeat = 2\r\rdeadline = 50\rfoo = 1",
        "repeat = 2\n\ndeadline = 50\nfoo = 1",
        "repeat = 2\r\n\ndeadline = 50\n\rfoo = 1",
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct config c;
        struct said said = parse(&c, texts[i]);

        assert_int_equal(c.repeat, 2);
        assert_int_equal(c.deadline_ms, 50);
        assert_int_equal(said.count, 1);
        assert_non_null(strstr(said.text, i < 3 ? "FATHOM.CFG: line 4: foo: " : "FATHOM.CFG: line 5: foo: "));
    }
}

/* Each warning names line, key, value and what is accepted; the earlier value stays. */
static void bad_values_are_explained(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"\nrepeat = 0", "line 2: repeat: '0' cannot be used; it takes a whole number from 1 to 1000000"},
        {"repeat = 1000001", "'1000001'"},
        {"repeat = 99999999999999999999999", "'99999999999999999999999'"},
        {"repeat = 4294967297", "'4294967297'"},
        {"repeat = -1", "'-1'"},
        {"repeat = 1.5", "'1.5'"},
        {"repeat = 0x10", "'0x10'"},
        {"repeat = 5 MiB", "'5 MiB'"},
        {"repeat =", "repeat: ''"},
        {"memory = 7", "from 8 to 1048576, all, or 0"},
        {"memory = 1048577", "from 8 to 1048576"},
        {"deadline = 9", "from 10 to 60000"},
        {"deadline = 60001", "from 10 to 60000"},
        {"cores = 65536", "from 0 to 65535"},
        {"cores =", "one-per-type, all, or indices"},
        {"cores = 0-", "'0-'"},
        {"cores = 3-2", "'3-2'"},
        {"cores = 1;2", "'1;2'"},
        {"cores = 1 - 2", "'1 - 2'"},
        {"cores = -1", "'-1'"},
        {"cores = 0 all", "'0 all'"},
        {"cores = P", "'P'"},
        {"core = 0", "core: unknown key"},
        {"profile = fast", "smoke, simulated, quick, standard or full"},
        {"after = halt", "stay, reboot, poweroff or return"},
        {"retry = on", "none or all"},
        {"serial = yes", "all, findings or off"},
        {"windows = 1", "on or off"},
        {"watchdog = 9", "off, or a whole number of seconds from 10 to 600"},
        {"watchdog = 601", "off, or a whole number of seconds from 10 to 600"},
        {"watchdog = on", "off, or a whole number of seconds from 10 to 600"},
        {"prefetch = on", "as-found, off, or NAME=off"},
        {"prefetch =", "as-found, off, or NAME=off"},
        {"prefetch = l1d-ip=off, l2-stream=off", "without spaces"},
        {"frequency = fast", "as-found, fixed, highest, or a ratio"},
        {"frequency = 0", "or a ratio"},
        {"frequency = 65536", "or a ratio"},
        {"risky = all", "none, prefetch, cores, or prefetch,cores"},
        {"events = a;b", "names or numbers of events"},
        {"probes = cache;l1i", "names of probes"},
        {"probes = \x1b[31m", "'?[31m'"},
        {"colour = red",
         "colour: unknown key; known are probes, profile, bringup, after, repeat, memory, deadline, cores, "
         "retry, serial, own, windows, watchdog, menu, events, kernels, counters, forms, prefetch, frequency, risky, "
         "hang, fault, omit, notes\n"},
        {"menu = on", "menu: 'on' cannot be used; it takes off, or a whole number of seconds"},
        {"menu = 0", "menu: '0' cannot be used"},
        {"= 3", ": unknown key"},
        {"hello there", "line 1: 'hello there' has no '='"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config c;
        struct said said = parse(&c, cases[i].text);

        assert_int_equal(said.count, 1);
        if (!strstr(said.text, cases[i].says))
            fail_msg("%s says %s", cases[i].text, said.text);
        assert_defaults(&c);
    }
}

static void texts_at_their_longest(void **state)
{
    struct config c;
    char line[400];

    (void)state;
    for (size_t length = 126; length <= 300; length++) {
        bool probes_fit = length < sizeof c.probes, notes_fit = length < sizeof c.notes;

        snprintf(line, sizeof line, "probes=%0*d", (int)length, 0);
        assert_int_equal(parse(&c, line).count, !probes_fit);
        assert_int_equal(strlen(c.probes), probes_fit ? length : 0);
        snprintf(line, sizeof line, "notes=%0*d", (int)length, 0);
        assert_int_equal(parse(&c, line).count, !notes_fit);
        assert_int_equal(strlen(c.notes), notes_fit ? length : 0);
    }
}

/* The last one counts. A later source may override it without a warning. */
static void a_repeated_key_becomes_a_warning(void **state)
{
    struct config c;
    struct said said = parse(&c, "deadline = 11\ndeadline = bad\nDEADLINE = 12\n");

    (void)state;
    assert_int_equal(said.count, 2);
    assert_non_null(strstr(said.text, "line 3: deadline: was set before, on line 1; this one counts"));
    assert_int_equal(c.deadline_ms, 12);
    assert_int_equal(parse_bytes(&c, "deadline=14", 11).count, 0);
    assert_int_equal(c.deadline_ms, 14);
}

static void bytes_that_are_not_text(void **state)
{
    static const char zeros[] = "memory\0 = 16\nmemory = 16\0\nrepeat = 7\n\0";
    static const char utf16[] = "\xff\xfe"
                                "c\0o\0r\0e\0=\0"
                                "1\0\n";
    struct config c;
    struct said said;

    (void)state;
    config_defaults(&c);
    assert_int_equal(parse_bytes(&c, "", 0).count, 0);
    assert_int_equal(parse_bytes(&c, "\xef\xbb\xbf", 3).count, 0);
    assert_int_equal(parse_bytes(&c, "\xef\xbb\xbf\n", 4).count, 0);
    said = parse_bytes(&c, zeros, sizeof zeros - 1);
    assert_int_equal(said.count, 3);
    assert_non_null(strstr(said.text, "line 2: holds a zero byte"));
    assert_int_equal(c.memory_mib, 0);
    assert_int_equal(c.repeat, 7);
    said = parse_bytes(&c, utf16, sizeof utf16);
    assert_int_equal(said.count, 1);
    assert_non_null(strstr(said.text, "UTF-16"));
    assert_int_equal(c.memory_mib, 0);
}

/* A binary file under the name of the configuration gives a handful of warnings. */
static void a_mebibyte_of_noise(void **state)
{
    enum { BYTES = 1 << 20 };
    const char *const fillings[] = {"\n",        "\r",        "=", "=\n", "a", "a\n",
                                    "cores=x\n", "cores=1\n", "#", " ",   "",  "random"};
    char *text = malloc(BYTES);
    uint64_t random = 11;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof fillings / sizeof fillings[0]; i++) {
        struct config c;
        struct said said = {0};
        size_t length = strlen(fillings[i]) + (*fillings[i] == 0);

        for (size_t at = 0; at < BYTES; at++)
            text[at] = i == 11 ? (char)random_next(&random) : fillings[i][at % length];
        config_defaults(&c);
        config_parse(&c, "FATHOM.CFG", text, BYTES, note, &said);
        assert_in_range(said.count, 0, 21);
        if (said.count == 21)
            assert_non_null(strstr(said.text, "further mistakes, from line"));
    }
    free(text);
}

static void exactly_twenty_warnings_are_shown(void **state)
{
    struct config c;
    char text[100] = "";

    (void)state;
    for (unsigned i = 1; i <= 25; i++) {
        struct said said;

        strcat(text, "x\n");
        said = parse(&c, text);
        assert_int_equal(said.count, i < 21 ? i : 21);
        assert_true((strstr(said.text, "further mistakes, from line 21 on") != NULL) == (i > 20));
    }
}

/*
 * The shipped file changes nothing, and documents the default of every key: when the lines of the keys are no longer
 * comments, it still changes nothing.
 */
static void the_shipped_file_documents_every_key(void **state)
{
    static const char *const names[] = {"probes", "profile",  "after",     "repeat",  "memory", "deadline", "cores",
                                        "retry",  "serial",   "own",       "windows", "menu",   "events",   "kernels",
                                        "forms",  "prefetch", "frequency", "risky",   "hang",   "fault",    "omit",
                                        "notes",  "watchdog", "bringup",   "counters"};
    FILE *file = fopen("images/FATHOM.CFG", "r");
    char text[16384], start[32], *at;
    struct config c;
    size_t bytes;

    (void)state;
    assert_non_null(file);
    bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = 0;
    fclose(file);
    assert_in_range(bytes, 1, sizeof text - 2);
    assert_string_equal(parse(&c, text).text, "");
    assert_defaults(&c);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(start, sizeof start, "\n# %s =", names[i]);
        at = strstr(text, start);
        if (!at)
            fail_msg("%s is not documented", names[i]);
        at[1] = ' ';
    }
    c = (struct config){.repeat = 77};
    assert_string_equal(parse_bytes(&c, text, bytes).text, "");
    assert_defaults(&c);
}

/* A reason is cut to the room that there is. */
static void reasons_fit_their_room(void **state)
{
    struct config c;

    (void)state;
    config_defaults(&c);
    for (size_t room = 1; room < 200; room++) {
        char *why = malloc(room);

        assert_non_null(why);
        assert_false(config_set(&c, "no such key, and a long one at that, so that it is cut", "1", why, room));
        assert_true(strlen(why) < room);
        assert_false(config_set(&c, "cores", "none, and that is a long value that has to be cut", why, room));
        assert_true(strlen(why) < room);
        free(why);
    }
    assert_true(config_set(&c, "cores", "ALL", NULL, 0));
    assert_string_equal(c.cores, "ALL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_set),
        cmocka_unit_test(every_word_is_known),
        cmocka_unit_test(comments_end_a_line),
        cmocka_unit_test(line_ends_and_byte_order_mark),
        cmocka_unit_test(bad_values_are_explained),
        cmocka_unit_test(texts_at_their_longest),
        cmocka_unit_test(a_repeated_key_becomes_a_warning),
        cmocka_unit_test(bytes_that_are_not_text),
        cmocka_unit_test(a_mebibyte_of_noise),
        cmocka_unit_test(exactly_twenty_warnings_are_shown),
        cmocka_unit_test(the_shipped_file_documents_every_key),
        cmocka_unit_test(reasons_fit_their_room),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
