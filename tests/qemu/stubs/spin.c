/*
 * Has the second core wait at a spin table, as the firmware of machines without PSCI does (Linux,
 * Documentation/arch/arm64/booting.rst), so that QEMU can stand in for those. The device tree has to say so, too; the
 * run changes it with U-Boot's commands, and so the address is fixed.
 *
 * Only for QEMU: no cache is cleaned for a core that has its caches off.
 */
#include <efi.h>
#include <efilib.h>

#include "stub.h"

enum { PAGE = 0x50000000, WORD = PAGE + 0x800, AFFINITY = 1 };

/* spin.S */
extern const char pen[], pen_end[];

/* PSCI's CPU_ON (Arm DEN0022, 5.4), which QEMU's machine has at SMC when it has EL2. */
static INT64 start(UINT64 affinity, UINT64 entry, UINT64 context)
{
    register UINT64 x0 __asm__("x0") = 0xc4000003;
    register UINT64 x1 __asm__("x1") = affinity;
    register UINT64 x2 __asm__("x2") = entry;
    register UINT64 x3 __asm__("x3") = context;

    __asm__ volatile("smc #0"
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "memory");
    return (INT64)x0;
}

EFI_STATUS prepare(void)
{
    EFI_PHYSICAL_ADDRESS page = PAGE;
    EFI_STATUS status = BS->AllocatePages(AllocateAddress, EfiReservedMemoryType, 1, &page);

    if (EFI_ERROR(status))
        return status;
    CopyMem((void *)page, pen, pen_end - pen);
    *(volatile UINT64 *)WORD = 0;
    return start(AFFINITY, PAGE, WORD) == 0 ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}
