/* The probe smt_sharing: structures that two threads of a core divide in ways that are drawn blind. */
#include <stdlib.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static const struct {
    const char *name;
    enum smt_structure structure;
} named[SMT_STRUCTURES] = {{"dtlb", SMT_PAGES},
                           {"l1d", SMT_LINES},
                           {"rob", SMT_ENTRIES},
                           {"load_queue", SMT_LOADS},
                           {"store_queue", SMT_STORES}};
static const char *const rule_names[] = {"not shared", "halves", "capped", "by demand"};

static struct machine_design draw_machine_with_shares(uint64_t seed)
{
    struct machine_design m = draw_machine_with_window(seed);
    unsigned *most = m.core.in_flight.most;

    m.core.data[0] = (struct cache_design){.bytes = 32 * KIB, .ways = 8, .latency = 4};
    m.core.data[1] = (struct cache_design){.bytes = 128 * KIB, .ways = 8, .latency = 14};
    m.core.data_pages[0] = (struct page_design){.sets = 8, .ways = 8, .miss = (double)pick(5, 9)};
    m.core.data_pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = (double)pick(15, 30)};
    m.core.load_store = (struct load_store_design){.loads = (unsigned)pick(2, 3), .stores = 1};
    m.declares = m.declares_pages = true;
    for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++) /* queues end before registers do */
        most[what] = (unsigned)(what == RESOURCE_LOAD || what == RESOURCE_STORE
                                    ? pick(most[RESOURCE_ENTRY] / 5, most[RESOURCE_ENTRY] * 3 / 5)
                                    : most[RESOURCE_ENTRY] * 5 / 4);
    m.coherence = (struct coherence_design){.cores = 2,
                                            .threads = 2,
                                            .groups = {{2, (double)pick(20, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = 1,
                                            .most_lines = 2,
                                            .cached_bytes = 1024 * KIB};
    if (seed % 8 == 3) {
        m.jitter = between(0, 0.006);
        m.stolen = between(0, 0.02);
        m.stolen_known = 0.5;
    }
    for (enum smt_structure i = 0; i < SMT_STRUCTURES; i++) {
        struct smt_rule_of *r = &m.coherence.smt.of[i];
        r->rule = (enum smt_rule)pick(SMT_RULE_NONE, SMT_RULE_DEMAND);
        r->left = r->rule == SMT_RULE_CAP ? between(0.65, 0.85) : between(0.3, 0.7);
        if (i >= SMT_LINES) /* by ways, of which there are 8 */
            r->left = (double)(r->rule == SMT_RULE_CAP ? pick(5, 6) : pick(2, 5)) / 8;
    }
    return m;
}

/* Queues, which take a third of the time, only where there is much of it. */
MODEL_TEST(what_threads_share_is_given_back, "rob siblings smt_sharing")
{
    const char *const probes = getenv("LONG") ? "rob queues siblings smt_sharing" : "rob siblings smt_sharing";
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16); machines++) {
        const struct machine_design m = draw_machine_with_shares(seed);
        run_probes_on(&m, probes, PROFILE_QUICK);
        for (size_t i = 0; i < SMT_STRUCTURES; i++)
            check_text(&m, "system.smt.sharing", "structure", named[i].name,
                       rule_names[m.coherence.smt.of[named[i].structure].rule]);
    }
    end(2 * machines, UINT32_MAX);
    decides(3, 0);
}
