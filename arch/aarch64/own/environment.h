/* Control registers, as found, for the environment record. */
#ifndef FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H

/* Notes those of the core that runs this; to be called before anything is changed. The argument is not used. */
void environment_note(void *unused);

#endif
