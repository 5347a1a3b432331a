/*
 * What the files of this directory share. Every call to firmware is made here, and EFI_* types do
 * not leave. Reading order: main.c (the sequence), machine.c (the door), then one file a concept.
 *
 * Sections given are those of the UEFI specification 2.10 unless another book is named.
 */
#ifndef FATHOM_BOOT_UEFI_UEFI_H
#define FATHOM_BOOT_UEFI_UEFI_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
#include "lib/journal.h"
#include "lib/machine.h"
#include "lib/record.h"

struct config;
struct page;

/* ---- firmware.c: the tables we were given, and what this firmware gets wrong ------------------- */

struct quirks {
    const char *vendor; /* as FirmwareVendor begins */
    const char *isa;
    bool power_off_hangs;
    bool stall_lies;
    const char *reason; /* one sentence, for the record */
};

struct firmware {
    EFI_HANDLE image;
    EFI_LOADED_IMAGE *loaded; /* never NULL after firmware_start */
    EFI_SYSTEM_TABLE *system;
    EFI_BOOT_SERVICES *boot;
    EFI_RUNTIME_SERVICES *runtime;
    char vendor[64];
    struct quirks quirks; /* all false where none is known */
};

extern struct firmware firmware;

EFI_STATUS firmware_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
/* The interface of that protocol, on a handle or on any; NULL where there is none. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);
void *firmware_locate(EFI_GUID *protocol);
void *firmware_table(const EFI_GUID *table);
/* What a status means, in words. */
const char *status_text(EFI_STATUS status);
/* Copies at most `count` CHAR16, to the first zero, as UTF-8; always ends `out` with 0. */
void text_from_ucs2(char *out, size_t room, const CHAR16 *in, size_t count);
/* Adds vendor, revisions, Secure Boot and quirks to a record, as an object. */
void firmware_describe(struct record *r);

/* ---- warnings.c: warnings from before there is a writer, and from inside of one ----------------- */

/* Keeps a warning until warnings_send; what does not fit is counted. */
void warn(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shape lib/config.h wants. */
void warn_config(void *context, const char *subject, const char *text);
void warnings_send(struct writer *w);

/* ---- console.c: text for people --------------------------------------------------------------- */

void console_start(void);
/* Puts the cursor back. */
void console_finish(void);
/* Text goes to all consoles, as at the start; or only to terminals at serial lines. */
void console_all(void);
void console_only_terminals(void);
/* The page of results, as text. */
void console_page(const struct page *p);
/* Ends a progress line, so that what comes next begins a line of its own. */
void console_line_start(void);
/* True when a progress line stands on the screen, and from now on not (see serial.c). */
bool console_line_pending(void);
/* A key that was pressed, 0 when none was. */
CHAR16 console_key(void);
/* Whether there is anything to press one on. */
bool console_has_keys(void);

/* ---- volume.c, results.c: where records are kept ------------------------------------------------ */

struct volume {
    EFI_FILE_PROTOCOL *root; /* NULL: there is none */
    char name[48];           /* for people: "volume FATHOM" */
};

/* Finds the volume. Where there is none `root` is NULL and a warning says why. */
void volume_start(struct volume *v);
void volume_finish(struct volume *v);
/* Opens for reading; NULL when it is not there. */
EFI_FILE_PROTOCOL *volume_open(const struct volume *v, const CHAR16 *path);
/* Reads up to `room` bytes from where the file stands; returns how many there were. */
size_t volume_read(EFI_FILE_PROTOCOL *file, void *to, size_t room);

struct results {
    EFI_FILE_PROTOCOL *file;
    const struct volume *volume;
    unsigned number;
    uint64_t bytes;  /* written so far */
    char first[256]; /* how the file must begin, to be read back after the first flush */
    bool verified;
    bool failed;
};

/* Hands earlier result files to the journal, newest first. Returns the highest number there is. */
unsigned results_journal(const struct volume *v, struct journal *j);
/* Opens the result file of that number. False, with a warning, when this volume cannot have it. */
bool results_start(struct results *s, const struct volume *v, unsigned number);
void results_finish(struct results *s);
struct sink results_sink(struct results *s);

/* ---- serial.c: records on the serial line ------------------------------------------------------- */

/* The serial port itself, or the console where that is all there is; false when there is neither. */
bool serial_start(struct sink *s);

/* ---- memory.c: what is there, and what we measure with ------------------------------------------ */

/* Pages of EfiLoaderData, zeroed, aligned; NULL when out. Freed by address and size. */
void *memory_pages(size_t bytes, size_t alignment);
void memory_free(void *base, size_t bytes);
/* What the firmware has not allocated; 0 when it does not say. */
uint64_t memory_free_bytes(void);
/* RAM as own_services wants it; malloc'ed, NULL when out of memory. */
struct own_range *memory_ram(size_t *count);
/* The one large contiguous buffer; warns when it is smaller than wanted. */
void memory_start(size_t wanted_mib);
void memory_finish(void);
/* Its address, which is its frame too, and its size; NULL and 0 where there is none. A guard before it is ours, too. */
uint8_t *memory_buffer(size_t *bytes);
void memory_describe(struct record *r);

/* ---- tick.c: the firmware's periodic interrupt ---------------------------------------------------- */

void tick_start(void);
/* NULL when the tick can be stopped at its source, else why not. */
const char *tick_no_control(void);
void tick_stop(void);
void tick_resume(void);
/* For own_services.interrupt_source: PPIs through the firmware's interrupt controller driver. */
bool tick_interrupt_source(unsigned id, bool on);

/* ---- time.c: how long a tick of the time stamp is, and the time of day -------------------------- */

/* Frequency of reader_ticks in Hz; `source` says where it is from. */
double time_tick_hz(const char **source);

/* ---- cores.c: the other cores --------------------------------------------------------------------- */

/*
 * Makes it ready to be given work: *runner gives it, NULL on the core that booted. NULL, or why it cannot be had.
 * One core at a time, and cores_leave gives it back to the firmware; a warning says when that fails.
 */
const char *cores_reach(unsigned index, own_runner **runner);
void cores_leave(unsigned index);
/* Whether one could not be given back: the memory that it may touch must be left to it. */
bool cores_left_running(void);
/* Why the core in use does nothing any more: it did not come back from what it was given. NULL while it does. */
const char *cores_gone(void);
/* How those that do not measure are kept meanwhile, for the environment record. */
const char *cores_parked(void);

/* ---- acpi.c, smbios.c: tables ------------------------------------------------------------------- */

/* The table with that signature; NULL when there is none or its length is below `least` bytes. */
const void *acpi_table(const char signature[4], size_t least);

/* Caches of the core that runs this, as the PPTT describes them; 0 where there is none or it cannot be told which. */
size_t acpi_caches(struct identity_cache *out, size_t room);

struct smbios_system {
    char manufacturer[48], product[64];
    char firmware_version[64], firmware_date[16];
    uint8_t uuid[16]; /* zero where there is none */
};

/* Hands over each OEM string, in order. */
void smbios_oem_strings(void (*use)(void *context, const char *text, size_t bytes), void *context);
/* False where there is no SMBIOS. Texts that are missing are "". */
bool smbios_system(struct smbios_system *s);

/* ---- machine.c: the door -------------------------------------------------------------------------- */

/* Owns the core. What cannot be had is a warning; the run goes on. */
void uefi_machine_start(const struct config *c);
void uefi_machine_finish(void);
/* Identifies the machine: what has to be known before the core is ours. */
void uefi_machine_identify(void);
/* Why there are no windows and no registers; NULL where the core is ours. */
const char *uefi_not_ours(void);
/* While machine_count has set some, tells the readings which counters to sample; false while it has not. */
bool uefi_counting(struct reading *list, size_t count);

/* ---- libc.c ---------------------------------------------------------------------------------------- */

/* Gives the C library's heap back. Nothing may allocate afterwards. */
void libc_finish(void);

#endif
