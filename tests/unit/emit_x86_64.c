/* link: arch/emit.c arch/x86_64/emit.c arch/x86_64/emit_access.c arch/x86_64/emit_block.c arch/x86_64/emit_modes.c */
/* link: arch/emit_fillers.c arch/emit_idioms.c arch/x86_64/emit_fillers.c arch/x86_64/emit_idioms.c */
/* link: arch/x86_64/emit_privileged.c arch/catalogue.c arch/x86_64/catalogue.c build/catalogue/x86_64.c */
/* define: -isystem /usr/lib/llvm-19/include */
/* libs: -lcapstone -lunicorn -L/usr/lib/llvm-19/lib -lLLVM-19 -lm */
/* Protects the x86-64 emitter: its encodings, its limits, and that kernels do what they say. */
#include "tests/unit/emit_access_text.h"
#include "tests/unit/emit_fillers_text.h"
#include "tests/unit/emit_idioms_text.h"
#include "tests/unit/emit_modes_text.h"
#include "tests/unit/emit_prefetches.h"
#include "tests/unit/emit_room.h"
#include "tests/unit/emit_run.h"
#include "tests/unit/emit_text.h"

static const char *const name[REGS] = {"rdi", "rsi", "rcx", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13"};
static const char *const name32[REGS] = {"edi",  "esi", "ecx", "r8d",  "r9d", "r10d",
                                         "r11d", "ebx", "ebp", "r12d", "r13d"};

/* "" for 0, else " + 8" or " - 8". */
static const char *displacement(int64_t n)
{
    static char text[32];
    if (n == 0)
        return "";
    snprintf(text, sizeof text, " %c %" PRId64, n < 0 ? '-' : '+', n < 0 ? -n : n);
    return text;
}

static void expect(char *text, size_t size, struct op o, uint64_t at, uint64_t here)
{
    static const char *const nops[] = {
        [1] = "nop",
        [2] = "nop",
        [3] = "nop dword ptr [rax]",
        [4] = "nop dword ptr [rax]",
        [5] = "nop dword ptr [rax + rax]",
        [6] = "nop word ptr [rax + rax]",
        [7] = "nop dword ptr [rax]",
        [8] = "nop dword ptr [rax + rax]",
        [9] = "nop word ptr [rax + rax]",
    };
    static const char *const fences[FENCES] = {
        [FENCE_LOADS] = "lfence",
        [FENCE_STORES] = "sfence",
        [FENCE_MEMORY] = "mfence",
        [FENCE_INSTRUCTIONS] = "lfence",
    };
    const char *a = o.a < REGS ? name[o.a] : "", *b = name[o.b], *c = name[o.c];
    const uint64_t target = at + (uint64_t)o.n;

#define SAY(...) snprintf(text, size, __VA_ARGS__)
    switch (o.kind) {
    case NOP: SAY("%s", nops[o.n < 9 ? o.n : 9]); break;
    case MOVE: SAY("mov %s, %s", a, b); break;
    case CONSTANT:
        if (o.n >= 0 && o.n <= UINT32_MAX)
            SAY("mov %s, %" PRId64, name32[o.a], o.n);
        else if (o.n >= INT32_MIN && o.n < 0)
            SAY("mov %s, %" PRId64, a, o.n);
        else
            SAY("movabs %s, %" PRId64, a, o.n);
        break;
    case ADD: SAY("add %s, %s", a, b); break;
    case ADD_CONSTANT: SAY("add %s, %" PRId64, a, o.n); break;
    case XOR: SAY("xor %s, %s", a, b); break;
    case AND_CONSTANT: SAY("and %s, %" PRId64, a, (INT64_C(1) << o.n) - 1); break;
    case SHIFT_RIGHT: SAY("shr %s, %" PRId64, a, o.n); break;
    case MULTIPLY: SAY("imul %s, %s", a, b); break;
    case DIVIDE: SAY("xor edx, edx; mov rax, %s; div %s; mov %s, rax", a, b, a); break;
    case SQUARE_ROOT: SAY("sqrtsd xmm%u, xmm%u", o.a, o.b); break;
    case VECTOR_ADD: SAY("addsd xmm%u, xmm%u", o.a, o.b); break;
    case WIDE_CLEAR:
        if (o.n == 128)
            SAY("xorps xmm%u, xmm%u", o.a, o.a);
        else
            SAY("vxorps xmm%u, xmm%u, xmm%u", o.a, o.a, o.a);
        break;
    case WIDE_MULTIPLY:
        if (o.n == 128)
            SAY("mulpd xmm%u, xmm%u", o.a, o.b);
        else if (o.n == 256)
            SAY("vmulpd ymm%u, ymm%u, ymm%u", o.a, o.a, o.b);
        else /* Capstone 4 leaves room for a mask */
            SAY("vmulpd zmm%u , zmm%u, zmm%u", o.a, o.a, o.b);
        break;
    case WIDE_END: SAY("%s", o.n > 128 ? "vzeroupper" : ""); break;
    case LOAD: SAY("mov %s, qword ptr [%s%s]", a, b, displacement(o.n)); break;
    case STORE: SAY("mov qword ptr [%s%s], %s", b, displacement(o.n), a); break;
    case LOAD_INDEXED: SAY("mov %s, qword ptr [%s + %s*8]", a, b, c); break;
    case FENCE: SAY("%s", fences[o.n]); break;
    case FLUSH: SAY("clflush byte ptr [%s]", a); break;
    case BRANCH: SAY("jmp %" PRId64, target); break;
    case BRANCH_IF_ZERO: SAY("test %s, %s; je %" PRId64, a, a, target); break;
    case BRANCH_IF_NOT_ZERO: SAY("test %s, %s; jne %" PRId64, a, a, target); break;
    case COMPARE: SAY("cmp %s, %s", a, b); break;
    case DIRECT_JUMP: SAY("jmp %" PRId64, target); break;
    case DIRECT_JUMP_IF_EQUAL: SAY("je %" PRId64, target); break;
    case BRANCH_REGISTER: SAY("jmp %s", a); break;
    case ADDRESS: SAY("lea %s, [rip%s]", a, displacement((int64_t)(target - here - 7))); break;
    case CODE_PREFETCH: SAY("nop dword ptr [rip%s]", displacement((int64_t)(target - here - 7))); break;
    case CALL: SAY("call %" PRId64, target); break;
    case CALL_REGISTER: SAY("call %s", a); break;
    case ENTER: SAY("%s", ""); break;
    case LEAVE: SAY("ret"); break;
    case RETURN: SAY("ret"); break;
    case RETURN_TO: SAY("mov qword ptr [rsp], %s; ret", a); break;
    case DROP_CALL: SAY("lea rsp, [rsp + 8]"); break;
    case LOOP: SAY("dec rdi; jne %" PRId64, target); break;
    case UNDEFINED: SAY("ud2"); break;
    case UNKNOWN_REGISTER: SAY("mov ecx, %d; rdmsr", 0x12345678); break;
    case KINDS: break;
    }
#undef SAY
}

static const char *const expected_blocks[] = {
    "mov ecx, 64; xchg r8, rdi; xchg r9, rsi; rep movsb byte ptr [rdi], byte ptr [rsi]; xchg r8, rdi; xchg r9, rsi",
    "mov ecx, 64; xchg r8, rdi; rep stosb byte ptr [rdi], al; xchg r8, rdi",
};

static const struct expected_links expected_links[] = {
    {"base", "mov rcx, qword ptr [rcx]; mov rcx, qword ptr [rcx]"},
    {"offset8", "mov rcx, qword ptr [rcx + 8]; mov rcx, qword ptr [rcx + 8]"},
    {"offset32", "mov rcx, qword ptr [rcx + 1024]; mov rcx, qword ptr [rcx + 1024]"},
    {"offset32-far", "mov rcx, qword ptr [rcx + 4096]; mov rcx, qword ptr [rcx + 4096]"},
    {"register", "mov rcx, qword ptr [rcx + r9]; mov rcx, qword ptr [rcx + r9]"},
    {"register-scaled", "mov rcx, qword ptr [rcx + r9*8]; mov rcx, qword ptr [rcx + r9*8]"},
    {"index", "mov rcx, qword ptr [r9 + rcx]; mov rcx, qword ptr [r9 + rcx]"},
    {"index-scaled", "mov rcx, qword ptr [r9 + rcx*8]; mov rcx, qword ptr [r9 + rcx*8]"},
    {"index-offset", "mov rcx, qword ptr [r9 + rcx + 8]; mov rcx, qword ptr [r9 + rcx + 8]"},
    {"index-scaled-alone", "mov rcx, qword ptr [rcx*8]; mov rcx, qword ptr [rcx*8]"},
    {"zero8", "movzx ecx, byte ptr [r9 + rcx]; movzx ecx, byte ptr [r9 + rcx]"},
    {"zero16", "movzx ecx, word ptr [r9 + rcx]; movzx ecx, word ptr [r9 + rcx]"},
    {"zero32", "mov ecx, dword ptr [r9 + rcx]; mov ecx, dword ptr [r9 + rcx]"},
    {"sign8", "movsx rcx, byte ptr [r9 + rcx]; movsx rcx, byte ptr [r9 + rcx]"},
    {"sign16", "movsx rcx, word ptr [r9 + rcx]; movsx rcx, word ptr [r9 + rcx]"},
    {"sign32", "movsxd rcx, dword ptr [r9 + rcx]; movsxd rcx, dword ptr [r9 + rcx]"},
    {"to-alu", "mov rcx, qword ptr [rcx]; add rcx, r9; mov rcx, qword ptr [rcx]; add rcx, r9"},
    {"alu-memory", "add rcx, qword ptr [rcx]; add rcx, qword ptr [rcx]"},
    {NULL, NULL},
};

static void expect_access(char *text, size_t size, const struct emit_access *a, unsigned r, enum reg base,
                          int32_t offset, bool load)
{
    static const char *const name8[REGS] = {"dil",  "sil", "cl",  "r8b",  "r9b", "r10b",
                                            "r11b", "bl",  "bpl", "r12b", "r13b"};
    static const char *const name16[REGS] = {"di",   "si", "cx", "r8w",  "r9w", "r10w",
                                             "r11w", "bx", "bp", "r12w", "r13w"};
    const struct {
        unsigned bits;
        const char *memory, *const *names, *vector, *load, *store, *stream, *prefix;
    } widths[] = {{8, "byte", name8, NULL, "movzx", "mov", NULL, NULL},
                  {16, "word", name16, NULL, "movzx", "mov", NULL, NULL},
                  {32, "dword", name32, "xmm", "vmovd", "vmovd", NULL, NULL},
                  {64, "qword", name, "xmm", "vmovq", "vmovq", "movnti", NULL},
                  {128, "xmmword", NULL, "xmm", "vmovups", "vmovups", "vmovntps", NULL},
                  {256, "ymmword", NULL, "ymm", "vmovups", "vmovups", "vmovntps", NULL},
                  {512, "zmmword", NULL, "zmm", "vmovups", "vmovups", "vmovntps", NULL}};
    size_t w = 0;
    char operand[64], r_name[16];

    while (widths[w].bits != a->bits)
        w++;
    snprintf(operand, sizeof operand, "%s ptr [%s%s]", widths[w].memory, name[base], displacement(offset));
    const bool vector = a->file == ACCESS_VECTOR;
    if (vector)
        snprintf(r_name, sizeof r_name, "%s%u", widths[w].vector, r);
    else /* less than 64 bits are loaded into a register of 32 */
        snprintf(r_name, sizeof r_name, "%s", (load && a->bits < 32 ? name32 : widths[w].names)[r]);
    const char *mnemonic = a->streams ? widths[w].stream
                           : !vector  ? (load && a->bits < 32 ? "movzx" : "mov")
                           : load     ? widths[w].load
                                      : widths[w].store;
    if (load)
        snprintf(text, size, "%s %s, %s", mnemonic, r_name, operand);
    else
        snprintf(text, size, "%s %s, %s", mnemonic, operand, r_name);
}

static bool known(const struct emit_access *a)
{
    (void)a;
    return true;
}

/* Debian's Unicorn knows no VEX. */
static bool emulated(const struct emit_access *a)
{
    return a->file == ACCESS_GENERAL;
}

static const char *const branches[] = {"jmp", "je", "jne", "call", "ret", NULL};

static void prepare(uc_engine *uc)
{
    (void)uc; /* SSE is on from the start */
}

static unsigned constant_instructions(uint64_t value)
{
    (void)value;
    return 1;
}

#define BACK (-(INT64_C(1) << 31))
#define AHEAD ((INT64_C(1) << 31) - 1)

static const struct isa isa = {
    .cs_arch = CS_ARCH_X86,
    .cs_mode = CS_MODE_64,
    .uc_arch = UC_ARCH_X86,
    .uc_mode = UC_MODE_64,
    .uc_registers = {UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RCX, UC_X86_REG_R8, UC_X86_REG_R9, UC_X86_REG_R10,
                     UC_X86_REG_R11, UC_X86_REG_RBX, UC_X86_REG_RBP, UC_X86_REG_R12, UC_X86_REG_R13},
    .uc_vector = {UC_X86_REG_XMM0, UC_X86_REG_XMM1, UC_X86_REG_XMM2, UC_X86_REG_XMM3, UC_X86_REG_XMM4, UC_X86_REG_XMM5,
                  UC_X86_REG_XMM6, UC_X86_REG_XMM7},
    .uc_stack_pointer = UC_X86_REG_RSP,
    .prepare = prepare,
    .branches = branches,
    /* rel32 counts from the end of the operation: 5, 6, 9 or 7 bytes on; rel8: 2. */
    .reach = {{BRANCH, BACK + 5, AHEAD + 5},
              {CALL, BACK + 5, AHEAD + 5},
              {BRANCH_IF_ZERO, BACK + 9, AHEAD + 9},
              {BRANCH_IF_NOT_ZERO, BACK + 9, AHEAD + 9},
              {ADDRESS, BACK + 7, AHEAD + 7},
              {DIRECT_JUMP, -126, 129, .bytes = 2},
              {DIRECT_JUMP, BACK + 5, AHEAD + 5, .bytes = 5},
              {DIRECT_JUMP_IF_EQUAL, -126, 129, .bytes = 2},
              {DIRECT_JUMP_IF_EQUAL, BACK + 6, AHEAD + 6, .bytes = 6},
              {LOOP, BACK + 9, 0}},
    .constant_instructions = constant_instructions,
    .trap = 0xcc,
};

static void constants_take_their_shortest_form(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        unsigned bytes; /* with a register of the first eight */
    } forms[] = {
        {0, 5},
        {0x7fffffff, 5},
        {0x80000000, 5},
        {UINT32_MAX, 5},
        {UINT64_C(0x100000000), 10},
        {UINT64_C(0xffffffff7fffffff), 10},
        {UINT64_C(0xffffffff80000000), 7},
        {UINT64_MAX, 7},
        {UINT64_C(0x8000000000000000), 10},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (enum reg r = 0; r < REGS; r++) {
            struct code c = fresh();
            emit_constant(&c, r, forms[k].value);
            assert_int_equal(c.used, forms[k].bytes + (forms[k].bytes == 5 && name[r][1] <= '9'));
            check((struct op){CONSTANT, .a = r, .n = (int64_t)forms[k].value});
        }
}

static size_t length(struct op o)
{
    struct code c = fresh();
    apply(&c, o);
    assert_true(code_good(&c));
    return c.used;
}

/* REX, opcode, ModR/M; r12 as a base adds SIB, rbp and r13 a displacement of 0. */
static void immediates_and_displacements_take_their_shortest_form(void **state)
{
    (void)state;
    for (int n = -4095; n <= 4095; n++)
        assert_int_equal(length((struct op){ADD_CONSTANT, .n = n}), n == (int8_t)n ? 4 : 7);
    for (int n = 1; n <= 31; n++)
        assert_int_equal(length((struct op){AND_CONSTANT, .n = n}), n <= 7 ? 4 : 7);
    for (enum reg base = 0; base < REGS; base++)
        for (int n = -256; n <= 1024; n += n < 0 ? 1 : 8) {
            const bool must_have_one = base == REG_T6 || base == REG_T8;
            const size_t bytes = n == 0 && !must_have_one ? 0 : n == (int8_t)n ? 1 : 4;
            const size_t sib = base == REG_T7;
            assert_int_equal(length((struct op){LOAD, .b = base, .n = n}), 3 + sib + bytes);
            assert_int_equal(length((struct op){STORE, .b = base, .n = n}), 3 + sib + bytes);
        }
}

/*
 * Disassemblers write many encodings as the same NOP, so these are compared as bytes: SDM vol. 2B, NOP,
 * table 4-12, and from 10 on prefixes 66h before its longest.
 */
static void nops_are_the_recommended_ones(void **state)
{
    (void)state;
    static const char *const bytes[] = {
        "\x90",
        "\x66\x90",
        "\x0f\x1f\x00",
        "\x0f\x1f\x40\x00",
        "\x0f\x1f\x44\x00\x00",
        "\x66\x0f\x1f\x44\x00\x00",
        "\x0f\x1f\x80\x00\x00\x00\x00",
        "\x0f\x1f\x84\x00\x00\x00\x00\x00",
        "\x66\x66\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
    };
    for (unsigned n = 1; n <= 15; n++) {
        struct code c = fresh();
        emit_nop(&c, n);
        assert_memory_equal(code_bytes, n <= 8 ? bytes[n - 1] : bytes[8] + 15 - n, n);
    }
}

static void the_isa_names_itself(void **state)
{
    (void)state;
    assert_string_equal(emit_isa, "x86_64");
    assert_int_equal(emit_alignment, 1);
    assert_int_equal(emit_longest, 15);
    for (unsigned n = 0; n < 15; n++)
        assert_int_equal(emit_nop_lengths[n], n + 1);
    assert_int_equal(emit_nop_lengths[15], 0);
}

static const struct idiom_text idiom_texts[] = {
    {"mov64", "mov r8, r9"},      {"mov32", "mov r8d, r9d"},       {"movzx8", "movzx r8d, r9b"},
    {"movsxd", "movsxd r8, r9d"}, {"movaps", "movaps xmm1, xmm2"}, {"xor32", "xor r8d, r8d"},
    {"sub32", "sub r8d, r8d"},    {"mov32-0", "mov r8d, 0"},       {NULL, NULL},
};

static const struct idiom_text pair_texts[] = {
    {"cmp+jcc", "cmp rbp, r12; je 1073741829"},
    {"test+jcc", "test rbp, rbp; je 1073741829"},
    {"add+jcc", "add r8, rbp; je 1073741829"},
    {"sub+jcc", "sub r8, r12; je 1073741829"},
    {"and+jcc", "and r8, rbp; je 1073741829"},
    {"or+jcc", "or r8, rbp; je 1073741829"},
    {"xor+jcc", "xor r8, r12; je 1073741829"},
    {"inc+jcc", "inc r8; je 1073741829"},
    {"dec+jcc", "dec r8; je 1073741829"},
    {"neg+jcc", "neg r8; je 1073741829"},
    {"mov+add", "mov r8, rbp; add r8, r12"},
    {"nop+nop", "nop; nop"},
    {NULL, NULL},
};

static const struct idiom_text privileged_texts[] = {
    {"read-cr0", "mov rcx, cr0"},
    {"read-cr3", "mov rcx, cr3"},
    {"write-cr3", "mov rcx, cr3; mov cr3, rcx"},
    {"invlpg", "invlpg byte ptr [rsi]"},
    {"rdmsr", "mov ecx, 27; rdmsr"},
    {"cli", "cli"},
    {"lidt", "sidt [rsi]; lidt [rsi]"},
    {"int", "int 129"},
    {"iretq", "mov word ptr [rsi], ss; mov word ptr [rsi + 8], cs; mov rcx, rsp; push qword ptr [rsi]; push rcx; "
              "pushfq; push qword ptr [rsi + 8]; lea rcx, [rip + 3]; push rcx; iretq"},
    {NULL, NULL},
};

static const struct filler_text filler_texts[] = {
    {"nop", "nop", NULL},
    {"long-nop", "nop dword ptr [rax + rax]", NULL},
    {"move", "mov r11, rbp", "mov r11, rcx"},
    {"zero", "xor r11d, r11d", NULL},
    {"int64", "lea r11, [r12 + rbp]", "lea r11, [r12 + rcx]"},
    {"int32", "lea r11d, [r12 + rbp]", "lea r11d, [r12 + rcx]"},
    {"multiply", "imul r11, rbp, 3", "imul r11, rcx, 3"},
    {"flags", "cmp rbp, r12", "cmp rcx, r12"},
    {"scalar", "vaddsd xmm4, xmm7, xmm6", "vaddsd xmm4, xmm7, xmm1"},
    {"v128", "vpaddq xmm4, xmm7, xmm6", "vpaddq xmm4, xmm7, xmm1"},
    {"v256", "vpaddq ymm4, ymm7, ymm6", "vpaddq ymm4, ymm7, ymm1"},
    {"v512", "vpaddq zmm4 , zmm7, zmm6", "vpaddq zmm4 , zmm7, zmm1"},
    {"mask", "korw k4, k7, k6", NULL},
    {"load-64", "mov r11, qword ptr [r13 + 576]", "mov r11, qword ptr [r13 + rcx*8]"},
    {"load-v128", "vmovups xmm4, xmmword ptr [r13 + 576]", NULL},
    {"load-v256", "vmovups ymm4, ymmword ptr [r13 + 576]", NULL},
    {"load-v512", "vmovups zmm4, zmmword ptr [r13 + 576]", NULL},
    {"store-8", "mov byte ptr [r13 + 64], bpl", "mov byte ptr [r13 + 64], cl"},
    {"store-64", "mov qword ptr [r13 + 64], rbp", "mov qword ptr [r13 + 64], rcx"},
    {"store-v128", "vmovups xmmword ptr [r13 + 64], xmm6", "vmovups xmmword ptr [r13 + 64], xmm1"},
    {"store-v256", "vmovups ymmword ptr [r13 + 64], ymm6", "vmovups ymmword ptr [r13 + 64], ymm1"},
    {"store-v512", "vmovups zmmword ptr [r13 + 64], zmm6", "vmovups zmmword ptr [r13 + 64], zmm1"},
    {"store-target", "mov qword ptr [r13 + rbp*8], r12", "mov qword ptr [r13 + rcx*8], r12"},
    {"branch", "je 1073741826", "test rcx, rcx; jne 1073741833"},
    {"jump", "jmp 1073741840", NULL},
    {"v128-legacy", "pshufd xmm4, xmm6, 0", NULL},
    {NULL, NULL, NULL},
};

static const struct filler_text form_texts[] = {
    {"bt r64, i8", "bt rbp, 1", "bt rcx, 1"},
    {"imul r64, r64, i8", "imul r11, rbp, 1", "imul r11, rcx, 1"},
    {"vmulpd xmm, xmm, xmm", "vmulpd xmm4, xmm6, xmm7", "vmulpd xmm4, xmm1, xmm7"},
    {"movmskps r32, xmm", "movmskps r11d, xmm6", "movmskps r11d, xmm1"},
    {NULL, NULL, NULL},
};

static const struct held_text held_texts[] = {
    {128, 128, true, 0, "", ""},
    {128, 128, false, 16, "pshufd xmm0, xmm6, 0; ", "; pshufd xmm15, xmm6, 0"},
    {256, 128, false, 16, "vpaddq xmm0, xmm6, xmm6; ", "; vpaddq xmm15, xmm6, xmm6"},
    {256, 256, true, 16, "vpxor ymm0, ymm0, ymm0; ", "; vpxor ymm15, ymm15, ymm15"},
    {512, 128, false, 40, "korw k0, k7, k6; korw k1, k7, k6; ", "; vpaddq zmm31 , zmm6, zmm6"},
    {512, 512, true, 32, "vpxorq zmm0 , zmm0, zmm0; ", "; vpxorq zmm31 , zmm31, zmm31"},
    {.vector_bits = 0},
};

/* Which of the two it is shows in ModRM alone: 0F 18 /7 and 0F 18 /6. Capstone 4 takes both for a NOP; LLVM does not. */
static void prefetches_of_code_have_their_codes(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 2; which++) {
        struct code c = fresh();
        emit_code_prefetch(&c, which, 9);
        const uint8_t expected[] = {0x0f, 0x18, which ? 0x35 : 0x3d, 2, 0, 0, 0};
        assert_int_equal(c.used, sizeof expected);
        assert_memory_equal(code_bytes, expected, sizeof expected);
    }
}

static void llvm_reads_prefetches_of_code(void **state)
{
    (void)state;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    check_prefetches("x86_64", "\t", "\t", "(%rip)", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEXT_TESTS,
        RUN_TESTS,
        ROOM_TESTS,
        cmocka_unit_test(prefetches_of_code_have_their_codes),
        cmocka_unit_test(llvm_reads_prefetches_of_code),
        ACCESS_TESTS,
        MODE_TESTS,
        FILLER_TESTS,
        IDIOM_TESTS,
        cmocka_unit_test(constants_take_their_shortest_form),
        cmocka_unit_test(immediates_and_displacements_take_their_shortest_form),
        cmocka_unit_test(nops_are_the_recommended_ones),
        cmocka_unit_test(the_isa_names_itself),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    capstone_start();
    return cmocka_run_group_tests_name("emit x86-64", tests, NULL, NULL);
}
