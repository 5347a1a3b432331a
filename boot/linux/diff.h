/* fathom diff: what two runs found differently. */
#ifndef FATHOM_BOOT_LINUX_DIFF_H
#define FATHOM_BOOT_LINUX_DIFF_H

/* `words` are the arguments behind the command's name. Returns the exit status. */
int command_diff(int count, char **words);

#endif
