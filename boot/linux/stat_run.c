#define _GNU_SOURCE
#include "boot/linux/stat_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/linux/perf.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * In the child: becomes the command. The child has inherited the counters that the parent has opened, and its exec
 * starts them. When exec fails, its errno is written to `report`, which the parent reads.
 */
static _Noreturn void become(char **command, bool output, int report)
{
    int null = output ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    signal(SIGINT, SIG_DFL);
    execvp(command[0], command);
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

struct one {
    double own[OWN];
    int status; /* as waitpid has it */
    int exec;   /* errno of an exec that failed; else 0 */
};

static bool run_once(char **command, bool output, struct one *out)
{
    struct rusage usage;
    int report[2];

    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    double start = now();
    pid_t child = fork();
    if (child == 0)
        become(command, output, report[1]);
    close(report[1]);
    if (child < 0 || read(report[0], &out->exec, sizeof out->exec) != (ssize_t)sizeof out->exec)
        out->exec = child < 0 ? errno : 0;
    close(report[0]);
    if (child < 0)
        return false;
    while (wait4(child, &out->status, 0, &usage) < 0)
        if (errno != EINTR)
            return false;
    out->own[OWN_WALL] = now() - start;
    out->own[OWN_MEMORY] = (double)usage.ru_maxrss * 1024; /* getrusage(2): in KiB */
    out->own[OWN_FAULTS] = (double)(usage.ru_majflt + usage.ru_minflt);
    out->own[OWN_SWITCHES] = (double)(usage.ru_nvcsw + usage.ru_nivcsw);
    return true;
}

static bool keep(struct series *s, double value)
{
    double *values = realloc(s->values, (s->count + 1) * sizeof *values);

    if (!values)
        return false;
    s->values = values;
    values[s->count++] = value;
    return true;
}

/* Opens the events of a batch for the process that is forked next. An event that cannot be opened gets its reason. */
static void open_batch(struct plan *plan, unsigned batch, int fd[STAT_EVENTS])
{
    for (size_t i = 0; i < STAT_EVENTS; i++)
        fd[i] = -1;
    for (size_t i = 0; i < plan->count; i++) {
        struct request *e = &plan->events[i];
        if (e->why[0] || e->place.run != batch)
            continue;
        fd[i] = perf_open(&plan->pmu, &e->setting, -1, true);
        if (fd[i] < 0)
            perf_explain(errno, e->why, sizeof e->why);
    }
}

static bool close_batch(struct plan *plan, int fd[STAT_EVENTS], struct result *result)
{
    bool kept = true;

    for (size_t i = 0; i < plan->count; i++) {
        uint64_t values[3] = {0}; /* count, time enabled, time running */
        struct request *e = &plan->events[i];
        if (fd[i] < 0)
            continue;
        bool whole = read(fd[i], values, sizeof values) == (ssize_t)sizeof values && values[1] == values[2] &&
                     values[2] > 0;
        close(fd[i]);
        if (!whole)
            snprintf(e->why, sizeof e->why, "the kernel took the counter away for some time: others use it too");
        else if (result)
            kept = kept && keep(&result->measure[OWN + i], (double)values[0]);
    }
    return kept;
}

static void progress(const char *name, unsigned run, unsigned of, double start)
{
    if (!isatty(STDERR_FILENO) || now() - start < 0.5)
        return;
    if (run < of)
        fprintf(stderr, "\r%s: run %u of %u, about %.0f s left \033[K", name, run, of,
                (now() - start) / run * (of - run));
    else
        fprintf(stderr, "\r\033[K");
}

enum stat_end stat_run_command(const struct stat_command *command, struct plan *plan, struct result *result)
{
    unsigned total = command->warmup + command->runs * plan->batches;
    double start = now();

    for (unsigned i = 0; i < total; i++) {
        struct one one = {0};
        bool counts = i >= command->warmup;
        int fd[STAT_EVENTS];
        if (i)
            progress(command->words[0], i, total, start);
        open_batch(plan, counts ? (i - command->warmup) % plan->batches : 0, fd);
        bool ran = run_once(command->words, command->output, &one);
        bool kept = close_batch(plan, fd, counts && ran ? result : NULL);
        for (size_t m = 0; m < OWN && counts && ran; m++)
            kept = kept && keep(&result->measure[m], one.own[m]);
        if (!ran || one.exec || !kept) {
            fprintf(stderr, "fathom stat: %s: %s\n", command->words[0], strerror(one.exec ? one.exec : errno));
            return STAT_CANNOT_RUN;
        }
        if (one.status) {
            fprintf(stderr, "fathom stat: %s: run %u ended with %s %d\n", command->words[0], i + 1,
                    WIFSIGNALED(one.status) ? "signal" : "status",
                    WIFSIGNALED(one.status) ? WTERMSIG(one.status) : WEXITSTATUS(one.status));
            return STAT_FAILED;
        }
    }
    progress(command->words[0], total, total, start);
    return STAT_RAN;
}
