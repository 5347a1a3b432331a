/* What runs on a modelled core beside kernels: other code, and the program that measures. */
#include <string.h>

#include "lib/base/random.h"
#include "tests/model/changes.h"
#include "tests/model/core_state.h"

/* Other code is this far from all mappings, and has that many lines: 256 KiB. */
enum { OTHER_CODE_LINES = 4096 };
static const uint64_t OTHER_CODE_AT = 0x600000000000;

void core_run_other_code(struct core *c, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        cache_touch(&c->l1i, OTHER_CODE_AT + random_below(&c->other_code, OTHER_CODE_LINES) * c->line_bytes);
}

void core_evict(struct core *c)
{
    struct cache *last = &c->data[DATA_LEVELS - 1];

    if (last->ways && last->lines)
        memset(last->lines, 0, last->sets * last->ways * sizeof *last->lines);
}

/* The code, the data of the program that measures. */
static const uint64_t AROUND_CODE_AT = 0x610000000000, AROUND_AT = 0x620000000000;

void core_run_around(struct core *c, const struct around_design *d)
{
    const size_t lines = c->page_bytes / c->line_bytes;
    uint64_t random = d->places;

    for (unsigned i = 0; i < d->code_lines; i++)
        cache_touch(&c->l1i, AROUND_CODE_AT + (d->places % lines + i) * c->line_bytes);
    if (d->code_lines) {
        const struct mapping code = {.at = AROUND_CODE_AT, .count = c->page_bytes, .page_bytes = c->page_bytes};
        bool resident;
        translation(c, c->pages, c->design.pages, &code, AROUND_CODE_AT, &resident);
    }
    for (unsigned i = 0; i < d->lines; i++) {
        const uint64_t page = AROUND_AT + i % d->pages * c->page_bytes;
        const uint64_t line = random_below(&random, lines) + (i % 2 ? c->around : 0);
        data_touch(c, page + line % lines * c->line_bytes);
    }
    c->around++;
}

void core_memory(struct core *c, double longer)
{
    changes.other |= c->memory_longer != longer;
    c->memory_longer = longer;
}

void core_at(struct core *c, double cycles)
{
    c->called = cycles;
}

void core_share(struct core *c, const struct core_sharing *sharing)
{
    changes.other |= c->sharing != sharing;
    c->sharing = sharing;
}

void core_split(struct core *c, unsigned threads)
{
    changes.other |= c->threads != threads;
    c->threads = threads;
    c->cycles_per_instruction = 1.0 * threads / c->design.width;
}

/* Fewer ways of each set, which are empty when their number changes. */
static void leave_ways(struct cache *c, size_t ways, double left)
{
    const size_t now = (size_t)((double)ways * left);

    if (!ways || c->ways == now)
        return;
    changes.other = true;
    memset(c->lines, 0, c->sets * ways * sizeof *c->lines);
    c->ways = now;
}

void core_leave(struct core *c, const double left[SMT_STRUCTURES])
{
    double *part = c->design.in_flight.left;

    changes.other |= part[RESOURCE_ENTRY] != left[SMT_ENTRIES] || part[RESOURCE_LOAD] != left[SMT_LOADS] ||
                     part[RESOURCE_STORE] != left[SMT_STORES];
    part[RESOURCE_ENTRY] = left[SMT_ENTRIES];
    part[RESOURCE_LOAD] = left[SMT_LOADS];
    part[RESOURCE_STORE] = left[SMT_STORES];
    leave_ways(&c->data[0], c->design.data[0].ways, left[SMT_LINES]);
    leave_ways(&c->data_pages[0], c->design.data_pages[0].ways, left[SMT_PAGES]);
}

void core_others(struct core *c, unsigned registers)
{
    changes.other |= c->design.in_flight.others != registers;
    c->design.in_flight.others = registers;
}

void core_is(struct core *c, unsigned number)
{
    changes.other |= c->number != number;
    c->number = number;
}
