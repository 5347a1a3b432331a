/* What reader.S knows of arch/reader.h; reader_layout.c holds it against the header. */
#ifndef FATHOM_ARCH_X86_64_READER_LAYOUT_H
#define FATHOM_ARCH_X86_64_READER_LAYOUT_H

#define READING_KERNEL 0
#define READING_ARGUMENT_0 8
#define READING_ARGUMENT_1 16
#define READING_BEGIN_TICKS 24
#define READING_END_TICKS 32
#define READING_BEGIN_COUNT 40
#define READING_END_COUNT 56
#define READING_COUNTS 72
#define READING_BYTES 80
#define COUNTS_INDEX 4
#define COUNTS_BEGIN 144
#define COUNTS_END 416
#define COUNT_CYCLES 2 /* READER_CYCLES_ONLY */
#define COUNT_EVENTS 4 /* READER_EVENTS */
#define MSR_APERF 0xe8
#define CHAIN_ADDITIONS 128
#define WIDTH_NOPS 128

#endif
