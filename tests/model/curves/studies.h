/* Runs studies, and adds up the grades of what the engine decided from each. */
#ifndef FATHOM_TESTS_MODEL_CURVES_STUDIES_H
#define FATHOM_TESTS_MODEL_CURVES_STUDIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRADES = 4 };
extern const char grades[GRADES + 1]; /* "ABCU" */

/* How many studies had which grade. */
struct grading {
    size_t sound[GRADES];                /* studies that deserve an A */
    size_t right[GRADES], wrong[GRADES]; /* of all; U is neither */
    size_t unmisled[GRADES];             /* wrong, though no experiment was misled */
    size_t absent[GRADES];               /* of structures that do not exist */
    size_t phantoms;                     /* numbers for those, though no experiment was misled */
};

/*
 * Runs the study of that seed and number. A wrong grade A, or a number for what does not exist, is printed with both,
 * the first few times by *shown; `show` prints all of the study.
 */
void run_study(struct grading *a, size_t *shown, uint64_t seed, uint64_t number, bool show);

#endif
