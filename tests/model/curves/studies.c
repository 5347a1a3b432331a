#include "tests/model/curves/studies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "tests/model/curves/show.h"
#include "tests/model/curves/study.h"

enum { SHOWN = 12 };

const char grades[GRADES + 1] = "ABCU";

static void show_study(const struct study *s, const struct graded *f, const struct verdict *verdicts)
{
    printf("#   truth %g%s%s: grade %c, %g [%g, %g) %s, %s\n", s->truth, s->exists ? "" : " (does not exist)",
           s->sound ? ", sound" : "", f->grade, f->value, f->low, f->high, f->reason ? reasons[f->reason].token : "",
           f->agreement);
    for (size_t i = 0; i < s->count; i++) {
        const struct drawn_experiment *e = &s->experiments[i];
        printf("# experiment %zu, confounder %s%s, occupies %g, shows %g\n", i, e->confounder,
               e->misled ? ": misled" : "", e->occupied, e->shows);
        show_trial(&e->trial);
        show_verdict(&verdicts[i]);
        show_truth(&e->trial, e->trial.searched);
    }
}

void run_study(struct grading *a, size_t *shown, uint64_t seed, uint64_t number, bool show)
{
    struct study study;
    struct verdict verdicts[EXPERIMENTS];
    struct experiment experiments[EXPERIMENTS] = {{0}};
    bool misled = false;

    study_draw(&study, seed, number);
    for (size_t i = 0; i < study.count; i++) {
        struct drawn_experiment *e = &study.experiments[i];
        struct search search = e->trial.plan;
        struct sampled sampled = {.curve = &e->trial.curve, .plan = &e->trial.plan};
        search.sample = trial_sample;
        search.context = &sampled;
        if (!search_run(&search))
            abort();
        verdicts[i] = search.verdict;
        search_free(&search);
        misled |= e->misled && !isnan(e->shows);
        experiments[i] = (struct experiment){
            .name = "x", .confounder = e->confounder, .verdict = &verdicts[i], .holds = e->occupied};
    }
    struct graded f = grade_capacity(experiments, study.count, study.experiments[0].trial.plan.step);
    const char *at = strchr(grades, f.grade);
    if (!at)
        abort();
    size_t grade = (size_t)(at - grades);
    bool right = study.exists && f.low <= study.truth && study.truth < f.high;
    if (show)
        show_study(&study, &f, verdicts);
    a->sound[grade] += study.sound;
    a->absent[grade] += !study.exists;
    a->right[grade] += f.grade != 'U' && right;
    a->wrong[grade] += f.grade != 'U' && !right;
    a->unmisled[grade] += f.grade != 'U' && study.exists && !right && !misled;
    a->phantoms += f.grade != 'U' && !study.exists && !misled;
    if ((f.grade == 'A' && !right) || (f.grade != 'U' && !study.exists && !misled))
        if ((*shown)++ < SHOWN)
            fprintf(stderr, "# grade %c, wrong: CURVES_SEED=%llu CURVES_STUDY=%llu build/tests/model_curves\n", f.grade,
                    (unsigned long long)seed, (unsigned long long)number);
    study_free(&study);
}
