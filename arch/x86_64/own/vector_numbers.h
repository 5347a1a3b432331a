/* Numbers of exceptions, and of the interrupts that are ours. */
#ifndef FATHOM_ARCH_X86_64_OWN_VECTOR_NUMBERS_H
#define FATHOM_ARCH_X86_64_OWN_VECTOR_NUMBERS_H

/* Exceptions, by number (Intel SDM vol. 3A, table 7-1; AMD APM vol. 2, table 8-1). */
enum {
    VECTOR_NMI = 2,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    EXCEPTIONS = 32,
    VECTORS = 256
};

/*
 * Our two vectors of the local APIC. Both have the highest priority class, 0xf, the only one that the task priority
 * of a window lets in.
 */
enum { VECTOR_DEADLINE = 0xfe, VECTOR_SPURIOUS = 0xff };

#endif
