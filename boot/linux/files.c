#define _GNU_SOURCE
#include "boot/linux/files.h"

#include <stdio.h>
#include <string.h>

bool file_line(const char *path, char *out, size_t room)
{
    FILE *f = fopen(path, "re");

    if (!f || !fgets(out, (int)room, f))
        out[0] = 0;
    if (f)
        fclose(f);
    out[strcspn(out, "\n")] = 0;
    return out[0] != 0;
}
