/* Who made this machine: System Information of SMBIOS (DSP0134 3.6, 5.2 entry points, 7.2 type 1). */
#include "boot/uefi/uefi.h"

#include <stdio.h>
#include <string.h>

enum { TYPE_SYSTEM = 1, TYPE_END = 127, HEADER_BYTES = 4, UUID_END = 24 };

/* Where the structures lie. */
static bool find_structures(const uint8_t **start, size_t *bytes)
{
    static const EFI_GUID smbios_3 = SMBIOS3_TABLE_GUID, smbios_2 = SMBIOS_TABLE_GUID;
    const uint8_t *entry;
    uint64_t address = 0;

    if ((entry = firmware_table(&smbios_3)) && !memcmp(entry, "_SM3_", 5)) {
        uint32_t most;
        memcpy(&most, entry + 0x0c, sizeof most);
        memcpy(&address, entry + 0x10, 8);
        *bytes = most;
    } else if ((entry = firmware_table(&smbios_2)) && !memcmp(entry, "_SM_", 4)) {
        uint16_t length;
        memcpy(&length, entry + 0x16, sizeof length);
        memcpy(&address, entry + 0x18, 4);
        *bytes = length;
    }
    *start = (const uint8_t *)(uintptr_t)address;
    return address != 0;
}

/* String `number` of those that follow a structure, counted from 1; they end with an empty one. */
static void copy_string(char *out, size_t room, const uint8_t *strings, const uint8_t *end, unsigned number)
{
    out[0] = 0;
    while (number > 0 && strings < end && *strings) {
        size_t length = strnlen((const char *)strings, (size_t)(end - strings));
        if (--number == 0)
            snprintf(out, room, "%.*s", (int)length, (const char *)strings);
        strings += length + 1;
    }
}

bool smbios_system(struct smbios_system *s)
{
    const uint8_t *at;
    size_t bytes;

    *s = (struct smbios_system){0};
    if (!find_structures(&at, &bytes))
        return false;
    for (const uint8_t *end = at + bytes; end - at >= HEADER_BYTES && at[0] != TYPE_END;) {
        size_t length = at[1];
        const uint8_t *strings = at + length;
        if (length < HEADER_BYTES || length > (size_t)(end - at))
            return false;
        if (at[0] == TYPE_SYSTEM) {
            copy_string(s->manufacturer, sizeof s->manufacturer, strings, end, at[4]);
            copy_string(s->product, sizeof s->product, strings, end, at[5]);
            if (length >= UUID_END)
                memcpy(s->uuid, at + 8, sizeof s->uuid);
            return true;
        }
        /* The strings end with two zeros, also where there are none. */
        for (at = strings; end - at >= 2 && (at[0] || at[1]);)
            at++;
        at += 2;
    }
    return false;
}
