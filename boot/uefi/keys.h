/* Keys: before a run, while it runs, and after it. */
#ifndef FATHOM_BOOT_UEFI_KEYS_H
#define FATHOM_BOOT_UEFI_KEYS_H

#include "lib/config.h"
#include "lib/watch.h"

/*
 * The start menu: changes the configuration as whoever sits there wishes. Without a key it is over after the seconds
 * that the configuration says. False: reboot instead.
 */
bool keys_menu(struct config *c);
/* While the run goes: skip, stop, or pause, which is waited out. Asked between windows, as often as one likes. */
enum wish keys_wish(void);
/* Seconds spent in pauses: no time of the run's. */
double keys_paused(void);
/* At the end, for ever, unless somebody presses a key. */
enum after keys_stay(void);

#endif
