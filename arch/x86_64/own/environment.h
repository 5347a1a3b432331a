/* Control registers of the core in use, for the environment record. */
#ifndef FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H

#include <stdbool.h>

/* Reads them, on the core in use, for own_values and own_core_unlike. False when the core does not return. */
bool environment_note(void);
/* From now on nothing is known. */
void environment_forget(void);

#endif
