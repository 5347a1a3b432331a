/* Counting events over kernels, on a machine whose counters are modelled: what is there comes out, lies do not. */
/* link: arch/counters.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/counters_private.h"
#include "lib/counters/count.h"

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

enum { EVENT_LACKED = 9 };

static const char *lacks(const struct counters *have, uint64_t code)
{
    (void)have;
    return code == EVENT_LACKED ? "it is lacked" : NULL;
}

/* Programming is not this test's. */
const struct counter_driver *counter_driver(const struct counters *have)
{
    static const struct counter_driver driver = {.lacks = lacks};

    (void)have;
    return &driver;
}

/* ---- The machine ------------------------------------------------------------------------------- */

enum { OVERHEAD = 1234, EVENT_TWO = 2, EVENT_THREE = 3, EVENT_NOISY = 4, INSTRUCTIONS = 0xc0 };

static struct {
    struct counters have;
    struct counter_setting set[READER_COUNTS];
    size_t count;
    unsigned windows, programmed;
    unsigned disturbed; /* so many windows from now on see an interrupt, and count it */
    enum window_end end;
    uint64_t stuck;   /* slots that stand still */
    uint64_t wrong;   /* slots that count twice */
    uint64_t refused; /* slots that cannot be programmed */
    uint64_t value[COUNTER_SLOTS];
} machine;

const struct counters *machine_counters(void)
{
    return &machine.have;
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < count; i++) {
        assert_false(seen >> list[i].slot & 1); /* two events on one counter */
        seen |= UINT64_C(1) << list[i].slot;
    }
    if (seen & machine.refused)
        return "it is refused";
    if (count)
        memcpy(machine.set, list, count * sizeof *list);
    machine.count = count;
    machine.programmed += count > 0;
    return NULL;
}

/* What a call of so many iterations adds to a counter. */
static uint64_t adds(const struct counter_setting *s, const struct reading *r, unsigned reading)
{
    uint64_t n = r->argument[0], chain = r->kernel == (uintptr_t)reader_chain_kernel, instructions = 0;

    if (machine.stuck >> s->slot & 1)
        return 0;
    if (chain)
        instructions = n * (READER_CHAIN + 2);
    switch (s->code) {
    case INSTRUCTIONS: instructions += chain ? 0 : 10 * n; break;
    case EVENT_TWO: instructions = 2 * n; break;
    case EVENT_THREE: instructions = 3 * n; break;
    case EVENT_NOISY: instructions = 5 * n + (reading % 4 == 1 ? 60 : 0); break; /* every second pair */
    default: instructions = 7 * n * (s->slot == COUNTER_FIXED + 1 ? 0 : 1); break;
    }
    if (s->slot == COUNTER_FIXED + 1)
        instructions = n * READER_CHAIN + n / 3; /* cycles of the chain, and a little */
    if (machine.wrong >> s->slot & 1)
        instructions *= 2;
    return instructions + OVERHEAD;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    struct window_result result = {.end = machine.end};
    uint64_t mask = machine.have.bits == 64 ? UINT64_MAX : (UINT64_C(1) << machine.have.bits) - 1;

    machine.windows++;
    if (machine.disturbed) {
        machine.disturbed--;
        result.interrupts = 1;
    }
    for (unsigned i = 0; i < count; i++) {
        assert_non_null(list[i].counts);
        for (size_t c = 0; c < machine.count; c++) {
            uint64_t *value = &machine.value[machine.set[c].slot];
            list[i].counts->begin[c] = *value & mask;
            *value += adds(&machine.set[c], &list[i], i) + (result.interrupts ? 999 : 0);
            list[i].counts->end[c] = *value & mask;
        }
    }
    return result;
}

static void start_machine(uint64_t slots)
{
    memset(&machine, 0, sizeof machine);
    machine.have = (struct counters){.kind = COUNTERS_INTEL, .slots = slots, .bits = 48, .fixed_bits = 48};
    for (size_t i = 0; i < COUNTER_SLOTS; i++)
        machine.value[i] = (UINT64_C(1) << 48) - 700; /* they wrap soon */
}

static struct event event(const char *name, uint64_t code, uint64_t slots)
{
    struct event e = {.code = code, .demand = {.slots = slots, .width = 1}};

    snprintf(e.name, sizeof e.name, "%s", name);
    return e;
}

static const struct kernel kernel = {.entry = 1, .units = 2};
static const struct count_options options = {.iterations = 100, .warmup = 2, .repetitions = 20};

/* ---- Tests ----------------------------------------------------------------------------------------- */

static void what_a_unit_counts_comes_out(void **state)
{
    struct event events[] = {event("two", EVENT_TWO, 0xf), event("three", EVENT_THREE, 0x1)};
    struct count out[2];

    (void)state;
    start_machine(0xf);
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 2, &options, out).end);
    assert_string_equal(out[0].why, "");
    assert_int_equal(out[0].spread.count, 20);
    assert_true(out[0].spread.mean == 1 && out[0].spread.least == 1 && out[0].spread.most == 1 &&
                out[0].spread.sigma == 0);
    assert_true(out[1].spread.mean == 1.5 && out[1].spread.sigma == 0);
    assert_int_equal(out[1].place.slot, 0);
    assert_int_equal(machine.programmed, 1);
    assert_int_equal(machine.count, 0); /* given back */
}

static void more_events_than_counters_take_more_runs(void **state)
{
    struct event events[6];
    struct count out[6];

    (void)state;
    start_machine(0x3);
    for (size_t i = 0; i < 6; i++)
        events[i] = event("some", i % 2 ? EVENT_TWO : EVENT_THREE, 0x3);
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 6, &options, out).end);
    assert_int_equal(machine.programmed, 3);
    for (size_t i = 0; i < 6; i++)
        assert_true(out[i].spread.mean == (i % 2 ? 1 : 1.5));
}

static void noise_is_recognised(void **state)
{
    struct event events[] = {event("noisy", EVENT_NOISY, 0xf)};
    struct count out[1];

    (void)state;
    start_machine(0xf);
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 1, &options, out).end);
    assert_true(fabs(out[0].spread.least - 2.5) < 1e-9 && fabs(out[0].spread.most - 2.8) < 1e-9);
    assert_true(out[0].spread.mean > out[0].spread.least && out[0].spread.mean < out[0].spread.most &&
                out[0].spread.sigma > 0.1);
}

static void disturbed_windows_do_not_count(void **state)
{
    struct event events[] = {event("two", EVENT_TWO, 0xf)};
    struct count out[1];

    (void)state;
    start_machine(0xf);
    machine.disturbed = 5;
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 1, &options, out).end);
    assert_true(out[0].spread.mean == 1 && out[0].spread.sigma == 0);
    machine.disturbed = 1000000;
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 1, &options, out).end);
    assert_int_equal(out[0].spread.count, 0);
    assert_string_equal(out[0].why, "every window was disturbed");
}

static void what_cannot_be_counted_says_why(void **state)
{
    struct event events[] = {event("elsewhere", EVENT_TWO, 0x10), event("two", EVENT_TWO, 0xf),
                             event("lacked", EVENT_LACKED, 0xf)};
    struct count out[3];

    (void)state;
    start_machine(0xf);
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 3, &options, out).end);
    assert_non_null(strstr(out[0].why, "no counter"));
    assert_true(out[1].spread.mean == 1);
    assert_string_equal(out[2].why, "it is lacked");
    machine.refused = 0xf;
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 3, &options, out).end);
    assert_string_equal(out[1].why, "it is refused");
    machine.have.why_not = "none here";
    assert_int_equal(WINDOW_RAN, count_kernel(&kernel, events, 3, &options, out).end);
    assert_string_equal(out[0].why, "none here");
    assert_string_equal(out[1].why, "none here");
}

static void a_kernel_that_faults_ends_the_probe(void **state)
{
    struct event events[] = {event("two", EVENT_TWO, 0xf)};
    struct count out[1];

    (void)state;
    start_machine(0xf);
    machine.end = WINDOW_TIMEOUT;
    assert_int_equal(WINDOW_TIMEOUT, count_kernel(&kernel, events, 1, &options, out).end);
    assert_int_equal(machine.count, 0);
}

/* What arch/counters.c would ask; its verdict is linked. */
static size_t rows_of(struct counter_proof *rows)
{
    size_t count = 0;

    for (unsigned slot = 0; slot < COUNTER_SLOTS; slot++)
        if (machine.have.slots & ~machine.have.taken & UINT64_C(1) << slot)
            rows[count++] = (struct counter_proof){.setting = {.slot = slot, .code = INSTRUCTIONS},
                                                   .counts = slot > COUNTER_FIXED ? COUNTS_SOMETHING
                                                                                  : COUNTS_INSTRUCTIONS};
    return count;
}

static void only_counters_that_count_are_proven(void **state)
{
    const uint64_t fixed = UINT64_C(1) << COUNTER_FIXED, cycles = fixed << 1;
    struct counter_proof rows[COUNTER_SLOTS];

    (void)state;
    start_machine(0xff | fixed | cycles);
    counters_prove(&machine.have, rows, rows_of(rows));
    assert_null(machine.have.why_not);
    assert_int_equal(machine.have.slots, 0xff | fixed | cycles);

    start_machine(0xff | fixed | cycles);
    machine.stuck = 0x01 | cycles;
    machine.wrong = 0x02 | fixed;
    machine.refused = 0x04;
    machine.have.taken = 0x08;
    counters_prove(&machine.have, rows, rows_of(rows));
    assert_null(machine.have.why_not);
    assert_int_equal(machine.have.slots, 0xf8); /* what is taken was not touched */
    assert_int_equal(machine.count, 0);

    start_machine(0xf);
    machine.stuck = 0xf;
    counters_prove(&machine.have, rows, rows_of(rows));
    assert_string_equal(machine.have.why_not,
                        "its registers answer, but no counter counted a kernel of known length right");

    start_machine(0xf);
    machine.refused = 0xf;
    counters_prove(&machine.have, rows, rows_of(rows));
    assert_string_equal(machine.have.why_not, "it is refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_unit_counts_comes_out),
        cmocka_unit_test(more_events_than_counters_take_more_runs),
        cmocka_unit_test(noise_is_recognised),
        cmocka_unit_test(disturbed_windows_do_not_count),
        cmocka_unit_test(what_cannot_be_counted_says_why),
        cmocka_unit_test(a_kernel_that_faults_ends_the_probe),
        cmocka_unit_test(only_counters_that_count_are_proven),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
