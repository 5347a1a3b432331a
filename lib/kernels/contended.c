#include "lib/kernels/contended.h"

#include <math.h>
#include <string.h>

#include "lib/base/statistics.h"

enum { TIMED = 3, WALKS = 1 + TIMED, ATTEMPTS = 6, CODE_BYTES = 4096, LENGTHENED = 256 /* times, at most */ };
/*
 * A reading takes so long at least: the others' counts come from their cores before and behind the accesses, about
 * 100 ns each time, and no clock in scope ticks less often than once in 40 ns: 1 % of this. Where a reading is shorter,
 * more iterations are made. no test: the clocks and the cores of models answer at once.
 */
static const double LONG_ENOUGH_NS = 20000;

/* What the others have counted before a kernel's own accesses, and behind them. Of each reading one. */
struct walk {
    uint64_t first[BESIDE_CORES], last[BESIDE_CORES];
};

const struct form *contended_form(const struct contended *a)
{
    for (const struct form_atomic *f = form_atomics; a->atomic && f->name; f++)
        if (!strcmp(f->name, a->atomic))
            return form_find(f->form);
    return NULL;
}

static void emit_access(struct code *c, const struct contended *a)
{
    const uint8_t registers[] = {(uint8_t)form_register(REG_T1), (uint8_t)form_register(REG_T2)};

    if (a->atomic)
        emit_form(c, contended_form(a), registers);
    else if (a->duty == RESPONDER_RESTORES)
        emit_store(c, REG_T2, REG_DATA, 0);
    else
        emit_load(c, REG_T1, REG_DATA, 0);
}

bool contended_build(struct probe *p, struct contention *s, const struct contended *a, uint64_t word)
{
    struct code c = probe_code(p, CODE_BYTES);
    const size_t request = c.used;

    traffic_emit_request(p, &c);
    const size_t walk = c.used;
    traffic_emit_each_count(&c, &s->traffic, offsetof(struct walk, first));
    emit_move(&c, REG_T0, REG_DATA);
    emit_constant(&c, REG_DATA, word);
    emit_constant(&c, REG_T1, 0);
    emit_constant(&c, REG_T2, 0);
    const size_t loop = c.used;
    for (size_t i = 0; i < RESPONDER_BLOCK; i++)
        emit_access(&c, a);
    emit_loop(&c, loop);
    emit_move(&c, REG_DATA, REG_T0);
    emit_fence(&c, FENCE_MEMORY);
    traffic_emit_each_count(&c, &s->traffic, offsetof(struct walk, last));
    emit_return(&c);
    s->traffic.request.units = s->walk.units = 1;
    return probe_kernel(p, &c, request, &s->traffic.request) && probe_kernel(p, &c, walk, &s->walk);
}

static struct contended_rates rates_of(const struct contention *s, const struct walk *w, double us)
{
    const double own = (double)(s->iterations * RESPONDER_BLOCK) / us;
    struct contended_rates r = {own, own, own};

    for (size_t i = 0; i < s->traffic.count; i++) {
        const double rate = (double)(w->last[i] - w->first[i]) / us;
        r.all += rate;
        r.least = fmin(r.least, rate);
        r.most = fmax(r.most, rate);
    }
    return r;
}

static struct contended_rates middle_of(const struct contended_rates r[TIMED])
{
    double all[TIMED], least[TIMED], most[TIMED];

    for (size_t i = 0; i < TIMED; i++) {
        all[i] = r[i].all;
        least[i] = r[i].least;
        most[i] = r[i].most;
    }
    return (struct contended_rates){median(all, TIMED), median(least, TIMED), median(most, TIMED)};
}

bool contended_map(struct probe *p, struct contention *s)
{
    return probe_map(p, &s->page, WALKS * sizeof(struct walk), 0);
}

const char *contended_measure(struct probe *p, struct contention *s, enum responder_duty duty,
                              struct contended_rates *rates, bool *good)
{
    const struct traffic_kind kind = {.duty = duty};
    struct reading list[BESIDE_CORES + WALKS];
    struct contended_rates r[TIMED];
    const uint64_t most = s->iterations * LENGTHENED;

    *rates = (struct contended_rates){(double)NAN, (double)NAN, (double)NAN};
    for (unsigned attempt = 0; attempt < ATTEMPTS;) {
        const size_t first = traffic_list(&s->traffic, list);
        double shortest = INFINITY;
        bool quiet;
        for (size_t i = 0; i < WALKS; i++)
            list[first + i] = (struct reading){.kernel = s->walk.entry,
                                               .argument = {s->iterations, s->page.at + i * sizeof(struct walk)}};
        const char *why = traffic_window(p, &s->traffic, &kind, list, first + WALKS, &quiet, good);
        if (why || !*good)
            return why;
        for (size_t i = 0; i < TIMED && quiet; i++) { /* the first walk only warms up */
            const struct reading *at = &list[first + 1 + i];
            const double ns = (double)(at->end_ticks - at->begin_ticks) / machine_info()->tick_hz * 1e9;
            p->run->meter.kernel_seconds += ns / 1e9;
            r[i] = rates_of(s, (const struct walk *)s->page.write + 1 + i, ns / 1e3);
            shortest = fmin(shortest, ns);
        }
        if (quiet && shortest < probe_smoke(p, 0, LONG_ENOUGH_NS) && s->iterations < most) {
            s->iterations *= 2;
            continue;
        }
        if (quiet) {
            *rates = middle_of(r);
            return NULL;
        }
        attempt++;
    }
    return NULL;
}
