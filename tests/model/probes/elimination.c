/* The probe elimination: which moves and zeroing idioms need no execution unit. */
#include <string.h>

#include "arch/emit_idioms.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

MODEL_TEST(eliminations_are_given_back, "elimination")
{
    static const char name[] = "backend.elimination.per_cycle";
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 3, 24); cores++) {
        struct machine_design m = draw_noisy_machine(seed);
        m.core.units = (unsigned)pick(2, m.core.width > 6 ? 5 : m.core.width - 1);
        m.core.moves_eliminated = pick(0, 1);
        m.core.zeros_eliminated = pick(0, 1);
        m.core.nops_fuse = seed % 2; /* where they do, NOPs are no control */
        run_probes_on(&m, "elimination", PROFILE_QUICK);
        for (const struct emit_idiom *i = emit_idioms; i->name; i++) {
            const char *f = finding_of(name, "form", i->name);
            const bool widens = !strncmp(i->name, "movzx", 5) || !strncmp(i->name, "movsx", 5);
            const bool truth = i->kind == IDIOM_ZERO ? m.core.zeros_eliminated : m.core.moves_eliminated && !widens;
            if (is_decided(&m, f, name, i->name) && (number(f, "value") > 0) != truth)
                complain(&m, "%s %s: reported %g, and it is %s", name, i->name, number(f, "value"),
                         truth ? "eliminated" : "executed");
            else if (truth)
                check_number(&m, name, "form", i->name, m.core.width);
        }
    }
    end(4 * cores, 2 * cores);
    decides(36, 24);
}
