/* A window during which other cores respond: threads of this process, pinned there. */
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

const char *machine_window_beside(const struct core_task *others, size_t count, struct reading *list, size_t readings,
                                  struct window_result *result)
{
    static struct responder asked[BESIDE_CORES];
    pthread_t threads[BESIDE_CORES];
    size_t cores, started = 0;
    const struct machine_core *all = machine_cores(&cores);
    const char *why = count > BESIDE_CORES ? "there are too many cores for one window" : NULL;

    for (size_t i = 0; i < count && !why; i++)
        why = others[i].core >= cores || others[i].core == machine_info()->core
                  ? "there is no other core of that number"
                  : all[others[i].core].why_not;
    for (; started < count && !why; started += !why) {
        asked[started] = (struct responder){.task = others[started].task};
        why = start(others[started].core, &threads[started], &asked[started]);
    }
    if (!why)
        *result = machine_window(list, readings);
    for (size_t i = 0; i < started; i++)
        asked[i].stop = true;
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return why;
}
