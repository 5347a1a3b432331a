#include "lib/measure/list.h"

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

uint64_t list_step(uint64_t step, const struct reading *list, size_t i)
{
    step = common_divisor(step, list[i].end_ticks - list[0].begin_ticks);
    return common_divisor(step, list[i].begin_ticks - list[0].begin_ticks);
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
