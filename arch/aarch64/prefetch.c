/*
 * Prefetcher switches of AArch64 cores.
 *
 * Those of Arm's cores are in CPUACTLR_EL1 and CPUECTLR_EL1, which can always be read. Writes trap to EL3 unless the
 * firmware has allowed them (ACTLR_EL3[1:0], ACTLR_EL2[1:0]; each core's technical reference manual, ACTLR_EL3), and
 * trusted firmware before TF-A 2.11 does not return from that trap (TF-A change log, "UNDEF injection"). Hence
 * HAZARD_HANGS. Apple's registers do not trap to EL3; under a hypervisor they are undefined.
 *
 * CPUACTLR_EL1 of A57 and A72 should be written while the system is idle, before the MMU is on (TRM, CPUACTLR_EL1,
 * usage constraints), which is not so here: one more reason for the hazard. CPUECTLR_EL1 may be written at any time.
 *
 * Bit 15 of CPUECTLR_EL1, "all data prefetchers", is no switch of Neoverse N2 and V2, Cortex-A710, X2 and X3: there it
 * may deadlock the core unless CPUACTLR2_EL1[29] is set (TF-A, lib/cpus/aarch64/wa_cve_2025_0647_cpprctx.S, which sets
 * that bit first on these cores). Of Cortex-A77, A78, X1 and Neoverse V1 no text was to be had here that names it.
 *
 * Sources, by the short names that rows carry, one or more to a row; where there is one only, the record of the run
 * says so (control_single_source):
 *   TRM    the core's technical reference manual, CPUACTLR_EL1 or CPUECTLR_EL1; of A72 also 6.4.9
 *   TF-A   Arm Trusted Firmware, include/lib/cpus/aarch64/<core>.h and lib/cpus/aarch64/<core>.S, 2026-08
 *   Altra  Ampere's driver for Altra's CPUECTLR_EL1
 *   N2     Alibaba's driver for CPUECTLR_EL1 of Neoverse N2
 *   MTK    MediaTek's cache auditor driver for A55, A75 and A76
 *   m1n1   AsahiLinux/m1n1, src/cpu_regs.h, src/mitigations.c
 */
#include <string.h>

#include "arch/aarch64/cores.h"
#include "arch/aarch64/system_registers.h"
#include "arch/control_private.h"

#define BIT(n) (UINT64_C(1) << (n))
#define DISABLE(n) .mask = BIT(n), .off = BIT(n)
/* A prefetch distance: 0 is off, and `on` is the value after reset. */
#define DISTANCE(n, reset) .mask = UINT64_C(3) << (n), .on = UINT64_C(reset) << (n)
#define GATED .hazard = HAZARD_HANGS, .scope = SCOPE_CORE
#define OPEN .hazard = HAZARD_NONE, .scope = SCOPE_CORE

/* OLD_CPUACTLR and OLD_CPUECTLR are those of A57 and A72, CPUECTLR is that of A75 and later (TRM; TF-A). */
#define OLD_CPUACTLR .register_name = "CPUACTLR_EL1", .id = ID_OLD_CPUACTLR_EL1
#define OLD_CPUECTLR .register_name = "CPUECTLR_EL1", .id = ID_OLD_CPUECTLR_EL1
#define CPUECTLR .register_name = "CPUECTLR_EL1", .id = ID_CPUECTLR_EL1
#define HID4 .register_name = "HID4_EL1", .id = ID_APPLE_HID4
#define EHID4 .register_name = "EHID4_EL1", .id = ID_APPLE_EHID4
#define HID11 .register_name = "HID11_EL1", .id = ID_APPLE_HID11

/* clang-format off: tables */
/* CPUACTLR_EL1[56] is named for A72 alone: TF-A switches no such prefetcher off on A57. */
static const struct control_switch a57[] = {
    {"l1i", "instruction prefetch", OLD_CPUACTLR, DISABLE(32), GATED, .source = "TF-A"},
    {"walk", "descriptors of table walks", OLD_CPUECTLR, DISABLE(38), GATED, .source = "TRM; TF-A"},
    {"l2-instructions", "instructions into L2", OLD_CPUECTLR, DISTANCE(35, 3), GATED, .source = "TRM; TF-A"},
    {"l2-data", "loads and stores into L2", OLD_CPUECTLR, DISTANCE(32, 3), GATED, .source = "TRM; TF-A"},
    {0}};
static const struct control_switch a72[] = {
    {"l1d", "L1D prefetcher", OLD_CPUACTLR, DISABLE(56), GATED, .source = "TRM; TF-A"},
    {"l1i", "instruction prefetch", OLD_CPUACTLR, DISABLE(32), GATED, .source = "TRM; TF-A"},
    {"walk", "descriptors of table walks", OLD_CPUECTLR, DISABLE(38), GATED, .source = "TRM; TF-A"},
    {"l2-instructions", "instructions into L2", OLD_CPUECTLR, DISTANCE(35, 3), GATED, .source = "TRM; TF-A"},
    {"l2-loads", "loads into L2", OLD_CPUECTLR, DISTANCE(32, 3), GATED, .source = "TRM; TF-A"},
    {0}};
static const struct control_switch a76[] = {
    {"data", "all data prefetchers", CPUECTLR, DISABLE(15), GATED, .source = "TRM; MTK"},
    {"store-stride", "stride of each store", CPUECTLR, DISABLE(7), GATED, .source = "TRM; MTK"},
    {"region", "region", CPUECTLR, DISABLE(5), GATED, .source = "TRM; MTK"},
    {0}};
static const struct control_switch n1[] = {
    {"data", "all data prefetchers", CPUECTLR, DISABLE(15), GATED, .source = "Altra"},
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "Altra"},
    {"store-stride", "stride of each store", CPUECTLR, DISABLE(7), GATED, .source = "Altra"},
    {"region", "region", CPUECTLR, DISABLE(5), GATED, .source = "Altra"},
    {0}};
/* Bits 7 and 6 have become a mode, and store-stride has moved. */
static const struct control_switch n2[] = {
    {"store-stride", "stride of each store", CPUECTLR, DISABLE(9), GATED, .source = "N2"},
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "N2; TF-A"},
    {0}};
/*
 * TF-A names the bit on A710 and X2. On A77, A78, X1 and V1 it sets it for errata 1925769, 1941498 and 1925756 without
 * naming it; that it means the same there is concluded from N1 before them and N2 after them.
 */
static const struct control_switch store_issue[] = {
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "TF-A"}, {0}};
/* TF-A switches it off for the time of a workaround on these, without the precaution that N2 and V2 need. */
static const struct control_switch v3[] = {
    {"data", "all data prefetchers", CPUECTLR, DISABLE(15), GATED, .source = "TF-A"}, {0}};
static const struct control_switch apple_p[] = {
    {"pointers", "data-dependent prefetcher", HID11, DISABLE(30), OPEN, .source = "m1n1"},
    {"software", "prefetch instructions", HID4, DISABLE(2), OPEN, .source = "m1n1"},
    {0}};
static const struct control_switch apple_e[] = {
    {"loads", "prefetch for loads", EHID4, DISABLE(0), OPEN, .source = "m1n1"},
    {"stores", "prefetch for stores", EHID4, DISABLE(1), OPEN, .source = "m1n1"},
    {"software", "prefetch instructions", EHID4, DISABLE(2), OPEN, .source = "m1n1"},
    {0}};
/* clang-format on */

static const struct {
    const char *core;
    const struct control_switch *set;
} rows[] = {
    {"cortex-a57", a57},          {"cortex-a72", a72},         {"cortex-a76", a76},        {"neoverse-n1", n1},
    {"cortex-a77", store_issue},  {"cortex-a78", store_issue}, {"cortex-x1", store_issue}, {"neoverse-v1", store_issue},
    {"cortex-a710", store_issue}, {"cortex-x2", store_issue},  {"neoverse-n2", n2},        {"cortex-x4", v3},
    {"cortex-x925", v3},          {"neoverse-v3", v3},         {"firestorm", apple_p},     {"avalanche", apple_p},
    {"icestorm", apple_e},        {"blizzard", apple_e},
};

/* Cores whose one known switch is not offered; see above. */
static const char *const deadlocking[] = {"neoverse-v2", "cortex-x3"};

void control_find_switches(struct control *c)
{
    const struct access *a = c->changes.access;
    uint64_t midr;
    const struct core *core = a->read(a->context, SYSTEM_REGISTER(3, 0, 0, 0, 0), &midr) ? core_find(midr)
                                                                                         : NULL; /* MIDR_EL1 */

    c->no_switches = "no prefetcher switch is known for this core";
    for (size_t i = 0; core && i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].core, core->name)) {
            c->no_switches = NULL;
            for (const struct control_switch *s = rows[i].set; s->name; s++)
                control_add_switch(c, s);
        }
    for (size_t i = 0; core && i < sizeof deadlocking / sizeof deadlocking[0]; i++)
        if (!strcmp(deadlocking[i], core->name))
            c->no_switches = "the one prefetcher switch that is known for this core may deadlock it";
}
