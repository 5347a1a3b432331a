#include "boot/linux/stat_print.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/machine.h"

static const char *const own_names[OWN] = {"wall_time", "peak_memory", "page_faults", "context_switches"};
static const char *const own_units[OWN] = {"seconds", "bytes", "", ""};

/*
 * The 97.5 % quantile of Student's t (Abramowitz and Stegun, table 26.10) for the next lower number of degrees of
 * freedom that is listed, which makes intervals a little too wide.
 */
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

/* How the mean of the second differs, relative to the first, and half of the 95 % confidence interval (Welch 1947). */
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

/* A value with its unit as "591 ms", "2.51 G" or "137 MB", to three digits. */
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

/* Prints text right-aligned. Its width is counted in characters, since µ, σ and … take several bytes. */
static void pad(const char *text, int width)
{
    int characters = 0;

    for (const char *p = text; *p; p++)
        characters += (*p & 0xc0) != 0x80;
    printf("%*s%s", width > characters ? width - characters : 0, "", text);
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

void stat_print(const struct stat_command *commands, size_t count, const struct plan *plan,
                const struct result *results)
{
    for (size_t c = 0; c < count; c++) {
        printf("%s", c ? "\n" : "");
        for (char **word = commands[c].words; *word; word++)
            printf("%s%s", *word, word[1] ? " " : "");
        printf(": %u runs after %u to warm up", commands[c].runs, commands[c].warmup);
        printf(plan->batches > 1 ? ", each %u times to count every event\n" : "\n", plan->batches);
        printf("  %-32s%10s ± %-8s%11s … %-8s%s\n", "measurement", "mean", "σ", "min", "max",
               c ? "  change of the mean" : "");
        for (size_t m = 0; m < OWN + plan->count; m++)
            print_row(plan, m, &results[c], c ? &results[0] : NULL);
    }
}

void stat_print_missing(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        bool printed = false;
        for (size_t j = 0; j < i; j++)
            printed = printed || !strcmp(plan->events[j].why, plan->events[i].why);
        if (!plan->events[i].why[0] || printed)
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

void stat_record(const struct stat_command *commands, size_t count, const struct plan *plan,
                 const struct result *results)
{
    struct writer w;
    struct record r;

    writer_start(&w);
    writer_add(&w, (struct sink){.name = "standard output", .context = stdout, .write = write_out});
    for (size_t c = 0; c < count; c++) {
        record_start(&r, &w, "table");
        record_text(&r, "name", "stat");
        record_array(&r, "command");
        for (char **word = commands[c].words; *word; word++)
            record_text(&r, NULL, *word);
        record_close(&r);
        record_integer(&r, "warmup", commands[c].warmup);
        record_array(&r, "rows");
        for (size_t m = 0; m < OWN + plan->count; m++)
            send_row(&r, plan, m, &results[c], &results[0]);
        record_close(&r);
        record_send(&r);
    }
    writer_stop(&w);
}
