#include "arch/x86_64/own/vectors.h"

#include "arch/x86_64/own/apic.h"
#include "arch/x86_64/own/descriptors.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/vector_numbers.h"

_Static_assert(offsetof(struct guarded_call, function) == CALL_FUNCTION, "vectors.S");
_Static_assert(offsetof(struct guarded_call, argument[0]) == CALL_ARGUMENT_0, "vectors.S");
_Static_assert(offsetof(struct guarded_call, argument[1]) == CALL_ARGUMENT_1, "vectors.S");
_Static_assert(offsetof(struct guarded_call, argument[2]) == CALL_ARGUMENT_2, "vectors.S");
_Static_assert(offsetof(struct guarded_call, stack_top) == CALL_STACK_TOP, "vectors.S");
_Static_assert(offsetof(struct guarded_call, interrupts) == CALL_INTERRUPTS, "vectors.S");
_Static_assert(offsetof(struct guarded_call, saved_stack) == CALL_SAVED_STACK, "vectors.S");

/* What vector_common lays on the stack, lowest address first. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip, cs, rflags, rsp, ss; /* the processor's: Intel SDM vol. 3A, figure 7-9 */
};

/* In vectors.S. */
void guarded_call(struct guarded_call *call) __attribute__((visibility("hidden")));
extern const char guarded_way_back[] __attribute__((visibility("hidden")));

/* The guarded call that runs now, and where to note how it ends; NULL while none does. */
static struct guarded_call *volatile running;
static struct window_result *outcome;
static volatile bool stop; /* the next NMI ends the guarded call */

const char *exception_name(unsigned vector)
{
    static const char *const names[EXCEPTIONS] = {
        [0] = "divide-error",
        [1] = "debug",
        [2] = "nmi",
        [3] = "breakpoint",
        [4] = "overflow",
        [5] = "bound-range",
        [6] = "undefined-instruction",
        [7] = "device-not-available",
        [8] = "double-fault",
        [9] = "coprocessor-segment-overrun",
        [10] = "invalid-tss",
        [11] = "segment-not-present",
        [12] = "stack-segment-fault",
        [13] = "general-protection",
        [14] = "page-fault",
        [16] = "x87-floating-point",
        [17] = "alignment-check",
        [18] = "machine-check",
        [19] = "simd-floating-point",
        [20] = "virtualization-exception",
        [21] = "control-protection",
        [28] = "hypervisor-injection",
        [29] = "vmm-communication",
        [30] = "security-exception",
    };

    return vector < EXCEPTIONS && names[vector] != NULL ? names[vector] : "reserved-exception";
}

/* Makes the stub return to guarded_way_back instead of to the code that was interrupted. */
GENERAL_REGISTERS static void go_back(struct trap_frame *f)
{
    f->rip = (uintptr_t)guarded_way_back;
    f->rsp = running->saved_stack;
    f->rflags = RFLAGS_FIXED;
    running = NULL;
}

/* The code that was interrupted may use every vector register, so this uses general registers only. */
__attribute__((visibility("hidden"))) GENERAL_REGISTERS void vectors_dispatch(struct trap_frame *f);
GENERAL_REGISTERS void vectors_dispatch(struct trap_frame *f)
{
    const unsigned vector = (unsigned)f->vector;

    if (vector == VECTOR_NMI && stop && running != NULL) {
        stop = false;
        outcome->end = WINDOW_TIMEOUT;
        outcome->fault.pc = f->rip;
        go_back(f);
    } else if (vector == VECTOR_NMI) {
        if (outcome != NULL)
            outcome->interrupts++;
    } else if (vector < EXCEPTIONS) {
        if (running == NULL) {
            /* An error of our own, outside a guarded call: let it fault again, for the firmware to report. */
            descriptors_use_firmware_idt();
            return;
        }
        outcome->end = WINDOW_FAULT;
        outcome->fault.vector = exception_name(vector);
        outcome->fault.syndrome = (uint64_t)vector << 32 | (uint32_t)f->error_code;
        outcome->fault.address = vector == VECTOR_PAGE_FAULT ? read_cr2() : 0;
        outcome->fault.pc = f->rip;
        /* "In progress" has to be cleared, or the next machine check shuts the machine down (SDM vol. 3B, 16.3.1.2). */
        if (vector == VECTOR_MACHINE_CHECK)
            write_msr(MSR_MCG_STATUS, 0);
        go_back(f);
    } else if (vector == VECTOR_DEADLINE) {
        apic_end_of_interrupt();
        if (running != NULL) {
            outcome->end = WINDOW_TIMEOUT;
            outcome->fault.pc = f->rip;
            go_back(f);
        }
    } else {
        /* A spurious interrupt is not in service, so it gets no end (Intel SDM vol. 3A, 11.9). */
        if (vector != VECTOR_SPURIOUS)
            apic_end_of_interrupt();
        if (outcome != NULL)
            outcome->interrupts++;
    }
}

void vectors_stop_other(uint32_t id)
{
    if (running == NULL) /* it has just ended: the firmware's vectors are none for an NMI */
        return;
    stop = true;
    apic_send_nmi(id);
}

void guarded_run(struct guarded_call *call, struct window_result *result)
{
    *result = (struct window_result){.end = WINDOW_RAN};
    stop = false;
    outcome = result;
    running = call;
    guarded_call(call);
    running = NULL;
    outcome = NULL;
}
