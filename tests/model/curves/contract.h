/* What must be true of every verdict and every search, whatever the curve is. */
#ifndef FATHOM_TESTS_MODEL_CURVES_CONTRACT_H
#define FATHOM_TESTS_MODEL_CURVES_CONTRACT_H

#include "lib/knee/knee.h"
#include "lib/knee/search.h"

/* What is wrong, in words; NULL when nothing is. The curve has x from `from` to `to`. */
const char *broken_verdict(const struct verdict *v, enum knee_kind kind, double from, double to);
const char *broken_search(const struct search *s);

#endif
