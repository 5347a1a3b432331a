/* The tables that the firmware hands us, what is known to be wrong with it, and finding its protocols. */
#ifndef FATHOM_BOOT_UEFI_FIRMWARE_H
#define FATHOM_BOOT_UEFI_FIRMWARE_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/record.h"

/* What is known to be wrong with one firmware. */
struct quirks {
    const char *vendor; /* FirmwareVendor begins with this */
    const char *isa;
    bool power_off_hangs; /* ResetSystem(EfiResetShutdown) does not return, and the machine stays on */
    bool stall_lies;      /* Stall does not wait for as long as it is asked to */
    const char *reason;   /* one sentence, for the record */
};

/* What the firmware has handed us. */
struct firmware {
    EFI_HANDLE image;
    EFI_LOADED_IMAGE *loaded; /* never NULL after firmware_start has succeeded */
    EFI_SYSTEM_TABLE *system;
    EFI_BOOT_SERVICES *boot;
    EFI_RUNTIME_SERVICES *runtime;
    char vendor[64];
    struct quirks quirks; /* all false where none is known */
};

/* The firmware of this machine, filled in by firmware_start. */
extern struct firmware firmware;

/*
 * Fills in `firmware`, and switches off the firmware's watchdog, which would reset the machine after five minutes. To
 * be called first. EFI_UNSUPPORTED when the firmware does not describe our own image.
 */
EFI_STATUS firmware_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
/* The interface of a protocol on that handle; NULL where it has none. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);
/* The interface of a protocol on any handle; NULL where no handle has it. */
void *firmware_locate(EFI_GUID *protocol);
/* A table in the system table's list, such as that of ACPI or SMBIOS, by its GUID; NULL where the firmware has none. */
void *firmware_table(const EFI_GUID *table);
/*
 * The device tree that the firmware passes on, and in *bytes the size that its header states; NULL where it passes
 * none.
 */
const void *firmware_devicetree(size_t *bytes);
/* The name of a status code, for messages: "not found". A string constant. */
const char *status_text(EFI_STATUS status);
/*
 * Converts at most `count` CHAR16 of `in`, up to the first zero, to UTF-8. `out` always ends with a zero; what does not
 * fit into `room` bytes is cut.
 */
void text_from_ucs2(char *out, size_t room, const CHAR16 *in, size_t count);
/* Whether Secure Boot is on: "on", "off", or "unknown" where the firmware has no such variable. */
const char *firmware_secure_boot(void);
/* Adds the object `firmware` to a record: vendor, revisions, Secure Boot and quirks. */
void firmware_describe(struct record *r);

#endif
