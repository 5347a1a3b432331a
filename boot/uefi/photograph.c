/* The bring-up page on screen and consoles, long enough for a photograph. */
#include <stdio.h>

#include "boot/uefi/keys.h"
#include "boot/uefi/screen.h"
#include "lib/base/lines.h"
#include "lib/machine.h"

enum { PAGE_SECONDS = 10 };

void machine_page(const struct lines *page)
{
    char line[LINE_COLUMNS + 2];

    for (size_t i = 0; i < page->count; i++) {
        snprintf(line, sizeof line, "%s\n", page->text[i]);
        machine_print(line);
    }
    if (!screen_lines(page))
        return;
    keys_hold(PAGE_SECONDS);
    if (screen_code())
        keys_hold(PAGE_SECONDS);
    screen_lines(NULL);
}
