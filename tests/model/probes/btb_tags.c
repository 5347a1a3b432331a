/* The probe btb_tags: by which high address bits each level of branch target buffer distinguishes branches. */
#include <string.h>

#include "lib/structure/btb_tags.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/isa.h"
#include "tests/model/test.h"

enum { LOWEST = 12, HIGHEST = 30 /* that a modelled machine maps */ };

/*
 * All bits up to before `plain` are in the tag; some of those behind it are XORed with bits `fold` below them, and the
 * others do not matter.
 */
static void draw_tag(struct target_design *t)
{
    const unsigned plain = (unsigned)pick(16, 24), fold = (unsigned)pick(3, plain - LOWEST);
    const unsigned folds = (unsigned)pick(0, fold);

    t->partial = true;
    t->tag = ((uint64_t)1 << plain) - 1;
    for (unsigned i = 0; i < folds; i++) {
        t->folds[i] = (uint64_t)1 << (plain + i) | (uint64_t)1 << (plain + i - fold);
        t->tag &= ~t->folds[i];
    }
}

/* The bits by which that level distinguishes branches, as the probe writes them. */
static void truth_of(const struct target_design *t, char text[BTB_TAG_TEXT])
{
    uint64_t masks[BTB_TAG_BITS];
    size_t count = 0;

    for (unsigned bit = LOWEST; bit <= HIGHEST; bit++) {
        if (t->tag >> bit & 1)
            masks[count++] = (uint64_t)1 << bit;
        for (unsigned i = 0; i < TARGET_FOLDS && t->folds[i]; i++)
            if ((unsigned)__builtin_ctzll(t->folds[i]) == bit)
                masks[count++] = t->folds[i] & (((uint64_t)2 << HIGHEST) - 1);
    }
    btb_tags_text(masks, count, text);
}

static void check_level(const struct machine_design *m, unsigned level)
{
    static const char name[] = "frontend.btb.tag_bits";
    const char *f = finding_of(name, "level", level_names[level]);
    char text[BTB_TAG_TEXT];

    truth_of(&m->core.targets[level], text);
    if (is_decided(m, f, name, level_names[level]) && !has_field(f, "value", text))
        complain(m, "level %s: true is %s", level_names[level], text);
}

MODEL_TEST(tags_of_branch_target_buffers_are_given_back, "btb_tags")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 12); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.contiguous = true;
        m.core.op_cache = (struct cache_design){0};
        m.core.indirect = true;
        m.core.targets[0] = (struct target_design){
            .sets = (size_t)1 << pick(3, 4), .ways = 2 * pick(2, 3), .low = 6, .cycles = 1};
        /* no bit of an index is above the lowest one that is looked for */
        const unsigned low = (unsigned)pick(4, 6);
        m.core.targets[1] = (struct target_design){
            .sets = (size_t)1 << (LOWEST - low), .ways = 2 * pick(3, 4), .low = low, .cycles = 2};
        m.core.redirect = (double)pick(9, 14);
        draw_tag(&m.core.targets[0]);
        draw_tag(&m.core.targets[1]);
        shorten_readings(&m);
        run_probes_on(&m, "btb_tags", PROFILE_QUICK);
        for (unsigned level = 0; level < TARGET_LEVELS; level++)
            check_level(&m, level);
    }
    end(cores, UINT32_MAX);
    decides(2, 0);
}
