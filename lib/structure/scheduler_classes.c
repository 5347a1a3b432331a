#include "lib/structure/scheduler_classes.h"

#include <string.h>

#include "arch/catalogue.h"
#include "lib/machine.h"

static const struct {
    const char *name, *filler;
} general[] = {{"int", "int64"}, {"flags", "flags"}, {"branch", "branch"}};

size_t scheduler_classes(bool vector, struct scheduler_class *to, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof general / sizeof general[0] && !vector && count < room; i++)
        to[count++] = (struct scheduler_class){general[i].name, *emit_filler_named(general[i].filler)};
    for (const struct form_unit *u = form_units; u->class && count < room; u++) {
        const struct emit_filler f = emit_filler_of_form(u->form, machine_info()->vector_bits);
        const bool is_other = (f.class == FILLER_VECTOR_FORM) != vector || !strcmp(u->class, "add"); /* "int" above */
        if (f.waits && form_unit_is_there(u) && !is_other && !(count && !strcmp(to[count - 1].name, u->class)))
            to[count++] = (struct scheduler_class){u->class, f};
    }
    return count;
}
