/*
 * The bring-up page: one screen of text that says what a machine is, how its core was taken, and what the first windows
 * show. It is what somebody sends who starts fathom for the first time on a machine that nobody has tried.
 */
#ifndef FATHOM_LIB_RUN_BRINGUP_H
#define FATHOM_LIB_RUN_BRINGUP_H

#include "lib/probe/run_state.h"

/*
 * Whether this run makes the page: the configuration asks for it; or the configuration does not forbid it, and no
 * earlier run of this machine is known to have ended well. Without a volume no earlier run is known, so every boot
 * makes it: there a photograph of it is the only result.
 */
bool bringup_wanted(const struct run *r);
/*
 * Measures for about two seconds on the core in use, records the page and shows it; changes nothing on the core. To be
 * called after meter_start; `first` is how that ended. Where its windows did not run, the page says so, and nothing is
 * measured.
 */
void bringup_page(struct run *r, const struct window_result *first);

#endif
