/*
 * A core that responds to requests of the core in use: this one responds to odd numbers and not to even ones, and ends
 * when it is asked to.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/measure/responder.h"

static volatile uint64_t word;
static struct responder asked = {.word = &word};

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
    asked.stop = true;
    pthread_join(other, NULL);
    assert_int_equal(word, 1000);
    word = 1; /* the responder has ended */
    responder_run(&asked);
    assert_int_equal(word, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests_with_odd_numbers_are_answered)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
