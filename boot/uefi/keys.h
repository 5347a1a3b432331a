/* Keys: before a run, while it runs, and after it. */
#ifndef FATHOM_BOOT_UEFI_KEYS_H
#define FATHOM_BOOT_UEFI_KEYS_H

#include "lib/observer/observer.h"
#include "lib/plan/config.h"

/*
 * The start menu, in which the user changes the configuration. It ends after the seconds that the configuration says,
 * unless a key is pressed. False: the user wants a reboot instead of a run.
 */
bool keys_menu(struct config *c);
/* To be called between windows, as often as one likes: what the user wants. A pause is waited for until it ends. */
enum wish keys_wish(void);
/* Waits so many seconds, or until a key is pressed; after that key until another one is, so that it can be held. */
void keys_hold(unsigned seconds);
/* After the run: waits until the user presses a key that says how to go on. */
enum after keys_stay(void);

#endif
