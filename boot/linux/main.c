/*
 * fathom as a Linux program: arguments in, the same run as on bare metal, records and a table out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/linux/linux.h"
#include "lib/run.h"

/* Exit statuses beyond those of run_all. */
enum { EXIT_USAGE = 2, EXIT_PLACE = 3 };

static const char usage_text[] =
    "fathom: finds out how this core is built.\n"
    "\n"
    "  fathom run [PROBE…] [options]   run all probes, or those named\n"
    "  fathom list [--findings]        what there is to run, and what it finds\n"
    "  fathom list --forms [PATTERN]   instruction forms that can be measured, and what is left out and why\n"
    "  fathom knee FILE.csv [options]  where a curve has its knees; - is standard input\n"
    "  fathom diff RUN RUN [options]   what two runs found differently, and what was different about the machines\n"
    "  fathom counters EVENT…          which performance counter counts which event\n"
    "  fathom stat -- COMMAND…         what a command costs in time, memory and events\n"
    "  fathom help\n"
    "\n"
    "counters and stat have more to say with --help.\n"
    "\n"
    "Options of run:\n"
    "  --profile smoke|quick|standard|full   how much to measure (quick)\n"
    "  --cores one-per-type|all|LIST   which cores measure, as in 0,2,4-7; by default the one that the program\n"
    "                 starts on, and one of each other type\n"
    "  --json FILE    write the records, JSON Lines, to FILE; - is standard output\n"
    "  --set KEY=VALUE   any key of the configuration file, see images/FATHOM.CFG\n"
    "\n"
    "Options of knee, whose FILE is a table of x and y (commas, semicolons, tabs or blanks; with a header\n"
    "or without; rows of the same x are repetitions, in the order of time; nan where there is no y. What changed\n"
    "with time looks as if it changed with x where each x was measured once, in order; so measure in three\n"
    "passes, forth, back and forth, or in random order: what the passes do not have in common is not told):\n"
    "  --x COLUMN     by name or number; else the one named x or size, else the first\n"
    "  --y COLUMN     likewise; else the one named y, median or min, else the one after x\n"
    "  --where COLUMN=VALUE   take only these rows; may be given several times\n"
    "  --kind KIND    step: levels, left by steps or ramps (the default); window: two levels;\n"
    "                 slope: a line that becomes steeper; stairs: equal steps\n"
    "  --json         finding records instead of text\n"
    "\n"
    "Options of diff, whose files hold records as run --json, the stick or scripts/collect have them:\n"
    "  --values       tell only values that differ, neither grades nor what one run alone decided or asked\n"
    "  --within PERCENT   numbers without an interval agree within this (2); others agree when one lies in the\n"
    "                 other's interval\n"
    "  --json         records instead of text\n"
    "\n"
    "Exit status of run: 0 done; 1 a probe faulted or timed out, or records were lost; 2 wrong arguments;\n"
    "3 this machine does not offer what a run needs.\n"
    "Exit status of knee: 0 a knee is decided; 1 none is, and the reason is told; 2 wrong arguments;\n"
    "3 the file cannot be read, or not so.\n"
    "Exit status of diff: 0 no finding differs, whatever is different about the machines; 1 some do; 2 wrong\n"
    "arguments; 3 a file cannot be read, or holds no run.\n"
    "\n"
    "Examples: fathom run cache return_stack --cores 1 --json result.jsonl\n"
    "          fathom knee lsu.csv --x size --y min --where pattern=0 --kind window\n";

static int complain(const char *what, const char *about)
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
    const char *json; /* NULL: none */
};

/* Adds a probe's name to the plan. */
static bool add_probe(struct config *c, const char *name)
{
    size_t used = strlen(c->probes);
    int n = snprintf(c->probes + used, sizeof c->probes - used, "%s%s", used ? " " : "", name);
    return n > 0 && used + (size_t)n < sizeof c->probes;
}

/* Returns 0, or the exit status after having complained. */
static int parse_run(struct arguments *a, int count, char **words)
{
    char why[160];

    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
        if (word[0] != '-') {
            if (!add_probe(&a->config, word))
                return complain("too many probes are named", NULL);
            continue;
        }
        if (!value)
            return complain("an option lacks its value, or is unknown", word);
        i++;
        if (!strcmp(word, "--json")) {
            a->json = value;
        } else if (!strcmp(word, "--profile")) {
            if (!config_set(&a->config, "profile", value, why, sizeof why))
                return complain("--profile", why);
        } else if (!strcmp(word, "--cores")) {
            if (!config_set(&a->config, "cores", value, why, sizeof why))
                return complain("--cores", why);
        } else if (!strcmp(word, "--set")) {
            char key[64];
            const char *equals = strchr(value, '=');
            if (!equals || (size_t)(equals - value) >= sizeof key)
                return complain("--set wants KEY=VALUE", value);
            snprintf(key, sizeof key, "%.*s", (int)(equals - value), value);
            if (!config_set(&a->config, key, equals + 1, why, sizeof why))
                return complain(key, why);
        } else {
            return complain("unknown option", word);
        }
    }
    return 0;
}

static int command_run(int count, char **words)
{
    static struct run run;
    struct arguments a = {.json = NULL};
    int fd = -1;

    config_defaults(&a.config);
    int status = parse_run(&a, count, words);
    if (status)
        return status;

    bool to_stdout = a.json && !strcmp(a.json, "-");
    linux_console_start(to_stdout);
    const char *why = linux_machine_start(&a.config);
    if (why) {
        fprintf(stderr, "fathom: %s\n", why);
        return EXIT_PLACE;
    }

    run.config = a.config;
    run.repeat_index = 1;
    writer_start(&run.writer);
    if (a.json) {
        fd = to_stdout ? STDOUT_FILENO : open(a.json, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) {
            fprintf(stderr, "fathom: %s: %s\n", a.json, strerror(errno));
            return EXIT_PLACE;
        }
        writer_add(&run.writer, (struct sink){.name = "file", .context = &fd, .write = file_write});
        snprintf(run.destination, sizeof run.destination, "%s", to_stdout ? "standard output" : a.json);
    }
    status = run_all(&run);
    if (fd >= 0 && !to_stdout && close(fd) != 0) {
        fprintf(stderr, "fathom: %s: %s\n", a.json, strerror(errno));
        status = status ? status : 1;
    }
    return status;
}

static int command_list(int count, char **words)
{
    bool forms = count > 0 && !strcmp(words[0], "--forms"), findings = count > 0 && !strcmp(words[0], "--findings");

    if (count > 0 && !forms && !findings)
        return complain("list takes only --findings or --forms", words[0]);
    if (count > 1 + forms)
        return complain(forms ? "list --forms takes one pattern" : "list takes one option", words[1 + forms]);
    if (forms)
        return list_forms(count > 1 ? words[1] : "*");
    run_print_probes(findings);
    return 0;
}

static bool asks_for_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **words);
        bool explains_itself; /* has help of its own */
    } commands[] = {
        {"run", command_run, false},   {"list", command_list, false},        {"knee", command_knee, false},
        {"diff", command_diff, false}, {"counters", command_counters, true}, {"stat", command_stat, true},
    };

    const char *command = count > 1 ? words[1] : "help";
    bool help = asks_for_help(command);

    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && !help; i++)
        if (!strcmp(command, commands[i].name)) {
            help = !commands[i].explains_itself && count > 2 && asks_for_help(words[2]);
            if (!help)
                return commands[i].run(count - 2, words + 2);
        }
    if (!help)
        return complain("unknown command", command);
    fputs(usage_text, stdout);
    return count > 1 ? 0 : EXIT_USAGE;
}
