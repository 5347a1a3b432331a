#include "lib/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/plan/config.h"

enum { CODE_BYTES_AT_LEAST = 65536 };

const char *const outcome_names[OUTCOMES] = {"ok", "skipped", "fault", "timeout"};

bool probe_skip(struct probe *p, const char *reason)
{
    p->outcome = OUTCOME_SKIPPED;
    snprintf(p->reason, sizeof p->reason, "%s", reason);
    return false;
}

void *probe_calloc(struct probe *p, size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    if (!memory)
        probe_skip(p, "out of memory");
    return memory;
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

void probe_release(struct probe *p, size_t mark)
{
    machine_map_release(mark);
    p->code = (struct area){0};
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

/* Copies each page that was written to its frame; of successive pages that show one frame, only the last. */
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
        if (p->frames->frames)
            code_to_frames(p->frames, from, c->used);
        machine_code_written(&p->frames->area, from, c->used);
    } else {
        machine_code_written(&p->code, (size_t)(c->write - p->code.write), c->used);
    }
    k->entry = c->at + entry;
    k->instructions = (double)c->work.instructions;
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
    const enum wish wish = r->observer && p->outcome == OUTCOME_OK ? r->observer->wish() : WISH_NONE;

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

bool probe_quick_sample(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles)
{
    if (!probe_goes_on(p))
        return false;
    struct window_result result = meter_quick_sample(&p->run->meter, k, iterations, cycles);

    return probe_survived(p, &result);
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    const double by_profile[PROFILES] = {[PROFILE_SMOKE] = smoke,
                                         [PROFILE_SIMULATED] = quick,
                                         [PROFILE_QUICK] = quick,
                                         [PROFILE_STANDARD] = standard,
                                         [PROFILE_FULL] = full};
    return by_profile[p->run->config.profile];
}

bool probe_is_smoke(const struct probe *p)
{
    return p->run->config.profile == PROFILE_SMOKE;
}

bool probe_is_simulated(const struct probe *p)
{
    return p->run->config.profile == PROFILE_SIMULATED;
}

double probe_simulated(const struct probe *p, double simulated, double otherwise)
{
    return probe_is_simulated(p) ? simulated : otherwise;
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    return probe_is_smoke(p) ? smoke : otherwise;
}

bool probe_scattered(const struct area *a)
{
    const struct machine_info *m = machine_info();
    return !m->contiguous && (a->page_bytes <= m->page_bytes[0] || m->hypervisor[0]);
}

enum reason probe_no_pages(const struct probe *p, size_t page_bytes)
{
    const struct machine_info *m = machine_info();

    return page_bytes > m->page_bytes[0] && m->hypervisor[0] && !m->emulator && !probe_is_smoke(p)
               ? REASON_HYPERVISOR_PAGES
               : REASON_NONE;
}

void trust(struct probe *p, const char *untrusted_cause)
{
    struct run *r = p->run;

    r->trusted = !untrusted_cause;
    snprintf(r->untrusted_cause, sizeof r->untrusted_cause, "%s", untrusted_cause ? untrusted_cause : "");
    if (!r->trusted) /* points are still wanted, to show that everything runs: no reading is rejected any more */
        r->meter.tolerance = INFINITY;
}
