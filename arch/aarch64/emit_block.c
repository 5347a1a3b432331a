/* DC ZVA of AArch64 (Arm ARM DDI 0487, C5.3.27). */
#include "arch/emit_block.h"

#include "arch/aarch64/encode.h"

const struct emit_block emit_blocks[] = {
    {"dc zva", .zeroes = true},
    {.name = NULL},
};

/* DC ZVA, Xt: SYS #3, C7, C4, #1 */
void emit_block(struct code *c, const struct emit_block *b, size_t bytes, size_t zero_bytes)
{
    (void)b;
    if (!code_require(c, zero_bytes > 0 && bytes % zero_bytes == 0))
        return;
    for (size_t i = 0; i < bytes; i += zero_bytes) {
        append(c, 0xd50b7420 | rd(c, REG_T1), WORK_STORE);
        emit_add_constant(c, REG_T1, (int32_t)zero_bytes);
    }
}
