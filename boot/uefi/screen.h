/* The framebuffer, where the firmware offers one: progress, curves and findings of a run. */
#ifndef FATHOM_BOOT_UEFI_SCREEN_H
#define FATHOM_BOOT_UEFI_SCREEN_H

#include <stdbool.h>

#include "lib/base/cells.h"
#include "lib/observer/observer.h"

struct lines;
struct run;

/*
 * Starts to draw on the framebuffer; *run, whose progress is shown, must stay valid. False where there is none that can
 * be used, or where the console shows records: then screen_finding and screen_results still make the page of results,
 * and the other functions draw nothing.
 */
bool screen_start(const struct run *run);
/* Adds text in that style; a line ends at a newline, and the last lines that fit are shown. */
void screen_text(const char *text, enum cell_style style);
/*
 * Shows text in the progress line, in place of what it showed before, without a part in brackets at its beginning,
 * which the bar shows; NULL clears it.
 */
void screen_progress(const char *text);
/* Draws at once what has changed, which otherwise may wait for a moment, because the user waits for it. */
void screen_now(void);
/* Shows in the last line of the screen which keys there are now. */
void screen_keys(const char *text);
/*
 * Shows these lines, which must stay valid, in the place of all else, and a QR code of them where there is room; with
 * NULL all else again. False where there is nothing to draw on.
 */
bool screen_lines(const struct lines *page);
/*
 * Shows the QR code of the lines over everything, where screen_lines had no room for it beside or below them. False
 * where screen_lines has shown the code, or there is none.
 */
bool screen_code(void);
/*
 * Shows the page of results of the findings that screen_finding has kept: on the framebuffer in the place of all else,
 * on consoles as text.
 */
void screen_results(void);
/* Keeps a finding for the page of results: the member `finding` of struct observer. */
void screen_finding(const struct observed_finding *f);
/* Shows a curve that was measured: the member `curve` of struct observer. */
void screen_curve(const struct observed_curve *c);

#endif
