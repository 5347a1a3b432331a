/*
 * A modelled core: Unicorn executes the code, and every instruction takes the time that a design says.
 *
 * The design is that of an ideal out-of-order core. The front end delivers instructions in order, as
 * fast as its width and the place they are fetched from allow. An instruction starts as soon as its
 * operands are ready, however many came before it, and is done after its latency; it retires behind all
 * those, as fast as there is width for it, and what lies behind a fence waits for that. A mispredicted branch holds the
 * front end until it is done and a penalty has passed. A call of a kernel lasts until everything is done.
 */
#ifndef FATHOM_TESTS_MODEL_CORE_H
#define FATHOM_TESTS_MODEL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/window.h"
#include "tests/model/history.h"
#include "tests/model/in_flight.h"
#include "tests/model/load_predictor.h"
#include "tests/model/load_store.h"
#include "tests/model/scheduler.h"
#include "tests/model/ways.h"
#include "tests/model/stores.h"

enum { DATA_LEVELS = 3, TARGET_LEVELS = 2, PAGE_LEVELS = 2 };

struct cache_design {
    size_t bytes, ways; /* 0: there is none */
    double latency;     /* load-to-use, cycles */
    const char *policy; /* by which lines are replaced (lib/fit/replacement.h); NULL: LRU */
    bool hashed;        /* sets are chosen by a hash of the address … */
    unsigned plain_bits; /* … which leaves so many of the set's lowest bits alone, as Zen 4's second level does three */
};

/* A level of branch target buffer: sets of least recently used branches, by address bits from `low` on. */
struct target_design {
    size_t sets, ways; /* 0: there is none */
    unsigned low;
    double cycles; /* from one taken branch to the next, if it holds it */
};

/* A level of TLB: the same of pages. */
struct page_design {
    size_t sets, ways;
    double miss; /* what it costs on top that this level does not hold the page */
    bool hashed; /* the set is the exclusive or of the lowest bits of the page number and of as many above them */
    unsigned neighbours; /* so many pages, aligned, are held by one entry where their frames are as well; 0: 1 */
    unsigned hinted;     /* the same where tables have the contiguous hint, wherever frames are; 0: 1 */
    const char *policy;  /* by which entries are replaced (lib/fit/replacement.h); NULL: LRU */
};

struct core_design {
    unsigned width;                     /* instructions a cycle */
    unsigned renames;                   /* those that write registers; 0: any number */
    unsigned retire;                    /* those that leave the core in a cycle, in order; 0: any number */
    struct in_flight_design in_flight;  /* what can be held between the two */
    struct scheduler_design schedulers; /* where it waits for what it needs */
    double multiply, root;              /* latencies, cycles; of square roots 0: 1 */
    unsigned units; /* plain instructions but accesses that begin in a cycle, in order; 0: any number … */
    bool moves_eliminated, zeros_eliminated; /* … of these, as any number does, and are done at once */
    bool fuses;                              /* a comparison and the branch behind it take the width of one */
    bool nops_fuse;                          /* so do a NOP and what is before it, as on Zen 4 */
    struct cache_design data[DATA_LEVELS];   /* the first indexed by address, the others by frame; filled alike */
    struct way_design ways;                  /* of the first level: what is not found there comes from the second */
    struct load_predictor_design addresses, values; /* of loads */
    double memory_latency;
    struct load_store_design load_store;
    bool contiguous; /* frames follow each other as pages do; else they are scattered at random */

    struct cache_design op_cache, l1i; /* lines of code that are decoded already; instruction cache */
    double l1i_fetch, l2_fetch;        /* bytes a cycle from the instruction cache, and from the second level … */
    double far_fetch;                  /* … and from behind that; the op cache keeps up with any width */
    unsigned op_entry;                 /* instructions of a line that a way of the op cache holds; 0: the whole line */
    unsigned decoders;                 /* instructions a cycle that are not decoded already; 0: any number */
    unsigned fetch_bytes;              /* of one page and in a row, fetched in a cycle; 0: any number */

    struct target_design targets[TARGET_LEVELS]; /* of direct branches; without any all targets are known at once */
    double redirect;                             /* from one taken branch to the next that no level holds; … */
    bool decodes;                                /* … or from when it is decoded */
    struct page_design pages[PAGE_LEVELS];       /* of instructions */
    struct page_design data_pages[PAGE_LEVELS];  /* of data; without any all translations are known at once */
    struct page_design upper_table;              /* the same of regions of 512 pages, for walks of data */
    struct page_design store_pages[PAGE_LEVELS]; /* of stores instead; without any they are data like loads */
    bool stores_spill;                           /* stores miss into the loads' first level */
    struct page_design large_pages[PAGE_LEVELS]; /* of data on larger pages instead; those without any hold both */

    struct store_design stores;

    unsigned return_stack;              /* entries */
    bool indirect;                      /* see struct predictor */
    size_t outcomes;                    /* foreseen by those before them, a power of two; 0: by themselves */
    unsigned history;                   /* branches by which conditional ones are predicted; 0: by themselves */
    bool history_enters[HISTORY_KINDS]; /* and which are */
    double penalty;                     /* of a misprediction, cycles */
};

/* What has happened so far; mispredictions as the predictor has them, on average. */
struct core_counts {
    double instructions, mispredicts, return_mispredicts, l1i_misses;
};

struct core;

struct core *core_new(const struct core_design *design);
void core_free(struct core *c);
/* Memory of ours that the core sees at `at`; code is executable only there. */
void core_map(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code);
void core_unmap(struct core *c, uint64_t at);
/*
 * The pages mapped at `at`, of that size, lie on these frames; NULL: each on its own, in order. So caches know them. What
 * is loaded comes from `written`, where the frames are, unless that is NULL. All must stay until it is unmapped.
 */
void core_frames(struct core *c, uint64_t at, size_t page_bytes, const size_t *frames, uint8_t *written);
/* Pages mapped at `at` have the contiguous hint: each 16 of them that begin at a multiple of it. */
void core_hint(struct core *c, uint64_t at);
/* Told of every access to data, but for the stack, before it is done; NULL: of none. */
void core_watch(struct core *c, void (*access)(uint64_t address, size_t size));
/* Another thread of the core holds so many of each kind of register from now on. */
void core_others(struct core *c, unsigned registers);
/* Code at `at` may have changed. */
void core_code_written(struct core *c, uint64_t at, size_t count);
/* Calls a kernel. How many cycles it took; a fault is told in *result. */
double core_call(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result);
const struct core_counts *core_counts(const struct core *c);

#endif
