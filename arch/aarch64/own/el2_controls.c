#include "arch/aarch64/own/el2_controls.h"

#include "arch/aarch64/system_registers.h"

/* All registers: Arm ARM DDI 0487, D19.2; CNTHCTL_EL2: D19.12. */

#define BIT(n) (UINT64_C(1) << (n))
#define BITS(n, m) (BIT((n) + 1) - BIT(m)) /* n down to m */

/*
 * HCR_EL2: RW 31, EL1 is AArch64; APK 40 and API 41, pointer authentication does not trap. E2H stays as
 * it is, since EL2 itself runs by it. All else is off: stage 2 (VM 0), every trap, and TGE 27, which
 * would send EL1's exceptions to EL2. FMO 3 and IMO 4 send interrupts there, as the firmware wants its own.
 */
uint64_t hcr_worker(uint64_t found, bool interrupts_to_el2)
{
    return BIT(31) | BIT(40) | BIT(41) | (found & HCR_E2H) | (interrupts_to_el2 ? BIT(3) | BIT(4) : 0);
}

/*
 * CPTR_EL2: floating point and vectors are on already (vector_state.c). What else traps EL1 is TCPAC 31
 * (CPACR_EL1) and TAM 30 (activity monitors) in either layout. Trace (TTA) may trap: nothing uses it.
 */
uint64_t cptr_worker(uint64_t found)
{
    return found & ~(BIT(31) | BIT(30));
}

/*
 * CNTHCTL_EL2: EL1 may use the physical counter and timer, EL1PCTEN 0 and EL1PCEN 1, with E2H 10 and 11.
 * With FEAT_ECV and later, traps and masks of EL1's timers and counters: 16 to 13, 19 and 18.
 */
uint64_t cnthctl_worker(uint64_t found, bool e2h)
{
    return (found & ~(BITS(16, 13) | BITS(19, 18))) | (e2h ? BITS(11, 10) : BITS(1, 0));
}

/*
 * MDCR_EL2: EL1 may use the performance monitors (TPMCR 5, TPM 6) and keeps its debug exceptions (TDE 8,
 * TDA 9, TDOSA 10, TDRA 11). HPMN [4:0], how many event counters EL1 has, stays, unless it is none.
 */
uint64_t mdcr_worker(uint64_t found, unsigned counters)
{
    uint64_t value = found & ~(BITS(6, 5) | BITS(11, 8));

    return value & BITS(4, 0) ? value : value | counters;
}

/*
 * HDFGRTR2_EL2: nPMICNTR_EL0 2 lets EL1 read the instruction counter, which the reader does; its other bits let EL1
 * read what nothing here reads (Linux, arch/arm64/include/asm/el2_setup.h, __init_el2_fgt2).
 */
uint64_t hdfgrtr2_worker(uint64_t found)
{
    return found | BIT(2);
}

/*
 * HCRX_EL2: 0 gives EL1 what it was before the extensions that the register enables. TCR2En 14, SCTLR2En 15 and D128En
 * 17: whatever TCR2_EL1 and SCTLR2_EL1 hold has no effect, so that descriptors mean what tables.c writes. TALLINT 6,
 * TMEA 19, VINMI 7 and VFNMI 8: no trap of interrupt masks, and external aborts stay with EL1.
 */
uint64_t hcrx_worker(void)
{
    return 0;
}

static uint64_t announced(const struct access *a, uint32_t id, unsigned low)
{
    uint64_t value = 0;

    return a->read(a->context, id, &value) ? value >> low & 0xf : 0;
}

static bool readable(const struct access *a, uint32_t id)
{
    uint64_t value;

    return a->read(a->context, id, &value);
}

/*
 * FGT is ID_AA64MMFR0_EL1 [59:56], 2 from FEAT_FGT2 on; HCX is ID_AA64MMFR1_EL1 [43:40]; PMICNTR is ID_AA64DFR1_EL1
 * [39:36]; PMUVer is ID_AA64DFR0_EL1 [11:8]; PMCR_EL0.N is [15:11], and at EL2 counts all (Arm ARM DDI 0487). What
 * keeps them: SCR_EL3's FGTEn 27, FGTEn2 59 and HXEn 38, MDCR_EL3's TPM 6.
 */
struct el2_extensions el2_extensions(const struct access *a)
{
    const uint64_t fgt = announced(a, ID_ID_AA64MMFR0_EL1, 56), pmu = announced(a, ID_ID_AA64DFR0_EL1, 8);
    struct el2_extensions e = {
        .fine_traps = fgt >= 1 && readable(a, ID_HFGRTR_EL2),
        .instruction_traps = fgt >= 2 && announced(a, ID_ID_AA64DFR1_EL1, 36) && readable(a, ID_HDFGRTR2_EL2),
        .hcrx = announced(a, ID_ID_AA64MMFR1_EL1, 40) && readable(a, ID_HCRX_EL2),
    };
    uint64_t pmcr;

    if (pmu != 0 && pmu != 0xf && a->read(a->context, ID_PMCR_EL0, &pmcr))
        e.counters = pmcr >> 11 & 0x1f;
    return e;
}
