/* Time as a Linux process gets it. */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

#include "boot/linux/simulated.h"
#include "lib/machine.h"

double machine_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *machine_idle(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    nanosleep(&t, NULL);
    return NULL;
}

void machine_date(char out[24])
{
    time_t now = time(NULL);
    struct tm utc;

    out[0] = 0;
    if (simulated()) /* it has no date, and gmtime_r reads the file of the time zone */
        return;
    gmtime_r(&now, &utc);
    strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
