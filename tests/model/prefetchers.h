/*
 * Prefetchers of a modelled core: each sees loads, some only those that miss or stores as well, and brings lines into a
 * level of cache and all behind it, at once. Addresses are virtual, or those of frames.
 */
#ifndef FATHOM_TESTS_MODEL_PREFETCHERS_H
#define FATHOM_TESTS_MODEL_PREFETCHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PREFETCH_ENTRIES = 64,
    PREFETCHES = 128,
    PREFETCH_DELTAS = 32,
    PREFETCH_ARRAYS = 4,
    PREFETCH_SUCCESSORS = 1 << 18
};

/* The next lines, or the other half of a pair of lines. */
struct neighbour_design {
    bool on, pair;
    bool first_of_page; /* only after the first access to a page for a while: one of the last eight pages is not */
    unsigned degree;    /* next lines */
    size_t into;        /* level, 0 is the first */
};

/* Which accesses a prefetcher of sequences sees; else it sees all loads. */
struct seen_design {
    bool misses_only; /* not those that hit the first level */
    bool stores;      /* stores as well */
};

/* A load instruction whose addresses are a constant distance apart. */
struct stride_design {
    unsigned entries; /* instructions that are remembered, with LRU replacement; 0: there is no such prefetcher */
    struct seen_design sees;
    bool by_line;   /* distances are of lines, and accesses to the same line are none; else of bytes */
    unsigned least; /* bytes: a distance is no shorter; a multiple of 8, or 1 */
    unsigned spare; /* loads behind training that add confidence, … */
    unsigned
        keeps; /* … of which one wrong distance takes all but this much, and keeps the stride; 0: it keeps nothing */
    unsigned train;    /* loads at constant distances until it begins, 3 or more */
    unsigned degree;   /* lines for each load */
    unsigned distance; /* strides to the farthest of them */
    unsigned lines;    /* a stride is that many lines at most */
    unsigned bits;     /* low bits of the instruction's address that it is known by; 0: all */
    bool crosses;      /* it goes on behind 4 KiB, … */
    bool within;       /* … but not behind the end of a page, if that is larger; … */
    bool by_frame;     /* … in the next page, which is that of the next frame */
    unsigned grows;    /* lines farther at most, a stride or line more for each load behind training */
    size_t into;
};

/* Lines in ascending or descending order within a page, whatever loads them. */
struct stream_design {
    unsigned entries; /* pages that are followed, with LRU replacement; 0: there is no such prefetcher */
    unsigned train;   /* accesses in one direction, each to the line behind the last, until it begins, 2 or more */
    unsigned degree, distance; /* as above, in lines */
    unsigned gap;              /* lines from one access to the next, at most */
    bool down;                 /* it also follows descending lines */
    struct seen_design sees;
    unsigned grows; /* as above */
    size_t into;
};

/* What lines of a region follow its first access: remembered by the instruction of that, by its line, or by both. */
struct region_design {
    unsigned bytes; /* of a region, a power of two; 0: there is no such prefetcher */
    /*
     * Not 0: no region with borders, but lines near the first access are remembered by their distance from it, so many
     * lines before and behind it at most, in the same page; `bytes` only says that it is there.
     */
    unsigned before, behind;
    unsigned active;                                                              /* regions that are being recorded */
    enum region_key { BY_INSTRUCTION, BY_INSTRUCTION_AND_OFFSET, BY_OFFSET } key; /* that finds a pattern */
    size_t into;
};

/* Distances of a load instruction, in lines, that have followed the same ones before (DCPT: Grannaes et al. 2011). */
struct delta_design {
    unsigned deltas; /* remembered of each instruction, PREFETCH_DELTAS at most; 0: there is no such prefetcher */
    unsigned match;  /* that must be alike, 2 or more */
    unsigned degree; /* lines that are brought, all in the page of the access */
    size_t into;
};

/* The load that followed a load of the same line before, whatever loads it. */
struct replay_design {
    unsigned
        degree; /* lines that are brought: that load, the one that followed it, …; 0: there is no such prefetcher */
    unsigned seen;    /* times in a row that it must have followed the same one, 1 or more */
    unsigned history; /* the latest loads that are remembered; 0: all are */
    unsigned entries; /* that all lines share by a hash, a power of two; 0: so many that hardly any is shared */
    size_t into;
};

/*
 * Loads from where pointers lead: of an array of pointers, a word apart, each of which was loaded and followed, or of
 * each line of which any pointer is loaded.
 */
struct pointer_design {
    unsigned
        train; /* pointers that are loaded and followed until it begins, 2 or more; 0: there is no such prefetcher */
    unsigned ahead;  /* pointers that are followed then, with each that is loaded */
    bool lines;      /* it follows all pointers of a line, and has no training: train only says that it is there */
    uint64_t heeded; /* bits that must be 0, or it is no pointer; other bits than those of an address do not matter */
    unsigned levels; /* lines in a row that it brings, each from where a pointer in the one before leads, 1 or more */
    size_t into;
};

/* Kinds that bring fewer lines for an access while so many lines that loads have missed are under way. */
struct throttle_design {
    unsigned under_way; /* 0: none do */
    uint64_t kinds;     /* a bit for each switch: its kinds do */
    unsigned leaves;    /* lines that are still brought */
};

struct prefetcher_design {
    bool switches; /* it has them */
    struct throttle_design throttle;
    struct neighbour_design next, pair;
    struct stride_design stride;
    struct stream_design stream;
    struct region_design region;
    struct delta_design deltas;
    struct replay_design replay;
    struct pointer_design pointers;
};

/* The switches of a core that has some: each turns off a kind. */
enum prefetcher_switch {
    SWITCH_NEIGHBOURS,
    SWITCH_STRIDE,
    SWITCH_STREAM,
    SWITCH_REGION,
    SWITCH_REPEATS, /* distances and replay */
    SWITCH_POINTERS,
    SWITCHES
};
extern const char *const prefetcher_switch_names[SWITCHES];

/* Which entry of a table with LRU replacement it is, and when it was used last; 0: never. The entry begins with it. */
struct entry_id {
    uint64_t key, used;
};

struct prefetchers {
    struct prefetcher_design design;
    uint64_t off; /* a bit for each switch */
    bool any;     /* there is one */
    uint64_t now;
    uint64_t pages[8];
    bool new_page; /* the access at hand is to none of them */
    struct stride_entry {
        struct entry_id id; /* by low bits of the instruction's address */
        int64_t last, stride;
        unsigned same;
        unsigned brought; /* loads for which lines were, since it was trained */
    } strides[PREFETCH_ENTRIES];
    struct stream_entry {
        struct entry_id id; /* by page */
        int64_t last;
        int direction;
        unsigned run;
    } streams[PREFETCH_ENTRIES];
    struct region_entry {
        struct entry_id id;         /* by region while it is recorded; then by its pattern's key */
        uint64_t key, lines, first; /* first: line */
    } active[PREFETCH_ENTRIES], patterns[PREFETCH_ENTRIES];
    struct delta_entry {
        struct entry_id id;                    /* by instruction */
        int64_t last, deltas[PREFETCH_DELTAS]; /* the latest first */
        unsigned count;
    } deltas[PREFETCH_ENTRIES];
    struct successor {
        uint64_t line, next, at; /* at: number of the load that followed */
        unsigned seen;
    } * successors;            /* by the line's lowest bits; a core without replay has none */
    uint64_t last_line, loads; /* of those that a replay sees, the latest one, and how many */
    struct pointer_entry {
        uint64_t pc, address, value;
        unsigned followed;               /* so many pointers, each a word behind the one before */
    } pointers[PREFETCH_ARRAYS], latest; /* of arrays, a load instruction each; the latest load */
    unsigned next_pointer;               /* of these, the one that is replaced next */
};

/* An access by the instruction at `pc`; hit: the first level has the line. */
struct prefetcher_access {
    uint64_t pc, address;
    uint64_t page_bytes; /* of the page that the address lies in */
    bool store, hit;
    unsigned under_way; /* lines that earlier loads have missed, as it begins */
    /* The word at that address of the same memory, `memory` being passed on; 0: there is none. */
    uint64_t (*word)(const void *memory, uint64_t address);
    const void *memory;
};

/* A line that is brought into a level. */
struct prefetched {
    uint64_t address;
    size_t into;
    bool by_frame; /* the line is as far from the access as it says, but by the addresses of frames */
};

void prefetchers_start(struct prefetchers *p, const struct prefetcher_design *design);
void prefetchers_stop(struct prefetchers *p);
/* Returns how many lines are prefetched because of an access, PREFETCHES at most; `out` has room for one more. */
size_t prefetchers_see(struct prefetchers *p, const struct prefetcher_access *a, struct prefetched *out);

#endif
