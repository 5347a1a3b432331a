/* fathom counters: which performance counter counts which event. */
#ifndef FATHOM_BOOT_LINUX_COUNTERS_H
#define FATHOM_BOOT_LINUX_COUNTERS_H

/* `words` are the arguments behind the command's name. Returns the exit status. */
int command_counters(int count, char **words);

#endif
