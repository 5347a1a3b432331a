/* Counters through perf_event_open, on a kernel that is modelled: what there is, what is refused, what moves away. */
/* link: boot/linux/files.c boot/linux/simulated.c arch/counters.c arch/NATIVE/reader.S lib/counters/events.c lib/counters/events/intel.c lib/counters/events/intel_names.c lib/counters/events/amd.c lib/counters/events/arm.c lib/counters/events/apple.c build/events/x86_64.c build/events/aarch64.c */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>

static long model_open(long number, struct perf_event_attr *a, int pid, int cpu, int leader, unsigned long flags);
static int model_ioctl(int fd, unsigned long request, long argument);
static void *model_mmap(void *at, size_t bytes, int protection, int flags, int fd, long offset);
static int model_munmap(void *at, size_t bytes);
static ssize_t model_read(int fd, void *out, size_t bytes);
static int model_close(int fd);

#define syscall model_open
#define ioctl model_ioctl
#define mmap model_mmap
#define munmap model_munmap
#define read model_read
#define close model_close
#include "boot/linux/perf.c" /* NOLINT(bugprone-suspicious-include) */
#undef syscall
#undef ioctl
#undef mmap
#undef munmap
#undef read
#undef close

#include "arch/counters_private.h"

/* Programming is not this test's. */
const struct counter_driver *counter_driver(const struct counters *have)
{
    (void)have;
    return NULL;
}

/* ---- The kernel ---------------------------------------------------------------------------------- */

enum { FDS = 64, FIRST_FD = 1000 };

static struct {
    unsigned general; /* counters there are */
    int error;        /* of every open */
    bool unreadable;  /* by instructions of a process */
    bool busy;        /* others have the counters */
    uint64_t counts;
    uint32_t time_mult; /* of the time stamp; 0: the kernel does not convert it for processes */
    uint16_t time_shift;
    struct {
        bool open, mapped;
        int leader;
        struct perf_event_attr attr;
        struct perf_event_mmap_page page;
    } fd[FDS];
} kernel;

static unsigned group_size(int leader)
{
    unsigned n = 0;

    for (int i = 0; i < FDS; i++)
        n += kernel.fd[i].open && kernel.fd[i].leader == leader;
    return n;
}

static long model_open(long number, struct perf_event_attr *a, int pid, int cpu, int leader, unsigned long flags)
{
    assert_int_equal(number, SYS_perf_event_open);
    assert_int_equal(pid, 0);
    assert_int_equal(cpu, -1);
    assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
    assert_int_equal(a->size, sizeof *a);
    assert_true(a->exclude_kernel && a->exclude_hv);
    if (kernel.error || (leader >= 0 && group_size(leader) >= kernel.general)) {
        errno = kernel.error ? kernel.error : EINVAL;
        return -1;
    }
    for (int i = 0; i < FDS; i++) {
        if (kernel.fd[i].open)
            continue;
        kernel.fd[i].open = true;
        kernel.fd[i].leader = leader < 0 ? FIRST_FD + i : leader;
        kernel.fd[i].attr = *a;
        return FIRST_FD + i;
    }
    fail_msg("descriptors are not closed");
    return -1;
}

static int model_ioctl(int fd, unsigned long request, long argument)
{
    (void)argument;
    assert_true(kernel.fd[fd - FIRST_FD].open);
    if (request == PERF_EVENT_IOC_ENABLE) /* the general counters from the top, as a kernel may */
        for (int i = 0, n = 0; i < FDS; i++)
            if (kernel.fd[i].open && kernel.fd[i].leader == fd)
                kernel.fd[i].page.index = kernel.busy ? 0 : kernel.general - (unsigned)n++;
    return 0;
}

static void *model_mmap(void *at, size_t bytes, int protection, int flags, int fd, long offset)
{
    (void)at, (void)bytes, (void)flags, (void)offset;
    assert_int_equal(protection, PROT_READ);
    kernel.fd[fd - FIRST_FD].mapped = true;
    kernel.fd[fd - FIRST_FD].page.cap_user_rdpmc = !kernel.unreadable;
    kernel.fd[fd - FIRST_FD].page.pmc_width = 48;
    kernel.fd[fd - FIRST_FD].page.cap_user_time = kernel.time_mult != 0;
    kernel.fd[fd - FIRST_FD].page.time_mult = kernel.time_mult;
    kernel.fd[fd - FIRST_FD].page.time_shift = kernel.time_shift;
    return &kernel.fd[fd - FIRST_FD].page;
}

static int model_munmap(void *at, size_t bytes)
{
    (void)bytes;
    for (int i = 0; i < FDS; i++)
        if (at == &kernel.fd[i].page)
            kernel.fd[i].mapped = false;
    return 0;
}

static ssize_t model_read(int fd, void *out, size_t bytes)
{
    const uint64_t values[3] = {kernel.counts, 10, kernel.busy ? 0 : 10};

    assert_true(kernel.fd[fd - FIRST_FD].open);
    assert_int_equal(bytes, sizeof values);
    memcpy(out, values, sizeof values);
    return sizeof values;
}

static int model_close(int fd)
{
    assert_true(kernel.fd[fd - FIRST_FD].open);
    assert_false(kernel.fd[fd - FIRST_FD].mapped);
    memset(&kernel.fd[fd - FIRST_FD], 0, sizeof kernel.fd[0]);
    return 0;
}

static unsigned opened(void)
{
    unsigned n = 0;

    for (int i = 0; i < FDS; i++)
        n += kernel.fd[i].open;
    return n;
}

static const struct perf_pmu intel = {.kind = COUNTERS_INTEL, .type = 4, .name = "cpu"};

static void start_kernel(unsigned general)
{
    stop();
    assert_int_equal(opened(), 0);
    memset(&kernel, 0, sizeof kernel);
    kernel.general = general;
    kernel.counts = 1000000;
}

/* ---- Tests ----------------------------------------------------------------------------------------- */

static void windows_find_each_counter_where_it_is(void **state)
{
    const struct counter_setting settings[] = {{.code = 0xc4}, {.code = 0x1c2}, {.slot = COUNTER_FIXED + 1}};
    struct reader_counts where;

    (void)state;
    start_kernel(4);
    assert_null(perf_windows_count(&intel, settings, 3));
    assert_true(perf_windows_index(&where));
    assert_int_equal(where.count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(where.index[i], 3 - i);
    assert_int_equal(kernel.fd[1].attr.config, 0x1c2);
    assert_int_equal(kernel.fd[2].attr.config, 0x3c); /* cycles, by the general event that the kernel knows */
    assert_true(kernel.fd[0].attr.pinned && !kernel.fd[0].attr.inherit && kernel.fd[1].leader == FIRST_FD);
    assert_true(perf_windows_kept());
    kernel.fd[1].page.lock++; /* the kernel touched it */
    assert_false(perf_windows_kept());
    assert_true(perf_windows_index(&where));
    assert_true(perf_windows_kept());
    kernel.fd[2].page.index = 0; /* and took it away */
    assert_false(perf_windows_index(&where));
    assert_null(perf_windows_count(&intel, NULL, 0));
    assert_int_equal(opened(), 0);
}

static void what_is_refused_leaves_nothing_open(void **state)
{
    const struct counter_setting settings[READER_COUNTS + 1] = {{.code = 0xc4}, {.code = 0xc5}, {.code = 0xc6}};
    struct perf_pmu none = {.why = "none"};

    (void)state;
    start_kernel(2);
    assert_non_null(strstr(perf_windows_count(&intel, settings, 3), "too few counters"));
    assert_int_equal(opened(), 0);
    kernel.unreadable = true;
    assert_non_null(strstr(perf_windows_count(&intel, settings, 2), "perf_user_access"));
    assert_int_equal(opened(), 0);
    kernel.unreadable = false;
    kernel.busy = true;
    assert_non_null(strstr(perf_windows_count(&intel, settings, 2), "no counter free"));
    assert_int_equal(opened(), 0);
    assert_non_null(perf_windows_count(&intel, settings, READER_COUNTS + 1));
    assert_string_equal(perf_windows_count(&none, settings, 1), "none");
    assert_int_equal(opened(), 0);
}

static void as_many_as_the_kernel_gives_are_there(void **state)
{
    struct counter_proof rows[COUNTER_SLOTS];
    struct counters have;

    (void)state;
    start_kernel(7); /* one of golden-cove's eight is a watchdog's */
    perf_counters(&intel, "golden-cove", &have);
    assert_null(have.why_not);
    assert_int_equal(have.slots & 0xffffffff, 0x7f);
    assert_int_equal(have.slots >> COUNTER_FIXED & 0x7, 0x7);
    assert_int_equal(have.bits, 48);
    assert_int_equal(perf_proof(&have, rows, COUNTER_SLOTS), __builtin_popcountll(have.slots));
    assert_true(rows[0].counts == COUNTS_INSTRUCTIONS && rows[0].setting.code == 0xc0);
    perf_counters(&intel, "a core nobody knows", &have);
    assert_int_equal(have.slots, 0x7f);
    kernel.unreadable = true;
    perf_counters(&intel, "golden-cove", &have);
    assert_non_null(strstr(have.why_not, "rdpmc"));
    assert_int_equal(perf_proof(&have, rows, COUNTER_SLOTS), 0);
    assert_int_equal(opened(), 0);
}

static void reasons_name_what_to_do(void **state)
{
    char why[200];

    (void)state;
    perf_explain(EACCES, why, sizeof why);
    assert_non_null(strstr(why, "perf_event_paranoid"));
    perf_explain(ENOENT, why, sizeof why);
    assert_non_null(strstr(why, "does not offer"));
    perf_explain(EMFILE, why, sizeof why);
    assert_non_null(strstr(why, "perf_event_open: "));
}

static void counters_of_a_command_start_at_its_exec(void **state)
{
    const struct counter_setting setting = {.code = 0x1b7, .extra = 0x1a6, .extra_value = 0x10001};

    (void)state;
    start_kernel(4);
    int fd = perf_open(&intel, &setting, -1, true);
    const struct perf_event_attr *a = &kernel.fd[fd - FIRST_FD].attr;
    assert_true(a->inherit && a->enable_on_exec && a->disabled && a->pinned);
    assert_int_equal(a->config, 0x1b7);
    assert_int_equal(a->config1, 0x10001);
    model_close(fd);
}

/* An event that counts nothing has the factor, so that no counter of the core is needed. */
static void the_kernels_rate_of_the_time_stamp_is_read(void **state)
{
    (void)state;
    start_kernel(0);
    assert_true(perf_clock_hz() == 0);
    kernel.time_mult = 1u << 30; /* half a nanosecond a tick */
    kernel.time_shift = 31;
    assert_true(perf_clock_hz() == 2e9);
    kernel.time_mult = 16;
    kernel.time_shift = 0; /* 62.5 MHz */
    assert_true(perf_clock_hz() == 62.5e6);
    kernel.error = EACCES;
    assert_true(perf_clock_hz() == 0);
    kernel.error = 0;
    assert_int_equal(opened(), 0);
}

static void lists_of_cores_are_read(void **state)
{
    (void)state;
    assert_true(file_list_has("0-3,8", 2) && file_list_has("0-3,8", 8) && file_list_has("5", 5));
    assert_false(file_list_has("0-3,8", 4) || file_list_has("", 0) || file_list_has("x", 0) || file_list_has("1;2", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_find_each_counter_where_it_is),
        cmocka_unit_test(what_is_refused_leaves_nothing_open),
        cmocka_unit_test(as_many_as_the_kernel_gives_are_there),
        cmocka_unit_test(reasons_name_what_to_do),
        cmocka_unit_test(counters_of_a_command_start_at_its_exec),
        cmocka_unit_test(the_kernels_rate_of_the_time_stamp_is_read),
        cmocka_unit_test(lists_of_cores_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
