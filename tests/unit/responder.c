/*
 * A core that responds to requests of the core in use: this one responds to odd numbers and not to even ones, and ends
 * when it is asked to.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/atomic.h"
#include "lib/measure/responder.h"

static volatile uint64_t word;
static struct responder asked = {.task = {.word = &word}};

static void *answer_here(void *unused)
{
    (void)unused;
    responder_run(&asked);
    return NULL;
}

static void requests_with_odd_numbers_are_answered(void **state)
{
    pthread_t other;

    (void)state;
    assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
    for (uint64_t number = 1; number < 200; number += 2) {
        word = number;
        while (word == number)
            sched_yield();
        assert_int_equal(word, number + 1);
    }
    word = 1000;
    asked.stop = 1;
    pthread_join(other, NULL);
    assert_int_equal(word, 1000);
    word = 1; /* the responder has ended */
    responder_run(&asked);
    assert_int_equal(word, 1);
}

enum { LINES = 4, WORDS_APART = 8 };

/* The duty is done when the response is there. */
static void duties_are_done_before_the_response(void **state)
{
    static volatile uint64_t lines[LINES * WORDS_APART];
    pthread_t other;

    (void)state;
    asked = (struct responder){.task = {&word, RESPONDER_STORES, lines, LINES, WORDS_APART * sizeof *lines}};
    for (size_t i = 0; i < LINES * WORDS_APART; i++)
        lines[i] = 77;
    word = 1;
    assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
    while (word == 1)
        sched_yield();
    for (size_t i = 0; i < LINES * WORDS_APART; i++)
        assert_int_equal(lines[i], i % WORDS_APART ? 77 : i / WORDS_APART);
    asked.stop = 1;
    pthread_join(other, NULL);

    asked = (struct responder){.task = {&word, RESPONDER_LOADS, lines, LINES, WORDS_APART * sizeof *lines}};
    lines[0] = 99;
    word = 3;
    assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
    while (word == 3)
        sched_yield();
    assert_int_equal(word, 4);
    assert_int_equal(lines[0], 99);
    asked.stop = 1;
    pthread_join(other, NULL);
}

/* It goes on loading and counting after the response, until it is asked again. */
static void a_stream_goes_on_until_the_next_request(void **state)
{
    static volatile uint64_t lines[2 * RESPONDER_BLOCK], loaded;
    pthread_t other;

    (void)state;
    asked = (struct responder){.task = {.word = &word,
                                        .duty = RESPONDER_STREAMS,
                                        .lines = lines,
                                        .count = 2 * RESPONDER_BLOCK,
                                        .pitch = sizeof *lines,
                                        .pause = 3,
                                        .loaded = &loaded}};
    word = 5;
    assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
    while (word == 5 || loaded < 10 * RESPONDER_BLOCK)
        sched_yield();
    assert_int_equal(loaded % RESPONDER_BLOCK, 0);
    word = 7;
    while (word == 7)
        sched_yield();
    assert_int_equal(word, 8);
    asked.stop = 1;
    pthread_join(other, NULL);
}

/* Of each block so many lines are stored to, and what is not is only loaded. */
static void a_stream_stores_to_its_part_of_the_lines(void **state)
{
    static volatile uint64_t lines[RESPONDER_BLOCK], loaded;
    static const uint64_t untouched = 1000;

    (void)state;
    for (size_t stores = 0; stores <= RESPONDER_BLOCK; stores++) {
        pthread_t other;
        size_t changed = 0;
        for (size_t i = 0; i < RESPONDER_BLOCK; i++)
            lines[i] = untouched;
        loaded = 0;
        asked = (struct responder){.task = {.word = &word,
                                            .duty = RESPONDER_STREAMS,
                                            .lines = lines,
                                            .count = RESPONDER_BLOCK,
                                            .pitch = sizeof *lines,
                                            .loaded = &loaded,
                                            .stores = stores}};
        word = 9;
        assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
        while (word == 9 || loaded < RESPONDER_BLOCK)
            sched_yield();
        asked.stop = 1;
        pthread_join(other, NULL);
        for (size_t i = 0; i < RESPONDER_BLOCK; i++)
            changed += lines[i] != untouched;
        assert_int_equal(changed, stores);
    }
}

/* What waits or fills responds at once, ends when it is asked again, and has its line to itself. */
static void waiting_and_filling_end_with_the_next_request(void **state)
{
    static volatile uint64_t line;

    (void)state;
    for (enum responder_duty duty = RESPONDER_PAUSES; duty <= RESPONDER_FILLS_STORES; duty++) {
        pthread_t other;
        line = 0;
        asked = (struct responder){.task = {.word = &word, .duty = duty, .lines = &line}};
        for (uint64_t number = 11; number < 15; number += 2) { /* not read from the word: it may be answered by then */
            word = number;
            if (number == 11)
                assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
            while (word == number || (duty == RESPONDER_FILLS_STORES && line == 0))
                sched_yield();
            assert_int_equal(word, number + 1);
        }
        asked.stop = 1;
        pthread_join(other, NULL);
        assert_int_equal(line != 0, duty == RESPONDER_FILLS_STORES);
    }
}

static sigjmp_buf undefined;

static void at_undefined(int number)
{
    (void)number;
    siglongjmp(undefined, 1);
}

/* Whether this core has atomic instructions: of AArch64 some have none. */
static bool has_atomics(void)
{
    static volatile uint64_t tried;
    void (*const before)(int) = signal(SIGILL, at_undefined);
    const bool has = sigsetjmp(undefined, 1) == 0;

    if (has)
        atomic_add_nothing(&tried);
    signal(SIGILL, before);
    return has;
}

/* What contends for a word responds at once, counts whole blocks, and leaves the word 0. */
static void contending_ends_with_the_next_request(void **state)
{
    static volatile uint64_t contended, made;

    (void)state;
    for (enum responder_duty duty = has_atomics() ? RESPONDER_ADDS : RESPONDER_RESTORES; duty <= RESPONDER_RELOADS;
         duty++) {
        pthread_t other;
        contended = duty == RESPONDER_RESTORES;
        made = 0;
        asked = (struct responder){.task = {.word = &word, .duty = duty, .lines = &contended, .loaded = &made}};
        word = 21;
        assert_int_equal(pthread_create(&other, NULL, answer_here, NULL), 0);
        while (word == 21 || made < 10 * RESPONDER_BLOCK)
            sched_yield();
        assert_int_equal(word, 22);
        word = 23;
        while (word == 23)
            sched_yield();
        assert_int_equal(word, 24);
        asked.stop = 1;
        pthread_join(other, NULL);
        assert_int_equal(made % RESPONDER_BLOCK, 0);
        assert_int_equal(contended, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests_with_odd_numbers_are_answered),
                                       cmocka_unit_test(duties_are_done_before_the_response),
                                       cmocka_unit_test(a_stream_goes_on_until_the_next_request),
                                       cmocka_unit_test(a_stream_stores_to_its_part_of_the_lines),
                                       cmocka_unit_test(waiting_and_filling_end_with_the_next_request),
                                       cmocka_unit_test(contending_ends_with_the_next_request)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
