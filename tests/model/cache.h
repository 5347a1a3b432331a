/*
 * A set-associative cache, with true LRU replacement unless told otherwise, for data, instructions and decoded
 * operations alike.
 */
#ifndef FATHOM_TESTS_MODEL_CACHE_H
#define FATHOM_TESTS_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LINE_BYTES = 64 };

struct cache {
    size_t sets, ways;   /* sets: a power of two; 0 ways: there is no such cache */
    uint64_t *lines;     /* of each set in the order of use, newest first; 0 is empty */
    bool hashed;         /* the set is chosen by all address bits, each XORed into one of its number's … */
    unsigned plain_bits; /* … but for so many of the lowest of these, which nothing is XORed into */
    /* Another policy's sets; NULL: lines has them. */
    struct replacement_set *others;
};

struct cache cache_new(size_t bytes, size_t ways);
/* From now on lines are replaced by the policy of that name (lib/fit/replacement.h). */
void cache_replace_by(struct cache *c, const char *policy);
void cache_free(struct cache *c);
size_t cache_bytes(const struct cache *c);
/* Touches the line of an address, which is never 0, and puts it there when it is not. True for a hit. */
bool cache_touch(struct cache *c, uint64_t address);
/* It is about to be touched: its set had better come near. Changes nothing but the time that takes. */
void cache_prefetch(const struct cache *c, uint64_t address);

#endif
