/* The command `fathom list --forms`. */
#ifndef FATHOM_BOOT_LINUX_FORMS_H
#define FATHOM_BOOT_LINUX_FORMS_H

/*
 * Prints the instruction forms whose whole names match the pattern (* and ? as in file names), and beside all forms
 * which instructions the catalogue leaves out. Returns the exit status: 0, or 1 when no form matches.
 */
int list_forms(const char *pattern);

#endif
