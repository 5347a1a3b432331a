/*
 * Other cores of x86-64, by the firmware's own protocol: EFI_MP_SERVICES_PROTOCOL (PI specification 1.8, volume 2,
 * 13.4). Blocking calls only: a core does one function and is parked again, wherever the firmware parks it, before
 * the call returns. Where it does not come back in time the firmware stops it by INIT and parks it.
 */
#ifdef __x86_64__
#include "boot/uefi/uefi.h"

#include <string.h>

#include "boot/uefi/cores_private.h"

enum { TYPE_LIMIT_MS = 1000 };
/* Of a processor's status. */
enum { IS_BOOTED = 1 << 0, IS_ENABLED = 1 << 1, IS_HEALTHY = 1 << 2 };

struct processor {
    UINT64 id; /* of its local APIC */
    UINT32 status;
    UINT32 package, core, thread;
    UINT32 more[6]; /* only for those who ask for it */
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

/* What processor_enter, in start_x86_64.S, has done there. */
struct work {
    void (*function)(void *);
    void *argument;
};
extern const char processor_enter[] __attribute__((visibility("hidden")));

static UINTN in_use;     /* the firmware's number of the core that works */
static const char *gone; /* why it does not any more */

static struct mp_services *services(void)
{
    static EFI_GUID guid = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    static struct mp_services *found;

    if (!found)
        found = firmware_locate(&guid);
    return found;
}

/* False past the last one, and where the firmware has no such protocol. */
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

    /* After a time-out the firmware has stopped and parked it, and it can be used again (13.4.4). */
    if (EFI_ERROR(status) && status != EFI_TIMEOUT)
        gone = "the firmware does not start it any more";
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
        core.why_not = "the firmware says that it failed its self-test";
    else if (unlike && EFI_ERROR(start(number, &(struct work){find_type, core.type}, TYPE_LIMIT_MS)))
        core.why_not = "it does not do what it is given";
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
    return "the firmware does not know it any more";
}

const char *others_begin(uint64_t id, void (*function)(void *), void *argument)
{
    (void)id, (void)function, (void)argument;
    return "the firmware starts cores by calls that wait for them";
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
    return NULL; /* it is parked already, as after each call */
}

const char *others_parked(void)
{
    return services() ? "parked by the firmware; the one that booted waits where it does not measure"
                      : "not known: the firmware offers no EFI_MP_SERVICES_PROTOCOL";
}
#endif
