/* What differs between stubs. */
#ifndef FATHOM_TESTS_QEMU_STUBS_STUB_H
#define FATHOM_TESTS_QEMU_STUBS_STUB_H

#include <efi.h>

/* Makes the machine what the run wants. With an error the machine is switched off. */
EFI_STATUS prepare(void);

#endif
