/* Files of kernels: every key works, each mistake is named with its line, and no input does harm. */
/* link: arch/emit.c arch/NATIVE/emit.c arch/NATIVE/emit_harness.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/emit.h"
#include "arch/emit_harness.h"
#include "lib/base/random.h"
#include "lib/plan/user_kernels.h"

struct said {
    unsigned count;
    char text[16384];
};

static void note(void *context, const char *subject, const char *text)
{
    struct said *said = context;
    const size_t used = strlen(said->text);

    said->count++;
    for (const char *at = text; *at; at++)
        assert_true(*at >= ' ' && *at <= '~');
    snprintf(said->text + used, sizeof said->text - used, "%s: %s\n", subject, text);
}

/* Other files: "raw" has three instructions' worth of NOPs, "big" too much, "missing" is none. */
static uint8_t nops[64];
static const uint8_t *object;
static size_t object_bytes;

static const char *read_file(void *context, const char *isa, const char *file, uint8_t **bytes, size_t *count)
{
    (void)context, (void)isa;
    const bool is_object = !strcmp(file, "object");
    if (strcmp(file, "raw") != 0 && strcmp(file, "big") != 0 && !is_object)
        return "there is no such file";
    *count = is_object ? object_bytes : !strcmp(file, "raw") ? 12 : USER_CODE + 4;
    *bytes = calloc(1, *count + 1);
    memcpy(*bytes, is_object ? object : nops, is_object || *count < sizeof nops ? *count : sizeof nops);
    return NULL;
}

static const struct user_files files = {.read = read_file};

/* From a block of exactly this length, so that the sanitizer notices a read past it. */
static struct said add_bytes(struct user_kernels *k, const void *text, size_t bytes)
{
    struct said said = {0};
    char *copy = malloc(bytes ? bytes : 1);

    memcpy(copy, text, bytes);
    user_kernels_add(k, "K.TXT", copy, bytes, &files, note, &said);
    free(copy);
    return said;
}

static struct said add(struct user_kernels *k, const char *text)
{
    return add_bytes(k, text, strlen(text));
}

/* ---- What is right ------------------------------------------------------------------------------ */

static void every_key_is_read(void **state)
{
    struct user_kernels k = {0};
    const struct said said = add(
        &k, "# comment\r\nname = a\ncode = 90909090 90,90 90 90 # eight\ncode=90 90 90 90\nfile = raw\n"
            "init = 90 90 90 90\nmemory = 16k\npage = 4k\noffset = 64\ncontents = chain\n"
            "stride = 128\nunroll = 7\nevents = cycles instructions\ncold = off\n"
            "prefetchers = each\n\nname = b\ncode = 90 90 90 90\n");
    (void)state;
    assert_string_equal(said.text, "");
    assert_int_equal(k.count, 2);
    const struct user_kernel *a = &k.list[0];
    assert_string_equal(a->name, "a");
    assert_string_equal(a->from, "K.TXT");
    assert_string_equal(a->isa, emit_isa);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->code_bytes, 8 + 4 + 12);
    assert_int_equal(a->code[3], 0x90);
    assert_int_equal(a->init_bytes, 4);
    assert_int_equal(a->memory_bytes, 16384);
    assert_int_equal(a->page_bytes, 4096);
    assert_int_equal(a->offset_bytes, 64);
    assert_int_equal(a->contents, CONTENTS_CHAIN);
    assert_int_equal(a->stride_bytes, 128);
    assert_int_equal(a->unroll, 7);
    assert_string_equal(a->events, "cycles instructions");
    assert_true(a->each_prefetcher && !a->cold);
    assert_true(k.list[1].cold && !k.list[1].each_prefetcher && !k.list[1].memory_bytes);
    assert_int_equal(k.list[1].line, 17);
    user_kernels_free(&k);
}

static void registers_have_values(void **state)
{
    const char *first = harness_register_name(0), *second = harness_register_name(2);
    struct user_kernels k = {0};
    char text[200];

    (void)state;
    snprintf(text, sizeof text,
             "name = a\ncode = 90909090\nmemory = 64\nregisters = %s=0x1F %s=memory\nregisters = %s=memory+16\n", first,
             second, harness_register_name(3));
    const struct said said = add(&k, text);
    assert_string_equal(said.text, "");
    assert_int_equal(k.list[0].register_count, 3);
    assert_int_equal(k.list[0].registers[0].value, 31);
    assert_true(!k.list[0].registers[0].is_address && k.list[0].registers[1].is_address);
    assert_int_equal(k.list[0].registers[2].value, 16);
    user_kernels_free(&k);
}

static void kernels_of_the_other_instruction_set_are_passed_over(void **state)
{
    const bool here = !strcmp(emit_isa, "x86_64");
    struct user_kernels k = {0};
    char text[200];

    (void)state;
    snprintf(text, sizeof text,
             "name = a\nisa = %s\ncode = 90\nregisters = z9=1\nname = a\nisa = %s\ncode = 90909090\n",
             here ? "aarch64" : "x86_64", emit_isa);
    const struct said said = add(&k, text);
    assert_string_equal(said.text, "");
    assert_int_equal(k.count, 1);
    assert_int_equal(k.others, 1);
    user_kernels_free(&k);
}

/* ---- What is wrong ------------------------------------------------------------------------------ */

static void each_mistake_is_named(void **state)
{
    static const struct {
        const char *text, *message; /* the beginning of the only message */
    } cases[] = {
        {"", "K.TXT: holds no kernel"},
        {"code = 90\n", "K.TXT: line 1: code: stands before any name"},
        {"name =\n", "K.TXT: line 1: name: a name has 1 to 24 characters"},
        {"name = a b\ncode = 90909090\n", "K.TXT: line 1: name: a name has 1 to 24 characters"},
        {"name = 1234567890123456789012345\n", "K.TXT: line 1: name: a name has 1 to 24 characters"},
        {"name = a\n", "K.TXT: line 1: the kernel has no code"},
        {"name = a\ncode = 9\n", "K.TXT: line 2: code: takes bytes of two hexadecimal digits"},
        {"name = a\ncode = 9g\n", "K.TXT: line 2: code: takes bytes of two hexadecimal digits"},
        {"name = a\ncode\n", "K.TXT: line 2: 'code' has no '='"},
        {"name = a\ncolour = red\n", "K.TXT: line 2: colour: is unknown; known are name, isa"},
        {"name = a\nisa = mips\n", "K.TXT: line 2: isa: takes x86_64 or aarch64"},
        {"name = a\ncode = 90909090\nisa = x86_64\n", "K.TXT: line 3: isa: must stand before the code"},
        {"name = a\nfile = missing\n", "K.TXT: line 2: file: there is no such file"},
        {"name = a\nfile = big\n", "K.TXT: line 2: file: holds more than 4096 bytes"},
        {"name = a\ncode = 90909090\nmemory = 65m\n", "K.TXT: line 3: memory: takes bytes"},
        {"name = a\ncode = 90909090\nmemory = 18446744073709551616\n", "K.TXT: line 3: memory: takes bytes"},
        {"name = a\ncode = 90909090\nmemory = 9\n", "K.TXT: line 3: memory: takes bytes"},
        {"name = a\ncode = 90909090\nmemory = 4kk\n", "K.TXT: line 3: memory: takes bytes"},
        {"name = a\ncode = 90909090\npage = 1000\n", "K.TXT: line 3: page: takes the size"},
        {"name = a\ncode = 90909090\noffset = 4096\n", "K.TXT: line 3: offset: takes bytes from 0"},
        {"name = a\ncode = 90909090\noffset = 8\n", "K.TXT: line 1: offset = needs memory ="},
        {"name = a\ncode = 90909090\ncontents = ones\n", "K.TXT: line 3: contents: takes zeros"},
        {"name = a\ncode = 90909090\ncontents = chain\nmemory = 64\n", "K.TXT: line 1: contents = chain needs memory"},
        {"name = a\ncode = 90909090\nstride = 7\n", "K.TXT: line 3: stride: takes bytes from 8"},
        {"name = a\ncode = 90909090\nunroll = 0\n", "K.TXT: line 3: unroll: takes a number"},
        {"name = a\ncode = 90909090\nunroll = 4097\n", "K.TXT: line 3: unroll: takes a number"},
        {"name = a\ncode = 90909090\ncold = maybe\n", "K.TXT: line 3: cold: takes on or off"},
        {"name = a\ncode = 90909090\nprefetchers = off\n", "K.TXT: line 3: prefetchers: takes as-found or each"},
        {"name = a\ncode = 90909090\nregisters = q=1\n", "K.TXT: line 1: registers = names a register"},
        {"name = a\ncode = 90909090\nregisters = =1\n", "K.TXT: line 3: registers: takes NAME=NUMBER"},
        {"name = a\ncode = 90909090\nregisters = q=memory*2\n", "K.TXT: line 3: registers: takes NAME=NUMBER"},
        {"name = a\ncode = 90909090\nregisters = q=1 q=2\n", "K.TXT: line 3: registers: gives the same register"},
        {"name = a\ncode = 90909090\nregisters = q=memory\n", "K.TXT: line 1: registers = refers to memory"},
        {"\xff\xfe"
         "a",
         "K.TXT: is UTF-16 text"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct user_kernels k = {0};
        const struct said said = add(&k, cases[i].text);
        if (strncmp(said.text, cases[i].message, strlen(cases[i].message)) != 0)
            print_message("# %s gives: %s", cases[i].text, said.text);
        assert_memory_equal(said.text, cases[i].message, strlen(cases[i].message));
        assert_int_equal(k.count, 0);
        assert_true(k.wrong >= 1);
        user_kernels_free(&k);
    }
}

/* The others of a file stay, also that behind it; and the harness's registers are refused. */
static void a_wrong_kernel_is_left_out_alone(void **state)
{
    struct user_kernels k = {0};
    char text[300];

    (void)state;
    snprintf(text, sizeof text,
             "name = a\ncode = 90909090\nname = b\ncode = 90909090\nregisters = %s=1\nname = a\ncode = 90909090\n"
             "name = c\ncode = 90909090\n",
             harness_register_name(harness_counter));
    const struct said said = add(&k, text);
    assert_int_equal(said.count, 2);
    assert_non_null(strstr(said.text, "line 3: registers = names a register that the harness needs"));
    assert_non_null(strstr(said.text, "line 6: there is another kernel of this name"));
    assert_int_equal(k.count, 2);
    assert_string_equal(k.list[0].name, "a");
    assert_string_equal(k.list[1].name, "c");
    user_kernels_free(&k);
}

static void more_kernels_than_fit_are_refused(void **state)
{
    struct user_kernels k = {0};
    char text[80];

    (void)state;
    for (unsigned i = 0; i < USER_KERNELS + 1; i++) {
        snprintf(text, sizeof text, "name = k%u\ncode = 90909090\n", i);
        const struct said said = add(&k, text);
        assert_int_equal(said.count, i == USER_KERNELS);
    }
    assert_int_equal(k.count, USER_KERNELS);
    assert_string_equal(k.list[USER_KERNELS - 1].name, "k255");
    user_kernels_free(&k);
}

/* ---- Object files ------------------------------------------------------------------------------- */

/*
 * An object with the sections: none, .text of eight bytes, names; relocations where `relocated`.
 *
 *     0 header | 64 code | 72 names | 128 table of sections
 */
enum { OBJECT_BYTES = 128 + 4 * 64, OBJECT_TABLE = 128 };

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8)
        *at++ = (uint8_t)value;
}

static void make_object(uint8_t out[OBJECT_BYTES], bool relocated)
{
    static const char names[] = "\0.text\0.names";
    uint8_t *section = out + OBJECT_TABLE + 64;

    memset(out, 0, OBJECT_BYTES);
    memcpy(out, "\177ELF\2\1\1", 7);
    put(out + 16, 1, 2);
    put(out + 18, strcmp(emit_isa, "x86_64") ? 183 : 62, 2);
    put(out + 40, OBJECT_TABLE, 8);
    put(out + 58, 64, 2);
    put(out + 60, relocated ? 4 : 3, 2);
    put(out + 62, 2, 2);
    memset(out + 64, 0x90, 8);
    memcpy(out + 72, names, sizeof names);
    put(section, 1, 4); /* .text */
    put(section + 4, 1, 4);
    put(section + 24, 64, 8);
    put(section + 32, 8, 8);
    section += 64; /* the names */
    put(section, 7, 4);
    put(section + 4, 3, 4);
    put(section + 24, 72, 8);
    put(section + 32, sizeof names, 8);
    section += 64; /* relocations of section 1 */
    put(section + 4, 4, 4);
    put(section + 44, 1, 4);
}

static struct said add_object(struct user_kernels *k, const uint8_t *bytes, size_t count)
{
    object = bytes;
    object_bytes = count;
    return add(k, "name = a\nfile = object\n");
}

static void the_text_of_an_object_is_taken(void **state)
{
    uint8_t bytes[OBJECT_BYTES];
    struct user_kernels k = {0};

    (void)state;
    make_object(bytes, false);
    struct said said = add_object(&k, bytes, sizeof bytes);
    assert_string_equal(said.text, "");
    assert_int_equal(k.list[0].code_bytes, 8);
    assert_int_equal(k.list[0].code[7], 0x90);
    user_kernels_free(&k);
    make_object(bytes, true);
    said = add_object(&k, bytes, sizeof bytes);
    assert_non_null(strstr(said.text, "line 2: file: refers to symbols outside"));
    put(bytes + 18, 8, 2); /* MIPS */
    said = add_object(&k, bytes, sizeof bytes);
    assert_non_null(strstr(said.text, "another instruction set"));
    user_kernels_free(&k);
}

/* ---- Anything ----------------------------------------------------------------------------------- */

/* Every kernel that is accepted can be emitted: its numbers are within their bounds. */
static void check(const struct user_kernels *k)
{
    assert_true(k->count <= USER_KERNELS);
    for (size_t i = 0; i < k->count; i++) {
        const struct user_kernel *u = &k->list[i];
        assert_true(memchr(u->name, 0, sizeof u->name) && memchr(u->events, 0, sizeof u->events));
        assert_true(u->code_bytes > 0 && u->code_bytes <= USER_CODE && u->init_bytes <= USER_CODE);
        assert_true(u->code_bytes % emit_alignment == 0 && u->init_bytes % emit_alignment == 0);
        assert_true(u->memory_bytes <= 64 << 20 && u->offset_bytes < 4096 && u->stride_bytes >= 8);
        assert_true(u->contents < USER_CONTENTS && u->register_count <= USER_REGISTERS && u->unroll <= 4096);
        for (unsigned r = 0; r < u->register_count; r++)
            assert_true(harness_is_free(harness_register_find(u->registers[r].name)));
    }
}

static void damaged_files_do_no_harm(void **state)
{
    static const char good[] = "name = a\ncode = 90 90 90 90\nmemory = 4k\ncontents = chain\nfile = object\n"
                               "registers = rax=1 x0=memory\nname = b\nfile = raw\ninit = 90909090\nunroll = 3\n";
    uint8_t bytes[OBJECT_BYTES], text[sizeof good - 1];
    uint64_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        struct user_kernels k = {0};
        make_object(bytes, false);
        memcpy(text, good, sizeof text);
        for (unsigned n = 0; n < 1 + i % 4; n++) {
            bytes[random_below(&random, sizeof bytes)] = (uint8_t)random_next(&random);
            text[random_below(&random, sizeof text)] = i % 2 ? (uint8_t)good[random_below(&random, sizeof text)]
                                                             : (uint8_t)random_next(&random);
        }
        object = bytes;
        object_bytes = i % 3 ? sizeof bytes : random_below(&random, sizeof bytes);
        const struct said said = add_bytes(&k, text, sizeof text);
        assert_true(said.count <= 21);
        assert_int_equal(said.count > 0, k.wrong > 0);
        check(&k);
        user_kernels_free(&k);
    }
}

static void a_binary_file_gives_few_messages(void **state)
{
    static uint8_t noise[1 << 16];
    struct user_kernels k = {0};
    uint64_t random = 7;

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)random_next(&random);
    const struct said said = add_bytes(&k, noise, sizeof noise);
    assert_int_equal(said.count, 21);
    assert_non_null(strstr(said.text, "further mistakes, from line"));
    assert_int_equal(k.count, 0);
    user_kernels_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(registers_have_values),
        cmocka_unit_test(kernels_of_the_other_instruction_set_are_passed_over),
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(a_wrong_kernel_is_left_out_alone),
        cmocka_unit_test(more_kernels_than_fit_are_refused),
        cmocka_unit_test(the_text_of_an_object_is_taken),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(a_binary_file_gives_few_messages),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
