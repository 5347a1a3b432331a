/* The result file of this run, and the journal that the files of earlier runs make. */
#ifndef FATHOM_BOOT_UEFI_RESULTS_H
#define FATHOM_BOOT_UEFI_RESULTS_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

#include "boot/uefi/volume.h"
#include "lib/machine.h"
#include "lib/plan/journal.h"

/* Which file of a run: RUN00001.JSL has its records, SUP00001.JSL what a machine says of itself (support.h). */
enum results_kind { RESULTS_RUN, RESULTS_SUPPORT };

/* A file while it is written. */
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

/*
 * Passes earlier result files of the volume to the journal, the newest first: the newest JOURNAL_FILES at most, and the
 * first 4 MiB of each. With a warning, they are fewer where reading is slow or a file cannot be opened, and none where
 * memory is short. Returns the highest number that a result or support file has, 0 when there is none.
 */
unsigned results_journal(const struct volume *v, struct journal *j);
/*
 * Opens a new file of that kind and number, and fills in *s; *v must stay valid. False when there is no volume, or,
 * with a warning, when the file cannot be made. results_finish is due either way.
 */
bool results_start(struct results *s, const struct volume *v, enum results_kind kind, unsigned number);
enum { RESULTS_PATH = 24 }; /* bytes of a path of a file, the final 0 included */
/* Writes the path of the file of that kind and number, for people: "RESULTS\RUN00001.JSL". */
void results_name(char out[RESULTS_PATH], enum results_kind kind, unsigned number);
/* Closes the file, if one is open. All that was written is on the volume already, since records are flushed. */
void results_finish(struct results *s);
/* A sink that appends records to the file; *s must stay valid as long as it is used. */
struct sink results_sink(struct results *s);

#endif
