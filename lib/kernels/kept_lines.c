#include "lib/kernels/kept_lines.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/measure/list.h"

enum {
    KEPT_PART = 4,     /* the kept lines are this part of the first level: of eight ways two, … */
    KEPT_PITCH = 5,    /* … so many lines apart, so that no prefetcher of neighbours brings one for another */
    PIECE_PART = 4,    /* a piece of data is this part of it: two of eight ways */
    PIECE_PAGES = 4,   /* a piece of code: so few page walks bring few lines into the first level */
    OTHERS_FACTOR = 2, /* other lines that take the place of all in the first level, in parts of it, … */
    OTHERS_PASSES = 2, /* … walked so often, since not every policy replaces the oldest line */
    GROUP = 16,        /* blocks of lines that a piece of data is taken from, each as many lines as the piece has */
    FEW = 33,          /* of code, of so many lines one is used where few are: odd, so that these lie in all sets */
    FEW_DATA = 14,     /* … and of data: the first of so many parts of those that fill, a quarter of the level */
    UNROLL = 8,
    FEW_AT = POINTER_CHASE_LINE_BYTES / 2, /* where jumps from one of the few lines to the next are in their lines */
    RING_NOPS = 40,                        /* bytes of NOPs in a line before its jump, or the end of a loop */
    WALK_BYTES = 4096,                     /* room for the kernel of loads */
    PIECES = 8,                            /* of a window, at most */
    SETTLE_READINGS = 2                    /* reference chains before a look: what is under way arrives meanwhile */
};

/* Walks a ring whose pointer to continue at is REG_DATA, UNROLL lines an iteration. */
static size_t emit_walk(struct code *c)
{
    const size_t entry = c->used;

    emit_load(c, REG_T0, REG_DATA, 0);
    const size_t loop = c->used;
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(c, REG_T0, REG_T0, 0);
    emit_loop(c, loop);
    emit_store(c, REG_T0, REG_DATA, 0);
    emit_return(c);
    return entry;
}

/*
 * A piece of code: two chains of jumps, one through all of its lines, which begins at `begin`, and one through every
 * FEW-th line of all pieces, which begins in the first of these lines.
 */
static void emit_piece(struct code *c, size_t begin, size_t first, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        const size_t at = begin + i * POINTER_CHASE_LINE_BYTES;
        emit_place(c, at);
        if (i + 1 < lines)
            emit_branch(c, at + POINTER_CHASE_LINE_BYTES);
        else
            emit_return(c);
        if ((first + i) % FEW)
            continue;
        emit_place(c, at + FEW_AT);
        if (i + FEW < lines)
            emit_branch(c, at + (size_t)FEW * POINTER_CHASE_LINE_BYTES + FEW_AT);
        else
            emit_return(c);
    }
}

/*
 * A chain of jumps through `lines` lines of code, KEPT_PITCH lines apart and in random order, with NOPs before them, so
 * that it shows how fast code comes. Returns where it begins.
 */
static size_t emit_ring(struct probe *p, struct code *c, size_t lines)
{
    const size_t pitch = (size_t)KEPT_PITCH * POINTER_CHASE_LINE_BYTES;
    uint32_t *next = probe_calloc(p, lines, sizeof *next);

    if (!next)
        return 0;
    emit_align(c, POINTER_CHASE_LINE_BYTES);
    const size_t begin = c->used;
    random_cycle(next, (uint32_t)lines, &p->random);
    for (size_t i = 0; i < lines; i++) {
        emit_place(c, begin + i * pitch);
        emit_nops(c, RING_NOPS);
        if (next[i]) {
            emit_branch(c, begin + next[i] * pitch);
        } else {
            emit_loop(c, begin);
            emit_return(c);
        }
    }
    emit_place(c, begin + lines * pitch);
    free(next);
    return begin;
}

/* One less than a multiple of the loads of an iteration, so that no load of the code comes to the same lines again. */
static size_t ring_lines(double lines)
{
    const size_t whole = (size_t)lines / UNROLL * UNROLL;

    return (whole > UNROLL ? whole : UNROLL) - 1;
}

/*
 * Links `count` lines of data to a ring: each piece has one line for each place in a block of as many lines, so that it
 * takes as much of each set of the first level, from one of GROUP blocks, so that prefetchers find no order.
 */
static bool link_pieces(struct probe *p, const struct pointer_chase *ring, size_t offset, size_t count, size_t piece)
{
    size_t *offsets = probe_calloc(p, count + 2 * piece, sizeof *offsets), n = 0;

    if (!offsets)
        return false;
    size_t *shift = offsets + count, *place = shift + piece;
    for (size_t first = 0; first < count; first += GROUP * piece) {
        const size_t left = (count - first) / piece, blocks = left < GROUP ? left : GROUP;
        for (size_t i = 0; i < piece; i++) {
            place[i] = i;
            shift[i] = random_below(&p->random, blocks);
        }
        for (size_t block = 0; block < blocks; block++) {
            random_shuffle(place, piece, sizeof *place, &p->random);
            for (size_t i = 0; i < piece; i++)
                offsets[n++] = offset + (first + (block + shift[place[i]]) % blocks * piece + place[i]) *
                                            POINTER_CHASE_LINE_BYTES;
        }
    }
    pointer_chase_follow(ring, offsets, n);
    free(offsets);
    return true;
}

bool kept_lines_start(struct probe *p, struct kept_lines *k, double first_bytes, double code_bytes, double second_bytes,
                      enum reason *reason)
{
    const double first = first_bytes / POINTER_CHASE_LINE_BYTES, second = second_bytes / POINTER_CHASE_LINE_BYTES;
    const size_t line = POINTER_CHASE_LINE_BYTES, kept_code = ring_lines(code_bytes / (double)line / KEPT_PART),
                 others_code = ring_lines(code_bytes / (double)line * OTHERS_FACTOR),
                 rings = (kept_code + others_code + 2) * KEPT_PITCH * line;

    *k = (struct kept_lines){
        .p = p,
        .kept_count = ring_lines(first / KEPT_PART),
        .others_count = ring_lines(first * OTHERS_FACTOR),
        .fill_count = (size_t)(second * KEPT_FILLS),
        .piece = {[KEPT_CODE] = (size_t)probe_smoke(p, 1, PIECE_PAGES) * machine_info()->page_bytes[0] / line,
                  [KEPT_DATA] = ring_lines(first / PIECE_PART) + 1}};
    *reason = REASON_NO_MEMORY;
    if ((double)(k->fill_count * line) > (double)machine_info()->memory_bytes / 4)
        return true;
    *reason = REASON_NONE;
    struct code c = probe_code(p, WALK_BYTES + (k->fill_count + k->piece[KEPT_CODE]) * line + rings);
    if (!pointer_chase_map(p, &k->kept, k->kept_count * KEPT_PITCH * line) ||
        !pointer_chase_map(p, &k->others, k->others_count * line) ||
        !pointer_chase_map(p, &k->all, k->fill_count * line))
        return false;
    k->few = k->all;
    k->kept.pitch = KEPT_PITCH * line;
    if (!probe_map(p, &k->few.start, sizeof(uint64_t), 0))
        return false;
    pointer_chase_link(p, &k->kept, 0, k->kept_count, k->kept_count);
    pointer_chase_link(p, &k->others, 0, k->others_count, k->others_count);
    const size_t piece = k->piece[KEPT_DATA], few = k->fill_count / FEW_DATA;
    if (!link_pieces(p, &k->all, 0, k->fill_count / piece * piece, piece) ||
        /* these pointers are the second words of their lines */
        !link_pieces(p, &k->few, sizeof(uint64_t), (few + piece - 1) / piece * piece, piece))
        return false;
    const size_t at = emit_walk(&c);
    for (size_t i = 0; i < k->fill_count; i += k->piece[KEPT_CODE])
        emit_piece(&c, WALK_BYTES + i * line, i, k->piece[KEPT_CODE]);
    const size_t kept_at = emit_ring(p, &c, kept_code), others_at = emit_ring(p, &c, others_code);
    return probe_kernel(p, &c, at, &k->walk) && probe_kernel(p, &c, WALK_BYTES, &k->code) &&
           probe_kernel(p, &c, kept_at, &k->kept_code) && probe_kernel(p, &c, others_at, &k->others_code);
}

static struct reading walk(const struct kept_lines *k, const struct pointer_chase *ring, size_t lines)
{
    struct reading r = reading_of(&k->walk, (lines + UNROLL - 1) / UNROLL);

    r.argument[1] = ring->start.at;
    return r;
}

static struct reading displace(const struct kept_lines *k)
{
    return k->side == KEPT_IN_CODE ? reading_of(&k->others_code, OTHERS_PASSES)
                                   : walk(k, &k->others, OTHERS_PASSES * k->others_count);
}

static struct reading look(const struct kept_lines *k)
{
    return k->side == KEPT_IN_CODE ? reading_of(&k->kept_code, 1) : walk(k, &k->kept, k->kept_count);
}

/* Piece number i of a fill. */
static struct reading piece(const struct kept_lines *k, enum kept_filler filler, bool all, size_t i)
{
    struct reading r = reading_of(&k->code, 1);
    const size_t first = i * k->piece[KEPT_CODE];

    if (filler == KEPT_NOTHING) /* it leaves the kept lines where they are */
        return k->side == KEPT_IN_CODE ? look(k) : walk(k, &k->kept, 1);
    if (filler == KEPT_DATA)
        return walk(k, all ? &k->all : &k->few, k->piece[KEPT_DATA]);
    if (all)
        r.kernel += first * POINTER_CHASE_LINE_BYTES;
    else /* at the first one of the few lines that this piece has */
        r.kernel += (first + FEW - 1) / FEW * FEW * POINTER_CHASE_LINE_BYTES + FEW_AT;
    return r;
}

/* Runs the list. *quiet: nothing has interrupted it. */
static bool run_list(struct kept_lines *k, struct reading *list, size_t count, bool *quiet)
{
    const struct window_result result = list_run(&k->p->run->meter, list, count);

    k->p->run->meter.taken++;
    *quiet = !result.interrupts && !result.smis;
    return probe_survived(k->p, &result) && probe_goes_on(k->p);
}

static double look_ticks(const struct kept_lines *k, const struct reading *r)
{
    return reading_ticks(r) - k->p->run->meter.harness_ticks;
}

bool kept_lines_load(struct kept_lines *k, bool displaced)
{
    struct reading list[] = {displace(k), look(k), displace(k)};
    bool quiet;

    return run_list(k, list, displaced ? 3 : 2, &quiet);
}

bool kept_lines_fill(struct kept_lines *k, enum kept_filler filler, bool all, double most, double *looks)
{
    const size_t pieces = k->fill_count / k->piece[filler == KEPT_NOTHING ? KEPT_DATA : filler];
    struct reading list[2 * PIECES];
    double sum = 0, count = 0;

    for (size_t done = 0; done < pieces;) {
        size_t n = 0;
        bool quiet;
        for (size_t i = 0; i < PIECES && done < pieces; i++, done++) {
            list[n++] = piece(k, filler, all, done);
            if (looks)
                list[n++] = look(k);
        }
        if (!run_list(k, list, n, &quiet))
            return false;
        for (size_t i = 1; i < n && quiet && looks; i += 2) {
            const double ticks = look_ticks(k, &list[i]);
            sum += ticks <= most ? ticks : 0;
            count += ticks <= most;
        }
    }
    if (looks)
        *looks = count > 0 ? sum / count : (double)NAN;
    return true;
}

bool kept_lines_look(struct kept_lines *k, bool displaced, double *ticks)
{
    struct reading list[3 + SETTLE_READINGS];
    size_t n = 0;
    bool quiet;

    if (displaced)
        list[n++] = displace(k);
    list[n++] = walk(k, &k->kept, 1); /* the code that looks was displaced, too */
    for (size_t i = 0; i < SETTLE_READINGS; i++)
        list[n++] = reading_of_chain(&k->p->run->meter);
    list[n++] = look(k);
    if (!run_list(k, list, n, &quiet))
        return false;
    *ticks = quiet ? look_ticks(k, &list[n - 1]) : (double)NAN;
    return true;
}
