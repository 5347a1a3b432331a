/*
 * Measuring beside another core, which responds to this one's requests (lib/measure/responder.h).
 */
#ifndef FATHOM_LIB_PROBE_BESIDE_H
#define FATHOM_LIB_PROBE_BESIDE_H

#include "lib/measure/responder.h"
#include "lib/probe/probe.h"

/*
 * Runs the list in one window while core `other` does the task (machine_window_with_responder), and counts the window
 * and its readings for the probe. Returns NULL, or why that core cannot be used. *good becomes false where a fault or a
 * timeout has ended the probe.
 */
const char *probe_window_beside(struct probe *p, unsigned other, const struct responder_task *task,
                                struct reading *list, size_t count, struct window_result *result, bool *good);

#endif
