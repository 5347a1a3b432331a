#include <math.h>
#include <string.h>

#include "tests/model/cache.h"
#include "tests/model/draw.h"
#include "tests/model/outside.h"

#include "arch/emit.h"

static size_t one_of(const size_t *list, size_t count)
{
    return list[pick(0, count - 1)];
}
#define ONE_OF(...) one_of((const size_t[]){__VA_ARGS__}, sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

/* A power of two from 2^from to 2^to. */
static size_t power(size_t from, size_t to)
{
    return (size_t)1 << pick(from, to);
}

/* ---- Caches -------------------------------------------------------------------------------------- */

/* Ways that are often no power of two, and a power of two of sets, of a size within these bounds. */
static struct cache_design pick_cache(size_t line, size_t from, size_t to)
{
    struct cache_design c;

    do {
        c = (struct cache_design){.ways = pick(2, 16)};
        c.bytes = c.ways * line * power(3, 14);
    } while (c.bytes < from || c.bytes > to);
    return c;
}

/*
 * Two or four levels. A level that holds only the victims of the one before it is at least eight times as large as
 * that; both together are what fits then.
 */
static void pick_data_caches(struct core_design *d)
{
    enum { APART = 4, VICTIMS_APART = 8 };
    const size_t levels = ONE_OF(2, 4);

    /* small where there are four: the fourth, which the model has to fill, is 64 to 1,024 times as large */
    d->data[0] = pick_cache(d->line_bytes, 8 * KIB, (levels > 2 ? 16 : 192) * KIB);
    d->data[0].latency = (double)pick(2, 7);
    for (size_t i = 1; i < levels; i++) {
        struct cache_design *before = &d->data[i - 1], *this = &d->data[i];
        const bool victims = i == 1 && pick(0, 2) == 0;
        const size_t apart = victims ? VICTIMS_APART : APART;
        *this = pick_cache(d->line_bytes, apart * before->bytes, (levels > 2 ? 3 : 4) * apart / 2 * before->bytes);
        this->victims = victims;
        this->latency = 2 * before->latency + (double)pick(3, 20);
    }
    d->memory_latency = d->data[levels - 1].latency * between(2, 6);
}

static void pick_front_end(struct core_design *d)
{
    unsigned nop_bytes = 0;

    for (const unsigned *n = emit_nop_lengths; *n && *n <= 8; n++)
        nop_bytes = *n;
    d->l1i = pick_cache(d->line_bytes, 8 * KIB, 128 * KIB);
    d->l1i_fetch = nop_bytes * (double)d->width;
    d->l2_fetch = d->far_fetch = d->l1i_fetch / between(2, 6);
    d->targets[0] = (struct target_design){.sets = power(3, 9), .low = (unsigned)pick(1, 5), .cycles = 1};
    d->targets[0].ways = pick(0, 1) ? 1 : pick(3, 7);
    d->targets[0].hashed = pick(0, 1);
    if (pick(0, 1))
        d->targets[1] = (struct target_design){.sets = d->targets[0].sets * 4,
                                               .ways = d->targets[0].ways * pick(1, 3),
                                               .low = (unsigned)pick(1, 5),
                                               .cycles = (double)pick(2, 4),
                                               .hashed = pick(0, 1)};
    d->redirect = (double)pick(5, 16);
    d->decodes = pick(0, 1);
    d->pages[0] = (struct page_design){.sets = 1, .ways = pick(8, 100), .miss = (double)pick(5, 20)};
}

/* ---- TLBs ---------------------------------------------------------------------------------------- */

/* 8 to some 100 entries in the first level, up to 8,192 in the second, where there is one. */
static void pick_tlbs(struct core_design *d)
{
    d->data_pages[0] = (struct page_design){.sets = power(0, 4), .miss = (double)pick(4, 12)};
    do
        d->data_pages[0].ways = d->data_pages[0].sets == 1 ? pick(8, 120) : pick(2, 12);
    while (d->data_pages[0].sets * d->data_pages[0].ways < 8);
    if (pick(0, 2))
        d->data_pages[1] = (struct page_design){
            .sets = power(6, 9), .ways = ONE_OF(3, 5, 6, 7, 9, 10, 12, 16), .miss = (double)pick(15, 60)};
    else
        d->data_pages[0].miss += (double)pick(15, 40);
}

/* ---- Behind the front end ------------------------------------------------------------------------ */

/* What an instruction may wait for between renaming and retirement: each between a quarter and all of the window. */
static void pick_window(struct core_design *d)
{
    struct in_flight_design *f = &d->in_flight;
    const double size = between(log2(64), log2(2000));

    f->most[RESOURCE_ENTRY] = (unsigned)pow(2, size);
    for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
        f->most[what] = (unsigned)pick(f->most[RESOURCE_ENTRY] / 4, f->most[RESOURCE_ENTRY] * 5 / 4);
    f->flags_are_general = pick(0, 1);
    f->nops = 1;
    f->group = pick(0, 1) ? 1 : d->width;
    for (enum waits which = 0; which < WAITS; which++)
        d->schedulers.entries[which] = (unsigned)pick(16, 60) * (pick(0, 1) ? 1 : 3);
    d->schedulers.parts = (unsigned)ONE_OF(1, 1, 3, 4);
    d->schedulers.single = d->schedulers.parts == 1 && pick(0, 1);
    if (d->schedulers.single)
        d->schedulers.entries[WAITS_GENERAL] = (unsigned)pick(60, 400);
    d->retire = d->width + (unsigned)pick(0, 4);
    d->moves_eliminated = d->zeros_eliminated = pick(0, 1);
}

static void pick_ports(struct core_design *d)
{
    d->load_store = (struct load_store_design){.loads = (unsigned)pick(1, d->in_order ? 2 : 5),
                                               .stores = (unsigned)pick(1, 2),
                                               .port_bytes = 8u << pick(0, 3),
                                               .misses = (unsigned)pick(d->in_order ? 1 : 6, d->in_order ? 8 : 48),
                                               .split = (double)pick(0, 12)};
}

struct machine_design draw_outside(uint64_t seed)
{
    struct machine_design m = draw_machine(seed); /* seeds pick() */
    const bool in_order = seed % OUTSIDE_IN_ORDER == 0;

    m.core = (struct core_design){.in_order = in_order,
                                  .misses_block = in_order && pick(0, 1),
                                  .width = (unsigned)(in_order ? pick(1, 3) : pick(3, 12)),
                                  .multiply = (double)pick(2, 9),
                                  .root = (double)pick(8, 40),
                                  .contiguous = pick(0, 1),
                                  .return_stack = (unsigned)pick(3, 70),
                                  .penalty = (double)pick(4, 40),
                                  .line_bytes = (unsigned)ONE_OF(32, 64, 128)};
    if (emit_longest == emit_alignment) /* as on AArch64 */
        m.core.page_bytes = (unsigned)ONE_OF(4, 16) * KIB;
    pick_data_caches(&m.core);
    pick_front_end(&m.core);
    pick_tlbs(&m.core);
    if (!in_order)
        pick_window(&m.core);
    pick_ports(&m.core);
    m.declares = pick(0, 1);
    m.core_hz = between(1e8, 2.5e8);
    m.tick_hz = m.core_hz * pow(2, between(-2, 5.6));
    size_t last = 0;
    for (size_t i = 0; i < DATA_LEVELS; i++)
        last = m.core.data[i].bytes > last ? m.core.data[i].bytes : last;
    for (m.memory_bytes = 64 * KIB; m.memory_bytes < 8 * (double)last;)
        m.memory_bytes *= 2;
    return m;
}

void draw_clocks_outside(struct machine_design *m, double ratio)
{
    do {
        m->core_hz = 1e8 * pow(2, between(0, log2(60)));
        m->tick_hz = 1e6 * pow(2, between(0, log2(5000)));
    } while (m->core_hz > ratio * m->tick_hz);
}
