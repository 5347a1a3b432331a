/* The probe fusion: which pairs of instructions take the room of one. */
#include <stdlib.h>
#include <string.h>

#include "arch/emit_idioms.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

enum { ROOM = 64 };

/* The key of the instruction that begins there. */
static uint64_t key_of(const struct code *c, size_t at)
{
    const uint32_t number = code_number(decode(c->write + at, c->used - at));

    if (!code_good(c) || !number)
        abort();
    return decoded[number].key;
}

/* Adds a pair, in each register that pairs change. */
static void add_fused(struct fused_pairs *f, const struct emit_pair *pair)
{
    for (size_t i = 0; i < PAIR_TARGETS; i++) {
        uint8_t bytes[ROOM] = {0};
        struct code c = code_start(bytes, 0, sizeof bytes);
        emit_pair_first(&c, pair, i);
        const size_t second = c.used;
        emit_pair_second(&c, pair, i);
        if (f->count == FUSED_PAIRS)
            abort();
        f->of[f->count].first = key_of(&c, 0);
        f->of[f->count++].second = key_of(&c, second);
    }
}

/* Each pair by itself: which of them fuse is drawn, and so no probe can know one from another. */
MODEL_TEST(fusions_are_given_back, "fusion")
{
    static const char name[] = "backend.fusion.pair";
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 3), 12); cores++) {
        struct machine_design m = draw_noisy_machine(seed);
        uint64_t fuses = 0;
        m.core.l1i_fetch *= seed % 4 ? 4 : 1; /* else fetching may be as slow as renaming */
        if (seed ==
            1) { /* as Zen 4: loads and stores limit a sequence of pairs, and a NOP fuses with any instruction */
            m.core.nops_fuse = true;
            m.core.load_store = (struct load_store_design){.loads = 1, .stores = 1, .port_bytes = 8};
        }
        for (const struct emit_pair *pair = emit_pairs; pair->name; pair++)
            if (seed != 2 && strcmp(pair->name, "nop+nop") != 0 && pick(0, 2) == 0) { /* that core fuses none */
                add_fused(&m.core.fuses, pair);
                fuses |= UINT64_C(1) << (pair - emit_pairs);
            }
        run_probes_on(&m, "fusion", PROFILE_QUICK);
        for (const struct emit_pair *pair = emit_pairs; pair->name; pair++) {
            const bool nops = m.core.nops_fuse && !strcmp(pair->name, "nop+nop");
            check_number(&m, name, "form", pair->name, nops || (fuses >> (pair - emit_pairs) & 1) ? 1 : 2);
        }
    }
    end(cores ? 7 : 0, 9 * cores);
    decides(24, 0);
}
