#include "tests/model/machine.h"

#include "tests/model/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/emit.h"
#include "lib/base/guard.h"
#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "tests/model/counters.h"
#include "tests/model/isa.h"
#include "tests/model/others.h"
#include "tests/model/touched.h"

enum { AREAS = 32, PAGE_BYTES = 4096 };

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

static const double AROUND_CYCLES = 40; /* that a reading takes besides its kernel */
static const double SHARED_CYCLES =
    150e6; /* that a window takes while a sibling thread is awake: the run soon gives up */
static const uint64_t FIRST_AREA_AT = 0x100000000;
/* In our own address space, where there are no programs, no libraries and no shadow memory of sanitizers. */
static const uintptr_t FIRST_FRAMES_AT = (uintptr_t)1 << 45;

static struct {
    struct machine_design design;
    struct machine_info info;
    size_t page_bytes, large_page_bytes; /* a table of the smallest pages covers a large one */
    struct core *core;
    uint64_t random;
    double now;   /* seconds */
    double speed; /* of the core clock, in parts of core_hz */
    uint64_t windows;
    struct mapped {
        struct area area;
        const size_t *frames; /* NULL: pages are in the order of frames, and `run` is what is written */
        uint8_t *run;
        size_t bytes; /* of what is written, between two guards */
        bool code;
        bool sparse;        /* some pages have no frame */
        size_t *own_frames; /* made for machine_map_sparse, and freed with the area; else NULL */
    } areas[AREAS];
    size_t area_count;
    bool outside; /* a guard was overwritten, which is not reported yet */
    uint64_t next_at;
    uintptr_t next_frames; /* where the next frames go, in our address space */
    struct identity_cache caches[DATA_LEVELS];
    struct identity_tlb tlbs[3 * PAGE_LEVELS];
} machine;

static void watch(uint64_t address, size_t size);

/* As CPUID does: the TLBs of loads, for small and for large pages. */
static void declare_pages(const struct core_design *design)
{
    for (unsigned i = 0; i < 2 * PAGE_LEVELS; i++) {
        const bool large = i % 2 && design->large_pages[i / 2].ways;
        const struct page_design *d = large ? &design->large_pages[i / 2] : &design->data_pages[i / 2];
        machine.tlbs[i] = (struct identity_tlb){.level = i / 2 + 1,
                                                .holds = HOLDS_DATA,
                                                .entries = (unsigned)(d->sets * d->ways),
                                                .loads = true,
                                                .array = large ? i + 1 : i / 2 * 2 + 1,
                                                .page = i % 2 ? "2m" : "4k",
                                                .source = "model"};
    }
    machine.info.tlbs = machine.tlbs;
    machine.info.tlb_count = 2 * PAGE_LEVELS;
}

/* The TLBs of instructions, for small pages. */
static void declare_code_pages(const struct core_design *design)
{
    machine.info.tlbs = machine.tlbs;
    for (unsigned i = 0; i < PAGE_LEVELS && design->pages[i].ways; i++)
        machine.tlbs[machine.info.tlb_count++] = (struct identity_tlb){
            .level = i + 1,
            .holds = HOLDS_INSTRUCTIONS,
            .entries = (unsigned)(design->pages[i].sets * design->pages[i].ways),
            .page = page_name(machine.page_bytes),
            .source = "model"};
}

void machine_start(const struct machine_design *design)
{
    memset(&machine, 0, sizeof machine);
    machine.design = *design;
    machine.page_bytes = design->core.page_bytes ? design->core.page_bytes : PAGE_BYTES;
    machine.large_page_bytes = machine.page_bytes * (machine.page_bytes / sizeof(uint64_t));
    machine.core = core_new(&design->core);
    others_start(&design->coherence, machine.core,
                 design->core.line_bytes ? design->core.line_bytes : CACHE_LINE_BYTES);
    nodes_start(design->core.nodes, machine.core);
    machine.random = design->seed;
    machine.speed = 1;
    machine.next_at = FIRST_AREA_AT;
    machine.next_frames = FIRST_FRAMES_AT;
    machine.info = (struct machine_info){
        .platform = "model",
        .isa = emit_isa,
        .core_model = "modelled core",
        .tick_hz = design->tick_hz,
        .memory_bytes = (size_t)design->memory_bytes,
        .contiguous = design->core.contiguous,
        .privileged = design->privileged,
        .vector_bits = 128,
        .zero_bytes = isa.link ? ZEROED_BYTES : 0,
        .page_bytes = {machine.page_bytes, design->core.contiguous ? machine.large_page_bytes : 0}};
    for (unsigned i = 0; i < DATA_LEVELS && design->declares && design->core.data[i].bytes; i++)
        machine.caches[machine.info.cache_count++] = (struct identity_cache){
            i + 1,
            HOLDS_DATA,
            design->core.data[i].bytes,
            (unsigned)design->core.data[i].ways,
            design->core.line_bytes ? design->core.line_bytes : CACHE_LINE_BYTES,
            "model"};
    machine.info.caches = machine.caches;
    if (design->declares_pages)
        declare_pages(&design->core);
    if (design->declares_code_pages)
        declare_code_pages(&design->core);
    if (design->counts)
        snprintf(machine.info.core_name, sizeof machine.info.core_name, "%s", isa.counting);
    touched_start();
    if (design->watches)
        core_watch(machine.core, watch);
}

void machine_stop(void)
{
    machine_map_release(0);
    others_stop();
    core_free(machine.core);
    machine.core = NULL;
}

const struct machine_info *machine_info(void)
{
    return &machine.info;
}

/* ---- Cores -------------------------------------------------------------------------------------- */

const struct machine_core *machine_cores(size_t *count)
{
    static struct machine_core cores[COHERENT_CORES];

    *count = machine.design.coherence.cores ? machine.design.coherence.cores : 1;
    for (unsigned i = 0; i < *count; i++)
        cores[i] = (struct machine_core){
            .index = i, .why_not = machine.design.unusable >> i & 1 ? "the modelled core is disabled" : NULL};
    return cores;
}

const char *machine_use_core(unsigned index)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);

    if (index >= count)
        return "a modelled machine has fewer cores";
    if (!all[index].why_not) {
        machine.info.core = index;
        core_is(machine.core, index);
    }
    return all[index].why_not;
}

const char *machine_window_beside(const struct core_task *others, size_t count, struct reading *list, size_t readings,
                                  struct window_result *result)
{
    size_t cores;
    const struct machine_core *all = machine_cores(&cores);

    if (count > (machine.design.one_beside ? 1 : BESIDE_CORES))
        return "a modelled machine runs fewer cores beside the one in use";
    for (size_t i = 0; i < count; i++) {
        if (others[i].core >= cores || others[i].core == machine.info.core)
            return "there is no other core of that number";
        if (all[others[i].core].why_not)
            return all[others[i].core].why_not;
    }
    others_begin(others, count, machine.info.core);
    *result = machine_window(list, readings);
    others_end();
    return NULL;
}

/* The only register: the switches of the prefetchers, a bit each. */
static bool read_switches(void *context, uint32_t id, uint64_t *value)
{
    (void)context;
    if (id != 0)
        return false;
    *value = core_prefetchers(machine.core)->off;
    return true;
}

static bool write_switches(void *context, uint32_t id, uint64_t value)
{
    (void)context;
    if (id != 0)
        return false;
    core_prefetchers(machine.core)->off = value;
    return true;
}

static void no_cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context, (void)leaf, (void)subleaf;
    memset(out, 0, 4 * sizeof out[0]);
}

struct control *machine_control(const char **why_not)
{
    static const struct access access = {.read = read_switches, .write = write_switches, .cpuid = no_cpuid};
    static struct control control;

    *why_not = "a modelled machine without switches has no registers";
    if (!machine.design.core.prefetchers.switches)
        return NULL;
    control = (struct control){.changes = {.access = &access}};
    for (unsigned i = 0; i < SWITCHES; i++)
        control.switches[control.switch_count++] = (struct control_switch){.name = prefetcher_switch_names[i],
                                                                           .text = "prefetchers",
                                                                           .source = "the model; its design",
                                                                           .register_name = "SWITCHES",
                                                                           .mask = UINT64_C(1) << i,
                                                                           .off = UINT64_C(1) << i};
    return &control;
}

const struct counters *machine_counters(void)
{
    return counters_of(machine.design.counts);
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    return counters_set(list, count);
}

const char *machine_idle(double seconds)
{
    machine.now += seconds;
    return NULL;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

static size_t whole_pages(size_t bytes)
{
    return (bytes + machine.page_bytes - 1) / machine.page_bytes * machine.page_bytes;
}

/* Larger areas are hardly used, and would take memory of this computer that nobody writes. */
static const size_t HUGE_MAXIMUM = (size_t)1 << 27;

/*
 * Zeroed memory between two guards, the second of which begins right behind it. Only what is written takes memory of
 * this computer, since some areas are large and hardly used. The addresses are round, and the same in every run: they
 * are the numbers of frames, and it matters which of those are neighbours.
 */
static uint8_t *zeroed_pages(size_t bytes)
{
    const size_t all = GUARD_BYTES + whole_pages(bytes) + GUARD_BYTES;
    uint8_t *pages = mmap((void *)(machine.next_frames - GUARD_BYTES), all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (pages == MAP_FAILED)
        return NULL;
    /* accesses at random would miss the TLBs of this computer; where there are no large pages, they do */
    if (all < HUGE_MAXIMUM)
        (void)madvise(pages, all, MADV_HUGEPAGE);
    machine.next_frames += (all / machine.large_page_bytes + 1) * machine.large_page_bytes;
    guard_set(pages, GUARD_BYTES);
    guard_set(pages + GUARD_BYTES + bytes, GUARD_BYTES);
    return pages + GUARD_BYTES;
}

static void free_pages(uint8_t *pages, size_t bytes)
{
    munmap(pages - GUARD_BYTES, GUARD_BYTES + whole_pages(bytes) + GUARD_BYTES);
}

/* Addresses of an area, at most. */
static const size_t ADDRESSES = (size_t)1 << 33;

/* What is written and what is executed or loaded have different addresses, as in the image. */
static const char *map(struct area *a, const size_t *frames, size_t frame_bytes, enum area_use use)
{
    bool sparse = false;

    if (machine.area_count == AREAS)
        return "no more areas can be mapped";
    machine.next_at = (machine.next_at + machine.large_page_bytes) / machine.large_page_bytes *
                      machine.large_page_bytes;
    a->at = machine.next_at;
    a->write = zeroed_pages(frame_bytes);
    uint8_t *run = frames ? zeroed_pages(a->bytes) : a->write;
    if (!a->write || !run)
        return "out of memory";
    machine.next_at += whole_pages(a->bytes);
    core_map(machine.core, a->at, run, whole_pages(a->bytes), use == AREA_CODE);
    core_frames(machine.core, a->at, a->page_bytes, frames, frames && use == AREA_DATA ? a->write : NULL);
    for (size_t page = 0; frames && page < a->bytes / a->page_bytes && !sparse; page++)
        sparse = frames[page] == NO_FRAME;
    machine.areas[machine.area_count++] = (struct mapped){
        .area = *a, .frames = frames, .run = run, .bytes = frame_bytes, .code = use == AREA_CODE, .sparse = sparse};
    return NULL;
}

/* An access must lie within one area of data, and within the size that was asked for. */
static void watch(uint64_t address, size_t size)
{
    for (size_t i = 0; i < machine.area_count; i++) {
        const struct area *a = &machine.areas[i].area;
        if (!machine.areas[i].code && address >= a->at && address + size <= a->at + a->bytes) {
            touched_data(address, size, a->bytes, a->page_bytes);
            return;
        }
    }
    touched_stray(address);
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    const bool hint = use == AREA_CONTIGUOUS;

    if (hint && !machine.design.core.data_pages[0].hinted)
        return "a modelled machine has no page tables";
    *a = (struct area){.bytes = bytes, .page_bytes = page_bytes ? page_bytes : machine.page_bytes};
    const char *why = map(a, NULL, bytes, hint ? AREA_DATA : use);
    if (hint && !why)
        core_hint(machine.core, a->at);
    return why;
}

/* Code is copied to its pages when it was written; data when it is loaded. */
const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    size_t count = 0;

    if (page_bytes != machine.page_bytes &&
        !(use == AREA_DATA && machine.design.core.contiguous && page_bytes == machine.large_page_bytes))
        return "a modelled machine can choose frames of small pages only, and large ones of data where they are exact";
    if (pages > ADDRESSES / page_bytes) /* Unicorn takes seconds to unmap more */
        return "a modelled machine has few addresses";
    for (size_t i = 0; i < pages; i++)
        if (frames[i] != NO_FRAME && frames[i] >= count)
            count = frames[i] + 1;
    *a = (struct area){.bytes = pages * page_bytes, .page_bytes = page_bytes};
    return map(a, frames, count * page_bytes, use);
}

const char *machine_map_scattered(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                                  size_t page_bytes)
{
    (void)a, (void)list, (void)count, (void)pages, (void)page_bytes;
    return "a modelled machine has few addresses";
}

const char *machine_map_sparse(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                               size_t page_bytes)
{
    if (page_bytes != machine.page_bytes)
        return "a modelled machine can choose frames of small pages only";
    if (pages > ADDRESSES / page_bytes)
        return "a modelled machine has few addresses";
    size_t *frames = malloc(pages * sizeof *frames), frame_count = 0;
    if (!frames)
        return "out of memory";
    for (size_t i = 0; i < pages; i++)
        frames[i] = NO_FRAME;
    for (size_t i = 0; i < count; i++) {
        frames[list[i].page] = list[i].frame;
        frame_count = list[i].frame >= frame_count ? list[i].frame + 1 : frame_count;
    }
    *a = (struct area){.bytes = pages * page_bytes, .page_bytes = page_bytes};
    machine.next_at = (machine.next_at + a->bytes - 1) / a->bytes * a->bytes - machine.large_page_bytes;
    const char *why = map(a, frames, frame_count * page_bytes, AREA_DATA);
    if (why)
        free(frames);
    else
        machine.areas[machine.area_count - 1].own_frames = frames;
    return why;
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "a modelled machine has no page tables";
}

size_t machine_map_mark(void)
{
    return machine.area_count;
}

void machine_map_release(size_t mark)
{
    while (machine.area_count > mark) {
        const struct mapped *m = &machine.areas[--machine.area_count];
        core_unmap(machine.core, m->area.at);
        machine.outside |= guard_broken(m->area.write - GUARD_BYTES, GUARD_BYTES) ||
                           guard_broken(m->area.write + m->bytes, GUARD_BYTES);
        if (m->run != m->area.write)
            free_pages(m->run, m->area.bytes);
        free_pages(m->area.write, m->bytes);
        free(m->own_frames);
    }
}

bool machine_touched_outside(struct fault *fault)
{
    if (!machine.outside)
        return false;
    machine.outside = false;
    *fault = (struct fault){.vector = "outside-area"};
    return true;
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    touched_kernel();
    for (size_t i = 0; i < machine.area_count; i++) {
        const struct mapped *m = &machine.areas[i];
        if (!m->frames || m->area.at != a->at)
            continue;
        /* where there are pages without a frame, no frame is shown twice */
        const size_t from = m->sparse ? offset / machine.page_bytes : 0;
        const size_t to = m->sparse ? (offset + bytes + machine.page_bytes - 1) / machine.page_bytes
                                    : a->bytes / machine.page_bytes;
        for (size_t page = from; page < to; page++)
            memcpy(m->run + page * machine.page_bytes, m->area.write + m->frames[page] * machine.page_bytes,
                   machine.page_bytes);
    }
    core_code_written(machine.core, a->at + offset, bytes);
}

/* ---- Windows ------------------------------------------------------------------------------------ */

/* Uniform between 0 and 1. */
static double chance(void)
{
    return (double)(random_next(&machine.random) >> 11) / 9007199254740992.0;
}

/* Adds noise to the length of a reading. True when it was interrupted and that is known. */
static bool disturb(double *cycles)
{
    const struct machine_design *d = &machine.design;

    if (!(d->drift + d->jitter + d->stolen > 0)) /* quickly: most readings of a quiet machine come from waiting */
        return false;
    machine.speed *= 1 + d->drift * (2 * chance() - 1);
    if (machine.speed < 2.0 / 3 || machine.speed > 4.0 / 3)
        machine.speed = 1;
    *cycles *= 1 + d->jitter * (2 * chance() - 1);
    if (!(chance() < d->stolen))
        return false;
    *cycles *= 1 + 50 * chance();
    return chance() < d->stolen_known;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    const struct machine_design *d = &machine.design;
    struct window_result result = {0};

    const bool shared = d->shared_from && machine.windows >= d->shared_from;
    const bool evicted = d->evictions && machine.windows / d->evictions % 2;

    machine.windows++;
    core_others(machine.core,
                machine_seconds() >= d->then_from && machine_seconds() < d->then_to ? d->others_then : d->others);
    core_run_other_code(machine.core, d->other_lines);
    for (size_t i = 0; i < count && result.end == WINDOW_RAN; i++) {
        struct reading *r = &list[i];
        double cycles = AROUND_CYCLES;

        if (evicted && i == 1)
            core_evict(machine.core);
        if (r->counts)
            counters_sample(core_counts(machine.core), r->counts->begin);

        if (r->kernel == (uintptr_t)reader_chain_kernel)
            cycles += (double)(r->argument[0] * READER_CHAIN);
        else if (r->kernel == (uintptr_t)reader_half_chain_kernel)
            cycles += (double)(r->argument[0] * READER_CHAIN / 2);
        else if (r->kernel == (uintptr_t)reader_width_kernel)
            cycles += (double)(r->argument[0] * READER_WIDTH) / (shared ? 2 : 4);
        else if (r->kernel != (uintptr_t)reader_empty_kernel) {
            core_run_around(machine.core, &d->around);
            core_at(machine.core, machine.now * d->core_hz);
            cycles += core_call(machine.core, r->kernel, r->argument, &result);
        }
        if (r->counts)
            counters_sample(core_counts(machine.core), r->counts->end);
        result.interrupts += disturb(&cycles);
        r->begin_ticks = (uint64_t)(machine.now * machine.design.tick_hz);
        machine.now += cycles / (machine.design.core_hz * machine.speed);
        r->end_ticks = (uint64_t)(machine.now * machine.design.tick_hz);
    }
    machine.now += shared ? SHARED_CYCLES / machine.design.core_hz : 0;
    return result;
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    if (silence != SILENCE_NONE)
        return "a modelled core has no interrupts to mask";
    *result = machine_window(list, count);
    return NULL;
}

/* ---- The rest ----------------------------------------------------------------------------------- */

void machine_describe(struct record *r)
{
    (void)r;
}

void machine_describe_environment(struct record *r)
{
    (void)r;
}

/* The table for people, as comments of TAP. */
void machine_print(const char *text)
{
    if (getenv("MODEL_SHOWS"))
        fprintf(stderr, "# %s", text);
}

void machine_print_strong(const char *text)
{
    machine_print(text);
}

void machine_progress(const char *text)
{
    (void)text;
}

void machine_stage(const char *text)
{
    (void)text;
}

void machine_own(void)
{
}

void machine_bringup(struct lines *page)
{
    (void)page;
}

void machine_page(const struct lines *page)
{
    (void)page;
}

/* Modelled cores have slow clocks, for short readings, while budgets of time are made for cores of 3 GHz. */
double machine_seconds(void)
{
    return machine.now * machine.design.core_hz / 3e9;
}

void machine_date(char out[24])
{
    out[0] = 0;
}
