/* The firmware's text consoles: screens in text mode and terminals at serial lines. */
#ifndef FATHOM_BOOT_UEFI_CONSOLE_H
#define FATHOM_BOOT_UEFI_CONSOLE_H

#include <efi.h>

#include <stdbool.h>

struct page;

void console_start(void);
/* Shows the cursor again, and clears the console after the framebuffer has been drawn on (screen.h). */
void console_finish(void);
/* From now on text goes to all consoles, as at the start; or only to terminals at serial lines. */
void console_all(void);
void console_only_terminals(void);
/* Whether a terminal at a serial line is one of the consoles. */
bool console_on_serial(void);
/* Prints text, which takes the place of an unfinished progress line. */
void console_text(const char *text);
/* The same in white where the console has colours. */
void console_strong(const char *text);
/* Shows text in a line that overwrites itself, at most ten times a second; NULL removes it. */
void console_progress(const char *text);
/* Prints the page of results. */
void console_page(const struct page *p);
/* Ends a progress line, so that what is printed next begins a line of its own. */
void console_line_start(void);
/* True when a progress line has been shown since this was called last; serial.c then begins a new line. */
bool console_line_pending(void);
/* A key that was pressed, 0 when none was. */
CHAR16 console_key(void);
/* Whether the console takes keys at all. */
bool console_has_keys(void);

#endif
