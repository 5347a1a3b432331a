#include "arch/reader.h"

#include <stdlib.h>

/*
 * Iterations of the reference chain. Their difference is 40 * 128 additions, some thousand cycles: a counter that
 * advances in large steps, as emulators' do, cannot count them right.
 */
enum { PAIRS = READER_PROOF / 2, FEW = 20, MANY = 60 };

void reader_proof_list(struct reading list[READER_PROOF])
{
    for (size_t i = 0; i < READER_PROOF; i++)
        list[i] = (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {i % 2 ? MANY : FEW}};
}

static int ascending(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The counts of MANY minus those of FEW, sorted: the instructions around the reference chain cancel. */
static void differences(const struct reading list[READER_PROOF], int64_t out[PAIRS])
{
    for (size_t i = 0; i < PAIRS; i++) {
        const struct reading *few = &list[2 * i], *many = &list[2 * i + 1];
        out[i] = (int64_t)(many->end_count[0] - many->begin_count[0]) -
                 (int64_t)(few->end_count[0] - few->begin_count[0]);
    }
    qsort(out, PAIRS, sizeof out[0], ascending);
}

bool reader_proof_moves(const struct reading list[READER_PROOF])
{
    int64_t counts[PAIRS];

    differences(list, counts);
    return counts[PAIRS / 2] > 0;
}

const char *reader_proof_verdict(const struct reading list[READER_PROOF])
{
    const int64_t additions = (MANY - FEW) * READER_CHAIN;
    int64_t counts[PAIRS];

    differences(list, counts);
    if (counts[PAIRS / 2] == 0)
        return "the cycle counter stands still";
    /* the lowest and the highest quarter may have been disturbed; a chain of additions takes a cycle each, to 2 % */
    if (counts[PAIRS / 4] < additions - additions / 50 || counts[PAIRS - 1 - PAIRS / 4] > additions + additions / 50)
        return "the cycle counter does not count one cycle an addition";
    return NULL;
}
