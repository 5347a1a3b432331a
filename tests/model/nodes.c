/* Nodes of the modelled machine, as lib/machine.h has them. */
#include "tests/model/nodes.h"

#include "lib/machine.h"
#include "tests/model/core.h"

static const struct nodes_design *design;
static struct core *core;

void nodes_start(const struct nodes_design *nodes, struct core *measuring)
{
    design = nodes;
    core = measuring;
}

const struct machine_node *machine_nodes(size_t *count)
{
    static struct machine_node nodes[MODEL_NODES];

    *count = design ? design->count : 0;
    for (size_t i = 0; i < *count; i++)
        nodes[i] = (struct machine_node){design->id[i], design->no_memory[i] ? 0 : machine_info()->memory_bytes};
    return nodes;
}

bool machine_core_node(unsigned index, uint32_t *node)
{
    if (design)
        *node = design->id[node_of_modelled_core(design, index)];
    return design != NULL;
}

/* What is declared may be wrong: nothing that is decided may depend on it. */
struct machine_way machine_way(uint32_t from, uint32_t to)
{
    return (struct machine_way){.distance = from == to ? 10 : 11, .ns = 1, .bytes_per_ns = 1000};
}

const char *machine_map_node(struct area *a, size_t bytes, size_t page_bytes, uint32_t node)
{
    unsigned place = 0;

    while (place < design->count && design->id[place] != node)
        place++;
    if (place == design->count || design->no_memory[place])
        return "the modelled node has no memory";
    const char *why = machine_map(a, bytes, page_bytes, AREA_DATA);
    if (!why)
        core_of_node(core, a->at, place);
    return why;
}
