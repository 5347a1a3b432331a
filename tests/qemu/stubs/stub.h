/* What differs between stubs. */
#ifndef FATHOM_TESTS_QEMU_STUBS_STUB_H
#define FATHOM_TESTS_QEMU_STUBS_STUB_H

#include <efi.h>

/* Changes the machine as the test run needs it. The machine is switched off if an error is returned. */
EFI_STATUS prepare(void);

#endif
