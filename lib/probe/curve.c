#include "lib/probe/curve.h"

#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/probe/probe.h"

double curve_median(const struct sweep *s, double x, enum curve_quantity quantity)
{
    double *values = s->scratch;
    size_t n = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct sweep_sample *sample = &s->samples[i];
        double value = quantity == CURVE_NS ? sample->ns : sample->median;
        if (sample->x >= x && sample->x <= x && !isnan(value))
            values[n++] = value;
    }
    return n ? median(values, n) : (double)NAN;
}

/* The verdict about this curve alone; findings rest on several curves. */
static void send_knees(struct record *r, const struct verdict *v)
{
    if (v->reason)
        record_text(r, "reason", reasons[v->reason].token);
    record_array(r, "knees");
    for (size_t i = 0; i < v->count; i++) {
        const struct knee *k = &v->knees[i];
        record_object(r, NULL);
        record_number(r, "value", k->value);
        record_number(r, "low", k->low - k->unseen);
        record_number(r, "high", k->high);
        record_number(r, "foot", k->foot);
        record_number(r, "half", k->half_rise);
        record_number(r, "end", k->end);
        record_number(r, "before", rounded(k->before));
        record_number(r, "after", rounded(k->after));
        record_boolean(r, "ramp", k->ramp);
        record_boolean(r, "agreed", k->agreed);
        record_boolean(r, "fuzzy", k->fuzzy);
        record_boolean(r, "doubtful", k->doubtful);
        record_close(r);
    }
    record_close(r);
    record_array(r, "levels");
    for (size_t i = 0; i < v->level_count; i++) {
        const struct knee_level *l = &v->levels[i];
        record_object(r, NULL);
        record_number(r, "from", l->from);
        record_number(r, "to", l->to);
        record_number(r, "height", rounded(l->height));
        record_number(r, "spread", rounded(l->spread));
        record_number(r, "slope", rounded(l->slope));
        record_close(r);
    }
    record_close(r);
}

void curve_send(struct probe *p, const struct sweep *s)
{
    const struct search_point *points = s->search.points;
    size_t count = s->search.count;
    struct record r;

    record_start(&r, &p->run->writer, "curve");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", s->name);
    record_core(&r);
    record_text(&r, "axis", s->axis);
    record_text(&r, "unit", s->unit);
    if (s->area) {
        record_text(&r, "page", page_name(s->area->page_bytes));
        record_boolean(&r, "scattered", probe_scattered(s->area));
    }
    record_array(&r, "x");
    for (size_t i = 0; i < count; i++)
        record_number(&r, NULL, points[i].x);
    record_close(&r);
    record_array(&r, "q20"); /* of a sample's readings; the median over samples */
    for (size_t i = 0; i < count; i++)
        record_number(&r, NULL, rounded(points[i].y));
    record_close(&r);
    record_array(&r, "median");
    for (size_t i = 0; i < count; i++)
        record_number(&r, NULL, rounded(curve_median(s, points[i].x, CURVE_CYCLES)));
    record_close(&r);
    record_array(&r, "samples");
    for (size_t i = 0; i < count; i++)
        record_integer(&r, NULL, points[i].samples);
    record_close(&r);
    record_array(&r, "rejected");
    for (size_t i = 0; i < count; i++) {
        unsigned rejected = 0;
        for (size_t j = 0; j < s->count; j++)
            if (s->samples[j].x >= points[i].x && s->samples[j].x <= points[i].x)
                rejected += s->samples[j].rejected;
        record_integer(&r, NULL, rejected);
    }
    record_close(&r);
    send_knees(&r, &s->search.verdict);
    record_number(&r, "grid", s->search.grid);
    record_boolean(&r, "spent", s->search.spent);
    if (s->length_factor > 1)
        record_number(&r, "length_factor", s->length_factor);
    if (s->touches_pages)
        record_integer(&r, "checked_pages", s->checked);
    record_send(&r);
}

void curve_show(const struct probe *p, const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;
    double knees[KNEES_MAXIMUM];

    for (size_t i = 0; i < v->count; i++)
        knees[i] = v->knees[i].value;
    p->run->observer->curve(&(struct observed_curve){.probe = p->definition->name,
                                                     .name = s->name,
                                                     .axis = s->axis,
                                                     .unit = s->unit,
                                                     .points = s->search.points,
                                                     .count = s->search.count,
                                                     .knees = knees,
                                                     .knee_count = v->count});
}
