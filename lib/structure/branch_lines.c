#include "lib/structure/branch_lines.h"

#include "lib/probe/sweep.h"
#include "lib/structure/branch_cost.h"

enum {
    FROM = 8,                                   /* branches */
    STRIDE = 4 * BRANCH_CHAIN_LINE_BYTES,       /* the next line may be fetched ahead, the next three are not */
    END = STRIDE - BRANCH_CHAIN_LINE_BYTES / 2, /* of a branch in its slot */
    NOP_BYTES = 3 * BRANCH_CHAIN_LINE_BYTES
};

/* The same chain with and without NOPs. */
struct both {
    struct branch_curve with, without;
};

static bool build_with(struct probe *p, double branches, void *context, struct kernel *k)
{
    return branch_curve_build(p, branches, &((struct both *)context)->with, k);
}

static bool build_without(struct probe *p, double branches, void *context, struct kernel *k)
{
    return branch_curve_build(p, branches, &((struct both *)context)->without, k);
}

bool branch_lines_find(struct probe *p, const struct branch_chain_room *room, size_t span, double *bytes)
{
    const struct branch_chain bare = {.stride = STRIDE, .branch_end = END};
    struct both both = {.with = {.chain = bare, .room = room}, .without = {.chain = bare, .room = room}};
    struct sweep s = {.name = "NOPs before branches",
                      .axis = "branches",
                      .unit = "cycles/branch",
                      .build = build_with,
                      .control = build_without,
                      .context = &both,
                      .search = {.kind = KNEE_STEP,
                                 .from = FROM,
                                 .to = (double)span / STRIDE,
                                 .step = 1,
                                 .resolution = 0.02,
                                 .per_octave = 1}};

    both.with.chain.nop_bytes = NOP_BYTES;
    const bool good = sweep_search(p, &s);
    *bytes = good && !s.search.verdict.reason && s.search.verdict.count ? STRIDE * s.search.verdict.knees[0].value : 0;
    sweep_free(&s);
    return good;
}
