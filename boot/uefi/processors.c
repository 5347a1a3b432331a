/*
 * Other cores of x86-64, by the firmware's own protocol: EFI_MP_SERVICES_PROTOCOL (PI specification 1.8, volume 2,
 * 13.4).
 *
 * A core that is taken into use is started once, by a call that does not wait, and then serves functions that the core
 * that booted lays into a mailbox; the firmware gets it back when it stops serving. Starting it anew for each function
 * would take the firmware up to 10 ms (edk2, which waits for a core that halts between calls), and a run makes about a
 * million windows. Where the firmware only offers calls that wait (13.4.4: after "ready to boot" it may), each function
 * is such a call. When it does not return in time, the firmware then stops the core by INIT; a core that serves is
 * stopped by an NMI.
 */
#ifdef __x86_64__
#include <efi.h>

#include <string.h>

#include "arch/identify.h"
#include "arch/reader.h"
#include "arch/x86_64/own/vectors.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/other_cores.h"
#include "boot/uefi/parked.h"
#include "lib/measure/responder.h"

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

/*
 * A core that serves, and its mailbox. A function is asked for by a higher number in `requested`. Aligned, so that both
 * numbers share one cache line and no other core's do.
 */
struct servant {
    struct mailbox {
        void (*function)(void *);
        void *argument;
        volatile uint64_t requested, done;
        volatile bool leave; /* the core returns to the firmware */
    } box __attribute__((aligned(64)));
    struct work work;   /* that the firmware starts it with */
    UINTN number;       /* the firmware's number of it */
    uint64_t id;        /* and the number of its local APIC */
    bool serving;       /* it serves the mailbox; else each function is a call of its own */
    EFI_EVENT returned; /* signalled when it no longer does; made once, and used again */
    const char *gone;   /* why it can no longer be used; NULL while it can */
};

/*
 * After so long a core is given up: to arrive, to come back from a function that has been stopped, and to be back with
 * the firmware. A core needs microseconds, and edk2 looks every 100 ms. Chosen: far more than that, since in an
 * emulator that runs one core at a time, with 256 ns an instruction, one second was too short once.
 */
enum { ARRIVE_MS = 1000, BACK_MS = 3000, LEAVE_MS = 6000 };

static struct servant servants[BESIDE_CORES]; /* those beside the core in use */
static struct servant in_use;                 /* the core that others_reach prepared */
static double woke_ms; /* how long the last one took to arrive that was started to serve; 0: none was */

static const char no_longer_listed[] = "the firmware no longer lists the core";

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
    EFI_STATUS status = start(in_use.number, &(struct work){function, argument}, limit_ms);

    /* After a time-out the firmware has stopped and parked the core, which can be used again (13.4.4). */
    if (EFI_ERROR(status) && status != EFI_TIMEOUT)
        in_use.gone = "the firmware no longer starts the core";
    return !EFI_ERROR(status);
}

/* ---- A core that serves ------------------------------------------------------------------------------------------ */

/* Runs on the other core. */
static void serve(void *servant)
{
    struct mailbox *box = &((struct servant *)servant)->box;

    while (!box->leave) {
        const uint64_t asked = box->requested;
        if (asked == box->done) {
            __builtin_ia32_pause();
            continue;
        }
        box->function(box->argument);
        box->done = asked;
    }
}

/*
 * Waits until the function has returned. False after `ms` (0: no limit). Time in which this core stood still does not
 * count: a host that stops its guest stops both cores.
 */
static bool wait_done(const struct servant *s, unsigned ms)
{
    const double ticks_of_ms = machine_info()->tick_hz / 1000;
    double waited = 0;

    for (uint64_t last = reader_ticks(), at; s->box.done != s->box.requested; last = at) {
        at = reader_ticks();
        waited += (double)(at - last) < ticks_of_ms ? (double)(at - last) : ticks_of_ms;
        if (ms && waited > ticks_of_ms * ms)
            return false;
    }
    return true;
}

static void request(struct servant *s, void (*function)(void *), void *argument)
{
    s->box.function = function;
    s->box.argument = argument;
    s->box.requested = s->box.requested + 1; /* stores become visible in their order (Intel SDM vol. 3A, 9.2.2) */
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Has the core serve. NULL, or why it does not; it may be that only calls that wait are possible. */
static const char *start_serving(struct servant *s, UINTN number, uint64_t id)
{
    const uint64_t asked = reader_ticks();

    *s = (struct servant){.returned = s->returned, .work = {serve, s}, .number = number, .id = id};
    if (!s->returned && EFI_ERROR(firmware.boot->CreateEvent(0, TPL_APPLICATION, NULL, NULL, &s->returned)))
        return "the firmware creates no event";
    if (EFI_ERROR(services()->start(services(), processor_enter, number, s->returned, 0, &s->work, NULL)))
        return "the firmware starts no core without waiting for it";
    s->serving = true;
    request(s, nothing, NULL);
    if (!wait_done(s, ARRIVE_MS))
        s->gone = "the firmware has started it, and it has not arrived after a second";
    else
        woke_ms = (double)(reader_ticks() - asked) / machine_info()->tick_hz * 1e3;
    return s->gone;
}

/* Waits for the function; a kernel that does not end is stopped. False where it had to be, or could not be. */
static bool finish(struct servant *s, unsigned limit_ms)
{
    if (wait_done(s, limit_ms))
        return true;
    vectors_stop_other((uint32_t)s->id);
    if (!wait_done(s, BACK_MS))
        s->gone = "the core did not return from a function that it was given";
    return false;
}

static bool run_served(void (*function)(void *), void *argument, unsigned limit_ms)
{
    if (in_use.gone)
        return false;
    request(&in_use, function, argument);
    return finish(&in_use, limit_ms);
}

/* Gives the core back to the firmware, once it has been asked to leave. NULL, or why it still runs. */
static const char *stop_serving(struct servant *s)
{
    const double start = machine_seconds();

    s->serving = false;
    if (s->gone)
        return s->gone;
    s->box.leave = true;
    /* the firmware looks every 100 ms whether it has returned (edk2) */
    while (firmware.boot->CheckEvent(s->returned) != EFI_SUCCESS)
        if (machine_seconds() - start > LEAVE_MS / 1e3)
            return "the firmware does not report that it has returned";
    return NULL;
}

/* ---- The list --------------------------------------------------------------------------------------------------- */

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

size_t others_list(struct machine_core *out, size_t room, bool spinning)
{
    char type[4];
    struct processor p;
    size_t count = 1;

    (void)spinning;
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
        const char *why = start_serving(&in_use, number, id);
        *runner = in_use.serving ? run_served : run;
        return in_use.serving ? why : NULL;
    }
    return no_longer_listed;
}

const char *others_way(void)
{
    return services() ? "EFI_MP_SERVICES_PROTOCOL" : "the firmware offers no EFI_MP_SERVICES_PROTOCOL";
}

/* The one beside the core in use that serves, and has that number; with `free`, the first that does not. */
static struct servant *servant_of(uint64_t id, bool free)
{
    for (size_t i = 0; i < BESIDE_CORES; i++)
        if (free ? !servants[i].serving : servants[i].serving && servants[i].id == id)
            return &servants[i];
    return NULL;
}

static const char *begin_serving(uint64_t id, struct servant **out)
{
    struct processor p;

    *out = servant_of(id, true);
    if (!*out)
        return "so many cores cannot be used at a time";
    for (UINTN number = 0; describe(number, &p); number++)
        if (p.id == id)
            return start_serving(*out, number, id);
    return no_longer_listed;
}

const char *others_begin(uint64_t id, void (*function)(void *), void *argument)
{
    struct servant *s = servant_of(id, false);
    const char *why = s ? s->gone : begin_serving(id, &s);

    if (!why)
        request(s, function, argument);
    return why;
}

const char *others_wait(uint64_t id)
{
    struct servant *s = servant_of(id, false);

    if (s && !s->gone)
        finish(s, BACK_MS);
    return s ? s->gone : NULL;
}

void others_ask_back(uint64_t id)
{
    struct servant *s = servant_of(id, false);

    if (s)
        s->box.leave = true;
}

const char *others_end(uint64_t id)
{
    struct servant *s = servant_of(id, false);

    others_wait(id);
    return s ? stop_serving(s) : NULL;
}

bool others_kept(void)
{
    return false;
}

const char *others_gone(void)
{
    return in_use.gone;
}

const char *others_leave(uint64_t id)
{
    (void)id;
    return in_use.serving ? stop_serving(&in_use) : NULL; /* else the firmware has parked it after the last call */
}

const char *others_parked(const struct machine_core *all, size_t count)
{
    (void)all, (void)count;
    return services() ? parked_text(woke_ms) : "not known: the firmware offers no EFI_MP_SERVICES_PROTOCOL";
}
#endif
