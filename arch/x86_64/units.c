/* Forms of x86-64 that stand for the units of a core. */
#include "arch/catalogue.h"
#include "arch/identify.h"

/*
 * An addition whose result nobody keeps: CMP. Golden Cove executes an addition of a small constant when it renames
 * registers, and reads too few registers a cycle for five additions of two beside a store: CMP with a constant
 * is neither (measured: five of them, and a store, each cycle).
 *
 * A shift whose result nobody keeps: BT, which runs where shifts do (uops.info: p06 from Haswell to Alder Lake, two of
 * the four ALUs of Zen). On Zen 4 one that writes a register is in the way of what writes its own later: of a multiply
 * issued two cycles before on the same port, of a vector's element on its way to the general registers. Sixteen RORX and
 * eight IMUL take at least 14 cycles there in whatever order, sixteen BT and eight IMUL 12, and four moves from a vector
 * come free beside sixteen BT, but not beside sixteen RORX (measured). That is a conflict of results, not of units.
 *
 * The move from a vector has it with all that runs on the port of Zen 4 which shifts and does not multiply: 16 LEA take
 * four cycles, and in even orders one more with each move; eight RORX likewise. Beside CMOV or SETC, which the two other
 * ports run, moves come free (measured). What writes flags alone is less in the way: beside as many CMP or BT as there
 * are ports for, three moves in four cycles are free, and each one beyond that takes a cycle. None of what else the four
 * ports run without a result in a register (TEST, STC, CMP and BT of other widths) is better. So where moves run at their
 * full rate beside shifts that fill both ports, a mix takes up to a quarter longer than units allow: the map is not wrong
 * about it, it has nothing to say of results.
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
                                       {"shuffle", "pshufd xmm, xmm, i8"},
                                       {"vector to general", "movq r64, xmm"},
                                       {"vector shift", "vpslld xmm, xmm, i8"},
                                       {"vector shift", "pslld xmm, i8"},
                                       {"conversion", "cvtdq2ps xmm, xmm"},
                                       {0}};

bool form_unit_is_there(const struct form_unit *u)
{
    return u->form[0] != 'v' || identify_vector_bits() > 128;
}
