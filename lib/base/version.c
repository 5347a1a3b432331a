#include "lib/base/version.h"

#ifndef VERSION /* the Makefile gives it to the programs */
#define VERSION "undated"
#endif

const char build_version[] = VERSION;
