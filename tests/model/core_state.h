/*
 * The inside of a modelled core, for its own files only: core.c takes instructions from the front end to retirement,
 * core_map.c has the memory, core_data.c says what accesses to data take.
 */
#ifndef FATHOM_TESTS_MODEL_CORE_STATE_H
#define FATHOM_TESTS_MODEL_CORE_STATE_H

#include "tests/model/cache.h"
#include "tests/model/core.h"
#include "tests/model/units.h"
#include "tests/model/decode.h"
#include "tests/model/isa.h"
#include "tests/model/predictor.h"
#include "tests/model/repeats.h"

enum { MAPPINGS = 32, PAGE_BYTES = 4096, STACK_BYTES = 65536, ARRIVING = 64, UNDER_WAY = 64, CODE_STREAMS = 16 };

struct mapping {
    uint64_t at;
    uint8_t *bytes;
    size_t count;
    uint8_t *seen; /* code: a copy of the bytes, as Unicorn has translated them */
    uint32_t
        *decoded; /* code: the instruction that begins at each byte (code_number in decode.h); 0: not asked for yet */
    struct asked {
        uint32_t first, end;
    } * asked; /* code, for each page: all offsets that were asked for lie from first up to before end */
    size_t page_bytes;
    const size_t *frames; /* NULL: page i is frame i */
    bool hint;            /* pages have the contiguous hint */
    bool of_node;         /* it is memory of that node, … */
    unsigned node;        /* … by its place; else of each core's own */
    uint8_t *written;     /* data of these frames, in the order of frames; NULL: as it is at `bytes` */
};

struct core {
    struct core_design design;
    struct cache data[DATA_LEVELS], op_cache, l1i, pages[PAGE_LEVELS], data_pages[PAGE_LEVELS],
        store_pages[PAGE_LEVELS], large_pages[PAGE_LEVELS], upper_table;
    struct targets targets[TARGET_LEVELS];
    struct ways ways;
    struct load_predictor addresses, values;
    struct prefetchers prefetchers;
    struct predictor predictor;
    struct load_store load_store;
    struct in_flight in_flight;
    struct scheduler scheduler;
    struct { /* the lines that loads have missed last: from when on, and until when, they are under way */
        double from, to;
    } under_way[UNDER_WAY];
    unsigned misses;  /* so many loads have missed */
    struct arriving { /* lines that were missed, by their address, and when each arrives */
        uint64_t line;
        double at;
    } arriving[ARRIVING];
    struct repeats repeats;
    struct stores *stores; /* NULL: loads are served by the cache alone */
    uint64_t around;       /* readings so far */
    uint64_t other_code;   /* state of the random numbers that choose lines of other code */
    struct core_counts counts;
    void (*watch)(uint64_t address, size_t size); /* NULL: nobody watches */
    const struct core_sharing *sharing;           /* NULL: no other core shares the memory */
    struct dram dram;
    double called;           /* when the kernel was called, in cycles since the machine was started: only DRAM asks */
    double memory_longer;    /* cycles that a load from memory takes longer */
    const uint8_t *accessed; /* the data that was accessed last */
    unsigned memory_node;    /* the node of its memory, … */
    double node_free;        /* … and when a node's memory can send the next line */
    uc_engine *uc;
    size_t removed; /* about how many bytes of code this Unicorn has removed translations of */
    struct mapping mappings[MAPPINGS];
    size_t mapping_count, mapping_last; /* mapping_last: the one that was looked up last */
    struct mapping code;                /* the one that is executed */
    uint8_t stack[STACK_BYTES] __attribute__((aligned(PAGE_BYTES)));
    uint8_t exit[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

    size_t line_bytes, page_bytes;
    unsigned line_bits, page_bits; /* their binary logarithms: each instruction would wait for several divisions */

    /* Times are in cycles since the kernel was called. */
    double cycles_per_instruction; /* least time from one instruction to the next in the front end, … */
    double cycles_per_decoded, cycles_per_retired; /* … in the decoders, and in retirement */
    double front;                                  /* when the front end has delivered everything up to now */
    double ready[DECODED_REGISTERS];               /* when each register has its value */
    uint32_t written[DECODED_REGISTERS];           /* how many times each register was written */
    uint8_t made[DECODED_REGISTERS];               /* enum bypass_kind of what wrote it last */
    double renamed;                                /* when everything delivered has physical registers */
    double latest;                                 /* when everything is executed */
    double retired;                                /* when everything has left the core */
    double retired_writers;                        /* when all could have left that write a register */
    unsigned number;                               /* of the cores of the machine: how far slices are */
    unsigned threads; /* that take turns in the front end and with the ports for data; 0: 1 */
    double zeroed;    /* when the last block is zeroed */
    struct units_busy units, multipliers;
    struct ports_busy ports;
    /* The front end as far as a call of a kernel begins with what the one before has left, up to `loop`. */
    const struct decoded *before; /* the instruction before this one, which may be fused with it; NULL: it may not */
    bool fused;                   /* this instruction is fused with the one before it */
    bool restarted;        /* nothing was fetched ahead: the last branch was mispredicted, or not predicted at all */
    uint64_t fetched_line; /* the line that code comes from at the moment */
    struct code_stream {   /* of lines of a page that are fetched in order */
        uint64_t page, last, used;
        int64_t step;
        unsigned run; /* lines */
    } code_streams[CODE_STREAMS];
    uint64_t code_streams_used;
    double cycles_per_byte;     /* of that line, unless it is decoded already */
    bool decoded;               /* the operation cache has it */
    unsigned line_instructions; /* of this line since it was entered */
    unsigned line_entries;      /* of the operation cache that these lie in */
    uint64_t next;              /* where code continues when no branch is taken */
    uint64_t fetched_page;
    struct loop {
        uint64_t branch;    /* the latest taken branch, if it led back; else 0 */
        unsigned ops, nops; /* instructions since then, branches not counted */
        bool replays;
    } loop;
    double branched;           /* when the front end continued behind the last taken branch */
    double fetched;            /* when the latest fetched bytes were there */
    double fetched_left;       /* how many of them are not used yet */
    uint64_t walked, walk_end; /* of the block that is executed: the next instruction to be timed, and its end */
    struct executed {          /* the instruction that is being timed; decoded is NULL when there is none */
        const struct decoded *decoded;
        uint64_t pc;
        double delivered, start, done;
        double address_known; /* of a store */
        bool ends_loop;       /* a conditional branch that depends on how many turns are left */
    } now;
};

#define UC(call) \
    do { \
        if ((call) != UC_ERR_OK) \
            abort(); \
    } while (0)

static const uint64_t STACK_AT = 0x20000000, EXIT_AT = 0x30000000;

/* fmax checks for NaN, which costs time at every instruction. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* The engine of the core that core_around made last. */
uc_engine *core_engine(void);

/* ---- core_map.c ---------------------------------------------------------------------------------- */

/* The mapping that an address lies in; there is one. */
struct mapping *mapping_of(struct core *c, uint64_t address);
/* The instruction at an offset of a mapping of code (code_number in decode.h), 0 where there is none; remembers it. */
uint32_t mapping_decode(const struct mapping *m, uint64_t offset);
/* Where the frame of an address lies in its block of frames, in bytes. */
size_t frame_offset(const struct mapping *m, uint64_t address);
/* The address that the byte would have if pages lay in the order of their frames. */
uint64_t frame_address(const struct mapping *m, uint64_t address);
/* The physical address of such an address. */
uint64_t physical(const struct core *c, uint64_t address);
/* A line of code has been fetched: the core may prefetch others. */
void code_line_fetched(struct core *c, uint64_t line);
/* An instruction prefetches the code at that address. */
void code_prefetched(struct core *c, uint64_t address);

/* ---- core.c -------------------------------------------------------------------------------------- */

/* Opens a Unicorn that the core watches, and that has no memory yet. */
void core_open_engine(struct core *c);
/* Calls a kernel and executes it: core_call, whatever is known about such calls. */
double core_execute(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result);

/* ---- core_bypass.c -------------------------------------------------------------------------------- */

/* When an instruction begins whose operands are ready as long after they were made as struct bypass_design says. */
double core_bypassed(const struct core *c, const struct decoded *d);

/* ---- core_units.c --------------------------------------------------------------------------------- */

/* The instruction at hand begins when there is a unit for it. */
void core_begin_on_unit(struct core *c);

/* ---- core_data.c --------------------------------------------------------------------------------- */

/* Uses an entry of a table that a cache of one line per entry stands for. True when the table had it. */
bool table_touch(struct cache *table, uint64_t number);
/*
 * What these levels of TLB add for an access to `address`: the miss cost of each that does not have its page, up to
 * the one that has it. *resident: some level had it. All of them have it afterwards.
 */
double translation(const struct core *c, struct cache *levels, const struct page_design *design,
                   const struct mapping *m, uint64_t address, bool *resident);
/*
 * The instruction at hand (c->now) accesses data, all instructions before it being timed. Unicorn reads or writes
 * next.
 */
/* A line is flushed from all caches. */
void data_flushed(struct core *c);
void data_access(struct core *c, const struct mapping *m, bool store, uint64_t address, size_t size, int64_t value);
/* An access of another program, with a page of its own around it: caches and TLBs of loads have it afterwards. */
void data_touch(struct core *c, uint64_t address);
/*
 * Whether an inclusive second level does not have the line of a physical address, so that it has taken it from the
 * levels before it as well.
 */
bool taken_by_second(const struct core *c, uint64_t at);

#endif
