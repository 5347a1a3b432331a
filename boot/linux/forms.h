/* fathom list --forms. */
#ifndef FATHOM_BOOT_LINUX_FORMS_H
#define FATHOM_BOOT_LINUX_FORMS_H

/*
 * Prints the instruction forms whose names match the pattern (* and ? as in file names), and which forms are left out.
 * Returns the exit status: 1 when no form matches.
 */
int list_forms(const char *pattern);

#endif
