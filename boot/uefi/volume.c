/*
 * The volume is the one labelled FATHOM on the disk that we were loaded from; where there is none, the volume that we
 * were loaded from. Another disk is never used: the machine's own disks are left alone.
 */
#include "boot/uefi/volume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/firmware.h"
#include "boot/uefi/warnings.h"

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID device_path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
static EFI_GUID volume_label_guid = EFI_FILE_SYSTEM_VOLUME_LABEL_ID;
static EFI_GUID file_system_info_guid = EFI_FILE_SYSTEM_INFO_ID;

enum { LABEL_CHARACTERS = 32 };

/*
 * The length in bytes of the path up to the partition, which is the disk's own path; 0 where the path names no
 * partition. Nodes: 10.3.1; a partition is a hard-drive node (10.3.5.1).
 */
static size_t disk_path_bytes(const EFI_DEVICE_PATH *path)
{
    const EFI_DEVICE_PATH *node = path;
    size_t disk = 0;

    while (node && !IsDevicePathEndType(node) && DevicePathNodeLength(node) >= (int)sizeof *node) {
        if (DevicePathType(node) == MEDIA_DEVICE_PATH && DevicePathSubType(node) == MEDIA_HARDDRIVE_DP)
            disk = (size_t)((const uint8_t *)node - (const uint8_t *)path);
        node = (const EFI_DEVICE_PATH *)((const uint8_t *)node + DevicePathNodeLength(node));
    }
    return disk;
}

static bool same_disk(EFI_HANDLE a, EFI_HANDLE b)
{
    const EFI_DEVICE_PATH *x = firmware_protocol(a, &device_path_guid);
    const EFI_DEVICE_PATH *y = firmware_protocol(b, &device_path_guid);
    size_t bytes = disk_path_bytes(x);

    return bytes > 0 && bytes == disk_path_bytes(y) && !memcmp(x, y, bytes);
}

static EFI_FILE_PROTOCOL *open_root(EFI_HANDLE handle)
{
    EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *fs = firmware_protocol(handle, &file_system_guid);
    EFI_FILE_PROTOCOL *root = NULL;

    if (!fs || EFI_ERROR(fs->OpenVolume(fs, &root)))
        return NULL;
    return root;
}

static EFI_FILE_PROTOCOL *open_to_read(EFI_FILE_PROTOCOL *root, const CHAR16 *path)
{
    EFI_FILE_PROTOCOL *file = NULL;
    if (!root || EFI_ERROR(root->Open(root, &file, (CHAR16 *)path, EFI_FILE_MODE_READ, 0)))
        return NULL;
    return file;
}

static void read_label(EFI_FILE_PROTOCOL *root, char *label, size_t room)
{
    union {
        EFI_FILE_SYSTEM_VOLUME_LABEL info;
        CHAR16 characters[LABEL_CHARACTERS];
    } buffer = {.characters = {0}};
    UINTN bytes = sizeof buffer;

    label[0] = 0;
    if (!EFI_ERROR(root->GetInfo(root, &volume_label_guid, &bytes, &buffer)))
        text_from_ucs2(label, room, buffer.characters, LABEL_CHARACTERS);
    for (size_t end = strlen(label); end > 0 && label[end - 1] == ' '; end--)
        label[end - 1] = 0;
}

/*
 * Whether a volume is labelled FATHOM. Some firmware (U-Boot 2023.01) cannot read labels; there a volume with the
 * configuration file is taken for it, unless we were loaded from that volume, which may be a stick of any name.
 */
static bool is_labelled_fathom(EFI_FILE_PROTOCOL *root, EFI_HANDLE handle)
{
    char label[LABEL_CHARACTERS];
    read_label(root, label, sizeof label);
    if (label[0])
        return !strcmp(label, "FATHOM");
    if (handle == firmware.loaded->DeviceHandle)
        return false;

    EFI_FILE_PROTOCOL *file = open_to_read(root, L"\\FATHOM.CFG");
    if (file)
        file->Close(file);
    return file != NULL;
}

/* Opens the FATHOM volume on the disk that we were loaded from; NULL where there is none. */
static EFI_FILE_PROTOCOL *find_labelled(void)
{
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    EFI_FILE_PROTOCOL *found = NULL;

    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &count, &handles)))
        return NULL;
    for (UINTN i = 0; i < count && !found; i++) {
        if (!same_disk(handles[i], firmware.loaded->DeviceHandle))
            continue;
        EFI_FILE_PROTOCOL *root = open_root(handles[i]);
        if (root && is_labelled_fathom(root, handles[i]))
            found = root;
        else if (root)
            root->Close(root);
    }
    firmware.boot->FreePool(handles);
    return found;
}

void volume_start(struct volume *v)
{
    v->root = find_labelled();
    if (v->root) {
        snprintf(v->name, sizeof v->name, "volume FATHOM");
        return;
    }
    v->root = open_root(firmware.loaded->DeviceHandle);
    if (v->root) {
        char label[LABEL_CHARACTERS];
        read_label(v->root, label, sizeof label);
        snprintf(v->name, sizeof v->name, "boot volume%s%s", label[0] ? " " : "", label);
        return;
    }
    warn("volume", "the program was not loaded from a volume that can be read: records go only to the serial line");
}

void volume_finish(struct volume *v)
{
    if (v->root)
        v->root->Close(v->root);
    v->root = NULL;
}

uint64_t volume_free_bytes(const struct volume *v)
{
    union {
        EFI_FILE_SYSTEM_INFO info;
        uint8_t
            bytes[sizeof(EFI_FILE_SYSTEM_INFO) + LABEL_CHARACTERS * sizeof(CHAR16)]; /* the label stands at its end */
    } buffer;
    UINTN bytes = sizeof buffer;

    if (!v->root || EFI_ERROR(v->root->GetInfo(v->root, &file_system_info_guid, &bytes, &buffer)))
        return UINT64_MAX;
    return buffer.info.FreeSpace;
}

EFI_FILE_PROTOCOL *volume_open(const struct volume *v, const CHAR16 *path)
{
    return open_to_read(v->root, path);
}

size_t volume_read(EFI_FILE_PROTOCOL *file, void *to, size_t room)
{
    size_t used = 0;

    while (used < room) {
        UINTN bytes = room - used;
        if (EFI_ERROR(file->Read(file, &bytes, (uint8_t *)to + used)) || bytes == 0)
            break;
        used += bytes;
    }
    return used;
}

bool volume_next_entry(EFI_FILE_PROTOCOL *folder, union volume_entry *entry)
{
    UINTN bytes = sizeof *entry;

    return folder && !EFI_ERROR(folder->Read(folder, &bytes, entry)) && bytes > 0;
}
