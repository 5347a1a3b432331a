/* Control registers, as found, for the environment record. */
#ifndef FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H

/*
 * Reads the control registers of the core that runs this, for own_values. To be called by own_call on the core in use,
 * before windows change anything. The argument is not used.
 */
void environment_note(void *unused);

#endif
