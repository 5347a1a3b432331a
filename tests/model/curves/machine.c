/* There is no machine. The functions that report are linked in with those that decide, and must not be called. */
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
