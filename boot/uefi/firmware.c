#include "boot/uefi/firmware.h"

#include <stdio.h>
#include <string.h>

#include "arch/emit.h"
#include "boot/uefi/devicetree.h"

struct firmware firmware;

/* Every fault of a firmware that is worked around, with its reason. */
static const struct quirks quirk_table[] = {
    {
        .vendor = "Das U-Boot",
        .isa = "x86_64",
        .power_off_hangs = true,
        .stall_lies = true,
        .reason = "U-Boot on x86-64 (observed with 2023.01): a shutdown hangs and leaves the machine on, and Stall "
                  "assumes a time stamp of 1 GHz",
    },
};

EFI_STATUS firmware_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;

    firmware.image = image;
    firmware.system = system;
    firmware.boot = system->BootServices;
    firmware.runtime = system->RuntimeServices;
    firmware.loaded = firmware_protocol(image, &loaded_image);
    if (!firmware.loaded)
        return EFI_UNSUPPORTED;

    if (system->FirmwareVendor)
        text_from_ucs2(firmware.vendor, sizeof firmware.vendor, system->FirmwareVendor, sizeof firmware.vendor);
    for (size_t i = 0; i < sizeof quirk_table / sizeof quirk_table[0]; i++) {
        const struct quirks *q = &quirk_table[i];
        if (!strncmp(firmware.vendor, q->vendor, strlen(q->vendor)) && !strcmp(emit_isa, q->isa))
            firmware.quirks = *q;
    }
    /* Otherwise the firmware resets the machine five minutes after it started us (7.5). */
    firmware.boot->SetWatchdogTimer(0, 0, 0, NULL);
    return EFI_SUCCESS;
}

void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol)
{
    void *interface = NULL;
    if (!handle || EFI_ERROR(firmware.boot->HandleProtocol(handle, protocol, &interface)))
        return NULL;
    return interface;
}

void *firmware_locate(EFI_GUID *protocol)
{
    void *interface = NULL;
    if (EFI_ERROR(firmware.boot->LocateProtocol(protocol, NULL, &interface)))
        return NULL;
    return interface;
}

void *firmware_table(const EFI_GUID *table)
{
    for (UINTN i = 0; i < firmware.system->NumberOfTableEntries; i++) {
        EFI_CONFIGURATION_TABLE *entry = &firmware.system->ConfigurationTable[i];
        if (!memcmp(&entry->VendorGuid, table, sizeof *table))
            return entry->VendorTable;
    }
    return NULL;
}

const void *firmware_devicetree(size_t *bytes)
{
    static const EFI_GUID guid = {0xb1b621d5, 0xf19c, 0x41a5, {0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0}};
    const void *tree = firmware_table(&guid);

    *bytes = tree ? devicetree_bytes(tree) : 0;
    return tree;
}

const char *status_text(EFI_STATUS status)
{
    switch (status) {
    case EFI_SUCCESS: return "success";
    case EFI_UNSUPPORTED: return "unsupported";
    case EFI_NOT_READY: return "not ready";
    case EFI_DEVICE_ERROR: return "device error";
    case EFI_WRITE_PROTECTED: return "write protected";
    case EFI_OUT_OF_RESOURCES: return "out of resources";
    case EFI_VOLUME_CORRUPTED: return "volume corrupted";
    case EFI_VOLUME_FULL: return "volume full";
    case EFI_NO_MEDIA: return "no media";
    case EFI_MEDIA_CHANGED: return "media changed";
    case EFI_NOT_FOUND: return "not found";
    case EFI_ACCESS_DENIED: return "access denied";
    case EFI_TIMEOUT: return "timeout";
    case EFI_INVALID_PARAMETER: return "invalid parameter";
    default: return "unknown error";
    }
}

void text_from_ucs2(char *out, size_t room, const CHAR16 *in, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count && in[i] && used + 3 < room; i++) {
        unsigned c = in[i];
        if (c < 0x80) {
            out[used++] = (char)c;
        } else if (c < 0x800) {
            out[used++] = (char)(0xc0 | c >> 6);
            out[used++] = (char)(0x80 | (c & 0x3f));
        } else {
            out[used++] = (char)(0xe0 | c >> 12);
            out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[used++] = (char)(0x80 | (c & 0x3f));
        }
    }
    out[used] = 0;
}

/* Value of a global one-byte variable such as SecureBoot (3.3); -1 where it is not there. */
static int global_flag(CHAR16 *name)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    UINT8 value = 0;
    UINTN bytes = sizeof value;

    if (EFI_ERROR(firmware.runtime->GetVariable(name, &global, NULL, &bytes, &value)) || bytes != sizeof value)
        return -1;
    return value;
}

const char *firmware_secure_boot(void)
{
    const int on = global_flag(L"SecureBoot");

    return on < 0 ? "unknown" : on ? "on" : "off";
}

void firmware_describe(struct record *r)
{
    unsigned revision = firmware.system->Hdr.Revision;
    char version[16];
    int secure_boot = global_flag(L"SecureBoot");

    /* Table revisions are major << 16 | minor * 10 + micro (4.3.1): 2.7 is 2 << 16 | 70. */
    snprintf(version, sizeof version, "%u.%u.%u", revision >> 16, (revision & 0xffff) / 10, (revision & 0xffff) % 10);
    record_object(r, "firmware");
    record_text(r, "vendor", firmware.vendor);
    record_hex(r, "revision", firmware.system->FirmwareRevision);
    record_text(r, "uefi", version);
    if (secure_boot < 0)
        record_null(r, "secure_boot");
    else
        record_boolean(r, "secure_boot", secure_boot == 1);
    if (firmware.quirks.reason)
        record_text(r, "quirks", firmware.quirks.reason);
    record_close(r);
}
