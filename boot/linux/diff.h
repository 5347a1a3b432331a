/* The command `fathom diff`: what two runs found differently. */
#ifndef FATHOM_BOOT_LINUX_DIFF_H
#define FATHOM_BOOT_LINUX_DIFF_H

/*
 * Compares two runs and prints what differs. `words` are the `count` arguments that follow the word `diff`. Returns the
 * exit status: 0 where no finding differs, 1 where some do, 2 for wrong arguments, 3 for a file that cannot be used.
 */
int command_diff(int count, char **words);

#endif
