#include "lib/structure/prefetch_growth.h"

#include "lib/structure/prefetch_reach.h"
#include "lib/structure/tolerances_prefetch.h"

struct prefetch_word prefetch_growth(const struct prefetch_found *f)
{
    const unsigned first = reach_farthest(f->first[0]), train = (unsigned)f->numbers[PREFETCH_TRAIN].view[0];
    unsigned farther = 0, alike = 0, left = 0;

    for (unsigned n = train + 1; n <= f->measured; n++) {
        const unsigned far = f->in[n] ? reach_farthest(f->in[n]) : 0;
        /* where looks end with the farthest one, nothing is known of those behind it */
        const bool clear = far < f->most[n] && !(f->perhaps[n] >> (far + 1));
        farther += far > first;
        alike += far == first && clear;
        left += far < first || (far == first && !clear);
    }
    if (farther >= GROWN && !left)
        return (struct prefetch_word){"grows", REASON_NONE};
    if (alike >= GROWN && !left && !farther)
        return (struct prefetch_word){"constant", REASON_NONE};
    return (struct prefetch_word){NULL, REASON_NOT_STEADY};
}
