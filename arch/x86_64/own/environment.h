/* Control registers of the core in use, for the environment record. */
#ifndef FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H

#include <stdbool.h>

/* Reads and keeps them, on the core in use, for own_values and own_core_unlike. False when the core does not return. */
bool environment_note(void);
/* Forgets them; another core is about to be used. */
void environment_forget(void);

#endif
