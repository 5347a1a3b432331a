/* For fathom knee: what it prints. */
#ifndef FATHOM_BOOT_LINUX_KNEE_PRINT_H
#define FATHOM_BOOT_LINUX_KNEE_PRINT_H

#include "boot/linux/knee_table.h"
#include "lib/finding/grade.h"
#include "lib/knee/knee.h"

/* What a probe that had made this experiment alone would report of a knee. */
struct graded knee_result(const struct table *t, const struct verdict *v, size_t knee);
/* Text for people: the curve, its levels and its knees. */
void knee_print(const struct table *t, const struct knee_point *points, const struct verdict *v);
/* The same as finding records; one that says why where there is no knee. */
void knee_record(const struct table *t, const struct verdict *v);

#endif
