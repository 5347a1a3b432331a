/* Forms of x86-64 that stand for the units of a core. */
#include "arch/catalogue.h"
#include "arch/identify.h"

/*
 * Of vector operations the form of AVX comes first: beside instructions of 256 bits, as the probe form_units has them,
 * an older form merges its result with the upper half of the register, and waits for it.
 *
 * An addition without a result register: CMP. Golden Cove executes an addition of a small constant at rename, and reads
 * too few registers a cycle for five additions of two registers beside a store. Neither is true of CMP with a constant
 * (measured: five of them, and a store, each cycle).
 *
 * A shuffle between the halves of 256 bits: VPERM2F128, beside one within 128 bits, since fewer units take it on many
 * cores (uops.info: p5 beside p15 from Ice Lake to Alder Lake; Zen 4: two of the three units, measured).
 *
 * A shift without a result register: BT, which runs where shifts do (uops.info: p06 from Haswell to Alder Lake, two of
 * the four ALUs of Zen). On Zen 4 a shift that writes a register conflicts with operations that write theirs later:
 * with a multiplication issued two cycles before on the same port, and with a vector element on its way to the general
 * registers. Sixteen RORX and eight IMUL take at least 14 cycles there in whatever order, sixteen BT and eight IMUL 12
 * (measured). That is a conflict of results, not of units.
 *
 * A move from a vector: MOVMSKPS. Zen 4 has two ways from vectors to general registers: four MOVQ and four MOVMSKPS
 * take four cycles together, and either kind alone one cycle each. Results of MOVQ return on the port that shifts and
 * does not multiply, so that MOVQ conflicts with BT: four MOVQ and eight BT take five cycles, four MOVMSKPS and eight
 * BT four (measured). Results of MOVMSKPS return on one of the two other ports, where they conflict only if additions
 * fill all four: 16 LEA take one cycle more with each move; CMP, TEST and STC, which write flags alone, about one more
 * with four moves in as many cycles. That is a conflict which the probe finds and measures. On Intel's cores both moves
 * are one operation on the same port (uops.info: p0 from Haswell to Alder Lake).
 */
const struct form_unit form_units[] = {{"add", "cmp r64, i8"},
                                       {"vector multiply", "vmulpd xmm, xmm, xmm"},
                                       {"vector multiply", "mulpd xmm, xmm"},
                                       {"shift", "bt r64, i8"},
                                       {"multiply", "imul r64, r64, i8"},
                                       {"vector add", "vaddpd xmm, xmm, xmm"},
                                       {"vector add", "addpd xmm, xmm"},
                                       {"vector integer add", "vpaddd xmm, xmm, xmm"},
                                       {"vector integer add", "paddd xmm, xmm"},
                                       {"shuffle", "vpshufd xmm, xmm, i8"},
                                       {"shuffle", "pshufd xmm, xmm, i8"},
                                       {"vector to general", "vmovmskps r32, xmm"},
                                       {"vector to general", "movmskps r32, xmm"},
                                       {"vector shift", "vpslld xmm, xmm, i8"},
                                       {"vector shift", "pslld xmm, i8"},
                                       {"conversion", "vcvtdq2ps xmm, xmm"},
                                       {"conversion", "cvtdq2ps xmm, xmm"},
                                       {0}};

const struct form_unit form_units_more[] = {{"lane shuffle", "vperm2f128 ymm, ymm, ymm, i8"}, {0}};

bool form_unit_is_there(const struct form_unit *u)
{
    return u->form[0] != 'v' || identify_vector_bits() > 128;
}
