/* Reading CPUID from any source, so that tests can hand in what other cores return. */
#ifndef FATHOM_ARCH_X86_64_IDENTIFY_CPUID_H
#define FATHOM_ARCH_X86_64_IDENTIFY_CPUID_H

#include <stddef.h>
#include <stdint.h>

/* Writes EAX, EBX, ECX and EDX of a leaf of CPUID to out[0] to out[3]. */
typedef void cpuid_source(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

enum { EAX, EBX, ECX, EDX };

/* The first leaf of each of the two ranges that do not begin at 0. */
#define CPUID_EXTENDED 0x80000000u
#define CPUID_HYPERVISOR 0x40000000u

/* The number of the last leaf of a range (0, CPUID_EXTENDED, CPUID_HYPERVISOR); 0 when the range does not exist. */
uint32_t cpuid_last_leaf(cpuid_source *ask, uint32_t range);
/* The vendor: 'I' for Intel, 'A' for AMD and Hygon, 0 for others. */
char cpuid_vendor(cpuid_source *ask);
/*
 * Copies the text that `count` registers hold, twelve at most, up to its first zero byte, without blanks at its ends; a
 * character that is not printable ASCII becomes '?'. It is cut where `room` ends, which is at least 1, and always ends
 * in a 0.
 */
void cpuid_text(char *out, size_t room, const uint32_t *registers, size_t count);

#endif
