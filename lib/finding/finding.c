#include "lib/finding/finding.h"

#include <stdio.h>

#include "lib/finding/report.h"

bool finding_variants(char *out, size_t room, const struct finding *f)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key && used < room; i++) {
        const char *space = i ? " " : "";
        int n = f->variants[i].text
                    ? snprintf(out + used, room - used, "%s%s=%s", space, f->variants[i].key, f->variants[i].text)
                    : snprintf(out + used, room - used, "%s%s=%.0f", space, f->variants[i].key, f->variants[i].number);
        used += n > 0 ? (size_t)n : 0;
    }
    return used < room;
}
