/* Control registers, as found, for the environment record. */
#ifndef FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H

/* Remembers them; before anything is changed. */
void environment_note(void);

#endif
