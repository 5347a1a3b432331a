#include "tests/model/load_predictor.h"

#include <string.h>

enum foretold load_predictor_see(struct load_predictor *p, uint64_t pc, uint64_t value)
{
    unsigned i = 0;

    if (!p->design.loads)
        return FORETOLD_NOTHING;
    while (i < p->count && p->known[i].pc != pc)
        i++;
    const bool known = i < p->count;
    if (!known && p->count < p->design.loads)
        p->count++;
    else if (!known)
        i--; /* the oldest goes */
    const uint64_t last = p->known[i].last, step = p->known[i].step;
    unsigned right = known ? p->known[i].right : 0;
    enum foretold foretold = FORETOLD_NOTHING;

    if (known && right >= p->design.training)
        foretold = value == last + step ? FORETOLD_RIGHT : FORETOLD_WRONG;
    right = known && value == last + step ? right + 1 : 0;
    memmove(&p->known[1], &p->known[0], i * sizeof p->known[0]);
    p->known[0].pc = pc;
    p->known[0].last = value;
    p->known[0].step = known && p->design.strides ? value - last : 0;
    p->known[0].right = right;
    return foretold;
}
