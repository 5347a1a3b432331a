#include "lib/probe/progress.h"

#include <math.h>
#include <stdio.h>

#include "lib/machine.h"

/* So many probes have to have ended before their mean stands for those that no earlier run knows: one is chance. */
enum { PROBES_FOR_A_MEAN = 3 };

void progress_start(struct progress *p)
{
    *p = (struct progress){.since = machine_seconds(), .probe_since = machine_seconds()};
}

void progress_add(struct progress *p, double seconds)
{
    p->planned++;
    p->known_seconds += seconds;
    p->unknown += seconds <= 0;
}

void progress_next(struct progress *p, double seconds)
{
    p->begun++;
    if (p->planned < p->begun)
        p->planned = p->begun;
    p->probe_since = machine_seconds();
    p->probe_seconds = seconds;
    p->known_seconds = fmax(p->known_seconds - seconds, 0);
    if (seconds <= 0 && p->unknown > 0)
        p->unknown--;
}

double progress_seconds_left(const struct progress *p)
{
    const double now = machine_seconds();
    const unsigned ended = p->begun ? p->begun - 1 : 0;
    const double mean = ended ? (p->probe_since - p->since) / ended : 0;
    const double probe = p->probe_seconds > 0 ? p->probe_seconds : p->begun ? mean : 0;

    if (ended < PROBES_FOR_A_MEAN && (p->unknown > 0 || (p->begun && p->probe_seconds <= 0)))
        return NAN;
    return p->known_seconds + p->unknown * mean + fmax(probe - (now - p->probe_since), 0);
}

void progress_show(const struct progress *p, const char *text)
{
    const double left = progress_seconds_left(p);
    char line[160], time[32] = "";

    if (!isnan(left))
        snprintf(time, sizeof time, ", about %u:%02u left", (unsigned)left / 60, (unsigned)left % 60);
    snprintf(line, sizeof line, "[%u/%u%s] %s", p->begun, p->planned, time, text);
    machine_progress(line);
}
