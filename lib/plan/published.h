/*
 * Known values: what has been published about cores. They are shown beside what is measured and never influence it.
 */
#ifndef FATHOM_LIB_PLAN_PUBLISHED_H
#define FATHOM_LIB_PLAN_PUBLISHED_H

struct published_value {
    const char *core;    /* as in machine_info: "zen4" */
    const char *finding; /* stable name */
    const char *variant; /* as in the table for people, "level=1"; "" where there is none */
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

/* The first published value, or NULL; published_next gives further ones for the same finding, then NULL. */
const struct published_value *published_find(const char *core, const char *finding, const char *variant);
const struct published_value *published_next(const struct published_value *k);

/*
 * The known difference of a finding of value `value` (NaN where it is undecided) from what is published; NULL where
 * there is none.
 */
const struct published_difference *published_difference(const char *core, const char *finding, const char *variant,
                                                        double value);

#endif
