#include "lib/structure/instruction_once.h"

#include <string.h>

#include "lib/kernels/forms.h"

static void set_absent(struct instruction_once *once, enum reason reason)
{
    once->is_absent = true;
    once->why.reason = reason;
}

/*
 * It is absent where its own bytes are an undefined instruction, or where the kernel faults before it: then the
 * instructions that load its registers are absent.
 */
static void execute(struct probe *p, const struct area *data, const struct form *f, struct instruction_once *once)
{
    struct form_kernel w = {.form = f, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = 1};
    struct kernel k;

    once->why.reason = form_kernel_make(p, &w, data->at, &k);
    if (once->why.reason)
        return;
    memcpy(once->bytes, w.bytes + (w.form_at - w.first), sizeof once->bytes);
    struct reading r = {.kernel = k.entry, .argument = {1, k.data}};
    const struct window_result result = machine_window(&r, 1);
    const uint64_t at = k.entry + w.form_at;
    if (result.end == WINDOW_TIMEOUT)
        once->why.reason = REASON_TIMEOUT;
    else if (result.end == WINDOW_FAULT && !strcmp(result.fault.vector, "undefined-instruction") &&
             result.fault.pc <= at)
        set_absent(once, result.fault.pc == at ? REASON_UNDEFINED_INSTRUCTION : REASON_NO_SUCH_REGISTERS);
    else if (result.end == WINDOW_FAULT)
        once->why = (struct why){REASON_FAULT, result.fault.vector};
}

struct instruction_once instruction_execute_once(struct probe *p, const struct area *data, const struct form *f)
{
    struct instruction_once once = {.why.reason = form_unmeasurable(f)};

    if (once.why.reason)
        return once;
    form_fill_data(f, FORM_VALUES_ONE, data->write);
    if (form_is_other_instruction(f))
        set_absent(&once, REASON_ANOTHER_INSTRUCTION);
    else
        execute(p, data, f, &once);
    return once;
}
