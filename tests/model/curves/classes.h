/* Curves by class of structure: each class has an axis, structures and a ground as one kind of experiment has them. */
#ifndef FATHOM_TESTS_MODEL_CURVES_CLASSES_H
#define FATHOM_TESTS_MODEL_CURVES_CLASSES_H

#include "tests/model/curves/trial.h"

/*
 * Draws axis and kind of the plan, structures and ground of the curve, as c->class has them. The base is there
 * already.
 */
void class_draw(struct trial *c, uint64_t *random);

#endif
