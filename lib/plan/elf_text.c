#include "lib/plan/elf_text.h"

#include <string.h>

/* Offsets in the header, and in the entry of a section (System V ABI, ELF-64 object file format). */
enum {
    HEADER_BYTES = 64,
    CLASS_AT = 4,
    DATA_AT = 5,
    MACHINE_AT = 18,
    SECTIONS_AT = 40,
    ENTRY_BYTES_AT = 58,
    COUNT_AT = 60,
    NAMES_AT = 62,

    ENTRY_BYTES = 64,
    ENTRY_NAME = 0,
    ENTRY_TYPE = 4,
    ENTRY_OFFSET = 24,
    ENTRY_SIZE = 32,
    ENTRY_INFO = 44,

    CLASS_64 = 2,
    LITTLE_ENDIAN = 1,
    TYPE_PROGBITS = 1,
    TYPE_RELA = 4,
    TYPE_REL = 9,
    MACHINE_X86_64 = 62,
    MACHINE_AARCH64 = 183
};

struct elf {
    const uint8_t *bytes;
    size_t count;
    uint64_t sections; /* offset of their entries */
    unsigned section_count, names;
};

static uint64_t number_at(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static const uint8_t *entry(const struct elf *e, unsigned i)
{
    return e->bytes + e->sections + (size_t)i * ENTRY_BYTES;
}

/* The bytes of a section; false where they do not lie in the file. */
static bool section(const struct elf *e, unsigned i, const uint8_t **at, size_t *bytes)
{
    const uint64_t offset = number_at(entry(e, i) + ENTRY_OFFSET, 8), size = number_at(entry(e, i) + ENTRY_SIZE, 8);

    if (offset > e->count || size > e->count - offset)
        return false;
    *at = e->bytes + offset;
    *bytes = (size_t)size;
    return true;
}

static bool is_named(const struct elf *e, unsigned i, const char *name)
{
    const uint8_t *names;
    size_t bytes;
    const uint64_t at = number_at(entry(e, i) + ENTRY_NAME, 4);

    return e->names < e->section_count && section(e, e->names, &names, &bytes) && at < bytes &&
           strlen(name) < bytes - at && !memcmp(names + at, name, strlen(name) + 1);
}

bool elf_is(const uint8_t *bytes, size_t count)
{
    return count >= 4 && !memcmp(bytes, "\177ELF", 4);
}

const char *elf_text(const uint8_t *bytes, size_t count, const char *isa, const uint8_t **code, size_t *code_bytes)
{
    struct elf e = {.bytes = bytes, .count = count};
    unsigned text = 0;

    if (!elf_is(bytes, count) || count < HEADER_BYTES)
        return "is no complete ELF file";
    if (bytes[CLASS_AT] != CLASS_64 || bytes[DATA_AT] != LITTLE_ENDIAN)
        return "is an ELF file, but not one of 64 bits and little-endian";
    const uint64_t machine = number_at(bytes + MACHINE_AT, 2);
    if (machine != (strcmp(isa, "x86_64") ? MACHINE_AARCH64 : MACHINE_X86_64))
        return "is an ELF file of another instruction set than the kernel's isa";
    e.sections = number_at(bytes + SECTIONS_AT, 8);
    e.section_count = (unsigned)number_at(bytes + COUNT_AT, 2);
    e.names = (unsigned)number_at(bytes + NAMES_AT, 2);
    if (number_at(bytes + ENTRY_BYTES_AT, 2) != ENTRY_BYTES || e.sections > count ||
        e.section_count > (count - e.sections) / ENTRY_BYTES)
        return "is an ELF file whose table of sections is damaged";
    for (unsigned i = 1; i < e.section_count && !text; i++)
        if (number_at(entry(&e, i) + ENTRY_TYPE, 4) == TYPE_PROGBITS && is_named(&e, i, ".text"))
            text = i;
    if (!text || !section(&e, text, code, code_bytes))
        return "is an ELF file without a section .text; put the code there";
    for (unsigned i = 1; i < e.section_count; i++) {
        const uint64_t type = number_at(entry(&e, i) + ENTRY_TYPE, 4);
        if ((type == TYPE_RELA || type == TYPE_REL) && number_at(entry(&e, i) + ENTRY_INFO, 4) == text)
            return "refers to symbols outside its section .text, which are not linked here; "
                   "use registers for addresses, and local labels for branches";
    }
    return NULL;
}
