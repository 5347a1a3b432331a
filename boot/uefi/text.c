/*
 * Text for people: on the firmware's consoles, and on the framebuffer where we draw on one (screen.c). While we do, the
 * consoles that get text are the terminals at serial lines alone.
 */
#include "boot/uefi/console.h"
#include "boot/uefi/screen.h"
#include "boot/uefi/watchdog.h"
#include "lib/base/cells.h"
#include "lib/machine.h"

void machine_print(const char *text)
{
    console_text(text);
    screen_text(text, CELL_TEXT);
}

void machine_print_strong(const char *text)
{
    console_strong(text);
    screen_text(text, CELL_STRONG);
}

void machine_stage(const char *text)
{
    watchdog_refresh();
    machine_print(text);
    machine_print("\n");
    screen_now();
}

void machine_progress(const char *text)
{
    watchdog_refresh();
    screen_progress(text);
    console_progress(text);
}
