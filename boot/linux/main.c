/*
 * fathom as a Linux program: parses the arguments and starts the command; `run` is the same run as on bare metal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/linux/console.h"
#include "boot/linux/counters.h"
#include "boot/linux/diff.h"
#include "boot/linux/forms.h"
#include "boot/linux/kernel_files.h"
#include "boot/linux/knee.h"
#include "boot/linux/machine.h"
#include "boot/linux/simulated.h"
#include "boot/linux/stat.h"
#include "lib/base/record.h"
#include "lib/base/version.h"
#include "lib/machine.h"
#include "lib/plan/config.h"
#include "lib/run/plan.h"
#include "lib/run/run.h"

/* Exit statuses beyond those of run_all. */
enum { EXIT_USAGE = 2, EXIT_PLACE = 3 };

static const char usage_text[] =
    "fathom: finds out how this core is built.\n"
    "\n"
    "  fathom run [PROBE…] [options]   run all probes, or those named\n"
    "  fathom kernel FILE… [options]   measure code of your own; docs/KERNELS.md describes the files. Options as for "
    "run\n"
    "  fathom bringup [--json FILE]    show a page about this machine: what it is, and whether it can be measured\n"
    "  fathom list [--findings]        list the probes, and with --findings what each of them finds\n"
    "  fathom list --forms [PATTERN]   list the instruction forms that can be measured, and those left out with "
    "reasons\n"
    "  fathom knee FILE.csv [options]  find the knees of a curve; - is standard input\n"
    "  fathom diff RUN RUN [options]   show what two runs found differently, and how the machines differed\n"
    "  fathom counters EVENT…          show which performance counter counts which event\n"
    "  fathom stat -- COMMAND…         measure what a command costs in time, memory and events\n"
    "  fathom help                     show this text\n"
    "  fathom --version                show the name of this build, which every run has as `build`\n"
    "\n"
    "'fathom bringup --help', 'fathom counters --help' and 'fathom stat --help' describe these commands.\n"
    "\n"
    "Options of run:\n"
    "  --profile smoke|simulated|quick|standard|full   how much to measure (quick); simulated: in a simulator of a\n"
    "                 core, in few instructions and with hardly any system calls\n"
    "  --cores one-per-type|all|LIST   the cores to measure on, as in 0,2,4-7; by default the one that the program\n"
    "                 starts on, and one of each other type\n"
    "  --json FILE    write the records, JSON Lines, to FILE; - is standard output\n"
    "  --set KEY=VALUE   set any key of the configuration file; images/FATHOM.CFG describes them\n"
    "\n"
    "Options of knee:\n"
    "  --x COLUMN     the column of x, by name or number; default: the one named x or size, else the first\n"
    "  --y COLUMN     the column of y; default: the one named y, median or min, else the one after x\n"
    "  --where COLUMN=VALUE   use only these rows; may be given several times\n"
    "  --kind KIND    what to look for. step: levels, with steps or ramps between them (the default); jump: two\n"
    "                 levels, which may slope; slope: a line that becomes steeper; staircase: equal steps\n"
    "  --json         write finding records instead of text\n"
    "FILE is a table with columns x and y, separated by commas, semicolons, tabs or blanks, with or without a header.\n"
    "Rows with the same x are repetitions, in the order of time; write nan where there is no y. If each x is measured\n"
    "once, in order, a change over time cannot be distinguished from a change over x. So measure all x three times,\n"
    "ascending, descending and ascending, or in random order: only what these passes have in common is reported.\n"
    "\n"
    "Options of diff:\n"
    "  --values       show only values that differ: no grades, and nothing that only one of the runs decided or "
    "reported\n"
    "  --within PERCENT   the tolerance for numbers without an interval (2); a number with an interval agrees with\n"
    "                 another when one of the two lies in the other's interval\n"
    "  --json         write records instead of text\n"
    "A RUN is a file of records, from 'fathom run --json', from the stick or from scripts/collect.\n"
    "\n"
    "Exit status of run: 0 done; 1 a probe faulted or timed out, or records were lost; 2 wrong arguments;\n"
    "3 this machine does not offer what a run needs.\n"
    "Exit status of knee: 0 a knee was found; 1 none was found, and the reason is printed; 2 wrong arguments;\n"
    "3 the file cannot be read, or does not hold such a table.\n"
    "Exit status of diff: 0 no finding differs, even if the machines do; 1 some findings differ; 2 wrong arguments;\n"
    "3 a file cannot be read, or holds no run.\n"
    "\n"
    "Examples: fathom run cache return_stack --cores 1 --json result.jsonl\n"
    "          fathom knee lsu.csv --x size --y min --where pattern=0 --kind jump\n";

static int usage_error(const char *what, const char *about)
{
    fprintf(stderr, "fathom: %s%s%s\nTry 'fathom help'.\n", what, about ? ": " : "", about ? about : "");
    return EXIT_USAGE;
}

/* ---- The file sink ----------------------------------------------------------------------------- */

static bool file_write(void *context, const char *bytes, size_t count)
{
    int fd = *(int *)context;
    while (count) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        count -= (size_t)n;
    }
    return true;
}

/* ---- Commands ---------------------------------------------------------------------------------- */

struct arguments {
    struct config config;
    struct user_kernels kernels;
    const char *json; /* NULL: none */
};

/* Adds a probe's name to the plan. */
static bool add_probe(struct config *c, const char *name)
{
    size_t used = strlen(c->probes);
    int n = snprintf(c->probes + used, sizeof c->probes - used, "%s%s", used ? " " : "", name);
    return n > 0 && used + (size_t)n < sizeof c->probes;
}

/* Takes a word that is no option: the name of a probe, or of `fathom kernel` a file. 0, or the exit status. */
static int take_word(struct arguments *a, const char *word, bool is_file)
{
    if (is_file)
        return kernel_file_add(&a->kernels, word) ? 0 : EXIT_PLACE;
    return add_probe(&a->config, word) ? 0 : usage_error("too many probes are named", NULL);
}

/* Returns 0, or the exit status after a message to standard error. */
static int parse_run(struct arguments *a, bool files, int count, char **words)
{
    char why[320];

    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
        if (word[0] != '-') {
            const int status = take_word(a, word, files);
            if (status)
                return status;
            continue;
        }
        if (!value)
            return usage_error("the option is unknown, or its value is missing", word);
        i++;
        if (!strcmp(word, "--json")) {
            a->json = value;
        } else if (!strcmp(word, "--profile")) {
            if (!config_set(&a->config, "profile", value, why, sizeof why))
                return usage_error("--profile", why);
        } else if (!strcmp(word, "--cores")) {
            if (!config_set(&a->config, "cores", value, why, sizeof why))
                return usage_error("--cores", why);
        } else if (!strcmp(word, "--set")) {
            char key[64];
            const char *equals = strchr(value, '=');
            if (!equals || (size_t)(equals - value) >= sizeof key)
                return usage_error("--set takes KEY=VALUE", value);
            snprintf(key, sizeof key, "%.*s", (int)(equals - value), value);
            if (!config_set(&a->config, key, equals + 1, why, sizeof why))
                return usage_error(key, why);
        } else {
            return usage_error("unknown option", word);
        }
    }
    return 0;
}

static const char no_watchdog[] = "the key has no effect in this program: it does not touch the machine's watchdog";

static bool watchdog_wanted;

static void warn_of_platform(struct writer *w)
{
    static bool said;

    if (watchdog_wanted && !said)
        record_warning(w, "watchdog", no_watchdog);
    said = true;
    simulated_warn(w);
}

/* Measures as the configuration wants. Returns the exit status. */
static int measure(const struct arguments *a)
{
    static struct run run;
    int fd = -1;

    bool to_stdout = a->json && !strcmp(a->json, "-");
    console_start(to_stdout);
    const char *why = machine_start(&a->config);
    if (why) {
        fprintf(stderr, "fathom: %s\n", why);
        return EXIT_PLACE;
    }

    run.config = a->config;
    run.kernels = a->kernels;
    run.repeat_index = 1;
    if (run.config.watchdog) {
        fprintf(stderr, "fathom: watchdog: %s\n", no_watchdog);
        watchdog_wanted = true;
    }
    run.warn = warn_of_platform;
    writer_start(&run.writer);
    if (a->json) {
        fd = to_stdout ? STDOUT_FILENO : open(a->json, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) {
            fprintf(stderr, "fathom: %s: %s\n", a->json, strerror(errno));
            return EXIT_PLACE;
        }
        writer_add(&run.writer, (struct sink){.name = "file", .context = &fd, .write = file_write});
        snprintf(run.destination, sizeof run.destination, "%s", to_stdout ? "standard output" : a->json);
    }
    int status = run_all(&run);
    if (fd >= 0 && !to_stdout && close(fd) != 0) {
        fprintf(stderr, "fathom: %s: %s\n", a->json, strerror(errno));
        status = status ? status : 1;
    }
    return status;
}

static int command_run(int count, char **words)
{
    struct arguments a = {.json = NULL};

    config_defaults(&a.config);
    a.config.bringup = BRINGUP_OFF; /* it has a command of its own */
    const int status = parse_run(&a, false, count, words);
    return status ? status : measure(&a);
}

/* A run of the probe `user_kernel` alone. A mistake in a file ends it before anything is measured. */
static int command_kernel(int count, char **words)
{
    struct arguments a = {.json = NULL};
    char why[320];

    config_defaults(&a.config);
    a.config.bringup = BRINGUP_OFF;
    if (!config_set(&a.config, "probes", "user_kernel", why, sizeof why))
        return usage_error("kernel", why);
    int status = parse_run(&a, true, count, words);
    if (!status && a.kernels.wrong)
        status = EXIT_USAGE;
    else if (!status && !a.kernels.count)
        status = usage_error(a.kernels.others ? "the kernels are all for another instruction set; use that program"
                                              : "kernel takes files with kernels; docs/KERNELS.md describes them",
                             NULL);
    if (!status)
        status = measure(&a);
    user_kernels_free(&a.kernels);
    return status;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static const char bringup_text[] =
    "fathom bringup [--json FILE]\n"
    "\n"
    "Shows a page about this machine in about two seconds, the same as the image shows where it boots for the first\n"
    "time: core, microcode, board, firmware and Secure Boot, the rate of the time stamp by every clock there is, what\n"
    "can be counted and mapped, what the first readings look like, and what disturbs them. Nothing is changed, and\n"
    "serial numbers are not read. Try it before 'fathom run' and before booting the image on a machine that nobody\n"
    "has tried, and send it with a report of what went wrong.\n"
    "\n"
    "The page is of the core that the program starts on. As root, and with the module msr loaded, it counts system\n"
    "management interrupts on Intel's cores. What a process cannot see is on the image's page alone. Behind the page\n"
    "stands whether the times of this platform can be trusted.\n"
    "\n"
    "  --json FILE    write the records, JSON Lines, to FILE; - is standard output\n"
    "\n"
    "Exit status: 0 readings can be taken; 1 the first readings faulted or timed out, which the page describes, or\n"
    "records were lost; 2 wrong arguments; 3 this machine does not offer what a page needs.\n"
    "\n"
    "Example: taskset -c 4 fathom bringup --json bringup.jsonl\n";

/* A run with `profile = bringup`. */
static int command_bringup(int count, char **words)
{
    struct arguments a = {.json = NULL};
    char why[320];

    if (count > 0 && is_help(words[0])) {
        fputs(bringup_text, stdout);
        return 0;
    }
    if (count > 0 && strcmp(words[0], "--json") != 0)
        return usage_error("bringup takes no other option than --json FILE", words[0]);
    if (count == 1)
        return usage_error("the value of the option is missing", words[0]);
    if (count > 2)
        return usage_error("bringup takes one file", words[2]);
    a.json = count ? words[1] : NULL;
    config_defaults(&a.config);
    if (!config_set(&a.config, "profile", "bringup", why, sizeof why))
        return usage_error("bringup", why);
    return measure(&a);
}

static int command_list(int count, char **words)
{
    bool forms = count > 0 && !strcmp(words[0], "--forms"), findings = count > 0 && !strcmp(words[0], "--findings");

    if (count > 0 && !forms && !findings)
        return usage_error("list takes no other option than --findings or --forms", words[0]);
    if (count > 1 + forms)
        return usage_error(forms ? "list --forms takes one pattern" : "list takes one option", words[1 + forms]);
    if (forms)
        return list_forms(count > 1 ? words[1] : "*");
    plan_print_probes(findings);
    return 0;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **words);
        bool own_help; /* prints its own help text */
    } commands[] = {
        {"run", command_run, false},   {"bringup", command_bringup, true}, {"list", command_list, false},
        {"knee", command_knee, false}, {"diff", command_diff, false},      {"counters", command_counters, true},
        {"stat", command_stat, true},  {"kernel", command_kernel, false},
    };

    const char *command = count > 1 ? words[1] : "help";
    bool help = is_help(command);

    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && !help; i++)
        if (!strcmp(command, commands[i].name)) {
            help = !commands[i].own_help && count > 2 && is_help(words[2]);
            if (!help)
                return commands[i].run(count - 2, words + 2);
        }
    if (!strcmp(command, "--version")) {
        printf("fathom %s\n", build_version);
        return 0;
    }
    if (!help)
        return usage_error("unknown command", command);
    fputs(usage_text, stdout);
    return count > 1 ? 0 : EXIT_USAGE;
}
