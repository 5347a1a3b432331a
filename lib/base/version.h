/* Which build this is. */
#ifndef FATHOM_LIB_BASE_VERSION_H
#define FATHOM_LIB_BASE_VERSION_H

/*
 * Date and name of the commit that this program was built from: "20261123-0a1b2c3", with "-changed" at its end where
 * files differed from the commit; "undated" where it was built without git.
 */
extern const char build_version[];

#endif
