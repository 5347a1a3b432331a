/* The result file of this run, and the journal that the files of earlier runs make. */
#ifndef FATHOM_BOOT_UEFI_RESULTS_H
#define FATHOM_BOOT_UEFI_RESULTS_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

#include "boot/uefi/volume.h"
#include "lib/machine.h"
#include "lib/plan/journal.h"

/* The files of a run: RUN00001.JSL has its records, SUP00001.JSL what support.h says. */
enum results_kind { RESULTS_RUN, RESULTS_SUPPORT };

struct results {
    enum results_kind kind;
    EFI_FILE_PROTOCOL *file;
    const struct volume *volume;
    unsigned number;
    uint64_t bytes;  /* written so far */
    char first[256]; /* how the file must begin; compared after the first flush */
    bool verified;
    bool failed;
};

/* Passes earlier result files to the journal, newest first. Returns the highest number in use, 0 when there is none. */
unsigned results_journal(const struct volume *v, struct journal *j);
/* Opens a new file of that number. False when there is no volume; with a warning, when it cannot hold the file. */
bool results_start(struct results *s, const struct volume *v, enum results_kind kind, unsigned number);
/* The path of such a file, for people: "RESULTS\RUN00001.JSL". */
enum { RESULTS_PATH = 24 };
void results_name(char out[RESULTS_PATH], enum results_kind kind, unsigned number);
/* Closes the file, if there is one; what was written is on the volume already. */
void results_finish(struct results *s);
/* The sink that appends records to the file. */
struct sink results_sink(struct results *s);

#endif
