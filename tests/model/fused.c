#include "tests/model/fused.h"

bool fused_has(const struct fused_pairs *f, const struct decoded *first, const struct decoded *second)
{
    for (unsigned i = 0; i < f->count && first; i++)
        if (f->of[i].second == second->key && f->of[i].first == first->key)
            return true;
    return false;
}
