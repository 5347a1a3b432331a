/*
 * Findings are matched by core, name and variants; two of the same name and variants, by order. Numbers with intervals
 * agree when at least one of the two lies in the other's interval, so that a coarse measurement does not contradict a
 * fine one; numbers without agree within a tolerance; texts and lists when they are the same.
 */
#include "boot/linux/diff_findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "boot/linux/diff_output.h"
#include "boot/linux/diff_run.h"
#include "lib/base/record.h"

enum difference_kind { KIND_VALUE, KIND_DECIDED, KIND_GRADE, KIND_PRESENT, KIND_NONE };
static const char *const kind_names[] = {"value", "decided", "grade", "present"};
static const char *const kind_titles[] = {
    "Values that differ:",
    "Decided in only one of the runs:",
    "The same value with another grade:",
    "Reported in only one of the runs:",
};

static bool has_interval(const struct run_finding *f)
{
    return !isnan(f->low) && !isnan(f->high);
}

static bool inside(double x, const struct run_finding *f)
{
    return x == f->number || (x >= f->low && x < f->high);
}

static bool values_agree(const struct run_finding *a, const struct run_finding *b, double tolerance)
{
    if (a->text || b->text)
        return a->text == b->text && !strcmp(a->value, b->value);
    if (strcmp(a->unit, b->unit) != 0)
        return false;
    if (has_interval(a) || has_interval(b))
        return inside(a->number, b) || inside(b->number, a);
    return fabs(a->number - b->number) <= tolerance * fmax(fabs(a->number), fabs(b->number));
}

static enum difference_kind compare_findings(const struct run_finding *a, const struct run_finding *b, double tolerance)
{
    if (!a || !b)
        return KIND_PRESENT;
    if (a->grade == 'U' && b->grade == 'U')
        return KIND_NONE;
    if (a->grade == 'U' || b->grade == 'U')
        return KIND_DECIDED;
    if (!values_agree(a, b, tolerance))
        return KIND_VALUE;
    return a->grade != b->grade ? KIND_GRADE : KIND_NONE;
}

/* A finding as "48 [48, 49) A", or "no-knee U" where it is undecided. */
static void finding_text(const struct run_finding *f, char *out, size_t room)
{
    if (!f)
        snprintf(out, room, "-");
    else if (f->grade == 'U')
        snprintf(out, room, "%s U", f->reason);
    else if (has_interval(f))
        snprintf(out, room, "%s [%.8g, %.8g) %c", f->value, f->low, f->high, f->grade);
    else
        snprintf(out, room, "%s %c", f->value, f->grade);
}

static void record_of_run(struct record *r, const char *key, const struct run_finding *f)
{
    if (!f) {
        record_null(r, key);
        return;
    }
    record_object(r, key);
    record_written(r, "value", f->value);
    record_number(r, "low", f->low);
    record_number(r, "high", f->high);
    record_text(r, "grade", (const char[]){f->grade, 0});
    if (f->reason[0])
        record_text(r, "reason", f->reason);
    record_close(r);
}

static void report_finding(struct comparison *c, enum difference_kind kind, const struct run_finding *a,
                           const struct run_finding *b)
{
    const struct run_finding *any = a ? a : b;
    char where[32], text[SIDES][2 * VALUE_BYTES];

    core_text(c, any->core, any->type, where, sizeof where);
    if (c->json) {
        struct record r;
        record_start(&r, &c->writer, "difference");
        record_text(&r, "in", "finding");
        record_text(&r, "kind", kind_names[kind]);
        if (*where)
            record_text(&r, "core", where);
        record_text(&r, "name", any->name);
        record_text(&r, "unit", any->unit);
        record_of_run(&r, "a", a);
        record_of_run(&r, "b", b);
        record_send(&r);
        return;
    }
    finding_text(a, text[0], sizeof text[0]);
    finding_text(b, text[1], sizeof text[1]);
    printf("  %s%s%-56s %s  ->  %s  %s\n", where, *where ? " " : "", any->name, text[0], text[1],
           kind == KIND_PRESENT ? "" : any->unit);
}

/* The next finding that is the same as `wanted` and has not been matched yet. */
static struct run_finding *match(struct run_file *s, const struct run_finding *wanted)
{
    for (size_t i = 0; i < s->found_count; i++)
        if (!s->found[i].matched && same_finding(&s->found[i], wanted))
            return &s->found[i];
    return NULL;
}

/* Whether both runs measured that core. A core that one run lacks is one difference; its findings are not listed. */
static bool shared_core(const struct comparison *c, const struct run_finding *f)
{
    return find_core(&c->side[0], f->core, f->type) && find_core(&c->side[1], f->core, f->type);
}

void compare_all_findings(struct comparison *c)
{
    struct run_file *a = &c->side[0], *b = &c->side[1];

    for (enum difference_kind kind = 0; kind < (c->values_only ? KIND_DECIDED : KIND_NONE); kind++) {
        size_t reported = 0;
        for (size_t i = 0; i < b->found_count; i++)
            b->found[i].matched = false;
        for (size_t i = 0; i < a->found_count + b->found_count; i++) {
            const bool from_a = i < a->found_count;
            struct run_finding *x = from_a ? &a->found[i] : NULL,
                               *y = from_a ? match(b, x) : &b->found[i - a->found_count];
            if ((!from_a && y->matched) || !shared_core(c, from_a ? x : y))
                continue;
            if (y)
                y->matched = true;
            c->compared += kind == KIND_VALUE && x && y;
            if (compare_findings(x, y, c->tolerance) != kind)
                continue;
            if (reported++ == 0)
                heading(c, kind_titles[kind]);
            report_finding(c, kind, x, y);
        }
        c->findings += reported;
    }
    /* A core that one run lacks counts as one difference. */
    if (!c->values_only) {
        for (unsigned i = 0; i < SIDES; i++)
            for (const struct run_core *k = c->side[i].cores; k < c->side[i].cores + c->side[i].core_count; k++)
                c->findings += !find_core(&c->side[!i], k->order, k->type);
    }
}
