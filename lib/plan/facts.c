#include "lib/plan/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool variants_cover(const char *wanted, const char *variants)
{
    while (*wanted) {
        size_t length = strcspn(wanted, " ");
        const char *word = variants;

        while (*word && (strcspn(word, " ") != length || strncmp(word, wanted, length) != 0)) {
            word += strcspn(word, " ");
            word += strspn(word, " ");
        }
        if (!*word)
            return false;
        wanted += length;
        wanted += strspn(wanted, " ");
    }
    return true;
}

static struct fact *same(struct facts *f, const char *name, const char *variants)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->all[i].name, name) && !strcmp(f->all[i].variants, variants))
            return &f->all[i];
    return NULL;
}

static bool has_room(struct facts *f)
{
    if (f->count < f->room)
        return true;
    const size_t room = f->room ? 2 * f->room : 128;
    struct fact *grown = realloc(f->all, room * sizeof *grown);
    if (!grown)
        return false;
    f->all = grown;
    f->room = room;
    return true;
}

void facts_forget(struct facts *f)
{
    free(f->all);
    *f = (struct facts){0};
}

bool facts_set(struct facts *f, const struct fact *fact)
{
    struct fact *known = same(f, fact->name, fact->variants);

    if (isnan(fact->value))
        return true;
    if (!known && !has_room(f))
        return false;
    if (!known)
        f->all[f->count++] = *fact;
    else if (fact->grade <= known->grade) /* the letters are in that order */
        *known = *fact;
    return true;
}

const struct fact *facts_find(const struct facts *f, const char *name, const char *variants)
{
    const struct fact *best = NULL;

    for (size_t i = 0; i < f->count; i++) {
        const struct fact *fact = &f->all[i];
        if (!strcmp(fact->name, name) && variants_cover(variants, fact->variants) &&
            (!best || fact->grade < best->grade))
            best = fact;
    }
    return best;
}

double facts_number(const struct facts *f, const char *name, const char *variants, double otherwise)
{
    const struct fact *fact = facts_find(f, name, variants);
    return fact ? fact->value : otherwise;
}

/* ---- What is declared --------------------------------------------------------------------------- */

static bool declare(struct facts *f, const char *name, const char *variants, double value, const char *source)
{
    struct fact fact = {.name = name, .value = value, .low = value, .high = value, .grade = 'D'};

    if (!(value > 0)) /* not declared */
        return true;
    snprintf(fact.variants, sizeof fact.variants, "%s", variants);
    snprintf(fact.source, sizeof fact.source, "%s", source);
    return same(f, name, variants) || facts_set(f, &fact);
}

static bool declare_cache(struct facts *f, const struct identity_cache *c)
{
    char level[24];
    bool good = true;

    if (c->holds & HOLDS_DATA) {
        snprintf(level, sizeof level, "level=%u", c->level);
        good = declare(f, "memory.cache.bytes", level, (double)c->bytes, c->source) &&
               declare(f, "memory.cache.ways", level, c->ways, c->source) &&
               declare(f, "memory.cache.line_bytes", level, c->line_bytes, c->source);
    }
    if ((c->holds & HOLDS_INSTRUCTIONS) && c->level == 1)
        good = declare(f, "frontend.l1i.bytes", "", (double)c->bytes, c->source) &&
               declare(f, "frontend.l1i.ways", "", c->ways, c->source) &&
               declare(f, "frontend.l1i.line_bytes", "", c->line_bytes, c->source) && good;
    return good;
}

/*
 * Two arrays of one level may hold pages of the same size: Intel's second level has one for 4K and 2M, one for 4K and
 * 1G. What another source declares as well is the same array again.
 */
static bool declare_entries(struct facts *f, const char *name, const char *variants, const struct identity_tlb *t)
{
    struct fact *known = same(f, name, variants);

    if (!known)
        return declare(f, name, variants, t->entries, t->source);
    if (known->grade == 'D' && !strcmp(known->source, t->source)) {
        known->value += t->entries;
        known->low = known->high = known->value;
    }
    return true;
}

static bool declare_tlb(struct facts *f, const struct identity_tlb *t)
{
    char variants[48];
    bool good = true;

    if (t->holds & HOLDS_INSTRUCTIONS) {
        snprintf(variants, sizeof variants, "level=%u page=%s", t->level, t->page);
        good = declare_entries(f, "frontend.itlb.entries", variants, t);
    }
    if ((t->holds & HOLDS_DATA) && t->loads) {
        snprintf(variants, sizeof variants, "level=%u page=%s access=load", t->level, t->page);
        good = declare_entries(f, "memory.dtlb.entries", variants, t) && good;
    }
    if ((t->holds & HOLDS_DATA) && t->stores) {
        snprintf(variants, sizeof variants, "level=%u page=%s access=store", t->level, t->page);
        good = declare_entries(f, "memory.dtlb.entries", variants, t) && good;
    }
    return good;
}

bool facts_declare(struct facts *f, const struct identity_cache *caches, size_t cache_count,
                   const struct identity_tlb *tlbs, size_t tlb_count)
{
    bool good = true;

    for (size_t i = 0; i < cache_count; i++)
        good = declare_cache(f, &caches[i]) && good;
    for (size_t i = 0; i < tlb_count; i++)
        good = declare_tlb(f, &tlbs[i]) && good;
    return good;
}
