/*
 * A set-associative cache, with LRU replacement unless another policy is set: of data, instructions or decoded
 * operations. Tables of other things, such as TLBs, are caches with a line for each entry.
 */
#ifndef FATHOM_TESTS_MODEL_CACHE_H
#define FATHOM_TESTS_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line, unless the design has others. */
enum { CACHE_LINE_BYTES = 64 };
/* Policies of a cache whose sets duel; most by which the misses of one may lead: a counter of ten bits. */
enum { CACHE_DUELISTS = 2, CACHE_SELECTOR = 511 };

/* Sets that duel: leader sets of either policy, which the others follow. */
struct cache_duel {
    const struct replacement_policy *policies[CACHE_DUELISTS];
    size_t apart;   /* sets from one leader of a policy to the next, but for … */
    bool scattered; /* … that the number of the next is one higher within these, or one lower for the second policy */
    int selector;   /* misses of the first policy more than of the second, as far as they are counted */
};

struct cache {
    size_t sets, ways; /* sets: a power of two; 0 ways: there is no such cache, and every access misses */
    size_t line_bytes;
    unsigned line_bits;  /* its binary logarithm */
    uint64_t *lines;     /* of each set, the latest used first; 0 is empty */
    bool hashed;         /* the index is made of all address bits, XORed onto its own bits, … */
    unsigned plain_bits; /* … but for that many of its lowest bits */
    /* The sets of another policy than LRU; NULL: they are in `lines`. */
    struct replacement_set *others;
    struct cache_duel *duel; /* NULL: all sets have one policy */
    bool renewed_together;   /* NRU: where a set has no bit left, those of all sets are set again */
    uint32_t *kept;          /* of each set: changes_keep */
    uint64_t evicted;        /* the address of the line that the last access has replaced; 0: none, or another policy */
};

struct cache cache_new(size_t bytes, size_t ways);
/* The same with lines of another length. */
struct cache cache_with_lines(size_t bytes, size_t ways, size_t line_bytes);
/* Replaces lines by the policy of that name from now on (lib/structure/replacement.h). */
void cache_replace_by(struct cache *c, const char *policy);
/* Lets the policy that was set and `second` duel. */
void cache_duel(struct cache *c, const char *second, size_t apart, bool scattered);
/* The number of the policy that a set leads for; CACHE_DUELISTS: none. */
int cache_leads(const struct cache_duel *d, size_t set);
void cache_free(struct cache *c);
size_t cache_bytes(const struct cache *c);
/* Accesses the line of an address, which must not be 0. True for a hit; after a miss the cache has the line. */
bool cache_touch(struct cache *c, uint64_t address);
/* Whether the cache has the line of an address, which is no access to it. */
bool cache_has(const struct cache *c, uint64_t address);
/* Takes the line of an address out of an LRU cache. Whether it was there. */
bool cache_remove(struct cache *c, uint64_t address);
/* Prefetches the set of a line that is about to be accessed. Changes nothing but how fast the model is. */
void cache_prefetch(const struct cache *c, uint64_t address);

#endif
