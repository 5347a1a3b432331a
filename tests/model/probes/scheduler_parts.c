/* The probe scheduler_parts: how many entries single schedulers have, and which operations wait in them. */
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Classes as findings name them; of AArch64 selects and extracts are of two of these. */
static const struct {
    const char *name;
    enum waits_class class;
} names[] = {{"int", CLASS_ANY},     {"select", CLASS_ANY},    {"flags", CLASS_FLAGS},      {"branch", CLASS_BRANCH},
             {"shift", CLASS_SHIFT}, {"extract", CLASS_SHIFT}, {"multiply", CLASS_MULTIPLY}};
enum { NAMES = sizeof names / sizeof names[0] };

/*
 * Some schedulers hold operations that write flags, some of these branches; some of the others hold shifts, some of
 * these multiplications; all hold additions.
 */
static struct machine_design draw_parts(uint64_t seed)
{
    struct machine_design m = draw_machine_with_window(seed);
    struct scheduler_design *d = &m.core.schedulers;
    const unsigned count = (unsigned)pick(2, SCHEDULER_PARTS), flags = (unsigned)pick(1, count - 1),
                   branches = (unsigned)pick(1, flags), shifts = (unsigned)pick(1, count - flags),
                   multiplies = (unsigned)pick(1, shifts);

    for (unsigned i = 0; i < count; i++) {
        const unsigned from_end = count - 1 - i;
        d->single_entries[i] = (unsigned)pick(14, 48);
        d->single_classes[i] = 1U << CLASS_ANY | (unsigned)(i < flags) << CLASS_FLAGS |
                               (unsigned)(i < branches) << CLASS_BRANCH | (unsigned)(from_end < shifts) << CLASS_SHIFT |
                               (unsigned)(from_end < multiplies) << CLASS_MULTIPLY;
    }
    d->assigned_early = pick(0, 3) == 0;
    /* what assigns early has schedulers that are alike */
    for (unsigned i = 0; i < count && d->assigned_early; i++)
        d->single_entries[i] = d->single_entries[0];
    d->entries[WAITS_GENERAL] = 0;
    for (unsigned i = 0; i < count; i++)
        d->entries[WAITS_GENERAL] += d->single_entries[i];
    for (enum resource what = RESOURCE_ENTRY; what < RESOURCES; what++)
        m.core.in_flight.most[what] = (unsigned)pick(320, 500);
    m.core.in_flight.nops = m.core.in_flight.group = 1;
    return m;
}

static bool holds(const struct scheduler_design *d, unsigned part, enum waits_class class)
{
    return d->single_classes[part] >> class & 1;
}

/* How many schedulers hold class a, and how many of them class b as well. */
static unsigned holding(const struct scheduler_design *d, enum waits_class a, enum waits_class b)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SCHEDULER_PARTS && d->single_entries[i]; i++)
        count += holds(d, i, a) && holds(d, i, b);
    return count;
}

/* Entries of the schedulers that hold this class, and none of those in the mask `known` that fewer of them hold. */
static unsigned entries_of(const struct scheduler_design *d, enum waits_class class, unsigned known)
{
    unsigned entries = 0;

    for (unsigned i = 0; i < SCHEDULER_PARTS && d->single_entries[i]; i++) {
        bool smaller = !holds(d, i, class);
        for (enum waits_class other = 0; other < WAITS_CLASSES; other++)
            smaller |= (known >> other & 1) && holds(d, i, other) &&
                       holding(d, other, other) < holding(d, class, class);
        entries += smaller ? 0 : d->single_entries[i];
    }
    return entries;
}

/* Whether the finding says that operations of that class wait where it counts entries. */
static bool names_class(const char *f, const char *name)
{
    const char *classes = record_value(f, "classes", 2);
    const size_t length = strlen(name);

    for (const char *at = classes; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Checks the part that stands under the name with that index, and who else waits there. */
static void check_part(const struct machine_design *m, size_t index, unsigned known)
{
    static const char name[] = "backend.scheduler.part.entries";
    const struct scheduler_design *d = &m->core.schedulers;
    const enum waits_class class = names[index].class;
    const char *f = finding_of(name, "class", names[index].name);

    if (!f)
        return;
    check_capacity(m, name, "class", names[index].name, entries_of(d, class, known));
    for (size_t i = 0; i < NAMES; i++) {
        const enum waits_class other = names[i].class;
        const unsigned both = holding(d, class, other);
        if (names_class(f, names[i].name) && (both != holding(d, class, class) || both != holding(d, other, other)))
            complain(m, "%s does not wait where %s does", names[i].name, names[index].name);
    }
}

/* "int for multiply": over how many schedulers the one is spread for each of the other. */
static void check_spread(const struct machine_design *m, size_t a, size_t b)
{
    const struct scheduler_design *d = &m->core.schedulers;
    char pair[64];

    snprintf(pair, sizeof pair, "%s for %s", names[b].name, names[a].name);
    const char *f = finding_of("backend.scheduler.spread", "pair", pair);
    if (f)
        check_whole(m, f, "backend.scheduler.spread", pair,
                    1.0 * holding(d, names[b].class, names[b].class) / holding(d, names[a].class, names[a].class));
}

MODEL_TEST(single_schedulers_are_given_back, "scheduler_parts")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        const struct machine_design m = draw_parts(seed);
        unsigned known = 0;
        run_probes_on(&m, "scheduler_parts", PROFILE_QUICK);
        for (const char *f = NULL; (f = next_finding(f, "backend.scheduler.part.entries"));)
            for (size_t i = 0; i < NAMES; i++)
                if (names_class(f, names[i].name) && !has_field(f, "reason", "masked-by:common-limit"))
                    known |= 1U << names[i].class;
        for (size_t i = 0; i < NAMES; i++) {
            check_part(&m, i, known);
            for (size_t k = 0; k < NAMES; k++)
                check_spread(&m, i, k);
        }
    }
    end(2 * cores, 3 * cores);
    decides(2, 2);
}
