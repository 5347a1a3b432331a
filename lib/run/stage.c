#include "lib/run/stage.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/plan/journal.h"
#include "lib/probe/run_state.h"

enum { EARLY = 8 /* stages before there is a run: the platform has fewer */, TEXT = 200 };

struct stage {
    const char *name;
    double seconds;
};

static struct run *run;           /* NULL: there is none yet */
static struct stage early[EARLY]; /* those that began before there was a run */
static size_t early_count;
static const char *now = "start";
static double started; /* machine_seconds when the first stage began; 0: none has begun */

static void send(const struct stage *s, bool skipped)
{
    struct record record;

    record_start(&record, &run->writer, "stage");
    record_text(&record, "stage", s->name);
    record_core(&record);
    record_integer(&record, "ms", (uint64_t)(s->seconds * 1e3));
    if (skipped)
        record_boolean(&record, "skipped", true);
    record_send(&record);
}

void stage_start(struct run *r)
{
    run = r;
    for (size_t i = 0; i < early_count; i++)
        send(&early[i], false);
    early_count = 0;
}

void stage_end(void)
{
    now = "probes";
}

const char *stage_now(void)
{
    return now;
}

/*
 * For tests of what comes after it: stops in the stage that `hang` names, or faults in the one that `fault` names, as
 * if the machine did not survive it. The address is canonical on no machine.
 */
static void hang_if_wanted(const char *here)
{
    volatile bool forever = !strcmp(run->config.hang, here);

    while (forever)
        ;
    if (!strcmp(run->config.fault, here))
        *(volatile uint64_t *)(uintptr_t)UINT64_C(0x7f00000000000000) = 0;
}

const char *stage_begin(const char *name, const char *text)
{
    static const char why[] = "this step hung the machine in an earlier run; retry = all tries it again";
    char line[TEXT];

    if (started == 0)
        started = machine_seconds();
    struct stage s = {.name = name, .seconds = machine_seconds() - started};
    const unsigned core = machine_info()->core;
    char here[sizeof run->config.omit];

    snprintf(here, sizeof here, "%s@%u", name, core);
    const bool skipped = run && ((!run->config.retry && journal_stage_hung(&run->journal, name, core)) ||
                                 !strcmp(run->config.omit, here));

    if (run)
        send(&s, skipped);
    else if (early_count < EARLY)
        early[early_count++] = s;
    snprintf(line, sizeof line, "%6.0f ms  %s%s", s.seconds * 1e3, skipped ? "left out, since it hung: " : "", text);
    machine_stage(line);
    now = skipped ? now : name;
    if (run && !skipped)
        hang_if_wanted(here);
    return skipped ? why : NULL;
}
