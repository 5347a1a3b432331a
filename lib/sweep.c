#include "lib/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/knee.h"
#include "lib/probe.h"
#include "lib/record.h"

enum { STEPS_MAXIMUM = 8 };

/* ---- Kernels ----------------------------------------------------------------------------------- */

bool probe_skip(struct probe *p, const char *reason)
{
    p->outcome = OUTCOME_SKIPPED;
    snprintf(p->reason, sizeof p->reason, "%s", reason);
    return false;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    const char *why = machine_map(a, bytes, page_bytes, AREA_DATA);
    return why ? probe_skip(p, why) : true;
}

struct code probe_code(struct probe *p, size_t bytes)
{
    if (p->code.bytes < bytes) { /* the smaller area before it stays mapped until the probe ends */
        const char *why = machine_map(&p->code, bytes, 0, AREA_CODE);
        if (why) {
            p->code = (struct area){0};
            probe_skip(p, why);
        }
    }
    return code_start(p->code.write, p->code.at, p->code.bytes < bytes ? p->code.bytes : bytes);
}

bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k)
{
    if (p->outcome != OUTCOME_OK)
        return false;
    if (!code_good(c))
        return probe_skip(p, c->overflow ? "the kernel did not fit its code area" : "the kernel has an operand out of range");
    machine_code_written(&p->code, (size_t)(c->write - p->code.write), c->used);
    k->entry = c->at + entry;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    struct window_result result = meter_measure(&p->run->meter, k, out);

    if (result.end == WINDOW_FAULT) {
        p->outcome = OUTCOME_FAULT;
        p->fault = result.fault;
    } else if (result.end == WINDOW_TIMEOUT) {
        p->outcome = OUTCOME_TIMEOUT;
        p->fault = result.fault;
    }
    return result.end == WINDOW_RAN;
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    const double by_profile[PROFILES] = {smoke, quick, standard, full};
    return by_profile[p->run->config.profile];
}

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* Makes room for a point at x; a point that is there already is replaced. */
static struct point *point_at(struct sweep *s, double x)
{
    size_t i = s->count;

    while (i > 0 && s->points[i - 1].x >= x)
        i--;
    if (i < s->count && !(s->points[i].x > x))
        return &s->points[i];
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct point *grown = realloc(s->points, room * sizeof *grown);
        if (!grown)
            return NULL;
        s->points = grown;
        s->room = room;
    }
    memmove(&s->points[i + 1], &s->points[i], (s->count - i) * sizeof *s->points);
    s->count++;
    return &s->points[i];
}

bool sweep_add(struct probe *p, struct sweep *s, double x, struct point *out)
{
    struct kernel k = {.units = 1};
    struct point measured = {.x = x};
    char text[96];

    snprintf(text, sizeof text, "%s: %s = %.0f of %.0f", p->definition->name, s->axis, x, s->to);
    machine_progress(text);
    if (!s->build(p, x, s->context, &k) || !probe_measure(p, &k, &measured))
        return false;
    struct point *place = point_at(s, x);
    if (!place)
        return probe_skip(p, "out of memory for the curve");
    *place = measured;
    if (out)
        *out = measured;
    return true;
}

static double to_grain(const struct sweep *s, double x)
{
    double steps = floor(x / s->grain + 0.5);
    return (steps < 1 ? 1 : steps) * s->grain;
}

bool sweep_walk(struct probe *p, struct sweep *s)
{
    double last = 0;
    /* 2^(1/n) by its square roots: per_octave is a power of two, and sqrt is exact in every build */
    double ratio = 2;
    for (double n = 1; n < s->per_octave; n *= 2)
        ratio = sqrt(ratio);

    for (double exact = s->from; exact <= s->to * 1.0001;
         exact = s->per_octave > 0 ? exact * ratio : exact + s->grain) {
        double x = to_grain(s, exact);
        if (!(x > last))
            continue;
        last = x;
        if (!sweep_add(p, s, x, NULL))
            return false;
    }
    return true;
}

/* Levels may be NaN where every reading was rejected; such a point is on neither side. */
static bool left_level(const struct point *pt, double level, double threshold)
{
    return pt->q20 > level * (1 + threshold);
}

static bool narrow(struct probe *p, struct sweep *s, double threshold, struct step *step)
{
    while (step->high - step->low > s->grain * 1.5) {
        double middle = to_grain(s, (step->low + step->high) / 2);
        struct point pt;
        if (!(middle > step->low && middle < step->high))
            break;
        if (!sweep_add(p, s, middle, &pt))
            return false;
        if (isnan(pt.q20))
            break;
        if (left_level(&pt, step->low_level, threshold))
            step->high = middle;
        else
            step->low = middle;
    }
    return true;
}

bool sweep_steps(struct probe *p, struct sweep *s, double threshold, struct step *out, size_t room, size_t *count)
{
    struct knee knees[STEPS_MAXIMUM];
    double *y = malloc((s->count + 1) * sizeof *y);

    *count = 0;
    if (!y)
        return probe_skip(p, "out of memory for the curve");
    for (size_t i = 0; i < s->count; i++)
        y[i] = s->points[i].q20;
    size_t found = knee_rises(y, s->count, threshold, knees, room < STEPS_MAXIMUM ? room : STEPS_MAXIMUM);
    free(y);
    for (size_t i = 0; i < found; i++)
        out[i] = (struct step){.low = s->points[knees[i].last_good].x,
                               .high = s->points[knees[i].first_bad].x,
                               .low_level = knees[i].low_level,
                               .high_level = knees[i].high_level};
    for (size_t i = 0; i < found; i++)
        if (!narrow(p, s, threshold, &out[i]))
            return false;
    *count = found;
    return true;
}

void sweep_record(struct probe *p, const struct sweep *s)
{
    struct record r;

    record_start(&r, &p->run->writer, "curve");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", s->name);
    record_integer(&r, "core", machine_info()->core);
    record_text(&r, "axis", s->axis);
    record_text(&r, "unit", s->unit);
    record_array(&r, "x");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, s->points[i].x);
    record_close(&r);
    record_array(&r, "q20");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, rounded(s->points[i].q20));
    record_close(&r);
    record_array(&r, "median");
    for (size_t i = 0; i < s->count; i++)
        record_number(&r, NULL, rounded(s->points[i].median));
    record_close(&r);
    record_array(&r, "rejected");
    for (size_t i = 0; i < s->count; i++)
        record_integer(&r, NULL, s->points[i].rejected);
    record_close(&r);
    record_send(&r);
}

void sweep_free(struct sweep *s)
{
    free(s->points);
    s->points = NULL;
    s->count = s->room = 0;
}

/* ---- Findings ---------------------------------------------------------------------------------- */

void report_capacity(struct probe *p, const struct finding *f, const struct step *s)
{
    struct finding filled = *f;

    filled.value = filled.low = s->low;
    filled.high = s->high;
    report(p, &filled);
}
