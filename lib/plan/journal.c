#include "lib/plan/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/base/record_read.h"

void journal_start(struct journal *j, const char *fingerprint)
{
    memset(j, 0, sizeof *j);
    snprintf(j->fingerprint, sizeof j->fingerprint, "%s", fingerprint);
}

/* Index of an entry; j->count when there is none. Names are compared as far as an entry can hold them. */
static size_t find_entry(const struct journal *j, const char *name)
{
    size_t i = 0;

    while (i < j->count && strncmp(j->entries[i].name, name, JOURNAL_NAME - 1) != 0)
        i++;
    return i;
}

static void read_start(struct journal *j, const char *name)
{
    size_t i = find_entry(j, name);

    if (i == JOURNAL_ENTRIES)
        return;
    if (i == j->count) {
        snprintf(j->entries[i].name, sizeof j->entries[i].name, "%s", name);
        j->count++;
    }
    j->entries[i].started_here = true;
    j->entries[i].open_here = true;
}

/* A skipped probe has an end without a start; it says nothing about the probe. */
static void read_end(struct journal *j, const char *name, double seconds)
{
    size_t i = find_entry(j, name);

    if (i == j->count)
        return;
    if (j->entries[i].open_here && j->entries[i].seconds == 0)
        j->entries[i].seconds = seconds;
    j->entries[i].open_here = false;
}

static void stage_entry(char out[JOURNAL_NAME], const char *stage, unsigned core)
{
    snprintf(out, JOURNAL_NAME, "stage %.20s@%u", stage, core);
}

/*
 * A stage ends where the next one, or a probe, or the end of the run is recorded. `open` is the entry of the one that
 * has begun, "" while there is none.
 */
static void read_stage(struct journal *j, const char *line, size_t length, char open[JOURNAL_NAME])
{
    char stage[JOURNAL_NAME], core[16], skipped[8];

    if (open[0])
        read_end(j, open, 0);
    open[0] = 0;
    if (!record_line_value(line, length, "stage", stage, sizeof stage) ||
        !record_line_value(line, length, "core", core, sizeof core) ||
        record_line_value(line, length, "skipped", skipped, sizeof skipped))
        return;
    stage_entry(open, stage, (unsigned)strtoul(core, NULL, 10));
    read_start(j, open);
}

/* At the end of a file: counts its starts for the probes that no newer file has settled. */
static void close_file(struct journal *j)
{
    for (size_t i = 0; i < j->count; i++) {
        struct journal_entry *entry = &j->entries[i];

        if (entry->started_here && !entry->settled) {
            entry->starts++;
            if (entry->open_here)
                entry->unended++;
            else
                entry->settled = true;
        }
        entry->started_here = false;
    }
}

/* Seconds that a probe took, from its record `end`; 0 where its outcome is not ok. */
static double seconds_of(const char *line, size_t length)
{
    char value[32];

    if (!record_line_value(line, length, "outcome", value, sizeof value) || strcmp(value, "ok") != 0 ||
        !record_line_value(line, length, "seconds", value, sizeof value))
        return 0;
    return strtod(value, NULL);
}

void journal_add(struct journal *j, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    bool ours = false;
    bool newest = false;
    bool profile = false; /* the file is of the profile whose times are wanted */
    char open_stage[JOURNAL_NAME] = "";

    for (const char *line = text, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        char kind[16], value[JOURNAL_NAME];

        next = newline ? newline + 1 : end;
        if (!record_line_good(line, length) || !record_line_value(line, length, "t", kind, sizeof kind))
            continue;

        if (!ours) {
            /* Nothing counts before the run record has said whose file this is. */
            if (strcmp(kind, "run") != 0)
                continue;
            if (!record_line_value(line, length, "fingerprint", value, sizeof value) ||
                strcmp(value, j->fingerprint) != 0)
                return;
            ours = true;
            newest = j->runs++ == 0;
            profile = record_line_value(line, length, "profile", value, sizeof value) && !strcmp(value, j->profile);
            if (newest && record_line_value(line, length, "repeat", value, sizeof value))
                j->repeat = (unsigned)strtoul(value, NULL, 10);
            if (newest && record_line_value(line, length, "repeat_index", value, sizeof value))
                j->repeat_done = (unsigned)strtoul(value, NULL, 10);
            continue;
        }
        if (strcmp(kind, "stage") == 0 || strcmp(kind, "start") == 0 || strcmp(kind, "done") == 0)
            read_stage(j, line, length, open_stage);
        if (strcmp(kind, "done") == 0)
            j->ended_well += record_line_value(line, length, "status", value, sizeof value) && !strcmp(value, "0");
        if (!record_line_value(line, length, "probe", value, sizeof value))
            continue;
        if (strcmp(kind, "start") == 0)
            read_start(j, value);
        else if (strcmp(kind, "end") == 0)
            read_end(j, value, profile ? seconds_of(line, length) : 0);
    }
    close_file(j);
}

bool journal_skips(const struct journal *j, const char *probe)
{
    size_t i = find_entry(j, probe);

    return i < j->count && j->entries[i].unended >= 2;
}

bool journal_stage_hung(const struct journal *j, const char *stage, unsigned core)
{
    char name[JOURNAL_NAME];

    stage_entry(name, stage, core);
    size_t i = find_entry(j, name);
    return i < j->count && j->entries[i].unended >= 1;
}

double journal_seconds(const struct journal *j, const char *probe)
{
    size_t i = find_entry(j, probe);

    return i < j->count ? j->entries[i].seconds : 0;
}
