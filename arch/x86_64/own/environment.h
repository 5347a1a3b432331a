/* Control registers of the core in use, for the environment record. */
#ifndef FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_X86_64_OWN_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Reads the control registers on the core in use and keeps them, for own_values and own_core_unlike. False when the
 * core does not return.
 */
bool environment_note(void);
/* Forgets what environment_note has kept, since another core is about to be used. */
void environment_forget(void);

#endif
