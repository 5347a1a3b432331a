#include "lib/base/record.h"

void record_core(struct record *r)
{
    const struct machine_info *info = machine_info();

    record_integer(r, "core", info->core);
    if (info->core_type[0])
        record_text(r, "type", info->core_type);
}
