#include "lib/structure/form_draw.h"

#include <stdio.h>

#include "lib/base/random.h"
#include "lib/probe/progress.h"

enum {
    FORMS_FOR_PROGRESS = 16, /* forms between two messages */
    LINE = 160
};

struct form_draw form_draw_start(struct probe *p, size_t wanted)
{
    const char *named = p->run->config.forms;
    struct form_draw d = {.probe = p, .pattern = named[0] ? named : "*", .random = p->random};

    for (size_t i = 0; i < form_count; i++)
        d.left += form_matches(&forms[i], d.pattern);
    d.wanted = named[0] || wanted > d.left ? d.left : wanted;
    return d;
}

/* With n forms left and m still wanted, the next one is taken with probability m / n. */
const struct form *form_draw_next(struct form_draw *d)
{
    char line[LINE];

    while (d->wanted > 0 && d->next < form_count) {
        const struct form *f = &forms[d->next++];
        if (!form_matches(f, d->pattern) || random_below(&d->random, d->left--) >= d->wanted)
            continue;
        if (d->wanted % FORMS_FOR_PROGRESS == 0) {
            snprintf(line, sizeof line, "%s: %zu forms to go", d->probe->definition->name, d->wanted);
            progress_show(&d->probe->run->progress, line);
        }
        d->wanted--;
        return f;
    }
    return NULL;
}
