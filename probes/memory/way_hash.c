/*
 * Way prediction: does the first-level data cache predict the way by a hash of the virtual address, and of which bits?
 *
 * Such a cache keeps a short tag with each line, a hash of the virtual address by which the line was used last, and
 * looks only where that tag matches.
 *
 * Experiment: two addresses of one set, loaded in turn (lib/kernels/address_pairs.h).
 *
 *   aliases      both show the same line of one frame. Different hashes: each load finds the tag of the other
 *                address, and is slow; equal hashes: fast
 *   collisions   they show lines of different frames, for both of which the set has room. Equal hashes: only one of
 *                them can be found at a time, and each load is slow; different hashes: fast
 *
 * There is no curve: a load is fast or slow. The table has the cycles for addresses that differ in one bit.
 *
 * Inference: the two experiments must give opposite results for every difference of addresses; where nothing is ever
 * slow, no hash is used. Which bits are XORed follows from the differences that collide (lib/structure/gf2.h), first of
 * those bits that an area reaches, then of each bit above, for which a few pages are mapped (lib/structure/hash_reach.h).
 * The highest bit that was decided on is reported, since those above it may be part of the same functions. Where the set
 * is chosen by bits above the page, two addresses may lie in different sets: then aliases may be slow and collisions
 * fast without any hash, and the experiments disagree.
 *
 * Sources: Lipp et al. 2020, Take A Way; jia.je 2025 for Apple's, Ampere's and Qualcomm's cores. docs/METHODS.md, 7.21.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/address_pairs.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/gf2.h"
#include "lib/structure/hash_reach.h"

/* Cycles by which a slow load takes longer than a fast one, at least: loads take whole cycles, so less is noise. */
static const double SLOWER = 0.5;
/* Part of single measurements that may be wrong, at most: others take time, and two lines may conflict by chance. */
static const double ERROR = 0.03;
enum {
    ATTEMPTS = 5, /* at a measurement, without an accepted reading, before the probe is given up */
    MASKS = 12,   /* of a hash, at most */
    TEXT = 192
};

enum hash_case { ALIASES, COLLISIONS, EXPERIMENTS };
static const char MATRIX[] = "one bit apart";
static const char *const names[EXPERIMENTS] = {"aliases", "collisions"};
static const char *const findings[] = {"memory.way_hash.bits", "memory.way_hash.functions"};
enum { HASH_FINDINGS = sizeof findings / sizeof findings[0] };

struct way_hash {
    struct probe *p;
    struct address_pairs pairs;
    enum hash_case experiment;
    uint64_t reached;   /* address bits that were decided on */
    double fast_cycles; /* of a load where both addresses are the same one */
};

/* ---- One measurement ---------------------------------------------------------------------------- */

/* Reports that the probe has no result, since readings are disturbed. Always false. */
static bool report_disturbed(const struct way_hash *h)
{
    for (size_t i = 0; i < HASH_FINDINGS; i++)
        report_number(h->p, &(struct finding){.name = findings[i], .reason = REASON_DISTURBED}, (double)NAN);
    return false;
}

static bool measure_difference(struct way_hash *h, uint64_t base, uint64_t difference, double *cycles)
{
    uintptr_t one, other;

    *cycles = NAN;
    if (!address_pairs_find(h->p, &h->pairs, base, difference, h->experiment == ALIASES, &one, &other))
        return false;
    for (unsigned i = 0; i < ATTEMPTS && isnan(*cycles); i++)
        if (!address_pairs_measure(h->p, &h->pairs, one, other, cycles))
            return false;
    return !isnan(*cycles) || report_disturbed(h);
}

static bool measure_slow(struct way_hash *h, uint64_t base, uint64_t difference, bool *slow)
{
    double cycles;

    if (!measure_difference(h, base, difference, &cycles))
        return false;
    *slow = cycles > h->fast_cycles + SLOWER;
    return true;
}

/* Both addresses are the same, so that nothing is slow. */
static bool measure_fast_cycles(struct way_hash *h)
{
    enum { ROUNDS = 5 };
    double cycles[ROUNDS];
    size_t count = 0;

    for (size_t i = 0; i < ROUNDS; i++) {
        const uintptr_t at = h->pairs.from + (random_next(&h->p->random) & h->pairs.bits);
        if (!address_pairs_measure(h->p, &h->pairs, at, at, &cycles[count]))
            return false;
        count += isnan(cycles[count]) ? 0 : 1;
    }
    h->fast_cycles = count ? median(cycles, count) : NAN;
    return count > 0 || report_disturbed(h);
}

/*
 * Sends the table of both experiments on addresses that differ in one bit, from which a reader can follow the
 * decision.
 */
static bool send_bits(struct way_hash *h)
{
    enum { BITS = 64 };
    const uint64_t chosen = h->pairs.bits;
    double experiments[EXPERIMENTS] = {1, 2}, bits[BITS], cells[EXPERIMENTS][BITS];
    const struct matrix m = {.name = MATRIX,
                             .row_axis = "frames",
                             .column_axis = "bit",
                             .unit = "cycles/load",
                             .row_count = EXPERIMENTS,
                             .column_count = (size_t)__builtin_popcountll(chosen),
                             .rows = experiments,
                             .columns = bits,
                             .cells = cells[0],
                             .pitch = BITS};

    for (enum hash_case i = ALIASES; i < EXPERIMENTS; i++) {
        uint64_t left = chosen;
        h->experiment = i;
        for (size_t bit = 0; left; bit++, left &= left - 1) {
            bits[bit] = __builtin_ctzll(left);
            if (!measure_difference(h, random_next(&h->p->random) & chosen, left & -left, matrix_cell(&m, i, bit)))
                return false;
        }
    }
    matrix_send(h->p, &m);
    return true;
}

/* ---- The hash ----------------------------------------------------------------------------------- */

/* Whether the hashes of two addresses are equal: aliases are fast then, and collisions slow. */
static bool collide(void *context, uint64_t base, uint64_t difference, bool *result)
{
    struct way_hash *h = context;

    if (!measure_slow(h, base, difference, result))
        return false;
    *result = *result == (h->experiment == COLLISIONS);
    return true;
}

static bool is_fast(void *context, uint64_t base, uint64_t difference, bool *result)
{
    if (!measure_slow(context, base, difference, result))
        return false;
    *result = !*result;
    return true;
}

static struct gf2_request request_of(struct way_hash *h, enum hash_case experiment)
{
    h->experiment = experiment;
    return (struct gf2_request){.bits = h->pairs.bits,
                                .most = (unsigned)probe_scale(h->p, 3, 8, MASKS, MASKS),
                                .checks = (unsigned)probe_scale(h->p, 8, 100, 200, 500),
                                .error = ERROR,
                                .collide = collide,
                                .context = h,
                                .random = &h->p->random};
}

/*
 * Whether any difference of addresses is slow. With aliases at least half of all random ones are, if there is a hash;
 * with collisions one bit that is in no function, or two that are XORed: each bit is tried, and each pair of bits.
 */
static bool find_anything_slow(struct way_hash *h, enum hash_case experiment, bool *slow)
{
    struct gf2_request request = request_of(h, experiment);

    request.collide = is_fast;
    *slow = false;
    if (experiment == ALIASES) {
        struct gf2_result none = {.null = request.bits};
        bool good = gf2_check(&request, &none);
        *slow = none.reason != REASON_NONE;
        return good;
    }
    return gf2_few_apart(&request, slow);
}

/* Finds the masks that one experiment shows: none where nothing is slow; or the reason why they are undecided. */
static bool find_masks(struct way_hash *h, enum hash_case experiment, struct gf2_result *out)
{
    const struct gf2_request request = request_of(h, experiment);
    bool slow;

    *out = (struct gf2_result){.null = h->pairs.bits};
    if (!find_anything_slow(h, experiment, &slow))
        return false;
    return !slow || gf2_find(&request, out);
}

/* Verifies the masks of aliases by collisions. Where they contradict, or there are none, masks by collisions alone. */
static bool verify_by_collisions(struct way_hash *h, struct gf2_result results[EXPERIMENTS])
{
    const struct gf2_request request = request_of(h, COLLISIONS);

    if (results[ALIASES].reason || !results[ALIASES].count)
        return find_masks(h, COLLISIONS, &results[COLLISIONS]);
    results[COLLISIONS] = results[ALIASES];
    results[COLLISIONS].checked = results[COLLISIONS].missed = 0;
    if (!gf2_check(&request, &results[COLLISIONS]))
        return false;
    return !results[COLLISIONS].reason || find_masks(h, COLLISIONS, &results[COLLISIONS]);
}

static bool same_masks(const struct gf2_result *a, const struct gf2_result *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->masks[i] != b->masks[i])
            return false;
    return a->count == b->count;
}

/* Extends masks that both experiments found to higher bits of addresses, as far as both agree on them. */
static bool reach_further(struct way_hash *h, struct gf2_result results[EXPERIMENTS])
{
    struct gf2_result further[EXPERIMENTS] = {results[ALIASES], results[COLLISIONS]};
    uint64_t reached[EXPERIMENTS];

    h->reached = h->pairs.bits;
    if (results[ALIASES].reason || results[COLLISIONS].reason || !results[ALIASES].count ||
        !same_masks(&results[ALIASES], &results[COLLISIONS]))
        return true;
    for (enum hash_case i = ALIASES; i < EXPERIMENTS; i++) {
        const struct gf2_request request = request_of(h, i);
        if (!hash_reach(h->p, &h->pairs, &request, i == ALIASES, &further[i], &reached[i]))
            return false;
    }
    if (reached[ALIASES] == reached[COLLISIONS] && same_masks(&further[ALIASES], &further[COLLISIONS])) {
        h->reached = reached[ALIASES];
        results[ALIASES] = further[ALIASES];
        results[COLLISIONS] = further[COLLISIONS];
    }
    return true;
}

static void report_hash(struct way_hash *h, const struct gf2_result results[EXPERIMENTS])
{
    const struct gf2_result *aliases = &results[ALIASES], *collisions = &results[COLLISIONS];
    const bool both = !aliases->reason && !collisions->reason, disagree = both && !same_masks(aliases, collisions);
    char functions[TEXT], reached[TEXT];
    struct experiment_value values[EXPERIMENTS];

    for (enum hash_case i = ALIASES; i < EXPERIMENTS; i++)
        values[i] = (struct experiment_value){names[i], names[i],
                                              disagree || results[i].reason ? NAN : (double)results[i].count};
    gf2_text(aliases->reason ? collisions : aliases, functions, sizeof functions);
    snprintf(reached, sizeof reached, "%d to %d", __builtin_ctzll(h->reached), 63 - __builtin_clzll(h->reached));
    for (size_t i = 0; i < HASH_FINDINGS; i++) {
        const struct finding f = {.name = findings[i],
                                  .reason = disagree ? REASON_EXPERIMENTS_DISAGREE : aliases->reason,
                                  .method = "differences of addresses that collide, and that do not",
                                  .curves = {MATRIX},
                                  .remarks = {{"functions", functions}, {"reached", reached}}};
        if (disagree || (aliases->reason && collisions->reason))
            report_number(h->p, &f, NAN);
        else
            report_graded_number(h->p, &f, values, EXPERIMENTS);
    }
}

static void run(struct probe *p)
{
    struct way_hash h = {.p = p};
    struct gf2_result results[EXPERIMENTS];
    const size_t pages = (size_t)probe_simulated(p, 1 << 12, probe_scale(p, 64, 1 << 17, 1 << 19, 1 << 20));

    if (address_pairs_map(p, &h.pairs, pages, (size_t)probe_smoke(p, 2, 64)) && measure_fast_cycles(&h) &&
        send_bits(&h) && find_masks(&h, ALIASES, &results[ALIASES]) && verify_by_collisions(&h, results) &&
        reach_further(&h, results))
        report_hash(&h, results);
}

PROBE(way_hash, .title = "Way prediction", .family = "memory", .after = "cache", .run = run,
      .findings =
          FINDINGS({"memory.way_hash.bits", "bits",
                    "bits of the hash of the virtual address by which the data cache's way is predicted; 0: none"},
                   {"memory.way_hash.functions", "functions",
                    "XOR functions of address bits that make them, listed; of bits that were reached"}));
