#include "lib/measure/responder.h"

/* Only what it has done to all lines may be followed by its response. */
static void do_duty(const struct responder_task *t)
{
    for (size_t i = 0; i < t->count; i++) {
        volatile uint64_t *line = t->lines + i * (t->pitch / sizeof *line);
        if (t->duty == RESPONDER_STORES)
            *line = i;
        else
            (void)*line;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A bit for each line of a block that is stored to: as evenly spread as their number allows. */
static uint32_t stored_lines(size_t stores)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < RESPONDER_BLOCK; i++)
        lines |= (uint32_t)((i + 1) * stores / RESPONDER_BLOCK > i * stores / RESPONDER_BLOCK) << i;
    return lines;
}

/* Accesses lines until the next request, on from where it stopped before. */
static void stream(const struct responder *r)
{
    const struct responder_task *t = &r->task;
    const size_t words = t->pitch / sizeof *t->lines;
    const uint32_t stored = stored_lines(t->stores);
    uint64_t loaded = *t->loaded;

    for (size_t at = loaded % t->count; !r->stop && *t->word % 2 == 0; at = (at + RESPONDER_BLOCK) % t->count) {
        for (size_t i = 0; i < RESPONDER_BLOCK; i++)
            if (stored >> i & 1)
                t->lines[(at + i) * words] = i;
            else
                (void)t->lines[(at + i) * words];
        *t->loaded = loaded += RESPONDER_BLOCK;
        for (size_t i = 0; i < t->pause; i++)
            __asm__ volatile(""); /* so that the compiler keeps the loop */
    }
}

void responder_run(void *responder)
{
    const struct responder *r = responder;
    const struct responder_task *t = &r->task;

    while (!r->stop) {
        const uint64_t number = *t->word;
        if (number % 2 == 0)
            continue;
        if (t->duty == RESPONDER_LOADS || t->duty == RESPONDER_STORES) {
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the duty begins behind the request */
            do_duty(t);
        }
        *t->word = number + 1;
        if (t->duty == RESPONDER_STREAMS)
            stream(r);
    }
}
