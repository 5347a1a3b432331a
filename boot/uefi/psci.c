/*
 * Other cores of AArch64: the MADT or the device tree lists them. PSCI starts them, or a spin table, whose address the
 * tree has for each core (Linux, Documentation/arch/arm64/booting.rst). The FADT or the tree says how PSCI is called
 * (ACPI specification 6.5, 5.2.12.14 and 5.2.9, "ARM boot architecture flags"; devicetree.h). UEFI has no protocol for
 * this that all firmware offers.
 */
#ifdef __aarch64__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/aarch64/own/secondary.h"
#include "arch/aarch64/registers.h"
#include "boot/uefi/acpi.h"
#include "boot/uefi/devicetree.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/other_cores.h"
#include "boot/uefi/pptt.h"
#include "lib/machine.h"
#include "lib/measure/responder.h"
#include "lib/run/stage.h"

enum { FADT_ARM_BOOT_ARCH = 129, PSCI_COMPLIANT = 1 << 0, PSCI_USE_HVC = 1 << 1, TABLE_LENGTH = 4 };
enum { END_MS = 1000 }; /* for a function that has been asked to stop, which takes microseconds unless the core hangs */
static const char lost_text[] = "the core did not return from a function that it was given";
static const char no_psci_text[] = "the firmware offers no PSCI";
static const char spins_text[] = "it waits at a spin table and cannot be given back: only with risky = cores";
static const uint64_t AFFINITY = 0xff00ffffff; /* MPIDR_EL1's Aff3, Aff2, Aff1, Aff0 */

static enum psci_conduit conduit(void)
{
    const uint8_t *fadt = acpi_table("FACP", FADT_ARM_BOOT_ARCH + 2);
    uint16_t flags = 0;

    if (fadt) {
        memcpy(&flags, fadt + FADT_ARM_BOOT_ARCH, sizeof flags);
        return !(flags & PSCI_COMPLIANT) ? PSCI_NONE : flags & PSCI_USE_HVC ? PSCI_HVC : PSCI_SMC;
    }
    size_t bytes;
    const void *tree = firmware_devicetree(&bytes);
    const char *method = tree ? devicetree_psci(tree, bytes) : NULL;
    return !method ? PSCI_NONE : method[0] == 'h' ? PSCI_HVC : PSCI_SMC;
}

/* The cores in whichever table there is. Returns how many there are; at most room are written. */
static size_t read_tables(struct listed_core *out, size_t room)
{
    const uint8_t *madt = acpi_table("APIC", TABLE_LENGTH + 4);
    uint32_t bytes;

    if (madt) {
        memcpy(&bytes, madt + TABLE_LENGTH, sizeof bytes);
        return madt_cores(madt, bytes, out, room);
    }
    size_t tree_bytes;
    const void *tree = firmware_devicetree(&tree_bytes);
    return tree ? devicetree_cores(tree, tree_bytes, out, room) : 0;
}

/* The fastest cores are "P", the slowest "E", those in between "M"; cores have no type where all are equally fast. */
static void set_type(char type[4], const struct listed_core *all, size_t count, unsigned rank)
{
    unsigned lowest = ~0u, highest = 0;

    for (size_t i = 0; i < count; i++) {
        lowest = all[i].rank < lowest ? all[i].rank : lowest;
        highest = all[i].rank > highest ? all[i].rank : highest;
    }
    if (lowest < highest)
        type[0] = rank == highest ? 'P' : rank == lowest ? 'E' : 'M';
}

static uint64_t booted(void)
{
    return READ(MPIDR_EL1) & AFFINITY;
}

/* Why this core cannot be used; NULL where it can. */
static const char *why_not(const struct listed_core *core, bool spinning)
{
    if (core->why_not)
        return core->why_not;
    if (core->release)
        return spinning ? NULL : spins_text;
    return conduit() == PSCI_NONE ? no_psci_text : NULL;
}

/* How that core is started. */
static struct secondary_way way_of(uint64_t affinity)
{
    const size_t listed = read_tables(NULL, 0);
    struct listed_core *all = calloc(listed ? listed : 1, sizeof *all);
    struct secondary_way way = {.conduit = conduit()};

    if (all)
        read_tables(all, listed);
    for (size_t i = 0; all && i < listed; i++)
        if (all[i].affinity == affinity)
            way.release = all[i].release;
    free(all);
    return way;
}

static bool any_spins(void)
{
    const size_t listed = read_tables(NULL, 0);
    struct listed_core *all = calloc(listed ? listed : 1, sizeof *all);
    bool any = false;

    if (all)
        read_tables(all, listed);
    for (size_t i = 0; all && i < listed; i++)
        any |= all[i].release != 0;
    free(all);
    return any;
}

size_t others_list(struct machine_core *out, size_t room, bool spinning)
{
    const size_t listed = read_tables(NULL, 0);
    struct listed_core *all = calloc(listed ? listed : 1, sizeof *all);
    size_t count = 1;

    if (room > 0)
        out[0] = (struct machine_core){.id = booted()};
    if (all)
        read_tables(all, listed);
    for (size_t i = 0; all && i < listed; i++) {
        const bool first = all[i].affinity == booted();
        const size_t at = first ? 0 : count++;

        if (at >= room)
            continue;
        out[at].id = all[i].affinity;
        out[at].why_not = first ? NULL : why_not(&all[i], spinning);
        set_type(out[at].type, all, listed, all[i].rank);
    }
    free(all);
    return count;
}

static struct secondary *in_use; /* the core that others_reach prepared; NULL: none */
static struct beside {
    uint64_t id;
    struct secondary *core; /* NULL: none */
} beside[BESIDE_CORES];     /* those beside the core in use */

static bool run(void (*function)(void *), void *argument, unsigned limit_ms)
{
    return in_use && secondary_begin(in_use, function, argument) && secondary_wait(in_use, limit_ms);
}

const char *others_reach(uint64_t id, own_runner **runner)
{
    const char *why = secondary_start(way_of(id), id, &in_use);

    if (!why)
        *runner = run;
    return why;
}

const char *others_way(void)
{
    switch (conduit()) {
    case PSCI_HVC: return "PSCI, called by HVC";
    case PSCI_SMC: return "PSCI, called by SMC";
    default: return any_spins() ? "spin tables" : no_psci_text;
    }
}

/* The core beside the one in use that has that number; with `free`, room for one. NULL: there is none. */
static struct beside *beside_of(uint64_t id, bool free)
{
    for (size_t i = 0; i < BESIDE_CORES; i++)
        if (free ? !beside[i].core : beside[i].core && beside[i].id == id)
            return &beside[i];
    return NULL;
}

static const char *start_beside(uint64_t id, struct beside **out)
{
    *out = beside_of(id, true);
    if (!*out)
        return "so many cores cannot be used at a time";
    (*out)->id = id;
    return secondary_start(way_of(id), id, &(*out)->core);
}

const char *others_begin(uint64_t id, void (*function)(void *), void *argument)
{
    struct beside *b = beside_of(id, false);
    const char *why = b ? NULL : start_beside(id, &b);

    if (!why && !secondary_begin(b->core, function, argument)) {
        others_end(id);
        why = "it starts, and does not run the function that it is given";
    }
    return why;
}

const char *others_wait(uint64_t id)
{
    struct beside *b = beside_of(id, false);

    if (b)
        secondary_wait(b->core, END_MS);
    return b && secondary_lost(b->core) ? lost_text : NULL;
}

void others_ask_back(uint64_t id)
{
    (void)id; /* it switches itself off within microseconds */
}

const char *others_end(uint64_t id)
{
    struct beside *b = beside_of(id, false);
    struct secondary *core = b ? b->core : NULL;

    others_wait(id);
    if (b)
        b->core = NULL;
    return core ? secondary_stop(core) : NULL;
}

bool others_kept(void)
{
    return secondary_kept();
}

const char *others_gone(void)
{
    return in_use && secondary_lost(in_use) ? lost_text : NULL;
}

const char *others_leave(uint64_t id)
{
    struct secondary *core = in_use;

    (void)id; /* only one is in use at a time */
    in_use = NULL;
    return core ? secondary_stop(core) : NULL;
}

/* Counts the cores that PSCI reports as off. */
const char *others_parked(const struct machine_core *all, size_t count)
{
    static char text[80];
    size_t others = 0, off = 0;

    if (conduit() == PSCI_NONE)
        return "in the state in which the firmware left them: it offers no PSCI";
    if (count > 1 && stage_begin("other-cores", "asks PSCI which cores are off"))
        return "not known: asking PSCI hung the machine in an earlier run";
    for (size_t i = 1; i < count; i++) {
        if (i == machine_info()->core || all[i].why_not)
            continue;
        others++;
        off += secondary_is_off(conduit(), all[i].id);
    }
    snprintf(text, sizeof text, "%zu of %zu off, by PSCI%s", off, others,
             machine_info()->core ? "; the core that booted waits" : "");
    return text;
}
#endif
