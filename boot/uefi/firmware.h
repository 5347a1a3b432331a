/* The tables that the firmware hands us, what is known to be wrong with it, and finding its protocols. */
#ifndef FATHOM_BOOT_UEFI_FIRMWARE_H
#define FATHOM_BOOT_UEFI_FIRMWARE_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/record.h"

/* What a known firmware gets wrong. */
struct quirks {
    const char *vendor; /* FirmwareVendor begins with this */
    const char *isa;
    bool power_off_hangs; /* ResetSystem(EfiResetShutdown) does not return, and the machine stays on */
    bool stall_lies;      /* Stall does not wait for as long as it is asked to */
    const char *reason;   /* one sentence, for the record */
};

struct firmware {
    EFI_HANDLE image;
    EFI_LOADED_IMAGE *loaded; /* never NULL after firmware_start has succeeded */
    EFI_SYSTEM_TABLE *system;
    EFI_BOOT_SERVICES *boot;
    EFI_RUNTIME_SERVICES *runtime;
    char vendor[64];
    struct quirks quirks; /* all false where none is known */
};

extern struct firmware firmware;

/*
 * Fills in `firmware` and switches the firmware's watchdog off. EFI_UNSUPPORTED when the firmware does not describe our
 * own image.
 */
EFI_STATUS firmware_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
/* The interface of a protocol on that handle, or on any handle; NULL where there is none. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);
void *firmware_locate(EFI_GUID *protocol);
/* A table of the system table's list, such as ACPI or SMBIOS; NULL where the firmware has none. */
void *firmware_table(const EFI_GUID *table);
/* The device tree that the firmware passes on, and the bytes that it claims; NULL where it passes none. */
const void *firmware_devicetree(size_t *bytes);
/* The name of a status code, for messages. */
const char *status_text(EFI_STATUS status);
/*
 * Writes at most `count` CHAR16, up to the first zero, as UTF-8. `out` always ends with a zero; what does not fit is
 * cut.
 */
void text_from_ucs2(char *out, size_t room, const CHAR16 *in, size_t count);
/* "on", "off", or "unknown" where the firmware has no such variable. */
const char *firmware_secure_boot(void);
/* Adds vendor, revisions, Secure Boot and quirks to a record, as an object. */
void firmware_describe(struct record *r);

#endif
