/*
 * Privileged instructions of AArch64, and barriers and maintenance of caches. Encodings: Arm ARM DDI 0487, C5.3 to
 * C5.5, C6.2 (DSB, ISB), D24.2 (TTBR0_EL1). TTBR0 gets the value it has; what is invalidated is a page or a line of the
 * data. ERET returns to the next instruction, with the state that SVC has left in SPSR_EL1: the one before it.
 */
#include "arch/emit_privileged.h"
#include "arch/returns.h"
#include "arch/aarch64/encode.h"

enum { READ_TTBR0, WRITE_TTBR0, TLBI, AT, DSB, ISB, DC_CIVAC, IC_IVAU, SVC, ERET };

const struct emit_privileged emit_privileged_list[] = {
    [READ_TTBR0] = {"read-ttbr0", 1},
    [WRITE_TTBR0] = {"write-ttbr0", 2},
    [TLBI] = {"tlbi-va", 3},
    [AT] = {"at-read", 2},
    [DSB] = {"dsb", 1},
    [ISB] = {"isb", 1},
    [DC_CIVAC] = {"dc-civac", 2},
    [IC_IVAU] = {"ic-ivau", 3},
    [SVC] = {"svc", 1},
    [ERET] = {"eret", 3},
    {.name = NULL},
};

enum {
    MRS_TTBR0 = 0xd5382000,
    MSR_TTBR0 = 0xd5182000,
    TLBI_VAAE1 = 0xd5088760,
    AT_S1E1R = 0xd5087800,
    DSB_NSH = 0xd503379f,
    DSB_SY = 0xd5033f9f,
    ISB_SY = 0xd5033fdf,
    DC_CIVAC_X = 0xd50b7e20,
    IC_IVAU_X = 0xd50b7520,
    SVC_RETURNS = 0xd4000001 | RETURNING_CALL << 5,
    ADR_12 = 0x10000060, /* ADR: the address of the third instruction behind it */
    MSR_ELR = 0xd5184020,
    ERET_WORD = 0xd69f03e0,
    UBFX_12_44 = 0xd34cdc00 /* UBFX: bits 55:12, which is how TLBI names a page */
};

static void append_one(struct code *c, uint32_t word)
{
    append(c, word, (struct work){.instructions = 1});
}

void emit_privileged_begin(struct code *c, const struct emit_privileged *p)
{
    switch (p - emit_privileged_list) {
    case WRITE_TTBR0: append_one(c, MRS_TTBR0 | rd(c, REG_T0)); break;
    case TLBI: append_one(c, UBFX_12_44 | rn(c, REG_DATA) | rd(c, REG_T0)); break;
    case ERET: append_one(c, SVC_RETURNS); break;
    default: break;
    }
}

void emit_privileged(struct code *c, const struct emit_privileged *p)
{
    switch (p - emit_privileged_list) {
    case READ_TTBR0: append_one(c, MRS_TTBR0 | rd(c, REG_T0)); break;
    case WRITE_TTBR0:
        append_one(c, MSR_TTBR0 | rd(c, REG_T0));
        append_one(c, ISB_SY);
        break;
    case TLBI:
        append_one(c, TLBI_VAAE1 | rd(c, REG_T0));
        append_one(c, DSB_NSH);
        append_one(c, ISB_SY);
        break;
    case AT:
        append_one(c, AT_S1E1R | rd(c, REG_DATA));
        append_one(c, ISB_SY);
        break;
    case DSB: append_one(c, DSB_SY); break;
    case ISB: append_one(c, ISB_SY); break;
    case DC_CIVAC:
        append_one(c, DC_CIVAC_X | rd(c, REG_DATA));
        append_one(c, DSB_SY);
        break;
    case IC_IVAU:
        append_one(c, IC_IVAU_X | rd(c, REG_DATA));
        append_one(c, DSB_NSH);
        append_one(c, ISB_SY);
        break;
    case SVC: append_one(c, SVC_RETURNS); break;
    default:
        append_one(c, ADR_12 | rd(c, REG_T0));
        append_one(c, MSR_ELR | rd(c, REG_T0));
        append_one(c, ERET_WORD);
    }
}
