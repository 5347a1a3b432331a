/*
 * Errata of the generic timer's counter, CNTVCT_EL0: machines on which it now and then reads wrong. Which machine has
 * one is known from the device tree's timer node or from the GTDT, not from the core. The reader works around them.
 */
#ifndef FATHOM_ARCH_AARCH64_COUNTER_ERRATA_H
#define FATHOM_ARCH_AARCH64_COUNTER_ERRATA_H

/*
 * What reader.S does with the counter. The values other than COUNTER_BETWEEN_ROLLS are limits: a reading is right when
 * it is less than that many ticks later than the one before it.
 */
#define COUNTER_SOUND 0           /* reads it once */
#define COUNTER_EQUAL 1           /* reads it until two readings in a row are equal */
#define COUNTER_NEAR 32           /* until the second of two is later by less than 32 ticks */
#define COUNTER_BETWEEN_ROLLS 512 /* until its lower 9 bits are neither all 0 nor all 1 */

/*
 * How often the reader reads the counter at most; the last reading counts then. More than Linux has seen or derived for
 * any of the errata: 200, 50 and 150.
 */
#define COUNTER_READS 200

#ifndef __ASSEMBLER__
#include <stdint.h>

/* The erratum of this machine. The platform sets it before it first uses the time stamp; COUNTER_SOUND until then. */
extern uint32_t counter_erratum __attribute__((visibility("hidden")));

/* Properties of the device tree's timer node that each stand for an erratum, ended by NULL. */
extern const char *const counter_errata_properties[];
/* The erratum that a property of the timer node stands for; COUNTER_SOUND for any property that is not on the list. */
uint32_t counter_erratum_of_property(const char *name);
/*
 * The erratum of the machine whose ACPI tables have these OEM identifiers in their header, padded with blanks;
 * COUNTER_SOUND where none is known.
 */
uint32_t counter_erratum_of_oem(const char oem[6], const char oem_table[8], uint32_t oem_revision);
#endif

#endif
