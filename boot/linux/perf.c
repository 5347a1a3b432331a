#define _GNU_SOURCE
#include "boot/linux/perf.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/linux/files.h"
#include "boot/linux/simulated.h"
#include "lib/counters/events.h"

#define DEVICES "/sys/bus/event_source/devices"

/* ---- What the kernel offers -------------------------------------------------------------------- */

/* Whether a PMU belongs to the core. The kernel lists a PMU's cores only where cores differ. */
static bool serves(const char *name, int core)
{
    char path[512], cores[256];

    snprintf(path, sizeof path, DEVICES "/%s/cpus", name);
    return core < 0 || !file_line(path, cores, sizeof cores) || file_list_has(cores, (unsigned long)core);
}

static enum counters_kind kind_of(const char *name)
{
#if defined(__x86_64__)
    char line[128];
    bool amd = false;

    if (strcmp(name, "cpu") != 0 && strcmp(name, "cpu_core") != 0 && strcmp(name, "cpu_atom") != 0)
        return COUNTERS_NONE;
    FILE *f = files_open("/proc/cpuinfo");
    while (f && fgets(line, sizeof line, f) && strncmp(line, "model name", 10) != 0)
        if (!strncmp(line, "vendor_id", 9))
            amd = strstr(line, "AuthenticAMD") || strstr(line, "HygonGenuine");
    if (f)
        fclose(f);
    return amd ? COUNTERS_AMD : COUNTERS_INTEL;
#else
    if (!strncmp(name, "apple_", 6))
        return COUNTERS_APPLE;
    /* "armv8_pmuv3_0", "armv8_cortex_a76", "armv9_…", all of one driver */
    return !strncmp(name, "armv8_", 6) || !strncmp(name, "armv9_", 6) ? COUNTERS_PMUV3 : COUNTERS_NONE;
#endif
}

static bool find_device(int core, struct perf_pmu *out)
{
    DIR *devices = opendir(DEVICES);
    bool found = false;

    for (struct dirent *d; devices && !found && (d = readdir(devices));) {
        char path[512], type[16];
        enum counters_kind kind = kind_of(d->d_name);
        snprintf(path, sizeof path, DEVICES "/%s/type", d->d_name);
        if (kind == COUNTERS_NONE || !serves(d->d_name, core) || !file_line(path, type, sizeof type))
            continue;
        out->kind = kind;
        out->type = (uint32_t)strtoul(type, NULL, 10);
        snprintf(out->name, sizeof out->name, "%s", d->d_name);
        found = true;
    }
    if (devices)
        closedir(devices);
    return found;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

/*
 * The event to ask the kernel for. A fixed counter's event is given as the general one with the same meaning, which
 * the kernel places on the fixed counter by itself (Intel SDM vol. 3B, table 20-2).
 */
static uint64_t event_code(const struct perf_pmu *pmu, const struct counter_setting *s)
{
    static const uint64_t intel[] = {0x00c0, 0x003c, 0x0300, 0x0400}; /* the last two: perf's own numbers */
    static const uint64_t pmuv3[] = {0x11, 0x08};

    if (pmu->kind == COUNTERS_INTEL && s->slot >= COUNTER_FIXED && s->slot < COUNTER_FIXED + 4)
        return intel[s->slot - COUNTER_FIXED];
    if (pmu->kind == COUNTERS_PMUV3 && s->slot >= COUNTER_FIXED && s->slot < COUNTER_FIXED + 2)
        return pmuv3[s->slot - COUNTER_FIXED];
    return s->code;
}

/* A counter of PMUv3 can be read by instructions only when this was requested (Documentation/arch/arm64/perf.rst). */
enum { PMUV3_USER_ACCESS = 1 << 1 };

int perf_open(const struct perf_pmu *pmu, const struct counter_setting *setting, int leader, bool inherited)
{
    bool user_access = pmu->kind == COUNTERS_PMUV3 && !inherited;
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = pmu->type,
        .config = event_code(pmu, setting),
        .config1 = setting->extra ? setting->extra_value
                   : user_access  ? PMUV3_USER_ACCESS
                                  : 0,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .disabled = leader < 0,
        .inherit = inherited,
        .enable_on_exec = inherited && leader < 0,
        .pinned = leader < 0, /* counts all the time or not at all, so that no count has to be scaled */
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &a, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

void perf_explain(int error, char *why, size_t room)
{
    char level[16] = "?";

    file_line("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
    if (error == EACCES || error == EPERM)
        snprintf(why, room,
                 "the kernel does not let this user count (kernel.perf_event_paranoid is %s, at most 2 is needed: "
                 "sysctl kernel.perf_event_paranoid=2, or run as root)",
                 level);
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        snprintf(why, room, "this kernel or core does not offer it (perf_event_open: %s)", strerror(error));
    else if (error == EINVAL)
        snprintf(why, room, "the kernel does not accept it: there is no such event, or there are too few counters");
    else
        snprintf(why, room, "perf_event_open: %s", strerror(error));
}

/*
 * Any event's page has the factor, an event's that counts nothing too: nanoseconds are ticks * time_mult >> time_shift
 * (linux/perf_event.h, struct perf_event_mmap_page).
 */
double perf_clock_hz(void)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .disabled = 1,
    };
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    double hz = 0;

    if (fd < 0)
        return 0;
    struct perf_event_mmap_page *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult)
            hz = ldexp(1e9, page->time_shift) / page->time_mult;
        munmap(page, bytes);
    }
    close(fd);
    return hz;
}

static bool count_something(int fd, uint64_t *counted)
{
    volatile uint64_t sum = 0;
    uint64_t values[3] = {0}; /* count, time enabled, time running */

    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    for (unsigned i = 0; i < 100000; i++)
        sum += i;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    bool read_it = read(fd, values, sizeof values) == (ssize_t)sizeof values;
    *counted = values[0];
    return read_it && values[2] > 0;
}

/* The event "instructions", which every PMU has. */
static const struct counter_setting instructions[] = {
    [COUNTERS_INTEL] = {.code = 0xc0},
    [COUNTERS_AMD] = {.code = 0xc0},
    [COUNTERS_PMUV3] = {.code = 0x08},
    [COUNTERS_APPLE] = {.code = 0x8c},
};

void perf_find(int core, struct perf_pmu *out)
{
    uint64_t counted = 0; /* of a loop of 100,000 iterations, each of which takes more than two instructions */

    *out = (struct perf_pmu){.kind = COUNTERS_NONE};
    if (simulated()) {
        snprintf(out->why, sizeof out->why, "the profile simulated asks for no performance counters");
        return;
    }
    if (!find_device(core, out)) {
        snprintf(out->why, sizeof out->why,
                 "Linux shows no performance counters of this core (none below " DEVICES ")");
        return;
    }
    int fd = perf_open(out, &instructions[out->kind], -1, false);
    if (fd < 0) {
        perf_explain(errno, out->why, sizeof out->why);
        return;
    }
    if (!count_something(fd, &counted))
        snprintf(out->why, sizeof out->why, "the kernel gives this process no counter: all of them are in use");
    else if (counted < 200000)
        snprintf(out->why, sizeof out->why,
                 "instructions counted %llu where at least 200000 ran: the counters do not count",
                 (unsigned long long)counted);
    close(fd);
}

/* ---- In windows ------------------------------------------------------------------------------------ */

static struct {
    int fd[READER_COUNTS];
    struct perf_event_mmap_page *page[READER_COUNTS];
    uint32_t lock[READER_COUNTS]; /* of each page, before the window */
    size_t count;
} windows;

static void stop(void)
{
    for (size_t i = 0; i < windows.count; i++) {
        if (windows.page[i])
            munmap(windows.page[i], (size_t)sysconf(_SC_PAGESIZE));
        close(windows.fd[i]);
    }
    windows.count = 0;
}

/* Why a counter that is open cannot be read by instructions; NULL when it can. */
static const char *no_reading(const struct perf_event_mmap_page *page)
{
    if (!page || !page->cap_user_rdpmc)
        return "the kernel does not let processes read counters: write 1 to " DEVICES
               "/cpu/rdpmc (x86-64) or to /proc/sys/kernel/perf_user_access (AArch64)";
    return page->index ? NULL : "the kernel has no counter free for it";
}

const char *perf_windows_count(const struct perf_pmu *pmu, const struct counter_setting *list, size_t count)
{
    static char why[200];

    stop();
    if (count > READER_COUNTS)
        return "there are more counters than the reader can sample";
    if (pmu->why[0] && count)
        return pmu->why;
    why[0] = 0;
    for (size_t i = 0; i < count && !why[0]; i++) {
        int fd = perf_open(pmu, &list[i], i ? windows.fd[0] : -1, false);
        if (fd < 0) {
            perf_explain(errno, why, sizeof why);
            break;
        }
        windows.fd[i] = fd;
        windows.page[i] = NULL;
        windows.count = i + 1;
        void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
        if (page == MAP_FAILED)
            snprintf(why, sizeof why, "mmap of a counter's page: %s", strerror(errno));
        else
            windows.page[i] = page;
    }
    if (!why[0] && count)
        ioctl(windows.fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    for (size_t i = 0; i < count && !why[0]; i++)
        if (no_reading(windows.page[i]))
            snprintf(why, sizeof why, "%s", no_reading(windows.page[i]));
    if (why[0])
        stop();
    return why[0] ? why : NULL;
}

bool perf_windows_index(struct reader_counts *out)
{
    out->count = (uint32_t)windows.count;
    for (size_t i = 0; i < windows.count; i++) {
        volatile const struct perf_event_mmap_page *page = windows.page[i];
        windows.lock[i] = page->lock;
        out->index[i] = page->index - 1;
        if (page->index == 0)
            return false;
#if defined(__aarch64__)
        if (out->index[i] > READER_CYCLES)
            return false;
#endif
    }
    return windows.count > 0;
}

bool perf_windows_kept(void)
{
    for (size_t i = 0; i < windows.count; i++) {
        volatile const struct perf_event_mmap_page *page = windows.page[i];
        if (page->lock != windows.lock[i])
            return false;
    }
    return true;
}

/* ---- What there is to count with --------------------------------------------------------------------- */

/* How many general counters the kernel lets one group have: some may be in use, by a watchdog for instance. */
static unsigned general_counters(const struct perf_pmu *pmu)
{
    /* Branches, which no fixed counter counts; Apple's cycles, which any general counter takes. */
    static const struct counter_setting some[] = {
        [COUNTERS_INTEL] = {.code = 0xc4},
        [COUNTERS_AMD] = {.code = 0xc2},
        [COUNTERS_PMUV3] = {.code = 0x12},
        [COUNTERS_APPLE] = {.code = 0x02},
    };
    int fd[COUNTER_FIXED];
    unsigned count = 0;

    while (count < COUNTER_FIXED && (fd[count] = perf_open(pmu, &some[pmu->kind], count ? fd[0] : -1, false)) >= 0)
        count++;
    for (unsigned i = 0; i < count; i++)
        close(fd[i]);
    return count;
}

/* The width in bits of the counter that counts this event; 0, not known, where this process may not read counters. */
static unsigned width(const struct perf_pmu *pmu, const struct counter_setting *setting)
{
    unsigned bits = 0;

    if (!perf_windows_count(pmu, setting, 1) && windows.page[0])
        bits = windows.page[0]->pmc_width;
    stop();
    return bits;
}

void perf_counters(const struct perf_pmu *pmu, const char *core_name, struct counters *out)
{
    static char why[sizeof pmu->why];
    const struct event_core *core = events_core(core_name);
    const struct counter_setting cycles = {.slot = COUNTER_FIXED, .code = pmu->kind == COUNTERS_AMD ? 0x76 : 0x02};

    *out = (struct counters){.kind = pmu->kind};
    snprintf(out->name, sizeof out->name, "perf_event_open, %.30s", pmu->name);
    snprintf(why, sizeof why, "%s", pmu->why);
    out->why_not = why[0] ? why : NULL;
    if (why[0])
        return;
    const char *unreadable = perf_windows_count(pmu, &cycles, 1);
    stop();
    if (unreadable) {
        snprintf(why, sizeof why, "%s", unreadable);
        out->why_not = why;
        return;
    }
    unsigned general = general_counters(pmu);
    uint64_t low = (UINT64_C(1) << COUNTER_FIXED) - 1, known = core ? events_slots(core) : 0;
    if (core) {
        out->slots = known & ~low;
        for (unsigned slot = 0; slot < COUNTER_FIXED; slot++)
            if (known >> slot & 1 && general) {
                out->slots |= UINT64_C(1) << slot;
                general--;
            }
    } else {
        out->slots = (UINT64_C(1) << general) - 1;
    }
    out->bits = out->fixed_bits = width(pmu, &cycles);
}

size_t perf_proof(const struct counters *have, struct counter_proof *out, size_t room)
{
    size_t count = 0;

    for (unsigned slot = 0; slot < COUNTER_SLOTS && count < room && !have->why_not; slot++) {
        if (!(have->slots >> slot & 1))
            continue;
        /* A fixed counter is proven by its own event. Which general counter is used, the kernel chooses. */
        out[count] = (struct counter_proof){.setting = {.slot = slot, .code = instructions[have->kind].code}};
        if (slot >= COUNTER_FIXED && (have->kind != COUNTERS_INTEL || slot > COUNTER_FIXED))
            out[count].counts = COUNTS_SOMETHING;
        count++;
    }
    return count;
}
