#include "lib/structure/replacement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/structure/tolerances_replacement.h"

/* Starting states; rounds before misses are counted; rounds that are counted, more of them for random replacement. */
enum { STARTS = 6, ROUNDS_BEFORE = 6, ROUNDS = 10, ROUNDS_RANDOM = 150 };
/* Blocks from here on are in no sequence. */
static const uint64_t UNUSED_BLOCKS = (uint64_t)1 << 63;

/* ---- Policies ----------------------------------------------------------------------------------- */

static void add(struct replacement_policy *out, size_t *count, struct replacement_policy policy)
{
    if (*count < REPLACEMENT_POLICIES)
        out[(*count)++] = policy;
}

/* Trees of two, four … ways, as long as they divide the number of ways. */
static void add_trees(struct replacement_policy *out, size_t *count, unsigned ways)
{
    for (unsigned leaves = 2; leaves <= ways; leaves *= 2) {
        struct replacement_policy p = {.kind = REPLACEMENT_PLRU, .trees = ways / leaves};
        if (ways % leaves != 0)
            break;
        if (p.trees == 1)
            snprintf(p.name, sizeof p.name, "PLRU");
        else
            snprintf(p.name, sizeof p.name, "LRU%uPLRU%u", p.trees, leaves);
        if (ways > 2) /* a tree of two ways is LRU */
            add(out, count, p);
    }
}

static void name_ages(struct replacement_policy *p)
{
    const bool srrip = p->insert == 2 && p->miss_only && p->update == 0;

    if (srrip && p->hit[3] == 0)
        snprintf(p->name, sizeof p->name, "SRRIP");
    else if (srrip && p->hit[3] == 2 && p->hit[2] == 1)
        snprintf(p->name, sizeof p->name, "SRRIP_FP");
    else
        snprintf(p->name, sizeof p->name, "QLRU_H%u%u_M%u_R%u_U%u%s", p->hit[3], p->hit[2], p->insert,
                 (unsigned)p->first, p->update, p->miss_only ? "_UMO" : "");
}

static void add_ages(struct replacement_policy *out, size_t *count)
{
    static const uint8_t hits[][2] = {{2, 1}, {2, 0}, {1, 1}, {1, 0}, {0, 0}}; /* of age 3, of age 2 */
    static const struct {
        uint8_t update;
        bool first, miss_only;
    } rest[] = {{0, false, false}, {1, false, false}, {0, false, true},
                {2, true, false},  {3, true, false},  {2, true, true}};

    for (size_t h = 0; h < sizeof hits / sizeof hits[0]; h++)
        for (uint8_t insert = 0; insert < 3; insert++)
            for (size_t r = 0; r < sizeof rest / sizeof rest[0]; r++) {
                struct replacement_policy p = {.kind = REPLACEMENT_QLRU,
                                               .hit = {0, 0, hits[h][1], hits[h][0]},
                                               .insert = insert,
                                               .update = rest[r].update,
                                               .first = rest[r].first,
                                               .miss_only = rest[r].miss_only};
                name_ages(&p);
                add(out, count, p);
            }
}

size_t replacement_policies(unsigned ways, struct replacement_policy *out)
{
    size_t count = 0;

    if (ways < 2 || ways > REPLACEMENT_WAYS)
        return 0;
    add(out, &count, (struct replacement_policy){.name = "LRU", .kind = REPLACEMENT_LRU});
    add(out, &count, (struct replacement_policy){.name = "FIFO", .kind = REPLACEMENT_FIFO});
    add_trees(out, &count, ways);
    add(out, &count, (struct replacement_policy){.name = "MRU", .kind = REPLACEMENT_MRU});
    add(out, &count, (struct replacement_policy){.name = "NRU", .kind = REPLACEMENT_NRU});
    add(out, &count, (struct replacement_policy){.name = "RANDOM", .kind = REPLACEMENT_RANDOM});
    add_ages(out, &count);
    return count;
}

bool replacement_named(unsigned ways, const char *name, struct replacement_policy *out)
{
    static const struct replacement_policy bimodal[] = {
        {.name = "BIP", .kind = REPLACEMENT_LRU, .one_in = 32},
        {.name = "BRRIP", .kind = REPLACEMENT_QLRU, .insert = 2, .miss_only = true, .one_in = 32},
        {.name = "QLRU_H11_MR161_R0_U0", .kind = REPLACEMENT_QLRU, .hit = {0, 0, 1, 1}, .insert = 1, .one_in = 16},
        {.name = "QLRU_H11_MR161_R1_U2",
         .kind = REPLACEMENT_QLRU,
         .hit = {0, 0, 1, 1},
         .insert = 1,
         .update = 2,
         .first = true,
         .one_in = 16}};
    struct replacement_policy policies[REPLACEMENT_POLICIES];
    const size_t count = replacement_policies(ways, policies);

    for (size_t i = 0; i < count + sizeof bimodal / sizeof *bimodal && count > 0; i++) {
        const struct replacement_policy *policy = i < count ? &policies[i] : &bimodal[i - count];
        if (strcmp(policy->name, name) != 0)
            continue;
        *out = *policy;
        return true;
    }
    return false;
}

/* ---- Sets --------------------------------------------------------------------------------------- */

void replacement_start(struct replacement_set *s, const struct replacement_policy *policy, unsigned ways,
                       uint64_t random)
{
    *s = (struct replacement_set){.policy = policy, .ways = ways, .random = random};
    for (unsigned i = 0; i < ways; i++) {
        s->block[i] = UNUSED_BLOCKS + i;
        s->order[i] = (uint8_t)i;
        s->age[i] = policy->kind == REPLACEMENT_QLRU                                     ? 3
                    : policy->kind == REPLACEMENT_MRU || policy->kind == REPLACEMENT_NRU ? 1
                                                                                         : 0;
    }
}

/* The way that holds the block; `ways` where none does. */
static unsigned way_of(const struct replacement_set *s, uint64_t block)
{
    unsigned way = 0;

    while (way < s->ways && s->block[way] != block)
        way++;
    return way;
}

static unsigned first_of_age(const struct replacement_set *s, uint8_t age)
{
    unsigned way = 0;

    while (way < s->ways && s->age[way] != age)
        way++;
    return way;
}

/* Whether a new line is the next one to be replaced. */
static bool is_next_to_go(struct replacement_set *s)
{
    return s->policy->one_in && random_below(&s->random, s->policy->one_in) != 0;
}

static bool access_ordered(struct replacement_set *s, uint64_t block)
{
    unsigned way = way_of(s, block);
    bool hit = way < s->ways;

    if (hit && s->policy->kind == REPLACEMENT_FIFO)
        return true;
    way = hit ? way : s->ways - 1;
    if (!hit && is_next_to_go(s)) {
        s->block[way] = block;
        return false;
    }
    memmove(s->block + 1, s->block, way * sizeof *s->block);
    s->block[0] = block;
    return hit;
}

/* Each bit of a tree points to the half that is replaced next; 0: the first half. */
static bool access_trees(struct replacement_set *s, uint64_t block)
{
    unsigned leaves = s->ways / s->policy->trees, way = way_of(s, block);
    bool hit = way < s->ways;

    if (!hit) {
        unsigned tree = s->order[s->policy->trees - 1], node = 1;
        while (node < leaves)
            node = 2 * node + s->age[tree * leaves + node];
        way = tree * leaves + node - leaves;
        s->block[way] = block;
    }
    unsigned tree = 0, place = 0;
    while ((tree + 1) * leaves <= way)
        tree++;
    for (unsigned node = leaves + way - tree * leaves; node > 1; node /= 2)
        s->age[tree * leaves + node / 2] = node % 2 == 0;
    while (s->order[place] != tree)
        place++;
    memmove(s->order + 1, s->order, place);
    s->order[0] = (uint8_t)tree;
    return hit;
}

bool replacement_exhausts(const struct replacement_set *s, uint64_t block)
{
    return s->policy->kind == REPLACEMENT_NRU && way_of(s, block) == s->ways && first_of_age(s, 1) == s->ways;
}

void replacement_renew(struct replacement_set *s)
{
    memset(s->age, 1, s->ways);
}

static bool access_bits(struct replacement_set *s, uint64_t block)
{
    unsigned way = way_of(s, block);
    bool hit = way < s->ways;

    if (!hit) {
        way = first_of_age(s, 1);
        if (way == s->ways) { /* only NRU: MRU sets the others before */
            replacement_renew(s);
            way = 0;
        }
        s->block[way] = block;
    }
    s->age[way] = 0;
    if (s->policy->kind == REPLACEMENT_MRU && first_of_age(s, 1) == s->ways) {
        memset(s->age, 1, s->ways);
        s->age[way] = 0;
    }
    return hit;
}

/* Ages all lines where none is of age 3. `way`: the line that was accessed; `ways` where it is not in the set yet. */
static void age_lines(struct replacement_set *s, unsigned way)
{
    const bool spares = s->policy->update == 1 || s->policy->update == 3;
    uint8_t oldest = 0;

    for (unsigned i = 0; i < s->ways; i++)
        if (s->age[i] > oldest && !(s->policy->update == 1 && i == way))
            oldest = s->age[i];
    uint8_t by = (uint8_t)(3 - oldest);
    if (s->policy->update >= 2 && by > 1)
        by = 1;
    for (unsigned i = 0; i < s->ways && by > 0; i++)
        if (!(spares && i == way))
            s->age[i] = (uint8_t)(s->age[i] + by);
}

static bool access_ages(struct replacement_set *s, uint64_t block)
{
    unsigned way = way_of(s, block);
    bool hit = way < s->ways;

    if (hit) {
        s->age[way] = s->policy->hit[s->age[way]];
    } else {
        if (s->policy->miss_only)
            age_lines(s, s->ways);
        way = first_of_age(s, 3);
        way = way < s->ways ? way : 0;
        s->block[way] = block;
        s->age[way] = is_next_to_go(s) ? 3 : s->policy->insert;
    }
    if (!s->policy->miss_only)
        age_lines(s, way);
    return hit;
}

static bool access_random(struct replacement_set *s, uint64_t block)
{
    bool hit = way_of(s, block) < s->ways;

    if (!hit)
        s->block[random_below(&s->random, s->ways)] = block;
    return hit;
}

bool replacement_touch(struct replacement_set *s, uint64_t block)
{
    switch (s->policy->kind) {
    case REPLACEMENT_LRU:
    case REPLACEMENT_FIFO: return access_ordered(s, block);
    case REPLACEMENT_PLRU: return access_trees(s, block);
    case REPLACEMENT_MRU:
    case REPLACEMENT_NRU: return access_bits(s, block);
    case REPLACEMENT_QLRU: return access_ages(s, block);
    case REPLACEMENT_RANDOM: break;
    }
    return access_random(s, block);
}

/* ---- Sequences ---------------------------------------------------------------------------------- */

size_t replacement_blocks(unsigned ways)
{
    return ways + ways + ways / 2;
}

size_t replacement_sequence(uint8_t *out, size_t room, unsigned ways, unsigned uses, uint64_t *random)
{
    enum { RECENT = 6 };
    unsigned used[REPLACEMENT_BLOCKS] = {0};
    const size_t blocks = ways + 1 + random_below(random, ways / 2), wanted = ways + 5 * blocks;
    size_t count = 0;

    for (; count < ways && count < room; count++)
        out[count] = (uint8_t)(blocks + count);
    for (size_t tries = 0; count < wanted && count < room && tries < 8 * wanted; tries++) {
        size_t back = 2 + random_below(random, RECENT);
        uint8_t block = (uint8_t)random_below(random, blocks);
        if (random_below(random, 3) == 0 && ways + back <= count)
            block = out[count - back];
        if (used[block] == uses || out[count - 1] == block)
            continue;
        used[block]++;
        out[count++] = block;
    }
    return count;
}

/* ---- Policies that explain measurements -------------------------------------------------------------- */

/* A set in the state that many random accesses leave. */
static void start_in_use(struct replacement_set *s, const struct replacement_policy *policy, unsigned ways,
                         uint64_t random)
{
    replacement_start(s, policy, ways, random);
    for (unsigned i = 0; i < 8 * ways; i++)
        replacement_touch(s, random_below(&random, ways + ways / 2));
}

/* Accesses one round of blocks; returns the misses. */
static size_t count_misses(struct replacement_set *s, const uint8_t *blocks, size_t length)
{
    size_t hits = 0;

    for (size_t i = 0; i < length; i++)
        hits += replacement_touch(s, blocks[i]) ? 1 : 0;
    return length - hits;
}

static bool same_state(const struct replacement_set *a, const struct replacement_set *b)
{
    return a->policy->kind != REPLACEMENT_RANDOM && !memcmp(a->block, b->block, sizeof a->block) &&
           !memcmp(a->age, b->age, sizeof a->age) && !memcmp(a->order, b->order, sizeof a->order);
}

struct replacement_misses replacement_misses(const struct replacement_policy *policy, unsigned ways,
                                             const uint8_t *blocks, size_t length)
{
    const unsigned rounds = policy->kind == REPLACEMENT_RANDOM ? ROUNDS_RANDOM : ROUNDS;
    struct replacement_misses m = {INFINITY, 0};
    struct replacement_set first = {.ways = 0};

    for (uint64_t start = 0; start < STARTS; start++) {
        struct replacement_set s;
        size_t misses = 0;

        start_in_use(&s, policy, ways, start + 1);
        for (unsigned round = 0; round < ROUNDS_BEFORE; round++)
            count_misses(&s, blocks, length);
        if (start == 0)
            first = s;
        else if (same_state(&s, &first))
            continue;
        for (unsigned round = 0; round < rounds; round++)
            misses += count_misses(&s, blocks, length);
        m.least = fmin(m.least, (double)misses / rounds);
        m.most = fmax(m.most, (double)misses / rounds);
    }
    return m;
}

/* Cycles of a miss, by least squares through the origin. Trials with a wide range of misses have less weight. */
static double slope(const struct replacement_misses *m, const struct replacement_trial *trials, size_t count)
{
    double xy = 0, xx = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(trials[i].cycles)) {
            double x = (m[i].least + m[i].most) / 2, range = m[i].most - m[i].least, weight = 1 / (1 + range * range);
            xy += weight * x * trials[i].cycles;
            xx += weight * x * x;
        }
    return xx > 0 ? xy / xx : (double)NAN;
}

bool replacement_explains(const struct replacement_misses *m, double misses)
{
    double more = REPLACEMENT_HALF_A_MISS + (m->most - m->least) / 2;

    return m->least - more <= misses && misses <= m->most + more;
}

static size_t unexplained(const struct replacement_misses *m, const struct replacement_trial *trials, size_t count,
                          double miss_cycles)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += isnan(trials[i].cycles) || replacement_explains(&m[i], trials[i].cycles / miss_cycles) ? 0 : 1;
    return n;
}

/* Whether the policy explains the trials. Few are simulated first, which excludes most policies and saves time. */
static bool policy_explains(const struct replacement_policy *policy, unsigned ways,
                            const struct replacement_trial *trials, size_t count, double *miss_cycles)
{
    struct replacement_misses m[REPLACEMENT_TRIALS];
    size_t done = 0;

    for (size_t until = REPLACEMENT_TRIALS_FIRST; done < count; until *= 2) {
        size_t noisy = until < count ? until / 2 : count / REPLACEMENT_NOISY_ONE_IN;
        for (; done < until && done < count; done++)
            m[done] = replacement_misses(policy, ways, trials[done].blocks, trials[done].length);
        *miss_cycles = slope(m, trials, done);
        if (!(*miss_cycles > 0) || unexplained(m, trials, done, *miss_cycles) > noisy)
            return false;
    }
    return true;
}

void replacement_fit(const struct replacement_policy *policies, size_t count, unsigned ways,
                     const struct replacement_trial *trials, size_t trial_count, struct replacement_fit *out)
{
    const size_t given = trial_count;

    trial_count = given < REPLACEMENT_TRIALS ? given : REPLACEMENT_TRIALS;
    out->count = out->trials = 0;
    out->left_out = given - trial_count;
    for (size_t i = 0; i < trial_count; i++)
        out->trials += isnan(trials[i].cycles) ? 0 : 1;
    if (out->trials < REPLACEMENT_TRIALS_LEAST || ways < 2 || ways > REPLACEMENT_WAYS)
        return;
    for (size_t i = 0; i < count; i++) {
        double miss_cycles;
        if (!policy_explains(&policies[i], ways, trials, trial_count, &miss_cycles))
            continue;
        out->miss_cycles[out->count] = miss_cycles;
        out->survivors[out->count++] = i;
    }
}
