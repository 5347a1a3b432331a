/* The cores that Linux lists. */
#ifndef FATHOM_BOOT_LINUX_CORES_H
#define FATHOM_BOOT_LINUX_CORES_H

/*
 * Finds all cores, whether this process may use them, and their types, for machine_cores. To be called once, before the
 * process is pinned to one of them.
 */
void cores_start(void);
/*
 * The type of the core with that number: "P", "E" or "M"; "" where it has none, or there is no such core. Valid until
 * the program ends.
 */
const char *cores_type(unsigned index);

#endif
