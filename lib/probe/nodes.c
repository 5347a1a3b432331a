#include "lib/probe/nodes.h"

const char *nodes_map_large(struct area *a, size_t bytes, uint32_t node)
{
    const size_t *sizes = machine_info()->page_bytes;
    size_t count = 0;

    while (count < sizeof machine_info()->page_bytes / sizeof sizes[0] && sizes[count])
        count++;
    for (size_t i = count; i-- > 1;)
        if (sizes[i] <= bytes && !machine_map_node(a, bytes, sizes[i], node))
            return NULL;
    return machine_map_node(a, bytes, sizes[0], node);
}

bool nodes_core(uint32_t node, unsigned *core, const char **why_not)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);
    uint32_t of;
    bool found = false;

    *why_not = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!machine_core_node(all[i].index, &of) || of != node)
            continue;
        if (all[i].why_not && !*why_not)
            *why_not = all[i].why_not;
        if (!all[i].why_not && (!found || all[i].index == machine_info()->core)) {
            *core = all[i].index;
            found = true;
        }
    }
    return found;
}
