/* The framebuffer, where the firmware offers one: progress, curves and findings of a run. */
#ifndef FATHOM_BOOT_UEFI_SCREEN_H
#define FATHOM_BOOT_UEFI_SCREEN_H

#include <stdbool.h>

#include "lib/base/cells.h"
#include "lib/observer/observer.h"

struct lines;
struct run;

/*
 * Starts to draw on the framebuffer, the progress of `run` first. False where there is none that can be used, or where
 * the console shows records: then screen_finding and screen_results still make the page of results, and the other
 * functions draw nothing.
 */
bool screen_start(const struct run *run);
/* Adds text; and shows text in the progress line, which overwrites itself (NULL clears it). */
void screen_text(const char *text, enum cell_style style);
void screen_progress(const char *text);
/* Draws at once what has changed, because the user waits for it. */
void screen_now(void);
/* Shows in the last line what keys do now. */
void screen_keys(const char *text);
/*
 * Shows lines in the place of all else, and a QR code of them where there is room; with NULL all else again. False where
 * there is nothing to draw on.
 */
bool screen_lines(const struct lines *page);
/* Shows that code over everything where there was no room for it beside the lines. False where it is shown already. */
bool screen_code(void);
/* Shows the page of results: on the framebuffer in the place of all else, on consoles as text. */
void screen_results(void);
/* A finding that was decided and a curve that was taken, for struct observer. */
void screen_finding(const struct observed_finding *f);
void screen_curve(const struct observed_curve *c);

#endif
