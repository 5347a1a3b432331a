#include <stddef.h>
#include <stdio.h>

#include "boot/linux/areas.h"
#include "boot/linux/simulated.h"
#include "lib/base/record.h"

void simulated_warn(struct writer *w)
{
    static const char *const without[][2] = {
        {"signals", "the profile simulated sets no signal handlers: a kernel that faults ends the program"},
        {"deadline", "the profile simulated sets no timer: a kernel that hangs is not ended"},
        {"cores", "the profile simulated sets no affinity: the core in use is the one that the program started on"},
        {"files", "the profile simulated reads no files: what is declared comes from registers of the core alone"},
    };
    static bool said, said_memory;

    for (size_t i = 0; simulated() && !said && i < sizeof without / sizeof without[0]; i++)
        record_warning(w, without[i][0], without[i][1]);
    said = true;
    const char *why = areas_code_at_one_address();
    if (why && !said_memory) {
        char text[256];
        snprintf(text, sizeof text,
                 "%s: code lies in memory that is writable and executable, and no experiment can choose its frames",
                 why);
        record_warning(w, "memory", text);
    }
    said_memory = why;
}
