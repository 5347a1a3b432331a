/*
 * The other cores of a modelled machine. They run only while they respond (lib/measure/responder.h), and take no time
 * but that of the lines that they get from each other: tests/unit/responder.c tests that the responder itself does
 * what is modelled here.
 */
#ifndef FATHOM_TESTS_MODEL_OTHERS_H
#define FATHOM_TESTS_MODEL_OTHERS_H

#include "lib/measure/responder.h"
#include "tests/model/coherence.h"
#include "tests/model/core.h"

void others_start(const struct coherence_design *design, struct core *core, size_t line_bytes);
void others_stop(void);
/* From now on the core `measuring` runs kernels, and `count` others do their tasks. Until others_end. */
void others_begin(const struct core_task *all, size_t count, unsigned measuring);
void others_end(void);

#endif
