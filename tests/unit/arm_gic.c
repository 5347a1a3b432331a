/*
 * The GIC lets the timer's interrupt through, and is as it was found afterwards: on modelled registers of GICv2 and of
 */
/* GICv3, with one security state and as the non-secure world sees two. */
/* link: arch/aarch64/own/gic.c arch/access.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/own/gic.h"
#include "tests/registers/model.h"

enum { TIMER = 27, BIT = 1 << TIMER, SHIFT = 24 /* of its priority, in the register of 24 to 27 */ };

/* Offsets and encodings from the registers' own pages, IHI 0048 and IHI 0069. */
enum {
    GICD_CTLR = GIC_DISTRIBUTOR,
    GICD_IGROUPR0 = GIC_DISTRIBUTOR + 0x80,
    GICD_ISENABLER0 = GIC_DISTRIBUTOR + 0x100,
    GICD_ICENABLER0 = GIC_DISTRIBUTOR + 0x180,
    GICD_IPRIORITYR6 = GIC_DISTRIBUTOR + 0x418,
    GICC_CTLR = GIC_CPU_INTERFACE,
    GICC_PMR = GIC_CPU_INTERFACE + 0x4,
    GICR_CTLR = GIC_REDISTRIBUTOR,
    GICR_WAKER = GIC_REDISTRIBUTOR + 0x14,
    GICR_IGROUPR0 = GIC_REDISTRIBUTOR + 0x10080,
    GICR_ISENABLER0 = GIC_REDISTRIBUTOR + 0x10100,
    GICR_ICENABLER0 = GIC_REDISTRIBUTOR + 0x10180,
    GICR_IPRIORITYR6 = GIC_REDISTRIBUTOR + 0x10418,
    ICC_PMR_EL1 = SYSTEM_REGISTER(3, 0, 4, 6, 0),
    ICC_SRE_EL1 = SYSTEM_REGISTER(3, 0, 12, 12, 5),
    ICC_IGRPEN1_EL1 = SYSTEM_REGISTER(3, 0, 12, 12, 7),
    ENABLED = 0x400000, /* what the set and clear registers show; no register itself */
};
enum { AFFINITY = 1 << 4, ONE_SECURITY = 1 << 6 };
static const uint64_t PENDING = UINT64_C(1) << 31;

static struct model m;
static struct access modelled, a;
static struct gic g;
static bool stuck; /* writes to GICD_CTLR stay pending */

/* What reads back depends on other bits: ChildrenAsleep (2) follows ProcessorSleep (1); RWP. */
static bool read_register(void *model, uint32_t id, uint64_t *out)
{
    if (stuck && id == GICD_CTLR) {
        *out = model_at(model, id)->value | PENDING;
        return true;
    }
    if (!modelled.read(model, id, out))
        return false;
    if (id == GICR_WAKER)
        *out |= (*out & 2) << 1;
    return true;
}

static void begin(void)
{
    memset(&m, 0, sizeof m);
    stuck = false;
    a = modelled = model_access(&m);
    a.read = read_register;
}

/* The registers of this core's own interrupts. Only what belongs to the timer's may be changed. */
static void own_interrupts(uint32_t set, uint32_t clear, uint32_t priority, uint64_t writable)
{
    model_register(&m, "ENABLED", ENABLED, 0xffff, ~UINT64_C(0))->allowed = BIT;
    struct model_register *r = model_register(&m, "SET", set, 0, writable);
    r->kind = MODEL_SETS;
    r->view_of = ENABLED;
    r->allowed = BIT;
    r = model_register(&m, "CLEAR", clear, 0, writable);
    r->kind = MODEL_CLEARS;
    r->view_of = ENABLED;
    r->allowed = BIT;
    model_register(&m, "PRIORITY", priority, 0xa0b0c0, writable & 0xf0f0f0f0)->allowed = UINT64_C(0xff) << SHIFT;
}

static void begin_v2(uint64_t group, uint64_t enabled)
{
    begin();
    own_interrupts(GICD_ISENABLER0, GICD_ICENABLER0, GICD_IPRIORITYR6, 0xffffffff);
    model_register(&m, "GROUP", GICD_IGROUPR0, group, 0xffffffff)->allowed = 0;
    model_register(&m, "PIDR2", GIC_DISTRIBUTOR + 0xfe8, 0x2b, 0)->kind = MODEL_IGNORES;
    model_register(&m, "GICD_CTLR", GICD_CTLR, enabled, 3);
    model_register(&m, "GICC_CTLR", GICC_CTLR, enabled, 3);
    model_register(&m, "GICC_PMR", GICC_PMR, 0, 0xf8);
    model_begin(&m);
}

static void begin_v3(uint64_t control, uint64_t waker)
{
    const bool one_security = control & ONE_SECURITY;

    begin();
    own_interrupts(GICR_ISENABLER0, GICR_ICENABLER0, GICR_IPRIORITYR6, 0xffffffff);
    struct model_register *r = model_register(&m, "GROUP", GICR_IGROUPR0, 0x55, one_security ? 0xffffffff : 0);
    r->allowed = BIT;
    model_register(&m, "PIDR2", GIC_DISTRIBUTOR + 0xffe8, 0x3b, 0)->kind = MODEL_IGNORES;
    model_register(&m, "GICD_CTLR", GICD_CTLR, control, 3)->allowed = 2 | PENDING; /* which ignores writes */
    model_register(&m, "GICR_CTLR", GICR_CTLR, 0, 0);
    model_register(&m, "WAKER", GICR_WAKER, waker, one_security ? 2 : 0)->allowed = 2 | 4; /* which ignores writes */
    model_register(&m, "SRE", ICC_SRE_EL1, 7, 0);
    model_register(&m, "PMR", ICC_PMR_EL1, 0, 0xf8);
    model_register(&m, "IGRPEN1", ICC_IGRPEN1_EL1, 0, 1);
    model_begin(&m);
}

static uint64_t value(uint32_t id)
{
    return model_at(&m, id)->value;
}

/* The conditions under which an interrupt that is pending reaches the core: IHI 0048, 3.3; IHI 0069, 4.8 and 4.2. */
static bool arrives_v2(void)
{
    const uint64_t group = value(GICD_IGROUPR0) & BIT ? 2 : 1;

    return (value(ENABLED) & BIT) && (value(GICD_IPRIORITYR6) >> SHIFT & 0xff) < value(GICC_PMR) &&
           (value(GICC_CTLR) & group) && (value(GICD_CTLR) & group);
}

static bool arrives_v3(void)
{
    const bool group_1 = !(value(GICD_CTLR) & ONE_SECURITY) || (value(GICR_IGROUPR0) & BIT);

    return group_1 && (value(ENABLED) & BIT) && (value(GICR_IPRIORITYR6) >> SHIFT & 0xff) < value(ICC_PMR_EL1) &&
           (value(ICC_IGRPEN1_EL1) & 1) && (value(GICD_CTLR) & 2) && !(value(GICR_WAKER) & 2);
}

static void v2_lets_it_through(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        begin_v2(i & 1 ? BIT : 0, i >> 1);
        assert_false(arrives_v2());
        assert_null(gic_deliver(&g, &a, 2, TIMER));
        assert_true(arrives_v2());
        assert_true(gic_restore(&g));
        model_assert_as_found(&m);
    }
    begin_v2(0, 0);
    assert_null(gic_deliver(&g, &a, 2, TIMER));
    gic_restore(&g);
    model_assert_writes(&m, "w PRIORITY 80a0b0c0\nw SET 8000000\nw GICC_PMR f0\nw GICC_CTLR 1\nw GICD_CTLR 1\n"
                            "w GICD_CTLR 0\nw GICC_CTLR 0\nw GICC_PMR 0\nw CLEAR 8000000\nw PRIORITY a0b0c0\n");
}

static void v3_lets_it_through(void **state)
{
    static const struct {
        uint64_t control, waker;
    } cases[] = {{AFFINITY | ONE_SECURITY, 2}, {AFFINITY | ONE_SECURITY | 3, 0}, {AFFINITY, 0}, {AFFINITY | 3, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_v3(cases[i].control, cases[i].waker);
        assert_false(arrives_v3());
        assert_null(gic_deliver(&g, &a, 3, TIMER));
        assert_true(arrives_v3());
        assert_true(gic_restore(&g));
        model_assert_as_found(&m);
    }
    begin_v3(AFFINITY | 3, 0); /* what the secure world decides is not written */
    assert_null(gic_deliver(&g, &a, 3, TIMER));
    model_assert_writes(&m, "w PRIORITY 80a0b0c0\nw SET 8000000\nw PMR f0\nw IGRPEN1 1\n");
}

static void refused(const char *why, unsigned version, unsigned interrupt)
{
    const char *reason = gic_deliver(&g, &a, version, interrupt);

    assert_non_null(reason);
    assert_non_null(strstr(reason, why));
    model_assert_writes(&m, "");
}

static void nothing_is_written_where_it_cannot_work(void **state)
{
    (void)state;
    begin_v3(ONE_SECURITY, 2);
    refused("GICD_CTLR.ARE", 3, TIMER);
    begin_v3(AFFINITY, 2);
    refused("GICR_WAKER", 3, TIMER);
    begin_v3(AFFINITY | ONE_SECURITY, 2);
    model_at(&m, ICC_SRE_EL1)->value = 0;
    refused("ICC_SRE_EL1", 3, TIMER);
    begin_v3(AFFINITY | ONE_SECURITY, 2);
    model_at(&m, GIC_DISTRIBUTOR + 0xffe8)->value = 0x2b;
    refused("no GICv3", 3, TIMER);
    begin_v2(0, 0);
    model_at(&m, GIC_DISTRIBUTOR + 0xfe8)->value = 0;
    refused("no GICv2", 2, TIMER);
    begin_v2(0, 0);
    refused("16 to 31", 2, 32);
}

static void an_interrupt_of_the_secure_world_is_reported(void **state)
{
    const char *reason;

    (void)state;
    begin_v3(AFFINITY, 0);
    own_interrupts(GICR_ISENABLER0, GICR_ICENABLER0, GICR_IPRIORITYR6, 0xffff);
    model_begin(&m);
    reason = gic_deliver(&g, &a, 3, TIMER);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "ignores"));
    assert_true(gic_restore(&g));
    model_assert_as_found(&m);
}

static void a_write_without_effect_is_reported(void **state)
{
    const char *reason;

    (void)state;
    begin_v3(AFFINITY | ONE_SECURITY, 0);
    stuck = true;
    reason = gic_deliver(&g, &a, 3, TIMER);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "RWP"));
}

/* Whichever access faults, the registers are as they were after gic_restore. */
static void faults_leave_nothing_behind(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 3; version++) {
        size_t accesses = 1;

        for (size_t at = 0; at <= accesses; at++) {
            if (version == 2)
                begin_v2(0, 0);
            else
                begin_v3(AFFINITY | ONE_SECURITY, 2);
            m.fault_at = at;
            const char *reason = gic_deliver(&g, &a, version, TIMER);
            if (at == 0)
                accesses = m.accesses;
            assert_true(at == 0 ? !reason : reason != NULL);
            m.fault_at = 0;
            assert_true(gic_restore(&g));
            model_assert_as_found(&m);
        }
        assert_in_range(accesses, 15, 60);
    }
}

/* ---- Apple ------------------------------------------------------------------------------------------------ */

enum {
    MIDR_EL1 = SYSTEM_REGISTER(3, 0, 0, 0, 0),
    CURRENT_EL = SYSTEM_REGISTER(3, 0, 4, 2, 2),
    VM_TMR_FIQ_ENA_EL2 = SYSTEM_REGISTER(3, 5, 15, 1, 3), /* m1n1, src/cpu_regs.h */
};

static bool raises_fiq(uint64_t midr, uint64_t level)
{
    begin();
    model_register(&m, "MIDR", MIDR_EL1, midr, 0);
    model_register(&m, "CurrentEL", CURRENT_EL, level << 2, 0);
    return timer_raises_fiq(&a);
}

static void apples_timer_raises_its_fiq(void **state)
{
    (void)state;
    assert_true(raises_fiq(0x611f0221, 2));  /* M1 */
    assert_false(raises_fiq(0x611f0221, 1)); /* in a virtual machine */
    assert_false(raises_fiq(0x410fd083, 2));
    for (uint64_t found = 0; found < 4; found++) {
        struct changes c = {.access = &a};

        begin();
        model_register(&m, "VM_TMR_FIQ_ENA", VM_TMR_FIQ_ENA_EL2, found, 3)->allowed = 1;
        model_begin(&m);
        assert_null(timer_fiq_deliver(&c));
        assert_int_equal(value(VM_TMR_FIQ_ENA_EL2), found | 1);
        assert_true(changes_restore(&c, 0));
        model_assert_as_found(&m);
    }
    struct changes c = {.access = &a};
    begin();
    assert_non_null(strstr(timer_fiq_deliver(&c), "cannot be read"));
}

/* ---- Which redistributor is this core's ----------------------------------------------------------------- */

enum { FRAME = 0x20000, LAST = 1 << 4, VLPIS = 1 << 1 };

/* Two regions: one of two frames, one of three large ones. */
static const struct {
    uint64_t at;
    uint32_t type, affinity;
} frames[] = {
    {0x80a0000, 0, 0x00000000},
    {0x80a0000 + FRAME, LAST, 0x00000100},
    {0x4000000000, VLPIS, 0x00000001},
    {0x4000000000 + 2 * FRAME, VLPIS, 0x02000300},
    {0x4000000000 + 4 * FRAME, VLPIS, 0x00000002},
};

static bool read_frame(uint64_t address, uint32_t *word)
{
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        if (address == frames[i].at + 8 || address == frames[i].at + 12) {
            *word = address & 4 ? frames[i].affinity : frames[i].type;
            return true;
        }
    return false;
}

static void the_redistributor_is_this_cores(void **state)
{
    const struct own_range regions[] = {{0x80a0000, 8 * FRAME}, {0x4000000000, 6 * FRAME}};

    (void)state;
    assert_int_equal(gic_redistributor(regions, 2, 0x80000000, read_frame), 0x80a0000);
    assert_int_equal(gic_redistributor(regions, 2, 0x80000100, read_frame), 0x80a0000 + FRAME);
    assert_int_equal(gic_redistributor(regions, 2, 0x280000300, read_frame), 0x4000000000 + 2 * FRAME);
    assert_int_equal(gic_redistributor(regions, 2, 2, read_frame), 0x4000000000 + 4 * FRAME);
    assert_int_equal(gic_redistributor(regions, 2, 3, read_frame), 0);
    assert_int_equal(gic_redistributor(regions, 1, 1, read_frame), 0);
    assert_int_equal(gic_redistributor(&(struct own_range){0x9000000, FRAME}, 1, 0, read_frame), 0); /* faults */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v2_lets_it_through),
        cmocka_unit_test(v3_lets_it_through),
        cmocka_unit_test(nothing_is_written_where_it_cannot_work),
        cmocka_unit_test(an_interrupt_of_the_secure_world_is_reported),
        cmocka_unit_test(a_write_without_effect_is_reported),
        cmocka_unit_test(faults_leave_nothing_behind),
        cmocka_unit_test(apples_timer_raises_its_fiq),
        cmocka_unit_test(the_redistributor_is_this_cores),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
