/* The probe prefetch, by what loads of its patterns take: what prefetchers save, and what their switches change. */
/* link: probes/memory/prefetch.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding/report.h"
#include "lib/kernels/patterns.h"
#include "lib/probe/table.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core whose switch changes loads in ascending order ------------------------------------------------ */

static struct {
    double scattered;  /* cycles per load in random order */
    double forward[2]; /* and in ascending order, in either layout */
    double off;        /* more cycles in ascending order where the switch is off */
    double drift;      /* more cycles behind all switches */
} core;
static enum pattern pattern;
static uint64_t layout;
static bool is_off, came_back;
static double saved_percent, effect; /* NaN: undecided, or none */

const struct pattern_description patterns[PATTERNS] = {{"scattered", PATTERN_SCATTERED}, {"forward", PATTERN_SCATTERED},
                                                       {"backward", PATTERN_BACKWARD},   {"stride", PATTERN_STRIDE},
                                                       {"adjacent", PATTERN_ADJACENT},   {"next", PATTERN_NEXT},
                                                       {"other", PATTERN_OTHER_PAGE},    {"page", PATTERN_NEXT_PAGE},
                                                       {"any", PATTERN_ANY_LINES},       {"region", PATTERN_REGION}};
static struct control control = {.switch_count = 1, .switches = {{.name = "stream"}}};

struct control *machine_control(const char **why_not)
{
    *why_not = NULL;
    return &control;
}

const char *control_switch(struct control *c, size_t number, bool off)
{
    (void)c;
    (void)number;
    is_off = off;
    return NULL;
}

const char *control_prefetch(struct control *c, const char *setting, char *text, size_t room)
{
    (void)c;
    (void)setting;
    (void)text;
    (void)room;
    return "not all at once";
}

bool changes_restore(struct changes *c, size_t mark)
{
    (void)c;
    (void)mark;
    is_off = false;
    came_back = true;
    return true;
}

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.memory_bytes = UINT64_C(1) << 33};

    return &info;
}

double machine_seconds(void)
{
    return 0;
}

void machine_progress(const char *text)
{
    (void)text;
}

bool pattern_map(struct probe *p, struct pattern_lines *w, uint32_t lines)
{
    (void)p;
    (void)lines;
    *w = (struct pattern_lines){.line = NULL};
    return true;
}

void pattern_order(struct pattern_lines *w, enum pattern which, uint32_t lines, uint64_t *random)
{
    (void)w;
    (void)lines;
    pattern = which;
    layout = *random - 1;
}

bool pattern_kernel(struct probe *p, const struct pattern_lines *w, uint32_t lines, struct kernel *k)
{
    (void)p;
    (void)w;
    (void)lines;
    (void)k;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    out->q20 = pattern == PATTERN_FORWARD ? core.forward[layout] : core.scattered;
    out->q20 += pattern != PATTERN_FORWARD ? 0 : is_off ? core.off : came_back ? core.drift : 0;
    out->ns = out->q20;
    return true;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    (void)reason;
    fail();
    return false;
}

void record_table(const struct probe *p, struct record *r, const char *table)
{
    static struct writer nowhere;

    (void)p;
    writer_start(&nowhere);
    record_start(r, &nowhere, table);
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    if (!strcmp(f->name, "memory.prefetch.saved_percent"))
        saved_percent = f->value;
    else if (f->variants[0].text && !strcmp(f->variants[0].text, "stream"))
        effect = f->value;
}

static void run_probe(void)
{
    struct run run = {.number = 0};
    struct probe probe = {.definition = __start_probes[0], .run = &run};

    is_off = came_back = false;
    saved_percent = effect = NAN;
    probe.definition->run(&probe);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* PERCENT_TOLERANCE: layouts that save 80 and 86 percent agree, those that save 60 and 80 do not. */
static void layouts_agree_on_what_is_saved(void **state)
{
    (void)state;
    core.scattered = 100;
    core.forward[0] = 20;
    core.forward[1] = 14;
    run_probe();
    assert_true(fabs(saved_percent - 83) < 0.1);
    core.forward[1] = 40;
    run_probe();
    assert_true(isnan(saved_percent));
}

/* Cycles that the switch is reported to change of 20, where it changes `off` and the clock changes `drift`. */
static double effect_of(double off, double drift)
{
    core.scattered = 100;
    core.forward[0] = core.forward[1] = 20;
    core.off = off;
    core.drift = drift;
    run_probe();
    core.off = core.drift = 0;
    return effect;
}

/* CHANGE_FACTOR: a drift of two cycles may be twice as much at times, and never ten times. */
static void an_effect_is_larger_than_drift(void **state)
{
    (void)state;
    assert_true(isnan(effect_of(4, 2)));
    assert_true(effect_of(16, 2) > 14);
}

/* CHANGE_PART: a switch changes whole cycles: of 20 one is an effect, and a third of one is noise. */
static void an_effect_is_larger_than_noise(void **state)
{
    (void)state;
    assert_true(isnan(effect_of(1.0 / 3, 0)));
    assert_true(fabs(effect_of(1, 0) - 1) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_agree_on_what_is_saved),
        cmocka_unit_test(an_effect_is_larger_than_drift),
        cmocka_unit_test(an_effect_is_larger_than_noise),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
