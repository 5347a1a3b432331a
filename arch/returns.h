/*
 * Exceptions that code makes on purpose, to measure how long it takes to enter a handler and to return. The handlers of
 * windows (arch/own.h) do nothing but return from these, so that the code continues behind the instruction. Without
 * them, in a process or with the firmware's vectors, the instruction is a fault as any other.
 *
 * Assembly includes this, too.
 */
#ifndef FATHOM_ARCH_RETURNS_H
#define FATHOM_ARCH_RETURNS_H

/* x86-64: the operand of INT. No interrupt of a device has it in a window: all but ours are held back. */
#define RETURNING_INTERRUPT 0x81
/* AArch64: the operand of SVC. */
#define RETURNING_CALL 0x66

#endif
