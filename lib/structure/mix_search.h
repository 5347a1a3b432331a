/*
 * The fastest order of a mix (docs/METHODS.md, 6.7). Schedulers bind operations to ports before it is known which will
 * be free, better in one order than in another: a mix takes what its ports allow only in a good order, so the best of
 * many counts.
 *
 * Where a mix takes longer than it should (PORTS_REACHED), orders of one or a few mixes that repeat are searched: some
 * are drawn at random, then one to three pairs of positions of the best one are exchanged at a time, which is kept
 * where it is hardly slower. Such a search ends in an order that few small changes improve, so there are many of them,
 * until the mix takes what a map of ports predicts or their number is spent. Each order has one quick sample; the best
 * one is measured until it was as fast twice, 64 times at most, since some orders keep their pace only by how they are
 * entered.
 *
 * Blanks, instructions that take a slot of the front end and no unit, hold the front end back to what the ports can do.
 * On Zen 4 vector operations go to one of two schedulers by whether they are in an even or an odd slot of the front
 * end, whatever is between them, while there is room in both. (Measured with additions and multiplications that all
 * wait for one load: they take as long as the fullest port if every second slot goes to the other scheduler, to the
 * cycle in 1425 of 1500 random orders of 8 to 32 of them, within one cycle in 1497, and the same with zeros between
 * them.) Each scheduler has a port for additions, which can shuffle too, and one for multiplications; one of these two
 * can shuffle as well. Shuffles beside as many additions as two ports take must then be in even slots, say,
 * multiplications in odd ones and additions in both, with a front end no faster than the ports: at random one order in
 * millions is so. Therefore most orders are drawn with kinds on one side or on both, and with an even number of slots,
 * so that each round begins like the one before. Two NOPs side by side take one slot there, so blanks are those whose
 * rate is nearest to that of instructions: zeros.
 */
#ifndef FATHOM_LIB_STRUCTURE_MIX_SEARCH_H
#define FATHOM_LIB_STRUCTURE_MIX_SEARCH_H

#include "lib/probe/probe.h"
#include "lib/structure/mixes.h"

enum { MIX_BLANKS = 12 };

struct mix_search {
    struct probe *probe;
    struct mixes mixes;
    unsigned orders;        /* measured of each mix before any search: the first one spread evenly, others random */
    unsigned confirmations; /* measurements besides of an order that is better than those before */
    unsigned searches;      /* for the best order of a mix that is slower than it should be, at most … */
    unsigned tries;         /* … and orders in one search */
    uint64_t quick_samples; /* taken … */
    uint64_t quick_samples_most; /* … after which nothing more is searched */
    struct mix_blank blanks[MIX_BLANKS];
    double blank_rates[MIX_BLANKS]; /* a cycle, each */
    size_t blank_count;
    double width;                /* the highest of those */
    double reached;              /* the most instructions a cycle so far */
    double alone[PORTS_CLASSES]; /* cycles of one instruction; 0: not measured yet */
};

/*
 * Lists the kinds of blanks, NOPs of the first `nop_lengths` lengths of the ISA, MIX_BLANKS at most, and idioms that
 * clear a register, measures their rates, and sets s->width to the highest: that of long NOPs may be limited by
 * fetching. Blanks, rates, width and the mix and order in s->mixes must be zero before. False: the probe is over.
 */
bool mix_search_width(struct mix_search *s, size_t nop_lengths);
/*
 * Sets mix->cycles to those of the mix in the fastest order that is found, where no map predicts them. It is a
 * ports_measure whose context is the struct mix_search. False: the probe is over, or no reading was accepted.
 */
bool mix_search_measure(void *search, struct ports_mix *mix);
/*
 * Sets mix->cycles to those of the mix in the fastest order that is found, where a map expects `expected` cycles: a
 * first search aims at the part PORTS_REACHED above that, the others at the part `near`, `searches` in all at most, and
 * no more than s->searches and the quick samples allow. False: the probe is over, or no reading was accepted;
 * mix->cycles is 0 in the second case.
 */
bool mix_search_expected(struct mix_search *s, struct ports_mix *mix, double expected, unsigned searches, double near);
/*
 * The blanks that take a slot each, as an instruction does: those whose rate is nearest to the highest of instructions
 * so far. Sets *rate to how many of them begin in a cycle. There must be blanks: mix_search_width.
 */
struct mix_blank mix_search_blank(const struct mix_search *s, double *rate);
/* Whether there are quick samples left. */
bool mix_search_has_time(const struct mix_search *s);

#endif
