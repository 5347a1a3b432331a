/* The probe fusion: which pairs of instructions take the room of one. */
#include <string.h>

#include "arch/emit_idioms.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

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
                fused_add(&m.core.fuses, pair);
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
