#include "lib/measure/list.h"

#include <math.h>

double reading_ticks(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks);
}

double reading_counted_cycles(const struct reading *r)
{
    return (double)(r->end_count[0] - r->begin_count[0]);
}

struct reading reading_of(const struct kernel *k, uint64_t iterations)
{
    return (struct reading){.kernel = k->entry, .argument = {iterations, k->data}};
}

struct reading reading_of_chain(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {m->chain_iterations, 0}};
}

struct reading reading_of_nops(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_width_kernel, .argument = {m->nop_iterations, 0}};
}

double chain_cycles(const struct meter *m)
{
    return (double)(m->chain_iterations * READER_CHAIN);
}

/* The greatest common divisor (Euclid). */
static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Time stamp number i of a list, two of each reading, from the first one on. */
static uint64_t stamp(const struct reading *list, size_t i)
{
    return (i % 2 ? list[i / 2].end_ticks : list[i / 2].begin_ticks) - list[0].begin_ticks;
}

/* How far the times of readings i and i - 1 of a list of the same ones are apart: a few steps, within two ticks. */
static double difference(const struct reading *list, size_t i)
{
    return fabs(reading_ticks(&list[i]) - reading_ticks(&list[i - 1]));
}

/*
 * The length of steps that need not be whole. Many of the same readings must differ by a single step, whose mean tells
 * about how long one is: what takes as long each time seems to be steps, too. The distance of each stamp from the first
 * one, within a tick, is the longer a number of steps, and leaves the less choice of their length. 1 where it leaves
 * none.
 */
static double scaled_step(const struct reading *list, size_t count)
{
    enum {
        LEAST = 16, /* ticks: a stamp is a multiple of far shorter steps within a tick by chance */
        MANY = 8    /* a part of all readings: far more than are disturbed */
    };
    const size_t stamps = 2 * count;
    double least = INFINITY, sum = 0, singles = 0;

    for (size_t i = 1; i < count; i++)
        least = difference(list, i) >= LEAST ? fmin(least, difference(list, i)) : least;
    for (size_t i = 1; i < count; i++)
        if (difference(list, i) >= LEAST && difference(list, i) <= least + 2) {
            sum += difference(list, i);
            singles++;
        }
    if (singles * MANY < (double)count)
        return 1;
    double low = sum / singles - 1, high = sum / singles + 1;
    for (size_t i = 1; i < stamps && low <= high; i++) {
        const double at = (double)stamp(list, i), steps = floor(at / ((low + high) / 2) + 0.5);
        low = steps > 0 ? fmax(low, (at - 1) / steps) : low;
        high = steps > 0 ? fmin(high, (at + 1) / steps) : high;
    }
    return low <= high ? (low + high) / 2 : 1;
}

double list_step(const struct reading *list, size_t count)
{
    uint64_t whole = 0;

    for (size_t i = 1; i < 2 * count; i++)
        whole = common_divisor(whole, stamp(list, i));
    return whole > 1 ? (double)whole : scaled_step(list, count);
}

struct window_result list_run(struct meter *m, struct reading *list, size_t count)
{
    struct window_result result = machine_window(list, count);
    m->windows++;
    m->limited += result.limited;
    if (result.end == WINDOW_RAN && !result.interrupts) /* else it is also the time of what interrupted */
        for (size_t i = 0; i < count; i++)
            m->kernel_seconds += reading_ticks(&list[i]) / m->tick_hz;
    return result;
}

size_t list_make(const struct meter *m, const struct kernel *k, uint64_t iterations, size_t kernels,
                 struct reading *list)
{
    size_t count = 0;

    for (size_t i = 0; i <= kernels; i++) {
        list[count++] = reading_of_nops(m);
        list[count++] = reading_of_chain(m);
        if (i < kernels)
            list[count++] = reading_of(k, iterations);
    }
    return count;
}

/* Whether two readings are equal to the last digit: in counted cycles where there are any, else in ticks. */
static bool is_same(const struct meter *m, const struct reading *a, const struct reading *b)
{
    if (m->counters != READER_TIME_ONLY)
        return a->end_count[0] - a->begin_count[0] == b->end_count[0] - b->begin_count[0];
    return a->end_ticks - a->begin_ticks == b->end_ticks - b->begin_ticks;
}

bool list_repeats(const struct meter *m, const struct reading *list, size_t kernels)
{
    for (size_t i = LIST_ROUND; i < LIST_ROUND * kernels + LIST_KERNEL; i++)
        if (i % LIST_ROUND && !is_same(m, &list[i], &list[i - LIST_ROUND]))
            return false;
    return kernels >= EXACT_READINGS;
}
