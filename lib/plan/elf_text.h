/* The machine code of an object file that an assembler has made. */
#ifndef FATHOM_LIB_PLAN_ELF_TEXT_H
#define FATHOM_LIB_PLAN_ELF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the bytes begin as an ELF file does. */
bool elf_is(const uint8_t *bytes, size_t count);
/*
 * Finds the first section .text of a 64-bit little-endian ELF file for the instruction set `isa`, "x86_64" or "aarch64"
 * (System V ABI, chapter 4; the processor supplements for e_machine). Returns NULL, and in *code and *code_bytes where
 * in `bytes` it lies; or what is wrong with the file, to follow its name, and *code must then not be used. A section to
 * which relocations still have to be applied is refused. Nothing is read beyond `count`.
 */
const char *elf_text(const uint8_t *bytes, size_t count, const char *isa, const uint8_t **code, size_t *code_bytes);

#endif
