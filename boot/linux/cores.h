/* The cores that Linux lists. */
#ifndef FATHOM_BOOT_LINUX_CORES_H
#define FATHOM_BOOT_LINUX_CORES_H

/* Finds all cores and their types. To be called before the process is pinned to one of them. */
void cores_start(void);
/* "P", "E", "" and so on, as struct machine_core has it. */
const char *cores_type(unsigned index);

#endif
