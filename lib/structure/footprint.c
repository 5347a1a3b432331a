#include "lib/structure/footprint.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/structure/tolerances_footprint.h"

enum {
    NONE = FOOTPRINT_GROUPS,
    CHECKED_BITS = 4,  /* inverted in each branch of a random trial, at most */
    BEHIND_NUMBERS = 4 /* of branches behind */
};

/* Bits that random trials invert: any of these at once. */
static const uint64_t FREE_BITS = 0xfff;

/*
 * Branches behind those that differ, by attempt: few, so that every table sees them, and several numbers, since two
 * bits of the history may cancel in what index and tag make of them at one place, but not at the next (Chen 2024).
 */
static const unsigned BEHIND[BEHIND_NUMBERS] = {8, 11, 9, 10};

struct solver {
    const struct footprint_request *q;
    struct footprint *out;
    size_t next[FOOTPRINT_GROUPS];     /* the group whose place is one branch older; NONE: none */
    bool has_before[FOOTPRINT_GROUPS]; /* it is the next one of another group */
};

static bool fail(struct solver *s, enum reason why)
{
    s->out->reason = why;
    return false;
}

/* The lowest source bit, or else the lowest target bit, of a group stands for it. */
static struct footprint_bits representative(const struct footprint_bits *b)
{
    if (b->source)
        return (struct footprint_bits){.source = b->source & -b->source};
    return (struct footprint_bits){.target = b->target & -b->target};
}

/* ---- Trials, repeated ----------------------------------------------------------------------------- */

/* Whether one layout of `attempts` distinguishes the paths, with t.behind branches behind them; 0: a few. */
static bool apart(struct solver *s, struct footprint_trial t, unsigned attempts, bool *result)
{
    const bool few = !t.behind;

    *result = false;
    for (unsigned i = 0; i < attempts && !*result; i++) {
        t.behind = few ? BEHIND[i % BEHIND_NUMBERS] : t.behind;
        if (!s->q->distinguish(s->q->context, &t, i, result))
            return false;
        s->out->calls++;
    }
    return true;
}

/* In how many of FOOTPRINT_LAYOUTS layouts paths that differ in these bits of one branch are distinguished. */
static bool count_apart(struct solver *s, struct footprint_bits bits, unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i < FOOTPRINT_LAYOUTS; i++) {
        const struct footprint_trial t = {.branch = {bits}, .count = 1, .behind = BEHIND[i % BEHIND_NUMBERS]};
        bool now;
        if (!s->q->distinguish(s->q->context, &t, FOOTPRINT_ATTEMPTS + i, &now))
            return false;
        s->out->calls++;
        *count += now;
    }
    return true;
}

static bool one_apart(struct solver *s, struct footprint_bits bits, enum footprint_carry carry, bool *result)
{
    return apart(s, (struct footprint_trial){.branch = {bits}, .count = 1, .carry = carry}, FOOTPRINT_ATTEMPTS, result);
}

/* ---- Bits that enter, and groups of them ---------------------------------------------------------- */

/* Puts a bit that enters into the group that it cancels with, or into a new one. */
static bool add_to_groups(struct solver *s, struct footprint_bits bit)
{
    struct footprint *f = s->out;

    for (size_t i = 0; i < f->group_count; i++) {
        const struct footprint_bits r = representative(&f->groups[i].bits);
        bool different;
        if (!one_apart(s, (struct footprint_bits){r.source ^ bit.source, r.target ^ bit.target}, FOOTPRINT_NO_CARRY,
                       &different))
            return false;
        if (!different) {
            f->groups[i].bits.source |= bit.source;
            f->groups[i].bits.target |= bit.target;
            return true;
        }
    }
    if (f->group_count == FOOTPRINT_GROUPS)
        return fail(s, REASON_TOO_MANY_MASKS);
    f->groups[f->group_count++].bits = bit;
    return true;
}

static bool add_bit(struct solver *s, struct footprint_bits bit)
{
    unsigned count = 0;
    bool different;

    if (!one_apart(s, bit, FOOTPRINT_NO_CARRY, &different) || (different && !count_apart(s, bit, &count)))
        return false;
    if (!different || count <= FOOTPRINT_STRAY)
        return true;
    if (count >= FOOTPRINT_SEEN * FOOTPRINT_LAYOUTS)
        return add_to_groups(s, bit);
    s->out->open.source |= bit.source;
    s->out->open.target |= bit.target;
    return true;
}

/*
 * A bit that inverts both a target and the source of the next branch: which of the two enters follows from carries,
 * which invert only one of them, together with all such bits below. A carry shows nothing only if this bit does not
 * enter, as long as none below does.
 */
static bool add_joint_bit(struct solver *s, uint64_t bit)
{
    const struct footprint_bits source = {.source = bit}, target = {.target = bit};
    const uint64_t joint = ~((UINT64_C(1) << s->q->joint) - 1);
    struct footprint_bits below = s->out->open;
    bool different, by_source, by_target;

    if (!one_apart(s, target, FOOTPRINT_NO_CARRY, &different))
        return false;
    if (!different)
        return true;
    if (!one_apart(s, source, FOOTPRINT_CARRY_SOURCE, &by_source) ||
        !one_apart(s, target, FOOTPRINT_CARRY_TARGET, &by_target))
        return false;
    for (size_t i = 0; i < s->out->group_count; i++) {
        below.source |= s->out->groups[i].bits.source;
        below.target |= s->out->groups[i].bits.target;
    }
    if (!by_target && !(below.target & joint))
        return add_bit(s, source);
    if (!by_source && !(below.source & joint))
        return add_bit(s, target);
    s->out->open.source |= bit;
    s->out->open.target |= bit;
    return true;
}

static bool find_groups(struct solver *s)
{
    const struct footprint_request *q = s->q;
    bool different;

    if (!one_apart(s, (struct footprint_bits){0}, FOOTPRINT_NO_CARRY, &different))
        return false;
    if (different)
        return fail(s, REASON_NOISE);
    for (unsigned i = 0; i < FOOTPRINT_ADDRESS_BITS; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (i >= q->joint) {
            if (q->targets & bit && !add_joint_bit(s, bit))
                return false;
            continue;
        }
        if ((q->sources & bit && !add_bit(s, (struct footprint_bits){.source = bit})) ||
            (q->targets & bit && !add_bit(s, (struct footprint_bits){.target = bit})))
            return false;
    }
    return s->out->group_count > 0 || fail(s, REASON_NO_ADDRESS_BIT);
}

/* ---- Chains: groups that a shift makes equal ----------------------------------------------------- */

static bool are_equal(struct solver *s, size_t older, size_t younger, unsigned between, bool *equal)
{
    struct footprint_trial t = {.count = 2, .between = between};

    t.branch[0] = representative(&s->out->groups[older].bits);
    t.branch[1] = representative(&s->out->groups[younger].bits);
    if (!apart(s, t, FOOTPRINT_ATTEMPTS, equal))
        return false;
    *equal = !*equal;
    return true;
}

static bool find_next(struct solver *s)
{
    struct footprint *f = s->out;

    for (size_t i = 0; i < f->group_count; i++) {
        s->next[i] = NONE;
        for (size_t k = 0; k < f->group_count; k++) {
            bool equal;
            if (i == k || s->has_before[k])
                continue;
            if (!are_equal(s, i, k, 0, &equal))
                return false;
            if (equal) {
                s->next[i] = k;
                s->has_before[k] = true;
                break;
            }
        }
    }
    return true;
}

/* Numbers chains and places. False where groups form a circle. */
static bool number_chains(struct solver *s)
{
    struct footprint *f = s->out;
    size_t numbered = 0;

    for (size_t i = 0; i < f->group_count; i++) {
        if (s->has_before[i])
            continue;
        for (size_t at = i, place = 0; at != NONE; at = s->next[at], place++, numbered++) {
            f->groups[at].chain = f->chain_count;
            f->groups[at].place = place;
        }
        f->chain_count++;
    }
    return numbered == f->group_count || fail(s, REASON_EXPERIMENTS_DISAGREE);
}

static const struct footprint_group *first_of(const struct footprint *f, size_t chain)
{
    for (size_t i = 0; i < f->group_count; i++)
        if (f->groups[i].chain == chain && f->groups[i].place == 0)
            return &f->groups[i];
    return NULL;
}

/* Whether two of FOOTPRINT_LAST layouts distinguish the paths: one alone may be a stray result. */
static bool apart_twice(struct solver *s, const struct footprint_trial *t, bool *result)
{
    unsigned count = 0;

    for (unsigned i = 0; i < FOOTPRINT_LAST && count < 2; i++) {
        bool now;
        if (!s->q->distinguish(s->q->context, t, i, &now))
            return false;
        s->out->calls++;
        count += now;
    }
    *result = count == 2;
    return true;
}

/* The last number of branches behind a chain's first group with which paths are distinguished. */
static bool measure_chain(struct solver *s, size_t chain, unsigned *last)
{
    struct footprint_trial t = {.branch = {representative(&first_of(s->out, chain)->bits)}, .count = 1};
    unsigned low = BEHIND[0], high = 0;
    bool different;

    while (!high) { /* doubled until they are not distinguished, … */
        t.behind = low * 2 < s->q->limit ? low * 2 : s->q->limit;
        if (!apart_twice(s, &t, &different))
            return false;
        if (different && t.behind == s->q->limit)
            return fail(s, REASON_NOT_LEFT);
        *(different ? &low : &high) = t.behind;
    }
    while (high - low > 1) { /* … and then halved */
        t.behind = (low + high) / 2;
        if (!apart_twice(s, &t, &different))
            return false;
        *(different ? &low : &high) = t.behind;
    }
    *last = low;
    return true;
}

/* Appends a chain to another one, `distance` branches behind its first group. */
static void append(struct footprint *f, size_t to, size_t chain, size_t distance)
{
    for (size_t i = 0; i < f->group_count; i++) {
        struct footprint_group *g = &f->groups[i];
        if (g->chain == chain) {
            g->chain = to;
            g->place += distance;
        } else if (g->chain > chain) {
            g->chain--;
        }
    }
    f->chain_count--;
    memmove(&f->branches[chain], &f->branches[chain + 1], (f->chain_count - chain) * sizeof f->branches[0]);
}

/* A chain that ends earlier than another one may be the rest of it, behind places that no bit enters. */
static bool join_chains(struct solver *s)
{
    struct footprint *f = s->out;

    for (size_t longer = 0; longer < f->chain_count; longer++)
        for (size_t chain = 0; chain < f->chain_count; chain++) {
            const unsigned distance = f->branches[longer] - f->branches[chain];
            bool equal;
            if (f->branches[longer] <= f->branches[chain] + 1 || distance - 1 < s->q->least_between)
                continue;
            const size_t a = (size_t)(first_of(f, longer) - f->groups), b = (size_t)(first_of(f, chain) - f->groups);
            if (!are_equal(s, a, b, distance - 1, &equal))
                return false;
            if (!equal)
                continue;
            append(f, longer, chain, distance);
            longer -= chain < longer;
            chain--;
        }
    return true;
}

static bool find_chains(struct solver *s)
{
    struct footprint *f = s->out;

    if (!find_next(s) || !number_chains(s))
        return false;
    for (size_t i = 0; i < f->chain_count; i++) {
        unsigned last;
        if (!measure_chain(s, i, &last))
            return false;
        f->branches[i] = last + s->q->added + 1;
    }
    return join_chains(s);
}

/* ---- Verification --------------------------------------------------------------------------------- */

/* The parity of the inverted bits that enter this group's bit of the footprint. */
static bool enters(const struct footprint_group *g, const struct footprint_bits *b)
{
    return __builtin_parityll(g->bits.source & b->source) ^ __builtin_parityll(g->bits.target & b->target);
}

bool footprint_differs(const struct footprint *f, const struct footprint_request *q, const struct footprint_trial *t)
{
    /* whether each bit of the history that a group has just entered, or will be at, is inverted */
    for (size_t i = 0; i < f->group_count; i++)
        for (size_t n = 0; n < t->count; n++) {
            const size_t after = (t->count - 1 - n) * (t->between + 1), place = f->groups[i].place + after;
            bool inverted = false;
            for (size_t k = 0; k < f->group_count; k++)
                for (size_t m = 0; m < t->count; m++)
                    inverted ^= f->groups[k].chain == f->groups[i].chain &&
                                f->groups[k].place + (t->count - 1 - m) * (t->between + 1) == place &&
                                enters(&f->groups[k], &t->branch[m]);
            if (inverted && place + t->behind + q->added < f->branches[f->groups[i].chain])
                return true;
        }
    return false;
}

/* A random bit of these; 0 where there is none. */
static uint64_t draw_bit(const struct footprint_request *q, uint64_t bits)
{
    uint64_t left = bits;

    if (!bits)
        return 0;
    for (uint64_t skip = random_below(q->random, (uint64_t)__builtin_popcountll(bits)); skip > 0; skip--)
        left &= left - 1;
    return left & -left;
}

static struct footprint_bits draw_of_group(const struct footprint_request *q, const struct footprint_group *g)
{
    const uint64_t sources = g->bits.source & FREE_BITS, targets = g->bits.target & FREE_BITS;
    const bool source = sources && (!targets || random_below(q->random, 2));

    return (struct footprint_bits){.source = source ? draw_bit(q, sources) : 0,
                                   .target = source ? 0 : draw_bit(q, targets)};
}

/* Inverts random bits of a branch, among them, where `cancel`, two of one group. */
static struct footprint_bits draw_bits(const struct footprint_request *q, const struct footprint *f, bool cancel)
{
    struct footprint_bits b = {0}, entering = {0};

    for (size_t i = 0; i < f->group_count; i++) {
        entering.source |= f->groups[i].bits.source;
        entering.target |= f->groups[i].bits.target;
    }
    const uint64_t sources = q->sources & FREE_BITS & ~f->open.source & (cancel ? ~entering.source : UINT64_MAX);
    const uint64_t targets = q->targets & FREE_BITS & ~f->open.target & (cancel ? ~entering.target : UINT64_MAX);
    for (uint64_t n = random_below(q->random, CHECKED_BITS) + 1; n > 0; n--) {
        if (random_below(q->random, 2))
            b.source ^= draw_bit(q, sources);
        else
            b.target ^= draw_bit(q, targets);
    }
    if (cancel && f->group_count) {
        const struct footprint_group *g = &f->groups[random_below(q->random, f->group_count)];
        const struct footprint_bits one = draw_of_group(q, g), other = draw_of_group(q, g);
        b.source ^= one.source ^ other.source;
        b.target ^= one.target ^ other.target;
    }
    return b;
}

/* Half of the trials are drawn so that differences often cancel. */
static void draw_trial(const struct footprint_request *q, const struct footprint *f, bool cancel,
                       struct footprint_trial *t)
{
    unsigned least = f->branches[0];

    for (size_t i = 1; i < f->chain_count; i++)
        least = f->branches[i] < least ? f->branches[i] : least;
    const unsigned from = BEHIND[0], end = least * 3 / 4 > from + 1 ? least * 3 / 4 : from + 1;
    *t = (struct footprint_trial){.count = 1 + random_below(q->random, FOOTPRINT_TRIAL_BRANCHES)};
    t->behind = from + (unsigned)random_below(q->random, end - from);
    for (size_t n = 0; n < t->count; n++)
        t->branch[n] = draw_bits(q, f, cancel);
    if (cancel && t->count > 1 && random_below(q->random, 2)) { /* across branches */
        const struct footprint_group *older = &f->groups[random_below(q->random, f->group_count)];
        for (size_t i = 0; i < f->group_count; i++)
            if (f->groups[i].chain == older->chain && f->groups[i].place == older->place + 1) {
                t->branch[0] = representative(&older->bits);
                t->branch[1] = representative(&f->groups[i].bits);
            }
    }
}

bool footprint_verify(const struct footprint_request *q, struct footprint *f)
{
    struct solver s = {.q = q, .out = f};

    for (unsigned i = 0; i < q->checks; i++) {
        struct footprint_trial t;
        bool different;
        draw_trial(q, f, i % 2, &t);
        if (!apart(&s, t, FOOTPRINT_ATTEMPTS, &different))
            return false;
        f->checked++;
        f->missed += different != footprint_differs(f, q, &t);
    }
    if (f->missed > FOOTPRINT_MISSED * f->checked)
        f->reason = REASON_NOT_LINEAR;
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------------ */

bool footprint_find(const struct footprint_request *q, struct footprint *out)
{
    struct solver s = {.q = q, .out = out};

    *out = (struct footprint){.reason = REASON_NONE};
    if (!find_groups(&s) || !find_chains(&s))
        return out->reason != REASON_NONE;
    return footprint_verify(q, out);
}

/* ---- What is reported ----------------------------------------------------------------------------- */

size_t footprint_registers(const struct footprint *f, struct footprint_register r[FOOTPRINT_GROUPS])
{
    size_t count = 0;

    for (size_t i = 0; i < f->chain_count; i++) {
        size_t at = 0;
        for (; at < count; at++) {
            const unsigned a = f->branches[r[at].chains[0]], b = f->branches[i];
            if ((a > b ? a - b : b - a) <= 1)
                break;
        }
        if (at == count) {
            r[at] = (struct footprint_register){.count = 0};
            count++;
        }
        r[at].chains[r[at].count++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        struct footprint_bits all = {0};
        for (size_t k = 0; k < f->group_count; k++)
            for (size_t n = 0; n < r[i].count; n++)
                if (f->groups[k].chain == r[i].chains[n]) {
                    all.source |= f->groups[k].bits.source;
                    all.target |= f->groups[k].bits.target;
                }
        r[i].name = count == 1 || (all.source && all.target) ? "path" : all.source ? "source" : "target";
    }
    return count;
}

static size_t add_bits(char *out, size_t used, const char *between, char name, uint64_t bits)
{
    for (; bits && used < FOOTPRINT_TEXT; bits &= bits - 1)
        used += (size_t)snprintf(out + used, FOOTPRINT_TEXT - used, "%s%c[%d]", used ? between : "", name,
                                 __builtin_ctzll(bits));
    return used;
}

static void write_bits(const struct footprint_bits *b, const char *between, char out[FOOTPRINT_TEXT])
{
    out[0] = 0;
    add_bits(out, add_bits(out, 0, between, 'B', b->source), between, 'T', b->target);
}

void footprint_text(const struct footprint_bits *b, char out[FOOTPRINT_TEXT])
{
    write_bits(b, " ^ ", out);
}

void footprint_list(const struct footprint_bits *b, char out[FOOTPRINT_TEXT])
{
    write_bits(b, " ", out);
}
