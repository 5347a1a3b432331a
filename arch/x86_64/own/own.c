/*
 * Owning a core: what is set up once, what once for each core, and windows (arch/own.h).
 *
 * A window, in order: interrupts off; local APIC quiet; our descriptor tables; our control registers
 * and page tables; the deadline; the list, on a stack of our own. Then the same backwards. Between
 * the first step and the last no firmware runs, except with SILENCE_NONE, where its interrupts do.
 */
#include "arch/own.h"

#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/descriptors.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/lfence.h"
#include "arch/x86_64/own/page_tables.h"
#include "arch/x86_64/own/vector_state.h"
#include "arch/x86_64/own/vectors.h"

/*
 * With SILENCE_NONE the firmware's event handlers run on it too: as much as UEFI promises an
 * application (UEFI 2.10, 2.3.4).
 */
enum { STACK_BYTES = 128 << 10 };

/* Room on the list of own_values. */
enum { VALUES = 16 };

/* What all cores share. */
static struct {
    const struct own_services *services;
    struct page_tables tables;
    void *stack;
    uintptr_t stack_top; /* in the high half */
} own;

/* The core in use. */
static struct core {
    own_runner *runner; /* NULL: the one that booted */
    struct lfence lfence;
    uint64_t cr4_set; /* bits of CR4 that a window adds */
    enum reader_counters counters;
    const char *no_counters; /* why not more */
    bool counts_smis;
    struct memory_types {
        uint64_t mtrr_default, pat; /* 0 where there is no such register */
    } memory_types;
} core;

static struct memory_types booted_memory_types;

/*
 * A core's time-out by its firmware, which stops it by INIT, comes only where our own deadline should have come; so
 * late that a hypervisor may let the core stand meanwhile.
 */
enum { FIRMWARE_LATER_MS = 5000, NOISY_LIMIT_MS = 10000 };

/* Runs it on the core in use: there and then, or where the runner brings it. */
static bool on_core(void (*function)(void *), void *argument, unsigned limit_ms)
{
    if (core.runner != NULL)
        return core.runner(function, argument, limit_ms);
    function(argument);
    return true;
}

/* The firmware's registers while ours are in force. */
struct found {
    uint64_t rflags;
    uint64_t cr0;
    uint64_t cr3;
    uint64_t cr4;
    uint64_t efer;
};

static uint64_t window_cr4(uint64_t firmware_cr4)
{
    return (firmware_cr4 | core.cr4_set) & ~(uint64_t)CR4_CET;
}

/*
 * Write protection on, which U-Boot leaves off, or read-only pages could be written; no-execute pages
 * and machine checks on; shadow stacks off, which would not follow us onto our stack. Loading CR3
 * drops every translation of ours that an earlier window left behind: none of them is global.
 */
static void core_take(struct found *c, bool firmware_interrupts)
{
    c->rflags = read_rflags();
    interrupts_off();
    c->cr0 = read_cr0();
    c->cr3 = read_cr3();
    c->cr4 = read_cr4();
    c->efer = read_msr(MSR_EFER);

    descriptors_load(firmware_interrupts);
    write_cr4(window_cr4(c->cr4));
    write_cr0(c->cr0 | CR0_WP);
    if (!(c->efer & EFER_NXE))
        write_msr(MSR_EFER, c->efer | EFER_NXE);
    page_tables_follow(&own.tables, (const uint64_t *)(uintptr_t)(c->cr3 & PAGE_FRAME));
    write_cr3((uintptr_t)own.tables.root);
}

static void core_give_back(const struct found *c)
{
    write_cr3(c->cr3);
    if (!(c->efer & EFER_NXE))
        write_msr(MSR_EFER, c->efer);
    write_cr0(c->cr0);
    write_cr4(c->cr4);
    descriptors_restore();
    if (c->rflags & RFLAGS_IF)
        interrupts_on();
}

/* A function of ours that may fault. */
struct call {
    void (*function)(void *);
    void *argument;
    struct window_result result;
};

static void call_function(uintptr_t call, uintptr_t unused, uintptr_t unused_too)
{
    const struct call *c = (const struct call *)call;

    (void)unused, (void)unused_too;
    c->function(c->argument);
}

static void call_here(void *call)
{
    struct call *c = call;
    struct guarded_call guarded = {.function = call_function, .argument = {(uintptr_t)c}, .stack_top = own.stack_top};
    struct found found;

    core_take(&found, false);
    guarded_run(&guarded, &c->result);
    core_give_back(&found);
}

struct window_result own_call(void (*function)(void *), void *argument)
{
    struct call call = {.function = function, .argument = argument};

    if (!on_core(call_here, &call, FIRMWARE_LATER_MS))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    return call.result;
}

/* A register's value on its way from or to the core in use. */
struct register_access {
    uint32_t id;
    uint64_t value;
};

static void read_here(void *access)
{
    struct register_access *a = access;

    a->value = read_msr(a->id);
}

static void write_here(void *access)
{
    const struct register_access *a = access;

    write_msr(a->id, a->value);
}

static bool read_guarded(void *context, uint32_t id, uint64_t *value)
{
    struct register_access a = {.id = id};

    (void)context;
    if (own_call(read_here, &a).end != WINDOW_RAN)
        return false;
    *value = a.value;
    return true;
}

static bool write_guarded(void *context, uint32_t id, uint64_t value)
{
    (void)context;
    return own_call(write_here, &(struct register_access){id, value}).end == WINDOW_RAN;
}

/* A leaf on its way from the core in use. */
struct leaf {
    uint32_t leaf, subleaf;
    struct cpuid answer;
};

static void cpuid_here(void *leaf)
{
    struct leaf *l = leaf;

    l->answer = cpuid_known(l->leaf, l->subleaf);
}

static void cpuid_known_of(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    struct leaf l = {.leaf = leaf, .subleaf = subleaf};

    (void)context;
    on_core(cpuid_here, &l, FIRMWARE_LATER_MS);
    out[0] = l.answer.eax;
    out[1] = l.answer.ebx;
    out[2] = l.answer.ecx;
    out[3] = l.answer.edx;
}

void own_access(struct access *out)
{
    *out = (struct access){.read = read_guarded, .write = write_guarded, .cpuid = cpuid_known_of};
}

static void try_apic(void *unused)
{
    (void)unused;
    apic_start(own.services->tick_hz);
}

static void try_lfence(void *unused)
{
    (void)unused;
    lfence_serialise(&core.lfence);
}

/* Entries into system management mode since reset: Intel, from Nehalem on (SDM vol. 4, MSR_SMI_COUNT, bits 31:0). */
static uint32_t smis(void)
{
    return (uint32_t)read_msr(MSR_SMI_COUNT);
}

static void try_smis(void *unused)
{
    (void)unused;
    smis();
}

static void run_list(uintptr_t list, uintptr_t count, uintptr_t counters)
{
    reader_run((struct reading *)list, count, (enum reader_counters)counters);
}

static struct guarded_call list_call(struct reading *list, size_t count, enum reader_counters counters, bool interrupts)
{
    return (struct guarded_call){
        .function = run_list,
        .argument = {(uintptr_t)list, count, counters},
        .stack_top = own.stack_top,
        .interrupts = interrupts,
    };
}

struct window {
    struct reading *list;
    size_t count;
    enum reader_counters counters;
    unsigned deadline_ms;
    enum silence silence; /* without SILENCE_STOPPED, no deadline */
    struct window_result result;
    const char *why_not; /* nothing ran */
};

static void window_here(void *window)
{
    struct window *w = window;
    const bool deadline = w->deadline_ms > 0 && apic_no_deadline() == NULL;
    struct guarded_call call = list_call(w->list, w->count, w->counters, deadline);
    struct apic_state apic;
    struct found found;

    core_take(&found, false);
    apic_quiet(&apic);
    const uint32_t smis_before = core.counts_smis ? smis() : 0;
    if (deadline)
        apic_arm(w->deadline_ms);
    guarded_run(&call, &w->result);
    if (deadline)
        apic_disarm();
    w->result.smis = core.counts_smis ? smis() - smis_before : 0;
    apic_restore(&apic);
    core_give_back(&found);
}

/*
 * On another core than the one that booted the firmware can stop a kernel, too, and does so where the local APIC's
 * timer cannot or did not.
 */
static unsigned firmware_limit(unsigned deadline_ms)
{
    return apic_no_deadline() == NULL ? deadline_ms + FIRMWARE_LATER_MS : deadline_ms;
}

struct window_result own_window(struct reading *list, size_t count, enum reader_counters counters, unsigned deadline_ms)
{
    struct window w = {.list = list, .count = count, .counters = counters, .deadline_ms = deadline_ms};

    if (!on_core(window_here, &w, firmware_limit(deadline_ms)))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    return w.result;
}

static void noisy_window_here(void *window)
{
    struct window *w = window;
    const bool interrupts = w->silence == SILENCE_NONE;
    struct guarded_call call = list_call(w->list, w->count, w->counters, interrupts);
    struct found found;

    /* U-Boot runs like this, and has no interrupt vectors that could take one; so does edk2 on other cores. */
    if (interrupts && !(read_rflags() & RFLAGS_IF)) {
        w->why_not = "the firmware runs with interrupts disabled";
        return;
    }
    core_take(&found, interrupts);
    guarded_run(&call, &w->result);
    core_give_back(&found);
}

const char *own_noisy_window(struct reading *list, size_t count, enum reader_counters counters, enum silence silence,
                             struct window_result *result)
{
    struct window w = {.list = list, .count = count, .counters = counters, .silence = silence};

    w.result.end = WINDOW_TIMEOUT;
    on_core(noisy_window_here, &w, NOISY_LIMIT_MS);
    *result = w.result;
    return w.why_not;
}

const char *own_no_deadline(void)
{
    return core.runner != NULL ? NULL : apic_no_deadline(); /* another core the firmware can stop */
}

/* IA32_APERF, where CPUID.06H:ECX[0] announces it (Intel SDM vol. 3B, 15.2), no hypervisor keeps it, and it counts. */
static void prove_cycles(void)
{
    struct reading list[READER_PROOF];

    core.no_counters = "performance counters are not programmed on x86-64 yet, and IA32_APERF is not announced";
    if (!(cpuid_known(6, 0).ecx & 1))
        return;
    reader_proof_list(list);
    core.no_counters = own_window(list, READER_PROOF, READER_CYCLES_ONLY, 0).end == WINDOW_RAN
                           ? reader_proof_verdict(list)
                           : "IA32_APERF is announced and cannot be read";
    if (core.no_counters == NULL) {
        core.counters = READER_CYCLES_ONLY;
        core.no_counters = "cycles only: performance counters are not programmed on x86-64 yet";
    }
}

enum reader_counters own_counters(const char **why_not)
{
    *why_not = core.no_counters;
    return core.counters;
}

static bool is_intel(void)
{
    return cpuid(0, 0).ebx == 0x756e6547; /* "Genu" of GenuineIntel */
}

/* CPUID.80000001H:EDX[20] and [26] (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, E.4.2). */
static bool has_no_execute(void)
{
    return cpuid_known(0x80000001, 0).edx >> 20 & 1;
}

static bool has_1g_pages(void)
{
    return cpuid_known(0x80000001, 0).edx >> 26 & 1;
}

/* A guest whose memory is encrypted would need a bit in every entry: AMD APM vol. 2, 15.34.10. */
static bool is_encrypted_guest(void)
{
    return (cpuid_known(0x8000001f, 0).eax >> 1 & 1) && (read_msr(MSR_SEV_STATUS) & 1);
}

void own_page_sizes(size_t out[10])
{
    size_t n = 0;

    out[n++] = PAGE_4K;
    out[n++] = PAGE_2M;
    if (has_1g_pages())
        out[n++] = PAGE_1G;
    out[n] = 0;
}

static bool is_ram(uint64_t base, uint64_t bytes)
{
    for (size_t i = 0; i < own.services->ram_count && bytes > 0; i++) {
        const struct own_range *r = &own.services->ram[i];

        if (base >= r->base && base - r->base < r->bytes) {
            const uint64_t here = r->bytes - (base - r->base);
            const uint64_t taken = here < bytes ? here : bytes;

            base += taken;
            bytes -= taken;
        }
    }
    return bytes == 0;
}

size_t own_group_bytes(size_t page_bytes)
{
    (void)page_bytes;
    return 0;
}

const char *own_map(uint64_t physical, const size_t *frames, size_t bytes, size_t page_bytes, enum area_use use,
                    uintptr_t *at)
{
    size_t sizes[10];
    size_t i = 0;

    if (use == AREA_CONTIGUOUS)
        return "x86-64 has no contiguous hint";
    own_page_sizes(sizes);
    while (sizes[i] != 0 && sizes[i] != page_bytes)
        i++;
    if (sizes[i] == 0)
        return "this core has no pages of that size";
    if (bytes == 0 || (bytes | physical) & (page_bytes - 1))
        return "not a whole number of pages";
    for (size_t page = 0; frames && page < bytes / page_bytes; page++)
        if (frames[page] != NO_FRAME && !is_ram(physical + frames[page] * page_bytes, page_bytes))
            return "not all of it is memory";
    if (!frames && !is_ram(physical, bytes))
        return "not all of it is memory";
    return page_tables_map(&own.tables, physical, frames, bytes, page_bytes, use == AREA_CODE, at);
}

/* The next window's load of CR3 drops what the TLB holds, and then the core sets the bits anew. */
const char *own_accessed(uintptr_t at, size_t pages, size_t page_bytes, bool *accessed)
{
    for (size_t i = 0; i < pages; i++)
        accessed[i] = page_tables_accessed(&own.tables, at + i * page_bytes, page_bytes);
    return NULL;
}

void own_unmap_all(void)
{
    page_tables_unmap_all(&own.tables);
}

void own_code_written(const void *base, size_t bytes)
{
    /*
     * Caches are coherent. Code written at another linear address than it runs at needs a serialising
     * instruction before it runs (Intel SDM vol. 3A, 12.6); entering a window has several, LTR and the
     * load of CR3 among them (9.3).
     */
    (void)base, (void)bytes;
}

const char *own_start(const struct own_services *services)
{
    const char *problem;
    uintptr_t stack;

    own.services = services;
    own.tables = (struct page_tables){
        .pages = services->pages,
        .free_pages = services->free_pages,
        .levels = read_cr4() & CR4_LA57 ? 5 : 4,
    };
    if (!has_no_execute())
        return "no-execute pages are missing, or the firmware has switched them off";
    if (is_encrypted_guest())
        return "the memory of this virtual machine is encrypted (SEV)";

    problem = page_tables_start(&own.tables);
    if (problem == NULL)
        problem = descriptors_start(services->pages);
    if (problem == NULL) {
        own.stack = services->pages(STACK_BYTES, PAGE_4K);
        stack = own.stack == NULL ? 0 : page_tables_map_stack(&own.tables, (uintptr_t)own.stack, STACK_BYTES);
        own.stack_top = stack + STACK_BYTES;
        if (stack == 0)
            problem = "no memory for a stack";
    }
    if (problem != NULL)
        own_finish();
    return problem;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* CPUID.01H:EDX[12], MTRR, and [16], PAT. */
static void find_memory_types(void *unused)
{
    const uint32_t features = cpuid(1, 0).edx;

    (void)unused;
    core.memory_types = (struct memory_types){
        .mtrr_default = features >> 12 & 1 ? read_msr(MSR_MTRR_DEF_TYPE) : 0,
        .pat = features >> 16 & 1 ? read_msr(MSR_PAT) : 0,
    };
}

/* Every core must have the same (Intel SDM vol. 3A, 12.11.8); a core whose MTRRs are disabled has no caches. */
const char *own_core_unlike(void)
{
    if (core.memory_types.mtrr_default == booted_memory_types.mtrr_default &&
        core.memory_types.pat == booted_memory_types.pat)
        return NULL;
    return "has other memory types than the one that booted (IA32_MTRR_DEF_TYPE, IA32_PAT): it may run without caches";
}

const char *own_core_start(own_runner *runner)
{
    struct window_result result;

    core = (struct core){.runner = runner};
    core.cr4_set = cpuid(1, 0).edx >> 7 & 1 ? CR4_MCE : 0; /* CPUID.01H:EDX[7]: machine checks */

    result = own_call(nothing, NULL);
    if (result.end == WINDOW_TIMEOUT)
        return "it does not do what it is given";
    if (result.end == WINDOW_FAULT)
        return "an empty function faults on it";
    result = own_call(try_apic, NULL);
    if (result.end != WINDOW_RAN)
        apic_unusable("the local APIC cannot be reached");
    own_call(try_lfence, NULL);
    core.counts_smis = is_intel() && own_call(try_smis, NULL).end == WINDOW_RAN;
    own_call(find_memory_types, NULL);
    if (runner == NULL)
        booted_memory_types = core.memory_types;
    prove_cycles();
    return NULL;
}

static void undo_lfence(void *unused)
{
    (void)unused;
    lfence_restore(&core.lfence);
}

void own_core_finish(void)
{
    if (core.lfence.changed)
        own_call(undo_lfence, NULL);
    core = (struct core){0};
    apic_unusable("the core has been given back");
}

void own_finish(void)
{
    page_tables_finish(&own.tables);
    descriptors_finish(own.services->free_pages);
    if (own.stack != NULL)
        own.services->free_pages(own.stack, STACK_BYTES);
    own.stack = NULL;
}

/* What own_values asks of the core in use. */
struct values {
    struct own_value *out;
    size_t room, count;
};

static void values_here(void *asked)
{
    struct values *v = asked;
    const uint32_t features = cpuid(1, 0).edx;
    const struct vector_state *found = vector_state_found();
    struct own_value values[VALUES];
    size_t n = 0;

    values[n++] = (struct own_value){"CR0", found->cr0};
    values[n++] = (struct own_value){"CR0 in windows", read_cr0() | CR0_WP};
    values[n++] = (struct own_value){"CR3", read_cr3()};
    values[n++] = (struct own_value){"CR4", found->cr4};
    values[n++] = (struct own_value){"CR4 in windows", window_cr4(read_cr4())};
    values[n++] = (struct own_value){"EFER", read_msr(MSR_EFER)};
    if (read_cr4() & CR4_OSXSAVE) {
        values[n++] = (struct own_value){"XCR0", found->xcr0};
        values[n++] = (struct own_value){"XCR0 in windows", read_xcr0()};
    }
    /* CPUID.01H:EDX says which of these registers there are: [9] APIC, [16] PAT, [12] MTRR. */
    if (features >> 9 & 1)
        values[n++] = (struct own_value){"IA32_APIC_BASE", read_msr(MSR_APIC_BASE)};
    if (features >> 16 & 1)
        values[n++] = (struct own_value){"IA32_PAT", read_msr(MSR_PAT)};
    if (features >> 12 & 1)
        values[n++] = (struct own_value){"IA32_MTRR_DEF_TYPE", read_msr(MSR_MTRR_DEF_TYPE)};
    if (core.lfence.switchable) {
        values[n++] = (struct own_value){"DE_CFG", core.lfence.found};
        values[n++] = (struct own_value){"DE_CFG in windows", core.lfence.set};
    }

    v->count = n < v->room ? n : v->room;
    for (size_t i = 0; i < v->count; i++)
        v->out[i] = values[i];
}

size_t own_values(struct own_value *out, size_t room)
{
    struct values v = {.out = out, .room = room};

    on_core(values_here, &v, FIRMWARE_LATER_MS);
    return v.count;
}
