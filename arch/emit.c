/* The part of the emitter that is the same on every ISA. */
#include <string.h>

#include "arch/emit_private.h"

struct code code_start(uint8_t *write, uintptr_t at, size_t bytes)
{
    return (struct code){.write = write, .at = at, .bytes = bytes, .invalid = at % emit_alignment != 0};
}

bool code_good(const struct code *c)
{
    return !c->overflow && !c->invalid;
}

void code_append(struct code *c, const uint8_t *bytes, size_t count, struct work work)
{
    uint8_t *const at = code_take(c, count, work);

    if (at)
        memcpy(at, bytes, count);
}

bool code_require_branch(struct code *c, size_t from, size_t bytes, size_t target)
{
    return code_require(c, from <= c->used && c->used - from >= bytes && target <= c->bytes &&
                               target % emit_alignment == 0);
}

/* ---- Space ----------------------------------------------------------------------------------- */

void emit_nops(struct code *c, size_t bytes)
{
    unsigned longest = 0;
    for (const unsigned *length = emit_nop_lengths; *length; length++)
        longest = *length;

    if (!code_require(c, bytes % emit_alignment == 0) || !code_require_room(c, bytes))
        return;
    while (bytes) {
        unsigned length = bytes < longest ? (unsigned)bytes : longest;
        emit_nop(c, length);
        bytes -= length;
    }
}

void emit_nop_sequence(struct code *c, unsigned bytes, size_t count)
{
    const size_t first = c->used;

    if (count == 0 || !code_require(c, count <= SIZE_MAX / emit_longest) || !code_require_room(c, count * bytes))
        return;
    emit_nop(c, bytes);
    if (!code_good(c))
        return;
    for (size_t made = bytes; made < count * bytes; made *= 2)
        memcpy(c->write + first + made, c->write + first, made < count * bytes - made ? made : count * bytes - made);
    c->used = first + count * bytes;
    c->work.instructions += count - 1;
}

void emit_bytes(struct code *c, const uint8_t *bytes, size_t count)
{
    if (code_require(c, count % emit_alignment == 0))
        code_append(c, bytes, count, (struct work){.instructions = 0});
}

void emit_copy(struct code *c, size_t from, size_t bytes, struct work work)
{
    if (code_require(c, from <= c->used && bytes <= c->used - from))
        code_append(c, c->write + from, bytes, work);
}

/* What the code from *before to *after executes. */
static struct work work_between(const struct code *before, const struct code *after)
{
    return (struct work){after->work.instructions - before->work.instructions,
                         after->work.branches - before->work.branches, after->work.loads - before->work.loads,
                         after->work.stores - before->work.stores};
}

void emit_repeat(struct code *c, const struct code *before, size_t times)
{
    const size_t from = before->used, bytes = c->used - from;
    const struct work once = work_between(before, c);

    for (size_t made = 1, more; code_good(c) && made < times; made += more) {
        more = times - made < made ? times - made : made;
        emit_copy(c, from, more * bytes,
                  (struct work){more * once.instructions, more * once.branches, more * once.loads, more * once.stores});
    }
}

void emit_copy_between(struct code *c, const struct code *before, const struct code *after)
{
    emit_copy(c, before->used, after->used - before->used, work_between(before, after));
}

void emit_align(struct code *c, size_t bytes)
{
    if (code_require(c, bytes != 0 && (bytes & (bytes - 1)) == 0))
        emit_nops(c, -(c->at + c->used) & (bytes - 1));
}

void emit_place(struct code *c, size_t offset)
{
    if (!code_require(c, offset >= c->used && offset % emit_alignment == 0) || !code_require_room(c, offset - c->used))
        return;
    memset(c->write + c->used, emit_trap, offset - c->used);
    c->used = offset;
}

/* ---- Branches to known places: emitted open, closed at once ------------------------------------ */

void emit_land(struct code *c, struct fixup branch)
{
    emit_land_at(c, branch, c->used);
}

void emit_branch(struct code *c, size_t target)
{
    emit_land_at(c, emit_branch_ahead(c), target);
}

void emit_branch_if_zero(struct code *c, enum reg r, size_t target)
{
    emit_land_at(c, emit_branch_if_zero_ahead(c, r), target);
}

void emit_branch_if_not_zero(struct code *c, enum reg r, size_t target)
{
    emit_land_at(c, emit_branch_if_not_zero_ahead(c, r), target);
}

void emit_call(struct code *c, size_t target)
{
    emit_land_at(c, emit_call_ahead(c), target);
}
