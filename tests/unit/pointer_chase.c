/* Pointer chases visit each line once before they come back, group after group, however their groups are linked. */
/* link: tests/unit/structure/profile.c tests/unit/structure/no_code.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/pointer_chase.h"

enum { LINES = 300, PITCH = 192 };

/* What mapping and the kernel need is not called. */
bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p, (void)a, (void)bytes, (void)page_bytes;
    abort();
}

bool probe_map_large(struct probe *p, struct area *a, size_t bytes)
{
    (void)p, (void)a, (void)bytes;
    abort();
}

struct code probe_code(struct probe *p, size_t bytes)
{
    (void)p, (void)bytes;
    abort();
}

bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k)
{
    (void)p, (void)c, (void)entry, (void)k;
    abort();
}

size_t machine_map_mark(void)
{
    abort();
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)a, (void)bytes, (void)page_bytes, (void)use;
    abort();
}

void machine_map_release(size_t mark)
{
    (void)mark;
    abort();
}

void emit_load(struct code *c, enum reg to, enum reg base, int32_t displacement)
{
    (void)c, (void)to, (void)base, (void)displacement;
    abort();
}

void emit_store(struct code *c, enum reg from, enum reg base, int32_t displacement)
{
    (void)c, (void)from, (void)base, (void)displacement;
    abort();
}

void emit_align(struct code *c, size_t bytes)
{
    (void)c, (void)bytes;
    abort();
}

static uint8_t ring[LINES * PITCH];
static uint32_t order[LINES];
static uint64_t start;

/* Follows the chase of `lines` lines from byte `offset` of the ring; `alike`: all whole groups have one order. */
static void check(const struct pointer_chase *c, size_t offset, size_t lines, size_t group, bool alike)
{
    const size_t pitch = c->pitch ? c->pitch : POINTER_CHASE_LINE_BYTES;
    bool visited[LINES] = {false};
    size_t at[LINES];

    assert_int_equal(start, c->ring.at + offset);
    uint64_t address = start;
    for (size_t i = 0; i < lines; i++) {
        const size_t line = (address - c->ring.at - offset) / pitch;
        assert_true(line < lines && address == c->ring.at + offset + line * pitch);
        assert_false(visited[line]);
        visited[line] = true;
        assert_int_equal(line / group, i / group);
        at[i] = line;
        if (alike && i >= group && i / group * group + group <= lines)
            assert_int_equal(line, at[i - group] + group);
        address = *(uint64_t *)(ring + offset + line * pitch);
    }
    assert_int_equal(address, start);
}

static void each_line_is_visited_once(void **state)
{
    static const size_t groups[] = {1, 2, 64, LINES};

    (void)state;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t lines = 1; lines < LINES; lines += 7)
            for (size_t pitch = 0; pitch <= PITCH; pitch += PITCH) {
                struct probe p = {.random = lines};
                struct pointer_chase c = {.ring = {.write = ring, .at = 0x700000000000},
                                          .start = {.write = (uint8_t *)&start},
                                          .order = {.write = (uint8_t *)order},
                                          .pitch = pitch};
                const size_t offset = pitch ? 0 : PITCH;
                memset(ring, 0xff, sizeof ring);
                pointer_chase_link(&p, &c, offset, lines, groups[g]);
                check(&c, offset, lines, groups[g], false);
                memset(ring, 0xff, sizeof ring);
                pointer_chase_link_alike(&p, &c, offset, lines, groups[g]);
                check(&c, offset, lines, groups[g], true);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_line_is_visited_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
