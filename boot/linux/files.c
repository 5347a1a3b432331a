#define _GNU_SOURCE
#include "boot/linux/files.h"

#include <string.h>

#include "boot/linux/simulated.h"

FILE *files_open(const char *path)
{
    return simulated() ? NULL : fopen(path, "re");
}

bool file_line(const char *path, char *out, size_t room)
{
    FILE *f = files_open(path);

    if (!f || !fgets(out, (int)room, f))
        out[0] = 0;
    if (f)
        fclose(f);
    out[strcspn(out, "\n")] = 0;
    return out[0] != 0;
}
