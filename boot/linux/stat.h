/* fathom stat: what a command costs. */
#ifndef FATHOM_BOOT_LINUX_STAT_H
#define FATHOM_BOOT_LINUX_STAT_H

/* `words` are the arguments behind the command's name. Returns the exit status. */
int command_stat(int count, char **words);

#endif
