/*
 * Prefetches of code, read back by LLVM: a decoder that shares nothing with the one of emit_text.h, which takes those of
 * x86-64 for NOPs.
 */
#ifndef FATHOM_TESTS_EMIT_PREFETCHES_H
#define FATHOM_TESTS_EMIT_PREFETCHES_H

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "tests/unit/emit_common.h"

/*
 * Checks that LLVM's decoder for this triple, whose parts must have been initialised, reads each prefetch of code as its
 * name between `before` and `middle`, then the distance to its line, then `behind`. The distance is from the prefetch's
 * end, or from its beginning.
 */
static void check_prefetches(const char *triple, const char *before, const char *middle, const char *behind,
                             bool from_end)
{
    static const size_t targets[] = {0, 4, 128, 4096, 131072};
    const size_t at = 4096; /* of the prefetch, so that lines are before and behind it */
    LLVMDisasmContextRef decoder = LLVMCreateDisasm(triple, NULL, 0, NULL, NULL);

    assert_non_null(decoder);
    for (unsigned which = 0; emit_code_prefetches[which]; which++) {
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
            struct code c = fresh();
            char got[96] = "", want[96];
            c.used = at;
            emit_code_prefetch(&c, which, targets[i]);
            assert_true(code_good(&c));
            const size_t bytes = c.used - at;
            assert_int_equal(LLVMDisasmInstruction(decoder, code_bytes + at, bytes, at, got, sizeof got), bytes);
            snprintf(want, sizeof want, "%s%s%s%" PRId64 "%s", before, emit_code_prefetches[which], middle,
                     (int64_t)targets[i] - (int64_t)(at + (from_end ? bytes : 0)), behind);
            assert_string_equal(got, want);
        }
    }
    LLVMDisasmDispose(decoder);
}

#endif
