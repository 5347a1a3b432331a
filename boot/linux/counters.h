/* The command `fathom counters`: which performance counter counts which event. */
#ifndef FATHOM_BOOT_LINUX_COUNTERS_H
#define FATHOM_BOOT_LINUX_COUNTERS_H

/*
 * Prints which counter of a core counts which event, and in how few runs. `words` are the `count` arguments that follow
 * the word `counters`. Returns the exit status, as `fathom counters --help` lists it.
 */
int command_counters(int count, char **words);

#endif
