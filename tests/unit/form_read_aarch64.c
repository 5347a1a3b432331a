/* link: arch/form_read.c arch/aarch64/form_read.c arch/catalogue.c arch/aarch64/catalogue.c build/catalogue/aarch64.c arch/emit.c arch/aarch64/emit.c */
/* Protects how code of AArch64 is read: with other immediates and addresses than the catalogue has. */
#include <stdlib.h>

#include "tests/unit/form_read.h"

static void test_immediates_are_read(void **state)
{
    (void)state;
    expect("41140091", "add x, x, #i, lsl #i", 4, 1, 2);        /* add x1, x2, #5 */
    expect("410c038b", "add x, x, x, lsl #i", 4, 1, 2);         /* add x1, x2, x3, lsl #3 */
    expect("4100038b", "add x, x, x", 4, 1, 2);                 /* add x1, x2, x3 */
    expect("e10180d2", "movz x, #i, lsl #i", 4, 1, FIELD_NONE); /* mov x1, #15 */
    expect("4110839a", "csel x, x, x, cond", 4, 1, 2);          /* csel x1, x2, x3, ne */
    expect("4154254f", "shl v.4s, v.4s, #i", 4, 1, 2);          /* shl v1.4s, v2.4s, #5 */
    expect("1f0003eb", "subs x, x, x", 4, FIELD_NONE, 0);       /* cmp x0, x3 */
}

static void test_addresses_are_read(void **state)
{
    (void)state;
    struct form_use u = read_hex("411040f9"); /* ldr x1, [x2, #32] */
    assert_string_equal(form_name(u.form), "ldr x, [base]");
    assert_int_equal(u.registers[0], 1);
    assert_int_equal(u.base, 2);
    assert_int_equal(u.displacement, 4); /* in words */
    u = read_hex("410c41a9");            /* ldp x1, x3, [x2, #16] */
    assert_string_equal(form_name(u.form), "ldp x, x, [base]");
    assert_int_equal(u.registers[1], 3);
    assert_int_equal(u.base, 2);
}

static void test_what_is_no_form_has_a_length(void **state)
{
    (void)state;
    assert_true(read_hex("1f2003d5").is_nop);
    assert_null(read_hex("41000054").form); /* b.ne */
    assert_int_equal(read_hex("41000054").length, 4);
    assert_int_equal(read_hex("4100").length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_emitted_is_read),
        cmocka_unit_test(test_immediates_are_read),
        cmocka_unit_test(test_addresses_are_read),
        cmocka_unit_test(test_what_is_no_form_has_a_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
