#include "lib/plan/user_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/emit_harness.h"
#include "lib/plan/elf_text.h"
#include "lib/plan/settings.h"

enum {
    MESSAGE = 320,
    GROWTH = 16,                      /* kernels for which room is made at once */
    STRIDE = 64,                      /* bytes between the pointers of a chain, unless the kernel says otherwise */
    STRIDE_MOST = 1 << 20,            /* at most */
    UNROLL_MOST = 4096,               /* copies, at most */
    POINTER_BYTES = sizeof(uint64_t), /* which a stride must hold */
};
static const uint64_t MEMORY_MOST = UINT64_C(64) << 20;

struct reading_state {
    struct user_kernels *all;
    struct user_kernel *now; /* the kernel that is being read; NULL before the first name */
    bool is_wrong;           /* something of it was */
    const char *from;
    size_t reported;
    const struct user_files *files;
    config_warn *warn;
    void *context;
};

static void wrong(void *context, unsigned line, const char *text)
{
    struct reading_state *s = context;

    s->is_wrong = true;
    s->all->wrong++;
    warn_of_line(s->warn, s->context, s->from, s->reported++, line, text);
}

/* ---- Values ------------------------------------------------------------------------------------- */

/* A whole number, decimal or with 0x hexadecimal, and what follows it. False where there is none. */
static bool read_number(const char *text, uint64_t *value, const char **rest)
{
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const unsigned base = is_hex ? 16 : 10;
    const char *at = text + (is_hex ? 2 : 0), *first = at;

    *value = 0;
    for (;; at++) {
        const char c = (char)(*at | 0x20); /* a small letter */
        const unsigned digit = *at >= '0' && *at <= '9' ? (unsigned)(*at - '0')
                               : c >= 'a' && c <= 'f'   ? (unsigned)(c - 'a') + 10
                                                        : base;
        if (digit >= base)
            break;
        if (*value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    *rest = at;
    return at > first;
}

/* A number of bytes: 4096, 16k, 2m. */
static bool read_bytes(const char *text, uint64_t *value)
{
    const char *rest;

    if (!read_number(text, value, &rest) || *value > MEMORY_MOST)
        return false;
    if (*rest && !rest[1]) {
        const char unit = (char)(*rest | 0x20);
        if (unit != 'k' && unit != 'm')
            return false;
        *value <<= unit == 'k' ? 10 : 20;
        rest++;
    }
    return !*rest;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Adds bytes in hex, with or without blanks or commas between them. NULL, or what is wrong. */
static const char *add_hex(uint8_t *out, size_t *count, const char *text)
{
    for (const char *at = text; *at;) {
        if (*at == ' ' || *at == '\t' || *at == ',') {
            at++;
            continue;
        }
        const int high = hex_digit(at[0]), low = hex_digit(at[1]);
        if (high < 0 || low < 0)
            return "takes bytes of two hexadecimal digits each, as in 48 01 d8";
        if (*count == USER_CODE)
            return "has more than 4096 bytes, which is the most";
        out[(*count)++] = (uint8_t)(16 * high + low);
        at += 2;
    }
    return NULL;
}

/* "rax=5", "r14=memory", "rsi=memory+64". NULL, or what is wrong. */
static const char *add_register(struct user_kernel *k, const char *word, size_t length)
{
    static const char takes[] = "takes NAME=NUMBER, NAME=memory and NAME=memory+NUMBER, separated by blanks or commas";
    static const char memory[] = "memory";
    char text[64];
    struct user_register *r = &k->registers[k->register_count];
    const char *rest;

    if (k->register_count == USER_REGISTERS || length >= sizeof text)
        return takes;
    memcpy(text, word, length);
    text[length] = 0;
    char *value = strchr(text, '=');
    if (!value || value == text || (size_t)(value - text) >= sizeof r->name)
        return takes;
    *value++ = 0;
    *r = (struct user_register){.is_address = !strncmp(value, memory, sizeof memory - 1)};
    memcpy(r->name, text, strlen(text) + 1);
    for (unsigned i = 0; i < k->register_count; i++)
        if (!strcmp(k->registers[i].name, r->name))
            return "gives the same register two values";
    if (r->is_address)
        value += sizeof memory - 1;
    if (!r->is_address || *value) {
        if (r->is_address && *value++ != '+')
            return takes;
        if (!read_number(value, &r->value, &rest) || *rest)
            return takes;
    }
    k->register_count++;
    return NULL;
}

static const char *add_registers(struct user_kernel *k, const char *text)
{
    const char *why = NULL;

    for (text += strspn(text, " \t,"); *text && !why; text += strspn(text, " \t,")) {
        const size_t length = strcspn(text, " \t,");
        why = add_register(k, text, length);
        text += length;
    }
    return why;
}

static const char *set_switch(bool *out, const char *value, const char *on, const char *off, const char *takes)
{
    if (strcmp(value, on) != 0 && strcmp(value, off) != 0)
        return takes;
    *out = !strcmp(value, on);
    return NULL;
}

/* ---- Code from other files ---------------------------------------------------------------------- */

static const char *add_file(struct reading_state *s, const char *file)
{
    struct user_kernel *k = s->now;
    uint8_t *bytes = NULL;
    const uint8_t *code;
    size_t count = 0;

    if (!s->files)
        return "is not possible here; give the bytes as code = ";
    const char *why = s->files->read(s->files->context, k->isa, file, &bytes, &count);
    if (why)
        return why; /* cppcheck-suppress returnDanglingLifetime ; a sentence, which does not point at bytes or count */
    code = bytes;
    if (elf_is(bytes, count)) {
        const size_t all = count;
        why = elf_text(bytes, all, k->isa, &code, &count);
    }
    if (!why && (count == 0 || count > USER_CODE - k->code_bytes))
        why = count ? "holds more than 4096 bytes of code, which is the most" : "holds no code";
    if (!why) {
        memcpy(k->code + k->code_bytes, code, count);
        k->code_bytes += count;
    }
    free(bytes);
    return why;
}

/* ---- One kernel --------------------------------------------------------------------------------- */

/* What can only be said of the whole kernel; of registers only for this instruction set. NULL, or what is wrong. */
static const char *check_whole(const struct user_kernel *k, bool is_here)
{
    if (!k->code_bytes)
        return "the kernel has no code; give code = and bytes in hex, or file = and a file's name";
    if (is_here && (k->code_bytes % emit_alignment || k->init_bytes % emit_alignment))
        return "the code is no whole number of instructions, which have 4 bytes each";
    if (k->offset_bytes && !k->memory_bytes)
        return "offset = needs memory =";
    if (k->contents == CONTENTS_CHAIN && k->memory_bytes < 2 * (uint64_t)k->stride_bytes)
        return "contents = chain needs memory = of at least two strides";
    for (unsigned i = 0; i < k->register_count; i++) {
        if (k->registers[i].is_address && !k->memory_bytes)
            return "registers = refers to memory, so that the kernel needs memory =";
        if (is_here && harness_register_find(k->registers[i].name) == harness_registers)
            return "registers = names a register that this instruction set has not; only general registers of 64 bits "
                   "are given values here, the code of init = can set others";
        if (is_here && !harness_is_free(harness_register_find(k->registers[i].name)))
            return "registers = names a register that the harness needs; docs/KERNELS.md says which";
    }
    return NULL;
}

/* Ends the kernel that is being read, and keeps it where nothing of it was wrong. */
static void finish(struct reading_state *s)
{
    struct user_kernels *all = s->all;

    if (!s->now)
        return;
    const bool is_here = !strcmp(s->now->isa, emit_isa);
    const char *why = s->is_wrong ? NULL : check_whole(s->now, is_here);
    for (size_t i = 0; i < all->count && is_here && !s->is_wrong && !why; i++)
        if (!strcmp(all->list[i].name, s->now->name))
            why = "there is another kernel of this name; choose a different one";
    if (why)
        wrong(s, s->now->line, why);
    if (!s->is_wrong && !is_here)
        all->others++;
    else if (!s->is_wrong)
        all->count++;
    s->now = NULL;
}

/* Makes room for GROWTH more kernels. */
static bool grow(struct user_kernels *all)
{
    struct user_kernel *list = realloc(all->list, (all->count + GROWTH) * sizeof *list);

    if (!list)
        return false;
    all->list = list;
    return true;
}

/* Begins a kernel. NULL, or what is wrong with its name. */
static const char *begin(struct reading_state *s, const struct setting *line)
{
    struct user_kernels *all = s->all;

    finish(s);
    s->is_wrong = false;
    if (all->count % GROWTH == 0 && !grow(all))
        return "there is no memory for kernels";
    if (all->count == USER_KERNELS)
        return "there are 256 kernels already, which is the most";
    if (!line->value[0] || strlen(line->value) >= USER_NAME || strchr(line->value, ' '))
        return "a name has 1 to 24 characters without blanks";
    s->now = &all->list[all->count];
    *s->now = (struct user_kernel){.line = line->line, .stride_bytes = STRIDE, .cold = true, .why = true};
    snprintf(s->now->name, sizeof s->now->name, "%s", line->value);
    snprintf(s->now->from, sizeof s->now->from, "%s", s->from);
    snprintf(s->now->isa, sizeof s->now->isa, "%s", emit_isa);
    return NULL;
}

static const char *set_contents(struct user_kernel *k, const char *value)
{
    static const char *const names[USER_CONTENTS] = {"zeros", "random", "chain"};

    for (unsigned i = 0; i < USER_CONTENTS; i++)
        if (!strcmp(names[i], value)) {
            k->contents = (enum user_contents)i;
            return NULL;
        }
    return "takes zeros, random or chain";
}

static const char *set_isa(struct user_kernel *k, const char *value)
{
    if (strcmp(value, "x86_64") != 0 && strcmp(value, "aarch64") != 0)
        return "takes x86_64 or aarch64";
    if (k->code_bytes)
        return "must stand before the code";
    memcpy(k->isa, value, strlen(value) + 1);
    return NULL;
}

static const char *set_size(uint64_t *out, const char *value, uint64_t step, uint64_t most, const char *takes)
{
    return read_bytes(value, out) && *out % step == 0 && *out <= most ? NULL : takes;
}

static const char *set_count(unsigned *out, const char *value, uint64_t least, uint64_t most, const char *takes)
{
    const char *rest;
    uint64_t number;

    if (!read_number(value, &number, &rest) || *rest || number < least || number > most)
        return takes;
    *out = (unsigned)number;
    return NULL;
}

static const char *set_value(struct reading_state *s, const struct setting *line)
{
    struct user_kernel *k = s->now;
    const char *key = line->key, *value = line->value;

    if (line->cut)
        return "is longer than 8191 characters; go on with another line of the same key";
    if (!strcmp(key, "isa"))
        return set_isa(k, value);
    if (!strcmp(key, "code"))
        return add_hex(k->code, &k->code_bytes, value);
    if (!strcmp(key, "init"))
        return add_hex(k->init, &k->init_bytes, value);
    if (!strcmp(key, "file"))
        return add_file(s, value);
    if (!strcmp(key, "memory"))
        return set_size(&k->memory_bytes, value, POINTER_BYTES, MEMORY_MOST,
                        "takes bytes, a multiple of 8 to 64m, as in 16k");
    if (!strcmp(key, "page"))
        return set_size(&k->page_bytes, value, 4096, MEMORY_MOST, "takes the size of a page, as in 4k or 2m");
    if (!strcmp(key, "offset"))
        return set_size(&k->offset_bytes, value, 1, 4095, "takes bytes from 0 to 4095");
    if (!strcmp(key, "contents"))
        return set_contents(k, value);
    if (!strcmp(key, "stride"))
        return set_count(&k->stride_bytes, value, POINTER_BYTES, STRIDE_MOST, "takes bytes from 8 to 1048576");
    if (!strcmp(key, "registers"))
        return add_registers(k, value);
    if (!strcmp(key, "unroll"))
        return set_count(&k->unroll, value, 1, UNROLL_MOST, "takes a number of copies from 1 to 4096");
    if (!strcmp(key, "cold"))
        return set_switch(&k->cold, value, "on", "off", "takes on or off");
    if (!strcmp(key, "why"))
        return set_switch(&k->why, value, "on", "off", "takes on or off");
    if (!strcmp(key, "predict"))
        return set_switch(&k->predict, value, "on", "off", "takes on or off");
    if (!strcmp(key, "prefetchers"))
        return set_switch(&k->each_prefetcher, value, "each", "as-found", "takes as-found or each");
    if (!strcmp(key, "events")) {
        if (strlen(value) >= sizeof k->events)
            return "takes names of events, 255 characters at most";
        snprintf(k->events, sizeof k->events, "%s", value);
        return NULL;
    }
    return "is unknown; known are name, isa, code, file, init, memory, page, offset, contents, stride, registers, "
           "unroll, events, cold, prefetchers, why, predict";
}

static void take(void *context, const struct setting *line)
{
    struct reading_state *s = context;
    char text[MESSAGE], shown[SETTING_KEY];
    const char *why;

    if (!strcmp(line->key, "name"))
        why = begin(s, line);
    else if (!s->now && s->is_wrong)
        return; /* its name was wrong */
    else
        why = s->now ? set_value(s, line) : "stands before any name; a kernel begins with name =";
    if (why) {
        snprintf(text, sizeof text, "%s: %s", settings_show(shown, line->key), why);
        wrong(s, line->line, text);
    }
}

void user_kernels_add(struct user_kernels *k, const char *from, const char *text, size_t bytes,
                      const struct user_files *files, config_warn *warn, void *context)
{
    struct reading_state s = {.all = k, .from = from, .files = files, .warn = warn, .context = context};
    const size_t before = k->count + k->others + k->wrong;

    settings_read(text, bytes, &(struct settings_reader){.take = take, .wrong = wrong, .context = &s});
    finish(&s);
    if (k->count + k->others + k->wrong == before)
        wrong(&s, 0, "holds no kernel; a kernel begins with name =");
}

bool user_kernels_predict(const struct user_kernels *k)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].predict)
            return true;
    return false;
}

void user_kernels_free(struct user_kernels *k)
{
    free(k->list);
    *k = (struct user_kernels){0};
}
