/*
 * Pointer chases visit each line once before they come back, group after group. Groups whose order is not alike have
 * lines of few pages, which are drawn from the whole ring.
 */
/* link: tests/unit/structure/profile.c tests/unit/structure/no_code.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/pointer_chase.h"

enum { LINES = 300, PITCH = 192, PAGE = 4096 };

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
static uint32_t order[2 * LINES]; /* of the lines and of the pages */
static uint64_t start;

/* These lines lie on as few pages as so many can, but for a page that is begun at each end. */
static void check_pages(const size_t *lines, size_t count, size_t page_lines)
{
    size_t pages = 0;

    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t before = 0; before < i; before++)
            seen = seen || lines[before] / page_lines == lines[i] / page_lines;
        pages += !seen;
    }
    assert_true(pages <= count / page_lines + 2);
}

/* Follows the chase of `lines` lines from byte `offset` of the ring; `alike`: all groups but the last have one order. */
static void check(const struct pointer_chase *c, size_t offset, size_t lines, size_t group, bool alike)
{
    const size_t pitch = c->pitch ? c->pitch : POINTER_CHASE_LINE_BYTES;
    bool visited[LINES] = {false};
    size_t at[LINES];

    uint64_t address = start;
    if (alike || group >= lines)
        assert_int_equal(start, c->ring.at + offset);
    for (size_t i = 0; i < lines; i++) {
        const size_t line = (address - c->ring.at - offset) / pitch;
        assert_true(line < lines && address == c->ring.at + offset + line * pitch);
        assert_false(visited[line]);
        visited[line] = true;
        if (alike || group >= lines)
            assert_int_equal(line / group, i / group);
        at[i] = line;
        if (alike && i >= group && i / group * group + group < lines)
            assert_int_equal(line, at[i - group] + group);
        address = *(uint64_t *)(ring + offset + line * pitch);
    }
    assert_int_equal(address, start);
    for (size_t first = 0; !alike && first < lines; first += group)
        check_pages(at + first, lines - first < group ? lines - first : group, PAGE / pitch);
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

/* Rings of several lengths, one after the other: groups that are linked stay, until something else is linked. */
static void groups_that_are_linked_alike_stay(void **state)
{
    static const size_t lengths[] = {LINES, 200, 64, LINES - 1, 65, 1, 300}, group = 64;
    size_t known[4] = {0}; /* struct chase_alike */
    struct probe p = {.random = 1};
    struct pointer_chase c = {.ring = {.write = ring, .at = 0x700000000000},
                              .start = {.write = (uint8_t *)&start},
                              .order = {.write = (uint8_t *)order},
                              .alike = (struct chase_alike *)known};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const bool stays = i != 1 && i != 2 && i != 4 && i > 0 && lengths[i - 1] > group && lengths[i] > group;
        uint64_t kept;
        memcpy(&kept, ring, sizeof kept);
        pointer_chase_link_alike(&p, &c, 0, lengths[i], group);
        check(&c, 0, lengths[i], group, true);
        if (stays)
            assert_memory_equal(&kept, ring, sizeof kept);
        c.pitch = i == 1 ? PITCH : 0; /* others are linked anew */
        if (i == 3) {
            memset(ring, 0xff, sizeof ring);
            pointer_chase_link(&p, &c, 0, LINES, group);
        }
    }
}

/* Neighbouring groups have neighbouring pages where the order is alike, and hardly ever where it is not. */
static void pages_of_a_group_are_drawn(void **state)
{
    const size_t group = PAGE / PITCH;
    struct probe p = {.random = 1};
    struct pointer_chase c = {.ring = {.write = ring, .at = 0x700000000000},
                              .start = {.write = (uint8_t *)&start},
                              .order = {.write = (uint8_t *)order},
                              .pitch = PITCH};
    size_t in_order = 0;

    (void)state;
    pointer_chase_link(&p, &c, 0, LINES / group * group, group);
    uint64_t address = start;
    for (size_t i = 0; i < LINES / group; i++) {
        const size_t page = (address - c.ring.at) / (group * PITCH);
        for (size_t line = 0; line < group; line++)
            address = *(uint64_t *)(ring + address - c.ring.at);
        in_order += (address - c.ring.at) / (group * PITCH) == page + 1;
    }
    assert_true(in_order <= LINES / group / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_line_is_visited_once),
                                       cmocka_unit_test(groups_that_are_linked_alike_stay),
                                       cmocka_unit_test(pages_of_a_group_are_drawn)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
