#define _GNU_SOURCE
#include "boot/linux/files.h"

#include <stdlib.h>
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

bool file_list_has(const char *list, unsigned long number)
{
    while (*list) {
        char *end;
        const unsigned long from = strtoul(list, &end, 10);
        unsigned long to = from;
        if (end == list)
            return false;
        if (*end == '-')
            to = strtoul(end + 1, &end, 10);
        if (number >= from && number <= to)
            return true;
        list = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return false;
}
