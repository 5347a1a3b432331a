/*
 * Offers every opcode to Zydis, and writes the catalogue.
 *
 * usage: make-x86_64 >FILE
 * e.g.:  build/catalogue/make-x86_64 >catalogue.c
 *
 * Ends with 1 when the forms are too many for the table (FORMS), or the output could not be written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

/* ---- Every opcode ----------------------------------------------------------------------------------- */

/*
 * Offers the opcode in front of `modrm_at` with each ModR/M byte that matters: registers 0, 3 and, where there is a
 * third operand, 5, since no change of one bit makes two of these equal, which some instructions forbid; memory at
 * [rsi]; memory at [rsi + index]; and what lies at an offset from the instruction. The reg field takes all values, because it may extend the opcode; some legacy
 * instructions have all of ModR/M as opcode.
 */
static void walk_operands(uint8_t *bytes, unsigned modrm_at, uint8_t immediate, bool is_legacy)
{
    static const uint8_t modes[] = {0xc3, REG_DATA_NUMBER, 4, 0xc0, 0xc1, 0xc2, 0xc4, 0xc5, 0xc6, 0xc7, 5};

    for (unsigned reg = 0; reg < 8; reg++)
        for (unsigned mode = 0; mode < (is_legacy ? sizeof modes : 3); mode++) {
            uint8_t *p = bytes + modrm_at;
            memset(p, 0, LONGEST - modrm_at);
            *p++ = (uint8_t)(modes[mode] | reg << 3);
            if (modes[mode] == 4)
                *p++ = 0 << 6 | 3 << 3 | REG_DATA_NUMBER; /* SIB: index 3 */
            *p = immediate;
            take(bytes);
        }
}

static void walk_legacy(void)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf2, 0xf3, 0xf0};
    static const uint8_t maps[][2] = {{0, 0}, {0x0f, 0}, {0x0f, 0x38}, {0x0f, 0x3a}};

    for (unsigned map = 0; map < 4; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned p = 0; p < sizeof prefixes; p++)
                for (unsigned rex = 0x40; rex <= 0x48; rex += 8) {
                    uint8_t bytes[LONGEST] = {0};
                    unsigned n = 0;
                    if (prefixes[p])
                        bytes[n++] = prefixes[p];
                    bytes[n++] = (uint8_t)rex;
                    for (unsigned k = 0; k < 2 && maps[map][k]; k++)
                        bytes[n++] = maps[map][k];
                    bytes[n++] = (uint8_t)opcode;
                    walk_operands(bytes, n, 1, true);
                }
}

/* Three-byte VEX, and XOP (maps 8 to 10): only these prefixes have the bits R, X and B. */
static void walk_vex(uint8_t escape, unsigned first_map, unsigned last_map)
{
    for (unsigned map = first_map; map <= last_map; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned wlpp = 0; wlpp < 16; wlpp++)
                for (unsigned vvvv = 0; vvvv < 2; vvvv++) { /* register 5, or none */
                    const uint8_t last = (uint8_t)((wlpp >> 3) << 7 | (vvvv ? 15u : 10u) << 3 | (wlpp & 7));
                    uint8_t bytes[LONGEST] = {escape, (uint8_t)(0xe0 | map), last, (uint8_t)opcode};
                    walk_operands(bytes, 4, 1, false);
                }
}

static void walk_evex(void)
{
    for (unsigned map = 1; map <= 6; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned wpp = 0; wpp < 8; wpp++)
                for (unsigned vvvv = 0; vvvv < 2; vvvv++)
                    for (unsigned last = 0; last < 32; last++) {
                        /*
                         * z: bit 4; L'L: bits 3:2; b: bit 1; bit 0: mask register 3, which no change of one bit makes
                         * k0
                         */
                        const uint8_t p2 = (uint8_t)((last >> 4) << 7 | (last >> 2 & 3) << 5 | (last >> 1 & 1) << 4 |
                                                     8 | (last & 1) * 3);
                        uint8_t bytes[LONGEST] = {0x62, (uint8_t)(0xf0 | map),
                                                  (uint8_t)((wpp >> 2) << 7 | (vvvv ? 15u : 10u) << 3 | 4 | (wpp & 3)),
                                                  p2, (uint8_t)opcode};
                        walk_operands(bytes, 5, 1, false);
                    }
}

/* Direct branches to what comes next: each taken, and those with a condition also not taken. SDM vol. 2A, Jcc and JMP. */
static void walk_branches(void)
{
    const uint8_t jumps[][LONGEST] = {{0xeb}, {0xe9}}, counter[LONGEST] = {0xe3};

    for (unsigned class = FORM_TAKEN; class <= FORM_NOT_TAKEN; class ++) {
        for (unsigned condition = 0; condition < 16; condition++) {
            take_branch((const uint8_t[LONGEST]){(uint8_t)(0x70 | condition)}, class);
            take_branch((const uint8_t[LONGEST]){0x0f, (uint8_t)(0x80 | condition)}, class);
        }
        take_branch(counter, class);
    }
    for (size_t i = 0; i < sizeof jumps / sizeof jumps[0]; i++)
        take_branch(jumps[i], FORM_TAKEN);
}

/* ---- The C file ------------------------------------------------------------------------------------- */

static void print_operand(const struct form_operand *o)
{
    printf("{%u,%u,%u,%u,%u,%u,%u,%u,%u,{{", o->kind, o->type, o->access, o->fixed, o->bits, o->is_implicit,
           o->is_index, o->is_cleared, o->more);
    for (unsigned i = 0; i < FIELD_BITS; i++)
        printf("%u%s", o->field.bit[i], i + 1 < FIELD_BITS ? "," : "");
    printf("},%u}},\n", o->field.inverted);
}

/* Many forms have the same operands: each list of operands is written once. */
static size_t first_with_operands(size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (found[i].operand_count == found[k].operand_count &&
            !memcmp(found[i].operands, found[k].operands, sizeof found[k].operands))
            return i;
    return k;
}

static void print_operands(void)
{
    size_t written = 0;

    printf("const struct form_operand form_operands[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        const size_t first = first_with_operands(k);
        found[k].operands_at = first < k ? found[first].operands_at : written;
        for (unsigned i = 0; first == k && i < found[k].operand_count; i++, written++)
            print_operand(&found[k].operands[i]);
    }
    printf("};\n\n");
}

static void print_features(void)
{
    size_t written = 0;

    printf("const char *const form_features[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        size_t first = 0;
        while (strcmp(found[first].feature, found[k].feature) != 0)
            first++;
        found[k].feature_at = first < k ? found[first].feature_at : written;
        if (first == k) {
            printf("\"%s\",\n", found[k].feature);
            written++;
        }
    }
    printf("};\n\n");
}

static void print_names(void)
{
    size_t at = 0;

    printf("const char form_names[] =\n");
    for (size_t k = 0; k < found_count; k++) {
        found[k].name_at = at;
        at += strlen(found[k].name) + 1;
        printf("\"%s\\0\"\n", found[k].name);
    }
    printf(";\n\n");
}

static void print_forms(void)
{
    printf("const struct form forms[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        const struct found *f = &found[k];
        printf("{%zu,%zu,%zu,%u,%u,%u,{", f->name_at, f->operands_at, f->feature_at, f->operand_count, f->class,
               f->length);
        for (unsigned i = 0; i < f->length; i++)
            printf("%u%s", f->bytes[i], i + 1 < f->length ? "," : "");
        printf("},%d},\n", f->stack);
    }
    printf("};\nconst size_t form_count = %zu;\n\n", found_count);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

int main(void)
{
    decoder_start();
    walk_legacy();
    walk_vex(0xc4, 1, 3);
    walk_vex(0x8f, 8, 10);
    walk_evex();
    walk_branches();
    qsort(found, found_count, sizeof *found, by_name);
    printf("/* Made by scripts/catalogue-x86_64 with Zydis %u.%u. */\n#include \"arch/catalogue.h\"\n\n",
           (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    print_operands();
    print_features();
    print_names();
    print_forms();
    print_left_out();
    return found_count == FORMS || fflush(stdout) || ferror(stdout);
}
