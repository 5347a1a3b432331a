/*
 * The result file of this run, and those of earlier runs.
 *
 * Some firmware damages files that are changed. So every run gets a new file, \RESULTS\RUN00001.JSL and so on, to which
 * records are appended and flushed, and another one beside it (support.c); no file is ever truncated, renamed, deleted
 * or opened for writing a second time.
 */
#include "boot/uefi/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/firmware.h"
#include "boot/uefi/memory.h"
#include "boot/uefi/warnings.h"

enum {
    LAST_NUMBER = 99999,          /* the largest that the pattern RUN00000.JSL holds */
    JOURNAL_FILE_BYTES = 4 << 20, /* read of each earlier file at most, which bounds memory and time */
    PATH_CHARACTERS = 32,
};
/*
 * On slow media, reading earlier runs ends after this many seconds, so that the start is not delayed for longer; but
 * two runs are always read, since the journal skips a probe that has twice not come to its end.
 */
static const double JOURNAL_SECONDS = 5;
static const unsigned JOURNAL_RUNS_ENOUGH = 2;

/* How the names of files begin; what they are for people, and what it means when there is none. */
static const struct {
    const char *name, *text, *without;
} kinds[] = {[RESULTS_RUN] = {"RUN", "result file", "records go only to the serial line"},
             [RESULTS_SUPPORT] = {"SUP", "support file", "what it would have held is not kept"}};

void results_name(char out[RESULTS_PATH], enum results_kind kind, unsigned number)
{
    snprintf(out, RESULTS_PATH, "RESULTS\\%s%05u.JSL", kinds[kind].name, number % (LAST_NUMBER + 1));
}

static void result_path(CHAR16 path[PATH_CHARACTERS], enum results_kind kind, unsigned number)
{
    char text[RESULTS_PATH];

    results_name(text, kind, number);
    path[0] = '\\';
    for (size_t i = 0; i < RESULTS_PATH; i++)
        path[i + 1] = (CHAR16)(unsigned char)text[i];
}

/* The number in a name of that kind, 0 for any other name. FAT does not distinguish capital from small letters. */
static unsigned result_number(const CHAR16 *name, enum results_kind kind)
{
    char pattern[sizeof "RUN00000.JSL"];
    unsigned number = 0;

    snprintf(pattern, sizeof pattern, "%s00000.JSL", kinds[kind].name);
    for (size_t i = 0; i < sizeof pattern; i++) {
        unsigned c = name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32u : name[i];
        if (pattern[i] == '0' && c >= '0' && c <= '9')
            number = number * 10 + (c - '0');
        else if (c != (unsigned char)pattern[i])
            return 0;
    }
    return number;
}

/*
 * Numbers of the newest result files, descending, at most JOURNAL_FILES of them; and the highest number that any file
 * has, 0 where there is none.
 */
static size_t list_results(const struct volume *v, unsigned newest[JOURNAL_FILES], unsigned *highest)
{
    EFI_FILE_PROTOCOL *directory = volume_open(v, L"\\RESULTS");
    union volume_entry entry;
    size_t count = 0;

    while (volume_next_entry(directory, &entry)) {
        unsigned number = result_number(entry.info.FileName, RESULTS_RUN);
        unsigned support = result_number(entry.info.FileName, RESULTS_SUPPORT);
        size_t at = count;
        *highest = number > *highest ? number : support > *highest ? support : *highest;
        while (at > 0 && newest[at - 1] < number)
            at--;
        if (!number || at == JOURNAL_FILES)
            continue;
        count += count < JOURNAL_FILES;
        memmove(&newest[at + 1], &newest[at], (count - at - 1) * sizeof newest[0]);
        newest[at] = number;
    }
    if (directory)
        directory->Close(directory);
    return count;
}

unsigned results_journal(const struct volume *v, struct journal *j)
{
    unsigned newest[JOURNAL_FILES], highest = 0;
    size_t count = list_results(v, newest, &highest);
    double start = machine_seconds();
    char *text = count ? memory_pages(JOURNAL_FILE_BYTES, EFI_PAGE_SIZE) : NULL;

    if (count && !text)
        warn("journal", "there is not enough memory to read earlier results");
    for (size_t i = 0; text && i < count; i++) {
        CHAR16 path[PATH_CHARACTERS];
        if (j->runs >= JOURNAL_RUNS_ENOUGH && machine_seconds() - start > JOURNAL_SECONDS) {
            warn("journal", "reading was slow: of %zu earlier result files only the newest %zu were read", count, i);
            break;
        }
        result_path(path, RESULTS_RUN, newest[i]);
        EFI_FILE_PROTOCOL *file = volume_open(v, path);
        if (!file) {
            warn("journal", "earlier result file %u cannot be opened", newest[i]);
            continue;
        }
        journal_add(j, text, volume_read(file, text, JOURNAL_FILE_BYTES));
        file->Close(file);
    }
    if (text)
        memory_free(text, JOURNAL_FILE_BYTES);
    return highest;
}

static EFI_STATUS make_directory(EFI_FILE_PROTOCOL *root)
{
    EFI_FILE_PROTOCOL *directory = NULL;
    EFI_STATUS status = root->Open(root, &directory, L"\\RESULTS", EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND)
        status = root->Open(root, &directory, L"\\RESULTS",
                            EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY);
    if (!EFI_ERROR(status))
        directory->Close(directory);
    return status;
}

bool results_start(struct results *s, const struct volume *v, enum results_kind kind, unsigned number)
{
    CHAR16 path[PATH_CHARACTERS];
    char name[RESULTS_PATH];

    *s = (struct results){.kind = kind, .volume = v, .number = number};
    if (!v->root)
        return false;
    if (number > LAST_NUMBER) {
        warn("volume", "RUN%05u.JSL exists, so no number is left: move the results elsewhere", LAST_NUMBER);
        return false;
    }
    result_path(path, kind, number);
    results_name(name, kind, number);
    EFI_FILE_PROTOCOL *there = volume_open(v, path);
    if (there) { /* the directory did not list it: this volume is not reliable */
        there->Close(there);
        warn("volume", "%s exists though the directory does not list it: %s", name, kinds[kind].without);
        return false;
    }
    EFI_STATUS status = make_directory(v->root);
    if (!EFI_ERROR(status))
        status = v->root->Open(v->root, &s->file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                               0);
    if (EFI_ERROR(status)) {
        s->file = NULL;
        warn("volume", "%s takes no %s: %s; %s", v->name, kinds[kind].text, status_text(status), kinds[kind].without);
        return false;
    }
    return true;
}

/* Prints why the volume is lost, and returns false; the writer then records the loss in the other sinks. */
static bool lost(struct results *s, const char *what, const char *why)
{
    char text[160], name[RESULTS_PATH];
    results_name(name, s->kind, s->number);
    snprintf(text, sizeof text, "fathom: %s takes no more records of %s: %s: %s\n", s->volume->name, name, what, why);
    machine_print(text);
    s->failed = true;
    return false;
}

static bool results_write(void *context, const char *bytes, size_t count)
{
    struct results *s = context;
    UINTN written = count;

    EFI_STATUS status = s->file->Write(s->file, &written, (void *)bytes);
    if (EFI_ERROR(status))
        return lost(s, "writing failed", status_text(status));
    if (written != count)
        return lost(s, "writing stopped halfway", "the volume may be full");
    if (s->bytes < sizeof s->first) {
        size_t keep = sizeof s->first - s->bytes;
        memcpy(s->first + s->bytes, bytes, keep < count ? keep : count);
    }
    s->bytes += count;
    return true;
}

/* After the first flush the beginning of the file is read back through a handle of its own. */
static bool reads_back(struct results *s)
{
    CHAR16 path[PATH_CHARACTERS];
    char found[sizeof s->first];
    size_t want = s->bytes < sizeof found ? s->bytes : sizeof found;

    result_path(path, s->kind, s->number);
    EFI_FILE_PROTOCOL *file = volume_open(s->volume, path);
    size_t bytes = file ? volume_read(file, found, want) : 0;
    if (file)
        file->Close(file);
    return bytes == want && !memcmp(found, s->first, want);
}

static bool results_flush(void *context)
{
    struct results *s = context;

    EFI_STATUS status = s->file->Flush(s->file);
    if (EFI_ERROR(status))
        return lost(s, "flushing failed", status_text(status));
    if (!s->verified && s->bytes > 0) {
        s->verified = true;
        if (!reads_back(s))
            return lost(s, "reading back", "the file does not hold what was written and flushed");
    }
    return true;
}

struct sink results_sink(struct results *s)
{
    return (struct sink){.name = "volume", .context = s, .write = results_write, .flush = results_flush};
}

void results_finish(struct results *s)
{
    if (s->file)
        s->file->Close(s->file);
    s->file = NULL;
}
