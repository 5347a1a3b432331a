/*
 * What newlib needs of the system below it. It gets a heap; files and processes do not exist, since text goes through
 * machine_print and records go through sinks.
 *
 * newlib calls these functions by their plain names on x86-64 and with an underscore on AArch64.
 */
#include "boot/uefi/libc.h"

#include <efi.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/console.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/memory.h"
#include "lib/machine.h"

/*
 * newlib's malloc extends one contiguous range, which is allocated whole: a sixteenth of the free memory, so that most
 * of it is left to the buffer; at most 16 MiB, to which records and curves of a run are small; and at least 1 MiB,
 * without which the lists of a run do not fit.
 */
enum { HEAP_MOST_BYTES = 16 << 20, HEAP_LEAST_BYTES = 1 << 20, HEAP_SHARE = 16 };

static uint8_t *heap;
static size_t heap_bytes, heap_used;

void *sbrk(ptrdiff_t more);
void *sbrk(ptrdiff_t more)
{
    if (!heap) {
        uint64_t want = memory_free_bytes() / HEAP_SHARE & ~(uint64_t)(HEAP_LEAST_BYTES - 1);
        want = want < HEAP_LEAST_BYTES ? HEAP_LEAST_BYTES : want > HEAP_MOST_BYTES ? HEAP_MOST_BYTES : want;
        heap = memory_pages(want, EFI_PAGE_SIZE);
        heap_bytes = heap ? want : 0;
    }
    size_t used = heap_used + (size_t)more;
    if (!heap || used > heap_bytes) {
        errno = ENOMEM;
        return (void *)-1;
    }
    void *before = heap + heap_used;
    heap_used = used;
    return before;
}

void libc_finish(void)
{
    if (heap)
        memory_free(heap, heap_bytes);
    heap = NULL;
    heap_bytes = heap_used = 0;
}

/* abort() ends here. */
void _exit(int status) __attribute__((noreturn));
void _exit(int status)
{
    console_line_start();
    machine_print("fathom: stopped after an error in the program itself. Please reset the machine.\n");
    (void)status;
    for (;;)
        firmware.boot->Stall(1000000);
}

static int not_here(void)
{
    errno = ENOSYS;
    return -1;
}

/*
 * Defines a function under both names. The prototypes would be those of <unistd.h>, whose types differ between newlib's
 * targets; -1 is the same in all of them.
 */
#define NOT_HERE(name) \
    int name(void) __attribute__((alias("not_here"))); \
    int _##name(void) __attribute__((alias("not_here")))

void *_sbrk(ptrdiff_t more) __attribute__((alias("sbrk")));
NOT_HERE(write);
NOT_HERE(read);
NOT_HERE(close);
NOT_HERE(lseek);
NOT_HERE(fstat);
NOT_HERE(isatty);
NOT_HERE(kill);
NOT_HERE(getpid);
