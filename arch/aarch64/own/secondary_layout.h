/* Offsets within struct secondary, for secondary.S; secondary.c checks them. */
#ifndef FATHOM_ARCH_AARCH64_OWN_SECONDARY_LAYOUT_H
#define FATHOM_ARCH_AARCH64_OWN_SECONDARY_LAYOUT_H

#define SECONDARY_STACK 0
#define SECONDARY_TCR 8
#define SECONDARY_TTBR0 24
#define SECONDARY_TTBR1 40
#define SECONDARY_HCR 48

#endif
