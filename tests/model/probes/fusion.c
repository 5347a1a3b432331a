/* The probe fusion: which pairs of instructions take the room of one. */
#include <string.h>

#include "arch/emit_idioms.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

MODEL_TEST(fusions_are_given_back, "fusion")
{
    static const char name[] = "backend.fusion.pair";
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 3), 12); cores++) {
        struct machine_design m = draw_noisy_machine(seed);
        m.core.fuses = seed % 2;
        m.core.l1i_fetch *= seed < 3 ? 2 : 1; /* else fetching may be as slow as renaming */
        if (seed ==
            1) { /* as Zen 4: loads and stores limit a sequence of pairs, and a NOP fuses with any instruction */
            m.core.nops_fuse = true;
            m.core.load_store = (struct load_store_design){.loads = 1, .stores = 1, .port_bytes = 8};
        }
        run_probes_on(&m, "fusion", PROFILE_QUICK);
        for (const struct emit_pair *pair = emit_pairs; pair->name; pair++) {
            const bool fuses = strcmp(pair->name, "nop+nop") ? m.core.fuses && !strncmp(pair->name, "cmp", 3)
                                                             : m.core.nops_fuse;
            check_number(&m, name, "form", pair->name, fuses ? 1 : 2);
        }
    }
    end(cores ? 7 : 0, 9 * cores);
    decides(12, 0);
}
