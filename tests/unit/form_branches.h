/*
 * What the tests of both ISAs share: every branch of the catalogue goes where it should. It is disassembled by another
 * decoder than the one that the catalogue was made with, and executed in an emulator behind what makes it be taken, or
 * not; behind it stands what traps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "arch/catalogue.h"

#define CODE_AT UINT64_C(0x1000000)
enum { CODE_BYTES = 4096, LINE = 64 };

/* What each ISA has of its own. */
static cs_err open_decoder(csh *handle);
static uc_err open_emulator(uc_engine **uc);
/* Branches that the catalogue has, at least. */
static unsigned branches_at_least(void);

/* Gives the register the value that the branch wants. */
static void emit_value(struct code *c, const struct form *f, unsigned number)
{
    for (unsigned r = 0; r < REGS; r++)
        if (form_register((enum reg)r) == number) {
            emit_constant(c, (enum reg)r, form_wants_zero(f) ? 0 : 1);
            return;
        }
    fail_msg("%s reads a register that has no name", form_name(f));
}

/* Whether execution from the beginning of the code comes to `target`. Each time anew: emulators remember code. */
static bool arrives(const struct code *c, size_t target)
{
    uc_engine *uc;

    assert_int_equal(open_emulator(&uc), UC_ERR_OK);
    assert_int_equal(uc_mem_map(uc, CODE_AT, CODE_BYTES, UC_PROT_ALL), UC_ERR_OK);
    assert_int_equal(uc_mem_write(uc, CODE_AT, c->write, c->used), UC_ERR_OK);
    const bool good = uc_emu_start(uc, CODE_AT, CODE_AT + target, 0, 0) == UC_ERR_OK;
    uc_close(uc);
    return good;
}

static void hold(csh decoder, const struct form *f, size_t bytes)
{
    uint8_t buffer[CODE_BYTES], registers[FORM_OPERANDS] = {0};
    struct code c = code_start(buffer, CODE_AT, sizeof buffer);
    unsigned fields = 0;
    char target[32];
    cs_insn *insn;

    memset(buffer, 0, sizeof buffer);
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (o->kind != OPERAND_GENERAL)
            continue;
        const unsigned number = form_has_field(o) ? form_register(REG_T1) : o->fixed;
        if (form_has_field(o))
            registers[fields++] = (uint8_t)number;
        emit_value(&c, f, number);
    }
    emit_form_condition(&c, f);
    const size_t at = c.used;
    emit_form_over(&c, f, registers, bytes);
    const size_t end = c.used;
    emit_undefined(&c);
    assert_true(code_good(&c) && end % bytes == 0 && c.work.branches == 1);

    if (cs_disasm(decoder, buffer + at, f->length, CODE_AT + at, 1, &insn) != 1)
        fail_msg("%s is no instruction", form_name(f));
    snprintf(target, sizeof target, "0x%llx", (unsigned long long)(CODE_AT + end));
    if (!strstr(insn->op_str, target) || insn->size != f->length)
        fail_msg("%s: %s %s does not lead to %s", form_name(f), insn->mnemonic, insn->op_str, target);
    cs_free(insn, 1);
    if (arrives(&c, end) != (f->class == FORM_TAKEN || end == at + f->length))
        fail_msg("%s is%s", form_name(f), f->class == FORM_TAKEN ? " not taken" : " taken");
}

static void test_branches_go_where_they_should(void **state)
{
    unsigned count = 0;
    csh decoder;

    (void)state;
    assert_int_equal(open_decoder(&decoder), CS_ERR_OK);
    for (const struct form *f = forms; f < forms + form_count; f++)
        if (form_is_branch(f)) {
            count++;
            hold(decoder, f, LINE);
            hold(decoder, f, emit_alignment); /* to what comes next */
        }
    cs_close(&decoder);
    assert_true(count >= branches_at_least());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches_go_where_they_should)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
