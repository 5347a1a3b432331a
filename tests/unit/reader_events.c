/* The reader samples the counters that a reading names, each of them, in order, before and after the call. */
/* link: arch/NATIVE/reader.S arch/NATIVE/reader_layout.c */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#include "arch/reader.h"

/*
 * A process may not read these counters, or there are none: the instruction faults, and this stands in for them.
 * Each counter goes on by its number at every read, from a start of its own.
 */
enum { NUMBERS = 48, READS = 80 };
static uint64_t value[NUMBERS];
static unsigned order[READS];
static size_t reads;

static uint64_t next_value(unsigned number)
{
    if (reads < READS)
        order[reads] = number;
    reads++;
    value[number] += number + 1;
    return value[number];
}

static void stand_in(int signal_number, siginfo_t *si, void *context)
{
    ucontext_t *c = context;

    (void)signal_number, (void)si;
#if defined(__x86_64__)
    const uint8_t *pc = (const uint8_t *)c->uc_mcontext.gregs[REG_RIP];
    if (pc[0] != 0x0f || pc[1] != 0x33) /* RDPMC */
        abort();
    uint64_t v = next_value((unsigned)c->uc_mcontext.gregs[REG_RCX] % NUMBERS);
    c->uc_mcontext.gregs[REG_RAX] = (uint32_t)v;
    c->uc_mcontext.gregs[REG_RDX] = (greg_t)(v >> 32);
    c->uc_mcontext.gregs[REG_RIP] += 2;
#else
    uint32_t instruction = *(const uint32_t *)c->uc_mcontext.pc;
    uint32_t system = instruction >> 5 & 0x7fff; /* op0 bit 0, op1, CRn, CRm, op2 of MRS (Arm ARM DDI 0487, C6.2) */
    uint32_t crn = system >> 7 & 15, crm = system >> 3 & 15, op2 = system & 7;
    unsigned number = crn == 14  ? (crm & 3) * 8 + op2 /* PMEVCNTR<n>_EL0 */
                      : crn == 9 ? (crm == 4 ? READER_INSTRUCTIONS : READER_CYCLES)
                      : crm <= 7 ? READER_APPLE + crm
                                 : READER_APPLE + crm - 1;
    c->uc_mcontext.regs[instruction & 31] = next_value(number);
    c->uc_mcontext.pc += 4;
#endif
}

static void stand_in_for_counters(void)
{
    const struct sigaction action = {.sa_sigaction = stand_in, .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    for (size_t i = 0; i < NUMBERS; i++)
        value[i] = (uint64_t)i << 40; /* both halves of a result matter */
    reads = 0;
}

static void counters_are_sampled_around_the_call(void **state)
{
    struct reader_counts counts[2] = {{.count = 3, .index = {5, 0, 7}}, {.count = 1, .index = {31}}};
    struct reading list[2] = {
        {.kernel = (uintptr_t)reader_chain_kernel, .argument = {10}, .counts = &counts[0]},
        {.kernel = (uintptr_t)reader_width_kernel, .argument = {10}, .counts = &counts[1]},
    };
    static const unsigned expected[] = {5, 0, 7, 5, 0, 7, 31, 31};

    (void)state;
    stand_in_for_counters();
    reader_run(list, 2, READER_EVENTS);
    assert_int_equal(reads, 8);
    assert_memory_equal(order, expected, sizeof expected);
    for (size_t i = 0; i < 3; i++) {
        uint64_t number = counts[0].index[i];
        assert_int_equal(counts[0].begin[i], (number << 40) + number + 1);
        assert_int_equal(counts[0].end[i], (number << 40) + 2 * (number + 1));
    }
    assert_int_equal(counts[1].end[0] - counts[1].begin[0], 32);
    for (size_t i = 0; i < 2; i++)
        assert_true(list[i].end_ticks > list[i].begin_ticks);
    assert_true(list[1].begin_ticks >= list[0].end_ticks);
}

static void every_counter_has_its_number(void **state)
{
    struct reader_counts counts = {.count = READER_COUNTS};
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel, .counts = &counts};

    (void)state;
    for (uint32_t first = 0; first <= READER_INSTRUCTIONS + 1 - READER_COUNTS; first++) {
        for (uint32_t i = 0; i < READER_COUNTS; i++)
            counts.index[i] = first + i;
        stand_in_for_counters();
        reader_run(&once, 1, READER_EVENTS);
        assert_int_equal(reads, 2 * READER_COUNTS);
        for (uint32_t i = 0; i < READER_COUNTS; i++) {
            assert_int_equal(order[i], first + i);
            assert_int_equal(order[READER_COUNTS + i], first + i);
            assert_int_equal(counts.end[i] - counts.begin[i], first + i + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_sampled_around_the_call),
        cmocka_unit_test(every_counter_has_its_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
