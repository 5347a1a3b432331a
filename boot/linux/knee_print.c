#include "boot/linux/knee_print.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "boot/linux/plot.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/tolerances.h"
#include "lib/machine.h"

/*
 * Notes on the data that a reader needs to judge the result. Writes the next note from *at on, which is moved on; false
 * when there are no more.
 */
static bool next_note(const struct table *t, size_t *at, char *out, size_t room)
{
    char kinds[200];

    for (; *at < t->columns; ++*at) {
        const struct kinds *k = &t->kinds[*at];
        if (t->rows + t->empty > t->gather.count && k->count >= 2 && k->count <= KINDS_SHOWN) {
            table_list_kinds(kinds, sizeof kinds, k);
            bool chosen = false;
            for (size_t i = 0; i < t->arguments.where_count; i++)
                chosen |= t->arguments.where[i].index == *at;
            if (chosen)
                continue;
            snprintf(out, room,
                     "'%s' is %s: rows that differ in it were taken as repetitions of one measurement; --where selects",
                     t->names[*at], kinds);
            ++*at;
            return true;
        }
    }
    if (*at == t->columns) {
        ++*at;
        if (t->gather.width > 0) {
            snprintf(out, room,
                     "there are too many different x: those within %.2g %% of each other were merged to %zu points",
                     100 * t->gather.width, t->gather.count);
            return true;
        }
    }
    return false;
}

/*
 * An interval is a result if it is no wider than this many gaps between two x of the table, even where it is wider than
 * VAGUE_FACTOR. Chosen: it may begin half a gap before the last good x.
 */
static const double GAPS = 1.5;

/* The step that grade_capacity is to know for a knee at x, by which VAGUE_STEPS steps are GAPS gaps. */
static double step_at(const struct table *t, double x)
{
    const struct gather_bin *bins = t->gather.bins;
    size_t next = 1;

    while (next + 1 < t->gather.count && bins[next].from <= x)
        next++;
    return next < t->gather.count ? GAPS * (bins[next].from - bins[next - 1].from) / VAGUE_STEPS : 0;
}

struct graded knee_result(const struct table *t, const struct verdict *v, size_t knee)
{
    const struct experiment e = {.name = t->names[t->y], .confounder = "", .verdict = v, .knee = knee};
    struct graded r = grade_capacity(&e, 1, knee < v->count ? step_at(t, v->knees[knee].value) : 0);

    if (t->arguments.kind == KNEE_STAIRCASE && t->gather.width > 0) /* merging may have hidden steps */
        r = (struct graded){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_TOO_MANY_X};
    return r;
}

static const char *shape_of(const struct table *t, const struct knee *k)
{
    if (t->arguments.kind == KNEE_SLOPE)
        return "slope";
    if (t->arguments.kind == KNEE_STAIRCASE)
        return "staircase";
    return k->ramp ? "ramp" : k->fuzzy ? "fuzzy" : "step";
}

static void print_knee(const struct table *t, const struct verdict *v, size_t index)
{
    const struct graded r = knee_result(t, v, index);
    const char *axis = t->names[t->x];

    printf("%s: ", t->arguments.kind == KNEE_STAIRCASE ? "width of a step" : "knee");
    if (r.grade == 'U') /* the advice of a reason is about runs of this program */
        printf("undecided  grade U  %s: %s. More points, or each in several passes, may show more.\n",
               reasons[r.reason].token, reasons[r.reason].sentence);
    else
        printf("%s = %.10g  in [%.10g, %.10g)  grade %c\n", axis, r.value, r.low, r.high, r.grade);
    if (index >= v->count)
        return;
    const struct knee *k = &v->knees[index];
    printf("    %s, %s goes from %.6g to %.6g; ", shape_of(t, k), t->names[t->y], k->before, k->after);
    if (k->ramp || k->end > k->high)
        printf("rises until %.10g, half way at %.10g in [%.10g, %.10g); ", k->end, k->half_rise, k->half_rise_low,
               k->half_rise_high);
    if (k->fuzzy)
        printf("points of both levels mix there; ");
    if (k->doubtful)
        printf("the level before it may be two levels; ");
    printf("the second view of the curve %s\n", k->agreed ? "agrees" : "does not find it there");
}

void knee_print(const struct table *t, const struct knee_point *points, const struct verdict *v)
{
    char note[320];
    double marks[KNEES_MAXIMUM];

    printf("%s: %llu rows, x is %s, y is %s", t->source, (unsigned long long)t->rows, t->names[t->x], t->names[t->y]);
    for (size_t i = 0; i < t->arguments.where_count; i++)
        printf(", %s is %s", t->names[t->arguments.where[i].index], t->arguments.where[i].value);
    printf("\n%zu %s x from %.10g to %.10g\n", t->gather.count, t->gather.width > 0 ? "merged" : "different",
           t->gather.bins[0].from, t->gather.bins[t->gather.count - 1].to);
    if (t->others)
        printf("left out by --where: %llu\n", (unsigned long long)t->others);
    if (t->without)
        printf("left out without a number in %s: %llu\n", t->names[t->x], (unsigned long long)t->without);
    if (t->empty)
        printf("left out without a number in %s: %llu\n", t->names[t->y], (unsigned long long)t->empty);
    if (t->gather.ascending || t->gather.descending)
        printf("the rows are in the order of %s: a change over time cannot be distinguished from one over %s\n",
               t->names[t->x], t->names[t->x]);
    for (size_t at = 0; next_note(t, &at, note, sizeof note);)
        printf("note: %s\n", note);

    for (size_t i = 0; i < v->count; i++)
        marks[i] = v->knees[i].value;
    printf("\n");
    plot_print(stdout, points, t->gather.count, marks, t->arguments.kind == KNEE_STAIRCASE ? 0 : v->count);
    printf("\n");

    for (size_t i = 0; i < v->level_count; i++) {
        const struct knee_level *l = &v->levels[i];
        printf("level: %s %.10g to %.10g: %s is %.6g, within %.2g %%", t->names[t->x], l->from, l->to, t->names[t->y],
               l->height, 100 * l->spread);
        if (l->slope > 0 || l->slope < 0)
            printf(", and %s by %.3g %%", l->slope > 0 ? "grows" : "falls", 100 * fabs(l->slope));
        printf("\n");
    }
    for (size_t i = 0; i == 0 || i < v->count; i++)
        print_knee(t, v, i);
    if (!v->monotone && (t->arguments.kind == KNEE_STEP || t->arguments.kind == KNEE_JUMP))
        printf("%s also falls as %s grows, by more than the noise\n", t->names[t->y], t->names[t->x]);
}

/* ---- Records ----------------------------------------------------------------------------------- */

static bool print_line(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count;
}

/* One finding; where there is no knee of that index, a finding with the reason. */
static void record_knee(struct writer *w, const struct table *t, const struct verdict *v, size_t index)
{
    const struct arguments *a = &t->arguments;
    const struct graded f = knee_result(t, v, index);
    struct record r;

    record_start(&r, w, "finding");
    record_text(&r, "name", "knee");
    record_text(&r, "kind", knee_kind_names[a->kind]);
    record_text(&r, "axis", t->names[t->x]);
    record_text(&r, "of", t->names[t->y]);
    for (size_t i = 0; i < a->where_count; i++) {
        char key[NAME_BYTES + 8];
        snprintf(key, sizeof key, "where %s", t->names[a->where[i].index]);
        record_text(&r, key, a->where[i].value);
    }
    record_number(&r, "value", f.value);
    record_text(&r, "unit", "");
    record_number(&r, "low", f.low);
    record_number(&r, "high", f.high);
    record_text(&r, "grade", (const char[]){f.grade, 0});
    if (f.grade == 'U')
        record_text(&r, "reason", reasons[f.reason].token);
    record_text(&r, "method", "piecewise-linear segmentation, and a second view");
    record_array(&r, "curves");
    record_text(&r, NULL, t->source);
    record_close(&r);
    if (index < v->count) {
        const struct knee *k = &v->knees[index];
        record_text(&r, "shape", shape_of(t, k));
        record_boolean(&r, "agreed", k->agreed);
        record_boolean(&r, "doubtful", k->doubtful);
        record_number(&r, "before", k->before);
        record_number(&r, "after", k->after);
        if (k->ramp) {
            record_number(&r, "end", k->end);
            record_number(&r, "half", k->half_rise);
            record_number(&r, "half_low", k->half_rise_low);
            record_number(&r, "half_high", k->half_rise_high);
        }
    }
    record_integer(&r, "points", t->gather.count);
    record_number(&r, "sigma", v->sigma);
    record_send(&r);
}

void knee_record(const struct table *t, const struct verdict *v)
{
    struct writer w;
    char note[320];

    writer_start(&w);
    writer_add(&w, (struct sink){.name = "standard output", .context = stdout, .write = print_line});
    for (size_t at = 0; next_note(t, &at, note, sizeof note);)
        record_warning(&w, t->source, note);
    for (size_t i = 0; i == 0 || i < v->count; i++)
        record_knee(&w, t, v, i);
    writer_stop(&w);
}
