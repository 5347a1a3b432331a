#include "lib/structure/ports_search.h"

#include <math.h>
#include <string.h>

#include "lib/structure/tolerances_ports.h"

enum {
    TIMES_MOST = 8,  /* operations of one kind that an instruction may be */
    DOUBLES_MOST = 4 /* instructions of more than one kind of operation that are looked for */
};

/* One step: instruction `at` is added to each map of `from`; what is found goes to `to`. */
struct step {
    const struct ports *p;
    const struct ports_beam *from;
    struct ports_beam *to;
    const uint16_t *mixes; /* indices of those that became complete with this instruction */
    size_t mix_count, at;
    const struct ports_mix *alone; /* the instruction by itself */
};

/* Whether the mix has only instructions of that set. */
static bool is_within(const struct ports_mix *mix, unsigned placed)
{
    for (size_t i = 0; i < PORTS_CLASSES; i++)
        if (mix->times[i] && !(placed >> i & 1))
            return false;
    return true;
}

/* ---- Keeping the best maps ------------------------------------------------------------------------ */

static void keep(struct ports_beam *b, const struct ports_map *map)
{
    size_t at = b->count;

    for (size_t i = 0; i < b->count; i++)
        if (!memcmp(b->maps[i].ops, map->ops, sizeof map->ops))
            return;
    while (at > 0 && b->maps[at - 1].loss > map->loss)
        at--;
    if (at == PORTS_MAPS)
        return;
    b->count += b->count < PORTS_MAPS;
    memmove(&b->maps[at + 1], &b->maps[at], (b->count - at - 1) * sizeof *b->maps);
    b->maps[at] = *map;
}

/* Compares a map in which the instruction has been placed, and keeps it if it is good enough. */
static void consider(const struct step *s, struct ports_map map)
{
    unsigned operations = 0;

    for (size_t o = 0; o < PORTS_OPS; o++)
        if (map.ops[s->at][o].ports)
            operations += map.ops[s->at][o].times;
    map.loss += PORTS_OPERATION_LOSS * (operations - 1);
    for (size_t m = 0; m < s->mix_count; m++) {
        ports_compare(&map, s->p->width, &s->p->mixes[s->mixes[m]]);
        if (s->to->count == PORTS_MAPS && map.loss > s->to->maps[PORTS_MAPS - 1].loss)
            return;
    }
    ports_renumber(&map);
    keep(s->to, &map);
}

/* ---- Placing an instruction ----------------------------------------------------------------------- */

/* Whether the instruction alone is as fast by the map as measured. */
static bool fits_alone(const struct step *s, const struct ports_map *map)
{
    const double off = s->alone->cycles / ports_cycles(map, s->p->width, s->alone) - 1;

    return off >= -PORTS_FAST && off <= PORTS_SLOW;
}

/* Of these ports those that the same operations can use as the first of them. */
static unsigned ports_like_first(const struct ports_map *map, unsigned rest)
{
    const unsigned first = rest & -rest;
    unsigned same = rest;

    for (size_t i = 0; i < map->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++)
            same &= map->ops[i][o].ports & first ? map->ops[i][o].ports : ~(unsigned)map->ops[i][o].ports;
    return same;
}

/* All ways to take `size` ports of `rest`; of interchangeable ports, the first ones. */
static void place_on(const struct step *s, struct ports_map *map, unsigned rest, unsigned size)
{
    if (!size) {
        consider(s, *map);
        return;
    }
    if (!rest)
        return;
    unsigned same = ports_like_first(map, rest);
    const uint16_t before = map->ops[s->at][0].ports;
    rest &= ~same;
    place_on(s, map, rest, size);
    for (unsigned left = size; left > 0 && same; left--) {
        map->ops[s->at][0].ports |= (uint16_t)(same & -same);
        same &= same - 1;
        place_on(s, map, rest, left - 1);
    }
    map->ops[s->at][0].ports = before;
}

/* `size` ports that no operation has yet; 0 where there are too few. */
static uint16_t fresh_ports(const struct ports_map *map, unsigned size)
{
    const unsigned used = ports_used(map);

    return (uint16_t)(used + size > PORTS_MOST ? 0 : (1u << (used + size)) - (1u << used));
}

/* Places the instruction as one kind of operation. */
static void place_single(const struct step *s, const struct ports_map *from)
{
    struct ports_map map = *from;

    for (unsigned times = 1; times <= TIMES_MOST; times++)
        for (unsigned size = 1; size <= PORTS_MOST; size++) {
            /* two operations on two ports are one on one, as far as most mixes show: only the simpler one is tried */
            bool simplest = true;
            for (unsigned d = 2; d <= times; d++)
                simplest &= times % d || size % d;
            if (!simplest || (size > 1 && (double)(size - 1) >= (double)times * s->p->width))
                continue;
            map.ops[s->at][0] = (struct ports_op){(uint16_t)((1u << size) - 1), (uint16_t)times};
            if (!fits_alone(s, &map))
                continue;
            map.ops[s->at][0].ports = 0;
            place_on(s, &map, (1u << PORTS_MOST) - 1, size);
        }
}

/* Places the instruction as two kinds of operations: one on another operation's ports, one there or on new ports. */
static void place_double(const struct step *s, const struct ports_map *from)
{
    uint16_t sets[PORTS_CLASSES * PORTS_OPS + PORTS_MOST];
    struct ports_map map = *from;
    size_t known = 0, count;

    for (size_t i = 0; i < from->count; i++)
        for (size_t o = 0; o < PORTS_OPS; o++) {
            const uint16_t ports = from->ops[i][o].ports;
            bool is_new = ports;
            for (size_t k = 0; k < known; k++)
                is_new &= sets[k] != ports;
            if (is_new)
                sets[known++] = ports;
        }
    count = known;
    for (unsigned size = 1; fresh_ports(from, size); size++)
        sets[count++] = fresh_ports(from, size);
    for (size_t a = 0; a < known; a++)
        for (size_t b = a; b < count; b++) {
            map.ops[s->at][0] = (struct ports_op){sets[a], a == b ? 2 : 1};
            map.ops[s->at][1] = (struct ports_op){a == b ? 0 : sets[b], 1};
            if (fits_alone(s, &map))
                consider(s, map);
        }
}

/* ---- All instructions ----------------------------------------------------------------------------- */

/*
 * Places all instructions but those of `without`; those of `late` last, and as two kinds of operations as well. The
 * result is in `a`, `b` is memory to work in. False: some instruction cannot be placed at all.
 */
static bool place_all(const struct ports *p, struct ports_beam *a, struct ports_beam *b, unsigned without,
                      unsigned late)
{
    uint16_t mixes[PORTS_MIXES];
    unsigned placed = 0;
    const unsigned all = (1u << p->count) - 1;

    a->count = 1;
    a->maps[0] = (struct ports_map){.count = p->count};
    while ((placed | without) != all) {
        size_t next = p->count;
        const bool early = (placed | without | late) != all;
        for (size_t i = 0; i < p->count; i++)
            if (!((placed | without | (early ? late : 0)) >> i & 1) &&
                (next == p->count || p->mixes[i].cycles < p->mixes[next].cycles))
                next = i;
        struct step s = {.p = p, .from = a, .to = b, .mixes = mixes, .at = next, .alone = &p->mixes[next]};
        for (size_t m = 0; m < p->mix_count; m++)
            if (p->mixes[m].times[next] && is_within(&p->mixes[m], placed | 1u << next))
                mixes[s.mix_count++] = (uint16_t)m;
        b->count = 0;
        for (size_t i = 0; i < a->count; i++) {
            place_single(&s, &a->maps[i]);
            if (!early)
                place_double(&s, &a->maps[i]);
        }
        if (!b->count)
            return false;
        memcpy(a, b, sizeof *a);
        placed |= 1u << next;
    }
    return true;
}

void ports_search(struct ports *p, struct ports_beam *a, struct ports_beam *b)
{
    unsigned late = 0; /* instructions that are two kinds of operations: as few as possible */
    bool found = place_all(p, a, b, 0, 0);

    for (unsigned n = 0; n < DOUBLES_MOST && p->count > 2 && !(found && ports_fits(&a->maps[0], p->rare)); n++) {
        size_t best = p->count;
        double least = (double)INFINITY;
        for (size_t i = 0; i < p->count; i++)
            if (!(late >> i & 1) && place_all(p, a, b, 0, late | 1u << i) && a->maps[0].loss < least) {
                least = a->maps[0].loss;
                best = i;
            }
        if (best == p->count)
            break;
        late |= 1u << best;
        found = place_all(p, a, b, 0, late);
    }
    p->map_count = 0;
    for (size_t i = 0; found && i < a->count; i++)
        if (i == 0 || ports_fits(&a->maps[i], p->rare))
            p->maps[p->map_count++] = a->maps[i];
    p->fits = found && ports_fits(&p->maps[0], p->rare);
}
