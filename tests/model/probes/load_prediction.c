/* The probe load_prediction: whether addresses and values of loads are predicted, of how many loads, after how many. */
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static void check_load_prediction(const struct machine_design *m)
{
    static const char name[] = "memory.load_prediction.reach", training[] = "memory.load_prediction.training";
    const struct load_predictor_design *addresses = &m->core.addresses, *values = &m->core.values;
    const struct {
        const char *kind;
        double truth, training; /* the first load repeats nothing yet; nor is the second one's stride a repetition */
    } kinds[] = {{"address-constant", addresses->loads, addresses->training + 1},
                 {"address-stride", addresses->strides ? addresses->loads : 0, addresses->training + 2},
                 {"value", values->loads, values->training + 1}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *f = finding_of(name, "kind", kinds[i].kind);
        if (finding_of(training, "kind", kinds[i].kind))
            check_capacity(m, training, "kind", kinds[i].kind, kinds[i].training);
        if (kinds[i].truth > 0)
            check_capacity(m, name, "kind", kinds[i].kind, kinds[i].truth);
        else if (is_decided(m, f, name, kinds[i].kind) && number(f, "value") > 0)
            complain(m, "%s %s: reported %g, and there is no such prediction", name, kinds[i].kind, number(f, "value"));
    }
}

/*
 * Prediction of addresses, of values, of both, or of neither. Where values are predicted, the probe cannot determine
 * whether constant addresses are, too.
 */
MODEL_TEST(predictions_of_loads_are_given_back, "load_prediction")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 16); cores++) {
        struct machine_design m = seed % 5 ? draw_machine(seed) : draw_noisy_machine(seed);
        if (seed & 1)
            m.core.addresses = (struct load_predictor_design){
                .loads = (unsigned)pick(8, 100), .strides = pick(0, 1), .training = (unsigned)pick(2, 16)};
        if (seed & 2)
            m.core.values = (struct load_predictor_design){.loads = (unsigned)pick(8, 100),
                                                           .training = (unsigned)pick(2, 16)};
        m.core.l1i = (struct cache_design){.bytes = 64 * KIB, .ways = 8}; /* for loads that are a line of code each */
        m.core.op_cache = (struct cache_design){0};
        run_probes_on(&m, "load_prediction", PROFILE_QUICK);
        check_load_prediction(&m);
    }
    /* where predictions save little of chains that are spread out, the two layouts disagree on the training */
    end(2 * cores, 2 * cores);
    decides(0, 3);
}
