#include "tests/model/predictor.h"

#include <string.h>

#include "tests/model/changes.h"
#include "tests/model/core.h"
#include "tests/model/isa.h"

/* A rate of 1, and the part of it that the latest outcome weighs. */
enum { ALWAYS = 1 << 16, LATELY = 256 };

static unsigned slot(uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15 >> 52) % PREDICTOR_ENTRIES; /* Fibonacci hashing (TAOCP vol. 3, 6.4) */
}

void predictor_start(struct predictor *p, const struct core_design *design)
{
    p->depth = design->return_stack;
    p->indirect = design->indirect;
    p->patterns = cache_new(design->outcomes * CACHE_LINE_BYTES, design->outcomes ? PREDICTOR_WAYS : 0);
    p->history.span = design->history;
    memcpy(p->history.enters, design->history_enters, sizeof design->history_enters);
    memcpy(p->history.registers, design->history_registers, sizeof design->history_registers);
    p->tage = tage_new(&design->tage);
    p->ittage = ittage_new(&design->ittage);
}

void predictor_stop(struct predictor *p)
{
    cache_free(&p->patterns);
    tage_free(p->tage);
    ittage_free(p->ittage);
}

/* What is known of the branch, which is about to change. */
static struct branch *branch_of(struct predictor *p, uint64_t pc)
{
    const unsigned i = slot(pc);

    changes_keep(&p->branches[i], sizeof p->branches[i], &p->kept[i]);
    return &p->branches[i];
}

/*
 * Rates are whole numbers: a branch that is always predicted right stops changing after its first turns, and calls that
 * repeat it are known (core_call.c).
 */
static double average_cost(struct branch *b, bool miss)
{
    b->missed += ((miss ? ALWAYS : 0) - b->missed) / LATELY;
    return b->missed < ALWAYS / 4 ? 0 : b->missed < 3 * ALWAYS / 4 ? 0.5 : 1;
}

/* The latest outcomes, which something depends on from now on. */
static uint64_t asked_outcomes(struct predictor *p)
{
    p->asked = true;
    return p->outcomes;
}

static void add_outcomes(struct predictor *p, unsigned bits, uint64_t outcomes)
{
    p->outcomes = p->outcomes << bits | outcomes;
    p->added += bits;
}

void predictor_add(struct predictor *p, uint64_t added, uint64_t outcomes)
{
    p->outcomes = added < 64 ? p->outcomes << added | (outcomes & ((UINT64_C(1) << added) - 1)) : outcomes;
}

void predictor_save(struct predictor *p)
{
    p->added = 0;
    p->asked = false;
    changes_save(p->returns, p->depth * sizeof p->returns[0]);
    changes_save(&p->top, sizeof p->top);
    changes_save(&p->filled, sizeof p->filled);
    if (p->history.span)
        history_save(&p->history);
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
    struct branch *b = branch_of(p, pc);
    uint64_t key = pc * 31 + asked_outcomes(p);
    unsigned i = slot(key);
    bool miss = (p->by_history[i].key == key ? p->by_history[i].target : b->last) != target;
    changes.other |= p->by_history[i].key != key || p->by_history[i].target != target;
    p->by_history[i].key = key;
    p->by_history[i].target = b->last = target;
    return average_cost(b, miss);
}

double predictor_conditional(struct predictor *p, uint64_t pc, uint64_t not_taken, uint64_t target, bool ends_loop)
{
    struct branch *b = branch_of(p, pc);
    bool taken = target != not_taken, believed = b->counter >= 2;
    const uint64_t source = isa.link ? pc : not_taken - 1; /* as in the history: core.c */

    b->loops |= ends_loop || target <= pc;
    if (b->loops) {
        add_outcomes(p, 1, taken);
        return 0;
    }
    if (taken && b->counter < 3)
        b->counter++;
    if (!taken && b->counter > 0)
        b->counter--;
    b->seen |= taken ? 1 : 2;
    if (p->tage && b->seen == 3)
        believed = tage_predict(p->tage, &p->history, source, taken) == taken;
    else if (p->history.span && b->seen == 3)
        history_predict(&p->history, pc, taken, &believed);
    /* the highest bit is set, since addresses must not be 0 */
    if (p->patterns.ways &&
        cache_touch(&p->patterns, history_mix(pc ^ history_mix(asked_outcomes(p))) | (uint64_t)1 << 63))
        believed = taken;
    add_outcomes(p, 1, taken);
    if (p->tage && b->seen == 3)
        return believed != taken; /* each by itself: a rate that is rounded would hide few of many histories */
    return average_cost(b, believed != taken);
}

double predictor_indirect(struct predictor *p, uint64_t pc, unsigned bytes, uint64_t target)
{
    if (p->ittage) {
        add_outcomes(p, 4, target >> 5 & 15); /* targets enter it, too */
        return !ittage_predict(p->ittage, &p->history, isa.link ? pc : pc + bytes - 1, target);
    }
    struct branch *b = branch_of(p, pc);
    bool miss = b->last != target, two = !miss || b->other == target;

    if (miss)
        b->other = b->last;
    b->last = target;
    add_outcomes(p, 4, target >> 5 & 15);
    return two ? average_cost(b, miss) : miss; /* with many targets hardly any is predicted right by chance */
}
