/*
 * Reasons: why a curve or a finding is undecided, or what there is to say of a number in the instruction table, and
 * what a person can do about it. lib/base/reasons.def lists them.
 */
#ifndef FATHOM_LIB_BASE_REASON_H
#define FATHOM_LIB_BASE_REASON_H

#include <stddef.h>

enum reason {
    REASON_NONE, /* it is decided */
#define REASON(constant, token, sentence, advice) REASON_##constant,
#include "lib/base/reasons.def"
#undef REASON
    REASONS
};

struct reason_text {
    const char *token;    /* as records have it: "no-knee"; "" of REASON_NONE */
    const char *sentence; /* for people, without a full stop */
    const char *advice;   /* what they can do about it, whole sentences */
};

/* The texts of each reason, indexed by enum reason. */
extern const struct reason_text reasons[REASONS];

/* A reason with what belongs to it: the name of the limit that masks a finding, or the platform's explanation. */
struct why {
    enum reason reason;
    const char *detail; /* NULL: there is none */
};

/* A reason without a detail. */
static inline struct why why_of(enum reason reason)
{
    return (struct why){reason, NULL};
}

/*
 * Turns the platform's explanation why it cannot do something into a reason with that text as its detail, which must
 * stay valid as long as the result. NULL, when it can, gives REASON_NONE.
 */
static inline struct why why_platform(const char *text)
{
    return (struct why){text ? REASON_PLATFORM : REASON_NONE, text};
}

#endif
