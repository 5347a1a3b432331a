/*
 * The screen of the machine under test: a framebuffer where the firmware offers one, and what is told on text consoles
 * of the same.
 */
#ifndef FATHOM_BOOT_UEFI_SCREEN_H
#define FATHOM_BOOT_UEFI_SCREEN_H

#include <stdbool.h>

#include "lib/cells.h"

struct run;

/*
 * Takes the framebuffer; false where there is none, or none to be used: then text consoles are all there is. `run` is
 * whose progress is shown.
 */
bool screen_start(const struct run *run);
/* Text as it comes, and the one line that overwrites itself (NULL: nothing). Do nothing without a framebuffer. */
void screen_text(const char *text, enum cell_style style);
void screen_progress(const char *text);
/* Brings what was told onto the screen at once, for somebody who waits for it. */
void screen_now(void);
/* What keys do now, in the last line. */
void screen_keys(const char *text);
/* The page of results: on the framebuffer it takes the place of all else and stays, consoles get it as text. */
void screen_results(void);
/* What a run tells whoever sits there, and asks them. */
extern const struct watcher screen_watcher;

#endif
