/* A window during which another core responds: a thread of this process, pinned there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "lib/machine.h"
#include "lib/measure/responder.h"

static void *respond(void *asked)
{
    responder_run(asked);
    return NULL;
}

/*
 * Starts the thread with all signals masked, so that alarms still reach the thread that runs windows. NULL, or why
 * not.
 */
static const char *start(unsigned core, pthread_t *thread, struct responder *asked)
{
    pthread_attr_t attributes;
    cpu_set_t there;
    sigset_t all, before;

    CPU_ZERO(&there);
    CPU_SET(core, &there);
    if (pthread_attr_init(&attributes) != 0)
        return "there is not enough memory for another thread";
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_attr_setaffinity_np(&attributes, sizeof there, &there);
    if (!failed)
        failed = pthread_create(thread, &attributes, respond, asked);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed ? "no thread can be started on the other core" : NULL;
}

const char *machine_window_with_responder(unsigned other, const struct responder_task *task, struct reading *list,
                                          size_t count, struct window_result *result)
{
    struct responder asked = {.task = *task};
    size_t cores;
    const struct machine_core *all = machine_cores(&cores);
    pthread_t thread;

    if (other >= cores || other == machine_info()->core)
        return "there is no other core of that number";
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
