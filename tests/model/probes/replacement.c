/* The probes replacement and dtlb_replacement: which line of a set a cache replaces, and which entry a TLB. */
#include <math.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* The policy is among those reported ("LRU or PLRU"), or none is decided. */
static void check_policy(const struct machine_design *m, const char *name, size_t level, const char *policy)
{
    const char *f = finding_of(name, "level", level_names[level - 1]);
    const char *grade = f ? record_value(f, "grade", 2) : NULL;

    if (!grade) /* ways or lines are not known */
        return;
    if (grade[0] == 'U') {
        checked.undecided++;
        return;
    }
    const char *value = record_value(f, "value", 3), *end = value + strlen(value);
    checked.decided++;
    for (const char *word = value; word < end; word += strcspn(word, " ") + 1)
        if (strcspn(word, " ") == strlen(policy) && !strncmp(word, policy, strlen(policy)))
            return;
    complain(m, "%s: reported %s, true is %s", name, value, policy);
}

static void check_replacement(const struct machine_design *m, size_t level)
{
    const char *policy = m->core.data[level - 1].policy;

    check_policy(m, "memory.cache.replacement", level, policy ? policy : "LRU");
}

MODEL_TEST(replacement_policies_are_given_back, "replacement")
{
    static const struct {
        const char *name;
        size_t ways;
    } policies[] = {{"LRU", 8},    {"LRU3PLRU4", 12},         {"PLRU", 8},     {"FIFO", 4}, {"SRRIP", 12}, {"NRU", 8},
                    {"RANDOM", 4}, {"QLRU_H11_M1_R0_U0", 16}, {"LRU2PLRU4", 8}};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 9, 45); cores++) {
        struct machine_design m = draw_machine(seed);
        const size_t which = (seed - 1) % (sizeof policies / sizeof *policies);
        m.core.data[0].policy = policies[which].name;
        m.core.data[0].ways = policies[which].ways;
        m.core.data[0].bytes = policies[which].ways * 4 * KIB;
        /* large enough that lines one way of the first level apart fall into several of its sets */
        if (m.core.data[1].bytes < 256 * KIB)
            m.core.data[1] = (struct cache_design){256 * KIB, 8, .latency = m.core.data[1].latency};
        m.declares = true;         /* ways and bytes, which cache.c tests */
        m.core.contiguous = false; /* so that the second level is not tried */
        m.tick_hz *= 4;            /* longer readings, of many rounds */
        m.core_hz *= 4;
        run_probes_on(&m, "replacement", PROFILE_QUICK);
        check_replacement(&m, 1);
    }
    end(2 * cores / 3, cores / 3);
    decides(8, 8);
}

/*
 * The second level, behind a first one that lines are displaced from. With scattered frames it is not tried. What a
 * level replaces at random takes another time in each round, which often fits no policy.
 */
MODEL_TEST(replacement_of_the_second_level_is_given_back, "replacement")
{
    static const char *const policies[] = {"LRU", "SRRIP", "PLRU", "QLRU_H00_M1_R0_U1", "NRU", "FIFO", "RANDOM", "MRU"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 2), 40); cores++) {
        struct machine_design m = draw_machine(seed);
        struct cache_design *first = &m.core.data[0], *second = &m.core.data[1];
        m.core.contiguous = seed % 10 != 0;
        first->ways = (size_t)4 << pick(0, 1);
        first->bytes = first->ways * 4 * KIB;
        first->policy = pick(0, 1) ? "PLRU" : NULL;
        second->policy = policies[seed % (sizeof policies / sizeof *policies)];
        second->ways = (size_t)4 << pick(0, 2);
        second->bytes = second->ways * ((size_t)16 << pick(0, 2)) * KIB;
        second->latency = 2 * first->latency + (double)pick(2, 10);
        m.core.data[2] = (struct cache_design){0};
        m.core.memory_latency = second->latency * between(2, 4);
        m.memory_bytes = 16384 * KIB;
        m.declares = true; /* ways and bytes, which other tests find */
        m.tick_hz *= 4;
        m.core_hz *= 4;
        run_probes_on(&m, "replacement", PROFILE_QUICK);
        check_replacement(&m, 2);
    }
    end(cores / 2, cores / 2);
    decides(2, 0);
}

MODEL_TEST(replacement_of_the_data_tlb_is_given_back, "dtlb dtlb_replacement")
{
    static const struct {
        const char *name;
        size_t ways;
    } policies[] = {{"PLRU", 4}, {"LRU", 6}, {"FIFO", 8}, {"NRU", 4}, {"PLRU", 8}, {"SRRIP", 6}, {"RANDOM", 4}};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        const size_t which = (seed - 1) % (sizeof policies / sizeof *policies);
        struct page_design *first = &m.core.data_pages[0], *second = &m.core.data_pages[1];
        *first = (struct page_design){.sets = (size_t)8 << pick(0, 1),
                                      .ways = policies[which].ways,
                                      .miss = (double)pick(6, 9),
                                      .policy = policies[which].name};
        *second = (struct page_design){.sets = 128, .ways = 12, .miss = 30};
        m.memory_bytes = fmax(m.memory_bytes, 1 << 27);
        m.tick_hz *= 4; /* longer readings, of many rounds */
        m.core_hz *= 4;
        run_probes_on(&m, "dtlb dtlb_replacement", PROFILE_QUICK);
        check_policy(&m, "memory.dtlb.replacement", 1, policies[which].name);
    }
    end(cores / 2, cores / 2);
    decides(1, 0);
}

/* Leaders of either policy are counted, or some stay unknown; in no case do fewer sets lead than are reported. */
static void check_leaders(const struct machine_design *m, const char *cycle, size_t all)
{
    struct cache_duel d = {.apart = m->core.data[1].leaders, .scattered = m->core.data[1].scattered};
    const char *f = finding_of("memory.cache.leader_sets", "cycle", cycle);
    size_t lead = 0;

    for (size_t set = 1; set < all; set++)
        lead += cache_leads(&d, set) == (strcmp(cycle, "lost") ? 1 : 0);
    if (!f)
        return;
    const double low = number(f, "low"), high = number(f, "high");
    if (!((double)lead >= low && (double)lead < high))
        complain(m, "leaders by which a cycle is %s: reported [%g, %g], true are %zu", cycle, low, high, lead);
}

MODEL_TEST(sets_that_duel_are_given_back, "set_dueling")
{
    static const struct {
        const char *policy, *duels;
    } policies[] = {{"SRRIP", "BRRIP"},
                    {"LRU", "BIP"},
                    {"QLRU_H11_M1_R0_U0", "QLRU_H11_MR161_R0_U0"},
                    {"PLRU", NULL},
                    {"QLRU_H11_M1_R1_U2", "QLRU_H11_MR161_R1_U2"},
                    {"SRRIP", NULL},
                    {"BRRIP", NULL},
                    {NULL, NULL}};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        struct cache_design *first = &m.core.data[0], *second = &m.core.data[1];
        const size_t which = (seed - 1) % (sizeof policies / sizeof *policies);
        m.core.contiguous = true;
        *first = (struct cache_design){.ways = (size_t)4 << pick(0, 1), .latency = first->latency};
        first->bytes = first->ways * KIB / 2;
        *second = (struct cache_design){.policy = policies[which].policy,
                                        .duels = policies[which].duels,
                                        .ways = (size_t)4 << pick(0, 1),
                                        .leaders = 16,
                                        .scattered = pick(0, 1),
                                        .latency = 2 * first->latency + (double)pick(2, 10)};
        second->bytes = second->ways * 8 * KIB;
        m.core.data[2] = (struct cache_design){0};
        m.core.memory_latency = second->latency * between(2, 4);
        m.memory_bytes = 16384 * KIB;
        m.declares = true; /* ways and bytes, which other tests find */
        m.tick_hz *= 4;
        m.core_hz *= 4;
        run_probes_on(&m, "set_dueling", PROFILE_QUICK);
        const char *f = finding_of("memory.cache.dueling", "level", "2"),
                   *grade = f ? record_value(f, "grade", 2) : NULL;
        if (!grade) {
            complain(&m, "nothing is said about dueling");
            continue;
        }
        if (grade[0] == 'U') {
            checked.undecided++;
            continue;
        }
        checked.decided++;
        if (strcmp(record_value(f, "value", 3), second->duels ? "dueling" : "none") != 0)
            complain(&m, "reported %s", record_value(f, "value", 3));
        check_leaders(&m, "lost", second->bytes / second->ways / 64);
        check_leaders(&m, "kept", second->bytes / second->ways / 64);
    }
    end(cores / 2, cores / 2);
    decides(1, 0);
}
