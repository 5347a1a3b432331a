/* The door as firmware and arch/own open it: what this place is, memory for windows, windows. */
#include "boot/uefi/keys.h"
#include "boot/uefi/uefi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/control.h"
#include "arch/emit.h"
#include "arch/identify.h"
#include "arch/own.h"
#include "lib/config.h"
#include "lib/guard.h"
#include "lib/hash.h"

static struct machine_info info;
enum {
    AREAS = 64,
    IDENTITY_VALUES = 512,
    OWN_VALUES = 64,
    PAGE_SIZES = sizeof info.page_bytes / sizeof info.page_bytes[0],
};
static struct own_services services;
static struct own_range *ram;
static const char *not_ours = "the core is not owned yet"; /* why there are no windows, NULL when there are */
static bool owned;                                         /* own_finish is due */
static bool windows_wanted, windows;                       /* by the configuration; and on the core in use */
static unsigned deadline_ms;

const struct machine_info *machine_info(void)
{
    return &info;
}

const char *uefi_not_ours(void)
{
    return not_ours;
}

double machine_seconds(void)
{
    return info.tick_hz > 0 ? (double)reader_ticks() / info.tick_hz - keys_paused() : 0;
}

/* ---- Start and finish -------------------------------------------------------------------------- */

/* Tells this machine from others: its identification registers, and its SMBIOS UUID where it has one. */
static void fingerprint(char out[17])
{
    static struct identity_value raw[IDENTITY_VALUES];
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    struct smbios_system smbios;
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < count; i++)
        hash = hash_bytes(hash, &raw[i].value, sizeof raw[i].value);
    if (smbios_system(&smbios))
        hash = hash_bytes(hash, smbios.uuid, sizeof smbios.uuid);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/* Firmware's tables first: AArch64's registers need not tell the real sizes, and x86-64's tables hold none. */
static void find_declared(void)
{
    static struct identity_cache caches[2 * IDENTITY_CACHES];
    static struct identity_tlb tlbs[IDENTITY_TLBS];

    info.caches = caches;
    info.cache_count = acpi_caches(caches, IDENTITY_CACHES);
    info.cache_count += identify_caches(caches + info.cache_count, IDENTITY_CACHES, true);
    info.tlbs = tlbs;
    info.tlb_count = identify_tlbs(tlbs, IDENTITY_TLBS);
}

/* What the core that runs this says of itself. */
static void identify_core(void *unused)
{
    struct identity id;

    (void)unused;
    identify(&id);
    find_declared();
    info.emulator = id.emulator;
    info.scalable_bits = identify_scalable_bits();
    snprintf(info.core_name, sizeof info.core_name, "%s", id.core_name);
    snprintf(info.core_model, sizeof info.core_model, "%s", id.model);
    snprintf(info.hypervisor, sizeof info.hypervisor, "%s", id.hypervisor);
}

void uefi_machine_identify(void)
{
    info = (struct machine_info){.platform = "uefi", .isa = emit_isa, .contiguous = true};
    identify_core(NULL);
    info.tick_hz = time_tick_hz(&info.tick_source);
    info.vector_bits = identify_vector_bits();
    fingerprint(info.fingerprint);
}

/* `windows = off` needs a firmware that takes interrupts; where it cannot be had the run has windows. */
static void try_without_windows(void)
{
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result;
    const char *why = own_noisy_window(&once, 1, info.counters, SILENCE_NONE, &result);

    if (why) {
        warn("windows", "windows = off cannot be had on core %u: %s", info.core, why);
        windows = true;
    }
}

/* The core in use has been taken: what can be done on it. */
static void examine_core(unsigned index)
{
    size_t count;
    const struct machine_core *core = &machine_cores(&count)[index];

    info.core = index;
    memcpy(info.core_type, core->type, sizeof info.core_type);
    windows = windows_wanted;
    own_page_sizes(info.page_bytes);
    info.counters = own_counters(&info.no_counters);
    info.cycle_source = info.counters != READER_TIME_ONLY ? reader_cycle_counter : NULL;
    info.no_deadline = own_no_deadline();
    if (own_core_unlike())
        warn("cores", "core %u %s", index, own_core_unlike());
    if (!windows)
        try_without_windows();
    if (!windows)
        info.no_deadline = "windows are off: nothing ends a kernel";
}

void uefi_machine_start(const struct config *c)
{
    size_t profile_mib = c->profile == PROFILE_SMOKE ? 64 : 512;

    windows_wanted = c->windows;
    deadline_ms = c->deadline_ms;
    tick_start();
    memory_start(c->memory_mib ? c->memory_mib : profile_mib);
    memory_buffer(&info.memory_bytes);

    services = (struct own_services){.pages = memory_pages, .free_pages = memory_free, .tick_hz = info.tick_hz};
#ifdef __aarch64__
    services.interrupt_source = tick_interrupt_source;
#endif
    services.ram = ram = memory_ram(&services.ram_count);
    not_ours = ram ? own_start(&services) : "the firmware does not give its memory map";
    if (!not_ours) {
        owned = true;
        not_ours = own_core_start(NULL);
    }
    if (not_ours) {
        warn("core", "the core cannot be owned: %s", not_ours);
        info.no_counters = info.no_deadline = not_ours;
        return;
    }
    examine_core(0);
}

/* Of another core than the one in use, which has been given back: takes it. NULL, or why not. */
static const char *take_core(unsigned index)
{
    own_runner *runner;
    const char *why = cores_reach(index, &runner);

    if (why)
        return why;
    why = own_core_start(runner);
    if (!why && own_call(identify_core, NULL).end != WINDOW_RAN)
        why = "it does not say what it is";
    if (why) {
        own_core_finish();
        cores_leave(index);
        return why;
    }
    examine_core(index);
    return NULL;
}

const char *machine_use_core(unsigned index)
{
    const unsigned before = info.core;

    if (not_ours)
        return not_ours;
    machine_count(NULL, 0); /* it has the firmware's counters back */
    own_core_finish();
    cores_leave(before);
    const char *why = take_core(index);
    if (why)
        not_ours = take_core(before);
    return why;
}

void uefi_machine_finish(void)
{
    if (owned) {
        machine_count(NULL, 0);
        own_core_finish();
        cores_leave(info.core);
    }
    /* A core that runs on may still fetch from tables and kernels: then they stay allocated. */
    if (owned && !cores_left_running())
        own_finish();
    if (!cores_left_running())
        memory_finish();
    owned = false;
    not_ours = "the core has been given back";
    free(ram);
    ram = NULL;
}

/* ---- What this place is ------------------------------------------------------------------------ */

void machine_describe(struct record *r)
{
    static struct identity_value raw[IDENTITY_VALUES];
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    struct smbios_system smbios;

    firmware_describe(r);
    if (smbios_system(&smbios)) { /* never the UUID: results are shown to others */
        record_text(r, "manufacturer", smbios.manufacturer);
        record_text(r, "product", smbios.product);
        record_text(r, "firmware_version", smbios.firmware_version);
        record_text(r, "firmware_date", smbios.firmware_date);
    }
    const char *why;
    const struct control *control = machine_control(&why);
    uint32_t microcode;
    if (control && control_microcode(control->changes.access, &microcode))
        record_hex(r, "microcode", microcode);
    memory_describe(r);
    record_object(r, "identity");
    for (size_t i = 0; i < count; i++)
        record_hex(r, raw[i].name, raw[i].value);
    record_close(r);
}

void machine_describe_environment(struct record *r)
{
    struct own_value values[OWN_VALUES];
    size_t count = not_ours ? 0 : own_values(values, OWN_VALUES);

    record_boolean(r, "windows", windows && !not_ours);
    if (not_ours)
        record_text(r, "no_windows", not_ours);
    record_text(r, "tick", !windows ? "left running" : tick_no_control() ? tick_no_control() : "stopped in windows");
    record_integer(r, "deadline_ms", info.no_deadline ? 0 : deadline_ms);
    record_text(r, "other_cores", cores_parked());
    record_object(r, "control");
    for (size_t i = 0; i < count; i++)
        record_hex(r, values[i].name, values[i].value);
    record_close(r);
}

/* ---- Memory ------------------------------------------------------------------------------------ */

/*
 * What is mapped now, in the order in which it was asked for; areas lie in the buffer one after another, a guard before
 * the first one and one behind each. Windows see them between unmapped pages (arch/own.h), all else sees this:
 *
 *     guard | area … | guard | to the end of its page | what the next page's alignment takes | area … | guard
 *
 * The guard before an area is the last of what lies there.
 */
static struct mapping {
    struct area area;
    enum area_use use;
    size_t mapped;        /* bytes in whole pages */
    size_t block;         /* bytes of their frames */
    const size_t *frames; /* the order of these; NULL: their own */
    uint8_t *guard;       /* behind it */
    size_t end;           /* offset in the buffer behind it */
} mappings[AREAS];
static size_t mapping_count;
static struct fault outside; /* the first one of which nobody has been told; its vector is NULL: none */

static bool page_size_exists(size_t page_bytes)
{
    for (size_t i = 0; i < PAGE_SIZES && info.page_bytes[i]; i++)
        if (info.page_bytes[i] == page_bytes)
            return true;
    return false;
}

/* `frames` and how many pages they are, or NULL. */
static const char *map_pages(struct area *a, size_t bytes, size_t page_bytes, const size_t *frames, size_t pages,
                             enum area_use use)
{
    size_t room;
    uint8_t *buffer = memory_buffer(&room);

    /* Frames are aligned as the page is; address and frame are the same outside windows. */
    uintptr_t free_from = (uintptr_t)buffer + (mapping_count ? mappings[mapping_count - 1].end : 0);
    const size_t unit = use == AREA_CONTIGUOUS ? own_group_bytes(page_bytes) : page_bytes;
    if (!unit)
        return "this instruction set has no contiguous hint";
    uintptr_t base = (free_from + unit - 1) & ~(uintptr_t)(unit - 1);
    size_t at = base - (uintptr_t)buffer;
    if (at > room || bytes > room - at || GUARD_BYTES > room - at - bytes)
        return "there is not enough contiguous memory";
    size_t mapped = (bytes + unit - 1) & ~(unit - 1);
    if (mapped > room - at)
        return "there is no whole page of that size in the contiguous memory";
    size_t guarded = (bytes + 2 * GUARD_BYTES - 1) & ~(size_t)(GUARD_BYTES - 1); /* in whole frames */

    struct mapping m = {
        .area = {.write = (uint8_t *)base, .bytes = frames ? pages * page_bytes : bytes, .page_bytes = page_bytes},
        .use = use,
        .mapped = frames ? pages * page_bytes : mapped,
        .block = mapped,
        .frames = frames,
        .guard = (uint8_t *)base + bytes,
        .end = at + (mapped > guarded ? mapped : guarded),
    };
    const char *why = own_map(base, frames, m.mapped, page_bytes, m.use, &m.area.at);
    if (why)
        return why;
    memset(m.area.write, 0, bytes);
    guard_set(m.area.write - GUARD_BYTES, GUARD_BYTES);
    guard_set(m.guard, GUARD_BYTES);
    mappings[mapping_count++] = m;
    *a = m.area;
    return NULL;
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    if (not_ours)
        return not_ours;
    if (mapping_count == AREAS)
        return "too many areas are mapped";
    if (page_bytes)
        return page_size_exists(page_bytes) ? map_pages(a, bytes, page_bytes, NULL, 0, use)
                                            : "this core has no pages of that size";

    /* The smallest that goes with what is mapped: an AArch64 window has one granule. */
    const char *why = map_pages(a, bytes, info.page_bytes[0], NULL, 0, use);
    for (size_t i = 1; why && i < PAGE_SIZES && info.page_bytes[i]; i++)
        if (!map_pages(a, bytes, info.page_bytes[i], NULL, 0, use))
            why = NULL;
    return why;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    size_t count = 0;

    if (not_ours)
        return not_ours;
    if (mapping_count == AREAS)
        return "too many areas are mapped";
    if (!page_size_exists(page_bytes))
        return "this core has no pages of that size";
    for (size_t i = 0; i < pages; i++)
        if (frames[i] != NO_FRAME && frames[i] >= count)
            count = frames[i] + 1;
    return map_pages(a, count * page_bytes, page_bytes, frames, pages, use);
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    if (not_ours)
        return not_ours;
    return own_accessed(a->at, (a->bytes + a->page_bytes - 1) / a->page_bytes, a->page_bytes, accessed);
}

size_t machine_map_mark(void)
{
    return mapping_count;
}

/* A write there is seen afterwards, whoever made it. */
static void look_outside(const struct mapping *m)
{
    const uint8_t *broken = guard_broken(m->area.write - GUARD_BYTES, GUARD_BYTES);

    if (!broken)
        broken = guard_broken(m->guard, GUARD_BYTES);
    if (broken && !outside.vector)
        outside = (struct fault){.vector = "outside-area", .address = (uintptr_t)broken};
}

bool machine_touched_outside(struct fault *fault)
{
    if (!outside.vector)
        return false;
    *fault = outside;
    outside = (struct fault){.vector = NULL};
    return true;
}

/*
 * own_unmap_all knows only all or nothing, so what lies before the mark is mapped again. Addresses
 * are given out in order, hence each area comes back to where it was.
 */
void machine_map_release(size_t mark)
{
    for (size_t i = mark; i < mapping_count; i++)
        look_outside(&mappings[i]);
    if (mark >= mapping_count || not_ours)
        return;
    own_unmap_all();
    mapping_count = mark;
    for (size_t i = 0; i < mark; i++) {
        struct mapping *m = &mappings[i];
        uintptr_t at;
        const char *why = own_map((uintptr_t)m->area.write, m->frames, m->mapped, m->area.page_bytes, m->use, &at);
        if (why || at != m->area.at) {
            not_ours = why ? why : "an area did not come back to its address";
            return;
        }
    }
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    for (size_t i = 0; i < mapping_count; i++)
        if (mappings[i].frames && mappings[i].area.at == a->at) { /* in whatever order: the whole block */
            own_code_written(a->write, mappings[i].block);
            return;
        }
    own_code_written(a->write + offset, bytes);
}

/* ---- Windows ----------------------------------------------------------------------------------- */

static struct window_result no_result(const char *why)
{
    return (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = why}};
}

struct window_result machine_window(struct reading *list, size_t count)
{
    if (not_ours || cores_gone())
        return no_result(not_ours ? not_ours : cores_gone());
    enum reader_counters counters = uefi_counting(list, count) ? READER_EVENTS : info.counters;
    if (!windows) {
        struct window_result result = {0};
        const char *why = own_noisy_window(list, count, counters, SILENCE_NONE, &result);
        return why ? no_result(why) : result;
    }
    tick_stop();
    struct window_result result = own_window(list, count, counters, deadline_ms);
    tick_resume();
    return result;
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    *result = (struct window_result){0};
    if (not_ours)
        return not_ours;
    if (silence != SILENCE_NONE && !windows)
        return "windows are switched off (windows = off)";
    if (silence != SILENCE_STOPPED)
        return own_noisy_window(list, count, info.counters, silence, result);
    *result = machine_window(list, count);
    return NULL;
}
