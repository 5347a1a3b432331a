/*
 * Other cores of x86-64, by the firmware's own protocol: EFI_MP_SERVICES_PROTOCOL (PI specification 1.8, volume 2,
 * 13.4). Only blocking calls are used: a core runs one function and is parked again by the firmware before the call
 * returns. When the function does not return in time, the firmware stops the core by INIT and parks it.
 */
#ifdef __x86_64__
#include <efi.h>

#include <string.h>

#include "arch/identify.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/other_cores.h"

enum { TYPE_LIMIT_MS = 1000 }; /* for a function of a few microseconds: a core that needs longer does not work */
/* Bits of a processor's status. */
enum { IS_BOOTED = 1 << 0, IS_ENABLED = 1 << 1, IS_HEALTHY = 1 << 2 };

struct processor {
    UINT64 id; /* of its local APIC */
    UINT32 status;
    UINT32 package, core, thread;
    UINT32 more[6]; /* written only when a flag in the number requests it, which we do not set */
};

struct mp_services {
    EFI_STATUS(EFIAPI *count)(struct mp_services *, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *describe)(struct mp_services *, UINTN number, struct processor *);
    EFI_STATUS(EFIAPI *start_all)
    (struct mp_services *, const void *procedure, BOOLEAN one_by_one, EFI_EVENT, UINTN limit_us, void *argument,
     UINTN **failed);
    EFI_STATUS(EFIAPI *start)
    (struct mp_services *, const void *procedure, UINTN number, EFI_EVENT, UINTN limit_us, void *argument,
     BOOLEAN *finished);
    EFI_STATUS(EFIAPI *switch_booted)(struct mp_services *, UINTN number, BOOLEAN enable_old);
    EFI_STATUS(EFIAPI *enable)(struct mp_services *, UINTN number, BOOLEAN on, UINT32 *healthy);
    EFI_STATUS(EFIAPI *who_am_i)(struct mp_services *, UINTN *number);
};

/* What processor_enter (processors_x86_64.S) calls on the other core. */
struct work {
    void (*function)(void *);
    void *argument;
};
extern const char processor_enter[] __attribute__((visibility("hidden")));

static UINTN in_use;     /* the firmware's number of the core that others_reach prepared */
static const char *gone; /* why that core can no longer be used; NULL while it can */

static struct mp_services *services(void)
{
    static EFI_GUID guid = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    static struct mp_services *found;

    if (!found)
        found = firmware_locate(&guid);
    return found;
}

/* Describes a processor. False behind the last number, and where the firmware has no MP services. */
static bool describe(UINTN number, struct processor *p)
{
    struct mp_services *mp = services();

    *p = (struct processor){0};
    return mp && !EFI_ERROR(mp->describe(mp, number, p));
}

static EFI_STATUS start(UINTN number, struct work *work, unsigned limit_ms)
{
    return services()->start(services(), processor_enter, number, NULL, (UINTN)limit_ms * 1000, work, NULL);
}

static bool run(void (*function)(void *), void *argument, unsigned limit_ms)
{
    EFI_STATUS status = start(in_use, &(struct work){function, argument}, limit_ms);

    /* After a time-out the firmware has stopped and parked the core, which can be used again (13.4.4). */
    if (EFI_ERROR(status) && status != EFI_TIMEOUT)
        gone = "the firmware no longer starts the core";
    return !EFI_ERROR(status);
}

static void find_type(void *type)
{
    identify_core_type(type);
}

static struct machine_core described(UINTN number, const struct processor *p, bool unlike)
{
    struct machine_core core = {.id = p->id};

    if (!(p->status & IS_ENABLED))
        core.why_not = "the firmware has disabled it";
    else if (!(p->status & IS_HEALTHY))
        core.why_not = "the firmware reports that it failed its self-test";
    else if (unlike && EFI_ERROR(start(number, &(struct work){find_type, core.type}, TYPE_LIMIT_MS)))
        core.why_not = "it does not finish a function that it is given";
    return core;
}

size_t others_list(struct machine_core *out, size_t room)
{
    char type[4];
    struct processor p;
    size_t count = 1;

    identify_core_type(type);
    if (room > 0) {
        out[0] = (struct machine_core){.id = 0};
        memcpy(out[0].type, type, sizeof type);
    }
    for (UINTN number = 0; describe(number, &p); number++) {
        if (p.status & IS_BOOTED) {
            if (room > 0)
                out[0].id = p.id;
        } else if (count++ < room) {
            out[count - 1] = described(number, &p, type[0] != 0);
        }
    }
    return count;
}

const char *others_reach(uint64_t id, own_runner **runner)
{
    struct processor p;

    for (UINTN number = 0; describe(number, &p); number++) {
        if (p.id != id || (p.status & IS_BOOTED))
            continue;
        in_use = number;
        gone = NULL;
        *runner = run;
        return NULL;
    }
    return "the firmware no longer lists the core";
}

const char *others_begin(uint64_t id, void (*function)(void *), void *argument)
{
    (void)id, (void)function, (void)argument;
    return "the firmware's calls wait until another core has finished, so no core can respond meanwhile";
}

const char *others_end(uint64_t id)
{
    (void)id;
    return NULL;
}

const char *others_gone(void)
{
    return gone;
}

const char *others_leave(uint64_t id)
{
    (void)id;
    return NULL; /* the firmware has parked it after the last call */
}

const char *others_parked(const struct machine_core *all, size_t count)
{
    (void)all, (void)count;
    return services() ? "parked by the firmware; the core that booted waits while another one measures"
                      : "not known: the firmware offers no EFI_MP_SERVICES_PROTOCOL";
}
#endif
