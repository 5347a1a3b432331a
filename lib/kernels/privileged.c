#include "lib/kernels/privileged.h"

static void emit_body(struct code *c, const void *context)
{
    const struct privileged_context *r = context;

    emit_privileged_begin(c, r->operation);
    for (unsigned i = 0; i < r->count; i++)
        emit_privileged(c, r->operation);
}

struct loop privileged_loop(struct privileged_context *context, const struct emit_privileged *operation, unsigned count,
                            uint64_t data)
{
    *context = (struct privileged_context){operation, count};
    return (struct loop){.body = emit_body,
                         .context = context,
                         .instructions = (size_t)count * operation->instructions + 1,
                         .data = data};
}
