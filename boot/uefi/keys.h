/* Keys: before a run, while it runs, and after it. */
#ifndef FATHOM_BOOT_UEFI_KEYS_H
#define FATHOM_BOOT_UEFI_KEYS_H

#include "lib/observer/observer.h"
#include "lib/plan/config.h"

/*
 * Shows the start menu, in which the user changes the configuration *c. It ends after c->menu_seconds without a key, or
 * when the user says so; with 0 seconds, or without a keyboard, it is not shown. False: the user wants a reboot instead
 * of a run.
 */
bool keys_menu(struct config *c);
/*
 * What the user wants now, by the key that was pressed; characters that follow each other faster than people type do
 * not count. To be called between windows, as often as one likes: it asks the firmware ten times a second at most. When
 * a key has paused the run, it returns after the pause has ended.
 */
enum wish keys_wish(void);
/*
 * Waits so many seconds, while a page is shown. A key that is pressed meanwhile holds the page: then this returns only
 * after another key.
 */
void keys_hold(unsigned seconds);
/* To be called after the run: waits until the user presses a key that says how to go on, and returns which. */
enum after keys_stay(void);

#endif
