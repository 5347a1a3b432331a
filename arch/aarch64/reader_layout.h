/* Offsets within struct reading, for reader.S; reader_layout.c holds them against the struct. */
#ifndef FATHOM_ARCH_AARCH64_READER_LAYOUT_H
#define FATHOM_ARCH_AARCH64_READER_LAYOUT_H

#define READING_KERNEL 0
#define READING_ARGUMENTS 8
#define READING_BEGIN_TICKS 24
#define READING_END_TICKS 32
#define READING_BEGIN_COUNT 40
#define READING_END_COUNT 56
#define READING_COUNTS 72
#define READING_BYTES 80
#define COUNTS_INDEX 4
#define COUNTS_BEGIN 144
#define COUNTS_END 416
#define COUNT_CYCLES 2 /* READER_CYCLES_ONLY; the one after it is READER_CYCLES_AS_TIME */
#define COUNT_EVENTS 4 /* READER_EVENTS */
#define CHAIN_ADDITIONS 128
#define WIDTH_NOPS 128

#endif
