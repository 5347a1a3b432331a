/* Cores that respond in windows beside the core in use. */
#ifndef FATHOM_BOOT_UEFI_RESPONDER_H
#define FATHOM_BOOT_UEFI_RESPONDER_H

/*
 * Gives the cores back to the firmware that the last machine_window_beside has left waiting for the next one, unless it
 * is under way. To be called before a window in which no other core may be awake, and before another core is taken into
 * use.
 */
void responders_rest(void);

#endif
