/*
 * Registers of the core as a Linux process can access them: model-specific ones through the msr module (/dev/cpu/N/msr,
 * msr(4)), which returns an error for an access that faults; CPUID by the instruction.
 */
#define _GNU_SOURCE
#include "boot/linux/registers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/access.h"
#include "arch/control.h"
#include "boot/linux/simulated.h"
#include "lib/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>

static bool read_register(void *context, uint32_t id, uint64_t *value)
{
    uint64_t read_value;

    if (pread(*(const int *)context, &read_value, sizeof read_value, id) != (ssize_t)sizeof read_value)
        return false;
    *value = read_value;
    return true;
}

static bool write_register(void *context, uint32_t id, uint64_t value)
{
    return pwrite(*(const int *)context, &value, sizeof value, id) == (ssize_t)sizeof value;
}

/* The process is pinned to the core in use, so the instruction describes that core. */
static void read_cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context;
    memset(out, 0, 4 * sizeof out[0]);
    if (__get_cpuid_max(leaf & 0x80000000, NULL) >= leaf)
        __cpuid_count(leaf, subleaf, out[0], out[1], out[2], out[3]);
}

static const char *open_registers(unsigned core, int *fd, struct access *a)
{
    static char why[128];
    char path[32];

    snprintf(path, sizeof path, "/dev/cpu/%u/msr", core);
    *fd = open(path, O_RDWR | O_CLOEXEC);
    if (*fd < 0) {
        snprintf(why, sizeof why, "%s: %s%s", path, strerror(errno),
                 errno == EACCES || errno == EPERM ? " (only root may)"
                 : errno == ENOENT                 ? " (the module is not loaded: modprobe msr)"
                                                   : "");
        return why;
    }
    *a = (struct access){.context = fd, .read = read_register, .write = write_register, .cpuid = read_cpuid};
    return NULL;
}
#else
static const char *open_registers(unsigned core, int *fd, struct access *a)
{
    (void)core, (void)fd, (void)a;
    return "on this instruction set, Linux does not let processes access system registers";
}
#endif

static struct control control;
static struct access accessible;
static const char *why = "the registers have not been opened yet";
static int fd = -1;
static unsigned of_core;

/* A signal that ends the program: the core gets its registers back first, by system calls, which handlers may make. */
static void put_back(int number)
{
    control_finish(&control);
    signal(number, SIG_DFL);
    raise(number);
}

static void put_back_on_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = put_back};

    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

struct control *machine_control(const char **why_not)
{
    if (fd < 0 || of_core != machine_info()->core) {
        if (fd >= 0)
            close(fd);
        of_core = machine_info()->core;
        why = simulated() ? "the profile simulated reads no files" : open_registers(of_core, &fd, &accessible);
        if (!why) {
            control_start(&control, &accessible);
            put_back_on_signals();
        }
    }
    *why_not = why;
    return why ? NULL : &control;
}

void registers_disturbance(struct disturbance *out)
{
    *out = (struct disturbance){0};
    if (!why && of_core == machine_info()->core)
        control_disturbance(&accessible, out);
}
