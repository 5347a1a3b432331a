/* Numbers that vectors.S and the C files beside it must agree on; vectors.c checks them. */
#ifndef FATHOM_ARCH_X86_64_OWN_VECTORS_LAYOUT_H
#define FATHOM_ARCH_X86_64_OWN_VECTORS_LAYOUT_H

#define VECTOR_STUB_BYTES 16

/* Offsets within struct guarded_call. */
#define CALL_FUNCTION 0
#define CALL_ARGUMENT_0 8
#define CALL_ARGUMENT_1 16
#define CALL_ARGUMENT_2 24
#define CALL_STACK_TOP 32
#define CALL_INTERRUPTS 40
#define CALL_SAVED_STACK 48

#endif
