/*
 * Known values: what has been published about cores. They are shown beside what is measured and never influence it.
 */
#ifndef FATHOM_LIB_PLAN_PUBLISHED_H
#define FATHOM_LIB_PLAN_PUBLISHED_H

/* One published value of a core. */
struct published_value {
    const char *core;    /* as in machine_info: "zen4" */
    const char *finding; /* its name: "memory.cache.bytes" */
    const char *variant; /* the finding's variants, "level=1"; "" where there are none */
    double value;
    double to; /* where a range is published, "11 to 18", its end, and `value` its begin; else 0 */
    const char *source;
};

/*
 * A known difference: this program finds something else than is published, or nothing, and what explains it.
 */
struct published_difference {
    const char *core;
    const char *finding;
    const char *variant;
    double from, to; /* what is found instead, both ends included; both 0 where it is left undecided */
    const char *why; /* the explanation, or what was tried */
};

/*
 * The first published value for a finding of that core, `variant` being the finding's variants, among which all words
 * of the value's variant must be; NULL: there is none.
 */
const struct published_value *published_find(const char *core, const char *finding, const char *variant);
/*
 * The published value after *k for the same core, finding and variant, which another source gives; NULL: there is none.
 */
const struct published_value *published_next(const struct published_value *k);

/*
 * The known difference between what is published and a finding of that core and variant with the value `value`, NaN
 * where it is undecided; NULL where none is known.
 */
const struct published_difference *published_difference(const char *core, const char *finding, const char *variant,
                                                        double value);

#endif
