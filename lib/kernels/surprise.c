#include "lib/kernels/surprise.h"

enum { CHUNK = 64 /* jumps in an iteration */, PAGE_BYTES = 4096, JUMPS = SURPRISE_AGAIN };

bool surprise_map(struct probe *p, struct surprise *s)
{
    s->jumps_bits = (unsigned)probe_smoke(p, 8, 14);
    return probe_map(p, &s->area, SURPRISE_LINE_BYTES + (sizeof(uint64_t) << s->jumps_bits), 0);
}

void surprise_begin(struct code *c, struct surprise *s)
{
    emit_align(c, SURPRISE_LINE_BYTES);
    s->entry = c->used;
    emit_enter(c);
    emit_load(c, REG_T0, REG_DATA, 0);
    emit_move(c, REG_T2, REG_DATA);
    emit_add_constant(c, REG_T2, SURPRISE_LINE_BYTES);
    s->jump = c->used;
    emit_load_indexed(c, REG_T1, REG_T2, REG_T0);
    emit_add_constant(c, REG_T0, 1);
    const struct fixup over = emit_call_ahead(c);
    emit_branch(c, c->used); /* where the return stack leads to */
    emit_land(c, over);
    emit_return_to(c, REG_T1);
    s->end = c->used;
    emit_and_constant(c, REG_T0, s->jumps_bits);
    emit_loop(c, s->jump);
    emit_store(c, REG_T0, REG_DATA, 0);
    emit_leave(c);
    emit_place(c, s->entry + (size_t)SURPRISE_LOOP_LINES * SURPRISE_LINE_BYTES);
}

void surprise_place(struct code *c, const struct surprise *s)
{
    if (s->full)
        emit_nop_row(c, emit_nop_lengths[0], (SURPRISE_LINE_BYTES - SURPRISE_JUMP_BYTES) / emit_nop_lengths[0]);
    emit_branch(c, s->jump);
}

/* How many places stay: those of the first page, where there are more. */
static size_t staying(size_t places, size_t place_bytes)
{
    const size_t in_page = place_bytes < PAGE_BYTES ? PAGE_BYTES / place_bytes : 1;

    return places > in_page ? in_page : 0;
}

size_t surprise_jumps(size_t places, size_t place_bytes)
{
    return JUMPS * (places - staying(places, place_bytes));
}

size_t surprise_again(size_t jump, size_t places, size_t place_bytes)
{
    const size_t stay = staying(places, place_bytes), other = stay + jump / JUMPS;

    return jump % JUMPS || !stay ? other : other % stay;
}

/* Where in the list the n-th jump is that goes to a place: the last of each iteration leads to its end instead. */
static size_t listed_at(size_t n)
{
    return n + n / (CHUNK - 1);
}

bool surprise_kernel(struct probe *p, const struct surprise *s, struct code *c,
                     size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                     struct kernel *k)
{
    uint64_t *targets = (uint64_t *)(s->area.write + SURPRISE_LINE_BYTES);
    const size_t iterations = ((size_t)1 << s->jumps_bits) / CHUNK, jumps = iterations * (CHUNK - 1);
    const size_t row = s->row ? s->row : 1;
    size_t before = 0;

    for (size_t n = 0; n < jumps; n++) {
        uint64_t *to = &targets[listed_at(n)];
        if (n >= count) {
            *to = targets[listed_at(n - count)];
            continue;
        }
        /* an order of rows drawn while it is written (Fisher and Yates; Durstenfeld 1964) */
        if (n % row == 0)
            before = random_below(&p->random, n / row + 1) * row;
        uint64_t *other = &targets[listed_at(before + n % row)];
        *to = *other;
        *other = c->at + place(context, n);
    }
    for (size_t i = 0; i < iterations; i++)
        targets[i * CHUNK + CHUNK - 1] = c->at + s->end;
    *k = (struct kernel){.data = s->area.at,
                         .units = CHUNK,
                         .warm_iterations = 2.0 * (double)count / CHUNK,
                         .stretch = probe_smoke(p, 1, 4)};
    return probe_kernel(p, c, s->entry, k);
}
