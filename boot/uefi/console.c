/*
 * Text for people: the firmware's console, whatever that is on this machine. Where there is a framebuffer that we draw
 * on (screen.c), the console's terminals at serial lines alone: they get the same text as lines, nothing else.
 */
#include "boot/uefi/uefi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/screen.h"
#include "lib/page.h"

enum {
    CHUNK = 128,
    OUTS = 4,
    PAGE_COLUMNS = 132,
    PROGRESS_COLUMNS = 79, /* one less than any console has, so that a line never wraps */
};
static const double PROGRESS_SECONDS = 0.1; /* between redraws: a slow line must not slow the run */

static const char blanks[] = "                                                                               ";
_Static_assert(sizeof blanks == PROGRESS_COLUMNS + 1, "as many blanks as a progress line has columns");

static SIMPLE_TEXT_OUTPUT_INTERFACE *outs[OUTS]; /* that text goes to */
static size_t out_count;                         /* 0 on a machine without a console */
static SIMPLE_INPUT_INTERFACE *in;
static unsigned progress_columns; /* of the line that stands there unfinished */
static bool line_pending;
static BOOLEAN cursor_was_visible;
static double progress_drawn;

void console_start(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware.system->ConOut;

    in = firmware.system->ConIn;
    console_all();
    if (out)
        out->ClearScreen(out); /* the firmware's logo stands where the text will */
    cursor_was_visible = out && out->Mode && out->Mode->CursorVisible;
    if (cursor_was_visible)
        out->EnableCursor(out, FALSE); /* some consoles cannot; nothing depends on it */
}

void console_finish(void)
{
    console_line_start();
    if (outs[0] != firmware.system->ConOut) /* it gets the screen back that was drawn on */
        firmware.system->ConOut->ClearScreen(firmware.system->ConOut);
    if (cursor_was_visible)
        firmware.system->ConOut->EnableCursor(firmware.system->ConOut, TRUE);
}

void console_all(void)
{
    outs[0] = firmware.system->ConOut;
    out_count = outs[0] != NULL;
}

/* Whether a device path leads over a serial line: it has a UART node (10.3.4.17). */
static bool over_a_line(const EFI_DEVICE_PATH *node)
{
    for (; node && !IsDevicePathEndType(node) && DevicePathNodeLength(node) >= (int)sizeof *node;
         node = (const EFI_DEVICE_PATH *)((const uint8_t *)node + DevicePathNodeLength(node)))
        if (DevicePathType(node) == MESSAGING_DEVICE_PATH && DevicePathSubType(node) == MSG_UART_DP)
            return true;
    return false;
}

void console_only_terminals(void)
{
    /* Marks what is in use as a console: edk2, MdeModulePkg/Include/Guid/ConsoleOutDevice.h. */
    static EFI_GUID console_device = {0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
    static EFI_GUID text_output = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
    static EFI_GUID device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    void *mark;

    out_count = 0;
    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(ByProtocol, &console_device, NULL, &count, &handles)))
        return;
    for (UINTN i = 0; i < count && out_count < OUTS; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware_protocol(handles[i], &text_output);
        if (out && !EFI_ERROR(firmware.boot->HandleProtocol(handles[i], &console_device, &mark)) &&
            over_a_line(firmware_protocol(handles[i], &device_path)))
            outs[out_count++] = out;
    }
    firmware.boot->FreePool(handles);
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
            for (size_t i = 0; i < out_count; i++)
                outs[i]->OutputString(outs[i], chunk);
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
    screen_text(text, CELL_TEXT);
}

static bool set_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN attribute)
{
    return out->Mode && !EFI_ERROR(out->SetAttribute(out, attribute));
}

/* In white, which stands out of the firmware's grey (12.4.3); a screen that cannot leaves it as it is. */
void machine_print_strong(const char *text)
{
    UINTN before[OUTS] = {0};

    erase_progress();
    for (size_t i = 0; i < out_count; i++) {
        before[i] = outs[i]->Mode ? (UINTN)outs[i]->Mode->Attribute : 0;
        set_attribute(outs[i], (before[i] & ~(UINTN)0xf) | EFI_WHITE);
    }
    put(text, ~0u);
    for (size_t i = 0; i < out_count; i++)
        set_attribute(outs[i], before[i]);
    screen_text(text, CELL_STRONG);
}

void machine_progress(const char *text)
{
    double now = machine_seconds();

    screen_progress(text);
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

/* As large as the console is, less a line at the top for what was asked last, and one at the bottom for what is next. */
void console_page(const struct page *p)
{
    UINTN columns = 80, rows = 25;
    char line[PAGE_COLUMNS + 2];

    if (!out_count)
        return;
    if (outs[0]->Mode && EFI_ERROR(outs[0]->QueryMode(outs[0], (UINTN)outs[0]->Mode->Mode, &columns, &rows)))
        columns = 80, rows = 25;
    struct cells c = {.columns = columns < PAGE_COLUMNS ? (unsigned)columns - 1 : PAGE_COLUMNS,
                      .rows = rows > 25 ? 40 : 22};
    c.at = calloc((size_t)c.columns * c.rows, sizeof *c.at);
    if (!c.at)
        return;
    page_draw(p, &c, 0, c.rows);
    erase_progress();
    for (unsigned row = 0; row < c.rows; row++) {
        unsigned used = 0;
        for (unsigned column = 0; column < c.columns; column++) {
            line[column] = (char)c.at[(size_t)row * c.columns + column].character;
            if (line[column] != ' ')
                used = column + 1;
        }
        snprintf(line + used, 2, "\n");
        if (used)
            put(line, ~0u);
    }
    free(c.at);
}

CHAR16 console_key(void)
{
    EFI_INPUT_KEY key;
    if (!in || EFI_ERROR(in->ReadKeyStroke(in, &key)))
        return 0;
    return key.UnicodeChar;
}

bool console_has_keys(void)
{
    return in != NULL;
}
