/*
 * Dependency chains of several kinds of instruction: links of arch/form_links.h, one after the other, through one
 * register.
 */
#ifndef FATHOM_LIB_KERNELS_LINK_CHAIN_H
#define FATHOM_LIB_KERNELS_LINK_CHAIN_H

#include "arch/form_links.h"
#include "lib/probe/probe.h"

enum { LINK_CHAIN_LINKS = 8, LINK_CHAIN_DATA_BYTES = 4096 };

/* The links of one round, which is repeated. */
struct link_chain {
    const struct form_link *links[LINK_CHAIN_LINKS];
    unsigned count;
    const struct area *data; /* LINK_CHAIN_DATA_BYTES, filled by link_chain_fill */
};

/* Writes what chains load: an address, and values of registers. */
void link_chain_fill(const struct area *data);
/* The forms of a link that the catalogue has, one or two; false where it lacks one. */
bool link_forms(const struct form_link *link, const struct form *forms_found[2], unsigned *count);
/*
 * Sets *cycles to those of a round: the median of `samples` measurements of some two hundred links in a loop. NaN: no
 * reading was accepted. False: the probe has ended.
 */
bool link_chain_cycles(struct probe *p, const struct link_chain *chain, unsigned samples, double *cycles);
/* Emits `rounds` rounds of the chain, for tests; the registers must have their values. */
void emit_link_chain(struct code *c, const struct link_chain *chain, unsigned rounds);
/* Emits what gives registers their values. REG_DATA must point to what link_chain_fill has written. */
void emit_link_values(struct code *c);

#endif
