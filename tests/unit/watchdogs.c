/*
 * Watchdogs on modelled chipsets and frames: they are found, run, and are put back as found; what is locked, in use or
 * broken is left alone. The models follow QEMU's devices (hw/acpi/ich9_tco.c, hw/watchdog/sbsa_gwdt.c) and count time.
 */
/* link: boot/uefi/tco.c boot/uefi/generic_watchdog.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/generic_watchdog.h"
#include "boot/uefi/tco.h"

/* ---- A chipset with a TCO timer --------------------------------------------------------------------------------- */

enum { HALT = 1 << 11, PORT = 0x660, NEW_PORT = 0x400 };
enum { RLD = 0, STS1 = 4, STS2 = 6, CNT = 8, TMR = 0x12 };
static const uint64_t GCS_AT = 0xfed1f410, SMBCTRL_AT = 0xfdc6000c;

static struct {
    uint32_t config[8][64];    /* of functions of device 31, in words of 4 bytes */
    uint16_t words[32];        /* the block, by offset */
    uint64_t no_reboot_at;     /* the register with NO_REBOOT; 0: it is bit 0 of TCO1_CNT */
    uint32_t memory, bit;      /* what that register holds; NO_REBOOT in it */
    unsigned base;             /* first port of the block */
    bool hidden, for_good;     /* the bridge P2SB; it cannot be shown */
    bool locked, stuck, still; /* NO_REBOOT cannot be cleared; TCO_TMR not written; the timer has never been started */
    double left;               /* seconds until the time runs out */
    unsigned timeouts;
    bool reset;
    unsigned writes;
} pc;

static bool no_reboot(void)
{
    return pc.no_reboot_at ? pc.memory & pc.bit : pc.words[CNT] & 1;
}

static void start_again(void)
{
    pc.left = 0.6 * (pc.words[TMR] & 0x3ff);
    pc.timeouts = 0;
    pc.still = false;
}

static void pass(double seconds)
{
    while (!(pc.words[CNT] & HALT) && !pc.still && !pc.reset && (pc.words[TMR] & 0x3ff) > 3) {
        if (pc.left > seconds) {
            pc.left -= seconds;
            return;
        }
        seconds -= pc.left;
        pc.left = 0.6 * (pc.words[TMR] & 0x3ff);
        pc.words[STS1] |= 1 << 3;
        if (++pc.timeouts == 2) {
            pc.words[STS2] |= 1 << 1;
            pc.timeouts = 0;
            pc.reset |= !no_reboot();
        }
    }
}

static uint32_t config(unsigned function, unsigned offset)
{
    return function == 1 && pc.hidden ? UINT32_MAX : pc.config[function][offset / 4];
}

static void put_config(unsigned function, unsigned offset, uint8_t value)
{
    assert_true(function == 1 && offset == 0xe1 && value <= 1);
    pc.hidden = pc.for_good || value;
}

static uint16_t in(uint16_t port)
{
    assert_in_range(port, pc.base, pc.base + 31);
    return port - pc.base == RLD ? (uint16_t)(pc.left / 0.6) : pc.words[port - pc.base];
}

static void out(uint16_t port, uint16_t value)
{
    const unsigned at = port - pc.base;

    assert_in_range(port, pc.base, pc.base + 31);
    pc.writes++;
    if (at == RLD) {
        start_again();
    } else if (at == STS1 || at == STS2) {
        pc.words[at] &= (uint16_t)~value;
    } else if (at == CNT) {
        assert_false(value & 1 << 8); /* NMI_NOW */
        if ((pc.words[CNT] & HALT) && !(value & HALT))
            pc.still = false;
        pc.words[CNT] = (uint16_t)(!pc.no_reboot_at && pc.locked ? value | 1 : value);
    } else if (at == TMR) {
        assert_true(pc.words[CNT] & HALT); /* it does not count while its time changes */
        pc.words[TMR] = pc.stuck ? pc.words[TMR] : value;
    } else {
        fail_msg("register %x is not its business", at);
    }
    /* An old timeout that is still noted would reset the machine as soon as it may be. */
    assert_false((pc.words[STS2] & 1 << 1) && !no_reboot());
}

static uint32_t read_memory(uint64_t address)
{
    assert_int_equal(address, pc.no_reboot_at);
    return pc.memory;
}

static void write_memory(uint64_t address, uint32_t value)
{
    assert_int_equal(address, pc.no_reboot_at);
    pc.writes++;
    assert_int_equal(value & ~pc.bit, pc.memory & ~pc.bit); /* the only bit that is its business */
    pc.memory = pc.locked ? pc.memory : value;
    assert_false((pc.words[STS2] & 1 << 1) && !no_reboot());
}

static void wait_ms(unsigned ms)
{
    pass(ms / 1e3);
}

static const struct tco_access access = {.config = config,
                                         .put_config = put_config,
                                         .in = in,
                                         .out = out,
                                         .read = read_memory,
                                         .write = write_memory,
                                         .wait_ms = wait_ms};

/* ICH9 as its firmware leaves it: the timer stands still, and NO_REBOOT is set. */
static void make_ich9(void)
{
    memset(&pc, 0, sizeof pc);
    pc.config[0][0] = 0x29188086;
    pc.config[0][0x40 / 4] = 0x601;
    pc.config[0][0x44 / 4] = 0x80;
    pc.config[0][0xf0 / 4] = 0xfed1c001;
    memset(pc.config[4], 0xff, sizeof pc.config[4]);
    pc.base = PORT;
    pc.no_reboot_at = GCS_AT;
    pc.memory = 0xc61;
    pc.bit = 1 << 5;
    pc.words[CNT] = HALT | 1 << 9 | 1 << 8;
    pc.words[TMR] = 0x8004;
}

/* A chipset of Cannon Lake and later. */
static void make_cannon_lake(void)
{
    memset(&pc, 0, sizeof pc);
    pc.config[0][0] = 0xa3058086;
    pc.config[4][0] = 0xa3238086;
    pc.config[4][0x50 / 4] = NEW_PORT | 1;
    pc.config[4][0x54 / 4] = 1 << 8;
    pc.base = NEW_PORT;
    pc.words[CNT] = HALT | 1;
    pc.words[TMR] = 4;
}

/* A chipset of Skylake, whose bridge to the sideband is hidden. */
static void make_sunrise_point(void)
{
    make_cannon_lake();
    pc.config[4][0] = 0xa1238086;
    pc.config[1][0] = 0xa1208086;
    pc.config[1][0x10 / 4] = 0xfd000004;
    pc.hidden = true;
    pc.words[CNT] = HALT;
    pc.no_reboot_at = SMBCTRL_AT;
    pc.memory = 0x102;
    pc.bit = 1 << 1;
}

static void (*const chipsets[])(void) = {make_ich9, make_cannon_lake, make_sunrise_point};
enum { CHIPSETS = 3 };

static void a_machine_that_hangs_is_reset(void **state)
{
    struct tco t;

    (void)state;
    for (size_t i = 0; i < CHIPSETS; i++) {
        chipsets[i]();
        const bool hidden = pc.hidden;
        assert_null(tco_find(&t, &access));
        assert_int_equal(pc.writes, 0);
        assert_true(pc.hidden == hidden);
        pass(1000);
        assert_null(tco_arm(&t, 10));
        for (unsigned j = 0; j < 100; j++) { /* refreshed in time, it never resets */
            pass(10);
            tco_refresh(&t);
        }
        assert_false(pc.reset);
        pass(19.9);
        assert_false(pc.reset);
        pass(2);
        assert_true(pc.reset);
    }
}

static void a_tco_is_put_back(void **state)
{
    struct tco t;

    (void)state;
    for (size_t i = 0; i < (size_t)2 * CHIPSETS; i++) {
        chipsets[i % CHIPSETS]();
        if (i >= CHIPSETS)
            pc.words[CNT] &= (uint16_t)~HALT; /* it runs, and cannot reset the machine */
        pass(100);                            /* and has noted that it ran out */
        const uint16_t control = pc.words[CNT] & (uint16_t) ~(1 << 8), timer = pc.words[TMR];
        const uint32_t memory = pc.memory;
        assert_null(tco_find(&t, &access));
        assert_null(tco_arm(&t, 600));
        struct watchdog_register list[4];
        const size_t count = tco_registers(&t, list, 4);
        assert_int_equal(count, pc.no_reboot_at ? 3 : 2);
        assert_int_equal(list[0].found & ~(1u << 8), control);
        assert_false(list[0].armed & HALT);
        assert_int_equal(list[1].found, timer);
        assert_int_equal(list[1].armed, (timer & 0x8000) | 1000);
        tco_disarm(&t);
        assert_int_equal(pc.words[CNT], control);
        assert_int_equal(pc.words[TMR], timer);
        assert_int_equal(pc.memory, memory);
        pass(2000);
        assert_false(pc.reset);
    }
}

static void a_lock_is_named(void **state)
{
    static const char *const registers[] = {"GCS at fed1f410: c61", "TCO1_CNT at port 408: 801",
                                            "SMBCTRL at fdc6000c: 102"};
    struct tco t;

    (void)state;
    for (size_t i = 0; i < CHIPSETS; i++) {
        chipsets[i]();
        pc.locked = true;
        const uint16_t control = pc.words[CNT] & (uint16_t) ~(1 << 8), timer = pc.words[TMR];
        assert_null(tco_find(&t, &access));
        const char *why = tco_arm(&t, 10);
        assert_non_null(why);
        assert_non_null(strstr(why, "cannot reset this machine"));
        assert_non_null(strstr(why, registers[i]));
        assert_int_equal(pc.words[CNT], control);
        assert_int_equal(pc.words[TMR], timer);
    }
}

static void a_watchdog_in_use_is_left_alone(void **state)
{
    struct tco t;

    (void)state;
    make_ich9();
    pc.words[CNT] = 0;
    pc.memory = 0;
    pc.words[TMR] = 100;
    start_again();
    assert_null(tco_find(&t, &access));
    assert_string_equal(tco_arm(&t, 10), "it counts down already: the firmware or the board uses it");
    assert_int_equal(pc.writes, 0);

    /* QEMU: it may reset the machine, does not halt, and stands still until it is first written to. */
    make_ich9();
    pc.words[CNT] = 0;
    pc.memory = 0;
    pc.words[TMR] = 100;
    pc.still = true;
    assert_null(tco_find(&t, &access));
    assert_null(tco_arm(&t, 10));
    tco_disarm(&t);
    pass(1000);
    assert_false(pc.reset);
}

static void what_does_not_work_is_said(void **state)
{
    struct tco t;

    (void)state;
    make_ich9();
    pc.stuck = true;
    assert_null(tco_find(&t, &access));
    assert_non_null(strstr(tco_arm(&t, 10), "do not keep what is written"));
    assert_true(pc.words[CNT] & HALT && no_reboot());
    assert_string_equal(tco_arm(&t, 614), "this watchdog takes 3 to 613 seconds");

    make_ich9();
    pc.config[0][0x44 / 4] = 0;
    assert_non_null(strstr(tco_find(&t, &access), "ACPI_CNTL"));
    make_ich9();
    pc.config[0][0x40 / 4] = 1;
    assert_non_null(strstr(tco_find(&t, &access), "ACPI_CNTL"));
    make_ich9();
    pc.config[0][0xf0 / 4] = 0xfed1c000;
    assert_non_null(strstr(tco_find(&t, &access), "RCBA"));
    make_ich9();
    pc.words[CNT] = 0xffff;
    assert_non_null(strstr(tco_find(&t, &access), "do not respond"));
    make_cannon_lake();
    pc.config[4][0x54 / 4] = 0;
    assert_non_null(strstr(tco_find(&t, &access), "TCOCTL"));
    make_sunrise_point();
    pc.for_good = true;
    assert_non_null(strstr(tco_find(&t, &access), "hides the bridge to it (P2SB) for good"));
    make_sunrise_point();
    pc.memory = UINT32_MAX;
    assert_non_null(strstr(tco_find(&t, &access), "SMBCTRL"));
    assert_true(pc.hidden);
    make_sunrise_point();
    pc.hidden = false; /* a firmware that shows it: it stays as it is */
    assert_null(tco_find(&t, &access));
    assert_false(pc.hidden);
    make_cannon_lake();
    memset(pc.config, 0xff, sizeof pc.config);
    assert_non_null(strstr(tco_find(&t, &access), "device 31: ffff:ffff"));
    pc.config[0][0] = 0x29181022; /* the number, but another vendor's */
    assert_non_null(strstr(tco_find(&t, &access), "device 31: 1022:2918"));
    assert_int_equal(pc.writes, 0);
}

/* ---- Frames of a generic watchdog ------------------------------------------------------------------------------- */

static const uint64_t REFRESH = 0x2a450000, CONTROL = 0x2a440000;
static const double HZ = 1e8;

static struct {
    uint32_t enabled, iidr;
    uint64_t offset;
    double left;
    bool warned, reset, stuck;
    unsigned writes;
} frames;

static void frames_start_again(void)
{
    frames.left = (double)frames.offset / HZ;
    frames.warned = false;
}

static void frames_pass(double seconds)
{
    while (frames.enabled && !frames.reset && seconds >= frames.left) {
        seconds -= frames.left;
        frames.reset = frames.warned;
        frames.left = (double)frames.offset / HZ;
        frames.warned = true;
    }
    frames.left -= seconds;
}

static uint32_t read_frame(uint64_t address)
{
    switch (address - CONTROL) {
    case 0: return frames.enabled | (uint32_t)frames.warned << 1;
    case 8: return (uint32_t)frames.offset;
    case 12: return (uint32_t)(frames.offset >> 32);
    case 0xfcc: return frames.iidr;
    default: fail_msg("nothing is to be read at %llx", (unsigned long long)address); return 0;
    }
}

static void write_frame(uint64_t address, uint32_t value)
{
    frames.writes++;
    if (address == CONTROL)
        frames.enabled = frames.stuck ? 0 : value & 1;
    else if (address == CONTROL + 8)
        frames.offset = (frames.offset & ~(uint64_t)UINT32_MAX) | value;
    else if (address == CONTROL + 12 && frames.iidr >> 16 & 0xf)
        frames.offset = (uint64_t)(value & 0xffff) << 32 | (uint32_t)frames.offset;
    else
        assert_int_equal(address, REFRESH);
    frames_start_again();
}

static struct generic_watchdog make_frames(unsigned version)
{
    memset(&frames, 0, sizeof frames);
    frames.iidr = version << 16 | 0x43b;
    frames.offset = 12345;
    return (struct generic_watchdog){.refresh = REFRESH, .control = CONTROL, .read = read_frame, .write = write_frame};
}

static void frames_reset_a_machine_that_hangs(void **state)
{
    (void)state;
    for (unsigned version = 0; version < 2; version++) {
        struct generic_watchdog w = make_frames(version);
        assert_null(generic_watchdog_arm(&w, 20, HZ));
        for (unsigned i = 0; i < 100; i++) {
            frames_pass(20);
            generic_watchdog_refresh(&w);
        }
        assert_false(frames.reset);
        struct watchdog_register list[2];
        assert_int_equal(generic_watchdog_registers(&w, list, 2), 2);
        assert_true(list[0].armed == 1 && list[1].found == 12345 && list[1].armed == 2000000000);
        frames_pass(39);
        assert_false(frames.reset);
        frames_pass(1.1);
        assert_true(frames.reset);

        w = make_frames(version);
        assert_null(generic_watchdog_arm(&w, 20, HZ));
        generic_watchdog_disarm(&w);
        assert_int_equal(frames.enabled, 0);
        assert_int_equal(frames.offset, 12345);
    }
}

static void frames_that_cannot_be_used_are_left_alone(void **state)
{
    struct generic_watchdog w = make_frames(0);

    (void)state;
    assert_string_equal(generic_watchdog_arm(&w, 43, HZ), "this watchdog takes at most 42 seconds");
    frames.enabled = 1;
    assert_non_null(strstr(generic_watchdog_arm(&w, 20, HZ), "counts down already"));
    frames.enabled = 0;
    frames.iidr = UINT32_MAX;
    assert_non_null(strstr(generic_watchdog_arm(&w, 20, HZ), "do not respond"));
    assert_int_equal(frames.writes, 0);

    w = make_frames(1);
    assert_null(generic_watchdog_arm(&w, 600, HZ)); /* which needs more than 32 bits */
    assert_int_equal(frames.offset, 60000000000);
    w = make_frames(1);
    frames.stuck = true;
    assert_non_null(strstr(generic_watchdog_arm(&w, 20, HZ), "do not keep what is written"));
    assert_int_equal(frames.offset, 12345);
}

/* ---- The table that lists them ---------------------------------------------------------------------------------- */

struct table {
    uint8_t at[256];
    size_t used;
};

static void put(struct table *t, uint64_t value, size_t bytes)
{
    memcpy(t->at + t->used, &value, bytes);
    t->used += bytes;
}

static void add_watchdog(struct table *t, uint64_t refresh, uint64_t control, uint32_t flags)
{
    put(t, 1, 1);
    put(t, 28, 2);
    put(t, 0, 1);
    put(t, refresh, 8);
    put(t, control, 8);
    put(t, 93, 4);
    put(t, flags, 4);
}

/* Revision 3: a block of timers, a watchdog of the secure world, and the one to find. */
static struct table make_gtdt(void)
{
    struct table t = {.used = 88};

    put(&t, 3, 4);
    put(&t, 104, 4);
    t.used = 104;
    put(&t, 0, 1); /* a block without timers */
    put(&t, 20, 2);
    t.used = 124;
    add_watchdog(&t, 0x1000, 0x2000, 4);
    add_watchdog(&t, REFRESH, CONTROL, 0);
    return t;
}

/* From a block of exactly that length, so that the sanitizer notices a read past it. */
static bool listed(const struct table *t, size_t bytes, struct generic_watchdog *w)
{
    uint8_t *copy = malloc(bytes ? bytes : 1);

    memcpy(copy, t->at, bytes);
    const bool found = generic_watchdog_listed(w, copy, bytes);
    free(copy);
    return found;
}

static void the_table_lists_frames(void **state)
{
    struct generic_watchdog w = {0};
    struct table t = make_gtdt();

    (void)state;
    assert_true(listed(&t, t.used, &w));
    assert_int_equal(w.refresh, REFRESH);
    assert_int_equal(w.control, CONTROL);
    t.at[88] = 2; /* the count ends before it */
    assert_false(listed(&t, t.used, &w));
}

static void a_broken_table_lists_none(void **state)
{
    const struct table whole = make_gtdt();
    struct generic_watchdog w = {0};

    (void)state;
    for (size_t bytes = 0; bytes < whole.used; bytes++) /* cut short anywhere */
        assert_false(listed(&whole, bytes, &w));
    for (size_t at = 88; at < whole.used; at++) { /* any byte wrong: nothing is read outside */
        struct table t = whole;
        for (unsigned value = 0; value < 256; value++) {
            t.at[at] = (uint8_t)value;
            (void)listed(&t, t.used, &w);
        }
    }
    struct table t = whole;
    t.at[125] = 0; /* a length of 0 would never end */
    t.at[126] = 0;
    assert_false(listed(&t, t.used, &w));
    t = whole;
    t.at[153] = 27; /* too short for its contents */
    assert_false(listed(&t, t.used, &w));
    t = whole;
    memset(t.at + 152 + 12, 0, 8); /* no control frame */
    assert_false(listed(&t, t.used, &w));
    t = whole;
    t.at[152 + 4] = 4; /* a frame that begins within a page */
    assert_false(listed(&t, t.used, &w));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_that_hangs_is_reset),
        cmocka_unit_test(a_tco_is_put_back),
        cmocka_unit_test(a_lock_is_named),
        cmocka_unit_test(a_watchdog_in_use_is_left_alone),
        cmocka_unit_test(what_does_not_work_is_said),
        cmocka_unit_test(frames_reset_a_machine_that_hangs),
        cmocka_unit_test(frames_that_cannot_be_used_are_left_alone),
        cmocka_unit_test(the_table_lists_frames),
        cmocka_unit_test(a_broken_table_lists_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
