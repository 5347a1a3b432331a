#include "lib/run/text.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/machine.h"

void print_heading(const struct run *r)
{
    const struct machine_info *info = machine_info();
    char type[16] = "", line[320];

    if (info->core_type[0])
        snprintf(type, sizeof type, " (type %s)", info->core_type);
    snprintf(line, sizeof line, "fathom on %s (%s%s%s), core %u%s, profile %s%s%s\n", info->core_model, info->isa,
             info->core_name[0] ? ", " : "", info->core_name, info->core, type, config_profile_name(&r->config),
             info->hypervisor[0] ? ", under " : "", info->hypervisor);
    machine_print(line);
}

/* Prints "12345 readings, 3 % rejected, 1.0 % shared, 2.0 % stolen; 300 points of 4000 in the full grid." */
static void print_costs(const struct run *r)
{
    const struct meter *m = &r->meter;
    double whole = m->taken ? (double)m->taken / 100 : 1;
    char line[320];
    int used = snprintf(line, sizeof line, "%llu readings, %.0f %% rejected", (unsigned long long)m->taken,
                        (double)m->rejected / whole);

    for (enum cause c = 0; c < CAUSES; c++)
        if (m->rejected_by[c] && used > 0 && (size_t)used < sizeof line)
            used += snprintf(line + used, sizeof line - (size_t)used, ", %.1f %% %s", (double)m->rejected_by[c] / whole,
                             cause_names[c]);
    machine_print(line);
    if (r->grid) {
        snprintf(line, sizeof line, "; %llu points of %llu in the full grid", (unsigned long long)r->points,
                 (unsigned long long)r->grid);
        machine_print(line);
    }
    machine_print(".\n");
}

/* What was done and found on one core. */
void print_summary(const struct run *r, const struct counted *before, double seconds)
{
    unsigned outcomes[OUTCOMES];
    char line[320];

    for (enum outcome o = 0; o < OUTCOMES; o++)
        outcomes[o] = r->outcomes[o] - before->outcomes[o];
    snprintf(line, sizeof line,
             "%u findings; probes: %u ok, %u skipped, %u faults, %u timeouts; %.1f s, %.0f %% of it in kernels.\n",
             r->findings - before->findings, outcomes[OUTCOME_OK], outcomes[OUTCOME_SKIPPED], outcomes[OUTCOME_FAULT],
             outcomes[OUTCOME_TIMEOUT], seconds, 100 * r->meter.kernel_seconds / (seconds > 0 ? seconds : 1));
    machine_print(line);
    print_costs(r);
    if (!r->trusted) {
        snprintf(line, sizeof line,
                 "The times of this platform cannot be trusted (%s): every finding is undecided, and the run shows "
                 "only that "
                 "everything works.\n",
                 r->untrusted_cause);
        machine_print(line);
    }
}

/* How many findings are undecided for reasons that come with this advice. */
static unsigned undecided_with(const struct run *r, const char *advice)
{
    unsigned count = 0;

    for (enum reason reason = REASON_NONE + 1; reason < REASONS; reason++)
        if (!strcmp(reasons[reason].advice, advice))
            count += r->undecided[reason];
    return count;
}

/* One line for each advice. Where nothing can be trusted the summary says so instead. */
void print_undecided(const struct run *r)
{
    const char *given[REASONS];
    unsigned advices = 0;
    char line[320];

    for (enum reason reason = REASON_NONE + 1; reason < REASONS && r->trusted; reason++) {
        bool new = r->undecided[reason] > 0;
        for (unsigned i = 0; i < advices; i++)
            new = new &&strcmp(given[i], reasons[reason].advice) != 0;
        if (!new)
            continue;
        if (!advices)
            machine_print("Undecided findings, and what may decide them:\n");
        given[advices++] = reasons[reason].advice;
        snprintf(line, sizeof line, "  %3u  %s\n", undecided_with(r, reasons[reason].advice), reasons[reason].advice);
        machine_print(line);
    }
}

void print_records(const struct run *r)
{
    char line[160];

    if (r->destination[0]) {
        snprintf(line, sizeof line, "Records: %s\n", r->destination);
        machine_print(line);
    }
    if (r->writer.lost) {
        snprintf(line, sizeof line, "%llu records were not taken by every sink.\n", (unsigned long long)r->writer.lost);
        machine_print(line);
    }
}
