#include "tests/model/smt.h"

#include "tests/model/cache.h"

/* The sibling probe's few lines fill nothing. */
enum { LINES_THAT_FILL = 64 };

static bool fills(const struct responder_task *t, enum smt_structure what)
{
    switch (what) {
    case SMT_ENTRIES: return t->duty == RESPONDER_FILLS_ENTRIES;
    case SMT_LOADS: return t->duty == RESPONDER_FILLS_LOADS;
    case SMT_STORES: return t->duty == RESPONDER_FILLS_STORES;
    case SMT_LINES: return t->duty == RESPONDER_STREAMS && t->count >= LINES_THAT_FILL && t->pitch == CACHE_LINE_BYTES;
    default: return t->duty == RESPONDER_STREAMS && t->pitch > CACHE_LINE_BYTES;
    }
}

double smt_left(const struct smt_design *d, enum smt_structure what, const struct responder_task *sibling)
{
    const struct smt_rule_of *r = &d->of[what];

    if (!sibling || r->rule == SMT_RULE_NONE)
        return 1;
    if (r->rule == SMT_RULE_HALVES)
        return 0.5;
    return r->rule == SMT_RULE_CAP || fills(sibling, what) ? r->left : 1;
}
