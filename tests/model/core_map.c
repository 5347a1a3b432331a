/* A modelled core's memory: what is mapped where, on which frames, and what its code decodes to. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/model/changes.h"
#include "tests/model/core_state.h"

struct mapping *mapping_of(struct core *c, uint64_t address)
{
    if (c->mapping_last < c->mapping_count &&
        address - c->mappings[c->mapping_last].at < c->mappings[c->mapping_last].count)
        return &c->mappings[c->mapping_last];
    for (size_t i = c->mapping_count; i-- > 0;)
        if (address - c->mappings[i].at < c->mappings[i].count)
            return &c->mappings[c->mapping_last = i];
    abort();
}

/* Memory of which only what is touched exists: areas of code may have far more addresses than pages. */
static void *zeros(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        abort();
    return at;
}

/*
 * What was decoded of areas of code that are no longer mapped: kept for the next ones, since the system takes long to
 * make so much memory again. Nothing is decoded in it, and `seen` holds anything: no translation is left of it.
 */
enum { KEPT = 8 };
static struct kept {
    size_t count; /* bytes of code; 0: nothing is kept here */
    uint8_t *seen;
    uint32_t *decoded;
    struct asked *asked;
} kept[KEPT];

static void forget_area(const struct kept *k)
{
    munmap(k->seen, k->count);
    munmap(k->decoded, k->count * sizeof *k->decoded);
    munmap(k->asked, k->count / PAGE_BYTES * sizeof *k->asked);
}

/* The memory of an area of code of that size, kept or new. */
static struct kept take_area(size_t count)
{
    for (size_t i = 0; i < KEPT; i++)
        if (kept[i].count == count) {
            const struct kept k = kept[i];
            kept[i].count = 0;
            return k;
        }
    return (struct kept){.count = count,
                         .seen = zeros(count),
                         .decoded = zeros(count * sizeof(uint32_t)),
                         .asked = zeros(count / PAGE_BYTES * sizeof(struct asked))};
}

/* Keeps it in place of the one that was kept first. */
static void keep_area(struct kept k)
{
    static size_t next;

    if (kept[next].count)
        forget_area(&kept[next]);
    kept[next] = k;
    next = (next + 1) % KEPT;
}

static void map_in_engine(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code)
{
    UC(uc_mem_map_ptr(c->uc, at, count, code ? UC_PROT_READ | UC_PROT_EXEC : UC_PROT_READ | UC_PROT_WRITE, bytes));
}

void core_map(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code)
{
    if (c->mapping_count == MAPPINGS)
        abort();
    changes.other = true;
    map_in_engine(c, at, bytes, count, code);
    c->mappings[c->mapping_count++] = (struct mapping){
        .at = at, .bytes = bytes, .count = count, .page_bytes = c->page_bytes};
    if (!code)
        return;
    struct mapping *m = &c->mappings[c->mapping_count - 1];
    const struct kept k = take_area(count);
    m->seen = k.seen;
    m->decoded = k.decoded;
    m->asked = k.asked;
}

void core_frames(struct core *c, uint64_t at, size_t page_bytes, const size_t *frames, uint8_t *written)
{
    struct mapping *m = mapping_of(c, at);

    changes.other = true;
    m->page_bytes = page_bytes;
    m->frames = frames;
    m->written = written;
}

void core_of_node(struct core *c, uint64_t at, unsigned node)
{
    struct mapping *m = mapping_of(c, at);

    changes.other = true;
    m->of_node = true;
    m->node = node;
}

void core_hint(struct core *c, uint64_t at)
{
    changes.other = true;
    mapping_of(c, at)->hint = true;
}

/*
 * Forgets what the instructions of a page decode to, and those of the page before that reach into it. Returns an upper
 * bound of the bytes of it that were executed.
 */
static size_t forget_decoded(struct mapping *m, size_t page)
{
    const size_t before = page > LONGEST_INSTRUCTION ? page - LONGEST_INSTRUCTION : 0;
    struct asked *a = &m->asked[page / PAGE_BYTES];
    const size_t run = a->end - a->first;

    memset(m->decoded + before, 0, (page - before) * sizeof *m->decoded);
    memset(m->decoded + page + a->first, 0, run * sizeof *m->decoded);
    *a = (struct asked){0};
    return run;
}

/*
 * Unicorn takes half a microsecond to unmap a page, also one that nobody has accessed: it keeps areas of so many bytes
 * and more. No other area is ever mapped at their addresses, and an access there ends in mapping_of.
 */
static const size_t KEPT_BY_UNICORN = 16 << 20;

void core_unmap(struct core *c, uint64_t at)
{
    struct mapping *m = mapping_of(c, at);

    changes.other = true;
    for (size_t page = 0; m->asked && page < m->count / PAGE_BYTES; page++)
        if (m->asked[page].end) { /* the others were never executed */
            UC(uc_ctl_remove_cache(c->uc, m->at + page * PAGE_BYTES, m->at + (page + 1) * PAGE_BYTES));
            forget_decoded(m, page * PAGE_BYTES);
        }
    if (m->count < KEPT_BY_UNICORN)
        UC(uc_mem_unmap(c->uc, m->at, m->count));
    if (m->seen)
        keep_area((struct kept){m->count, m->seen, m->decoded, m->asked});
    *m = c->mappings[--c->mapping_count];
    c->code = (struct mapping){0};
}

/* ---- Code ---------------------------------------------------------------------------------------- */

uint32_t mapping_decode(const struct mapping *m, uint64_t offset)
{
    struct asked *a = &m->asked[offset / PAGE_BYTES];
    const uint32_t in_page = (uint32_t)(offset % PAGE_BYTES);

    a->first = a->end && a->first < in_page ? a->first : in_page;
    a->end = a->end > in_page ? a->end : in_page + 1;
    return m->decoded[offset] = decode(m->bytes + offset, m->count - offset);
}

/*
 * Unicorn 2.0 does not reuse the memory of translations that were removed, and faults when it has used all of it:
 * after 90 MiB of pages full of code. When a fifth of that was removed, another one takes its place: flushing all
 * translations would clear all of that memory, 1 GiB. A page of code counts as one block at least. No kernel depends on
 * what the one before has left in registers.
 */
static const size_t REMOVED_MAXIMUM = 16 << 20, BLOCK_BYTES = 64;

static void replace_engine(struct core *c)
{
    UC(uc_close(c->uc));
    core_open_engine(c);
    for (const struct mapping *m = c->mappings; m < c->mappings + c->mapping_count; m++)
        map_in_engine(c, m->at, m->bytes, m->count, m->seen != NULL);
    c->removed = 0;
}

/* Whether Unicorn may have translated instructions of that page, or one that reaches into it. */
static bool is_translated(const struct mapping *m, size_t page)
{
    const struct asked *a = &m->asked[page / PAGE_BYTES];

    return a->end || (page && a[-1].end + LONGEST_INSTRUCTION > PAGE_BYTES);
}

/*
 * Page by page, since translating takes longer than executing, and most kernels differ little from those before them.
 */
void core_code_written(struct core *c, uint64_t at, size_t count)
{
    struct mapping *m = mapping_of(c, at);
    size_t end = at - m->at + count;

    for (size_t page = (at - m->at) / PAGE_BYTES * PAGE_BYTES; page < end; page += PAGE_BYTES)
        if (memcmp(m->seen + page, m->bytes + page, PAGE_BYTES) != 0) {
            changes.other = true;
            memcpy(m->seen + page, m->bytes + page, PAGE_BYTES);
            if (!is_translated(m, page))
                continue;
            c->removed += forget_decoded(m, page) + BLOCK_BYTES;
            UC(uc_ctl_remove_cache(c->uc, m->at + page, m->at + page + PAGE_BYTES));
        }
    if (c->removed > REMOVED_MAXIMUM)
        replace_engine(c);
}

/* ---- Frames -------------------------------------------------------------------------------------- */

size_t frame_offset(const struct mapping *m, uint64_t address)
{
    const uint64_t offset = address - m->at;

    return m->frames ? m->frames[offset / m->page_bytes] * m->page_bytes + offset % m->page_bytes : offset;
}

uint64_t frame_address(const struct mapping *m, uint64_t address)
{
    return m->at + frame_offset(m, address);
}

/* Scattered frames are a hash of the page number: the finalizer of SplitMix64, which is one to one. */
uint64_t physical(const struct core *c, uint64_t address)
{
    uint64_t page = address >> c->page_bits;

    if (c->design.contiguous)
        return address;
    page = (page ^ (page >> 30)) * 0xbf58476d1ce4e5b9;
    page = (page ^ (page >> 27)) * 0x94d049bb133111eb;
    return (page ^ (page >> 31)) * c->page_bytes + (address & (c->page_bytes - 1));
}
