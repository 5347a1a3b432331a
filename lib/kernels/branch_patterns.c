#include "lib/kernels/branch_patterns.h"

#include <string.h>

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    WORD_BRANCHES = CHANCE_BITS, /* in a word of the pattern, its high bits: as many as are random in a draw */
    PASSES = 100,                /* of a pattern before anything is timed */
    SLOT_BYTES = 24,             /* what a branch needs on either ISA */
    /* Readings are so many times longer: what a sibling thread evicts from predictors is learnt again within one. */
    LENGTH_FACTOR = 32,
    HEADER_BYTES = 16 /* where chance and the position are stored, before the pattern */
};

bool branch_patterns_map(struct probe *p, struct area *area)
{
    return probe_map(p, area, HEADER_BYTES + (sizeof(uint64_t) << BRANCH_PATTERNS_LENGTH_BITS), 0);
}

static unsigned words_bits(const struct branch_patterns *s)
{
    unsigned bits = 0;

    while ((size_t)WORD_BRANCHES << bits < (size_t)1 << s->branches_bits)
        bits++;
    return bits;
}

static void fill_pattern(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes outcomes,
                         uint64_t *pattern)
{
    for (size_t i = 0; i >> (s->length_bits + words_bits(s)) == 0; i++)
        pattern[i] = outcomes == PATTERN_ZEROS ? 0 : random_next(&p->random);
}

/*
 * REG_T8 counts words of the pattern. Every WORD_BRANCHES branches the next word is loaded into REG_T5 and XORed with a
 * draw or, for the same instructions without chance, with REG_T6, which is 0.
 */
static bool build(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes outcomes,
                  const struct area *area, struct kernel *k)
{
    const size_t branches = (size_t)1 << s->branches_bits, words = (size_t)1 << words_bits(s);
    struct code c = probe_code(p, 4096 + branches * SLOT_BYTES + words * 64);

    emit_enter(&c);
    chance_begin(&c);
    emit_load(&c, REG_T8, REG_DATA, 8);
    emit_move(&c, REG_T7, REG_DATA);
    emit_add_constant(&c, REG_T7, HEADER_BYTES);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    for (size_t i = 0; i < branches; i++) {
        if (i % WORD_BRANCHES == 0) {
            emit_load_indexed(&c, REG_T5, REG_T7, REG_T8);
            emit_add_constant(&c, REG_T8, 1);
            chance_draw(&c);
            emit_xor(&c, REG_T5, outcomes == PATTERN_RANDOM ? REG_T0 : REG_T6);
        }
        emit_move(&c, REG_T1, REG_T5);
        emit_shift_right(&c, REG_T1, (unsigned)(63 - i % WORD_BRANCHES));
        emit_and_constant(&c, REG_T1, 1);
        struct fixup over = emit_branch_if_zero_ahead(&c, REG_T1);
        emit_nop(&c, emit_nop_lengths[0]);
        emit_land(&c, over);
    }
    emit_add_constant(&c, REG_T8, (int32_t)(words - (branches + WORD_BRANCHES - 1) / WORD_BRANCHES));
    emit_and_constant(&c, REG_T8, s->length_bits + words_bits(s));
    emit_loop(&c, loop);
    emit_store(&c, REG_T8, REG_DATA, 8);
    chance_end(&c);
    emit_leave(&c);
    *k = (struct kernel){.data = area->at,
                         .units = (double)branches,
                         .warm_iterations = PASSES * (double)((size_t)1 << s->length_bits),
                         .length_factor = probe_smoke(p, 1, LENGTH_FACTOR)};
    return probe_kernel(p, &c, 0, k);
}

bool branch_patterns_build(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes outcomes,
                           const struct area *area, struct kernel *k)
{
    memset(area->write, 0, HEADER_BYTES);
    fill_pattern(p, s, outcomes, (uint64_t *)(area->write + HEADER_BYTES));
    return build(p, s, outcomes, area, k);
}
