/* For fathom knee: what it prints. */
#ifndef FATHOM_BOOT_LINUX_KNEE_PRINT_H
#define FATHOM_BOOT_LINUX_KNEE_PRINT_H

#include "boot/linux/knee_table.h"
#include "lib/finding/grade.h"
#include "lib/knee/knee.h"

/* Grades the knee with the index `knee` of the verdict as a probe would if this curve were its only experiment. */
struct graded knee_result(const struct table *t, const struct verdict *v, size_t knee);
/*
 * Prints, for people, the curve, its levels and its knees. `points` are those that gather_points has made of the table.
 */
void knee_print(const struct table *t, const struct knee_point *points, const struct verdict *v);
/*
 * Writes the knees as records `finding` to standard output, after warnings about what was left out of the table; where
 * there is no knee, one finding that says why.
 */
void knee_record(const struct table *t, const struct verdict *v);

#endif
