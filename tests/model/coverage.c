/* Which probes are tested on modelled cores, and why the others are not. */
#include <stdio.h>
#include <string.h>

#include "lib/probe/probe.h"
#include "lib/run/plan.h"
#include "tests/model/test.h"

/*
 * kernels_touch_what_they_say runs these, too, but cannot check what they find. Probes marked `debug` are not listed:
 * they test the program, not a core.
 */
static const struct {
    const char *probe, *reason;
} unmodelled[] = {
    {"frequency", "the modelled clock is the same whether the core is idle or busy"},
    {"indirect", "the modelled core predicts the latest target of an indirect branch, whatever the history"},
    {"noise", "the modelled machine has no interrupts to mask"},
    {"parallel_walks", "modelled page walks do not wait for each other"},
    {"privileged", "modelled cores execute programs, which have no privileges; the booted image executes all of them"},
    {"prefetch", "the modelled core does not prefetch"},
    {"units", "modelled execution units are all alike, without ports of their own for any operation"},
};
enum { UNMODELLED = sizeof unmodelled / sizeof unmodelled[0] };

static bool names(const char *list, const char *probe)
{
    for (const char *word = list; *word; word += strspn(word, " ")) {
        if (strcspn(word, " ") == strlen(probe) && !strncmp(word, probe, strlen(probe)))
            return true;
        word += strcspn(word, " ");
    }
    return false;
}

static bool is_tested(const char *probe)
{
    for (const struct model_test *const *t = __start_model_tests; t < __stop_model_tests; t++)
        if (names((*t)->probes, probe))
            return true;
    return false;
}

static bool exists(const struct probe_definition *const *probes, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(probes[i]->name) == length && !strncmp(probes[i]->name, name, length))
            return true;
    return false;
}

MODEL_TEST(every_probe_has_a_modelled_core_or_a_reason, "")
{
    const struct probe_definition *probes[PLAN_PROBES];
    const size_t count = plan_probes(probes, PLAN_PROBES);
    unsigned wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const char *reason = NULL;
        for (size_t j = 0; j < UNMODELLED; j++)
            if (!strcmp(unmodelled[j].probe, probes[i]->name))
                reason = unmodelled[j].reason;
        const bool tested = is_tested(probes[i]->name);
        if (reason)
            fprintf(stderr, "# %s has no modelled core: %s\n", probes[i]->name, reason);
        if (probes[i]->only_named || tested != (reason != NULL))
            continue;
        fprintf(stderr, "# %s: %s\n", probes[i]->name,
                tested ? "tested, and listed as one that is not" : "neither tested nor listed with a reason");
        wrong++;
    }
    for (size_t j = 0; j < UNMODELLED; j++)
        if (!exists(probes, count, unmodelled[j].probe, strlen(unmodelled[j].probe))) {
            fprintf(stderr, "# %s is listed, and is no probe\n", unmodelled[j].probe);
            wrong++;
        }
    for (const struct model_test *const *t = __start_model_tests; t < __stop_model_tests; t++)
        for (const char *word = (*t)->probes; *word; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            if (!exists(probes, count, word, length)) {
                fprintf(stderr, "# %s tests %.*s, which is no probe\n", (*t)->name, (int)length, word);
                wrong++;
            }
            word += length;
        }
    assert_true(count > UNMODELLED);
    assert_int_equal(wrong, 0);
}
