/* The command `fathom list --forms`. */
#ifndef FATHOM_BOOT_LINUX_FORMS_H
#define FATHOM_BOOT_LINUX_FORMS_H

/*
 * Prints the instruction forms whose names match the pattern (* and ? as in file names), and which instructions are
 * left out of the catalogue. Returns the exit status: 0, or 1 when no form matches.
 */
int list_forms(const char *pattern);

#endif
