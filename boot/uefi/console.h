/* The firmware's text consoles: screens in text mode and terminals at serial lines. */
#ifndef FATHOM_BOOT_UEFI_CONSOLE_H
#define FATHOM_BOOT_UEFI_CONSOLE_H

#include <efi.h>

#include <stdbool.h>

struct page;

/* Finds the firmware's console, clears it and hides its cursor. To be called before any text. */
void console_start(void);
/*
 * Ends the progress line, clears the console where console_only_terminals has found a terminal, and shows the cursor
 * again if it was visible at the start.
 */
void console_finish(void);
/* From now on text goes to the firmware's console, as after console_start. */
void console_all(void);
/* From now on text goes only to terminals at serial lines: the screen is drawn on (screen.h). */
void console_only_terminals(void);
/* Whether a terminal at a serial line is one of the consoles. */
bool console_on_serial(void);
/* Prints text, which takes the place of a progress line. */
void console_text(const char *text);
/* Prints text as console_text does, but in white where the console has colours. */
void console_strong(const char *text);
/*
 * Shows text, 79 columns of it at most, in the progress line, which each call overwrites, at most ten times a second:
 * what comes sooner is not shown. NULL removes the line.
 */
void console_progress(const char *text);
/* Prints the page of results, as wide and high as the console allows, 132 columns and 40 rows at most. */
void console_page(const struct page *p);
/* Ends a progress line, so that what is printed next begins on a line of its own. */
void console_line_start(void);
/* True when a progress line has been shown since this was called last; serial.c then begins a new line. */
bool console_line_pending(void);
/* The character of a key that was pressed; 0 when none was, or a key without a character. Does not wait. */
CHAR16 console_key(void);
/* Whether the console takes keys at all. */
bool console_has_keys(void);

#endif
