/*
 * Classes of operations that need not wait in the same schedulers, with an instruction of each that can be made to
 * wait: those that every ISA has, and the forms that stand for units (arch/catalogue.h, form_units).
 */
#ifndef FATHOM_LIB_STRUCTURE_SCHEDULER_CLASSES_H
#define FATHOM_LIB_STRUCTURE_SCHEDULER_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/emit_fillers.h"

struct scheduler_class {
    const char *name; /* "int", "multiply" */
    struct emit_filler filler;
};

/*
 * Stores up to `room` classes of operations that read general registers, or, where `vector`, vector registers, and
 * which this core can execute. Returns how many.
 */
size_t scheduler_classes(bool vector, struct scheduler_class *to, size_t room);

#endif
