#include "lib/observer/page.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAMILIES = 4,
    COLUMN_AT_LEAST = 56, /* characters, for one row of findings beside another */
    VALUE_COLUMNS = 20,
    PUBLISHED_COLUMNS = 12,
    MOST_LINES = 256,
    VARIANTS_FIRST = 4, /* further variants of one finding come after all others */
};

/* In the order in which an instruction meets them. */
static const char *const families[FAMILIES] = {"frontend", "backend", "memory", "system"};

/*
 * What people want to know of a core first: findings, or beginnings of their names, the most important first. What is
 * not among them follows in the order in which it was found.
 */
static const char *const telling[] = {
    "frontend.decode.width",
    "frontend.fetch.",
    "frontend.op_cache.ops",
    "frontend.op_cache.entries",
    "frontend.l1i.bytes",
    "frontend.btb.levels",
    "frontend.btb.entries",
    "frontend.btb.taken_per_cycle",
    "frontend.return_stack.entries",
    "frontend.mispredict.cycles",
    "frontend.indirect.targets",
    "frontend.history.branches",
    "frontend.itlb.entries",
    "frontend.loop_buffer.ops",
    "frontend.nop.per_cycle",
    "backend.rob.entries",
    "backend.rob.instructions",
    "backend.rename.per_cycle",
    "backend.retire.per_cycle",
    "backend.registers.entries",
    "backend.load_queue.entries",
    "backend.store_queue.entries",
    "backend.scheduler.entries",
    "backend.branches_in_flight.entries",
    "backend.dispatch_queue.entries",
    "memory.cache.bytes",
    "memory.cache.latency_cycles",
    "memory.dram.latency_ns",
    "memory.dtlb.entries",
    "memory.parallel_misses",
    "memory.bandwidth.bytes_per_cycle",
    "memory.mix.per_cycle",
    "memory.forwarding.cycles",
    "memory.forwarding.blocked_cycles",
    "memory.cache.ways",
    "memory.renaming.pairs",
    "memory.load_use.cycles",
    "system.clock.hz",
    "system.noise.",
    "system.core_to_core.",
};
enum { TELLING = sizeof telling / sizeof telling[0] };

/* Shortens "level=1 branch=uncond" to "level=1 uncond": a value that is a word is clear without its key. */
static void shorten(char *out, size_t room, const char *variants)
{
    size_t used = 0;

    out[0] = 0;
    while (*variants && used < room) {
        size_t word = strcspn(variants, " ");
        const char *value = memchr(variants, '=', word);
        const char *begin = value && isalpha((unsigned char)value[1]) ? value + 1 : variants;
        int n = snprintf(out + used, room - used, "%s%.*s", used ? " " : "", (int)(variants + word - begin), begin);
        used += n > 0 ? (size_t)n : 0;
        variants += word + strspn(variants + word, " ");
    }
}

bool page_add(struct page *p, const struct observed_finding *f, unsigned core)
{
    struct page_finding found = {.grade = f->grade, .agrees = f->agrees, .core = core};
    size_t i = 0;

    for (size_t j = 0; j < p->count; j++)
        found.variant += p->all[j].core == core && !strcmp(p->all[j].name, f->name);
    snprintf(found.name, sizeof found.name, "%s", f->name);
    shorten(found.variants, sizeof found.variants, f->variants);
    snprintf(found.value, sizeof found.value, "%s", f->value);
    snprintf(found.published, sizeof found.published, "%s", f->published);
    while (i < p->count && (p->all[i].core != core || strcmp(p->all[i].name, found.name) != 0 ||
                            strcmp(p->all[i].variants, found.variants) != 0))
        i++;
    if (i == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        struct page_finding *grown = realloc(p->all, room * sizeof *grown);
        if (!grown)
            return false;
        p->all = grown;
        p->room = room;
    }
    if (i < p->count)
        found.variant = p->all[i].variant;
    p->all[i] = found;
    p->count += i == p->count;
    return true;
}

void page_free(struct page *p)
{
    free(p->all);
    *p = (struct page){.all = NULL};
}

/* ---- What is shown ----------------------------------------------------------------------------------- */

static bool of_family(const struct page_finding *f, unsigned family)
{
    size_t length = strlen(families[family]);

    return !strncmp(f->name, families[family], length) && f->name[length] == '.';
}

enum round { ROUND_TELLING, ROUND_DECIDED, ROUND_UNDECIDED, ROUNDS };

/* Place of a finding in the list `telling`, TELLING where it is not there; undecided ones come behind all others. */
static size_t rank(const struct page_finding *f)
{
    size_t i = f->variant < VARIANTS_FIRST ? 0 : TELLING;

    while (i < TELLING && strncmp(f->name, telling[i], strlen(telling[i])) != 0)
        i++;
    return i + (f->grade == 'U' ? TELLING + 1 : 0);
}

static enum round round_of(const struct page_finding *f)
{
    const size_t r = rank(f);

    return r < TELLING ? ROUND_TELLING : r == TELLING ? ROUND_DECIDED : ROUND_UNDECIDED;
}

/* The family's finding of least rank, the first of equals, among those marked up to round `last`; p->count: none. */
static size_t best_of(const struct page *p, unsigned family, const bool *marked, enum round last)
{
    size_t best = p->count;

    for (size_t i = 0; i < p->count; i++)
        if (marked[i] && of_family(&p->all[i], family) && round_of(&p->all[i]) <= last &&
            (best == p->count || rank(&p->all[i]) < rank(&p->all[best])))
            best = i;
    return best;
}

size_t page_choose(const struct page *p, size_t room, size_t *out)
{
    bool *left = malloc(p->count + 1), *chosen = calloc(p->count + 1, sizeof *chosen);
    size_t count = 0, used = 0;

    if (!left || !chosen)
        room = 0;
    for (size_t i = 0; left && i < p->count; i++)
        left[i] = true;
    for (enum round round = 0; round < ROUNDS; round++)
        for (bool more = true; more && count < room;) {
            more = false;
            for (unsigned family = 0; family < FAMILIES && count < room; family++) {
                const size_t i = best_of(p, family, left, round);
                if (i == p->count)
                    continue;
                left[i] = false;
                chosen[i] = more = true;
                count++;
            }
        }
    for (unsigned family = 0; family < FAMILIES; family++)
        for (size_t i; count > 0 && (i = best_of(p, family, chosen, ROUNDS)) < p->count;) {
            chosen[i] = false;
            out[used++] = i;
        }
    free(left);
    free(chosen);
    return used;
}

/* ---- How -------------------------------------------------------------------------------------------- */

static enum cell_style style_of_grade(char grade)
{
    return grade == 'A' || grade == 'B' ? CELL_GOOD : grade == 'C' ? CELL_STRONG : CELL_DIM;
}

static void draw_finding(const struct page_finding *f, bool cores, struct cells *c, unsigned row, unsigned left,
                         unsigned width)
{
    char name[160], core[16] = "", published[48];
    const unsigned value_at = left + width - PUBLISHED_COLUMNS - 3 - VALUE_COLUMNS;
    const unsigned long length = strlen(f->value);
    const unsigned value_width = length < VALUE_COLUMNS ? (unsigned)length : VALUE_COLUMNS;

    if (cores)
        snprintf(core, sizeof core, " core %u", f->core);
    snprintf(name, sizeof name, "%s%s%s%s", strchr(f->name, '.') + 1, f->variants[0] ? " " : "", f->variants, core);
    cells_put(c, row, left + 1, value_at - left - 2 + (VALUE_COLUMNS - value_width), CELL_TEXT, name);
    cells_put(c, row, value_at + VALUE_COLUMNS - value_width, value_width, f->grade == 'U' ? CELL_DIM : CELL_STRONG,
              f->value);
    cells_put(c, row, value_at + VALUE_COLUMNS + 1, 1, style_of_grade(f->grade), (const char[]){f->grade, 0});
    if (f->published[0]) {
        snprintf(published, sizeof published, "(%s)", f->published);
        cells_put(c, row, value_at + VALUE_COLUMNS + 3, PUBLISHED_COLUMNS - 1,
                  f->grade == 'U' ? CELL_DIM
                  : f->agrees     ? CELL_GOOD
                                  : CELL_BAD,
                  published);
    }
}

static unsigned family_of(const struct page_finding *f)
{
    unsigned family = 0;

    while (family < FAMILIES - 1 && !of_family(f, family))
        family++;
    return family;
}

/* Room is kept for the headings: one of each family, and one more in each column, where a family may continue. */
void page_draw(const struct page *p, struct cells *c, unsigned top, unsigned bottom)
{
    const unsigned columns = c->columns / COLUMN_AT_LEAST ? c->columns / COLUMN_AT_LEAST : 1;
    const unsigned width = c->columns / columns, height = bottom - top;
    size_t order[MOST_LINES], room = (size_t)columns * height;
    bool cores = false;

    for (size_t i = 1; i < p->count; i++)
        cores |= p->all[i].core != p->all[0].core;
    room = room > FAMILIES + columns ? room - FAMILIES - columns : 1;
    if (room > MOST_LINES)
        room = MOST_LINES;
    size_t count = page_choose(p, room, order);
    /* As many lines in one column as in another, so that few findings do not fill one and leave the others empty. */
    unsigned lines = (unsigned)((count + FAMILIES + columns * 2 - 1) / columns);
    if (lines > height)
        lines = height;

    for (unsigned row = top; row < bottom; row++)
        cells_clear(c, row, 0, CELL_TEXT);
    unsigned line = 0, column = 0, family = FAMILIES;
    for (size_t i = 0; i < count; i++) {
        const struct page_finding *f = &p->all[order[i]];
        if (line + (family_of(f) != family) >= lines && column + 1 < columns) { /* no heading alone at the foot */
            column++;
            line = 0;
            family = FAMILIES;
        }
        if (family_of(f) != family) {
            family = family_of(f);
            cells_put(c, top + line++, column * width, width, CELL_DIM, families[family]);
        }
        if (line < height)
            draw_finding(f, cores, c, top + line, column * width, width);
        line++;
    }
}
