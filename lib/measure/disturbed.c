/* In a file of its own: what reports findings asks for it, also in programs that measure nothing. */
#include "lib/measure/meter.h"

uint64_t meter_disturbed(const struct meter *m)
{
    return m->rejected_by[CAUSE_SHARED] + m->rejected_by[CAUSE_STOLEN];
}
