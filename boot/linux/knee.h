/* The command `fathom knee`: where a curve has its knees. */
#ifndef FATHOM_BOOT_LINUX_KNEE_H
#define FATHOM_BOOT_LINUX_KNEE_H

/*
 * Finds the knees of a table of numbers and prints them. `words` are the `count` arguments that follow the word `knee`.
 * Returns the exit status, as `fathom help` lists it.
 */
int command_knee(int count, char **words);

#endif
