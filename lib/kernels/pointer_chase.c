#include "lib/kernels/pointer_chase.h"

#include "lib/base/random.h"

enum {
    CODE_BYTES = 4096,
    START_WORDS = 2,  /* where the walk continues; what a kernel of another kind needs beside it (displaced_chase.h) */
    PAGE_BYTES = 4096 /* of which groups consist; a larger page of the platform counts as many */
};

/* Which groups pointer_chase_link_alike has linked that still are: behind the words of the start. */
struct chase_alike {
    size_t lines, offset, group, pitch;
};
enum { START_BYTES = START_WORDS * sizeof(uint64_t) + sizeof(struct chase_alike) };

/* Nothing is linked yet. */
static void begin(struct pointer_chase *c)
{
    c->pitch = 0;
    c->alike = (struct chase_alike *)(c->start.write + START_WORDS * sizeof(uint64_t));
    c->alike->lines = 0;
}

static void forget_alike(const struct pointer_chase *c)
{
    if (c->alike)
        c->alike->lines = 0;
}

/* Bytes of scratch for a ring of so many bytes: a number for each line, and one for each page. */
static size_t order_bytes(size_t ring_bytes)
{
    return (ring_bytes / POINTER_CHASE_LINE_BYTES + ring_bytes / PAGE_BYTES) * sizeof(uint32_t);
}

bool pointer_chase_map_beside(struct probe *p, struct pointer_chase *c)
{
    const bool good = probe_map(p, &c->start, START_BYTES, 0) && probe_map(p, &c->order, order_bytes(c->ring.bytes), 0);
    if (good)
        begin(c);
    return good;
}

bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    return probe_map_large(p, &c->ring, bytes) && pointer_chase_map_beside(p, c);
}

const char *pointer_chase_try_map(struct pointer_chase *c, size_t bytes, size_t page_bytes)
{
    const size_t mark = machine_map_mark();
    const char *why = machine_map(&c->ring, bytes, page_bytes, AREA_DATA);

    if (!why)
        why = machine_map(&c->start, START_BYTES, 0, AREA_DATA);
    if (!why)
        why = machine_map(&c->order, order_bytes(bytes), 0, AREA_DATA);
    if (why)
        machine_map_release(mark);
    else
        begin(c);
    return why;
}

/* Where the lines of a ring lie that are linked one group after the other. */
struct places {
    size_t pitch, page_lines, page_count;
    const uint32_t *pages; /* the page in the place of each whole page; NULL: each in its own */
};

/* The offset of a line in bytes. */
static size_t place(const struct places *s, size_t line)
{
    if (!s->pages || line / s->page_lines >= s->page_count)
        return line * s->pitch;
    return (s->pages[line / s->page_lines] * s->page_lines + line % s->page_lines) * s->pitch;
}

static size_t pitch_of(const struct pointer_chase *c)
{
    return c->pitch ? c->pitch : POINTER_CHASE_LINE_BYTES;
}

/*
 * Links the `count` lines from number `first` on to a path in random order, of which the last one leads to the line of
 * number `following`. The walk enters a group at its first line, so the line before that in the cycle leaves it.
 * `next` is scratch for the lines of a group.
 */
static void link_group(struct probe *p, const struct pointer_chase *c, const struct places *places, uint32_t *next,
                       size_t offset, size_t first, size_t count, size_t following)
{
    random_cycle(next, (uint32_t)count, &p->random);
    for (size_t i = 0; i < count; i++) {
        const size_t from = place(places, first + i), to = place(places, next[i] ? first + next[i] : following);
        *(uint64_t *)(c->ring.write + offset + from) = c->ring.at + offset + to;
    }
}

void pointer_chase_link(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    uint32_t *const next = (uint32_t *)c->order.write, *const pages = next + (group < lines ? group : lines);
    struct places places = {.pitch = pitch_of(c), .page_lines = PAGE_BYTES / pitch_of(c)};

    places.page_count = lines / places.page_lines;
    if (group < lines) {
        for (size_t i = 0; i < places.page_count; i++)
            pages[i] = (uint32_t)i;
        random_shuffle(pages, places.page_count, sizeof *pages, &p->random);
        places.pages = pages;
    }
    for (size_t first = 0; first < lines; first += group)
        link_group(p, c, &places, next, offset, first, lines - first < group ? lines - first : group,
                   first + group < lines ? first + group : 0);
    *(uint64_t *)c->start.write = c->ring.at + offset + place(&places, 0);
    forget_alike(c);
}

void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    const struct places places = {.pitch = pitch_of(c), .page_lines = 1};
    const size_t words = group * places.pitch / sizeof(uint64_t), step = places.pitch / sizeof(uint64_t);
    uint64_t *const ring = (uint64_t *)(c->ring.write + offset);
    struct chase_alike *const known = c->alike;
    const size_t last = (lines - 1) / group * group; /* line of the last group */
    const bool same = known && known->offset == offset && known->group == group && known->pitch == places.pitch;
    size_t linked = same ? known->lines : 0;

    if (last > 0 && linked == 0) {
        link_group(p, c, &places, (uint32_t *)c->order.write, offset, 0, group, group);
        linked = group;
    }
    for (; linked < last; linked += group) /* the links of the group before, moved by a group */
        for (size_t i = 0; i < words; i += step)
            ring[linked * step + i] = ring[linked * step + i - words] + group * places.pitch;
    link_group(p, c, &places, (uint32_t *)c->order.write, offset, last, lines - last, 0);
    *(uint64_t *)c->start.write = c->ring.at + offset;
    if (known)
        *known = (struct chase_alike){last, offset, group, places.pitch};
}

void pointer_chase_follow(const struct pointer_chase *c, const size_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)(c->ring.write + offsets[i]) = c->ring.at + offsets[i + 1 < count ? i + 1 : 0];
    *(uint64_t *)c->start.write = c->ring.at + offsets[0];
    forget_alike(c);
}

/* The offsets behind the first one in random order, walked as a ring, are a random cycle. */
void pointer_chase_scatter(struct probe *p, const struct pointer_chase *c, size_t *offsets, size_t count)
{
    random_shuffle(offsets + 1, count > 1 ? count - 1 : 0, sizeof *offsets, &p->random);
    pointer_chase_follow(c, offsets, count);
}

static bool have_common_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 1;
}

unsigned pointer_chase_unroll(size_t lines, unsigned at_least)
{
    while (have_common_divisor(lines, at_least))
        at_least++;
    return at_least;
}

bool pointer_chase_kernel(struct probe *p, const struct pointer_chase *c, unsigned unroll, struct kernel *k)
{
    struct code code = probe_code(p, CODE_BYTES);

    emit_load(&code, REG_T0, REG_DATA, 0);
    emit_align(&code, POINTER_CHASE_LINE_BYTES);
    size_t loop = code.used;
    for (unsigned i = 0; i < unroll; i++)
        emit_load(&code, REG_T0, REG_T0, 0);
    emit_loop(&code, loop);
    emit_store(&code, REG_T0, REG_DATA, 0);
    emit_return(&code);
    k->data = c->start.at;
    k->units = unroll;
    return probe_kernel(p, &code, 0, k);
}
