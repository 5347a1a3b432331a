/*
 * Caches as the core declares them (Arm ARM DDI 0487, D19.2, CLIDR_EL1, CSSELR_EL1, CCSIDR_EL1, CTR_EL0).
 *
 * The manual warns that CCSIDR_EL1 exists for maintenance by set and way and need not hold the real size: what the
 * firmware's tables declare is preferred.
 */
#include "arch/aarch64/caches.h"

#include "arch/aarch64/registers.h"

enum { LEVELS = 7 };

static struct identity_cache described(unsigned level, unsigned holds, uint64_t ccsidr, bool wide)
{
    /* LineSize is the logarithm of the bytes, less 4; the other two are one less than what they count. */
    unsigned line = 16u << field(ccsidr, 0, 3);
    uint64_t ways = (uint64_t)(wide ? field(ccsidr, 3, 21) : field(ccsidr, 3, 10)) + 1;
    uint64_t sets = (uint64_t)(wide ? field(ccsidr, 32, 24) : field(ccsidr, 13, 15)) + 1;

    return (struct identity_cache){.level = level,
                                   .holds = holds,
                                   .bytes = line * ways * sets,
                                   .ways = (unsigned)ways,
                                   .line_bytes = line,
                                   .source = "ccsidr_el1"};
}

size_t caches_from(uint64_t clidr, bool wide, ccsidr_source *ask, struct identity_cache *out, size_t room)
{
    enum { NONE, INSTRUCTIONS, DATA, APART, UNIFIED }; /* Ctype */
    size_t count = 0;

    for (unsigned level = 1; level <= LEVELS; level++) {
        unsigned type = field(clidr, 3 * (level - 1), 3);
        uint64_t selector = (level - 1) << 1; /* Level in [3:1], InD in [0] */

        if (type == NONE || type > UNIFIED) /* levels after an empty one mean nothing */
            break;
        if (type != INSTRUCTIONS && count < room)
            out[count++] = described(level, type == UNIFIED ? HOLDS_DATA | HOLDS_INSTRUCTIONS : HOLDS_DATA,
                                     ask(selector), wide);
        if ((type == INSTRUCTIONS || type == APART) && count < room)
            out[count++] = described(level, HOLDS_INSTRUCTIONS, ask(selector | 1), wide);
    }
    return count;
}

size_t lines_from(uint64_t ctr, struct identity_cache *out, size_t room)
{
    /* DminLine and IminLine: logarithm of the words of four bytes. */
    const struct identity_cache lines[2] = {
        {.level = 1, .holds = HOLDS_DATA, .line_bytes = 4u << field(ctr, 16, 4), .source = "ctr_el0"},
        {.level = 1, .holds = HOLDS_INSTRUCTIONS, .line_bytes = 4u << field(ctr, 0, 4), .source = "ctr_el0"},
    };
    size_t count = 0;

    while (count < 2 && count < room) {
        out[count] = lines[count];
        count++;
    }
    return count;
}
