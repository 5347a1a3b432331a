#include "lib/kernels/page_crossing.h"

#include "lib/kernels/straight.h"

enum {
    LEAD_INSTRUCTIONS = 2, /* of one pair of pages: a NOP, and a jump to the next pair */
    FILLER_BYTES = 4
};

/* Emits the shortest NOP as the last instruction of a page. */
static void emit_last_of_page(struct code *c, size_t page_end)
{
    emit_place(c, page_end - emit_alignment);
    emit_nop(c, emit_alignment);
}

bool page_crossing_build(struct probe *p, const struct page_crossing *x, size_t instructions, struct kernel *k)
{
    const size_t page = x->page_bytes;
    struct code c = probe_code(p, PAGE_CROSSING_PAGES * page);
    size_t pair = 0, start = page - emit_alignment, fillers = instructions - PAGE_CROSSING_OTHERS;

    if (x->aligned) {
        fillers += (size_t)x->leads * LEAD_INSTRUCTIONS; /* the back end has the same work */
        start = page + (emit_longest > emit_alignment ? STRAIGHT_LINE_BYTES - emit_alignment : 0);
        emit_place(&c, start);
        emit_nop(&c, emit_alignment);
    } else {
        for (; pair < x->leads; pair++) {
            emit_last_of_page(&c, (2 * pair + 1) * page);
            size_t next = (2 * pair + 3) * page - emit_alignment;
            emit_jump(&c, next, emit_jump_bytes((int64_t)(next - c.used), false));
        }
        emit_last_of_page(&c, (2 * pair + 1) * page);
    }
    emit_nop_sequence(&c, FILLER_BYTES, fillers);
    emit_loop(&c, start);
    emit_return(&c);
    *k = (struct kernel){.units = 1, .warm_iterations = probe_smoke(p, 10, 1000)};
    return probe_kernel(p, &c, start, k);
}
