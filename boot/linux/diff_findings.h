/* For fathom diff: what two runs found differently. */
#ifndef FATHOM_BOOT_LINUX_DIFF_FINDINGS_H
#define FATHOM_BOOT_LINUX_DIFF_FINDINGS_H

struct comparison;

/* Compares and writes; counts differences in c->findings. */
void compare_all_findings(struct comparison *c);

#endif
