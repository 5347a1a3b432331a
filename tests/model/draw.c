#include "tests/model/draw.h"

#include "arch/emit.h"
#include "lib/base/random.h"
#include "tests/model/cache.h"

static uint64_t random_state;

size_t pick(size_t from, size_t to)
{
    return from + random_below(&random_state, to - from + 1);
}

double between(double from, double to)
{
    return from + (to - from) * (double)pick(0, 1000) / 1000;
}

/* ---- Caches and front end ----------------------------------------------------------------------- */

/* Ways and sets as real caches have them, of a size within these bounds. */
static struct cache_design pick_cache(size_t bytes_from, size_t bytes_to)
{
    struct cache_design c;

    do {
        c.ways = pick(1, 4) * (pick(0, 1) ? 4 : 2);
        c.bytes = c.ways * CACHE_LINE_BYTES * ((size_t)64 << pick(0, 7));
    } while (c.bytes < bytes_from || c.bytes > bytes_to);
    return c;
}

/*
 * Each level is at least this many times as large as the one before it. Where frames are scattered, the edge of a
 * level is a ramp, the wider the fewer ways the level has: edges that are closer would run into each other.
 */
enum { APART = 4 };

static void pick_data_caches(struct core_design *d)
{
    bool third = pick(0, 1);

    /* the first level has as many sets as there are lines in a page: it needs no translation */
    d->data[0] = (struct cache_design){.ways = 2 * pick(2, 8)};
    d->data[0].bytes = d->data[0].ways * 4 * KIB;
    d->data[0].latency = (double)pick(3, 5);
    d->data[1] = pick_cache(APART * d->data[0].bytes, 512 * KIB);
    d->data[1].latency = d->data[0].latency * 2 + (double)pick(2, 10);
    if (third) {
        d->data[2] = pick_cache(APART * d->data[1].bytes, 4096 * KIB);
        d->data[2].latency = 2 * d->data[1].latency + (double)pick(5, 20);
    }
    d->memory_latency = d->data[third ? 2 : 1].latency * between(2, 4);
}

static void pick_front_end(struct core_design *d)
{
    unsigned nop_bytes = 0;

    for (const unsigned *n = emit_nop_lengths; *n && *n <= 8; n++)
        nop_bytes = *n;
    d->l1i = (struct cache_design){.bytes = (size_t)(8 * KIB) << pick(0, 3), .ways = 4};
    if (d->l1i.bytes > 16 * KIB)
        d->l1i.ways = 8;
    d->l1i_fetch = nop_bytes * (double)d->width;
    if (pick(0, 1)) {
        d->op_cache = (struct cache_design){.bytes = d->l1i.bytes / 2, .ways = d->l1i.ways};
        d->l1i_fetch /= between(1.3, 2.5);
    }
    d->l2_fetch = d->far_fetch = d->l1i_fetch / between(1.5, 4);
    if (d->data[1].bytes >= 256 * KIB) /* large enough to show as a level of its own behind the instruction cache */
        d->far_fetch /= between(1, 3);
}

/* ---- Machines ----------------------------------------------------------------------------------- */

static struct core_design pick_core(void)
{
    struct core_design d = {.width = (unsigned)pick(3, 8),
                            .multiply = (double)pick(3, 5),
                            .contiguous = pick(0, 1),
                            .return_stack = (unsigned)pick(8, 32),
                            .indirect = pick(0, 1),
                            .penalty = (double)pick(12, 22)};

    pick_data_caches(&d);
    pick_front_end(&d);
    return d;
}

struct machine_design draw_machine(uint64_t seed)
{
    struct machine_design d = {.seed = seed};

    random_state = seed;
    d.core = pick_core();
    d.tick_hz = between(0.3e8, 0.6e8);
    d.core_hz = d.tick_hz * between(2, 4);
    /* footprints grow to half of the memory: to at least four times the last cache */
    size_t last = d.core.data[2].bytes ? d.core.data[2].bytes : d.core.data[1].bytes;
    for (d.memory_bytes = 64 * KIB; d.memory_bytes < 8 * (double)last;)
        d.memory_bytes *= 2;
    return d;
}

void shorten_readings(struct machine_design *d)
{
    d->core_hz = d->tick_hz;
}

struct machine_design draw_noisy_machine(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);

    m.jitter = between(0, 0.006);
    m.drift = between(0, 0.003);
    m.stolen = between(0, 0.05);
    m.stolen_known = 0.5;
    return m;
}

struct machine_design draw_machine_with_history(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);

    m.core.history = (unsigned)pick(12, 60);
    m.core.l1i = (struct cache_design){.bytes = 32 * KIB, .ways = 8};
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        m.core.history_enters[kind] = kind == HISTORY_TAKEN || pick(0, 1);
    return m;
}

struct machine_design draw_machine_with_stores(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);
    const double load = m.core.data[0].latency;

    m.core.stores = (struct store_design){.forwards = true,
                                          .cycles = load + (double)pick(0, 3),
                                          .across = (double)pick(0, 2),
                                          .violation = (double)pick(10, 25),
                                          .rule = (enum forward_rule)pick(FORWARD_CONTAINED, FORWARD_SAME),
                                          .gathered = 1U << pick(0, 3),
                                          .renames = (enum rename_rule)pick(RENAME_NONE, RENAME_CONTAINED),
                                          .renamed_pairs = (unsigned)pick(24, 300)};
    m.core.stores.blocked = m.core.stores.cycles + (double)pick(1, 10);
    if (m.core.stores.rule == FORWARD_SAME)
        m.core.stores.gathered = 1;
    m.core.stores.each = seed % 2 ? 0.5 : 0; /* drawn without `pick`: all else stays as it was drawn before */
    if (m.core.stores.renames == RENAME_NONE && pick(0, 1)) { /* as Zen 4 */
        m.core.stores.elsewhere = load + (double)pick(0, 3);
        m.core.stores.blocked += 2 * m.core.stores.elsewhere;
    }
    return m;
}

struct machine_design draw_machine_with_ports(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);

    m.core.width = 12;
    m.core.load_store = (struct load_store_design){
        .loads = (unsigned)pick(1, 4), .stores = (unsigned)pick(1, 2), .port_bytes = 4u << pick(0, 2)};
    m.core.block_bytes = (double)pick(4, 48);
    return m;
}

struct machine_design draw_machine_with_window(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);
    unsigned *most = m.core.in_flight.most;

    m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
    m.core.data[1] = (struct cache_design){.bytes = 64 * KIB, .ways = 8, .latency = 14};
    m.core.data[2] = (struct cache_design){.bytes = 0};
    m.core.memory_latency = (double)pick(120, 200);
    m.core.root = (double)pick(10, 18);
    m.core.l1i = (struct cache_design){.bytes = 64 * KIB, .ways = 8};
    m.declares = true;
    m.memory_bytes = 2048 * KIB;
    most[RESOURCE_ENTRY] = (unsigned)pick(80, 320);
    for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
        most[what] = (unsigned)pick(most[RESOURCE_ENTRY] / 4, most[RESOURCE_ENTRY] * 5 / 4);
    m.core.in_flight.flags_are_general = pick(0, 1);
    m.core.in_flight.nops = (unsigned)pick(1, 2);
    m.core.in_flight.group = m.core.in_flight.nops == 1 ? (unsigned)pick(1, 8) : 1;
    return m;
}

void draw_renames(struct in_flight_design *d, size_t halves)
{
    for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
        d->most[what] = (unsigned)pick(120, 200);
    d->most[RESOURCE_ENTRY] = (unsigned)pick(260, 320);
    d->most[RESOURCE_RENAME] = (unsigned)pick(110, 210);
    d->nops = 1;
    d->flags_are_general = false;
    d->packs = halves == 1;
    d->most[RESOURCE_HALF] = halves == 2 ? (unsigned)pick(60, 90) : 0;
}
