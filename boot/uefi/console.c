#include "boot/uefi/console.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "boot/uefi/firmware.h"
#include "lib/base/cells.h"
#include "lib/machine.h"
#include "lib/observer/page.h"

enum {
    CHUNK = 128,           /* characters handed to the firmware at once; any number would do */
    OUTS = 4,              /* consoles that get text: more serial lines with terminals than machines have */
    PAGE_COLUMNS = 132,    /* of the page of results at most: longer lines are hard to read */
    PAGE_ROWS = 40,        /* of it at most */
    ROWS_AROUND_PAGE = 3,  /* for the last question above it, and for the next one and the cursor below */
    LEAST_ROWS = 25,       /* of a console (12.4.1) */
    PROGRESS_COLUMNS = 79, /* the narrowest console has 80, and a line that fills them would wrap */
};
/* Between redraws: 80 characters take 7 ms on a serial line of 115,200 baud, a tenth of the time at most. */
static const double PROGRESS_SECONDS = 0.1;

static const char blanks[] = "                                                                               ";
_Static_assert(sizeof blanks == PROGRESS_COLUMNS + 1, "as many blanks as a progress line has columns");

static SIMPLE_TEXT_OUTPUT_INTERFACE *outs[OUTS]; /* consoles that get text */
static size_t out_count;                         /* 0 on a machine without a console */
static SIMPLE_INPUT_INTERFACE *in;
static unsigned progress_columns; /* length of the progress line that is shown; 0 while there is none */
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
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware.system->ConOut;

    console_line_start();
    if (out && (out_count == 0 || outs[0] != out)) /* the framebuffer was drawn on: the console gets a clear screen */
        out->ClearScreen(out);
    if (out && cursor_was_visible)
        out->EnableCursor(out, TRUE);
}

void console_all(void)
{
    outs[0] = firmware.system->ConOut;
    out_count = outs[0] != NULL;
}

/* Whether a device path leads over a serial line, that is, has a UART node (10.3.4.17). */
static bool is_serial(const EFI_DEVICE_PATH *node)
{
    for (; node && !IsDevicePathEndType(node) && DevicePathNodeLength(node) >= (int)sizeof *node;
         node = (const EFI_DEVICE_PATH *)((const uint8_t *)node + DevicePathNodeLength(node)))
        if (DevicePathType(node) == MESSAGING_DEVICE_PATH && DevicePathSubType(node) == MSG_UART_DP)
            return true;
    return false;
}

/* The consoles at serial lines, OUTS at most; returns how many. */
static size_t find_terminals(SIMPLE_TEXT_OUTPUT_INTERFACE *found[OUTS])
{
    /* edk2 installs this on every device that is in use as a console: MdeModulePkg/Include/Guid/ConsoleOutDevice.h. */
    static EFI_GUID console_device = {0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
    static EFI_GUID text_output = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
    static EFI_GUID device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    size_t terminals = 0;
    void *mark;

    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(ByProtocol, &console_device, NULL, &count, &handles)))
        return 0;
    for (UINTN i = 0; i < count && terminals < OUTS; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware_protocol(handles[i], &text_output);
        if (out && !EFI_ERROR(firmware.boot->HandleProtocol(handles[i], &console_device, &mark)) &&
            is_serial(firmware_protocol(handles[i], &device_path)))
            found[terminals++] = out;
    }
    firmware.boot->FreePool(handles);
    return terminals;
}

void console_only_terminals(void)
{
    out_count = find_terminals(outs);
}

bool console_on_serial(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *found[OUTS];

    return find_terminals(found) > 0;
}

/* The next character of UTF-8 text as UCS-2; a question mark where it is not valid or does not fit. */
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

/* Removes the progress line; what is printed next takes its place. */
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

void console_text(const char *text)
{
    erase_progress();
    put(text, ~0u);
}

static bool set_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN attribute)
{
    return out->Mode && !EFI_ERROR(out->SetAttribute(out, attribute));
}

/* White stands out from the firmware's grey (12.4.3). A console without colours ignores it. */
void console_strong(const char *text)
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
}

void console_progress(const char *text)
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

/*
 * As wide as the console is, PAGE_COLUMNS at most; as high as it is but for ROWS_AROUND_PAGE, PAGE_ROWS at most.
 */
void console_page(const struct page *p)
{
    UINTN columns = 80, rows = LEAST_ROWS;
    char line[PAGE_COLUMNS + 2];

    if (!out_count)
        return;
    if (outs[0]->Mode && EFI_ERROR(outs[0]->QueryMode(outs[0], (UINTN)outs[0]->Mode->Mode, &columns, &rows)))
        columns = 80, rows = LEAST_ROWS;
    const unsigned room = (unsigned)(rows > LEAST_ROWS ? rows : LEAST_ROWS) - ROWS_AROUND_PAGE;
    struct cells c = {.columns = columns < PAGE_COLUMNS ? (unsigned)columns - 1 : PAGE_COLUMNS,
                      .rows = room < PAGE_ROWS ? room : PAGE_ROWS};
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
