/*
 * Firmware Information, System Information and OEM Strings of SMBIOS (DSP0134 3.6, 5.2 entry points, 7.1 type 0, 7.2
 * type 1, 7.12 type 11). The owner of a virtual machine can set them.
 */
#include "boot/uefi/smbios.h"

#include <stdio.h>
#include <string.h>

#include "boot/uefi/firmware.h"

enum { TYPE_FIRMWARE = 0, TYPE_SYSTEM = 1, TYPE_OEM_STRINGS = 11, TYPE_END = 127, HEADER_BYTES = 4, UUID_END = 24 };

bool smbios_structures(const uint8_t **start, size_t *bytes)
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

/* One structure: `length` bytes, then strings, counted from 1, that end with an empty one. */
struct structure {
    const uint8_t *at, *strings, *end; /* the end of all structures */
    size_t length;
};

/* Finds the first structure of that type, or with `after` the next one behind *s; false when there are no more. */
static bool find_structure(uint8_t type, bool after, struct structure *s)
{
    size_t bytes = 0;

    if (!after) {
        if (!smbios_structures(&s->at, &bytes))
            return false;
        s->end = s->at + bytes;
    }
    for (bool skip = after; s->end - s->at >= HEADER_BYTES && s->at[0] != TYPE_END; skip = false) {
        s->length = s->at[1];
        s->strings = s->at + s->length;
        if (s->length < HEADER_BYTES || s->length > (size_t)(s->end - s->at))
            return false;
        if (s->at[0] == type && !skip)
            return true;
        /* The strings end with two zeros, also where there are none. */
        for (s->at = s->strings; s->end - s->at >= 2 && (s->at[0] || s->at[1]);)
            s->at++;
        s->at += 2;
    }
    return false;
}

/* NULL where there is no string of that number. */
static const char *find_string(const struct structure *s, unsigned number, size_t *length)
{
    for (const uint8_t *at = s->strings; number > 0 && at < s->end && *at; at += *length + 1) {
        *length = strnlen((const char *)at, (size_t)(s->end - at));
        if (--number == 0)
            return (const char *)at;
    }
    return NULL;
}

static void copy_string(char *out, size_t room, const struct structure *s, unsigned number)
{
    size_t length = 0;
    const char *text = find_string(s, number, &length);

    snprintf(out, room, "%.*s", text ? (int)length : 0, text ? text : "");
}

bool smbios_system(struct smbios_system *out)
{
    struct structure s;

    *out = (struct smbios_system){0};
    if (find_structure(TYPE_FIRMWARE, false, &s) && s.length >= 9) {
        copy_string(out->firmware_version, sizeof out->firmware_version, &s, s.at[5]);
        copy_string(out->firmware_date, sizeof out->firmware_date, &s, s.at[8]);
    }
    if (!find_structure(TYPE_SYSTEM, false, &s) || s.length < 6)
        return false;
    copy_string(out->manufacturer, sizeof out->manufacturer, &s, s.at[4]);
    copy_string(out->product, sizeof out->product, &s, s.at[5]);
    if (s.length >= UUID_END)
        memcpy(out->uuid, s.at + 8, sizeof out->uuid);
    return true;
}

void smbios_oem_strings(void (*use)(void *context, const char *text, size_t bytes), void *context)
{
    struct structure s;

    for (bool after = false; find_structure(TYPE_OEM_STRINGS, after, &s); after = true) {
        size_t length = 0;
        const char *text;
        for (unsigned number = 1; (text = find_string(&s, number, &length)) != NULL; number++)
            use(context, text, length);
    }
}
