#include "lib/run/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/machine.h"

/* Bounds of the section into which PROBE puts its pointers; the linker makes them. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));
extern const struct probe_definition *const __stop_probes[] __attribute__((visibility("hidden")));

static int by_name(const void *a, const void *b)
{
    const struct probe_definition *const *x = a, *const *y = b;
    int family = strcmp((*x)->family, (*y)->family);
    return family ? family : strcmp((*x)->name, (*y)->name);
}

/* The place of the probe of that name; `count` where there is none. */
static size_t place(const struct probe_definition *const *all, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(all[i]->name, name) != 0)
        i++;
    return i;
}

size_t plan_probes(const struct probe_definition *out[], size_t room)
{
    const struct probe_definition *all[PLAN_PROBES] = {0};
    size_t after[PLAN_PROBES], count = 0, done = 0;
    bool placed[PLAN_PROBES + 1] = {false};

    for (const struct probe_definition *const *p = __start_probes; p < __stop_probes && count < PLAN_PROBES; p++)
        all[count++] = *p;
    qsort(all, count, sizeof all[0], by_name); /* the linker's order means nothing */
    for (size_t i = 0; i < count; i++)
        after[i] = all[i]->after ? place(all, count, all[i]->after) : count;
    placed[count] = true;

    /* A probe goes behind the one it names in `after`. Where only rings of such names are left, names decide. */
    for (bool moved = true, forced = false; done < count && done < room; forced = !moved, moved = false)
        for (size_t i = 0; i < count && done < room; i++)
            if (!placed[i] && (forced || placed[after[i]])) {
                out[done++] = all[i];
                placed[i] = moved = true;
            }
    return done;
}

void plan_print_probes(bool findings)
{
    const struct probe_definition *order[PLAN_PROBES];
    size_t count = plan_probes(order, PLAN_PROBES);
    char line[200];

    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%-18s %-9s %s%s\n", order[i]->name, order[i]->family, order[i]->title,
                 order[i]->only_named   ? " (only when named)"
                 : order[i]->on_kernels ? " (only when named, or where kernels are given)"
                                        : "");
        machine_print(line);
        for (const struct finding_declaration *f = order[i]->findings; findings && f && f->name; f++) {
            snprintf(line, sizeof line, "    %-36s %-12s %s\n", f->name, f->unit, f->text);
            machine_print(line);
        }
    }
}

/* The next name of a list separated by spaces or commas. False at its end. */
static bool next_name(const char **list, char *out, size_t room)
{
    size_t n = strcspn(*list += strspn(*list, " ,"), " ,");
    snprintf(out, room, "%.*s", (int)n, *list);
    *list += n;
    return n > 0;
}

static bool named(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (list += strspn(list, " ,"); *list; list += strspn(list, " ,")) {
        const size_t n = strcspn(list, " ,");
        if (n == length && !memcmp(list, name, n))
            return true;
        list += n;
    }
    return false;
}

bool plan_names_exist(struct run *r, const struct plan *plan)
{
    const char *list = r->config.probes;
    char name[64], text[160];
    bool good = true;

    while (next_name(&list, name, sizeof name))
        if (place(plan->order, plan->count, name) == plan->count) {
            snprintf(text, sizeof text, "there is no probe named '%s'; see 'fathom list'", name);
            record_warning(&r->writer, "probes", text);
            snprintf(text, sizeof text, "fathom: there is no probe named '%s'; see 'fathom list'.\n", name);
            machine_print(text);
            good = false;
        }
    return good;
}

bool plan_has(const struct run *r, const struct probe_definition *d)
{
    const struct config *c = &r->config;

    if (c->bringup == BRINGUP_ONLY)
        return false;
    if (c->probes[0])
        return named(c->probes, d->name);
    return !d->only_named && (!d->on_kernels || r->kernels.count > 0);
}

bool plan_declares(const struct probe_definition *d, const char *need)
{
    size_t length = strcspn(need, " ");

    for (const struct finding_declaration *f = d->findings; f && f->name; f++)
        if (strlen(f->name) == length && !memcmp(f->name, need, length))
            return true;
    return false;
}
