#include "tests/model/touched.h"

#include <stdlib.h>
#include <string.h>

#include "lib/kernels/pointer_chase.h"

/* A set of numbers: open addressing with linear probing (TAOCP vol. 3, 6.4, algorithm L). */
struct set {
    uint64_t *numbers; /* plus one; 0: free */
    size_t count, room;
};

static struct {
    struct set lines, pages; /* of the current kernel */
    struct touched *all;
    size_t count, room;
    size_t strays;
    uint64_t first_stray;
} touched;

static void add(struct set *s, uint64_t number);

static void grow(struct set *s)
{
    const struct set old = *s;

    *s = (struct set){.room = old.room ? 2 * old.room : 1024};
    s->numbers = calloc(s->room, sizeof *s->numbers);
    if (!s->numbers)
        abort();
    for (size_t i = 0; i < old.room; i++)
        if (old.numbers[i])
            add(s, old.numbers[i] - 1);
    free(old.numbers);
}

static void add(struct set *s, uint64_t number)
{
    if (2 * s->count >= s->room)
        grow(s);
    size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % s->room;
    while (s->numbers[i] && s->numbers[i] != number + 1)
        i = (i + 1) % s->room;
    s->count += !s->numbers[i];
    s->numbers[i] = number + 1;
}

static void clear(struct set *s)
{
    if (s->room)
        memset(s->numbers, 0, s->room * sizeof *s->numbers);
    s->count = 0;
}

void touched_start(void)
{
    clear(&touched.lines);
    clear(&touched.pages);
    touched.count = touched.strays = 0;
}

void touched_kernel(void)
{
    if (!touched.lines.count)
        return;
    if (touched.count == touched.room) {
        touched.room = touched.room ? 2 * touched.room : 64;
        touched.all = realloc(touched.all, touched.room * sizeof *touched.all);
        if (!touched.all)
            abort();
    }
    touched.all[touched.count++] = (struct touched){.lines = touched.lines.count, .pages = touched.pages.count};
    clear(&touched.lines);
    clear(&touched.pages);
}

void touched_data(uint64_t address, size_t size, size_t area_bytes, size_t page_bytes)
{
    if (area_bytes < POINTER_CHASE_LINE_BYTES)
        return;
    for (uint64_t line = address / POINTER_CHASE_LINE_BYTES; line <= (address + size - 1) / POINTER_CHASE_LINE_BYTES;
         line++) {
        add(&touched.lines, line);
        add(&touched.pages, line * POINTER_CHASE_LINE_BYTES / page_bytes);
    }
}

void touched_stray(uint64_t address)
{
    if (touched.strays++ == 0)
        touched.first_stray = address;
}

const struct touched *touched_all(size_t *count)
{
    touched_kernel();
    *count = touched.count;
    return touched.all;
}

size_t touched_strays(uint64_t *first)
{
    *first = touched.first_stray;
    return touched.strays;
}
