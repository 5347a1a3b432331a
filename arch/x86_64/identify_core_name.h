/* The names of x86-64 cores, as the published values have them. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_CORE_NAME_H
#define FATHOM_ARCH_X86_64_IDENTIFY_CORE_NAME_H

#include "arch/x86_64/identify_cpuid.h"

/* The name of the core that `ask` describes: "zen4", "golden-cove"; "" when it is not known. A string constant. */
const char *identify_core_name(cpuid_source *ask);

#endif
