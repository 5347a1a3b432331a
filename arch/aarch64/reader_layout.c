/* The reader knows struct reading by its offsets; here the compiler holds them to the struct. */
#include "arch/aarch64/reader_layout.h"

#include "arch/reader.h"

_Static_assert(offsetof(struct reading, kernel) == READING_KERNEL, "reader.S");
_Static_assert(offsetof(struct reading, argument) == READING_ARGUMENTS, "reader.S");
_Static_assert(offsetof(struct reading, begin_ticks) == READING_BEGIN_TICKS, "reader.S");
_Static_assert(offsetof(struct reading, end_ticks) == READING_END_TICKS, "reader.S");
_Static_assert(offsetof(struct reading, begin_count) == READING_BEGIN_COUNT, "reader.S");
_Static_assert(offsetof(struct reading, end_count) == READING_END_COUNT, "reader.S");
_Static_assert(offsetof(struct reading, counts) == READING_COUNTS, "reader.S");
_Static_assert(sizeof(struct reading) == READING_BYTES, "reader.S");
_Static_assert(offsetof(struct reader_counts, count) == 0, "reader.S");
_Static_assert(offsetof(struct reader_counts, index) == COUNTS_INDEX, "reader.S");
_Static_assert(offsetof(struct reader_counts, begin) == COUNTS_BEGIN, "reader.S");
_Static_assert(offsetof(struct reader_counts, end) == COUNTS_END, "reader.S");
_Static_assert(READER_EVENTS == COUNT_EVENTS, "reader.S");
_Static_assert(READER_TIME_ONLY == 0 && READER_CYCLES_INSTRUCTIONS < COUNT_CYCLES,
               "reader.S distinguishes them by order");
_Static_assert(READER_CYCLES_ONLY == COUNT_CYCLES && READER_CYCLES_AS_TIME > COUNT_CYCLES,
               "reader.S distinguishes them by order");
_Static_assert(READER_CHAIN == CHAIN_ADDITIONS, "reader.S");
_Static_assert(READER_WIDTH == WIDTH_NOPS, "reader.S");

const char reader_cycle_counter[] = "pmccntr_el0";
