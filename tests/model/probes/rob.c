/* The probe rob, with registers and queues behind it: what limits the instruction window. */
#include <math.h>
#include <string.h>

#include "arch/emit.h"
#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static void check_renames(const struct machine_design *m, size_t halves)
{
    static const char *const texts[] = {"whole", "packed", "apart"};
    const struct in_flight_design *d = &m->core.in_flight;

    check_capacity(m, "backend.rename_retire.entries", NULL, "", d->most[RESOURCE_RENAME]);
    check_capacity(m, "backend.registers.entries", "class", "int32",
                   d->most[RESOURCE_HALF] ? d->most[RESOURCE_HALF] : d->most[RESOURCE_GENERAL] * (d->packs ? 2 : 1));
    check_capacity(m, "backend.registers.entries", "width", "128", d->most[RESOURCE_VECTOR]);
    check_text(m, "backend.registers.shared", "pair", "int64 and v128", "separate");
    check_text(m, "backend.registers.shared", "pair", "int64 and flags", "separate");
    check_text(m, "backend.registers.halves", NULL, "", texts[halves]);
}

/* What is decided is right; what fills up only after something else does must not be decided. */
MODEL_TEST(windows_are_given_back, "rob registers queues")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 12); cores++) {
        struct machine_design m = draw_machine_with_window(seed);
        const struct in_flight_design *d = &m.core.in_flight;
        const bool renames = seed % 2;
        if (renames)
            draw_renames(&m.core.in_flight, seed / 2 % 3);
        run_probes_on(&m, "rob registers queues", PROFILE_QUICK);
        if (renames)
            check_renames(&m, seed / 2 % 3);
        if (d->nops == 1) /* else the number depends on how many long-latency operations lie among the NOPs */
            check_capacity(&m, "backend.rob.instructions", "filler", "nop", d->most[RESOURCE_ENTRY]);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[RESOURCE_ENTRY]);
        check_number(&m, "backend.rob.group", NULL, "", d->group);
        check_capacity(&m, "backend.registers.entries", "class", "int64", d->most[RESOURCE_GENERAL]);
        check_capacity(&m, "backend.registers.entries", "class", "flags",
                       d->flags_are_general ? fmin(d->most[RESOURCE_GENERAL], d->most[RESOURCE_FLAGS])
                                            : d->most[RESOURCE_FLAGS]);
        check_capacity(&m, "backend.load_queue.entries", "width", "64", d->most[RESOURCE_LOAD]);
        if (finding_of("backend.load_queue.entries", "width", "128"))
            check_capacity(&m, "backend.load_queue.entries", "width", "128", d->most[RESOURCE_LOAD]);
        check_capacity(&m, "backend.store_queue.entries", "width", "64", d->most[RESOURCE_STORE]);
        check_capacity(&m, "backend.branches_in_flight.entries", "branch", "not-taken", d->most[RESOURCE_BRANCH]);
    }
    end(4 * cores, 10 * cores);
    decides(9, 0);
}

/*
 * Where in an entry of several instructions a kind has to stand. First and last can be distinguished only where memory
 * accesses have to be the one and branches the other.
 */
static void check_place(const struct machine_design *m, const char *kind, enum in_entry at, enum in_entry other)
{
    static const char name[] = "backend.rob.place", either[] = "first or last";
    static const char *const texts[] = {"anywhere", "first", "last"};
    const char *f = finding_of(name, "kind", kind);
    const bool opposite = at != other && at != ENTRY_ANY && other != ENTRY_ANY;

    if (f && is_decided(m, f, name, kind) && !strncmp(record_value(f, "value", 2), either, strlen(either)))
        check_text(m, name, "kind", kind, at == ENTRY_ANY ? "anywhere" : either);
    else if (f)
        check_text(m, name, "kind", kind, at != ENTRY_ANY && !opposite ? either : texts[at]);
}

/* Entries that hold several instructions are reported as such, or not at all. */
MODEL_TEST(shared_entries_are_given_back, "rob")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8); cores++) {
        struct machine_design m = draw_machine_with_window(seed);
        struct in_flight_design *d = &m.core.in_flight;
        for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
            d->most[what] = (unsigned)pick(200, 400);
        d->most[RESOURCE_ENTRY] = (unsigned)pick(40, 80);
        d->nops = d->group = 1;
        d->together = (unsigned)pick(2, 8);
        d->access_at = (enum in_entry)(seed % 3);
        d->branch_at = (enum in_entry)(seed / 3 % 3);
        run_probes_on(&m, "rob", PROFILE_QUICK);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[RESOURCE_ENTRY]);
        if (finding_of("backend.rob.per_entry", NULL, ""))
            check_number(&m, "backend.rob.per_entry", NULL, "", d->together);
        check_place(&m, "memory", d->access_at, d->branch_at);
        check_place(&m, "branches", d->branch_at, d->access_at);
        check_number(&m, "backend.rob.group", NULL, "", 1);
    }
    end((cores + 1) / 2, 3 * cores);
    decides(0, 6);
}

/*
 * Two neighbours share an entry unless both write a register, or both have a displacement. Instructions that do not
 * share with others of their kind show how many entries there are.
 */
MODEL_TEST(paired_entries_are_given_back, "rob")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 8); cores++) {
        struct machine_design m = draw_machine_with_window(seed);
        struct in_flight_design *d = &m.core.in_flight;
        for (enum resource what = RESOURCE_GENERAL; what < RESOURCES; what++)
            d->most[what] = (unsigned)pick(200, 400);
        d->most[RESOURCE_ENTRY] = (unsigned)pick(60, 120);
        d->group = (unsigned)pick(1, 8);
        d->nops = 2;
        d->pairs = true;
        run_probes_on(&m, "rob", PROFILE_QUICK);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[RESOURCE_ENTRY]);
        check_number(&m, "backend.rob.group", NULL, "", d->group); /* which long NOPs show */
    }
    end(cores, cores);
}
