#include "tests/model/curves/show.h"

#include <stdio.h>

#include "lib/base/reason.h"

void show_verdict(const struct verdict *v)
{
    printf("#   verdict: %s, sigma %g, %s\n", v->reason ? reasons[v->reason].token : "decided", v->sigma,
           v->monotone ? "monotone" : "not monotone");
    for (size_t i = 0; i < v->count; i++) {
        const struct knee *k = &v->knees[i];
        printf("#     knee %g [%g, %g) from %g to %g, ends %g, half %g [%g, %g]%s%s%s\n", k->value, k->low - k->unseen,
               k->high, k->before, k->after, k->end, k->half_rise, k->half_rise_low, k->half_rise_high,
               k->ramp ? " ramp" : "", k->agreed ? " agreed" : "", k->fuzzy ? " fuzzy" : "");
    }
}

void show_truth(const struct trial *c, const struct truth *truths)
{
    for (size_t i = 0; i < c->curve.count; i++) {
        const struct truth *t = &truths[i];
        printf("#     truth %g, half %g to %g%s, %s: rise %g, sigma %g\n", t->last_good, t->first, t->last,
               t->by_half ? " looked for" : "", standing_names[t->standing], t->step, t->sigma);
    }
}

void show_trial(const struct trial *c)
{
    const struct search *p = &c->plan;

    printf("# %s, %s, noise %s, ground %s of %g over %g; x from %g to %g (%g), step %g, %u an octave, %u coarse\n",
           class_names[c->class], knee_kind_names[p->kind], c->curve.noise.name, ground_names[c->curve.ground],
           c->curve.amount, c->curve.scale, p->from, p->to, p->limit, p->step, p->per_octave, p->coarse);
    for (size_t i = 0; i < c->curve.count; i++) {
        const struct structure *s = &c->curve.structures[i];
        printf("#   shape %d, capacity %g, width %g, height %g over %g, %zu sets of %zu\n", s->shape, s->capacity,
               s->width, s->height, c->curve.base, s->sets, s->ways);
    }
}
