/* `fathom list --forms`: which instruction forms can be measured, which are left out, and why. */
#include "boot/linux/forms.h"

#include <stdio.h>

#include "arch/catalogue.h"

static void print_operand(const struct form_operand *o, unsigned i)
{
    static const char *const accesses[] = {"", "reads", "writes", "changes"};

    if (o->kind != OPERAND_IMMEDIATE)
        printf("%s%s %u:%s", i ? ", " : "", accesses[o->access & (OPERAND_READ | OPERAND_WRITE)], i,
               operand_kind_names[o->kind]);
}

static void print_form(const struct form *f)
{
    printf("%-48s %-14s %-10s ", form_name(f), form_feature(f), form_class_names[f->class]);
    for (unsigned i = 0; i < f->operand_count; i++)
        print_operand(form_operand(f, i), i);
    printf("\n");
}

int list_forms(const char *pattern)
{
    size_t count = 0;

    for (size_t i = 0; i < form_count; i++)
        if (form_matches(&forms[i], pattern)) {
            print_form(&forms[i]);
            count++;
        }
    if (!count) {
        fprintf(stderr,
                "fathom: no form is named '%s'. A pattern is the whole name, in which * stands for any text, as in\n"
                "  fathom list --forms 'add *'\n",
                pattern);
        return 1;
    }
    if (count < form_count) {
        printf("%zu of %zu forms\n", count, form_count);
        return 0;
    }
    printf("%zu forms. Left out:\n", count);
    for (const struct form_left_out *l = forms_left_out; l->what; l++)
        printf("  %s: %s\n", l->what, l->why);
    return 0;
}
