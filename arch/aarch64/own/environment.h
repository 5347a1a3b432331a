/* Control registers, as found, for the environment record. */
#ifndef FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H
#define FATHOM_ARCH_AARCH64_OWN_ENVIRONMENT_H

/* Remembers those of the core that runs this; before anything is changed. Its argument means nothing. */
void environment_note(void *unused);

#endif
