/*
 * Another core that answers: a thread of this process, pinned there.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "lib/answer.h"
#include "lib/machine.h"

static void *answer_here(void *asked)
{
    answer(asked);
    return NULL;
}

/* Signals stay this thread's: alarms end windows. NULL, or why not. */
static const char *start(unsigned core, pthread_t *thread, struct answer *asked)
{
    pthread_attr_t attributes;
    cpu_set_t there;
    sigset_t all, before;

    CPU_ZERO(&there);
    CPU_SET(core, &there);
    if (pthread_attr_init(&attributes) != 0)
        return "there is no memory for another thread";
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_attr_setaffinity_np(&attributes, sizeof there, &there);
    if (!failed)
        failed = pthread_create(thread, &attributes, answer_here, asked);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed ? "no thread can be started there" : NULL;
}

const char *machine_window_answered(unsigned other, uint64_t *word, struct reading *list, size_t count,
                                    struct window_result *result)
{
    struct answer asked = {.word = word};
    size_t cores;
    const struct machine_core *all = machine_cores(&cores);
    pthread_t thread;

    if (other >= cores || other == machine_info()->core)
        return "there is no such other core";
    if (all[other].why_not)
        return all[other].why_not;
    const char *why = start(other, &thread, &asked);
    if (why)
        return why;
    *result = machine_window(list, count);
    asked.stop = true;
    pthread_join(thread, NULL);
    return NULL;
}
