/*
 * Prefetcher switches of AArch64 cores.
 *
 * Those of Arm's cores are in CPUACTLR_EL1 and CPUECTLR_EL1, which can always be read. Writes trap to EL3 unless the
 * firmware has allowed them (ACTLR_EL3[1:0], ACTLR_EL2[1:0]; each core's technical reference manual, ACTLR_EL3), and
 * trusted firmware before TF-A 2.11 does not return from that trap (TF-A change log, "UNDEF injection"). Hence
 * HAZARD_HANGS. Apple's registers do not trap to EL3; under a hypervisor they are undefined.
 *
 * Sources, by the short names that rows carry:
 *   TRM    the core's technical reference manual, CPUACTLR_EL1 or CPUECTLR_EL1
 *   TF-A   Arm Trusted Firmware, include/lib/cpus/aarch64/<core>.h and lib/cpus/aarch64/<core>.S
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
    {"data", "all data prefetchers", CPUECTLR, DISABLE(15), GATED, .source = "Altra; TF-A"},
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "Altra"},
    {"store-stride", "stride of each store", CPUECTLR, DISABLE(7), GATED, .source = "Altra"},
    {"region", "region", CPUECTLR, DISABLE(5), GATED, .source = "Altra"},
    {0}};
/* Bits 7 and 6 have become a mode, and store-stride has moved. */
static const struct control_switch n2[] = {
    {"data", "all data prefetchers", CPUECTLR, DISABLE(15), GATED, .source = "N2"},
    {"store-stride", "stride of each store", CPUECTLR, DISABLE(9), GATED, .source = "N2"},
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "N2; TF-A"},
    {0}};
static const struct control_switch a710[] = {
    {"store-issue", "lines that stores will need", CPUECTLR, DISABLE(8), GATED, .source = "TF-A"}, {0}};
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
    {"cortex-a57", a72},    {"cortex-a72", a72},   {"cortex-a76", a76},   {"neoverse-n1", n1},
    {"neoverse-n2", n2},    {"cortex-a710", a710}, {"cortex-x2", a710},   {"firestorm", apple_p},
    {"avalanche", apple_p}, {"icestorm", apple_e}, {"blizzard", apple_e},
};

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
}
