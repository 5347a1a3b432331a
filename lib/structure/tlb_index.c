#include "lib/structure/tlb_index.h"

#include <math.h>
#include <stdio.h>

#include "lib/probe/probe.h"
#include "lib/structure/tolerances_hierarchy.h"

/* The set of a page, by its number in the area. */
static size_t set_of(const struct tlb_index *h, size_t page)
{
    const size_t number = h->pages->chase.ring.at / h->pages->page_bytes + page;
    size_t set = 0;

    for (unsigned i = 0; i < h->slices; i++)
        set ^= number >> i * h->bits;
    return set & (((size_t)1 << h->bits) - 1);
}

bool tlb_index_list(struct tlb_index *h, unsigned first_level_bits, size_t first)
{
    enum { LOWEST = (1 << TLB_INDEX_BITS_LEAST) - 1 };
    const size_t set = set_of(h, first);
    size_t count = 0, others = 0;

    for (size_t page = first; page < h->pages->count; page += (size_t)1 << first_level_bits) {
        if (set_of(h, page) == set && count < TLB_INDEX_PAGES)
            h->list[count++] = page;
        else if (set_of(h, page) != set && (page ^ first) >> first_level_bits & LOWEST && others < h->others)
            h->list[TLB_INDEX_PAGES + others++] = page;
    }
    return count == TLB_INDEX_PAGES && others == h->others;
}

bool tlb_index_kernel(struct probe *p, const struct tlb_index *h, size_t count, struct kernel *k)
{
    size_t list[TLB_INDEX_PAGES + TLB_INDEX_OTHERS];

    for (size_t i = 0; i < count; i++)
        list[i] = h->list[i];
    for (size_t i = 0; i < h->others; i++)
        list[count + i] = h->list[TLB_INDEX_PAGES + i];
    return pages_kernel_of(p, h->pages, list, count + h->others, count, k);
}

/* Divides *ratio by its nearest power of two; the exponent of that. Not log2, which rounds differently elsewhere. */
static double take_doublings(double *ratio)
{
    double doublings = 0;

    for (; *ratio > sqrt(2); doublings++)
        *ratio /= 2;
    for (; *ratio < 1 / sqrt(2); doublings--)
        *ratio *= 2;
    return doublings;
}

unsigned tlb_index_bits(const struct tlb_index *h, const double resident[TLB_INDEX_BITS_MOST + 1], double ways)
{
    double left = (double)NAN; /* doublings at the bit before */
    unsigned all = h->bits;

    for (unsigned bits = TLB_INDEX_BITS_LEAST; h->slices == 1 && bits < h->bits; bits++) {
        double off = resident[bits] / ways; /* from the nearest power of two, as a factor */
        if (!isfinite(off) || off <= 0)
            continue;
        const double doublings = take_doublings(&off);
        if (fmax(off, 1 / off) > DOUBLING_ALIKE || doublings > left)
            return 0;
        all = isnan(left) ? bits + (unsigned)doublings : all;
        left = doublings;
    }
    for (unsigned bits = h->bits + 1; h->slices == 1 && bits <= TLB_INDEX_BITS_MOST; bits++)
        if (resident[bits] > ways * DOUBLING_ALIKE)
            return 0;
    return all;
}

void tlb_index_text(const struct tlb_index *h, unsigned index_bits, char text[TLB_INDEX_TEXT])
{
    size_t used = 0;

    if (index_bits < h->bits) {
        snprintf(text, TLB_INDEX_TEXT, "%u functions of VPN[%u:0]", index_bits, h->bits - 1);
        return;
    }
    for (unsigned i = 0; i < h->slices && used < TLB_INDEX_TEXT; i++) {
        const int written = snprintf(text + used, TLB_INDEX_TEXT - used, "%sVPN[%u:%u]", i ? " ^ " : "",
                                     (i + 1) * h->bits - 1, i * h->bits);
        used += written > 0 ? (size_t)written : TLB_INDEX_TEXT;
    }
}
