/* Numbers as they are written for records and people. */
#ifndef FATHOM_LIB_BASE_NUMBERS_H
#define FATHOM_LIB_BASE_NUMBERS_H

#include <stddef.h>

/*
 * Returns the value rounded to the four decimals that records have, since times and cycles are not known more exactly.
 * A value that is not finite, or whose magnitude is 1e12 or more, is returned as it is.
 */
double rounded(double value);

/*
 * The name of a page size, as findings have it in their variant `page`: "4k", "2m", …; "" for any but 4k, 16k, 64k, 2m,
 * 32m, 512m and 1g. A string constant.
 */
const char *page_name(size_t page_bytes);

#endif
