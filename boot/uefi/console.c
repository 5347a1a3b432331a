/* Text for people: the firmware's console, whatever that is on this machine. */
#include "boot/uefi/uefi.h"

#include <string.h>

enum {
    CHUNK = 128,
    PROGRESS_COLUMNS = 79, /* one less than any console has, so that a line never wraps */
};
static const double PROGRESS_SECONDS = 0.1; /* between redraws: a slow line must not slow the run */

static const char blanks[] = "                                                                               ";
_Static_assert(sizeof blanks == PROGRESS_COLUMNS + 1, "as many blanks as a progress line has columns");

static SIMPLE_TEXT_OUTPUT_INTERFACE *out; /* NULL on a machine without a console */
static SIMPLE_INPUT_INTERFACE *in;
static unsigned progress_columns; /* of the line that stands there unfinished */
static bool line_pending;
static BOOLEAN cursor_was_visible;
static double progress_drawn;

void console_start(void)
{
    out = firmware.system->ConOut;
    in = firmware.system->ConIn;
    if (out)
        out->ClearScreen(out); /* the firmware's logo stands where the text will */
    cursor_was_visible = out && out->Mode && out->Mode->CursorVisible;
    if (cursor_was_visible)
        out->EnableCursor(out, FALSE); /* some consoles cannot; nothing depends on it */
}

void console_finish(void)
{
    console_line_start();
    if (cursor_was_visible)
        out->EnableCursor(out, TRUE);
}

/* Next character of UTF-8 text as UCS-2; what UCS-2 or UTF-8 cannot say becomes a question mark. */
static CHAR16 next_character(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    unsigned extra = p[0] < 0x80 ? 0 : p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
    unsigned c = extra == 0 ? p[0] : p[0] & (0x3fu >> extra);
    unsigned used = 1;

    while (used <= extra && (p[used] & 0xc0) == 0x80)
        c = c << 6 | (p[used++] & 0x3f);
    *text += used;
    return used == extra + 1 && c <= 0xffff && c != 0xfffe ? (CHAR16)c : L'?';
}

/* Prints at most `columns` characters and returns how many there were; \n becomes \r\n. */
static unsigned put(const char *text, unsigned columns)
{
    CHAR16 chunk[CHUNK];
    size_t used = 0;
    unsigned printed = 0;

    while (*text && printed < columns) {
        CHAR16 c = next_character(&text);
        if (c == L'\n')
            chunk[used++] = L'\r';
        chunk[used++] = c;
        printed++;
        if (used >= CHUNK - 2 || !*text || printed == columns) {
            chunk[used] = 0;
            if (out)
                out->OutputString(out, chunk);
            used = 0;
        }
    }
    return printed;
}

/* Takes the progress line off the screen; what is printed next stands in its place. */
static void erase_progress(void)
{
    if (progress_columns) {
        put("\r", 1);
        put(blanks, progress_columns);
        put("\r", 1);
    }
    progress_columns = 0;
    line_pending = false;
}

void console_line_start(void)
{
    if (progress_columns)
        put("\n", 1);
    progress_columns = 0;
    line_pending = false;
}

bool console_line_pending(void)
{
    bool pending = line_pending;
    line_pending = false;
    return pending;
}

void machine_print(const char *text)
{
    erase_progress();
    put(text, ~0u);
}

/* In white, which stands out of the firmware's grey (12.4.3); a screen that cannot leaves it as it is. */
void machine_print_strong(const char *text)
{
    erase_progress();
    UINTN attribute = out && out->Mode ? (UINTN)out->Mode->Attribute : 0;
    bool bright = out && out->Mode && !EFI_ERROR(out->SetAttribute(out, (attribute & ~(UINTN)0xf) | EFI_WHITE));
    put(text, ~0u);
    if (bright)
        out->SetAttribute(out, attribute);
}

void machine_progress(const char *text)
{
    double now = machine_seconds();

    if (!text) {
        erase_progress();
        return;
    }
    if (progress_columns && now - progress_drawn < PROGRESS_SECONDS)
        return;
    progress_drawn = now;
    put("\r", 1);
    unsigned columns = put(text, PROGRESS_COLUMNS);
    if (columns < progress_columns)
        put(blanks, progress_columns - columns);
    progress_columns = columns;
    line_pending = columns > 0;
}

CHAR16 console_key(void)
{
    EFI_INPUT_KEY key;
    if (!in || EFI_ERROR(in->ReadKeyStroke(in, &key)))
        return 0;
    return key.UnicodeChar;
}
