/*
 * Stages: the steps of a run that a machine may not survive when it takes them for the first time, such as the first
 * window or the start of another core. Each is recorded, flushed and shown before it begins and lasts until the next
 * one, or the first probe, begins. So the last one on the volume and on the screen names what hung the machine, and
 * the next run on this machine leaves it out.
 */
#ifndef FATHOM_LIB_RUN_STAGE_H
#define FATHOM_LIB_RUN_STAGE_H

struct run;

/* The stages that began before, when there was no run yet, are recorded now; the others when they begin. */
void stage_start(struct run *r);
/*
 * Begins a stage on the core in use; `text` says for people what is done. Both stay valid until the end of the run.
 * NULL, or why it must be left out: an earlier run of this machine ended within it.
 */
const char *stage_begin(const char *name, const char *text);
/* Ends the last stage: from now on probes run. */
void stage_end(void);
/* The stage that has begun; "probes" behind the last one, "start" before the first. */
const char *stage_now(void);

#endif
