/* fathom knee: where a curve has its knees. */
#ifndef FATHOM_BOOT_LINUX_KNEE_H
#define FATHOM_BOOT_LINUX_KNEE_H

/* `words` are the arguments behind the command's name. Returns the exit status. */
int command_knee(int count, char **words);

#endif
