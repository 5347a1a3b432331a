/*
 * fathom stat: what a command costs, in time, memory and events, run after run; two commands compared.
 *
 * Each run is a process of its own, whose counters start at its exec. Where there are more events than
 * counters, the runs are as many times repeated as it takes to see them all, each event counted all of
 * the time: nothing is scaled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch/identify.h"
#include "boot/linux/linux.h"
#include "boot/linux/perf.h"
#include "lib/counters/events.h"
#include "lib/record.h"
#include "lib/engine/statistics.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, UNUSABLE = 3 };
enum { COMMANDS = 2, EVENTS = 64, RUNS = 10000, OWN = 4, MEASURES = OWN + EVENTS };

/* What the kernel says of a process besides counters. */
enum own { OWN_WALL, OWN_MEMORY, OWN_FAULTS, OWN_SWITCHES };
static const char *const own_names[OWN] = {"wall_time", "peak_memory", "page_faults", "context_switches"};
static const char *const own_units[OWN] = {"seconds", "bytes", "", ""};

struct arguments {
    char events[2048];
    unsigned warmup, runs;
    bool json, output;
    char **command[COMMANDS];
    size_t commands;
};

struct asked {
    struct event event;
    char name[EVENT_NAME]; /* as asked for */
    struct place place;
    struct counter_setting setting;
    char why[200]; /* it is not counted; "" where it is */
};

struct plan {
    struct perf_pmu pmu;
    struct asked events[EVENTS];
    size_t count;
    unsigned batches; /* runs that it takes to count every event once; 1 where nothing is counted */
};

/* One measure of one command over its runs. */
struct series {
    double *values;
    size_t count;
};

struct result {
    struct series measure[MEASURES];
};

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "fathom stat: %s%s%s\nTry 'fathom stat --help'.\n", what, about ? ": " : "", about ? about : "");
    return USAGE;
}

static const char help[] =
    "fathom stat [options] -- COMMAND [ARGUMENT…] [::: COMMAND [ARGUMENT…]]\n"
    "\n"
    "Runs the command several times and tells what it costs: mean, standard deviation, least and most of wall\n"
    "time, peak memory, page faults, context switches and the events asked for. With two commands, how the second\n"
    "differs from the first.\n"
    "\n"
    "  -e EVENT,…    needs (cycles, instructions), the vendor's names, or raw numbers (0x1c2);\n"
    "                'fathom counters --list' has them; default: cycles,instructions\n"
    "  --warmup N    runs that do not count (1)\n"
    "  --runs N      runs that do (10)\n"
    "  --output      let the command write to the terminal; else what it writes is dropped\n"
    "  --json        a record instead of a table\n"
    "\n"
    "Exit status: 0 done; 1 the command failed; 2 wrong arguments; 3 the command cannot be run. Events that cannot\n"
    "be counted here are named with the reason, and the rest is measured.\n"
    "\n"
    "Example: fathom stat -e cycles,instructions,conditional_mispredicts --runs 20 -- sort big.txt ::: sort -n "
    "big.txt\n";

/* ---- Arguments ----------------------------------------------------------------------------------- */

static bool parse_number(const char *text, unsigned least, unsigned most, unsigned *out)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || n < least || n > most)
        return false;
    *out = (unsigned)n;
    return true;
}

/* Splits what is behind "--" at ":::". */
static int parse_commands(struct arguments *a, char **words)
{
    for (; *words; words++) {
        if (a->commands == COMMANDS)
            return complain("at most two commands can be compared", *words);
        a->command[a->commands++] = words;
        while (*words && strcmp(*words, ":::") != 0)
            words++;
        if (words == a->command[a->commands - 1])
            return complain("there is no command before or behind :::", NULL);
        if (!*words)
            break;
        *words = NULL;
        if (!words[1])
            return complain("there is no command before or behind :::", NULL);
    }
    return a->commands ? 0 : complain("there is no command behind --", NULL);
}

static int parse(struct arguments *a, char **words)
{
    for (; *words && strcmp(*words, "--") != 0; words++) {
        const char *word = *words, *value = words[1];
        if (!strcmp(word, "--json")) {
            a->json = true;
            continue;
        }
        if (!strcmp(word, "--output")) {
            a->output = true;
            continue;
        }
        bool takes = !strcmp(word, "-e") || !strcmp(word, "--events") || !strcmp(word, "--warmup") ||
                     !strcmp(word, "--runs");
        if (!takes)
            return complain(word[0] == '-' ? "unknown option" : "commands stand behind --", word);
        if (!value || !strcmp(value, "--"))
            return complain("an option lacks its value", word);
        words++;
        if (word[1] == 'e' || !strcmp(word, "--events")) {
            if (strlen(value) >= sizeof a->events)
                return complain("too many events", NULL);
            snprintf(a->events, sizeof a->events, "%s", value);
        } else if (!strcmp(word, "--warmup") && !parse_number(value, 0, RUNS, &a->warmup)) {
            return complain("--warmup wants a number, 0 … 10000", value);
        } else if (!strcmp(word, "--runs") && !parse_number(value, 1, RUNS, &a->runs)) {
            return complain("--runs wants a number, 1 … 10000", value);
        }
    }
    return parse_commands(a, *words ? words + 1 : words);
}

/* ---- Plan ---------------------------------------------------------------------------------------- */

static bool openable(const struct perf_pmu *pmu, const struct counter_setting *setting, char *why, size_t room)
{
    int fd = perf_open(pmu, setting, -1, true);

    if (fd < 0)
        perf_explain(errno, why, room);
    else
        close(fd);
    return fd >= 0;
}

/* Looks up the events; one that is not known is the user's error. Returns 0, or the exit status. */
static int find_events(struct plan *plan, const struct event_core *core, char *list)
{
    char why[320], *rest;

    perf_find(-1, &plan->pmu);
    enum counters_kind kind = core ? events_kind(core) : plan->pmu.kind;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        struct asked *e = &plan->events[plan->count];
        if (plan->count == EVENTS)
            return complain("too many events", name);
        snprintf(e->name, sizeof e->name, "%s", name);
        snprintf(e->why, sizeof e->why, "%s", plan->pmu.why);
        /* where nothing can be counted and no table is at hand, names cannot be looked up either */
        if (kind != COUNTERS_NONE && !events_find(core, kind, name, &e->event, why, sizeof why))
            return complain(name, why);
        plan->count++;
    }
    return 0;
}

/* Counters that the kernel keeps for itself (its watchdog) leave fewer than the core has: asked before, not assumed. */
static void place_events(struct plan *plan, uint64_t slots)
{
    struct demand demands[EVENTS];
    const char *keys[EVENTS];
    struct place places[EVENTS];
    struct asked *which[EVENTS];
    size_t count = 0, unmet;

    for (size_t i = 0; i < plan->count; i++) {
        struct asked *e = &plan->events[i];
        if (e->why[0])
            continue;
        if (e->event.demand.width > 1) { /* the kernel pairs counters by itself, where it can */
            snprintf(e->why, sizeof e->why, "it takes two counters, which perf_event_open does not offer");
            continue;
        }
        e->setting = (struct counter_setting){
            .code = e->event.code, .extra = e->event.demand.resource[0], .extra_value = e->event.demand.value};
        if (!openable(&plan->pmu, &e->setting, e->why, sizeof e->why))
            continue;
        demands[count] = e->event.demand;
        keys[count] = e->event.name;
        which[count++] = e;
    }
    plan->batches = count ? allocate(demands, keys, count, slots, places, &unmet, NULL) : 1;
    for (size_t i = 0; i < count && plan->batches; i++) {
        which[i]->place = places[i];
        which[i]->setting.slot = places[i].slot;
    }
    if (!plan->batches) { /* one an attempt: the kernel takes each by itself */
        for (size_t i = 0; i < count; i++)
            which[i]->place.run = (unsigned)i;
        plan->batches = (unsigned)count;
    }
}

/* ---- Running ------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * The child becomes the command. The parent has opened the counters for itself; the child inherits them, and its exec
 * starts them. Where there is no exec, its errno goes to the parent.
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
    int exec;   /* errno of an exec that failed, 0 */
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

/* Opens the events of a batch, for the process that is forked next. Those that are refused say why. */
static void open_batch(struct plan *plan, unsigned batch, int fd[EVENTS])
{
    for (size_t i = 0; i < plan->count; i++) {
        struct asked *e = &plan->events[i];
        fd[i] = -1;
        if (e->why[0] || e->place.run != batch)
            continue;
        fd[i] = perf_open(&plan->pmu, &e->setting, -1, true);
        if (fd[i] < 0)
            perf_explain(errno, e->why, sizeof e->why);
    }
}

static bool close_batch(struct plan *plan, int fd[EVENTS], struct result *result)
{
    bool kept = true;

    for (size_t i = 0; i < plan->count; i++) {
        uint64_t values[3] = {0}; /* count, time enabled, time running */
        struct asked *e = &plan->events[i];
        if (fd[i] < 0)
            continue;
        bool whole = read(fd[i], values, sizeof values) == (ssize_t)sizeof values && values[1] == values[2] &&
                     values[2] > 0;
        close(fd[i]);
        if (!whole)
            snprintf(e->why, sizeof e->why, "the kernel took the counter away for a while: others use it");
        else if (result)
            kept = kept && keep(&result->measure[OWN + i], (double)values[0]);
    }
    return kept;
}

static void progress(const struct arguments *a, size_t which, unsigned run, unsigned of, double start)
{
    if (!isatty(STDERR_FILENO) || now() - start < 0.5)
        return;
    if (run < of)
        fprintf(stderr, "\r%s: run %u of %u, about %.0f s left \033[K", a->command[which][0], run, of,
                (now() - start) / run * (of - run));
    else
        fprintf(stderr, "\r\033[K");
}

/* All runs of one command. Returns 0, or the exit status after having complained. */
static int run_command(const struct arguments *a, struct plan *plan, size_t which, struct result *result)
{
    unsigned total = a->warmup + a->runs * plan->batches;
    double start = now();

    for (unsigned i = 0; i < total; i++) {
        struct one one = {0};
        bool counts = i >= a->warmup;
        int fd[EVENTS];
        if (i)
            progress(a, which, i, total, start);
        open_batch(plan, counts ? (i - a->warmup) % plan->batches : 0, fd);
        bool ran = run_once(a->command[which], a->output, &one);
        bool kept = close_batch(plan, fd, counts && ran ? result : NULL);
        for (size_t m = 0; m < OWN && counts && ran; m++)
            kept = kept && keep(&result->measure[m], one.own[m]);
        if (!ran || one.exec || !kept) {
            fprintf(stderr, "fathom stat: %s: %s\n", a->command[which][0], strerror(one.exec ? one.exec : errno));
            return UNUSABLE;
        }
        if (one.status) {
            fprintf(stderr, "fathom stat: %s: run %u ended with %s %d\n", a->command[which][0], i + 1,
                    WIFSIGNALED(one.status) ? "signal" : "status",
                    WIFSIGNALED(one.status) ? WTERMSIG(one.status) : WEXITSTATUS(one.status));
            return FAILED;
        }
    }
    progress(a, which, total, total, start);
    return 0;
}

/* ---- What comes out ------------------------------------------------------------------------------ */

/* 97.5 % quantile of Student's t (Abramowitz and Stegun, table 26.10), for the next lower degree that is listed. */
static double student(double degrees)
{
    static const struct {
        double degrees, t;
    } table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},
                 {7, 2.365},  {8, 2.306},  {9, 2.262},  {10, 2.228}, {12, 2.179}, {15, 2.131},
                 {20, 2.086}, {30, 2.042}, {60, 2.000}, {120, 1.980}};
    double t = table[0].t;

    for (size_t i = 0; i < sizeof table / sizeof table[0] && table[i].degrees <= degrees; i++)
        t = table[i].t;
    return t;
}

/* How the second differs from the first, relative to the first, with half of the 95 % interval (Welch 1947). */
struct difference {
    double relative, half;
    bool significant;
};

static struct difference compare(const struct spread *a, const struct spread *b)
{
    double va = a->sigma * a->sigma / (double)a->count, vb = b->sigma * b->sigma / (double)b->count, v = va + vb;
    double degrees = v > 0 ? v * v / (va * va / (double)(a->count - 1) + vb * vb / (double)(b->count - 1)) : 1e9;
    struct difference d = {.relative = (b->mean - a->mean) / a->mean, .half = student(degrees) * sqrt(v) / a->mean};

    d.significant = a->count > 1 && b->count > 1 && fabs(d.relative) > d.half;
    return d;
}

/* "591 ms", "2.51 G", "137.4 MB": three digits that mean something. */
static void show(char *out, size_t room, double value, const char *unit)
{
    static const char *const steps[] = {"n", "µ", "m", "", "k", "M", "G", "T", "P"};
    int step = 3;
    bool seconds = !strcmp(unit, "seconds");

    if (!seconds && value < 10000 && unit[0] == 0) {
        snprintf(out, room, value == floor(value) ? "%.0f" : "%.1f", value);
        return;
    }
    while (value >= 999.5 && step < 8) {
        value /= 1000;
        step++;
    }
    while (value > 0 && value < 0.9995 && step > (seconds ? 0 : 3)) {
        value *= 1000;
        step--;
    }
    snprintf(out, room, "%.*f %s%s",
             value >= 99.95   ? 0
             : value >= 9.995 ? 1
                              : 2,
             value, steps[step],
             seconds                  ? "s"
             : !strcmp(unit, "bytes") ? "B"
                                      : "");
}

/* Columns hold text with µ, σ and …: as wide as it looks. */
static void pad(const char *text, int width)
{
    int seen = 0;

    for (const char *p = text; *p; p++)
        seen += (*p & 0xc0) != 0x80;
    printf("%*s%s", width > seen ? width - seen : 0, "", text);
}

static const char *measure_name(const struct plan *plan, size_t m)
{
    return m < OWN ? own_names[m] : plan->events[m - OWN].name;
}

static void print_row(const struct plan *plan, size_t m, const struct result *r, const struct result *first)
{
    struct spread s = spread_of(r->measure[m].values, r->measure[m].count);
    const char *unit = m < OWN ? own_units[m] : "";
    char text[4][32];

    if (!s.count)
        return;
    printf("  %-32s", measure_name(plan, m));
    show(text[0], sizeof text[0], s.mean, unit);
    show(text[1], sizeof text[1], s.sigma, unit);
    show(text[2], sizeof text[2], s.least, unit);
    show(text[3], sizeof text[3], s.most, unit);
    pad(text[0], 10);
    printf(" ± ");
    pad(s.count > 1 ? text[1] : "-", 8);
    pad(text[2], 12);
    printf(" … ");
    pad(text[3], 8);
    if (first) {
        struct spread before = spread_of(first->measure[m].values, first->measure[m].count);
        struct difference d = compare(&before, &s);
        if (before.count && isfinite(d.relative)) {
            snprintf(text[0], sizeof text[0], "%+.1f %% ± %.1f %%", 100 * d.relative, 100 * d.half);
            pad(text[0], 20);
            printf("%s", d.significant ? "" : "  (no difference shown)");
        }
    }
    printf("\n");
}

static void print(const struct arguments *a, const struct plan *plan, const struct result *results)
{
    for (size_t c = 0; c < a->commands; c++) {
        printf("%s", c ? "\n" : "");
        for (char **word = a->command[c]; *word; word++)
            printf("%s%s", *word, word[1] ? " " : "");
        printf(": %u runs after %u to warm up", a->runs, a->warmup);
        printf(plan->batches > 1 ? ", each %u times to count every event\n" : "\n", plan->batches);
        printf("  %-32s%10s ± %-8s%11s … %-8s%s\n", "measurement", "mean", "σ", "min", "max",
               c ? "  change of the mean" : "");
        for (size_t m = 0; m < OWN + plan->count; m++)
            print_row(plan, m, &results[c], c ? &results[0] : NULL);
    }
}

static void print_missing(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        bool told = false;
        for (size_t j = 0; j < i; j++)
            told = told || !strcmp(plan->events[j].why, plan->events[i].why);
        if (!plan->events[i].why[0] || told)
            continue;
        fprintf(stderr, "not counted:");
        for (size_t j = i; j < plan->count; j++)
            if (!strcmp(plan->events[j].why, plan->events[i].why))
                fprintf(stderr, " %s", plan->events[j].name);
        fprintf(stderr, ": %s\n", plan->events[i].why);
    }
}

static bool write_out(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count && fflush(context) == 0;
}

static void send_row(struct record *r, const struct plan *plan, size_t m, const struct result *result,
                     const struct result *first)
{
    struct spread s = spread_of(result->measure[m].values, result->measure[m].count),
                  before = spread_of(first->measure[m].values, first->measure[m].count);
    struct difference d = compare(&before, &s);

    record_object(r, NULL);
    record_text(r, "measurement", measure_name(plan, m));
    if (m < OWN && own_units[m][0])
        record_text(r, "unit", own_units[m]);
    if (m >= OWN)
        record_hex(r, "code", plan->events[m - OWN].event.code);
    if (m >= OWN && plan->events[m - OWN].why[0])
        record_text(r, "reason", plan->events[m - OWN].why);
    record_integer(r, "runs", s.count);
    if (s.count) {
        record_number(r, "mean", s.mean);
        record_number(r, "sigma", s.sigma);
        record_number(r, "min", s.least);
        record_number(r, "max", s.most);
    }
    if (result != first && s.count && before.count) {
        record_number(r, "change", d.relative);
        record_number(r, "change_half", d.half);
        record_boolean(r, "significant", d.significant);
    }
    record_close(r);
}

static void send(const struct arguments *a, const struct plan *plan, const struct result *results)
{
    struct writer w;
    struct record r;

    writer_start(&w);
    writer_add(&w, (struct sink){.name = "standard output", .context = stdout, .write = write_out});
    for (size_t c = 0; c < a->commands; c++) {
        record_start(&r, &w, "table");
        record_text(&r, "name", "stat");
        record_array(&r, "command");
        for (char **word = a->command[c]; *word; word++)
            record_text(&r, NULL, *word);
        record_close(&r);
        record_integer(&r, "warmup", a->warmup);
        record_array(&r, "rows");
        for (size_t m = 0; m < OWN + plan->count; m++)
            send_row(&r, plan, m, &results[c], &results[0]);
        record_close(&r);
        record_send(&r);
    }
    writer_stop(&w);
}

int command_stat(int count, char **words)
{
    static struct arguments a = {.events = "cycles,instructions", .warmup = 1, .runs = 10};
    static struct result results[COMMANDS];
    static struct plan plan;

    if (count == 0 || !strcmp(words[0], "--help") || !strcmp(words[0], "-h") || !strcmp(words[0], "help")) {
        fputs(help, stdout);
        return count ? DONE : USAGE;
    }
    int status = parse(&a, words);
    if (status)
        return status;
    struct identity id;
    linux_describing(true);
    identify(&id);
    linux_describing(false);
    const struct event_core *core = events_core(id.core_name);
    status = find_events(&plan, core, a.events);
    if (status)
        return status;
    place_events(&plan, core ? events_slots(core) : 0);
    for (size_t c = 0; c < a.commands && !status; c++)
        status = run_command(&a, &plan, c, &results[c]);
    if (!status) {
        print_missing(&plan);
        if (a.json)
            send(&a, &plan, results);
        else
            print(&a, &plan, results);
    }
    for (size_t c = 0; c < COMMANDS; c++)
        for (size_t m = 0; m < MEASURES; m++)
            free(results[c].measure[m].values);
    return status;
}
