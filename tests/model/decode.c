#include "tests/model/decode.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/isa.h"

enum { DECODED = 1 << 20, SLOTS = 2 * DECODED };

struct decoded decoded[DECODED];

static struct {
    uint32_t count;          /* of decoded instructions, and number 0 */
    uint32_t slots[SLOTS];   /* numbers by the bytes of the instruction: open addressing with linear probing */
    uint16_t sizes[1 << 16]; /* by the first two bytes: a bit for each size of such an instruction */
} known = {.count = 1};

static bool is_jump(const char *mnemonic)
{
    for (size_t i = 0; i < sizeof isa.jumps / sizeof isa.jumps[0] && isa.jumps[i]; i++)
        if (!strcmp(mnemonic, isa.jumps[i]))
            return true;
    return false;
}

/* By name first, since in Capstone's groups AArch64's BL and RET are no call and no return. */
static enum kind kind_of(csh capstone, const cs_insn *i)
{
    const char *m = i->mnemonic;

    if (!strcmp(m, "nop") || !strncmp(i->op_str, "pli", 3))
        return KIND_NOP;
    if (!strcmp(m, isa.multiply) || !strcmp(m, "madd"))
        return KIND_MULTIPLY;
    if (!strcmp(m, "sqrtsd") || !strcmp(m, "fsqrt"))
        return KIND_ROOT;
    if (!strcmp(m, "lfence") || !strcmp(m, "mfence") || !strcmp(m, "isb") || !strcmp(m, "dsb"))
        return KIND_FENCE;
    if (!strcmp(m, "dc") && !strncmp(i->op_str, "zva", 3))
        return KIND_ZERO;
    if (!strcmp(m, "clflush") || !strcmp(m, "dc"))
        return KIND_FLUSH;
    if (!strcmp(m, "call") || !strcmp(m, "bl") || !strcmp(m, "blr"))
        return KIND_CALL;
    if (!strcmp(m, "ret"))
        return KIND_RETURN;
    if (!cs_insn_group(capstone, i, CS_GRP_JUMP))
        return KIND_PLAIN;
    if (!is_jump(m))
        return KIND_CONDITIONAL;
    return isa.jump_is_indirect(i) ? KIND_INDIRECT : KIND_JUMP;
}

/* Whether a direct branch leads to the instruction behind it; its target, relative to itself, is the last operand. */
static bool is_to_next(const cs_insn *i)
{
    const char *space = strrchr(i->op_str, ' '), *target = space ? space + 1 : i->op_str;

    return strtoull(*target == '#' ? target + 1 : target, NULL, 0) == i->size;
}

/*
 * PREFETCHIT0 and PREFETCHIT1, which Capstone takes for a NOP of RIP + disp32, and PRFM (literal) of a PLI operation.
 */
static int64_t prefetched(const cs_insn *i)
{
    uint32_t word;
    int32_t displacement;

    memcpy(&word, i->bytes, sizeof word);
    memcpy(&displacement, i->bytes + 3, sizeof displacement);
    if (!strcmp(i->mnemonic, "nop") && i->size == 7 && (word & 0xf7ffff) == 0x35180f)
        return displacement + i->size;
    return !strncmp(i->op_str, "pli", 3) ? (int64_t)((int32_t)(word << 8) >> 13) * 4 : 0;
}

/* Without the stack pointer, which a stack engine keeps, so that no instruction waits for it. */
static uint8_t copy_registers(uint16_t *to, const uint16_t *from, unsigned count)
{
    uint8_t n = 0;

    for (unsigned i = 0; i < count && n < DECODED_OPERANDS; i++)
        if (from[i] != isa.cs_stack_pointer && from[i] < DECODED_REGISTERS)
            to[n++] = (uint16_t)isa.whole(from[i]);
    return n;
}

/* Moves the constant 0, or subtracts a register from itself, or XORs the two. */
static bool is_zero(const cs_insn *i)
{
    const char *comma = strchr(i->op_str, ','), *second = comma ? comma + 2 : "";

    if (!strcmp(i->mnemonic, "mov") || !strcmp(i->mnemonic, "movz"))
        return !strcmp(second, "0") || !strcmp(second, "#0") || !strcmp(second, "#0x0") || !strcmp(second, "xzr");
    return (!strcmp(i->mnemonic, "xor") || !strcmp(i->mnemonic, "sub")) && comma &&
           !strncmp(i->op_str, second, (size_t)(comma - i->op_str)) && strlen(second) == (size_t)(comma - i->op_str);
}

static bool is_flags(const char *name)
{
    return strstr(name, "flags") || !strcmp(name, "nzcv");
}

/*
 * By Capstone's names of registers. Flags are rflags and nzcv, vectors xmm0 on x86-64 and v0, q0, d0, s0, h0, b0 on
 * AArch64, and all others are general, w0 and eax written in 32 bits.
 */
static void count_written(csh capstone, struct decoded *d, const uint16_t *as_named, unsigned named)
{
    for (unsigned i = 0; i < named; i++) {
        const char *name = cs_reg_name(capstone, as_named[i]);
        if (strchr("we", name[0]) || (name[0] == 'r' && name[strlen(name) - 1] == 'd'))
            d->halves_written++;
    }
    for (unsigned i = 0; i < d->written_count; i++) {
        const char *name = cs_reg_name(capstone, d->written[i]);
        const bool flags = is_flags(name);
        const bool vector = strstr(name, "mm") || (strchr("vqdshb", name[0]) && name[1] >= '0' && name[1] <= '9');
        uint8_t *count = flags ? &d->flags_written : vector ? &d->vector_written : &d->general_written;
        (*count)++;
    }
}

static enum waits_class waits_class_of(const struct decoded *d, const char *mnemonic)
{
    for (size_t i = 0; i < sizeof isa.shifts / sizeof isa.shifts[0] && isa.shifts[i]; i++)
        if (!strcmp(mnemonic, isa.shifts[i]))
            return CLASS_SHIFT;
    return d->kind == KIND_MULTIPLY                              ? CLASS_MULTIPLY
           : d->kind == KIND_CONDITIONAL || d->kind == KIND_JUMP ? CLASS_BRANCH
           : d->compares                                         ? CLASS_FLAGS
                                                                 : CLASS_ANY;
}

/* Capstone says of a comparison of AArch64 that it writes its first operand, and not that it reads it. */
static void read_what_is_compared(csh capstone, struct decoded *d)
{
    uint8_t kept = 0;

    for (unsigned i = 0; i < d->written_count; i++)
        if (is_flags(cs_reg_name(capstone, d->written[i])))
            d->written[kept++] = d->written[i];
        else if (d->read_count < DECODED_OPERANDS)
            d->read[d->read_count++] = d->written[i];
    d->written_count = kept;
    d->general_written = d->halves_written = 0;
}

/* Kinds of instruction on vectors; those that are not named are of integers. */
static enum bypass_kind bypass_kind_of(const struct decoded *d, const cs_insn *i)
{
    static const char *const floats[] = {"addpd", "mulpd", "orpd", "unpcklpd", "fadd", "fmul", "fmadd", "fmla"};
    const char *m = i->mnemonic;

    if (!strcmp(m, "movq") || (!strcmp(m, "fmov") && d->read_count))
        return BYPASS_WAY;
    if (!strcmp(m, "cvtdq2ps") || !strcmp(m, "scvtf"))
        return BYPASS_CONVERT;
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; k++)
        if (!strcmp(m, floats[k]))
            return BYPASS_FLOAT;
    return d->vector_written          ? BYPASS_INTEGER
           : d->accesses              ? BYPASS_LOAD
           : d->kind == KIND_MULTIPLY ? BYPASS_MULTIPLY
                                      : BYPASS_PLAIN;
}

/*
 * The sum of a multiply-add is the last operand of FMADD and MADD, and the first one of FMLA and MLA, which Capstone
 * does not count as read.
 */
static void find_sum(struct decoded *d, const cs_insn *i)
{
    const char *m = i->mnemonic;
    const bool last = !strcmp(m, "madd") || !strcmp(m, "fmadd"), first = !strcmp(m, "fmla") || !strcmp(m, "mla");

    if (!last && !first)
        return;
    const uint16_t sum = isa.operand_register(i, last ? 3 : 0);
    unsigned at = d->read_count;
    for (unsigned k = 0; k < d->read_count; k++)
        at = d->read[k] == sum && (first || k == 2) ? k : at;
    if (at == d->read_count && d->read_count < DECODED_OPERANDS)
        d->read[d->read_count++] = sum;
    if (at < DECODED_OPERANDS)
        d->needs[at] = d->makes == BYPASS_FLOAT     ? BYPASS_FLOAT_SUM
                       : d->makes == BYPASS_INTEGER ? BYPASS_INTEGER_SUM
                                                    : BYPASS_SUM;
}

static uint8_t unit_of(const struct decoded *d, const char *mnemonic)
{
    for (uint8_t i = 0; i < sizeof isa.units / sizeof isa.units[0] && isa.units[i]; i++) {
        const bool vector = isa.units[i][0] == '.';
        if (!strcmp(isa.units[i] + vector, mnemonic) && vector == (d->vector_written > 0))
            return (uint8_t)(i + 1);
    }
    return 0;
}

/* False where there is no instruction. */
static bool disassemble(struct decoded *d, const uint8_t *bytes, size_t room)
{
    static csh capstone;
    cs_insn *i;
    cs_regs read, written;
    uint8_t read_count = 0, written_count = 0;

    if (!capstone && (cs_open(isa.cs_arch, isa.cs_mode, &capstone) || cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON)))
        abort();
    if (cs_disasm(capstone, bytes, room, 0, 1, &i) != 1)
        return false;
    *d = (struct decoded){.kind = kind_of(capstone, i), .size = (uint8_t)i->size};
    d->computes = !strcmp(i->mnemonic, "add");
    memcpy(d->bytes, bytes, i->size);
    if (d->kind != KIND_NOP && !cs_regs_access(capstone, i, read, &read_count, written, &written_count)) {
        d->read_count = copy_registers(d->read, read, read_count);
        d->written_count = copy_registers(d->written, written, written_count);
        count_written(capstone, d, written, written_count);
        if (!strcmp(i->mnemonic, "cmp"))
            read_what_is_compared(capstone, d);
        if (!strcmp(i->mnemonic, "movz") || !strcmp(i->mnemonic, "movi")) /* and that these read what they write */
            d->read_count = 0;
    }
    d->base = (uint16_t)isa.base_register(i);
    d->atomic = !strncmp(i->mnemonic, "lock ", 5) || !strncmp(i->mnemonic, "cas", 3) ||
                !strncmp(i->mnemonic, "ldadd", 5);
    d->repeats = !strncmp(i->mnemonic, "rep ", 4);
    d->accesses = d->base && strcmp(i->mnemonic, "lea") != 0 && d->kind != KIND_NOP && d->kind != KIND_FLUSH &&
                  d->kind != KIND_ZERO;
    d->compares = !strcmp(i->mnemonic, "cmp");
    for (unsigned k = 0; k < d->read_count && (d->kind == KIND_CONDITIONAL || !strcmp(i->mnemonic, "test")); k++)
        d->counts |= d->read[k] == isa.cs_count;
    d->makes = (uint8_t)bypass_kind_of(d, i);
    memset(d->needs, d->makes, sizeof d->needs);
    find_sum(d, i);
    d->waits = waits_class_of(d, i->mnemonic);
    d->to_next = (d->kind == KIND_JUMP || d->kind == KIND_CONDITIONAL) && is_to_next(i);
    d->prefetches = prefetched(i);
    d->unit = unit_of(d, i->mnemonic);
    d->zeros = is_zero(i);
    d->moves = (!strcmp(i->mnemonic, "mov") || !strcmp(i->mnemonic, "movaps")) && !d->zeros && !d->base &&
               d->read_count == 1 && d->written_count == 1;
    cs_free(i, 1);
    return true;
}

static uint64_t key_of(const uint8_t *bytes, uint32_t size)
{
    uint64_t key;

    memcpy(&key, bytes, sizeof key);
    return size < sizeof key ? key & (((uint64_t)1 << 8 * size) - 1) : key;
}

/* The slot that has such an instruction, or the free one where it belongs. */
static uint32_t *slot_of(uint64_t key, const uint8_t *bytes, uint32_t size)
{
    size_t i = key * 0x9e3779b97f4a7c15 >> 43; /* Fibonacci hashing */

    for (;; i = (i + 1) % SLOTS) {
        const struct decoded *d = &decoded[known.slots[i]];
        if (!known.slots[i] ||
            (d->key == key && d->size == size && (size <= sizeof key || !memcmp(d->bytes, bytes, size))))
            return &known.slots[i];
    }
}

void decode_start(void)
{
    if (known.count < DECODED / 2)
        return;
    memset(&known, 0, sizeof known);
    known.count = 1;
}

uint32_t decode(const uint8_t *bytes, size_t room)
{
    uint8_t copy[LONGEST_INSTRUCTION + 1] = {0};
    uint16_t first;

    if (room < sizeof copy) {
        memcpy(copy, bytes, room);
        bytes = copy;
    }
    memcpy(&first, bytes, sizeof first);
    /* no shorter instruction is the begin of a longer one */
    for (unsigned left = known.sizes[first]; left; left &= left - 1) {
        const uint32_t size = (uint32_t)__builtin_ctz(left), number = *slot_of(key_of(bytes, size), bytes, size);
        if (number)
            return number | size << CODE_SIZE_SHIFT;
    }
    if (known.count == DECODED)
        abort();
    struct decoded *new = &decoded[known.count];
    if (!disassemble(new, bytes, room < LONGEST_INSTRUCTION ? room : LONGEST_INSTRUCTION))
        return 0;
    new->key = key_of(bytes, new->size);
    known.sizes[first] |= (uint16_t)(1U << new->size);
    *slot_of(new->key, bytes, new->size) = known.count;
    return known.count++ | (uint32_t) new->size << CODE_SIZE_SHIFT;
}
