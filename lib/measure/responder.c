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

void responder_run(void *responder)
{
    const struct responder *r = responder;
    const struct responder_task *t = &r->task;

    while (!r->stop) {
        const uint64_t number = *t->word;
        if (number % 2 == 0)
            continue;
        if (t->duty != RESPONDER_ANSWERS) {
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the duty begins behind the request */
            do_duty(t);
        }
        *t->word = number + 1;
    }
}
