/* The harness around code of somebody else, on x86-64. Encodings: Intel SDM vol. 2. */
#include "arch/emit_harness.h"

#include <string.h>

#include "arch/x86_64/encode.h"

enum { R15 = 15, KEPT = 24 /* offset of harness_state.kept */ };

const unsigned harness_registers = 16, harness_vectors = 16, harness_counter = R15, harness_link = 16;
const char harness_holds[] = "r15, which counts iterations, and rsp, which points at a stack of 8 KiB";

static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

bool harness_is_free(unsigned number)
{
    return number < harness_registers && number != RSP && number != R15;
}

const char *harness_register_name(unsigned number)
{
    return names[number];
}

unsigned harness_register_find(const char *name)
{
    unsigned n = 0;

    while (n < harness_registers && strcmp(names[n], name) != 0)
        n++;
    return n;
}

static void bytes(struct code *c, struct work work, const uint8_t *list, unsigned count)
{
    code_append(c, list, count, work);
}

#define BYTES(c, work, ...) bytes(c, work, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* MOV r64, imm64: REX.W B8+rd io */
static void load_constant(struct code *c, unsigned number, uint64_t value)
{
    struct instruction i = {.count = 0};

    add(&i, 0x48 | number >> 3, 1);
    add(&i, 0xb8 | (number & 7), 1);
    add(&i, (uint32_t)value, 4);
    add(&i, (uint32_t)(value >> 32), 4);
    append(c, &i, WORK_PLAIN);
}

void emit_harness_value(struct code *c, unsigned number, uint64_t value)
{
    if (code_require(c, harness_is_free(number)))
        load_constant(c, number, value);
}

/* VXORPS or XORPS of a register with itself (SDM vol. 2C, 2B): a zeroing idiom. */
void emit_harness_clear_vector(struct code *c, unsigned number, unsigned vector_bits)
{
    if (!code_require(c, number < harness_vectors))
        return;
    const uint8_t low = (uint8_t)(number & 7), itself = (uint8_t)(0xc0 | low << 3 | low);
    if (vector_bits > 128) {
        const uint8_t high = (uint8_t)(number >= 8), vvvv = (uint8_t)((~number & 15) << 3);
        BYTES(c, WORK_PLAIN, 0xc4, (uint8_t)(0x41 | !high << 7 | !high << 5), vvvv, 0x57, itself);
    } else if (number >= 8) {
        BYTES(c, WORK_PLAIN, 0x45, 0x0f, 0x57, itself);
    } else {
        BYTES(c, WORK_PLAIN, 0x0f, 0x57, itself);
    }
}

void emit_harness_set_flags(struct code *c)
{
    BYTES(c, WORK_PLAIN, 0x48, 0x39, 0xe4); /* CMP rsp, rsp */
}

enum { OFFSETS = 1008 };

/* MOV between a register and [rsp + offset]: the base rsp takes an SIB byte. */
static void at_stack(struct code *c, unsigned number, unsigned offset, uint8_t opcode, struct work work)
{
    struct instruction i = {.count = 0};

    if (!code_require(c, harness_is_free(number) && offset <= OFFSETS && offset % 16 == 0))
        return;
    add(&i, 0x48 | number >> 3 << 2, 1);
    add(&i, opcode, 1);
    add(&i, 0x84 | (number & 7) << 3, 1);
    add(&i, 0x24, 1);
    add(&i, offset, 4);
    append(c, &i, work);
}

void emit_harness_load(struct code *c, unsigned number, unsigned offset)
{
    at_stack(c, number, offset, 0x8b, WORK_LOAD);
}

void emit_harness_store(struct code *c, unsigned number, unsigned offset)
{
    at_stack(c, number, offset, 0x89, WORK_STORE);
}

/* MOVUPS between [rsp + offset] and an xmm register. */
static void vector_at_stack(struct code *c, unsigned number, unsigned offset, unsigned opcode, struct work work)
{
    struct instruction i = {.count = 0};

    if (!code_require(c, number < harness_vectors && offset <= OFFSETS && offset % 16 == 0))
        return;
    if (number >= 8)
        add(&i, 0x44, 1);
    add(&i, 0x0f, 1);
    add(&i, opcode, 1);
    add(&i, 0x84 | (number & 7) << 3, 1);
    add(&i, 0x24, 1);
    add(&i, offset, 4);
    append(c, &i, work);
}

void emit_harness_load_vector(struct code *c, unsigned number, unsigned offset)
{
    vector_at_stack(c, number, offset, 0x10, WORK_LOAD);
}

void emit_harness_store_vector(struct code *c, unsigned number, unsigned offset)
{
    vector_at_stack(c, number, offset, 0x11, WORK_STORE);
}

void emit_harness_enter(struct code *c, uint64_t state, uint64_t stack, unsigned vector_bits)
{
    load_constant(c, RAX, state);
    BYTES(c, WORK_STORE, 0x48, 0x89, 0x20);       /* MOV [rax], rsp */
    BYTES(c, WORK_STORE, 0x0f, 0xae, 0x58, KEPT); /* STMXCSR [rax + 24] */
    BYTES(c, WORK_STORE, 0x9c);                   /* PUSHFQ */
    BYTES(c, WORK_STORE, 0x8f, 0x40, KEPT + 8);   /* POP [rax + 32] */
    load_constant(c, RSP, stack);                 /* from here on the stack is the code's */
    BYTES(c, WORK_PLAIN, 0x49, 0x89, 0xff);       /* MOV r15, rdi */
    if (vector_bits > 128)
        BYTES(c, WORK_PLAIN, 0xc5, 0xfc, 0x77); /* VZEROALL */
    for (unsigned v = 0; v < harness_vectors && vector_bits <= 128; v++)
        emit_harness_clear_vector(c, v, vector_bits);
}

void emit_harness_loop(struct code *c, size_t start)
{
    BYTES(c, WORK_PLAIN, 0x49, 0x83, 0xef, 0x01); /* SUB r15, 1 */
    const size_t from = c->used;
    const int64_t distance = (int64_t)start - (int64_t)(from + 6);
    struct instruction i = {.count = 0};
    add(&i, 0x0f, 1); /* JNZ rel32 */
    add(&i, 0x85, 1);
    add(&i, (uint32_t)distance, 4);
    append(c, &i, WORK_BRANCH);
}

void emit_harness_leave(struct code *c, uint64_t state, unsigned vector_bits)
{
    load_constant(c, RAX, state);
    BYTES(c, WORK_STORE, 0x4c, 0x89, 0x78, 8);   /* MOV [rax + 8], r15 */
    BYTES(c, WORK_STORE, 0x48, 0x89, 0x60, 16);  /* MOV [rax + 16], rsp */
    BYTES(c, WORK_LOAD, 0x48, 0x8b, 0x20);       /* MOV rsp, [rax] */
    BYTES(c, WORK_LOAD, 0xff, 0x70, KEPT + 8);   /* PUSH [rax + 32] */
    BYTES(c, WORK_LOAD, 0x9d);                   /* POPFQ */
    BYTES(c, WORK_LOAD, 0x0f, 0xae, 0x50, KEPT); /* LDMXCSR [rax + 24] */
    BYTES(c, WORK_PLAIN, 0xdb, 0xe3); /* FNINIT: empties the x87 stack, which MMX shares, with its usual mode */
    if (vector_bits > 128)
        BYTES(c, WORK_PLAIN, 0xc5, 0xf8, 0x77); /* VZEROUPPER */
    emit_return(c);
}

/* CLFLUSH displaces the line from all caches, instruction caches too (SDM vol. 2A). */
void emit_harness_flush(struct code *c, uint64_t at, unsigned line)
{
    load_constant(c, RAX, at);
    const size_t start = c->used;
    BYTES(c, WORK_LOAD, 0x0f, 0xae, 0x38); /* CLFLUSH [rax] */
    if (!code_require(c, line > 0 && line < 128))
        return;
    BYTES(c, WORK_PLAIN, 0x48, 0x83, 0xc0, (uint8_t)line); /* ADD rax, line */
    emit_loop(c, start);
    emit_fence(c, FENCE_MEMORY);
    emit_return(c);
}
