/* What no verdict and no search may be, whatever the curve was. */
#ifndef FATHOM_TESTS_MODEL_CURVES_CONTRACT_H
#define FATHOM_TESTS_MODEL_CURVES_CONTRACT_H

#include "lib/engine/knee.h"
#include "lib/engine/search.h"

/* What is wrong with it, in words; NULL when nothing is. The curve went from x = `from` to `to`. */
const char *broken_verdict(const struct verdict *v, enum knee_kind kind, double from, double to);
const char *broken_search(const struct search *s);

#endif
