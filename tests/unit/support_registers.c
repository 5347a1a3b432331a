/* Registers in the support file: each once, faults marked, none written, and a group that hung is left out. */
/* link: boot/uefi/support_registers.c arch/x86_64/support.c arch/x86_64/cpu.c arch/x86_64/identify.c */
/* link: arch/x86_64/identify_caches.c arch/x86_64/identify_core_name.c arch/x86_64/identify_cpuid.c */
/* link: lib/probe/table.c lib/base/record.c lib/base/record_core.c lib/base/checksum.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/support.h"
#include "boot/uefi/support_registers.h"
#include "lib/machine.h"
#include "lib/run/stage.h"

static struct machine_info info;
static uint32_t vendor, signature;
static const char *hung; /* the stage that an earlier run never left */
static char stages[256], lines[32768];
static unsigned reads;

const struct machine_info *machine_info(void)
{
    return &info;
}

double machine_seconds(void)
{
    return 0;
}

const char *stage_begin(const char *name, const char *text)
{
    (void)text;
    strcat(strcat(stages, name), " ");
    return hung && !strcmp(hung, name) ? "it hung" : NULL;
}

/* Even numbers can be read, odd ones fault. */
static bool read_even(void *context, uint32_t id, uint64_t *value)
{
    (void)context;
    reads++;
    if (id % 2)
        return false;
    *value = UINT64_C(0x1000000000) + id;
    return true;
}

static bool write_nothing(void *context, uint32_t id, uint64_t value)
{
    (void)context, (void)value;
    fail_msg("register %x is written", id);
    return false;
}

static void cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context, (void)subleaf;
    memset(out, 0, 4 * sizeof out[0]);
    if (leaf == 0)
        out[1] = vendor;
    if (leaf == 1)
        out[0] = signature;
}

static const struct access access = {.read = read_even, .write = write_nothing, .cpuid = cpuid};

static bool keep(void *context, const char *bytes, size_t count)
{
    (void)context;
    assert_true(strlen(lines) + count < sizeof lines);
    strncat(lines, bytes, count);
    return true;
}

static void send(void (*what)(struct writer *w))
{
    struct writer w;

    stages[0] = lines[0] = 0;
    reads = 0;
    writer_start(&w);
    writer_add(&w, (struct sink){.name = "test", .write = keep});
    what(&w);
    writer_stop(&w);
}

static void groups(struct writer *w)
{
    support_send_groups(w, &access);
}

static void become(const char *name, uint32_t family_model)
{
    memcpy(&vendor, name, sizeof vendor);
    signature = family_model;
}

static void values_and_faults_are_told_apart(void **state)
{
    (void)state;
    become("Genu", 0x906ea);
    send(groups);
    assert_string_equal(stages, "support-common support-intel support-model ");
    assert_non_null(strstr(lines, "[\"IA32_TIME_STAMP_COUNTER\",\"0x10\",\"0x1000000010\"]"));
    assert_non_null(strstr(lines, "[\"IA32_APIC_BASE\",\"0x1b\",null]"));
    assert_non_null(strstr(lines, "[\"MSR_PLATFORM_INFO\",\"0xce\",\"0x10000000ce\"]"));
    assert_null(strstr(lines, "PStateCtl"));
}

static void each_vendor_has_its_own(void **state)
{
    (void)state;
    become("Auth", 0xa20f10);
    send(groups);
    assert_string_equal(stages, "support-common support-amd support-model ");
    assert_non_null(strstr(lines, "[\"PStateCtl\",\"0xc0010062\",\"0x10c0010062\"]"));
    assert_null(strstr(lines, "MSR_"));
    become("Genu", 0xf4a); /* NetBurst */
    send(groups);
    assert_string_equal(stages, "support-common ");
    become("Cent", 0x6fa);
    send(groups);
    assert_string_equal(stages, "support-common ");
}

static void a_group_that_hung_is_not_read(void **state)
{
    (void)state;
    become("Genu", 0x906ea);
    send(groups);
    const unsigned all = reads;
    hung = "support-intel";
    send(groups);
    hung = NULL;
    assert_true(reads > 0 && reads < all);
    assert_non_null(strstr(lines, "\"group\":\"support-intel\",\"columns\":[\"name\",\"id\",\"value\"],\"rows\":[],"
                                  "\"left_out\":\"it hung\""));
    assert_non_null(strstr(lines, "MSR_PLATFORM_INFO"));
}

/* No register is listed twice, and none that identifies one chip is listed at all. */
static void the_lists_are_sound(void **state)
{
    static const struct {
        const char *name;
        uint32_t signature;
    } cores[] = {{"Genu", 0x906ea}, {"Auth", 0xa20f10}};
    static const uint32_t of_one_chip[] = {0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53, 0xc00102f0, 0xc00102f1};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct support_group found[SUPPORT_GROUPS];
        uint32_t seen[256];
        size_t count = 0;

        become(cores[i].name, cores[i].signature);
        const size_t of = support_groups(&access, found);
        assert_true(of <= SUPPORT_GROUPS);
        for (size_t g = 0; g < of; g++) {
            for (size_t k = 0; k < found[g].count; k++) {
                for (size_t j = 0; j < count; j++)
                    assert_int_not_equal(seen[j], found[g].list[k].id);
                for (size_t j = 0; j < sizeof of_one_chip / sizeof of_one_chip[0]; j++)
                    assert_int_not_equal(of_one_chip[j], found[g].list[k].id);
                seen[count++] = found[g].list[k].id;
            }
        }
        assert_true(count > 40);
    }
}

static struct control control;

static void switches(struct writer *w)
{
    support_send_switches(w, &control);
}

static void switches_are_read_once_each_where_they_can_be(void **state)
{
    (void)state;
    control = (struct control){.switch_count = 4};
    control.changes.access = &access;
    control.switches[0] = (struct control_switch){.register_name = "FIRST", .id = 0x1a4};
    control.switches[1] = (struct control_switch){.register_name = "FIRST", .id = 0x1a4};
    control.switches[2] = (struct control_switch){.register_name = "TRAPS", .id = 0x200, .why_not = "it traps"};
    control.switches[3] = (struct control_switch){.register_name = "LAST", .id = 0x300};
    send(switches);
    assert_int_equal(reads, 2);
    assert_non_null(
        strstr(lines, "\"rows\":[[\"FIRST\",\"0x1a4\",\"0x10000001a4\"],[\"LAST\",\"0x300\",\"0x1000000300\"]]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_faults_are_told_apart),
        cmocka_unit_test(each_vendor_has_its_own),
        cmocka_unit_test(a_group_that_hung_is_not_read),
        cmocka_unit_test(the_lists_are_sound),
        cmocka_unit_test(switches_are_read_once_each_where_they_can_be),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
