#include "lib/structure/btb_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/plan/facts.h"
#include "lib/probe/table.h"
#include "lib/structure/tolerances_btb.h"

static void send_survivors(struct probe *p, const struct btb_fit_level *l, unsigned number)
{
    for (size_t i = 0; i < l->count && i < BTB_FIT_SHOWN; i++) {
        const struct btb_organisation *o = &l->shown[i];
        struct record r;
        record_table(p, &r, "organisation");
        if (number)
            record_integer(&r, "level", number);
        record_integer(&r, "fits", i + 1);
        record_integer(&r, "of", l->count);
        record_integer(&r, "ways", o->ways);
        record_integer(&r, "ways_most", o->ways_end - 1);
        record_integer(&r, "sets", 1U << o->index.set_bits);
        record_integer(&r, "index_low", o->index.low);
        record_integer(&r, "index_bits", o->index.set_bits);
        record_boolean(&r, "folded", o->index.folded);
        record_text(&r, "entry", btb_entry_names[o->entry]);
        record_integer(&r, "branches_per_entry", o->per_entry);
        record_send(&r);
    }
}

/* Why a property that survivors do not share is undecided; l: NULL where there is no such level. */
static enum reason undecided(const struct btb_fit_result *r, const struct btb_fit_level *l, unsigned number)
{
    return r->reason     ? r->reason
           : !l          ? REASON_NO_LEVEL
           : !number     ? REASON_LEVEL_NOT_KNOWN
           : !l->left    ? REASON_NOT_LEFT
           : r->doubtful ? REASON_LEVEL_IN_DOUBT
                         : REASON_SEVERAL_FIT;
}

void btb_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                const struct btb_report_names *names)
{
    const struct btb_fit_level *l = !r->reason && level < r->level_count ? &r->levels[level] : NULL;
    const struct btb_organisation *o = l ? &l->shown[0] : NULL;
    const struct {
        const char *name;
        bool same; /* for all survivors */
        unsigned value;
    } properties[] = {{names->ways, l && l->same_ways, o ? o->ways : 0},
                      {names->sets, l && l->same_sets, o ? 1U << o->index.set_bits : 0},
                      {names->index_bits, l && l->same_index, o ? o->index.set_bits : 0},
                      {names->branches_per_entry, l && l->same_per_entry, o ? o->per_entry : 0}};
    char text[BTB_ORGANISATION_TEXT + 64] = "none";

    if (l)
        btb_organisation_text(o, text, BTB_ORGANISATION_TEXT);
    if (l && l->count > 1)
        snprintf(text, sizeof text, "%zu organisations fit", l->count);
    if (r->left_out)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; %zu points left out: no room", r->left_out);
    for (size_t i = 0; i < sizeof properties / sizeof properties[0] && (number || level == 0); i++) {
        if (!properties[i].name)
            continue;
        struct finding f = {.name = properties[i].name, .value = NAN, .low = NAN, .high = NAN, .grade = 'U'};
        if (number) {
            f.variants[0].key = "level";
            f.variants[0].number = number;
        }
        f.method = r->any_replacement ? "simulated buffers of any replacement that explain the cost of branch sequences"
                                      : "simulated LRU buffers that explain the cost of branch sequences";
        f.agreement = text;
        if (properties[i].same && number) {
            f.value = properties[i].value;
            /* a chain that fills a single set is disturbed by each other branch of a reading: it may have a way more */
            if (i == 0 && (o->ways_end > o->ways + 1 || o->index.set_bits == 0)) {
                f.low = o->ways;
                f.high = o->ways_end + (o->index.set_bits == 0);
            }
            f.grade = r->limits_known && r->patterns > 1 && r->challenges == BTB_FIT_CHALLENGES ? 'B' : 'C';
        } else
            f.reason = undecided(r, l, number);
        report(p, &f);
    }
    if (l)
        send_survivors(p, l, number);
}

unsigned btb_report_number(struct probe *p, const char *entries, const struct btb_fit_level *l, unsigned levels)
{
    for (size_t i = 0; i < l->count && i < BTB_FIT_SHOWN; i++) {
        const struct btb_organisation *o = &l->shown[i];
        const double capacity = (double)o->ways * (double)((size_t)1 << o->index.set_bits) * o->per_entry;
        for (unsigned number = 1; number <= levels; number++) {
            char variants[40];
            snprintf(variants, sizeof variants, "level=%u branch=uncond", number);
            const double known = facts_number(&p->run->facts, entries, variants, 0);
            if (fabs(known - capacity) <= BTB_SAME_CAPACITY * capacity)
                return number;
        }
    }
    return 0;
}
