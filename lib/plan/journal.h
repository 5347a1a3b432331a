/*
 * The journal: what earlier runs on this volume mean for this one.
 *
 * It is no file of its own. Every probe flushes a `start` record before it runs and an `end` record after; a boot
 * that hung or lost power leaves a start without an end, or a `stage` that nothing follows. The journal reads the
 * result files of this machine, which it knows by its fingerprint, newest first.
 */
#ifndef FATHOM_LIB_PLAN_JOURNAL_H
#define FATHOM_LIB_PLAN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Entries of a journal: enough for every probe and the stages of some sixty cores; further ones are not remembered.
 * Bytes of an entry's name; and earlier result files that are read.
 */
enum { JOURNAL_ENTRIES = 1024, JOURNAL_NAME = 32, JOURNAL_FILES = 64 };

/* What earlier runs say of one probe, or of one stage on one core (lib/run/stage.h). */
struct journal_entry {
    char name[JOURNAL_NAME]; /* of the probe; "stage NAME@CORE" */
    unsigned starts;         /* runs that started it, counted from the newest until one ended it */
    unsigned unended;        /* in how many of these, from the newest on, the last start has no end after it */
    double seconds;          /* that it took in the newest run of this profile in which its outcome was ok; 0: none */
    bool settled;            /* a run ended it: older files add nothing */
    bool started_here;       /* while a file is read: it has a start there */
    bool open_here;          /* while a file is read: its last start there has no end yet */
};

/* What earlier runs on this machine say. journal_start begins it; `profile` is then set by the caller. */
struct journal {
    char fingerprint[17];
    char profile[16]; /* runs of this profile show how long probes take; "": none do */
    struct journal_entry entries[JOURNAL_ENTRIES];
    size_t count;
    unsigned runs;        /* earlier runs of this machine that were read */
    unsigned ended_well;  /* those of them that ended without a fault or timeout, and owned their cores */
    unsigned repeat;      /* how many runs in a row the newest run was one of; 0: there is no earlier run */
    unsigned repeat_done; /* which of these the newest run was, from 1 */
};

/* Begins an empty journal for the machine with that fingerprint (struct machine_info). */
void journal_start(struct journal *j, const char *fingerprint);
/*
 * Reads the text of one earlier result file into the journal. To be called for the newest file first, then the older
 * ones in order. A file of another machine is passed over, and so are lines before its `run` record and lines with
 * wrong checksums.
 */
void journal_add(struct journal *j, const char *text, size_t bytes);
/* Whether the probe is to be skipped: in each of the last two runs that started it, its last start has no end. */
bool journal_skips(const struct journal *j, const char *probe);
/*
 * Whether the last run that began this stage on the core with that index ended within it. The caller then leaves the
 * stage out, so that a machine that hangs is not tried twice.
 */
bool journal_stage_hung(const struct journal *j, const char *stage, unsigned core);
/* Seconds that the probe took in the newest run of the journal's profile in which its outcome was ok; 0: not known. */
double journal_seconds(const struct journal *j, const char *probe);

#endif
