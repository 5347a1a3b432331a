/* Which address bits a modelled core's tagged tables distinguish, as findings say it. */
#ifndef FATHOM_TESTS_MODEL_TAGE_BITS_H
#define FATHOM_TESTS_MODEL_TAGE_BITS_H

#include "tests/model/machine.h"

/* Of an index and a tag, the index. */
#define TAGE_OF_INDEX ((UINT64_C(1) << TAGE_BITS) - 1)

/*
 * The value of this finding, of that table where there are several (else NULL), is the address bits within a page that are
 * in the index or the tag: all of these, or TAGE_OF_INDEX.
 */
void check_address_bits(const struct machine_design *m, const struct tage_design *t, const char *name,
                        const char *table, uint64_t of);

#endif
