/* A stub in front of the image under test: makes the machine what the run wants, and starts the image. */
#include <efi.h>
#include <efilib.h>

#include "stub.h"

/* The image under test is in the folder STUB, or in the loaders' usual place when this stub was started otherwise. */
static EFI_STATUS start_image(EFI_HANDLE self)
{
    static CHAR16 *const paths[] = {L"\\EFI\\STUB\\BOOTAA64.EFI", L"\\EFI\\BOOT\\BOOTAA64.EFI"};
    EFI_HANDLE *volumes, child;
    UINTN count;
    EFI_STATUS status = BS->LocateHandleBuffer(ByProtocol, &FileSystemProtocol, NULL, &count, &volumes);

    for (UINTN p = 0; !EFI_ERROR(status) && p < 2; p++) {
        for (UINTN i = 0; i < count; i++) {
            EFI_FILE_HANDLE root = LibOpenRoot(volumes[i]), file;

            if (!root || EFI_ERROR(root->Open(root, &file, paths[p], EFI_FILE_MODE_READ, 0)))
                continue;
            file->Close(file);
            status = BS->LoadImage(FALSE, self, FileDevicePath(volumes[i], paths[p]), NULL, 0, &child);
            return EFI_ERROR(status) ? status : BS->StartImage(child, NULL, NULL);
        }
    }
    return EFI_ERROR(status) ? status : EFI_NOT_FOUND;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
    EFI_STATUS status;

    InitializeLib(self, table);
    status = prepare();
    if (!EFI_ERROR(status))
        status = start_image(self);
    Print(L"stub: %r\n", status);
    RT->ResetSystem(EfiResetShutdown, status, 0, NULL);
    return status;
}
