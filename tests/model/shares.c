/* What was decided about cores outside of all draws: a table by structure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/emit.h"
#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/outside.h"
#include "tests/model/test.h"

enum { ROWS = 64, GRADES = 4 };

static struct row {
    char name[64];
    unsigned graded[GRADES]; /* A, B, C, U */
    unsigned absent;         /* not reported at all */
    unsigned vague, wrong;   /* C that is wrong; A or B that is */
} rows[ROWS];
static size_t row_count;

void shares_start(void)
{
    memset(rows, 0, sizeof rows);
    row_count = 0;
}

static struct row *row_of(const char *name)
{
    for (size_t i = 0; i < row_count; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    if (row_count == ROWS)
        abort();
    snprintf(rows[row_count].name, sizeof rows[row_count].name, "%s", name);
    return &rows[row_count++];
}

/* Counts it by its grade. 0 where it is undecided or not reported. */
static char grade_of(const struct machine_design *m, struct row *r, const char *f, const char *variant)
{
    const char *grade = f ? record_value(f, "grade", 2) : NULL, *at = grade ? strchr("ABCU", grade[0]) : NULL;

    if (!at) {
        r->absent++;
        return 0;
    }
    r->graded[at - (char *)strchr("ABCU", 'A')]++;
    if (*at == 'U' && !isnan(number(f, "value")))
        complain(m, "%s %s: undecided, but has a number", r->name, variant ? variant : "");
    return *at == 'U' ? 0 : *at;
}

static void judge(const struct machine_design *m, struct row *r, char grade, bool right, const char *f,
                  const char *variant, const char *truth)
{
    if (right)
        return;
    *(grade == 'C' ? &r->vague : &r->wrong) += 1;
    if (grade != 'C' || getenv("MODEL_SHOWS"))
        fprintf(stderr, "# %s, seed %llu: %s %s: %c says %.24s, [%g, %g], true is %s\n", emit_isa,
                (unsigned long long)m->seed, r->name, variant ? variant : "", grade, record_value(f, "value", 2),
                number(f, "low"), number(f, "high"), truth);
}

static void share_finding(const struct machine_design *m, struct row *r, const char *f, const char *variant,
                          double truth, double most)
{
    const double near = 0.03;
    const char grade = grade_of(m, r, f, variant);
    char text[32];

    if (!grade)
        return;
    const double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    const bool close = value >= truth - near * fabs(truth) && value <= most + near * fabs(most);
    const bool right = isnan(low) ? close : low <= most && truth <= high && (grade != 'A' || close);
    snprintf(text, sizeof text, "%g", truth);
    judge(m, r, grade, right, f, variant, text);
}

void share_number(const struct machine_design *m, const char *name, const char *key, const char *variant, double truth)
{
    share_between(m, name, key, variant, truth, truth);
}

void share_between(const struct machine_design *m, const char *name, const char *key, const char *variant, double least,
                   double most)
{
    share_finding(m, row_of(name), finding_of(name, key, variant), variant, least, most);
}

void share_one(const struct machine_design *m, const char *f, double truth)
{
    char name[64];

    snprintf(name, sizeof name, "%s", record_value(f, "name", 3));
    share_finding(m, row_of(name), f, NULL, truth, truth);
}

void share_text(const struct machine_design *m, const char *name, const char *key, const char *variant,
                const char *truth)
{
    struct row *r = row_of(name);
    const char *f = finding_of(name, key, variant);
    const char grade = grade_of(m, r, f, variant);

    if (grade)
        judge(m, r, grade, !strncmp(record_value(f, "value", 2), truth, strlen(truth)), f, variant, truth);
}

void share_nothing(const struct machine_design *m, const char *name, const char *key, const char *variant)
{
    struct row *r = row_of(name);
    const char *f = finding_of(name, key, variant);
    const char *grade = f ? record_value(f, "grade", 2) : NULL;

    if (grade && grade[0] != 'U')
        judge(m, r, grade_of(m, r, f, variant), false, f, variant, "that there is none");
}

void shares_end(double decided_at_least)
{
    unsigned decided = 0, all = 0, wrong = 0;

    print_message("# %-36s    A    B    C    U  absent  decided  wrong C  wrong A, B\n", emit_isa);
    for (size_t i = 0; i < row_count; i++) {
        const struct row *r = &rows[i];
        const unsigned good = r->graded[0] + r->graded[1] + r->graded[2], count = good + r->graded[3] + r->absent;
        if (!count)
            continue;
        print_message("# %-36s %4u %4u %4u %4u %7u %7.0f%% %8u %11u\n", r->name, r->graded[0], r->graded[1],
                      r->graded[2], r->graded[3], r->absent, count ? 100.0 * good / count : 0.0, r->vague, r->wrong);
        decided += good;
        all += count;
        wrong += r->wrong;
    }
    assert_int_equal(wrong + checked.wrong, 0);
    if (!getenv("MODEL_SEED"))
        assert_true(decided >= decided_at_least * all);
}
