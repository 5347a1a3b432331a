/* The probe widths: how many instructions the core renames and retires in a cycle. */
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Where no more instructions can retire than are renamed, the probe must decide neither width, since one of them alone
 * may limit both measurements. Where fewer can be renamed that write registers than others, it can decide that, unless
 * retirement limits both.
 */
MODEL_TEST(widths_are_given_back, "widths")
{
    static const struct {
        const char *name, *counted;
    } all[] = {{"backend.rename.per_cycle", "operations"},
               {"backend.retire.per_cycle", "operations"},
               {"backend.rename.per_cycle", "renames"}};
    unsigned visible = 0, hidden = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = draw_noisy_machine(seed);
        m.core.retire = (unsigned)pick(m.core.width - 1, m.core.width + 4);
        m.core.renames = seed % 2 ? (unsigned)pick(m.core.width - m.core.width / 3, m.core.width - 1) : 0;
        m.core.nops_fuse = seed == 2; /* which nothing here shows, without the reorder buffer */
        run_probes_on(&m, "widths", PROFILE_QUICK);
        const double renames = m.core.renames ? m.core.renames : m.core.width;
        const double truth[] = {m.core.width, m.core.retire, renames};
        for (size_t i = 0; i < 3; i++) {
            const char *f = finding_of(all[i].name, "counted", all[i].counted);
            const bool shows = !m.core.nops_fuse && m.core.retire > (i > 0 ? renames : m.core.width);
            visible += shows;
            hidden += !shows;
            if (shows)
                check_number(&m, all[i].name, "counted", all[i].counted, truth[i]);
            else if (is_decided(&m, f, all[i].name, all[i].counted))
                complain(&m, "%s %s: decided, where %u are renamed and %u retire", all[i].name, all[i].counted,
                         m.core.width, m.core.retire);
        }
    }
    end(visible > 16 ? visible - 1 : visible, visible + hidden); /* noise may hide one more */
    decides(3, 3);
}

/*
 * Two instructions share an entry of the reorder buffer unless both write a register, and it is entries that retire; on some cores fewer instructions can that write
 * a register. Then all that the probe has to count entries by is slower than entries retire, and it must not say so.
 */
MODEL_TEST(retirement_by_kind_is_given_back, "rob widths")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 4); cores++) {
        struct machine_design m = draw_machine_with_window(seed);
        struct in_flight_design *d = &m.core.in_flight;
        for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
            d->most[what] = (unsigned)pick(500, 700);
        d->most[RESOURCE_ENTRY] = (unsigned)pick(280, 340);
        d->group = 1;
        d->nops = 2;
        d->pairs = true;
        m.core.retires_entries = true;
        m.core.retire = (unsigned)pick(m.core.width + 1, m.core.width + 4);
        m.core.retire_renames = seed % 2 ? 0 : m.core.retire - (unsigned)pick(1, m.core.retire / 3);
        run_probes_on(&m, "rob widths", PROFILE_QUICK);
        for (size_t i = 0; i < 2; i++) {
            const char *counted = i ? "entries" : "operations", *name = "backend.retire.per_cycle";
            if (m.core.retire_renames)
                check_undecided(&m, name, "counted", counted);
            else
                check_number(&m, name, "counted", counted, m.core.retire);
        }
        check_number(&m, "backend.retire.per_cycle", "counted", "renames",
                     m.core.retire_renames ? m.core.retire_renames : m.core.retire);
    }
    end(cores ? 1 : 0, 3 * cores); /* mostly the entries of the buffer are not known */
}
