/* Memory of a chosen node, and the cores that stand for nodes. */
#ifndef FATHOM_LIB_PROBE_NODES_H
#define FATHOM_LIB_PROBE_NODES_H

#include "lib/machine.h"

/*
 * Maps zeroed data of that node with the largest pages that can be had, no larger than the area. Returns NULL, or why
 * there is none.
 */
const char *nodes_map_large(struct area *a, size_t bytes, uint32_t node);
/*
 * Sets *core to a core of that node: the one in use, or else the first that can be used. False where it has none;
 * *why_not says why the first of its cores cannot be used, or is NULL where it has no cores.
 */
bool nodes_core(uint32_t node, unsigned *core, const char **why_not);

#endif
