#include "tests/model/tage_bits.h"

#include <stdio.h>

#include "tests/model/check.h"

enum { PAGE_BITS = 12 };

/* What the index and the tag of tagged tables make of that address bit. */
static uint64_t of_bit(const struct tage_design *t, unsigned bit)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < t->index_bits; i++)
        all |= (t->index_pc[i] >> bit & 1) << i;
    for (unsigned i = 0; i < t->tag_bits; i++)
        all |= (t->tag_pc[i] >> bit & 1) << (TAGE_BITS + i);
    return all;
}

/* Bits within a page that are in these, those of which only the XOR is joined by ^: "0 1^12 2". */
static void address_text(const struct tage_design *t, uint64_t of, char out[200])
{
    size_t used = 0;

    out[0] = 0;
    for (unsigned bit = 0; bit < PAGE_BITS; bit++) {
        bool first = (of_bit(t, bit) & of) != 0;
        for (unsigned before = 0; before < bit; before++)
            first &= ((of_bit(t, before) ^ of_bit(t, bit)) & of) != 0;
        for (unsigned also = bit; also < PAGE_BITS && first; also++)
            if (!((of_bit(t, also) ^ of_bit(t, bit)) & of))
                used += (size_t)snprintf(out + used, 200 - used, "%s%u", also > bit ? "^" : used ? " " : "", also);
    }
    if (!used)
        snprintf(out, 200, "none");
}

void check_address_bits(const struct machine_design *m, const struct tage_design *t, const char *name,
                        const char *table, uint64_t of)
{
    char truth[200];
    const char *f = finding_of(name, table ? "table" : NULL, table);

    address_text(t, of, truth);
    if (is_decided(m, f, name, table) && !has_field(f, "value", truth))
        complain(m, "%s are not %s", name, truth);
}
