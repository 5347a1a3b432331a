/* A window during which another core responds to the one in use. */
#include <stdio.h>

#include "boot/uefi/cores.h"
#include "boot/uefi/other_cores.h"
#include "lib/machine.h"
#include "lib/measure/responder.h"
#include "lib/run/stage.h"

/* Before a core is started for the first time as a responder: a stage of its own. NULL, or why it is left out. */
static const char *announce(unsigned other)
{
    static unsigned announced; /* the one that was started last; 0: none, since core 0 is the one in use */
    static char name[20];
    const char *why = NULL;

    if (other != announced) {
        snprintf(name, sizeof name, "responder-%u", other);
        why = stage_begin(name, "starts another core beside the one in use");
    }
    if (!why)
        announced = other;
    return why;
}

const char *machine_window_beside(const struct core_task *others, size_t count, struct reading *list, size_t readings,
                                  struct window_result *result)
{
    static struct responder asked; /* static, since a core that does not come back may still access it */
    const unsigned other = others[0].core;
    size_t cores_there;
    const struct machine_core *all = machine_cores(&cores_there);

    if (count != 1)
        return "the image starts one core at a time beside the one in use";
    if (other >= cores_there || other == machine_info()->core)
        return "there is no other core of that number";
    if (all[other].why_not)
        return all[other].why_not;
    if (cores_lost())
        return "a core that was used before could not be given back to the firmware";
    asked = (struct responder){.task = others[0].task};
    const char *why = announce(other);
    if (!why)
        why = others_begin(all[other].id, responder_run, &asked);
    if (why)
        return why;
    *result = machine_window(list, readings);
    asked.stop = true;
    cores_given_back(other, others_end(all[other].id));
    stage_end();
    return NULL;
}
