#include "boot/uefi/protocols.h"

#include <efi.h>

#include <stdio.h>
#include <string.h>

#include "boot/uefi/firmware.h"
#include "lib/probe/table.h"

enum { PROTOCOLS = 512 }; /* distinct ones: firmware of PCs has up to about 300 */

struct protocol {
    EFI_GUID guid;
    unsigned handles;
};

/* UEFI 2.10; from "CPU architectural" on UEFI PI 1.8, vol. 2, and edk2's MdePkg.dec. */
static const struct {
    EFI_GUID guid;
    const char *name;
} known[] = {
    {EFI_DEVICE_PATH_PROTOCOL_GUID, "device path"},
    {EFI_LOADED_IMAGE_PROTOCOL_GUID, "loaded image"},
    {EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL_GUID, "loaded image device path"},
    {EFI_DRIVER_BINDING_PROTOCOL_GUID, "driver binding"},
    {EFI_COMPONENT_NAME_PROTOCOL_GUID, "component name"},
    {EFI_COMPONENT_NAME2_PROTOCOL_GUID, "component name 2"},
    {EFI_BLOCK_IO_PROTOCOL_GUID, "block I/O"},
    {EFI_BLOCK_IO2_PROTOCOL_GUID, "block I/O 2"},
    {EFI_DISK_IO_PROTOCOL_GUID, "disk I/O"},
    {EFI_DISK_IO2_PROTOCOL_GUID, "disk I/O 2"},
    {EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID, "simple file system"},
    {EFI_LOAD_FILE_PROTOCOL_GUID, "load file"},
    {EFI_UNICODE_COLLATION_PROTOCOL_GUID, "unicode collation"},
    {EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID, "graphics output"},
    {EFI_EDID_DISCOVERED_PROTOCOL_GUID, "EDID discovered"},
    {EFI_EDID_ACTIVE_PROTOCOL_GUID, "EDID active"},
    {EFI_SIMPLE_TEXT_INPUT_PROTOCOL_GUID, "simple text input"},
    {EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID, "simple text input ex"},
    {EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID, "simple text output"},
    {EFI_SIMPLE_POINTER_PROTOCOL_GUID, "simple pointer"},
    {EFI_ABSOLUTE_POINTER_PROTOCOL_GUID, "absolute pointer"},
    {EFI_SERIAL_IO_PROTOCOL_GUID, "serial I/O"},
    {EFI_PCI_IO_PROTOCOL_GUID, "PCI I/O"},
    {EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL_GUID, "PCI root bridge I/O"},
    {EFI_SIMPLE_NETWORK_PROTOCOL_GUID, "simple network"},
    {EFI_PXE_BASE_CODE_PROTOCOL_GUID, "PXE base code"},
    {EFI_RNG_PROTOCOL_GUID, "random numbers"},
    {EFI_HASH_PROTOCOL_GUID, "hash"},
    {EFI_DEVICE_PATH_TO_TEXT_PROTOCOL_GUID, "device path to text"},
    {EFI_DEVICE_PATH_FROM_TEXT_PROTOCOL_GUID, "device path from text"},
    {EFI_DEVICE_PATH_UTILITIES_PROTOCOL_GUID, "device path utilities"},
    {EFI_SHELL_PROTOCOL_GUID, "Shell"},
    {{0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}}, "CPU architectural"},
    {{0x26baccb3, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}}, "timer architectural"},
    {{0x2890b3ea, 0x053d, 0x1643, {0xad, 0x0c, 0xd6, 0x48, 0x08, 0xda, 0x3f, 0xf1}}, "hardware interrupt"},
    {{0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}}, "MP services"},
    {{0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}}, "console output device"},
};

/* Counts a protocol of one handle. Returns how many distinct ones there are now. */
static size_t count_one(struct protocol all[PROTOCOLS], size_t count, const EFI_GUID *guid)
{
    size_t i = 0;

    while (i < count && memcmp(&all[i].guid, guid, sizeof *guid) != 0)
        i++;
    if (i == PROTOCOLS)
        return count;
    if (i == count)
        all[count++] = (struct protocol){.guid = *guid};
    all[i].handles++;
    return count;
}

static size_t count_all(struct protocol all[PROTOCOLS])
{
    EFI_HANDLE *handles = NULL;
    UINTN handle_count = 0;
    size_t count = 0;

    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(AllHandles, NULL, NULL, &handle_count, &handles)))
        return 0;
    for (UINTN i = 0; i < handle_count; i++) {
        EFI_GUID **guids = NULL;
        UINTN guid_count = 0;
        if (EFI_ERROR(firmware.boot->ProtocolsPerHandle(handles[i], &guids, &guid_count)))
            continue;
        for (UINTN j = 0; j < guid_count; j++)
            count = count_one(all, count, guids[j]);
        firmware.boot->FreePool(guids);
    }
    firmware.boot->FreePool(handles);
    return count;
}

static const char *name_of(const EFI_GUID *guid)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!memcmp(&known[i].guid, guid, sizeof *guid))
            return known[i].name;
    return NULL;
}

void protocols_send(struct writer *w)
{
    static struct protocol all[PROTOCOLS];
    const size_t count = count_all(all);
    struct record r;

    record_start(&r, w, "protocols");
    RECORD_COLUMNS(&r, "guid", "handles", "name");
    for (size_t i = 0; i < count; i++) {
        const EFI_GUID *g = &all[i].guid;
        char text[40];

        snprintf(text, sizeof text, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", (unsigned)g->Data1, g->Data2,
                 g->Data3, g->Data4[0], g->Data4[1], g->Data4[2], g->Data4[3], g->Data4[4], g->Data4[5], g->Data4[6],
                 g->Data4[7]);
        record_array(&r, NULL);
        record_text(&r, NULL, text);
        record_integer(&r, NULL, all[i].handles);
        record_text(&r, NULL, name_of(g));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}
