#include "arch/aarch64/own/el2_controls.h"

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
