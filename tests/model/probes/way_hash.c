/* The probe way_hash: which address bits a way predictor hashes. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* The functions that a finding's text lists, such as "12^27 13^26", as masks of address bits. How many. */
static size_t masks_of(const char *text, uint64_t masks[WAY_MASKS])
{
    size_t count = 0;

    while (text && *text && *text != '"' && count < WAY_MASKS) {
        masks[count] = 0;
        for (bool more = true; more; text += more ? 1 : 0) {
            char *end;
            masks[count] |= UINT64_C(1) << strtoul(text, &end, 10);
            more = *end == '^';
            text = end;
        }
        count++;
        text += *text == ' ';
    }
    return count;
}

/*
 * Whether each mask of `one` is a sum of masks of `other`: two independent sets of one size then span the same space.
 */
static bool span_the_same(const uint64_t *one, const uint64_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool in = false;
        for (uint64_t chosen = 1; chosen >> count == 0 && !in; chosen++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < count; j++)
                sum ^= chosen >> j & 1 ? other[j] : 0;
            in = sum == one[i];
        }
        if (!in)
            return false;
    }
    return true;
}

static void check_way_hash(const struct machine_design *m)
{
    static const char functions[] = "memory.way_hash.functions", bits[] = "memory.way_hash.bits";
    const struct way_design *ways = &m->core.ways;
    const char *f = finding_of(functions, NULL, ""), *b = finding_of(bits, NULL, "");
    uint64_t masks[WAY_MASKS];

    if (is_decided(m, f, functions, "") && number(f, "value") != ways->count)
        complain(m, "%s: reported %g, true is %u", functions, number(f, "value"), ways->count);
    if (is_decided(m, b, bits, "") && number(b, "value") != ways->count)
        complain(m, "%s: reported %g, true is %u", bits, number(b, "value"), ways->count);
    if (!f || record_value(f, "grade", 2)[0] == 'U' || !ways->count)
        return;
    const char *reached = record_value(f, "reached", 2);
    uint64_t truth[WAY_MASKS];
    const unsigned last = reached ? (unsigned)strtoul(strstr(reached, "to ") + 3, NULL, 10) : 0;
    for (size_t i = 0; i < ways->count; i++)
        truth[i] = ways->masks[i] & ((UINT64_C(2) << last) - 1);
    const char *text = record_value(f, "functions", 2);
    if (masks_of(text, masks) != ways->count || !span_the_same(masks, truth, ways->count))
        complain(m, "%s: reported wrongly as %.60s", functions, text ? text : "no text");
}

/*
 * Two or three groups of address bits, XORed onto each other, as published hashes are, and often another bit in a
 * function, also above the address bits that areas of the quick profile reach. The functions are independent.
 */
static void pick_way_hash(struct way_design *ways)
{
    enum { LOWEST = 12, BITS = 16, HIGHEST = 32 };
    const unsigned folds = (unsigned)pick(2, 3);

    ways->predicted = true;
    ways->count = folds == 2 ? (unsigned)pick(3, 6) : (unsigned)pick(2, 4);
    for (unsigned i = 0; i < ways->count; i++) {
        for (unsigned fold = 0; fold < folds; fold++)
            ways->masks[i] |= UINT64_C(1) << (LOWEST + fold * ways->count + i);
        if (pick(0, 1)) /* not the lowest bit of any function: the functions stay independent */
            ways->masks[i] |= UINT64_C(1) << pick(LOWEST + ways->count, LOWEST + BITS - 1);
        if (pick(0, 1)) /* a bit that no area reaches, which several functions may have */
            ways->masks[i] |= UINT64_C(1) << pick(LOWEST + BITS, HIGHEST);
    }
}

MODEL_TEST(way_hashes_are_given_back, "way_hash")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 6, 40); cores++) {
        struct machine_design m = seed % 2 ? draw_machine(seed) : draw_noisy_machine(seed);
        if (seed % 3)
            pick_way_hash(&m.core.ways);
        run_probes_on(&m, "way_hash", PROFILE_QUICK);
        check_way_hash(&m);
    }
    end(cores, cores);
    decides(12, 12);
}

MODEL_TEST(a_way_hash_that_is_not_linear_is_undecided, "way_hash")
{
    static const char name[] = "memory.way_hash.functions";

    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = draw_machine(seed);
        m.core.ways = (struct way_design){.predicted = true, .carries = true};
        run_probes_on(&m, "way_hash", PROFILE_QUICK);
        const char *f = finding_of(name, NULL, "");
        if (is_decided(&m, f, name, ""))
            complain(&m, "%s: decided, and this hash has none", name);
        else if (f && strcmp(record_value(f, "reason", 2), reasons[REASON_NOT_LINEAR].token) != 0)
            complain(&m, "%s: the reason is %.30s", name, record_value(f, "reason", 2));
    }
    end(0, UINT32_MAX);
    decides(0, 0);
}
