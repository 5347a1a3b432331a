/*
 * The core in use: taken and given back; and what records say of the machine. What else lib/machine.h wants is in
 * platform.c, areas.c, windows.c, control.c, cores.c, responder.c, text.c, time.c and tick.c.
 */
#include "boot/uefi/machine.h"

#include <stdlib.h>
#include <string.h>

#include "arch/control.h"
#include "arch/identify.h"
#include "arch/own.h"
#include "boot/uefi/areas.h"
#include "boot/uefi/control.h"
#include "boot/uefi/cores.h"
#include "boot/uefi/exceptions.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/interrupts.h"
#include "boot/uefi/memory.h"
#include "boot/uefi/node.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/responder.h"
#include "boot/uefi/smbios.h"
#include "boot/uefi/support.h"
#include "boot/uefi/tick.h"
#include "boot/uefi/warnings.h"
#include "boot/uefi/watchdog.h"
#include "boot/uefi/windows.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/plan/config.h"
#include "lib/run/stage.h"

enum { IDENTITY_VALUES = 512, OWN_VALUES = 64 };

static const struct config *config;
static struct own_services services;
static struct own_range *ram;
static const char *left_to_firmware; /* why exceptions outside of measured code are; NULL where they are not */
static bool owned;                   /* own_finish is due */
static const char *reader_why_not;   /* of own_counters, for the core in use */

/* ---- The core in use ----------------------------------------------------------------------------- */

static const struct machine_core *core_in_use(void)
{
    size_t count;

    return &machine_cores(&count)[machine_info()->core];
}

/* The buffer stays that of the core that booted: on another node its times are those of remote memory. */
static void compare_nodes(unsigned index)
{
    uint32_t memory, node;

    if (memory_node(&memory) && node_of_core(core_in_use()->id, &node) && memory != node)
        warn("memory", "core %u is of node %u and measures with memory of node %u", index, node, memory);
}

/* The core in use has been taken: what can be done on it. */
static void examine_core(unsigned index)
{
    struct machine_info *info = platform_info();

    memcpy(info->core_type, core_in_use()->type, sizeof info->core_type);
    compare_nodes(index);
    own_page_sizes(info->page_bytes);
    info->counters = own_counters(&reader_why_not);
    info->no_counters = control_no_counters();
    info->cycle_source = info->counters != READER_TIME_ONLY ? reader_cycle_counter : NULL;
    info->privileged = true;
    info->no_deadline = own_no_deadline();
    if (own_core_unlike())
        warn("cores", "core %u %s", index, own_core_unlike());
    windows_core_taken();
    if (!windows_are_on())
        info->no_deadline = "windows are off (windows = off), so no deadline can end a kernel";
}

void machine_start(const struct config *c)
{
    config = c;
    cores_start(c);
    windows_start(c);
}

/* Memory to measure in, and the memory map. NULL, or why there is none. */
static const char *take_memory(void)
{
    const size_t profile_mib = config->profile == PROFILE_SMOKE ? 64 : 512;
    const char *why = stage_begin("memory", "takes memory to measure in, and reads the memory map");

    if (why)
        return why;
    memory_start(config->memory_mib ? config->memory_mib : profile_mib, core_in_use()->id);
    memory_buffer(&platform_info()->memory_bytes);
    services.ram = ram = memory_ram(&services.ram_count);
    return ram ? NULL : "the firmware does not give its memory map";
}

/* NULL, or why the core that booted cannot be used. */
static const char *take_booted_core(void)
{
    const char *why = stage_begin("exceptions", "takes exceptions before the firmware gets them");

    if (!why)
        why = exceptions_start();
    left_to_firmware = why;
    watchdog_start(config);
    why = take_memory();
    if (why)
        return why;
    why = stage_begin("tick", "stops the firmware's timer and starts it again");
    if (why)
        warn("tick", "the firmware's timer stays on: %s", why);
    else
        tick_start();
    why = own_start(&services);
    if (why)
        return why;
    owned = true;
    return own_core_start(NULL);
}

static void own_booted_core(void)
{
    services = (struct own_services){
        .pages = memory_pages, .free_pages = memory_free, .tick_hz = machine_info()->tick_hz, .stage = stage_begin};
#ifdef __aarch64__
    services.interrupt_source = tick_interrupt_source;
#endif
    services.interrupts = interrupts_find();
    const char *why = config->own ? take_booted_core() : "own = off in the configuration";
    platform_set_not_ours(why);
    if (why) {
        warn("core", "the core cannot be owned: %s", why);
        platform_info()->no_counters = platform_info()->no_deadline = why;
        return;
    }
    examine_core(0);
}

void machine_own(void)
{
    support_tables();
    own_booted_core();
    support_registers();
}

/* Takes a core into use after the one before has been given back. NULL, or why not. */
static const char *take_core(unsigned index)
{
    own_runner *runner = NULL;

    platform_info()->core = index;
    const char *why = index == 0 ? NULL : stage_begin("core", "starts another core");
    if (!why)
        why = cores_reach(index, &runner);
    if (why)
        return why;
    why = own_core_start(runner);
    if (!why && own_call(platform_identify_core, NULL).end != WINDOW_RAN)
        why = "reading its identification registers faults";
    if (why) {
        own_core_finish();
        cores_leave(index);
        return why;
    }
    areas_map_again();
    examine_core(index);
    return NULL;
}

const char *machine_use_core(unsigned index)
{
    const unsigned before = machine_info()->core;

    if (platform_not_ours())
        return platform_not_ours();
    responders_rest();
    machine_count(NULL, 0); /* restores the firmware's counters on the core used so far */
    own_core_finish();
    cores_leave(before);
    const char *why = take_core(index);
    if (why)
        platform_set_not_ours(take_core(before));
    return why;
}

void machine_finish(void)
{
    if (owned) {
        responders_rest();
        machine_count(NULL, 0);
        own_core_finish();
        cores_leave(machine_info()->core);
    }
    /* A core that still runs may use our page tables and kernels: then they stay allocated. */
    if (owned && !cores_left_running())
        own_finish();
    if (!cores_left_running())
        memory_finish();
    exceptions_finish();
    watchdog_stop(); /* the last: what comes before may hang too */
    owned = false;
    platform_set_not_ours("the core has been given back");
    free(ram);
    ram = NULL;
}

/* ---- What records say of it ----------------------------------------------------------------------- */

void machine_describe(struct record *r)
{
    static struct identity_value raw[IDENTITY_VALUES];
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    struct smbios_system smbios;

    firmware_describe(r);
    if (smbios_system(&smbios)) { /* without the UUID, which identifies the owner's machine: results are published */
        record_text(r, "manufacturer", smbios.manufacturer);
        record_text(r, "product", smbios.product);
        record_text(r, "firmware_version", smbios.firmware_version);
        record_text(r, "firmware_date", smbios.firmware_date);
    }
    support_describe(r);
    record_object(r, "identity");
    for (size_t i = 0; i < count; i++)
        record_hex(r, raw[i].name, raw[i].value);
    record_close(r);
}

void machine_describe_environment(struct record *r)
{
    struct own_value values[OWN_VALUES];
    const char *not_ours = platform_not_ours();
    size_t count = not_ours ? 0 : own_values(values, OWN_VALUES);

    if (control_revision())
        record_hex(r, "microcode", control_revision());
    memory_describe(r, core_in_use()->id);
    record_boolean(r, "windows", windows_are_on() && !not_ours);
    if (not_ours)
        record_text(r, "no_windows", not_ours);
    if (reader_why_not && !not_ours)
        record_text(r, machine_info()->counters == READER_TIME_ONLY ? "no_cycle_counter" : "no_instruction_counter",
                    reader_why_not);
    record_text(r, "exceptions", left_to_firmware ? left_to_firmware : "described before the firmware gets them");
    record_text(r, "tick",
                !windows_are_on()   ? "left running"
                : tick_no_control() ? tick_no_control()
                                    : "stopped in windows");
    record_integer(r, "deadline_ms", machine_info()->no_deadline ? 0 : windows_deadline_ms());
    record_text(r, "other_cores", cores_parked());
    watchdog_describe(r);
    record_object(r, "control");
    for (size_t i = 0; i < count; i++)
        record_hex(r, values[i].name, values[i].value);
    record_close(r);
}
