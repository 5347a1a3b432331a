/*
 * The journal: what earlier runs on this volume say about this one.
 *
 * It is not a file of its own. Every probe flushes a `start` record before it runs and an `end`
 * record after; a boot that hung or lost power leaves a start without an end. The journal reads the
 * newest result files of this machine, told by its fingerprint, newest first.
 */
#ifndef FATHOM_LIB_JOURNAL_H
#define FATHOM_LIB_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

enum { JOURNAL_PROBES = 128, JOURNAL_NAME = 32, JOURNAL_FILES = 64 };

struct journal_entry {
    char probe[JOURNAL_NAME];
    unsigned starts;   /* runs seen that started it, newest first, until one settled it */
    unsigned unended;  /* of the newest of them in a row, in how many its last start has no end */
    double seconds;    /* that it took in the newest run of the profile that ran it to its end; 0: that is not known */
    bool settled;      /* a start with an end was seen: older files say nothing new */
    bool started_here; /* only while a file is being read: it has a start, … */
    bool open_here;    /* … and the last one has no end yet */
};

struct journal {
    char fingerprint[17];
    char profile[16]; /* whose runs tell how long probes take; "": none does */
    struct journal_entry entries[JOURNAL_PROBES];
    size_t count;
    unsigned runs;        /* earlier runs of this machine that were read */
    unsigned repeat;      /* of the newest run: how many were asked for; 0 when there is none */
    unsigned repeat_done; /* of the newest run: which of them it was */
};

void journal_start(struct journal *j, const char *fingerprint);
/* Adds one earlier result file, newest first. Lines with bad checksums are passed over. */
void journal_add(struct journal *j, const char *text, size_t bytes);
/* True when the probe started and never ended in each of the last two runs that started it. */
bool journal_skips(const struct journal *j, const char *probe);
/* True when that was so in the last run that started it: enough for what is known to hang some machines. */
bool journal_hung(const struct journal *j, const char *probe);
/* How long it took when it was run last, with that profile; 0 where that is not known. */
double journal_seconds(const struct journal *j, const char *probe);
/* What stands for a probe where prefetchers are switched that may hang the machine. */
#define JOURNAL_RISKY "risky-prefetch"

#endif
