#include "lib/structure/replacement_rounds.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/probe/table.h"

enum {
    BATCHES = 2,
    TRIALS = 32, /* sequences of a batch */
    UNROLL = 16,
    TEXT = 160
};

_Static_assert((int)TRIALS <= (int)REPLACEMENT_TRIALS, "policies are compared with all trials of a batch");

struct batch {
    uint8_t blocks[TRIALS][REPLACEMENT_LENGTH];
    struct replacement_trial trials[TRIALS];
    struct replacement_fit fit;
};

bool replacement_walk(struct probe *p, const struct pointer_chase *c, const size_t *offsets, size_t length,
                      double *cycles)
{
    struct kernel k = {.length_factor = 2};
    struct point pt;

    pointer_chase_follow(c, offsets, length);
    if (!pointer_chase_kernel(p, c, pointer_chase_unroll(length, UNROLL), &k))
        return false;
    k.warm_iterations = (double)(REPLACEMENT_WARM_ROUNDS * length) / UNROLL;
    if (!probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20 * (double)length;
    return true;
}

/* Cycles of a hit: half of the ways, each once, so that nothing misses. */
static bool measure_hits(struct probe *p, const struct replacement_rounds *r, double *cycles)
{
    uint8_t blocks[REPLACEMENT_WAYS];
    const size_t count = r->ways / 2;

    for (size_t i = 0; i < count; i++)
        blocks[i] = (uint8_t)i;
    if (!r->measure(p, r->context, blocks, count, cycles))
        return false;
    *cycles /= (double)count;
    return true;
}

static bool measure_batch(struct probe *p, const struct replacement_rounds *r, double hit_cycles, struct batch *b,
                          size_t trials)
{
    r->choose_set(p, r->context);
    for (size_t i = 0; i < trials; i++) {
        struct replacement_trial *t = &b->trials[i];
        t->blocks = b->blocks[i];
        t->length = replacement_sequence(b->blocks[i], REPLACEMENT_LENGTH, r->ways, r->uses, &p->random);
        if (!r->measure(p, r->context, t->blocks, t->length, &t->cycles))
            return false;
        t->cycles -= hit_cycles * (double)t->length;
    }
    return true;
}

static bool has_survived(const struct replacement_fit *f, size_t policy)
{
    size_t i = 0;

    while (i < f->count && f->survivors[i] != policy)
        i++;
    return i < f->count;
}

/* Writes "LRU or PLRU", the policies that explain every batch, and returns how many they are; "" where too many do. */
static size_t name_survivors(const struct replacement_policy *policies, const struct batch *b, char text[TEXT])
{
    size_t count = 0, used = 0;

    for (size_t i = 0; i < b[0].fit.count; i++) {
        const size_t policy = b[0].fit.survivors[i];
        if (!has_survived(&b[1].fit, policy))
            continue;
        if (used < TEXT) {
            int n = snprintf(text + used, TEXT - used, "%s%s", count ? " or " : "", policies[policy].name);
            used += n > 0 ? (size_t)n : 0;
        }
        count++;
    }
    if (used >= TEXT)
        text[0] = 0;
    return count;
}

/* Sends the sequences and the cycles that a round took beyond its hits, so that a reader can try other policies. */
static void send_table(struct probe *p, const struct replacement_rounds *s, const struct batch *b, size_t trials)
{
    struct record r;

    record_table(p, &r, "rounds");
    record_text(&r, "structure", s->structure);
    record_integer(&r, "level", s->level);
    RECORD_COLUMNS(&r, "sequence", "cycles");
    for (size_t i = 0; i < trials; i++) {
        record_array(&r, NULL);
        record_array(&r, NULL);
        for (size_t n = 0; n < b->trials[i].length; n++)
            record_integer(&r, NULL, b->trials[i].blocks[n]);
        record_close(&r);
        record_number(&r, NULL, rounded(b->trials[i].cycles));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void report_policy(struct probe *p, const struct replacement_rounds *r, const struct finding *undecided,
                          struct batch *b, size_t trials)
{
    struct replacement_policy *policies = malloc(REPLACEMENT_POLICIES * sizeof *policies);
    char text[TEXT] = "";
    struct finding f = *undecided;

    if (!policies) {
        probe_skip(p, "out of memory");
        return;
    }
    size_t count = replacement_policies(r->ways, policies), left = 0;
    for (size_t i = 0; i < BATCHES; i++) {
        send_table(p, r, &b[i], trials);
        replacement_fit(policies, count, r->ways, b[i].trials, trials, &b[i].fit);
    }
    left = name_survivors(policies, b, text);
    f.text = left && text[0] ? text : NULL;
    f.grade = !f.text ? 'U' : left == 1 ? 'B' : 'C';
    f.reason = left                                       ? REASON_TOO_MANY_POLICIES
               : b[0].fit.trials < TRIALS                 ? REASON_NO_READINGS
               : b[0].fit.count > 0 && b[1].fit.count > 0 ? REASON_PASSES_DISAGREE
                                                          : REASON_NO_POLICY_FITS;
    report(p, &f);
    free(policies);
}

bool replacement_rounds_find(struct probe *p, const struct replacement_rounds *r, const struct finding *f)
{
    const size_t trials = (size_t)probe_smoke(p, 2, TRIALS);
    struct batch *b = probe_calloc(p, BATCHES, sizeof *b);
    double hit_cycles;

    if (!b)
        return false;
    bool good = measure_hits(p, r, &hit_cycles);
    for (size_t i = 0; i < BATCHES && good; i++)
        good = measure_batch(p, r, hit_cycles, &b[i], trials);
    if (good)
        report_policy(p, r, f, b, trials);
    free(b);
    return good;
}
