/*
 * A test on modelled cores puts itself on the list of its program: a pointer in the linker section `model_tests`, whose
 * bounds main.c walks, as PROBE() does for probes (lib/probe/probe.h). A new test needs no change in any other file.
 */
#ifndef FATHOM_TESTS_MODEL_TEST_H
#define FATHOM_TESTS_MODEL_TEST_H

/* What cmocka.h needs stands before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct model_test {
    const char *name;
    const char *probes; /* that it tests, with spaces between them; "": none in particular */
    void (*run)(void);
    const char *file; /* tests run in the order of file names, and in a file from top to bottom */
    unsigned line;
};

/*
 * Begins the definition of a test, without return value or arguments. The probes it names must run in it, or it fails:
 * a probe that no test names has to be on the list in coverage.c, with the reason.
 */
#define MODEL_TEST(id, probes_tested) \
    static void id(void); \
    static const struct model_test model_test_##id = {#id, probes_tested, id, __FILE__, __LINE__}; \
    static const struct model_test *const model_test_entry_##id \
        __attribute__((used, section("model_tests"))) = &model_test_##id; \
    static void id(void)

/* The list, which the linker bounds. */
extern const struct model_test *const __start_model_tests[], *const __stop_model_tests[];

#endif
