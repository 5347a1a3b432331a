/*
 * Model-specific registers for the support file. A register that a core does not have faults, which is recorded.
 *
 * Sources of names and numbers: Intel SDM vol. 4, chapter 2 (2.1 for the architectural ones, named IA32_; tables of the
 * families for those named MSR_); AMD APM vol. 2, appendix A, and the PPRs of families 17h to 1Ah; all checked against
 * Linux, arch/x86/include/asm/msr-index.h, except those marked "manual alone". Registers whose reads have an effect, or
 * that hold a number of one chip (MSR_PPIN, 4FH; AMD's PPIN, C001_02F1H), are left out.
 */
#include "arch/support.h"

#include "arch/x86_64/cpu.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* clang-format off: tables */
static const struct support_register common[] = {{"IA32_TIME_STAMP_COUNTER", 0x10},
                                                 {"IA32_APIC_BASE", 0x1b},
                                                 {"IA32_BIOS_SIGN_ID", 0x8b}, /* AMD: PATCH_LEVEL */
                                                 {"IA32_MPERF", 0xe7},
                                                 {"IA32_APERF", 0xe8},
                                                 {"IA32_MTRRCAP", 0xfe},
                                                 {"IA32_MCG_CAP", 0x179},
                                                 {"IA32_MCG_STATUS", 0x17a},
                                                 {"IA32_DEBUGCTL", 0x1d9},
                                                 {"IA32_MTRR_PHYSBASE0", 0x200},
                                                 {"IA32_MTRR_PHYSMASK0", 0x201}, /* pairs to 213H: manual alone */
                                                 {"IA32_MTRR_PHYSBASE1", 0x202},
                                                 {"IA32_MTRR_PHYSMASK1", 0x203},
                                                 {"IA32_MTRR_PHYSBASE2", 0x204},
                                                 {"IA32_MTRR_PHYSMASK2", 0x205},
                                                 {"IA32_MTRR_PHYSBASE3", 0x206},
                                                 {"IA32_MTRR_PHYSMASK3", 0x207},
                                                 {"IA32_MTRR_PHYSBASE4", 0x208},
                                                 {"IA32_MTRR_PHYSMASK4", 0x209},
                                                 {"IA32_MTRR_PHYSBASE5", 0x20a},
                                                 {"IA32_MTRR_PHYSMASK5", 0x20b},
                                                 {"IA32_MTRR_PHYSBASE6", 0x20c},
                                                 {"IA32_MTRR_PHYSMASK6", 0x20d},
                                                 {"IA32_MTRR_PHYSBASE7", 0x20e},
                                                 {"IA32_MTRR_PHYSMASK7", 0x20f},
                                                 {"IA32_MTRR_PHYSBASE8", 0x210},
                                                 {"IA32_MTRR_PHYSMASK8", 0x211},
                                                 {"IA32_MTRR_PHYSBASE9", 0x212},
                                                 {"IA32_MTRR_PHYSMASK9", 0x213},
                                                 {"IA32_MTRR_FIX64K_00000", 0x250},
                                                 {"IA32_MTRR_FIX16K_80000", 0x258},
                                                 {"IA32_MTRR_FIX16K_A0000", 0x259},
                                                 {"IA32_PAT", 0x277},
                                                 {"IA32_MTRR_DEF_TYPE", 0x2ff},
                                                 {"IA32_EFER", 0xc0000080},
                                                 {"IA32_TSC_AUX", 0xc0000103}};

static const struct support_register intel[] = {{"IA32_PLATFORM_ID", 0x17},
                                                {"IA32_FEATURE_CONTROL", 0x3a},
                                                {"IA32_TSC_ADJUST", 0x3b},
                                                {"IA32_SPEC_CTRL", 0x48},
                                                {"IA32_CORE_CAPABILITIES", 0xcf},
                                                {"IA32_UMWAIT_CONTROL", 0xe1},
                                                {"IA32_ARCH_CAPABILITIES", 0x10a},
                                                {"IA32_TSX_CTRL", 0x122},
                                                {"IA32_MCU_OPT_CTRL", 0x123},
                                                {"IA32_PERF_STATUS", 0x198},
                                                {"IA32_PERF_CTL", 0x199},
                                                {"IA32_CLOCK_MODULATION", 0x19a},
                                                {"IA32_THERM_INTERRUPT", 0x19b},
                                                {"IA32_THERM_STATUS", 0x19c},
                                                {"IA32_MISC_ENABLE", 0x1a0},
                                                {"IA32_ENERGY_PERF_BIAS", 0x1b0},
                                                {"IA32_PACKAGE_THERM_STATUS", 0x1b1},
                                                {"IA32_PACKAGE_THERM_INTERRUPT", 0x1b2},
                                                {"IA32_PERF_CAPABILITIES", 0x345},
                                                {"IA32_FIXED_CTR_CTRL", 0x38d},
                                                {"IA32_PERF_GLOBAL_STATUS", 0x38e},
                                                {"IA32_PERF_GLOBAL_CTRL", 0x38f},
                                                {"IA32_PM_ENABLE", 0x770},
                                                {"IA32_HWP_CAPABILITIES", 0x771},
                                                {"IA32_HWP_REQUEST_PKG", 0x772},
                                                {"IA32_HWP_INTERRUPT", 0x773},
                                                {"IA32_HWP_REQUEST", 0x774},
                                                {"IA32_HWP_STATUS", 0x777},
                                                {"IA32_XSS", 0xda0}};

static const struct support_register intel_model[] = {{"MSR_TEST_CTRL", 0x33},
                                                      {"MSR_SMI_COUNT", 0x34},
                                                      {"MSR_FSB_FREQ", 0xcd},
                                                      {"MSR_PLATFORM_INFO", 0xce},
                                                      {"MSR_PKG_CST_CONFIG_CONTROL", 0xe2},
                                                      {"MSR_TEMPERATURE_TARGET", 0x1a2},
                                                      {"MSR_MISC_FEATURE_CONTROL", 0x1a4},
                                                      {"MSR_MISC_PWR_MGMT", 0x1aa},
                                                      {"MSR_TURBO_RATIO_LIMIT", 0x1ad},
                                                      {"MSR_TURBO_RATIO_LIMIT1", 0x1ae},
                                                      {"MSR_POWER_CTL", 0x1fc},
                                                      {"MSR_RAPL_POWER_UNIT", 0x606},
                                                      {"MSR_PKG_POWER_LIMIT", 0x610},
                                                      {"MSR_PKG_POWER_INFO", 0x614},
                                                      {"MSR_CONFIG_TDP_NOMINAL", 0x648},
                                                      {"MSR_CONFIG_TDP_LEVEL1", 0x649},
                                                      {"MSR_CONFIG_TDP_LEVEL2", 0x64a},
                                                      {"MSR_CONFIG_TDP_CONTROL", 0x64b},
                                                      {"MSR_TURBO_ACTIVATION_RATIO", 0x64c},
                                                      {"MSR_PERF_LIMIT_REASONS", 0x64f},
                                                      {"MSR_CORE_PERF_LIMIT_REASONS", 0x690}};

static const struct support_register amd[] = {{"SPEC_CTRL", 0x48},
                                              {"TSC_RATIO", 0xc0000104},
                                              {"PrefetchControl", 0xc0000108}, /* manual alone */
                                              {"PERF_CNTR_GLOBAL_STATUS", 0xc0000300},
                                              {"PERF_CNTR_GLOBAL_CTL", 0xc0000301},
                                              {"SYSCFG", 0xc0010010},
                                              {"HWCR", 0xc0010015},
                                              {"TOP_MEM", 0xc001001a},
                                              {"TOP_MEM2", 0xc001001d},
                                              {"INT_PENDING_MSG", 0xc0010055},
                                              {"MMIO_CFG_BASE_ADDR", 0xc0010058},
                                              {"PStateCurLim", 0xc0010061}, /* manual alone */
                                              {"PStateCtl", 0xc0010062},
                                              {"PStateStat", 0xc0010063},
                                              {"PStateDef0", 0xc0010064},
                                              {"PStateDef1", 0xc0010065},
                                              {"PStateDef2", 0xc0010066},
                                              {"PStateDef3", 0xc0010067},
                                              {"PStateDef4", 0xc0010068},
                                              {"PStateDef5", 0xc0010069},
                                              {"PStateDef6", 0xc001006a},
                                              {"PStateDef7", 0xc001006b},
                                              {"SMM_ADDR", 0xc0010112},
                                              {"SMM_MASK", 0xc0010113},
                                              {"VM_CR", 0xc0010114},
                                              {"SEV_STATUS", 0xc0010131},
                                              {"OSVW_ID_LENGTH", 0xc0010140},
                                              {"OSVW_STATUS", 0xc0010141},
                                              {"RAPL_PWR_UNIT", 0xc0010299},
                                              {"CPPC_CAPABILITY_1", 0xc00102b0},
                                              {"CPPC_ENABLE", 0xc00102b1},
                                              {"CPPC_CAPABILITY_2", 0xc00102b2},
                                              {"CPPC_REQUEST", 0xc00102b3},
                                              {"CPPC_STATUS", 0xc00102b4}};

static const struct support_register amd_model[] = {{"LS_CFG", 0xc0011020},
                                                    {"IC_CFG", 0xc0011021},
                                                    {"DC_CFG", 0xc0011022},
                                                    {"TW_CFG", 0xc0011023},
                                                    {"DE_CFG", 0xc0011029},
                                                    {"BU_CFG2", 0xc001102a},
                                                    {"CU_CFG3", 0xc001102b} /* CoreFreq: x86_64/amd_reg.h */,
                                                    {"EX_CFG", 0xc001102c},
                                                    {"BP_CFG", 0xc001102e}};
/* clang-format on */

static bool is_intel(const struct cpu *c)
{
    return c->vendor == 'I' && c->family != 15; /* NetBurst has other registers at these numbers */
}

static bool is_amd(const struct cpu *c)
{
    return (c->vendor == 'A' || c->vendor == 'H') && c->family >= 0x10;
}

size_t support_groups(const struct access *a, struct support_group out[SUPPORT_GROUPS])
{
    static const char text[] = "reads model-specific registers for the support file";
    struct cpu cpu;
    size_t count = 0;

    cpu_find(a, &cpu);
    out[count++] = (struct support_group){"support-common", text, common, COUNT(common)};
    if (is_intel(&cpu)) {
        out[count++] = (struct support_group){"support-intel", text, intel, COUNT(intel)};
        out[count++] = (struct support_group){"support-model", text, intel_model, COUNT(intel_model)};
    } else if (is_amd(&cpu)) {
        out[count++] = (struct support_group){"support-amd", text, amd, COUNT(amd)};
        out[count++] = (struct support_group){"support-model", text, amd_model, COUNT(amd_model)};
    }
    return count;
}
