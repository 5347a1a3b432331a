/*
 * Two levels, which may slope, and one rise between them: reorder buffer, queues.
 */
#ifndef FATHOM_LIB_ENGINE_WINDOW_H
#define FATHOM_LIB_ENGINE_WINDOW_H

#include <stdbool.h>

#include "lib/engine/curve.h"
#include "lib/engine/knee.h"

/* Its knee, the reason where there is none. False when memory is short. */
bool decide_window(const struct curve *c, struct verdict *out);

#endif
