/* Code that a modelled core prefetches: by itself, or because an instruction says so. */
#include "tests/model/core_state.h"

/* Lines that the core prefetches by itself because one is fetched. They end with the page. */
static void bring_code(struct core *c, uint64_t line, int64_t from, int64_t to)
{
    for (int64_t i = from; i <= to; i++) {
        const uint64_t address = (uint64_t)((int64_t)line + i) << c->line_bits;
        if (i != 0 && address >> c->page_bits == line << c->line_bits >> c->page_bits) {
            cache_touch(&c->l1i, frame_address(mapping_of(c, address), address));
            cache_touch(&c->data[1], physical(c, address));
        }
    }
}

/* The stream of that page, a new one if it has none. */
static struct code_stream *stream_of(struct core *c, uint64_t page)
{
    struct code_stream *e = c->code_streams;

    for (struct code_stream *o = c->code_streams; o < c->code_streams + CODE_STREAMS; o++) {
        if (o->used && o->page == page)
            return o;
        e = o->used < e->used ? o : e;
    }
    *e = (struct code_stream){.page = page};
    return e;
}

void code_line_fetched(struct core *c, uint64_t line)
{
    const struct code_prefetcher_design *d = &c->design.code_prefetchers;

    bring_code(c, line, 0, d->next);
    if (d->pair)
        bring_code(c, line, line % 2 ? -1 : 1, line % 2 ? -1 : 1);
    if (d->train == 0)
        return;
    struct code_stream *e = stream_of(c, line << c->line_bits >> c->page_bits);
    const int64_t step = (int64_t)line - (int64_t)e->last, degree = d->degree;
    e->run = step != 1 && step != -1 ? 1 : e->run > 1 && step != e->step ? 2 : e->run + 1;
    e->step = step;
    e->last = line;
    e->used = ++c->code_streams_used;
    if (e->run >= d->train && (step == 1 || d->down))
        bring_code(c, line, step == 1 ? 1 : -degree, step == 1 ? degree : -1);
}

/* Code that is prefetched is there at once, as a jump that is mispredicted takes longer than a miss. */
void code_prefetched(struct core *c, uint64_t address)
{
    const struct code_prefetch_design *d = &c->design.code_prefetch;
    const struct mapping *m = mapping_of(c, address);
    bool resident;

    if (d->lines) {
        cache_touch(&c->l1i, frame_address(m, address));
        cache_touch(&c->data[1], physical(c, address));
    }
    if (d->translations)
        translation(c, c->pages, c->design.pages, m, address, &resident);
}
