/*
 * Measuring beside other cores, which respond to this one's requests (lib/measure/responder.h).
 */
#ifndef FATHOM_LIB_PROBE_BESIDE_H
#define FATHOM_LIB_PROBE_BESIDE_H

#include "lib/measure/responder.h"
#include "lib/probe/probe.h"

/*
 * Runs the list in one window while the other cores do their tasks (machine_window_beside), and counts the window and
 * its readings for the probe; there may be no others. Returns NULL, or why those cores cannot be used. *good becomes false where a fault or a
 * timeout has ended the probe.
 */
const char *probe_window_beside_all(struct probe *p, const struct core_task *others, size_t count, struct reading *list,
                                    size_t readings, struct window_result *result, bool *good);
/* The same with a single other core. */
const char *probe_window_beside(struct probe *p, unsigned other, const struct responder_task *task,
                                struct reading *list, size_t readings, struct window_result *result, bool *good);
/* Writes the cores that can be used beside the one in use, BESIDE_CORES at most, to `cores`. Returns their number. */
size_t cores_beside(unsigned cores[BESIDE_CORES]);

#endif
