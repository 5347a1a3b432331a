/*
 * A modelled core: Unicorn executes the code, and every instruction takes the time that a design gives it.
 *
 * The design is an ideal out-of-order core. The front end delivers instructions in order, as fast as its width allows
 * and as the level that they are fetched from. An instruction begins as soon as its operands are ready, and is done
 * after its latency. It retires after all instructions before it, as fast as the width of retirement allows. A fence,
 * and all that follows it, waits until everything before it has retired. A mispredicted branch stops the front end
 * until the branch is done and the penalty has passed. A call of a kernel ends when everything is done.
 */
#ifndef FATHOM_TESTS_MODEL_CORE_H
#define FATHOM_TESTS_MODEL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/window.h"
#include "tests/model/bypass.h"
#include "tests/model/dram.h"
#include "tests/model/fused.h"
#include "tests/model/history.h"
#include "tests/model/in_flight.h"
#include "tests/model/ittage.h"
#include "tests/model/load_predictor.h"
#include "tests/model/load_store.h"
#include "tests/model/nodes.h"
#include "tests/model/ports.h"
#include "tests/model/prefetchers.h"
#include "tests/model/scheduler.h"
#include "tests/model/slices.h"
#include "tests/model/smt.h"
#include "tests/model/stores.h"
#include "tests/model/tage.h"
#include "tests/model/targets.h"
#include "tests/model/ways.h"

enum { ZEROED_BYTES = 64 /* by DC ZVA of the core that Unicorn models */ };
enum { DATA_LEVELS = 4, TARGET_LEVELS = 2, PAGE_LEVELS = 2 };

struct cache_design {
    size_t bytes, ways;  /* 0: there is no such level */
    double latency;      /* load-to-use, cycles */
    const char *policy;  /* replacement policy (lib/structure/replacement.h); NULL: LRU */
    const char *duels;   /* the policy that `policy` duels with, each in one set of `leaders`; NULL: nothing duels */
    unsigned leaders;    /* of so many sets, a power of two, one leads for either policy */
    bool scattered;      /* leaders are where two parts of the index are equal, or complements; else at fixed places */
    bool hashed;         /* the index is a hash of the address … */
    unsigned plain_bits; /* … but for that many of its lowest bits: three in the second level of Zen 4 */
    const struct slice_design *slices; /* of the third level; NULL: all of it is equally far */
    bool victims; /* it holds what the level before it has replaced, and nothing else; both are LRU */
    /* What it has replaced is taken from the first level and the instruction cache, too. For the second level. */
    bool inclusive;
};

/* A level of TLB. */
struct page_design {
    size_t sets, ways;
    double miss; /* cycles that a miss in this level adds */
    bool hashed; /* the index is the exclusive or of the lowest bits of the page number and as many bits above them */
    /* How many pages one entry covers, 0: 1; where both they and their frames are contiguous and aligned, … */
    unsigned neighbours;
    unsigned hinted;       /* … and where tables have the contiguous hint, whatever the frames */
    const char *policy;    /* replacement policy (lib/structure/replacement.h); NULL: LRU */
    bool renewed_together; /* NRU whose bits are set again in all sets at once */
};

struct core_design {
    unsigned width;                     /* instructions a cycle that the front end delivers */
    unsigned renames;                   /* registers that are renamed in a cycle; 0: any number */
    unsigned retire;                    /* instructions a cycle; 0: any number */
    bool retires_entries;               /* instructions that share an entry of the reorder buffer count once */
    unsigned retire_renames;            /* of them, those that write a register; 0: any number */
    struct in_flight_design in_flight;  /* what instructions occupy from renaming to retirement */
    struct scheduler_design schedulers; /* where they wait for their operands */
    struct bypass_design bypass;        /* who made an operand matters */
    double multiply, root;              /* latencies in cycles, of multiplications and square roots; root 0: 1 */
    unsigned units;           /* instructions that begin in a cycle, but for loads and stores; 0: any number */
    unsigned multipliers;     /* the same of multiplications, which have units of their own */
    struct port_design ports; /* units that differ; then those above are left out */
    bool moves_eliminated, zeros_eliminated; /* these need no unit, and are done at once */
    struct fused_pairs fuses;                /* these pairs of neighbours take the width of one instruction */
    /*
     * Instructions begin in their order, and none is renamed: one whose operands are not ready, or whose result an
     * earlier one has yet to write, holds up all behind it. Where a miss blocks, so does each load until it is done.
     */
    bool in_order, misses_block;
    bool nops_fuse;                        /* so do a NOP and the instruction before it, as on Zen 4 */
    bool ops_pack;                         /* fused instructions take one place in an entry of the operation cache */
    struct cache_design data[DATA_LEVELS]; /* the first indexed by address, the others by frame; a miss fills all */
    struct way_design ways; /* way prediction of the first level: where it fails, the line comes from the second */
    struct load_predictor_design addresses, values; /* prediction of loads */
    struct prefetcher_design prefetchers;           /* of data, by its virtual address */
    double memory_latency;
    const struct nodes_design *nodes; /* how far memory of which node is; NULL: all is equally far */
    const struct dram_design *dram;   /* of lines that are flushed; NULL: these stay in the caches */
    unsigned line_bytes;              /* of caches of data and instructions; 0: 64 */
    unsigned page_bytes;              /* the translation granule; 0: 4,096 */
    struct load_store_design load_store;
    double block_bytes; /* a cycle, that instructions for blocks of memory write; 0: any number */
    bool contiguous;    /* frames are in the order of pages; else they are scattered at random */

    struct cache_design op_cache, l1i; /* operation cache; instruction cache */
    double l1i_fetch, l2_fetch;        /* bytes a cycle from the instruction cache, from the second level, … */
    double far_fetch;                  /* … and from behind it; the op cache is as fast as any width */
    unsigned op_entry; /* instructions of a line that one way of the op cache has room for; 0: the whole line */
    unsigned decoders; /* instructions a cycle that are not in the op cache; 0: any number */
    /*
     * Loops that are replayed, not longer than that many instructions, the branch at their end not counted, nor with
     * more NOPs than that; they need no decoder. 0: none are.
     */
    unsigned loop_ops, loop_nops;
    double loop_taken;    /* cycles of each taken branch inside of one that is replayed; 0: loops with such are not */
    unsigned fetch_bytes; /* fetched in a cycle, in sequence and within one page; 0: any number */

    struct code_prefetch_design {
        bool lines, translations;
    } code_prefetch; /* what instructions that prefetch code bring; neither: they are NOPs */
    struct code_prefetcher_design {
        unsigned next; /* lines behind each that is fetched; 0: none */
        bool pair;     /* the other half of an aligned pair */
        /* After so many lines next to each other, in one direction, so many in that direction. 0: there are no streams. */
        unsigned train, degree;
        bool down; /* streams go down as well */
    } code_prefetchers;

    struct target_design targets[TARGET_LEVELS]; /* of direct branches; without any, all targets are known at once */
    double redirect;                       /* cycles to a taken branch that no level has: from the one before it, … */
    bool decodes;                          /* … or, with this, from its own decoding */
    struct page_design pages[PAGE_LEVELS]; /* of instructions */
    struct page_design data_pages[PAGE_LEVELS]; /* of data; without any, translation takes no time */
    struct page_design upper_table;             /* cached upper tables of page walks of data: of regions of 512 pages */
    struct page_design store_pages[PAGE_LEVELS]; /* of stores; without any, stores use those of data */
    bool stores_spill;                           /* stores that miss in theirs continue with the first level of data */
    struct page_design large_pages[PAGE_LEVELS]; /* of data on large pages; a level without has both sizes in one */

    struct store_design stores;

    unsigned return_stack; /* entries */
    bool indirect;         /* see struct predictor */
    size_t outcomes;       /* outcomes of branches that a table remembers, a power of two; 0: there is no such table */
    unsigned history;      /* entries of branch history that predict conditional branches; 0: there is no history */
    struct history_register history_registers[HISTORY_REGISTERS]; /* as bits; without any, as branches */
    bool history_enters[HISTORY_KINDS];                           /* which branches enter it */
    struct ittage_design ittage; /* tables for indirect branches, which look at those registers */
    struct tage_design tage;     /* tagged tables that look at those registers; without any, simple ones do */
    double penalty;              /* of a misprediction, in cycles */
};

/* What has happened so far. Mispredictions are counted as parts of one: see predictor.h. */
struct core_counts {
    double instructions, mispredicts, return_mispredicts, l1i_misses, replayed;
};

struct core;

struct core *core_new(const struct core_design *design);
/*
 * A core that only times a program, which the caller executes in an engine (uc_engine) of its own (tests/simulator). It
 * has no memory.
 */
struct core *core_around(const struct core_design *design, void *engine);
/*
 * For such a core: the cycle at which the instruction at `pc` begins, which the caller executes in place of the engine.
 * Timing goes on with the instruction behind it.
 */
double core_reach(struct core *c, uint64_t pc);
/* The cycle at which such a core has completed everything executed so far. */
double core_time(const struct core *c);
void core_free(struct core *c);
/* Maps our memory at the address `at`. Code can be executed only there. */
void core_map(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code);
void core_unmap(struct core *c, uint64_t at);
/*
 * Gives the memory mapped at `at` pages of that size, and each page the frame by which caches know it. NULL: page i
 * has frame i. Unless `written` is NULL, data is loaded from and stored to the frames that begin there. Both arrays
 * must stay until the memory is unmapped.
 */
void core_frames(struct core *c, uint64_t at, size_t page_bytes, const size_t *frames, uint8_t *written);
/* The memory mapped at `at` is of that node (struct nodes_design); otherwise it is of the node of each core. */
void core_of_node(struct core *c, uint64_t at, unsigned node);
/* The pages mapped at `at` have the contiguous hint. */
void core_hint(struct core *c, uint64_t at);
/* Calls `access` before every access to data, but for the stack; NULL: no longer. */
void core_watch(struct core *c, void (*access)(uint64_t address, size_t size));
/* What other cores do to accesses to data; `data` is where our memory has it. */
struct core_sharing {
    /* A kernel is called: times begin at 0. */
    void (*call)(void);
    /* Before an access: may let it start later. Returns the cycles that it waits for other cores. */
    double (*access)(const uint8_t *data, bool store, double *start);
    /* The line is flushed from all caches. */
    void (*flush)(const uint8_t *data);
};
/* From now on a load from memory takes longer by so many cycles than the design says. */
void core_memory(struct core *c, double longer);
/* The next kernel is called so many cycles after the machine was started: its refreshes go on between kernels. */
void core_at(struct core *c, double cycles);
/* So many threads of the core are busy, this one among them, and take turns. */
void core_split(struct core *c, unsigned threads);
/* From now on a sibling thread leaves that part of each structure. */
void core_leave(struct core *c, const double left[SMT_STRUCTURES]);
/* From now on other cores share the memory; NULL: no longer. */
void core_share(struct core *c, const struct core_sharing *sharing);
/* From now on a sibling thread occupies that many of each kind of register. */
void core_others(struct core *c, unsigned registers);
/* From now on the core is that one of the machine: what it has is the same, but not how far its slices are. */
void core_is(struct core *c, unsigned number);
/* Other cores evict all lines of the last level of data, which then are in the levels before it and in memory. */
void core_evict(struct core *c);
/* Other code runs: the instruction cache fetches that many lines of it, each any of 4,096. */
void core_run_other_code(struct core *c, unsigned lines);
/*
 * What the program that measures touches between two kernels: lines of its stack, which are the same each time, as many
 * of its list of readings, which it goes through, on so many pages in all; and lines of its own code.
 */
struct around_design {
    unsigned lines, pages, code_lines;
    uint64_t places; /* where they lie in their pages */
};
void core_run_around(struct core *c, const struct around_design *d);
/* Must be called when the bytes of code there may have changed. */
void core_code_written(struct core *c, uint64_t at, size_t count);
/* Calls a kernel. How many cycles it took. A fault is reported in *result, which is left alone otherwise. */
double core_call(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result);
const struct core_counts *core_counts(const struct core *c);
struct prefetchers *core_prefetchers(struct core *c);

#endif
