/*
 * What another core does while the one in use asks: odd numbers are answered, even ones are not, and it ends when it is
 * told to.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/answer.h"

static volatile uint64_t word;
static struct answer asked = {.word = &word};

static void *answer_here(void *unused)
{
    (void)unused;
    answer(&asked);
    return NULL;
}

static void odd_numbers_are_answered(void **state)
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
    word = 1; /* nobody is there any more */
    answer(&asked);
    assert_int_equal(word, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_numbers_are_answered)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
