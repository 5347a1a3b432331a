#include "tests/model/load_predictor.h"

#include <string.h>

enum load_prediction load_predictor_see(struct load_predictor *p, uint64_t pc, uint64_t value)
{
    unsigned i = 0;

    if (!p->design.loads)
        return PREDICTED_NOTHING;
    while (i < p->count && p->known[i].pc != pc)
        i++;
    const bool known = i < p->count;
    if (!known && p->count < p->design.loads)
        p->count++;
    else if (!known)
        i--; /* the oldest is forgotten */
    const uint64_t last = p->known[i].last, step = p->known[i].step;
    unsigned right = known ? p->known[i].right : 0;
    enum load_prediction prediction = PREDICTED_NOTHING;

    if (known && right >= p->design.training)
        prediction = value == last + step ? PREDICTED_RIGHT : PREDICTED_WRONG;
    right = known && value == last + step ? right + 1 : 0;
    memmove(&p->known[1], &p->known[0], i * sizeof p->known[0]);
    p->known[0].pc = pc;
    p->known[0].last = value;
    p->known[0].step = known && p->design.strides ? value - last : 0;
    p->known[0].right = right;
    return prediction;
}
