/* Operations of a form on the units of the core's map (lib/structure/ports.h), by what it was seen to ask for. */
#ifndef FATHOM_LIB_STRUCTURE_MODEL_OPS_H
#define FATHOM_LIB_STRUCTURE_MODEL_OPS_H

#include "lib/structure/form_demand.h"
#include "lib/structure/model_schedule.h"

/*
 * Sets the operations of the need: of each class's units as many as the form keeps busy, less those that can run on fewer
 * of these units alone. latency: cycles until the form's last result. Those that one form has are taken to be executed
 * one after the other, since it is not known which of them write what.
 */
void model_ops_set(const struct form_demands *d, const struct form_demand *f, double latency, struct schedule_need *n);

#endif
