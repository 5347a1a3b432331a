#include "lib/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"
#include "lib/proof.h"
#include "lib/record.h"

enum { CODE_BYTES_AT_LEAST = 65536 };
/* Consoles are slow, and nobody reads faster. */
static const double TELL_SECONDS = 0.25;

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

bool probe_map_large(struct probe *p, struct area *a, size_t bytes)
{
    const size_t *sizes = machine_info()->page_bytes;
    size_t count = 0;

    while (count < sizeof machine_info()->page_bytes / sizeof sizes[0] && sizes[count])
        count++;
    for (size_t i = count; i-- > 1;)
        if (sizes[i] <= bytes && !machine_map(a, bytes, sizes[i], AREA_DATA))
            return true;
    return probe_map(p, a, bytes, 0);
}

const char *probe_try_frames(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    *f = (struct code_frames){.frames = frames};
    return machine_map_frames(&f->area, frames, pages, page_bytes, AREA_CODE);
}

const char *probe_try_code(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    const char *why = probe_try_frames(f, frames, pages, page_bytes);

    return why ? why : machine_map(&f->written, f->area.bytes, 0, AREA_DATA);
}

bool probe_map_code(struct probe *p, struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    const char *why = probe_try_code(f, frames, pages, page_bytes);

    return !why || probe_skip(p, why);
}

void probe_use_code(struct probe *p, const struct code_frames *f)
{
    p->frames = f;
}

/* Each page that was written goes to its frame, of a row of pages that show one frame the last. */
static void code_to_frames(const struct code_frames *f, size_t from, size_t bytes)
{
    const size_t page = f->area.page_bytes;

    for (size_t at = from / page * page; at < from + bytes; at += page)
        if (at + page >= from + bytes || f->frames[at / page] != f->frames[at / page + 1])
            memcpy(f->area.write + f->frames[at / page] * page, f->written.write + at, page);
}

struct code probe_code(struct probe *p, size_t bytes)
{
    if (p->frames) {
        const struct area *a = &p->frames->area;
        return code_start(p->frames->written.write, a->at, a->bytes < bytes ? a->bytes : bytes);
    }
    if (p->code.bytes < bytes) { /* the smaller area before it stays mapped until the probe ends */
        size_t room = CODE_BYTES_AT_LEAST;
        while (room < bytes)
            room *= 2;
        const char *why = machine_map(&p->code, room, 0, AREA_CODE);
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
        return probe_skip(p, c->overflow ? "the kernel did not fit its code area"
                                         : "the kernel has an operand out of range");
    if (p->frames && !p->frames->written.bytes) {
        machine_code_written(&p->frames->area, 0, c->used);
    } else if (p->frames) {
        const size_t from = (size_t)(c->write - p->frames->written.write);
        code_to_frames(p->frames, from, c->used);
        machine_code_written(&p->frames->area, from, c->used);
    } else {
        machine_code_written(&p->code, (size_t)(c->write - p->code.write), c->used);
    }
    k->entry = c->at + entry;
    return true;
}

bool probe_survived(struct probe *p, const struct window_result *result)
{
    if (result->end == WINDOW_RAN)
        return true;
    p->outcome = result->end == WINDOW_TIMEOUT ? OUTCOME_TIMEOUT : OUTCOME_FAULT;
    p->fault = result->fault;
    return false;
}

bool probe_goes_on(struct probe *p)
{
    struct run *r = p->run;
    const enum wish wish = r->watcher && p->outcome == OUTCOME_OK ? r->watcher->wish() : WISH_NONE;

    if (wish == WISH_STOP)
        r->stopped = true;
    return p->outcome == OUTCOME_OK &&
           (wish == WISH_NONE ||
            probe_skip(p, wish == WISH_STOP ? "the run was stopped by a key" : "it was skipped by a key"));
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    if (!probe_goes_on(p))
        return false;
    struct window_result result = meter_measure(&p->run->meter, k, out);

    return probe_survived(p, &result);
}

bool probe_glimpse(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles)
{
    if (!probe_goes_on(p))
        return false;
    struct window_result result = meter_glimpse(&p->run->meter, k, iterations, cycles);

    return probe_survived(p, &result);
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    const double by_profile[PROFILES] = {smoke, quick, standard, full};
    return by_profile[p->run->config.profile];
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    return p->run->config.profile == PROFILE_SMOKE ? smoke : otherwise;
}

bool probe_scattered(const struct area *a)
{
    const struct machine_info *m = machine_info();
    return !m->contiguous && (a->page_bytes <= m->page_bytes[0] || m->hypervisor[0]);
}

const char *probe_no_pages(const struct probe *p, size_t page_bytes)
{
    const struct machine_info *m = machine_info();

    return page_bytes > m->page_bytes[0] && m->hypervisor[0] && !m->emulator && probe_smoke(p, 0, 1) > 0
               ? "a hypervisor may have smaller frames behind such pages"
               : NULL;
}

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* Keeps what the search does not: it wants one number. */
static bool keep(struct sweep *s, const struct point *pt)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        struct sweep_sample *grown = realloc(s->samples, room * sizeof *grown);
        if (!grown)
            return probe_skip(s->probe, "out of memory for the curve");
        s->samples = grown;
        s->room = room;
    }
    s->samples[s->count++] = (struct sweep_sample){
        .x = pt->x, .median = pt->median, .ns = pt->ns, .rejected = pt->rejected};
    return true;
}

static bool measure(struct sweep *s, bool (*build)(struct probe *p, double x, void *context, struct kernel *k),
                    double x, struct point *out)
{
    struct kernel k = {.units = 1};
    if (!build(s->probe, x, s->context, &k))
        return false;
    k.stretch = fmax(k.stretch, 1) * fmax(s->stretch, 1);
    return s->need ? probe_count(s->probe, &k, s->need, &out->q20) : probe_measure(s->probe, &k, out);
}

/* The kernel that is asked for; in an emulator it has to touch the pages that it says (struct sweep.touches_pages). */
static bool measure_held(struct sweep *s, double x, struct point *out)
{
    const size_t pages = s->touches_pages && machine_info()->emulator ? s->area->bytes / s->area->page_bytes : 0;
    bool *accessed = pages ? calloc(pages, sizeof *accessed) : NULL;
    const bool told = accessed && !machine_pages_accessed(s->area, accessed); /* and forgotten */
    bool good = measure(s, s->build, x, out);
    size_t touched = 0;

    if (good && told && !machine_pages_accessed(s->area, accessed)) {
        for (size_t i = 0; i < pages; i++)
            touched += accessed[i];
        s->held++;
        if (touched != (size_t)x) {
            s->probe->outcome = OUTCOME_FAULT;
            s->probe->fault = (struct fault){.vector = "wrong-pages", .syndrome = touched, .address = (uint64_t)x};
            good = false;
        }
    }
    free(accessed);
    return good;
}

static bool sample(void *context, double x, double *y)
{
    struct sweep *s = context;
    struct probe *p = s->probe;
    struct point pt = {.x = x}, control = {.q20 = 0};
    const double patience = p->run->meter.patience;
    char text[96];

    if (machine_seconds() - s->told > TELL_SECONDS) {
        s->told = machine_seconds();
        snprintf(text, sizeof text, "%s: %s, %s = %.0f, %u of at most %u samples", p->definition->name, s->name,
                 s->axis, x, s->search.taken, s->search.budget);
        run_tell(p->run, text);
    }
    const bool good = s->measure ? s->measure(p, x, s->context, &pt)
                                 : measure_held(s, x, &pt) && (!s->control || measure(s, s->control, x, &control));
    if (!good || !keep(s, &pt))
        return false;
    if (s->count == 1 || isnan(s->control_first))
        s->control_first = control.q20;
    *y = pt.q20 - (control.q20 - s->control_first);
    /* What the run waited until nobody shared the core is taken from its patience: it is no time of the sweep. */
    const double waited = fmax(patience - fmax(p->run->meter.patience, 0), 0), now = machine_seconds();
    s->deadline += waited;
    s->confirm_at += waited;
    if (now > s->deadline)
        s->search.budget = s->search.taken;
    else if (now > s->confirm_at && s->search.reserved > 0) /* what has been kept is for the rest of the time */
        s->search.budget = s->search.taken + s->search.reserved;
    return true;
}

enum what { MEDIAN, NS };

/* The median of one number over the samples at x. */
static double median_at(const struct sweep *s, double x, enum what what)
{
    double values[64];
    size_t n = 0;

    for (size_t i = 0; i < s->count && n < sizeof values / sizeof values[0]; i++) {
        const struct sweep_sample *sample = &s->samples[i];
        double value = what == NS ? sample->ns : sample->median;
        if (sample->x >= x && sample->x <= x && !isnan(value))
            values[n++] = value;
    }
    sort_numbers(values, n);
    return quantile(values, n, 0.5);
}

double sweep_ns(const struct sweep *s, double x)
{
    return median_at(s, x, NS);
}

/* What the engine says of this curve alone; findings rest on several. */
static void send_knees(struct record *r, const struct verdict *v)
{
    if (v->reason)
        record_text(r, "reason", v->reason);
    record_array(r, "knees");
    for (size_t i = 0; i < v->count; i++) {
        const struct knee *k = &v->knees[i];
        record_object(r, NULL);
        record_number(r, "value", k->value);
        record_number(r, "low", k->low);
        record_number(r, "high", k->high);
        record_number(r, "foot", k->foot);
        record_number(r, "half", k->half);
        record_number(r, "end", k->end);
        record_number(r, "before", rounded(k->before));
        record_number(r, "after", rounded(k->after));
        record_boolean(r, "ramp", k->ramp);
        record_boolean(r, "agreed", k->agreed);
        record_boolean(r, "fuzzy", k->fuzzy);
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

static void send_curve(struct probe *p, const struct sweep *s)
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
        record_number(&r, NULL, rounded(median_at(s, points[i].x, MEDIAN)));
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
    if (s->stretch > 1)
        record_number(&r, "stretch", s->stretch);
    if (s->touches_pages)
        record_integer(&r, "held_to_pages", s->held);
    record_send(&r);
}

static void show_curve(const struct probe *p, const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;
    double knees[KNEES_MAXIMUM];

    for (size_t i = 0; i < v->count; i++)
        knees[i] = v->knees[i].value;
    p->run->watcher->curve(&(struct watched_curve){.probe = p->definition->name,
                                                   .name = s->name,
                                                   .axis = s->axis,
                                                   .unit = s->unit,
                                                   .points = s->search.points,
                                                   .count = s->search.count,
                                                   .knees = knees,
                                                   .knee_count = v->count});
}

bool sweep_search(struct probe *p, struct sweep *s)
{
    double seconds = s->seconds > 0 ? s->seconds : probe_scale(p, 1, 3, 10, 60);

    s->probe = p;
    s->deadline = machine_seconds() + seconds;
    s->confirm_at = s->deadline - seconds / 8;
    s->search.sample = sample;
    s->search.context = s;
    if (!s->search.budget)
        s->search.budget = (unsigned)probe_scale(p, 12, 600, 1200, 6000);
    bool good = search_run(&s->search);
    p->run->points += s->search.count;
    p->run->grid += (uint64_t)s->search.grid;
    if (!good && p->outcome == OUTCOME_OK)
        return probe_skip(p, "out of memory for the curve");
    if (good)
        send_curve(p, s);
    if (good && p->run->watcher)
        show_curve(p, s);
    return good;
}

void sweep_free(struct sweep *s)
{
    search_free(&s->search);
    free(s->samples);
    s->samples = NULL;
    s->count = s->room = 0;
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sweep_search(p, &s[i]))
            return false;
    return true;
}

void sweeps_free(struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep_free(&s[i]);
}
