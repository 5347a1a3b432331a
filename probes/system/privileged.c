/*
 * Privileged instructions: how long do they take?
 *
 * Reading and writing the register that holds the page tables, invalidating the translation of a page, loading the
 * table of interrupts, barriers and maintenance of caches, entering a handler and returning from it
 * (arch/emit_privileged.h): what an operating system executes at each switch between programs. The image runs at the
 * level at which they are allowed; a program under Linux does not. Nothing is changed: registers get the values they
 * have, and handlers only return.
 *
 * Experiment: a loop over n, 2n and 4n of the same sequence, each with the barriers that it needs. There is no curve.
 *
 * Inference: what the longer loop takes longer, divided by how many more there are: once from n and 2n, once from 2n
 * and 4n. Both have to agree.
 *
 * What could mislead: a hypervisor may execute some of them in the core's place, which takes thousands of cycles. The
 * way into a handler includes the way back; the way back alone is measured as well.
 *
 * Method: docs/METHODS.md, 8.9.
 */
#include <math.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/privileged.h"
#include "lib/probe/probe.h"

enum { SEQUENCES = 16, LENGTHS = 3, SAMPLES = 5 };

/* False: the probe has ended. */
static bool measure(struct probe *p, const struct emit_privileged *operation, uint64_t data)
{
    double cycles[LENGTHS];
    bool good = true;

    for (unsigned i = 0; i < LENGTHS && good; i++) {
        struct privileged_context context;
        const struct loop l = privileged_loop(&context, operation, SEQUENCES << i, data);
        good = sample_loop(p, SAMPLES, &l, &cycles[i]);
    }
    if (!good)
        return false;
    const struct experiment_value v[] = {
        {"n and 2n", "other programs", (cycles[1] - cycles[0]) / SEQUENCES},
        {"2n and 4n", "other programs", (cycles[2] - cycles[1]) / (2 * SEQUENCES)},
    };
    report_graded_number(p,
                         &(struct finding){.name = "system.privileged.cycles",
                                           .variants = {{"operation", operation->name}},
                                           .method = "loops over n, 2n and 4n of them"},
                         v, sizeof v / sizeof *v);
    return true;
}

static void run(struct probe *p)
{
    struct area data;

    if (!machine_info()->privileged) {
        probe_skip(p, "the measured code runs without privileges, and these instructions would fault");
        return;
    }
    if (!probe_map(p, &data, PRIVILEGED_DATA_BYTES, 0))
        return;
    for (const struct emit_privileged *o = emit_privileged_list; o->name; o++)
        if (!measure(p, o, data.at))
            return;
}

PROBE(privileged, .title = "Privileged instructions", .family = "system", .after = "clock", .run = run,
      .findings = FINDINGS({"system.privileged.cycles", "cycles",
                            "an instruction that keeps translations, caches or memory in order, with its barriers"}));
