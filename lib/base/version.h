/* Which build this is. */
#ifndef FATHOM_LIB_BASE_VERSION_H
#define FATHOM_LIB_BASE_VERSION_H

/* Date and name of the commit, "-changed" where files differed from it: "20261123-0a1b2c3"; "undated" without git. */
extern const char build_version[];

#endif
