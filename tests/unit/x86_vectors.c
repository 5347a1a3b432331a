/* Exceptions and interrupts of a window, on modelled registers: what is noted, and who goes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/x86_registers.h"

#include "arch/x86_64/own/vectors.c" /* NOLINT(bugprone-suspicious-include) */

static struct model {
    jmp_buf way_back;
    struct trap_frame frame; /* as the dispatcher left it */
    bool registers_trap;     /* model specific registers do not exist */
    uint64_t cr2;
    uint64_t mcg_status;
    unsigned ends_of_interrupt;
    unsigned firmware_idt;
    struct guarded_call *call;
    uint32_t nmi_to;
} model;

enum { PC = 0x401234, STACK = 0x7000, FLAGS = 0x10ed7 };

const char guarded_way_back[1];

/* What the processor and the stubs do: an exception that does not return ends the function. */
static void strike(unsigned vector, uint64_t error_code)
{
    model.frame = (struct trap_frame){
        .vector = vector, .error_code = error_code, .rip = PC, .rsp = STACK, .rflags = FLAGS};
    vectors_dispatch(&model.frame);
    if (model.frame.rip == (uintptr_t)guarded_way_back)
        longjmp(model.way_back, 1);
    assert_int_equal(model.frame.rip, PC);
    assert_int_equal(model.frame.rsp, STACK);
    assert_int_equal(model.frame.rflags, FLAGS);
}

void guarded_call(struct guarded_call *call)
{
    model.call = call;
    call->saved_stack = 0x1000;
    if (setjmp(model.way_back) == 0)
        call->function(call->argument[0], call->argument[1], call->argument[2]);
}

uint64_t read_msr(uint32_t index)
{
    (void)index;
    if (model.registers_trap)
        strike(13, 0);
    return 0;
}

void write_msr(uint32_t index, uint64_t value)
{
    if (index == MSR_MCG_STATUS)
        model.mcg_status = value;
}

uint64_t read_cr2(void)
{
    return model.cr2;
}

void apic_end_of_interrupt(void)
{
    model.ends_of_interrupt++;
}

/* The other core takes the NMI at once. */
void apic_send_nmi(uint32_t id)
{
    model.nmi_to = id;
    strike(VECTOR_NMI, 0);
}

void descriptors_use_firmware_idt(void)
{
    model.firmware_idt++;
}

static void strike_first_then_second(uintptr_t first, uintptr_t error_code, uintptr_t second)
{
    strike((unsigned)first, error_code);
    if (second != 0)
        strike((unsigned)second, 0);
}

/* Runs a function that the vectors interrupt, `second` only if the first one returns. */
static struct window_result run(unsigned first, uint64_t error_code, unsigned second)
{
    struct guarded_call call = {.function = strike_first_then_second, .argument = {first, error_code, second}};
    struct window_result result;

    model.ends_of_interrupt = model.firmware_idt = 0;
    guarded_run(&call, &result);
    return result;
}

static int setup(void **state)
{
    (void)state;
    memset(&model, 0, sizeof(model));
    return 0;
}

static void every_exception_but_nmi_is_a_fault_with_a_way_back(void **state)
{
    (void)state;
    model.cr2 = 0xdeadb000;
    for (unsigned vector = 0; vector < EXCEPTIONS; vector++) {
        struct window_result r;

        if (vector == VECTOR_NMI)
            continue;
        r = run(vector, 0x15, VECTOR_NMI);
        assert_int_equal(r.end, WINDOW_FAULT);
        assert_string_equal(r.fault.vector, exception_name(vector));
        assert_int_equal(r.fault.syndrome, (uint64_t)vector << 32 | 0x15);
        assert_int_equal(r.fault.address, vector == VECTOR_PAGE_FAULT ? 0xdeadb000 : 0);
        assert_int_equal(r.fault.pc, PC);
        assert_int_equal(r.interrupts, 0);
        assert_int_equal(model.frame.rsp, 0x1000);
        assert_int_equal(model.frame.rflags & RFLAGS_IF, 0);
        assert_int_equal(model.ends_of_interrupt, 0);
    }
}

static void exceptions_have_the_names_records_promise(void **state)
{
    (void)state;
    assert_string_equal(exception_name(0), "divide-error");
    assert_string_equal(exception_name(6), "undefined-instruction");
    assert_string_equal(exception_name(8), "double-fault");
    assert_string_equal(exception_name(13), "general-protection");
    assert_string_equal(exception_name(14), "page-fault");
    assert_string_equal(exception_name(18), "machine-check");
    assert_string_equal(exception_name(15), "reserved-exception");
    assert_string_equal(exception_name(255), "reserved-exception");
}

static void machine_check_is_no_longer_in_progress_afterwards(void **state)
{
    (void)state;
    model.mcg_status = 4;
    assert_int_equal(run(VECTOR_MACHINE_CHECK, 0, 0).end, WINDOW_FAULT);
    assert_int_equal(model.mcg_status, 0);
}

static void nmi_is_counted_and_returns(void **state)
{
    struct window_result r = run(VECTOR_NMI, 0, VECTOR_NMI);

    (void)state;
    assert_int_equal(r.end, WINDOW_RAN);
    assert_int_equal(r.interrupts, 2);
    assert_int_equal(model.ends_of_interrupt, 0);
}

static void stop_this_core(uintptr_t id, uintptr_t unused, uintptr_t second)
{
    (void)unused;
    vectors_stop_other((uint32_t)id);
    if (second != 0)
        strike((unsigned)second, 0);
}

/* As another core does when this one is over its deadline; the next NMI is somebody else's again. */
static void another_core_ends_the_list_as_a_timeout(void **state)
{
    struct guarded_call call = {.function = stop_this_core, .argument = {0x1234, 0, VECTOR_NMI}};
    struct window_result r;

    (void)state;
    guarded_run(&call, &r);
    assert_int_equal(r.end, WINDOW_TIMEOUT);
    assert_int_equal(r.fault.pc, PC);
    assert_int_equal(r.interrupts, 0);
    assert_int_equal(model.nmi_to, 0x1234);
    assert_int_equal(run(VECTOR_NMI, 0, 0).end, WINDOW_RAN);

    model.nmi_to = 0; /* a core that has just ended its list is left alone */
    vectors_stop_other(0x1234);
    assert_int_equal(model.nmi_to, 0);
}

static void interrupts_are_ended_counted_and_return(void **state)
{
    (void)state;
    for (unsigned vector = EXCEPTIONS; vector < VECTORS; vector++) {
        struct window_result r;

        if (vector == VECTOR_DEADLINE)
            continue;
        r = run(vector, 0, vector);
        assert_int_equal(r.end, WINDOW_RAN);
        assert_int_equal(r.interrupts, 2);
        assert_int_equal(model.ends_of_interrupt, vector == VECTOR_SPURIOUS ? 0 : 2);
    }
}

static void deadline_ends_the_list_as_a_timeout(void **state)
{
    struct window_result r = run(VECTOR_DEADLINE, 0, VECTOR_NMI);

    (void)state;
    assert_int_equal(r.end, WINDOW_TIMEOUT);
    assert_int_equal(r.fault.pc, PC);
    assert_int_equal(r.interrupts, 0);
    assert_int_equal(model.ends_of_interrupt, 1);
}

static void deadline_after_the_list_only_ends(void **state)
{
    (void)state;
    strike(VECTOR_DEADLINE, 0);
    assert_int_equal(model.ends_of_interrupt, 1);
}

static void fault_without_a_way_back_is_left_to_the_firmware(void **state)
{
    (void)state;
    strike(VECTOR_PAGE_FAULT, 0);
    assert_int_equal(model.firmware_idt, 1);
}

/* An AMD core whose hypervisor refuses the register that makes LFENCE serialise. */
struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    if (leaf == 0)
        return (struct cpuid){.ebx = 0x68747541};
    return (struct cpuid){.eax = 0x00a20f10};
}

struct cpuid cpuid_known(uint32_t leaf, uint32_t subleaf)
{
    (void)leaf, (void)subleaf;
    return (struct cpuid){0, 0, 0, 0};
}

#include "arch/x86_64/own/lfence.c" /* NOLINT(bugprone-suspicious-include) */

static struct lfence lfence;

static void serialise(uintptr_t a, uintptr_t b, uintptr_t c)
{
    (void)a, (void)b, (void)c;
    lfence_serialise(&lfence);
}

static void unknown_register_is_a_fault(void **state)
{
    struct guarded_call call = {.function = serialise};
    struct window_result r;

    (void)state;
    model.registers_trap = true;
    guarded_run(&call, &r);
    assert_int_equal(r.end, WINDOW_FAULT);
    assert_string_equal(r.fault.vector, "general-protection");
    assert_int_equal(r.fault.pc, PC);
    assert_false(lfence.switchable);
    assert_false(lfence.changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(another_core_ends_the_list_as_a_timeout, setup),
        cmocka_unit_test_setup(every_exception_but_nmi_is_a_fault_with_a_way_back, setup),
        cmocka_unit_test_setup(exceptions_have_the_names_records_promise, setup),
        cmocka_unit_test_setup(machine_check_is_no_longer_in_progress_afterwards, setup),
        cmocka_unit_test_setup(nmi_is_counted_and_returns, setup),
        cmocka_unit_test_setup(interrupts_are_ended_counted_and_return, setup),
        cmocka_unit_test_setup(deadline_ends_the_list_as_a_timeout, setup),
        cmocka_unit_test_setup(deadline_after_the_list_only_ends, setup),
        cmocka_unit_test_setup(fault_without_a_way_back_is_left_to_the_firmware, setup),
        cmocka_unit_test_setup(unknown_register_is_a_fault, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
