/*
 * fathom stat: what a command costs in time, memory and events over several runs, and how two commands differ.
 *
 * Each run is a process of its own, whose counters start at its exec. Where there are more events than counters, each
 * run is repeated until every event has been counted. An event is counted during a whole run or not at all, so no
 * count has to be scaled.
 */
#include "boot/linux/stat.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/identify.h"
#include "boot/linux/stat_plan.h"
#include "boot/linux/stat_print.h"
#include "boot/linux/stat_run.h"
#include "boot/linux/window.h"
#include "lib/counters/events.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, UNUSABLE = 3 };
enum { COMMANDS = 2, RUNS = 10000 };

struct arguments {
    char events[2048];
    unsigned warmup, runs;
    bool json, output;
    char **command[COMMANDS];
    size_t commands;
};

static int usage_error(const char *what, const char *about)
{
    fprintf(stderr, "fathom stat: %s%s%s\nTry 'fathom stat --help'.\n", what, about ? ": " : "", about ? about : "");
    return USAGE;
}

static const char help[] =
    "fathom stat [options] -- COMMAND [ARGUMENT…] [::: COMMAND [ARGUMENT…]]\n"
    "\n"
    "Runs the command several times and prints what it costs: mean, standard deviation, minimum and maximum of wall\n"
    "time, peak memory, page faults, context switches and the events that were requested. With two commands it also\n"
    "prints how the second differs from the first.\n"
    "\n"
    "  -e EVENT,…    events: names that are the same on every core (cycles, instructions), the vendor's names, or\n"
    "                numbers (0x1c2); 'fathom counters --list' lists them; default: cycles,instructions\n"
    "  --warmup N    runs before those that are measured (1)\n"
    "  --runs N      runs that are measured (10)\n"
    "  --output      let the command write to the terminal; by default its output is discarded\n"
    "  --json        write records instead of a table\n"
    "\n"
    "Exit status: 0 done; 1 the command failed; 2 wrong arguments; 3 the command cannot be run. Events that cannot\n"
    "be counted on this machine are listed with the reason, and the rest is measured.\n"
    "\n"
    "Example: fathom stat -e cycles,instructions,conditional_mispredicts --runs 20 -- sort big.txt ::: sort -n "
    "big.txt\n";

static bool parse_number(const char *text, unsigned least, unsigned most, unsigned *out)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || n < least || n > most)
        return false;
    *out = (unsigned)n;
    return true;
}

/* Splits the words behind "--" into commands, at ":::". */
static int parse_commands(struct arguments *a, char **words)
{
    for (; *words; words++) {
        if (a->commands == COMMANDS)
            return usage_error("at most two commands can be compared", *words);
        a->command[a->commands++] = words;
        while (*words && strcmp(*words, ":::") != 0)
            words++;
        if (words == a->command[a->commands - 1])
            return usage_error("a command is missing before or after :::", NULL);
        if (!*words)
            break;
        *words = NULL;
        if (!words[1])
            return usage_error("a command is missing before or after :::", NULL);
    }
    return a->commands ? 0 : usage_error("there is no command after --", NULL);
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
            return usage_error(word[0] == '-' ? "unknown option" : "the command must follow --", word);
        if (!value || !strcmp(value, "--"))
            return usage_error("the value of an option is missing", word);
        words++;
        if (word[1] == 'e' || !strcmp(word, "--events")) {
            if (strlen(value) >= sizeof a->events)
                return usage_error("too many events", NULL);
            snprintf(a->events, sizeof a->events, "%s", value);
        } else if (!strcmp(word, "--warmup") && !parse_number(value, 0, RUNS, &a->warmup)) {
            return usage_error("--warmup takes a number from 0 to 10000", value);
        } else if (!strcmp(word, "--runs") && !parse_number(value, 1, RUNS, &a->runs)) {
            return usage_error("--runs takes a number from 1 to 10000", value);
        }
    }
    return parse_commands(a, *words ? words + 1 : words);
}

int command_stat(int count, char **words)
{
    static struct arguments a = {.events = "cycles,instructions", .warmup = 1, .runs = 10};
    static struct result results[COMMANDS];
    static struct plan plan;
    struct stat_command commands[COMMANDS];
    char error[512];

    if (count == 0 || !strcmp(words[0], "--help") || !strcmp(words[0], "-h") || !strcmp(words[0], "help")) {
        fputs(help, stdout);
        return count ? DONE : USAGE;
    }
    int status = parse(&a, words);
    if (status)
        return status;
    struct identity id;
    windows_describing(true);
    identify(&id);
    windows_describing(false);
    const struct event_core *core = events_core(id.core_name);
    if (!stat_find_events(&plan, core, a.events, error, sizeof error))
        return usage_error(error, NULL);
    stat_place_events(&plan, core ? events_slots(core) : 0);
    for (size_t c = 0; c < a.commands && !status; c++) {
        commands[c] = (struct stat_command){a.command[c], a.warmup, a.runs, a.output};
        enum stat_end end = stat_run_command(&commands[c], &plan, &results[c]);
        status = end == STAT_RAN ? DONE : end == STAT_FAILED ? FAILED : UNUSABLE;
    }
    if (!status) {
        stat_print_missing(&plan);
        if (a.json)
            stat_record(commands, a.commands, &plan, results);
        else
            stat_print(commands, a.commands, &plan, results);
    }
    for (size_t c = 0; c < COMMANDS; c++)
        for (size_t m = 0; m < MEASURES; m++)
            free(results[c].measure[m].values);
    return status;
}
