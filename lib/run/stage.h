/*
 * Stages: the steps of a run that a machine may not survive when it takes them for the first time, such as the first
 * window or the start of another core. Each is recorded, flushed and shown before it begins and lasts until the next
 * one, or the first probe, begins. So the last one on the volume and on the screen names what hung the machine, and
 * the next run on this machine leaves it out.
 */
#ifndef FATHOM_LIB_RUN_STAGE_H
#define FATHOM_LIB_RUN_STAGE_H

struct run;

/* To be called when there is a run: records the stages that began before, and from now on each stage when it begins. */
void stage_start(struct run *r);
/*
 * Begins the stage `name` on the core in use; `text` says for people what is done in it. `name` must stay valid until
 * the end of the run. NULL, or why the step must be left out: an earlier run of this machine ended within it, and
 * `retry` is not set, or the configuration's `omit` names it. The caller then does without it. Nothing is left out
 * before stage_start.
 */
const char *stage_begin(const char *name, const char *text);
/* Ends the last stage: from now on probes run. */
void stage_end(void);
/* Name of the stage that began last and was not left out; "start" before the first, "probes" after stage_end. */
const char *stage_now(void);

#endif
