/* The command `fathom stat`: what a command costs. */
#ifndef FATHOM_BOOT_LINUX_STAT_H
#define FATHOM_BOOT_LINUX_STAT_H

/*
 * Runs a command and prints what it costs in time, memory and events. `words` are the `count` arguments that follow the
 * word `stat`. Returns the exit status, as `fathom stat --help` lists it.
 */
int command_stat(int count, char **words);

#endif
