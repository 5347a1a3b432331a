/*
 * Records on the serial line.
 *
 * Where the firmware offers the port itself, records are written to it line by line, ended by CR LF. Where it offers
 * only a console (U-Boot), they are folded, so that no line is longer than 100 columns and each can be distinguished
 * from the text around it:
 *
 *     ~SSSSSS.PP+payload    a part of line number SSSSSS (decimal), more parts follow
 *     ~SSSSSS.PP.payload    its last part
 *
 * PP is the part's number in two hex digits; after 256 parts of a line it begins with 00 again. A payload is cut
 * between characters, never inside one.
 */
#include "boot/uefi/serial.h"

#include <efi.h>

#include <stdio.h>
#include <string.h>

#include "boot/uefi/console.h"
#include "boot/uefi/firmware.h"

enum { COLUMNS = 100, PREFIX_COLUMNS = 11, PAYLOAD_COLUMNS = COLUMNS - PREFIX_COLUMNS };

/* ---- The port itself ------------------------------------------------------------------------- */

/* Write returns how many bytes it took, with EFI_TIMEOUT when it did not take all of them (12.8.1.6). */
static bool write_port(EFI_SERIAL_IO_PROTOCOL *port, const char *bytes, size_t count)
{
    while (count > 0) {
        UINTN taken = count;
        EFI_STATUS status = port->Write(port, &taken, (void *)bytes);
        if ((EFI_ERROR(status) && status != EFI_TIMEOUT) || taken == 0)
            return false;
        bytes += taken;
        count -= taken;
    }
    return true;
}

static bool port_write(void *context, const char *bytes, size_t count)
{
    /* The console may share the line: a record begins in column 0 even when a progress line is shown. */
    if (console_line_pending() && !write_port(context, "\r\n", 2))
        return false;
    for (const char *end = bytes + count; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!write_port(context, bytes, (size_t)((newline ? newline : end) - bytes)))
            return false;
        if (newline && !write_port(context, "\r\n", 2))
            return false;
        bytes = newline ? newline + 1 : end;
    }
    return true;
}

/* ---- The console ----------------------------------------------------------------------------- */

static unsigned folded_lines;

/* How many of these bytes go into the next part: at most PAYLOAD_COLUMNS, and only whole UTF-8 characters. */
static size_t payload_bytes(const char *bytes, size_t count)
{
    if (count <= PAYLOAD_COLUMNS)
        return count;
    size_t cut = PAYLOAD_COLUMNS;
    while (cut > PAYLOAD_COLUMNS - 4 && ((unsigned char)bytes[cut] & 0xc0) == 0x80)
        cut--;
    return cut;
}

static void fold_line(const char *bytes, size_t count)
{
    char part[PREFIX_COLUMNS + PAYLOAD_COLUMNS + 2];

    console_line_start();
    for (unsigned number = 0; number == 0 || count > 0; number++) {
        size_t payload = payload_bytes(bytes, count);
        snprintf(part, sizeof part, "~%06u.%02x%c%.*s\n", folded_lines % 1000000, number & 0xff,
                 payload < count ? '+' : '.', (int)payload, bytes);
        machine_print(part);
        bytes += payload;
        count -= payload;
    }
    folded_lines++;
}

static bool console_write(void *context, const char *bytes, size_t count)
{
    (void)context;
    for (const char *end = bytes + count; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        fold_line(bytes, (size_t)((newline ? newline : end) - bytes));
        bytes = newline ? newline + 1 : end;
    }
    return true;
}

static EFI_SERIAL_IO_PROTOCOL *find_port(void)
{
    static EFI_GUID serial_io = EFI_SERIAL_IO_PROTOCOL_GUID;

    return firmware_locate(&serial_io);
}

void serial_text(const char *text)
{
    EFI_SERIAL_IO_PROTOCOL *port = find_port();

    if (port && !console_on_serial())
        port_write(port, text, strlen(text));
}

bool serial_start(struct sink *s)
{
    EFI_SERIAL_IO_PROTOCOL *port = find_port();

    if (port)
        *s = (struct sink){.name = "serial", .context = port, .write = port_write};
    else if (firmware.system->ConOut)
        *s = (struct sink){.name = "serial", .write = console_write};
    else
        return false;
    return true;
}
