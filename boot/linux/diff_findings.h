/* For fathom diff: what two runs found differently. */
#ifndef FATHOM_BOOT_LINUX_DIFF_FINDINGS_H
#define FATHOM_BOOT_LINUX_DIFF_FINDINGS_H

struct comparison;

/*
 * Compares the findings of the two runs, writes what differs, and counts it in c->findings; c->compared counts those
 * that both runs have.
 */
void compare_all_findings(struct comparison *c);

#endif
