/* There is no machine: what reports is linked in beside what decides, and nobody may call it. */
#include <stdlib.h>

#include "lib/machine.h"

const struct machine_info *machine_info(void)
{
    abort();
}

double machine_seconds(void)
{
    abort();
}

void machine_print(const char *text)
{
    (void)text;
    abort();
}

void machine_print_strong(const char *text)
{
    (void)text;
    abort();
}
