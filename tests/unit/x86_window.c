/* Windows and guarded calls on modelled registers: what is in force meanwhile, and that all of it is put back. */
/* define: -finstrument-functions */
/*
 * The model of shadow stacks (Intel SDM vol. 1, chapter 17) rests on instrumented functions: entering one pushes it
 * while CR4.CET is set, and leaving one while CR4.CET is set pops, and compares.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/x86_registers.h"

#include "arch/x86_64/own/call.c"   /* NOLINT(bugprone-suspicious-include) */
#include "arch/x86_64/own/state.c"  /* NOLINT(bugprone-suspicious-include) */
#include "arch/x86_64/own/window.c" /* NOLINT(bugprone-suspicious-include) */

#define UNSEEN __attribute__((no_instrument_function))

enum { DEPTH = 64, STACK_TOP = 0x10000, ROOT = 0x5000, FOUND_CR4 = 0x668 };

static struct model {
    uint64_t cr0, cr3, cr4, rflags, efer;
    bool descriptors;          /* ours are loaded */
    const void *shadow[DEPTH]; /* functions that were entered with shadow stacks on, and not left */
    unsigned depth, pushed;
    struct guarded_call call; /* the last one */
    uint64_t cr4_in_call, cr0_in_call, cr3_in_call;
    bool descriptors_in_call;
    uint64_t smis, heat;          /* MSR_SMI_COUNT, IA32_THERM_STATUS */
    uint64_t smis_come, heat_set; /* during the next call */
} model;

/* ---- Shadow stacks ----------------------------------------------------------------------------------------------- */

void __cyg_profile_func_enter(void *function, void *from) UNSEEN;
void __cyg_profile_func_enter(void *function, void *from)
{
    (void)from;
    if (!(model.cr4 & CR4_CET))
        return;
    assert_true(model.depth < DEPTH);
    model.shadow[model.depth++] = function;
    model.pushed++;
}

void __cyg_profile_func_exit(void *function, void *from) UNSEEN;
void __cyg_profile_func_exit(void *function, void *from)
{
    (void)from;
    if (!(model.cr4 & CR4_CET))
        return;
    assert_true(model.depth > 0);
    assert_ptr_equal(model.shadow[--model.depth], function); /* else a control protection exception */
}

/* ---- Registers: their functions are inlined in the product, so they are no calls ------------------------------- */

UNSEEN uint64_t read_cr0(void)
{
    return model.cr0;
}

UNSEEN void write_cr0(uint64_t value)
{
    assert_true(value & CR0_WP || !(model.cr4 & CR4_CET)); /* SDM vol. 3A, 2.5 */
    model.cr0 = value;
}

UNSEEN uint64_t read_cr3(void)
{
    return model.cr3;
}

UNSEEN void write_cr3(uint64_t value)
{
    model.cr3 = value;
}

UNSEEN uint64_t read_cr4(void)
{
    return model.cr4;
}

UNSEEN void write_cr4(uint64_t value)
{
    assert_true(model.cr0 & CR0_WP || !(value & CR4_CET));
    if ((model.cr4 ^ value) & CR4_CET)
        assert_false(model.descriptors || model.rflags & RFLAGS_IF); /* all else is the firmware's then */
    model.cr4 = value;
}

UNSEEN uint64_t read_rflags(void)
{
    return model.rflags;
}

UNSEEN void interrupts_off(void)
{
    model.rflags &= ~(uint64_t)RFLAGS_IF;
}

UNSEEN void interrupts_on(void)
{
    assert_false(model.descriptors);
    model.rflags |= RFLAGS_IF;
}

UNSEEN uint64_t read_msr(uint32_t index)
{
    assert_true(index == MSR_EFER || (index == MSR_SMI_COUNT && core.counts_smis) ||
                (index == MSR_THERM_STATUS && core.shows_heat));
    return index == MSR_EFER ? model.efer : index == MSR_SMI_COUNT ? model.smis : model.heat;
}

UNSEEN void write_msr(uint32_t index, uint64_t value)
{
    assert_int_equal(index, MSR_EFER);
    model.efer = value;
}

/* ---- What windows call ------------------------------------------------------------------------------------------- */

const char vector_stubs[1];

void descriptors_load(const char *stubs, bool firmware_interrupts)
{
    (void)stubs, (void)firmware_interrupts;
    model.descriptors = true;
}

void descriptors_restore(void)
{
    model.descriptors = false;
}

void page_tables_follow(struct page_tables *t, const uint64_t *firmware_root)
{
    (void)t, (void)firmware_root;
}

void guarded_run(struct guarded_call *call, struct window_result *result)
{
    *result = (struct window_result){.end = WINDOW_RAN};
    model.call = *call;
    model.cr0_in_call = model.cr0;
    model.cr3_in_call = model.cr3;
    model.cr4_in_call = model.cr4;
    model.descriptors_in_call = model.descriptors;
    model.smis = (uint32_t)(model.smis + model.smis_come);
    model.heat |= model.heat_set;
    if (call->function == call_function)
        call->function(call->argument[0], call->argument[1], call->argument[2]);
}

void reader_run(struct reading *list, size_t count, enum reader_counters counters)
{
    (void)list, (void)count, (void)counters;
}

const char *apic_no_deadline(void)
{
    return NULL;
}

void apic_quiet(struct apic_state *found)
{
    *found = (struct apic_state){0};
}

void apic_restore(const struct apic_state *found)
{
    (void)found;
}

void apic_arm(unsigned milliseconds)
{
    (void)milliseconds;
}

void apic_disarm(void)
{
}

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

static struct reading list[1];

/* A firmware that leaves write protection off, with interrupts on. */
static int setup(void **state)
{
    (void)state;
    model = (struct model){.cr0 = 0x80000033, .cr3 = 0x1000, .cr4 = FOUND_CR4, .rflags = RFLAGS_FIXED | RFLAGS_IF};
    own = (struct own_state){.tables = {.root = (uint64_t *)ROOT}, .stack_top = STACK_TOP}; /* never read */
    core = (struct core_state){.cr4_set = 1u << 6};
    return 0;
}

UNSEEN static int setup_shadow_stacks(void **state)
{
    setup(state);
    model.cr0 |= CR0_WP;
    model.cr4 |= CR4_CET;
    return 0;
}

static void note(void *called)
{
    *(bool *)called = true;
}

static void the_firmware_gets_back_what_it_had(void **state)
{
    bool called = false;

    (void)state;
    assert_int_equal(own_call(note, &called).end, WINDOW_RAN);
    assert_true(called);
    assert_true(model.descriptors_in_call);
    assert_int_equal(model.cr0_in_call, 0x80000033 | CR0_WP);
    assert_int_equal(model.cr3_in_call, ROOT);
    assert_int_equal(model.cr4_in_call, FOUND_CR4 | 1u << 6);
    assert_int_equal(model.cr0, 0x80000033);
    assert_int_equal(model.cr3, 0x1000);
    assert_int_equal(model.cr4, FOUND_CR4);
    assert_int_equal(model.efer, 0);
    assert_int_equal(model.rflags, RFLAGS_FIXED | RFLAGS_IF);
    assert_false(model.descriptors);
}

/* Every function that was entered with shadow stacks on is left with them on, and none in between uses them. */
static void shadow_stacks_of_the_firmware_stay_in_step(void **state)
{
    struct window_result result;
    bool called = false;

    (void)state;
    assert_int_equal(own_call(note, &called).end, WINDOW_RAN);
    assert_true(called);
    assert_int_equal(model.cr4_in_call, FOUND_CR4 | 1u << 6);
    assert_int_equal(own_window(list, 1, READER_TIME_ONLY, 10).end, WINDOW_RAN);
    assert_int_equal(model.cr4_in_call & CR4_CET, 0);
    assert_null(own_noisy_window(list, 1, READER_TIME_ONLY, SILENCE_MASKED, &result));
    assert_int_equal(model.cr4_in_call & CR4_CET, 0);
    assert_true(model.pushed > 0);
    assert_int_equal(model.cr4, FOUND_CR4 | CR4_CET);
    assert_int_equal(model.rflags, RFLAGS_FIXED | RFLAGS_IF);
    assert_int_equal(model.depth, 1); /* this function */
}

/* Firmware's handlers may use instructions that need a shadow stack. */
static void handlers_of_the_firmware_are_not_let_in_without_their_shadow_stack(void **state)
{
    struct window_result result;

    (void)state;
    const char *why = own_noisy_window(list, 1, READER_TIME_ONLY, SILENCE_NONE, &result);
    assert_non_null(why);
    assert_non_null(strstr(why, "shadow stacks"));
    assert_null(model.call.function);
}

/* A handler may give others addresses on the stack that it runs on, which only our page tables know if it is ours. */
static void handlers_of_the_firmware_run_on_its_own_stack(void **state)
{
    struct window_result result;

    (void)state;
    assert_null(own_noisy_window(list, 1, READER_TIME_ONLY, SILENCE_NONE, &result));
    assert_int_equal(model.call.stack_top, 0);
    assert_int_equal(model.call.interrupts, 1);
    assert_null(own_noisy_window(list, 1, READER_TIME_ONLY, SILENCE_MASKED, &result));
    assert_int_equal(model.call.stack_top, STACK_TOP);
    assert_int_equal(model.call.interrupts, 0);
    assert_int_equal(own_window(list, 1, READER_TIME_ONLY, 10).end, WINDOW_RAN);
    assert_int_equal(model.call.stack_top, STACK_TOP);
}

/* Only what came during the list, by registers that can be read. */
static void a_window_says_what_came_meanwhile(void **state)
{
    (void)state;
    model.smis = 0xfffffffe;
    model.smis_come = 3;
    model.heat_set = 0x0c0f;
    struct window_result r = own_window(list, 1, READER_TIME_ONLY, 10);
    assert_true(r.smis == 0 && !r.throttled && !r.limited);

    core.counts_smis = core.shows_heat = true;
    model.smis = 0xfffffffe;
    r = own_window(list, 1, READER_TIME_ONLY, 10);
    assert_true(r.smis == 3 && !r.throttled && !r.limited); /* they were noted before */
    model.smis_come = 0;
    model.heat_set = 0x1000; /* current */
    r = own_window(list, 1, READER_TIME_ONLY, 10);
    assert_true(r.smis == 0 && !r.throttled && r.limited);
    model.heat_set = 0x10; /* critical temperature */
    r = own_window(list, 1, READER_TIME_ONLY, 10);
    assert_true(r.throttled && !r.limited);
    model.heat_set = 0x40; /* a threshold was crossed */
    r = own_window(list, 1, READER_TIME_ONLY, 10);
    assert_true(!r.throttled && !r.limited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_firmware_gets_back_what_it_had, setup),
        cmocka_unit_test_setup(shadow_stacks_of_the_firmware_stay_in_step, setup_shadow_stacks),
        cmocka_unit_test_setup(handlers_of_the_firmware_are_not_let_in_without_their_shadow_stack, setup_shadow_stacks),
        cmocka_unit_test_setup(handlers_of_the_firmware_run_on_its_own_stack, setup),
        cmocka_unit_test_setup(a_window_says_what_came_meanwhile, setup),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
