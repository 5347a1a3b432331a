/*
 * The core in use and what is known of the machine. What else lib/machine.h wants is in areas.c (memory), window.c,
 * counting.c, registers.c, cores.c, responder.c, console.c, clock.c and bringup.c.
 */
#define _GNU_SOURCE
#include "boot/linux/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/emit.h"
#include "arch/identify.h"
#include "boot/linux/areas.h"
#include "boot/linux/caches.h"
#include "boot/linux/cores.h"
#include "boot/linux/counting.h"
#include "boot/linux/files.h"
#include "boot/linux/simulated.h"
#include "boot/linux/system.h"
#include "boot/linux/window.h"
#include "lib/base/hash.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/plan/config.h"

enum {
    IDENTITY_VALUES = 512,
    SIMULATED_MIB = 64,
    /* The kernel emulates reads of the ID space (Linux, arch/arm64/include/uapi/asm/hwcap.h). */
    AARCH64_HWCAP_CPUID = 1 << 11
};

static struct machine_info info;
static unsigned deadline_ms, memory_mib;
static const char *no_cycles;                      /* why the reader has no cycle counter; NULL where it has one */
static struct identity_value raw[IDENTITY_VALUES]; /* identification registers of the core in use */
static size_t raw_count;
static const struct large_page *large_pages;
static size_t large_page_count;

const struct machine_info *machine_info(void)
{
    return &info;
}

/* What the core itself declares comes first: it is the better source. */
static void find_declared(int core)
{
    static struct identity_cache caches[2 * IDENTITY_CACHES];
    static struct identity_tlb tlbs[IDENTITY_TLBS];

    info.caches = caches;
    info.cache_count = identify_caches(caches, IDENTITY_CACHES, false);
    info.cache_count += sysfs_caches(core, caches + info.cache_count, IDENTITY_CACHES);
    info.tlbs = tlbs;
    info.tlb_count = identify_tlbs(tlbs, IDENTITY_TLBS);
}

/* The identification registers of the core in use, as one number. */
static void fingerprint(char out[17])
{
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < raw_count; i++)
        hash = hash_bytes(hash, &raw[i].value, sizeof raw[i].value);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/*
 * How much memory may be used: what the configuration says; all that is free with `memory = all`; by default half of
 * the machine's memory, so that other processes keep enough.
 */
static size_t memory_to_use(void)
{
    if (simulated()) /* nothing is asked how much there is */
        return (size_t)(memory_mib && memory_mib != MEMORY_ALL ? memory_mib : SIMULATED_MIB) << 20;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * page, wanted = (size_t)memory_mib << 20;

    if (memory_mib == MEMORY_ALL)
        return (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    return memory_mib == 0 ? all / 2 : wanted < all ? wanted : all;
}

/* Pins the process to a core, and finds out what that core is. NULL, or why it cannot be used. */
static const char *describe_core(unsigned core)
{
    struct identity identity;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (!simulated() && sched_setaffinity(0, sizeof set, &set) != 0)
        return "it does not exist, is offline, or may not be used by this process";

    struct machine_info reader = {.counters = READER_TIME_ONLY};
    const char *why = windows_start(deadline_ms, &reader, &no_cycles);
    if (why)
        return why;
    windows_describing(true);
    identify(&identity);
    info = (struct machine_info){
        .platform = "linux",
        .isa = emit_isa,
        .hypervisor = "",
        .emulator = identity.emulator && !simulated(), /* that its times are cycles is for the clock probe to say */
        .tick_hz = identity.tick_hz,
        .tick_source = identity.tick_source,
        .counters = reader.counters,
        .cycle_source = reader.cycle_source,
        .no_deadline = reader.no_deadline,
        .core = core,
        .page_bytes = {(size_t)sysconf(_SC_PAGESIZE)},
        .memory_bytes = memory_to_use(),
    };
    snprintf(info.core_type, sizeof info.core_type, "%s", cores_type(core));
    areas_limit(info.memory_bytes);
    large_pages = areas_find_large_pages(&large_page_count);
    for (size_t i = 0; i < large_page_count; i++)
        info.page_bytes[1 + i] = large_pages[i].bytes;
    find_declared((int)core);
    memcpy(info.core_name, identity.core_name, sizeof info.core_name);
    memcpy(info.core_model, identity.model, sizeof info.core_model);
    if (!simulated()) /* who executes a simulated core takes nothing from it */
        memcpy(info.hypervisor, identity.hypervisor, sizeof info.hypervisor);
    if (!(info.tick_hz > 0) || identity.tick_rounded || info.counters == READER_CYCLES_AS_TIME)
        info.tick_hz = windows_tick_hz(&info.tick_source);
    info.no_counters = counting_start(core, info.core_name);
    info.vector_bits = identify_vector_bits();
    info.scalable_bits = identify_scalable_bits();
    info.zero_bytes = identify_zero_bytes();
    windows_describing(false);
    raw_count = system_identity(core, raw, IDENTITY_VALUES);
    fingerprint(info.fingerprint);
    return NULL;
}

const char *machine_start(const struct config *c)
{
    deadline_ms = c->deadline_ms;
    memory_mib = c->memory_mib;
    if (c->profile == PROFILE_SIMULATED) {
        simulated_begin();
        identify_may_trap(getauxval(AT_HWCAP) & AARCH64_HWCAP_CPUID);
    }
    cores_start();
    return describe_core(simulated() ? 0 : (unsigned)sched_getcpu());
}

/* When the core cannot be used, the process goes back to the one that it used before. */
const char *machine_use_core(unsigned index)
{
    const unsigned before = info.core;
    const char *why = describe_core(index);

    if (why)
        describe_core(before);
    return why;
}

/* The core is the kernel's. */
void machine_own(void)
{
}

/* What SMBIOS says of the machine. */
static void describe_firmware(struct record *r)
{
    static const char *const files[][2] = {{"manufacturer", "/sys/class/dmi/id/sys_vendor"},
                                           {"product", "/sys/class/dmi/id/product_name"},
                                           {"firmware_version", "/sys/class/dmi/id/bios_version"},
                                           {"firmware_date", "/sys/class/dmi/id/bios_date"}};
    char line[256];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (file_line(files[i][1], line, sizeof line))
            record_text(r, files[i][0], line);
}

void machine_describe(struct record *r)
{
    struct utsname name;

    if (uname(&name) == 0) {
        record_text(r, "system", name.sysname);
        record_text(r, "release", name.release);
        record_text(r, "host_isa", name.machine);
    }
    record_integer(r, "cores", simulated() ? 1 : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    describe_firmware(r);
    record_object(r, "identity");
    for (size_t i = 0; i < raw_count; i++)
        record_hex(r, raw[i].name, raw[i].value);
    record_close(r);
}

void machine_describe_environment(struct record *r)
{
    uint32_t microcode;

    if (system_microcode(info.core, &microcode))
        record_hex(r, "microcode", microcode);
    if (no_cycles)
        record_text(r, "no_cycle_counter", no_cycles);
    record_text(r, "interrupts", "the operating system's");
    record_text(r, "deadline", simulated() ? "none" : "ITIMER_REAL");
    record_array(r, "large_pages");
    for (size_t i = 0; i < large_page_count; i++) {
        record_object(r, NULL);
        record_integer(r, "bytes", large_pages[i].bytes);
        record_text(r, "source", large_pages[i].source);
        record_close(r);
    }
    record_close(r);
    record_text(r, "frames",
                info.hypervisor[0] ? "the hypervisor's to choose: large pages may lie on small frames"
                                   : "the kernel's to choose: they follow each other within a page");
}
