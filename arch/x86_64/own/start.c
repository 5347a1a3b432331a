/* Taking a core, proving what it can do, and giving it back (arch/own.h). */
#include "arch/own.h"
#include "arch/reader.h"
#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/call.h"
#include "arch/x86_64/own/descriptors.h"
#include "arch/x86_64/own/environment.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/lfence.h"
#include "arch/x86_64/own/page_tables.h"
#include "arch/x86_64/own/state.h"
#include "arch/x86_64/thermal.h"

/* The size that UEFI guarantees an application (UEFI 2.10, 2.3.4), on whose stack lists run with SILENCE_NONE. */
enum { STACK_BYTES = 128 << 10 };

static struct memory_types booted_memory_types;

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

/* MSR_SMI_COUNT, which a hypervisor may not have. */
static void try_smis(void *unused)
{
    (void)unused;
    read_msr(MSR_SMI_COUNT);
}

static void try_heat(void *unused)
{
    (void)unused;
    read_msr(MSR_THERM_STATUS);
}

static bool is_intel(void)
{
    return cpuid(0, 0).ebx == 0x756e6547; /* "Genu" of GenuineIntel */
}

/*
 * What windows note of disturbances. CPUID.01H:EDX[22], ACPI, announces IA32_THERM_STATUS (Intel SDM vol. 2A, CPUID).
 */
static void find_disturbances(void)
{
    const char *(*stage)(const char *name, const char *text) = own.services->stage;

    if (!is_intel())
        return;
    if (stage("smi-count", "reads the count of system management interrupts") == NULL)
        core.counts_smis = own_call(try_smis, NULL).end == WINDOW_RAN;
    if (cpuid(1, 0).edx >> 22 & 1 && stage("thermal-status", "reads whether heat slows the core down") == NULL)
        core.shows_heat = own_call(try_heat, NULL).end == WINDOW_RAN;
}

/*
 * Tests the deadline: runs the reference chain for a second, far longer than the deadline. If the timer ends it,
 * deadlines work. It is so long because a loaded emulator may deliver the interrupt some hundred milliseconds late.
 */
static const char *prove_deadline(void)
{
    enum { DEADLINE_MS = 1, CHAIN_MS = 1000 };
    struct reading chain = {
        .kernel = (uintptr_t)reader_chain_kernel,
        .argument = {(uint64_t)(own.services->tick_hz * CHAIN_MS / 1000 / READER_CHAIN)},
    };

    switch (own_window(&chain, 1, READER_TIME_ONLY, DEADLINE_MS).end) {
    case WINDOW_TIMEOUT: return NULL;
    case WINDOW_FAULT: return "the window that was to prove a deadline ended in an exception";
    default: return "the interrupt of the local APIC's timer does not arrive";
    }
}

/* IA32_APERF is used where CPUID.06H:ECX[0] announces it (Intel SDM vol. 3B, 15.2), it can be read, and it counts. */
static void prove_cycles(void)
{
    struct reading list[READER_PROOF];

    core.no_cycles = "IA32_APERF is not announced (CPUID.06H:ECX[0])";
    if (!(cpuid_known(6, 0).ecx & 1))
        return;
    reader_proof_list(list);
    core.no_cycles = own_window(list, READER_PROOF, READER_CYCLES_ONLY, 0).end == WINDOW_RAN
                         ? reader_proof_verdict(list)
                         : "IA32_APERF is announced (CPUID.06H:ECX[0]) and cannot be read";
    if (core.no_cycles == NULL)
        core.counters = READER_CYCLES_ONLY;
}

enum reader_counters own_counters(const char **why_not)
{
    *why_not = core.no_cycles;
    return core.counters;
}

/* CPUID.80000001H:EDX[20] (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, E.4.2). */
static bool has_no_execute(void)
{
    return cpuid_known(0x80000001, 0).edx >> 20 & 1;
}

/* In a guest whose memory is encrypted, every page table entry would need another bit: AMD APM vol. 2, 15.34.10. */
static bool is_encrypted_guest(void)
{
    return (cpuid_known(0x8000001f, 0).eax >> 1 & 1) && (read_msr(MSR_SEV_STATUS) & 1);
}

/* Page tables, descriptors and the stack of windows, in memory alone: nothing is loaded into a register. */
static const char *build(const struct own_services *services)
{
    const char *problem = services->stage("page-tables", "builds page tables");
    uintptr_t stack;

    if (problem == NULL)
        problem = page_tables_start(&own.tables);
    if (problem == NULL)
        problem = services->stage("descriptors", "builds descriptor tables");
    if (problem == NULL)
        problem = descriptors_start(services->pages);
    if (problem != NULL)
        return problem;
    own.stack = services->pages(STACK_BYTES, PAGE_4K);
    stack = own.stack == NULL ? 0 : page_tables_map_stack(&own.tables, (uintptr_t)own.stack, STACK_BYTES);
    own.stack_top = stack + STACK_BYTES;
    return stack == 0 ? "no memory for a stack" : NULL;
}

const char *own_start(const struct own_services *services)
{
    const char *problem;

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

    problem = build(services);
    if (problem != NULL)
        own_finish();
    return problem;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Loads our control registers, descriptors and page tables, and what was there again. */
static void take_and_give_back(void *unused)
{
    (void)unused;
    with_core_taken(nothing, NULL, false);
}

/* All cores must have the same memory types (Intel SDM vol. 3A, 12.11.8); without MTRRs enabled, one has no caches. */
const char *own_core_unlike(void)
{
    const struct memory_types *here = &core.memory_types, *booted = &booted_memory_types;

    if (!here->known || !booted->known || (here->mtrr_default == booted->mtrr_default && here->pat == booted->pat))
        return NULL;
    return "has other memory types than the one that booted (IA32_MTRR_DEF_TYPE, IA32_PAT): it may run without caches";
}

/* Everything else rests on these two steps. NULL, or why the core cannot be used. */
static const char *take_first(void)
{
    const char *problem = own.services->stage("translation", "switches to its own page tables for the first time");
    struct window_result result;

    if (problem == NULL && !on_core(take_and_give_back, NULL, FIRMWARE_LATER_MS))
        problem = "it does not finish a function that it is given";
    if (problem == NULL)
        problem = own.services->stage("empty-call", "calls an empty function with its own page tables and vectors");
    if (problem != NULL)
        return problem;
    result = own_call(nothing, NULL);
    return result.end == WINDOW_TIMEOUT ? "it does not finish a function that it is given"
           : result.end == WINDOW_FAULT ? "even an empty function faults on it"
                                        : NULL;
}

/* The steps that a core can do without. */
static void take_rest(void)
{
    const char *problem = own.services->stage("apic", "silences the local APIC and calibrates its timer");

    if (problem == NULL && own_call(try_apic, NULL).end != WINDOW_RAN)
        problem = "the local APIC cannot be reached";
    if (problem != NULL)
        apic_unusable(problem);
    if (apic_no_deadline() == NULL) {
        problem = own.services->stage("deadline", "lets the timer end a window");
        apic_refuse_deadline(problem != NULL ? problem : prove_deadline());
    }
    if (own.services->stage("lfence", "makes LFENCE wait for earlier instructions, where a register can") == NULL)
        own_call(try_lfence, NULL);
    find_disturbances();
    if (own.services->stage("registers", "reads the control registers") == NULL)
        environment_note();
    if (core.runner == NULL)
        booted_memory_types = core.memory_types;
    core.no_cycles = own.services->stage("cycles", "proves the cycle counter in a window");
    if (core.no_cycles == NULL)
        prove_cycles();
}

const char *own_core_start(own_runner *runner)
{
    const char *problem;

    core = (struct core_state){.runner = runner};
    environment_forget();
    core.cr4_set = cpuid(1, 0).edx >> 7 & 1 ? CR4_MCE : 0; /* CPUID.01H:EDX[7]: machine checks */
    problem = take_first();
    if (problem == NULL)
        take_rest();
    return problem;
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
    core = (struct core_state){0};
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
