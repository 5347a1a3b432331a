/*
 * Switches a machine at EL2 to host mode (HCR_EL2.E2H = 1), so that QEMU can stand in for machines that are always in
 * host mode, such as Apple's.
 *
 * No firmware in Debian 12 runs in host mode, so the firmware is moved into it while it runs. This changes for it (Arm
 * ARM DDI 0487, D8.1.2 on the EL2&0 regime, D19.2 on the registers):
 *
 *   translation   descriptors get EL1's permissions: AP[1] would now give pages to EL0 and thereby take
 *                 execution from EL2, XN becomes PXN. The tables are copied, and the copies changed.
 *   TCR_EL2       has the layout of TCR_EL1: the physical size moves, and the high half is turned off.
 *   CPTR_EL2      has the layout of CPACR_EL1: floating point must be allowed, not merely not trapped.
 *   timers        CNTV_*_EL0 now access EL2's own virtual timer, whose interrupt the firmware does not know and
 *                 could not silence. Its tick is therefore stopped for good: timer events never come, while
 *                 Stall, which polls the counter, still works.
 *
 * Only for QEMU: translation is off for a moment, and no cache is cleaned for that.
 */
#include <efi.h>
#include <efilib.h>

#include "stub.h"

#define READ(name) \
    ({ \
        UINT64 value_; \
        __asm__ volatile("mrs %0, " #name : "=r"(value_)::"memory"); \
        value_; \
    })

#define BIT(n) ((UINT64)1 << (n))

/* Descriptors, Arm ARM D8.3. */
#define VALID BIT(0)
#define TABLE_OR_PAGE BIT(1)
#define AP_EL0 BIT(6)
#define PXN BIT(53)
#define XN BIT(54)
#define TABLE_OVERRIDES ((UINT64)0x1f << 59) /* NSTable to PXNTable */
#define ADDRESS (UINT64)0x0000fffffffff000

enum { LAST_LEVEL = 3, DESCRIPTORS = 512 };

/* e2h.S */
void host_mode_on(UINT64 ttbr, UINT64 tcr, UINT64 hcr, UINT64 cptr);

static UINT64 *copy_table(const UINT64 *from, unsigned level)
{
    EFI_PHYSICAL_ADDRESS page;
    UINT64 *to;

    if (EFI_ERROR(BS->AllocatePages(AllocateAnyPages, EfiBootServicesData, 1, &page)))
        return NULL;
    to = (UINT64 *)page;
    for (UINTN i = 0; i < DESCRIPTORS; i++) {
        UINT64 d = from[i];

        if (!(d & VALID)) {
            to[i] = 0;
        } else if (level < LAST_LEVEL && (d & TABLE_OR_PAGE)) {
            UINT64 *next = copy_table((const UINT64 *)(d & ADDRESS), level + 1);

            if (!next)
                return NULL;
            to[i] = (UINT64)next | (d & ~(ADDRESS | TABLE_OVERRIDES));
        } else {
            to[i] = (d & ~AP_EL0) | (d & XN ? PXN : 0);
        }
    }
    return to;
}

static void stop_tick(void)
{
    struct timer { /* PI specification 1.8, volume 2, 12.11 */
        void *register_handler;
        EFI_STATUS(EFIAPI *set_period)(struct timer *, UINT64 period);
    } * timer;
    static EFI_GUID guid = {0x26baccb3, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

    if (!EFI_ERROR(LibLocateProtocol(&guid, (void **)&timer)))
        timer->set_period(timer, 0);
}

EFI_STATUS prepare(void)
{
    UINT64 tcr = READ(TCR_EL2);
    UINT64 t0sz = tcr & 0x3f;
    unsigned first_level = t0sz < 25 ? 0 : t0sz < 34 ? 1 : 2; /* with 4 KiB pages, D8.2.8 */
    UINT64 *root;

    if (READ(CurrentEL) >> 2 != 2 || (READ(ID_AA64MMFR1_EL1) >> 8 & 0xf) == 0) {
        Print(L"e2h: needs EL2 and a core with host extensions\n");
        return EFI_UNSUPPORTED;
    }
    root = copy_table((const UINT64 *)(READ(TTBR0_EL2) & ADDRESS), first_level);
    if (!root)
        return EFI_OUT_OF_RESOURCES;
    stop_tick();
    /* T0SZ to TG0 stay; PS [18:16] moves to IPS [34:32]; EPD1 23, with a valid T1SZ [21:16] and TG1 [31:30]. */
    host_mode_on((UINT64)root, (tcr & 0xffff) | (tcr >> 16 & 7) << 32 | BIT(23) | (UINT64)25 << 16 | (UINT64)2 << 30,
                 READ(HCR_EL2) | BIT(34), (UINT64)3 << 20 | (UINT64)3 << 16);
    Print(L"e2h: HCR_EL2 is %lx\n", READ(HCR_EL2));
    return EFI_SUCCESS;
}
