#include "lib/finding/masking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"

enum { FACT_VARIANTS = sizeof((struct fact){0}).variants, CURVE_NAME = 48 };

/* A finding that the last pass may take back, with copies of the texts that its probe made. */
struct kept_finding {
    const struct probe_definition *probe;
    struct finding finding;
    char variants[FACT_VARIANTS];
    char variant_texts[FINDING_VARIANTS][FACT_VARIANTS];
    char curve_names[FINDING_CURVES][CURVE_NAME];
    char limit_variants[FINDING_LIMITS][FACT_VARIANTS];
};

bool masking_keep(struct run *run, const struct probe_definition *d, const struct finding *f, const char *variants)
{
    struct kept_finding *all = realloc(run->kept, (run->kept_count + 1) * sizeof *all);

    if (!all)
        return false;
    run->kept = all;
    struct kept_finding *k = &all[run->kept_count++];
    *k = (struct kept_finding){.probe = d, .finding = *f};
    k->finding.method = k->finding.agreement = k->finding.detail = k->finding.remarks[0].key = NULL;
    snprintf(k->variants, sizeof k->variants, "%s", variants);
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key; i++)
        if (f->variants[i].text)
            snprintf(k->variant_texts[i], sizeof k->variant_texts[i], "%s", f->variants[i].text);
    for (size_t i = 0; i < FINDING_CURVES && f->curves[i]; i++)
        snprintf(k->curve_names[i], sizeof k->curve_names[i], "%s", f->curves[i]);
    for (size_t i = 0; i < FINDING_LIMITS && f->limits[i].name; i++)
        if (f->limits[i].variants)
            snprintf(k->limit_variants[i], sizeof k->limit_variants[i], "%s", f->limits[i].variants);
    return true;
}

/* The finding with its texts where they are now: keeping another one may have moved them. */
static struct finding with_texts(struct kept_finding *k)
{
    struct finding f = k->finding;

    for (size_t i = 0; i < FINDING_VARIANTS && f.variants[i].key; i++)
        if (f.variants[i].text)
            f.variants[i].text = k->variant_texts[i];
    for (size_t i = 0; i < FINDING_CURVES && f.curves[i]; i++)
        f.curves[i] = k->curve_names[i];
    return f;
}

void masking_forget(struct run *run, const struct finding *f)
{
    char variants[FACT_VARIANTS];

    finding_variants(variants, sizeof variants, f);
    for (size_t i = 0; i < run->kept_count; i++)
        if (!strcmp(run->kept[i].finding.name, f->name) && !strcmp(run->kept[i].variants, variants))
            run->kept[i].probe = NULL;
}

/*
 * The limit that this knee may be instead: what its experiment occupied of another structure is what that structure
 * holds, within LIMITS_COINCIDE or within either interval. NULL: none.
 */
static const struct fact *masked_by(const struct facts *facts, const struct kept_finding *k)
{
    const struct finding *f = &k->finding;

    for (size_t i = 0; i < FINDING_LIMITS && f->limits[i].name; i++) {
        const struct finding_limit *limit = &f->limits[i];
        double occupied = f->value * limit->per_unit;

        for (size_t j = 0; j < facts->count; j++) {
            const struct fact *fact = &facts->all[j];
            bool itself = !strcmp(fact->name, f->name) && !strcmp(fact->variants, k->variants);

            if (itself || strcmp(fact->name, limit->name) != 0 || !variants_cover(k->limit_variants[i], fact->variants))
                continue;
            if (fabs(occupied - fact->value) <= LIMITS_COINCIDE * fact->value ||
                (fact->low <= occupied && occupied <= fact->high) ||
                (f->low * limit->per_unit <= fact->value && fact->value <= f->high * limit->per_unit))
                return fact;
        }
    }
    return NULL;
}

void masking_apply(struct run *run, void (*mask)(struct run *run, const struct probe_definition *d,
                                                 const struct finding *f, const struct fact *limit))
{
    for (size_t i = 0; i < run->kept_count; i++) {
        struct kept_finding *k = &run->kept[i];
        const struct fact *limit = k->probe ? masked_by(&run->facts, k) : NULL;
        const struct finding f = with_texts(k);

        if (limit)
            mask(run, k->probe, &f, limit);
    }
    free(run->kept);
    run->kept = NULL;
    run->kept_count = 0;
}
