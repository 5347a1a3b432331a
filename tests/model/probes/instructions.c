/* The probe instructions: operations of a form, and dependency chains through its operands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/catalogue.h"
#include "arch/emit.h"
#include "lib/kernels/forms.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* An addition is one operation of the modelled core. The loop around it is counted apart. */
MODEL_TEST(operations_of_a_form_are_counted, "instructions")
{
    for (uint64_t seed = 0; next_seed(&seed, 1, 4);) {
        struct machine_design m = draw_machine(seed);
        m.counts = true;
        run_forms_on(&m, form_units[0].form, PROFILE_QUICK);
        const char *rows = NULL;
        for (const char *t = NULL; (t = records_find(&records, t, "table", "name", "backend.instruction"));)
            rows = t;
        if (!rows || !strstr(rows, "[\"ops_retired\",1]"))
            complain(&m, "%s is not one operation: %.*s", form_units[0].form, rows ? (int)strcspn(rows, "\n") : 0,
                     rows ? rows : "");
    }
    end(0, 0);
    decides(0, 0);
}

/*
 * A multiplication takes what it takes on the modelled core, through each of its sources: also where one instance writes
 * the register that the next one reads, and the others go round all registers.
 */
MODEL_TEST(latencies_of_a_form_are_given_back, "instructions")
{
    static const char latency[] = ":general\",\"0:general\",\"=\",";
    const char *name = emit_longest != emit_alignment ? "imul r64, r64" : "madd x, x, x, x";

    for (uint64_t seed = 0; next_seed(&seed, 1, 4);) {
        struct machine_design m = draw_machine(seed);
        unsigned sources = 0;
        run_forms_on(&m, name, PROFILE_QUICK);
        const char *row = records_find(&records, NULL, "table", "name", "backend.instruction");
        for (const char *at = row; at && (at = strstr(at, latency)); sources++) {
            at += sizeof latency - 1;
            if (fabs(atof(at) - m.core.multiply) > 0.02 * m.core.multiply)
                complain(&m, "%s takes %.6s cycles, not %g", name, at, m.core.multiply);
        }
        assert_true(sources >= 2);
    }
    end(0, 0);
    decides(0, 0);
}

/* Its mask, its addresses and its base: a dependency chain leads from each of them to what it loads. */
MODEL_TEST(every_operand_of_a_gather_begins_a_chain, "")
{
    unsigned gathers = 0;

    for (const struct form *f = forms; f < forms + form_count; f++)
        for (unsigned to = 0; to < f->operand_count && form_needs_companions(f) && !f->stack; to++) {
            const struct form_operand *d = form_operand(f, to);
            if (d->kind != OPERAND_VECTOR || !(d->access & OPERAND_WRITE) || d->is_cleared)
                continue;
            for (unsigned from = 0; from < f->operand_count; from++)
                if (!form_can_chain(f, from, to) && !form_bridge_count(f, from, to))
                    fail_msg("%s: no chain from operand %u", form_name(f), from);
            gathers++;
        }
    assert_true((gathers > 0) == (strcmp(emit_isa, "x86_64") == 0)); /* gathers of SVE do not clear their mask */
}
