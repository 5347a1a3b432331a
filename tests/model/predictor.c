#include "tests/model/predictor.h"

#include "tests/model/isa.h"

static const double LATELY = 1 / 256.0; /* weight of the latest outcome in a rate */

static unsigned slot(uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15 >> 52) % PREDICTOR_ENTRIES; /* Fibonacci hashing (TAOCP vol. 3, 6.4) */
}

static double average_cost(struct predictor *p, uint64_t pc, bool miss)
{
    double *rate = &p->missed[slot(pc)];
    *rate += (miss - *rate) * LATELY;
    return *rate < 0.25 ? 0 : *rate < 0.75 ? 0.5 : 1;
}

void predictor_call(struct predictor *p, uint64_t return_address)
{
    p->top = (p->top + 1) % p->depth;
    p->returns[p->top] = return_address;
    if (p->filled < p->depth)
        p->filled++;
}

double predictor_return(struct predictor *p, uint64_t pc, uint64_t target)
{
    if (p->filled) {
        bool miss = p->returns[p->top] != target;
        p->top = (p->top + p->depth - 1) % p->depth;
        p->filled--;
        return miss;
    }
    if (!p->indirect)
        return 1;
    uint64_t key = pc * 31 + p->outcomes, *last = &p->last[slot(pc)];
    unsigned i = slot(key);
    bool miss = (p->by_history[i].key == key ? p->by_history[i].target : *last) != target;
    p->by_history[i].key = key;
    p->by_history[i].target = *last = target;
    return average_cost(p, pc, miss);
}

double predictor_conditional(struct predictor *p, uint64_t pc, uint64_t not_taken, uint64_t target)
{
    unsigned i = slot(pc);
    bool taken = target != not_taken, believed = p->counters[i] >= 2;
    const uint64_t source = isa.link ? pc : not_taken - 1; /* as in the history: core.c */

    if (taken && p->counters[i] < 3)
        p->counters[i]++;
    if (!taken && p->counters[i] > 0)
        p->counters[i]--;
    p->loops[i] |= target <= pc;
    p->seen[i] |= taken ? 1 : 2;
    if (p->tage && p->seen[i] == 3 && !p->loops[i])
        believed = tage_predict(p->tage, &p->history, source, taken) == taken;
    else if (p->history.span && p->seen[i] == 3 && !p->loops[i])
        history_predict(&p->history, pc, taken, &believed);
    /* the highest bit is set, since addresses must not be 0 */
    if (p->patterns.ways && !p->loops[i] &&
        cache_touch(&p->patterns, history_mix(pc ^ history_mix(p->outcomes)) | (uint64_t)1 << 63))
        believed = taken;
    p->outcomes = p->outcomes << 1 | taken;
    if (p->tage && p->seen[i] == 3 && !p->loops[i])
        return believed != taken; /* each by itself: a rate that is rounded would hide few of many histories */
    return p->loops[i] ? 0 : average_cost(p, pc, believed != taken);
}

double predictor_indirect(struct predictor *p, uint64_t pc, uint64_t target)
{
    uint64_t *last = &p->last[slot(pc)], *other = &p->other[slot(pc)];
    bool miss = *last != target, two = !miss || *other == target;

    if (miss)
        *other = *last;
    *last = target;
    p->outcomes = p->outcomes << 4 | (target >> 5 & 15); /* targets enter it, too */
    return two ? average_cost(p, pc, miss) : miss;       /* with many targets hardly any is predicted right by chance */
}
