/* One execution of a form, alone, which shows whether the core has it (docs/METHODS.md, 6.9). */
#ifndef FATHOM_LIB_STRUCTURE_INSTRUCTION_ONCE_H
#define FATHOM_LIB_STRUCTURE_INSTRUCTION_ONCE_H

#include "arch/catalogue.h"
#include "lib/base/reason.h"
#include "lib/probe/probe.h"

struct instruction_once {
    bool is_absent;            /* the form is undefined on this core, and `why` says so … */
    struct why why;            /* … else why it cannot be measured; REASON_NONE: it can */
    uint8_t bytes[FORM_BYTES]; /* the machine code that was executed; zeros where none was */
};

/*
 * Executes the form once where a fault is caught. `data`: INSTRUCTION_DATA_BYTES (lib/structure/instruction_cost.h), of
 * which the content is of FORM_VALUES_ONE afterwards, but for what the form itself has stored.
 */
struct instruction_once instruction_execute_once(struct probe *p, const struct area *data, const struct form *f);

#endif
