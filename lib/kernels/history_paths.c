#include "lib/kernels/history_paths.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    PAGE = 1 << PATH_PAGE_BITS,
    PAGES = 32,    /* of a pad */
    PAD_BITS = 17, /* above those within a pad */
    LOOP_BYTES = 8192 + (HISTORY_PLACES + HISTORY_DUMMIES) * HISTORY_LINE_BYTES,
    CLOSE_SLOT_BYTES = HISTORY_LINE_BYTES / 2,
    SPARSE_DUMMIES = 384, /* on lines of their own: with the rest of the code less than 32 KiB */
    BEFORE_SOURCE = 48,   /* bytes of a page before the first source: a comparison, a constant, the branch */
    BEHIND_TARGET = 96,   /* bytes of a page behind the last target: a constant and a jump */
    OTHER_BIT = 9,        /* of the draw */
    STAGES = 2
};

/*
 * Pages of a pad. None of them meets another one when one of the bits 12 to 16 is inverted in either, and a source that
 * follows a target in the same path lies behind it, also when one of the bits 12 to 14 is inverted in its page.
 */
enum {
    SOURCE_PAGE = 4,
    TARGET_PAGE = 8,
    NEXT_SOURCE_PAGE = 9,
    NEXT_SOURCE_MOVED = 11, /* where bits 12 to 14 of it are inverted */
    NEXT_SOURCE_LAST = 15,  /* where bit 14 of the target before it is inverted */
    NEXT_TARGET_PAGE = 18,
    CARRY_SOURCE_PAGE = 20
};

/* The second stage is where these bits are inverted. */
static const uint64_t SECOND_STAGE = UINT64_C(7) << PAD_BITS;
/* Bits of the pages that a source can be moved by on its own; above them the target before it moves, too. */
static const uint64_t OWN_PAGE_BITS = UINT64_C(7) << PATH_PAGE_BITS;

struct path {
    uint64_t entry; /* in the block, as all of these */
    struct {
        uint64_t source, target;
    } branch[FOOTPRINT_TRIAL_BRANCHES];
    uint64_t exit;
};

struct stage {
    struct path path[2];
    size_t count; /* branches of either path */
    bool indirect;
    size_t dummies;
};

/* ---- Room --------------------------------------------------------------------------------------- */

/* Pages from `from` up to before `to` of the pad where these bits are inverted, for all separating bits. */
static void give_pages(struct code_block *r, uint64_t inverted, size_t from, size_t to)
{
    static const uint64_t none = 0;

    for (unsigned s = 0; s <= PATH_SEPARATORS; s++) {
        const uint64_t separating = s ? UINT64_C(1) << (r->highest - s + 1) : none;
        code_block_give(r, r->block + (inverted ^ separating) + from * PAGE, (to - from) * PAGE);
    }
}

static void give_pad(struct code_block *r, uint64_t inverted)
{
    give_pages(r, inverted, SOURCE_PAGE, SOURCE_PAGE + 1);
    give_pages(r, inverted, TARGET_PAGE, NEXT_SOURCE_LAST + 1);
    give_pages(r, inverted, NEXT_TARGET_PAGE, NEXT_TARGET_PAGE + 1);
}

static void give_all(struct code_block *r, const void *context)
{
    const unsigned end = r->highest + 1 - PATH_SEPARATORS;

    (void)context;
    code_block_give(r, r->loop, LOOP_BYTES);
    give_pages(r, 0, 0, PAGES);
    give_pages(r, SECOND_STAGE, 0, PAGES);
    for (unsigned i = PAD_BITS; i < end; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        give_pad(r, bit);
        give_pad(r, bit ^ SECOND_STAGE);
        give_pages(r, bit - (UINT64_C(1) << PAD_BITS), PAGES - 1, PAGES); /* from where a carry leads into `bit` */
        give_pages(r, bit, 0, 1);
        for (unsigned j = PAD_BITS; j < i && i < PAD_BITS + 3; j++)
            give_pad(r, bit ^ UINT64_C(1) << j);
    }
}

const char *path_room_map(struct code_block *r, unsigned highest)
{
    return code_block_map(r, highest, LOOP_BYTES, give_all, NULL);
}

/* ---- Where branches lie ------------------------------------------------------------------------- */

/* Bytes of a conditional branch or an indirect jump. */
static unsigned branch_bytes(bool indirect)
{
    return emit_alignment > 1 ? 4 : indirect ? 2 : 6;
}

/* From the first byte of a branch to the one that it is known by. */
static unsigned source_byte(bool indirect)
{
    return emit_alignment > 1 ? 0 : branch_bytes(indirect) - 1;
}

/* A random address within a page, from `least` on and below `end`, also with these bits inverted. */
static uint64_t draw_in_page(uint64_t *random, uint64_t inverted, uint64_t least, uint64_t end)
{
    uint64_t a, b;

    do {
        a = random_below(random, PAGE / emit_alignment) * emit_alignment;
        b = a ^ inverted % PAGE;
    } while (a < least || b < least || a >= end || b >= end);
    return a;
}

static uint64_t draw_source(uint64_t *random, uint64_t inverted)
{
    return draw_in_page(random, inverted, BEFORE_SOURCE + 16, PAGE);
}

static uint64_t draw_target(uint64_t *random, uint64_t inverted)
{
    return draw_in_page(random, inverted, 0, PAGE - BEHIND_TARGET);
}

static uint64_t page_of(uint64_t address)
{
    return address / PAGE * PAGE;
}

/* Where in a page a path is left, behind the targets of both. */
static uint64_t behind_targets(uint64_t one, uint64_t inverted)
{
    const uint64_t a = one % PAGE, b = (one ^ inverted) % PAGE;

    return ((a > b ? a : b) + 16) / 16 * 16;
}

/* Where in a page a path is entered, before the sources of both. */
static uint64_t before_sources(uint64_t one, uint64_t inverted)
{
    const uint64_t a = one % PAGE, b = (one ^ inverted) % PAGE;

    return ((a < b ? a : b) - BEFORE_SOURCE) / 16 * 16;
}

/* A branch whose source or target differs by a carry from the pages below: all bits of pages up to the inverted one. */
static void lay_carry(const struct footprint_trial *t, uint64_t *random, struct path path[2])
{
    const struct footprint_bits d = t->branch[0];
    const bool source = t->carry == FOOTPRINT_CARRY_SOURCE;
    const uint64_t above = source ? d.source : d.target, below = above - PAGE;
    const uint64_t from = draw_source(random, 0), to = draw_target(random, 0);

    for (size_t i = 0; i < 2; i++) {
        const uint64_t moved = i ? above : below;
        path[i].branch[0].source = (source ? moved : (uint64_t)CARRY_SOURCE_PAGE * PAGE) + from;
        path[i].branch[0].target = (source ? (uint64_t)NEXT_TARGET_PAGE * PAGE : moved) + to;
        path[i].entry = (source ? below : (uint64_t)CARRY_SOURCE_PAGE * PAGE) + before_sources(from, 0);
        path[i].exit = (source ? (uint64_t)NEXT_TARGET_PAGE * PAGE : above) + behind_targets(to, 0);
    }
}

static void lay_first(const struct footprint_bits *d, uint64_t *random, struct path path[2])
{
    const uint64_t source = (uint64_t)SOURCE_PAGE * PAGE + draw_source(random, d->source);
    const uint64_t target = (uint64_t)TARGET_PAGE * PAGE + draw_target(random, d->target);

    for (size_t i = 0; i < 2; i++) {
        path[i].branch[0].source = source ^ (i ? d->source : 0);
        path[i].branch[0].target = target ^ (i ? d->target : 0);
        path[i].entry = page_of(path[i].branch[0].source) + before_sources(source, d->source);
        path[i].exit = page_of(path[i].branch[0].target) + behind_targets(target, d->target);
    }
}

/* Adds a branch that follows the first one's target. */
static void lay_second(const struct footprint_bits *first, const struct footprint_bits *d, uint64_t *random,
                       struct path path[2])
{
    const uint64_t moves = ~(OWN_PAGE_BITS | (PAGE - 1)); /* bits by which a source and the target before it move */
    const uint64_t own = (first->target | d->source) & OWN_PAGE_BITS;
    const uint64_t page = first->target >> (PATH_PAGE_BITS + 2) & 1 ? NEXT_SOURCE_LAST
                          : own                                     ? NEXT_SOURCE_MOVED
                                                                    : NEXT_SOURCE_PAGE;
    const uint64_t source = page * PAGE + draw_source(random, d->source);
    const uint64_t target = (uint64_t)NEXT_TARGET_PAGE * PAGE + draw_target(random, d->target);

    path[1].branch[0].target ^= d->source & moves;
    for (size_t i = 0; i < 2; i++) {
        path[i].branch[1].source = source ^ (i ? d->source ^ (first->target & moves) : 0);
        path[i].branch[1].target = target ^ (i ? d->target : 0);
        path[i].exit = page_of(path[i].branch[1].target) + behind_targets(target, d->target);
    }
}

/* Puts a stage where the second stage is, and its second path where the separating bit is inverted. */
static void move_stage(struct stage *s, uint64_t stage, uint64_t separating)
{
    for (size_t i = 0; i < 2; i++) {
        const uint64_t moved = stage ^ (i ? separating : 0);
        s->path[i].entry ^= moved;
        s->path[i].exit ^= moved;
        for (size_t n = 0; n < s->count; n++) {
            s->path[i].branch[n].source ^= moved;
            s->path[i].branch[n].target ^= moved;
        }
    }
}

static bool reaches(const struct stage *s)
{
    const uint64_t reach = emit_alignment > 1 ? UINT64_C(1) << 20 : UINT64_C(1) << 31;
    const uint64_t margin = PAGE;

    for (size_t i = 0; i < 2 * s->count; i++) {
        const uint64_t from = s->path[i % 2].branch[i / 2].source, to = s->path[i % 2].branch[i / 2].target;
        if ((from > to ? from - to : to - from) + margin > reach)
            return false;
    }
    return true;
}

/* Lays out all stages; returns how many there are. */
static size_t lay_out(const struct history_paths *h, struct stage stages[STAGES])
{
    const struct footprint_trial *t = &h->trial;
    const size_t count = t->between ? 2 : 1;
    uint64_t random = h->layout;

    for (size_t i = 0; i < count; i++) {
        struct stage *s = &stages[i];
        *s = (struct stage){.count = t->between ? 1 : t->count};
        if (t->carry)
            lay_carry(t, &random, s->path);
        else
            lay_first(&t->branch[i], &random, s->path);
        if (s->count > 1)
            lay_second(&t->branch[0], &t->branch[1], &random, s->path);
        move_stage(s, i ? SECOND_STAGE : 0, UINT64_C(1) << (h->room->highest - h->separator));
        s->indirect = !reaches(s);
        s->dummies = i + 1 < count ? t->between - (h->indirect ? 2 : 0) : t->behind;
    }
    return count;
}

bool history_paths_reach(const struct history_paths *h)
{
    struct stage stages[STAGES];
    const size_t count = lay_out(h, stages);

    for (size_t i = 0; i < count; i++)
        if (stages[i].indirect && !h->indirect)
            return false;
    return !h->trial.between || !h->indirect || h->trial.between >= 2;
}

uint64_t history_paths_reached(const struct history_paths *h, uint64_t bits, bool source)
{
    struct history_paths one = *h;
    uint64_t reached = 0;

    for (; bits; bits &= bits - 1) {
        const uint64_t bit = bits & -bits;
        one.trial = (struct footprint_trial){.branch = {{.source = source ? bit : 0, .target = source ? 0 : bit}},
                                             .count = 1};
        reached |= history_paths_reach(&one) ? bit : 0;
    }
    return reached;
}

/* ---- Code --------------------------------------------------------------------------------------- */

static void emit_path(struct code *c, const struct code_block *r, const struct stage *s, const struct path *path,
                      size_t back)
{
    struct piece piece = piece_at(c, r, r->block + path->entry);

    emit_compare(c, REG_T6, REG_T6);
    for (size_t n = 0; n < s->count && code_good(c); n++) {
        const size_t target = r->block + path->branch[n].target;
        if (s->indirect)
            emit_constant(c, REG_T4, c->at + target);
        piece_slide(&piece, r->block + path->branch[n].source - source_byte(s->indirect));
        if (s->indirect)
            emit_branch_register(c, REG_T4);
        else
            emit_jump_if_equal(c, target, branch_bytes(false));
        piece_done(&piece);
        piece = piece_at(c, r, target);
    }
    piece_slide(&piece, r->block + path->exit);
    emit_constant(c, REG_T4, c->at + back);
    emit_branch_register(c, REG_T4);
    piece_done(&piece);
}

/* To the first or the second path, by a bit of the draw. */
static void emit_router(struct code *c, const struct code_block *r, const struct stage *s)
{
    const uint64_t one = c->at + r->block + s->path[0].entry, other = c->at + r->block + s->path[1].entry;

    chance_bits(c, 0, 1);
    emit_constant(c, REG_T4, other - one);
    emit_multiply(c, REG_T1, REG_T4);
    emit_constant(c, REG_T4, one);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
}

static void emit_dummies(struct code *c, size_t count, bool close)
{
    for (size_t i = 0; i < count; i++) {
        const size_t next = c->used + (close ? CLOSE_SLOT_BYTES : HISTORY_LINE_BYTES);
        const struct fixup branch = emit_branch_if_zero_ahead(c, REG_T6);
        emit_place(c, next);
        emit_land(c, branch);
    }
}

bool history_paths_build(struct probe *p, const struct history_paths *h, enum history_probe goes, struct kernel *k)
{
    const struct code_block *r = h->room;
    struct stage stages[STAGES];
    size_t back[STAGES];
    const size_t count = lay_out(h, stages);
    uint64_t random = h->layout;
    struct code c = code_start(r->code.area.write, r->code.area.at, r->code.area.bytes);
    struct piece piece = piece_at(&c, r, r->loop + random_below(&random, HISTORY_PLACES) * HISTORY_LINE_BYTES);
    const size_t entry = c.used, dummies = h->trial.between + h->trial.behind;

    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    chance_draw(&c);
    chance_bits(&c, goes == HISTORY_OTHER_BIT ? OTHER_BIT : 0, 1);
    emit_move(&c, REG_T5, goes == HISTORY_CONSTANT ? REG_T6 : REG_T1);
    for (size_t i = 0; i < count; i++) {
        emit_router(&c, r, &stages[i]);
        emit_align(&c, HISTORY_LINE_BYTES);
        back[i] = c.used;
        emit_dummies(&c, stages[i].dummies, dummies > SPARSE_DUMMIES);
    }
    history_emit_probe_branch(p, &c);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    piece_done(&piece);
    for (size_t i = 0; i < 2 * count && code_good(&c); i++)
        emit_path(&c, r, &stages[i / 2], &stages[i / 2].path[i % 2], back[i / 2]);
    *k = (struct kernel){.data = h->state,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 500, 1000, 2000),
                         /* paths are not equally long, and it is drawn which one is taken: many iterations */
                         .length_factor = probe_scale(p, 1, 8, 8, 8),
                         .entry = c.at + entry};
    return code_good(&c) || probe_skip(p, c.overflow ? "the kernel did not fit its code area"
                                                     : "the kernel has an operand out of range");
}
