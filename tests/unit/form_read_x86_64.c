/* link: arch/form_read.c arch/x86_64/form_read.c arch/catalogue.c arch/x86_64/catalogue.c build/catalogue/x86_64.c arch/emit.c arch/x86_64/emit.c */
/* Protects how code of x86-64 is read: as assemblers write it, and not as the catalogue does. */
#include <stdlib.h>

#include "tests/unit/form_read.h"

static void test_what_assemblers_write_is_read(void **state)
{
    (void)state;
    expect("01d8", "add r32, r32", 2, 0, 3);   /* add eax, ebx */
    expect("4d01c8", "add r64, r64", 3, 8, 9); /* add r8, r9 */
    expect("4803c3", "add r64, r64", 3, 0, 3); /* add rax, rbx, by the other opcode */
    expect("6683c001", "add r16, i8", 4, 0, FIELD_NONE);
    expect("48c7c005000000", "mov r64, i32", 7, 0, FIELD_NONE);
    expect("c5f958c1", "vaddpd xmm, xmm, xmm", 4, 0, 0); /* vaddpd xmm0, xmm0, xmm1, with VEX of two bytes */
    expect("c5755cd2", "vsubpd ymm, ymm, ymm", 4, 10, 1);
    expect("c4e37d4ac120", "vblendvps ymm, ymm, ymm, ymm", 6, 0, 0);
    expect("f30fb8c8", "popcnt r32, r32", 4, 1, 0);
    expect("4889d8", "mov r64, r64", 3, 0, 3);
    expect("48d1e0", "shl r64, i8", 3, 0, FIELD_NONE);
    expect("00e3", "add r8, r8", 2, 3, 0);   /* add bl, ah */
    expect("4000e3", "add r8, r8", 3, 3, 4); /* add bl, spl */
}

static void test_addresses_are_read(void **state)
{
    (void)state;
    struct form_use u = read_hex("488b442410"); /* mov rax, [rsp+16] */
    assert_string_equal(form_name(u.form), "mov r64, m64");
    assert_int_equal(u.base, 4);
    assert_int_equal(u.index, FIELD_NONE);
    assert_int_equal(u.displacement, 16);
    u = read_hex("4d8b9488f8ffffff"); /* mov r10, [r8+rcx*4-8] */
    assert_string_equal(form_name(u.form), "mov r64, m64");
    assert_int_equal(u.base, 8);
    assert_int_equal(u.index, 1);
    assert_int_equal(u.displacement, -8);
    u = read_hex("488d0d10000000"); /* lea rcx, [rip+16] */
    assert_string_equal(form_name(u.form), "lea r64, [rip + i32]");
    u = read_hex("488d0e"); /* lea rcx, [rsi] */
    assert_string_equal(form_name(u.form), "lea r64, [base]");
    u = read_hex("488d0c38"); /* lea rcx, [rax+rdi] */
    assert_string_equal(form_name(u.form), "lea r64, [base + index]");
    assert_int_equal(u.registers[0], 1);
    assert_int_equal(u.registers[1], 0);
    assert_int_equal(u.registers[2], 7);
}

static void test_what_is_no_form_has_a_length(void **state)
{
    (void)state;
    assert_true(read_hex("90").is_nop);
    assert_true(read_hex("0f1f440000").is_nop);
    assert_int_equal(read_hex("0f1f440000").length, 5);
    assert_null(read_hex("d1d2").form); /* rcl edx, 1: only rotations by a constant are forms */
    assert_null(read_hex("7505").form); /* jne */
    assert_int_equal(read_hex("7505").length, 2);
    assert_int_equal(read_hex("4801").length, 0); /* it ends too early */
}

static void test_what_keeps_a_part_of_its_register_is_known(void **state)
{
    (void)state;
    assert_true(form_keeps_part(form_find("movsx r16, r8"), 0));
    assert_false(form_keeps_part(form_find("movsx r32, r8"), 0));
    assert_false(form_keeps_part(form_find("movsx r16, r8"), 1));
    assert_true(form_keeps_part(form_find("pshufd xmm, xmm, i8"), 0));
    assert_false(form_keeps_part(form_find("vpshufd xmm, xmm, i8"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_emitted_is_read),
        cmocka_unit_test(test_what_assemblers_write_is_read),
        cmocka_unit_test(test_addresses_are_read),
        cmocka_unit_test(test_what_is_no_form_has_a_length),
        cmocka_unit_test(test_what_keeps_a_part_of_its_register_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
