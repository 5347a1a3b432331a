#include "boot/uefi/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "boot/uefi/firmware.h"
#include "boot/uefi/warnings.h"

enum { FILE_BYTES = 256 << 10, NAME_CHARACTERS = 64, PATH_CHARACTERS = NAME_CHARACTERS + 16 };

/* The path of a file in the folder. False where its name is too long, or leads out of the folder. */
static bool path_of(CHAR16 path[PATH_CHARACTERS], const char *name)
{
    char text[PATH_CHARACTERS];

    if (strlen(name) >= NAME_CHARACTERS || strchr(name, '\\') || strchr(name, '/'))
        return false;
    snprintf(text, sizeof text, "\\KERNELS\\%s", name);
    for (size_t i = 0; i < sizeof text; i++) {
        path[i] = (CHAR16)(unsigned char)text[i];
        if (!text[i])
            break;
    }
    return true;
}

/* Reads a file of the folder; NULL, and then *bytes is to be freed, or why it cannot. `context` is the volume. */
static const char *read_file(void *context, const char *isa, const char *name, uint8_t **bytes, size_t *count)
{
    const struct volume *v = context;
    CHAR16 path[PATH_CHARACTERS];
    (void)isa;

    if (strlen(name) > 2 && !strcasecmp(name + strlen(name) - 2, ".s"))
        return "is a source, which only the Linux program can have assembled; give an object or raw bytes";
    EFI_FILE_PROTOCOL *file = path_of(path, name) ? volume_open(v, path) : NULL;
    if (!file)
        return "there is no file of this name in the folder KERNELS";
    *bytes = malloc(FILE_BYTES + 1);
    *count = *bytes ? volume_read(file, *bytes, FILE_BYTES + 1) : 0;
    file->Close(file);
    if (!*bytes)
        return "there is not enough memory to read the file";
    if (*count <= FILE_BYTES)
        return NULL;
    free(*bytes);
    return "the file has more than 256 KiB";
}

static void add_file(struct user_kernels *k, const struct volume *v, const char *name)
{
    const struct user_files files = {.read = read_file, .context = (void *)v};
    const size_t length = strlen(name);
    uint8_t *text = NULL;
    size_t count = 0;

    if (length < 4 || strcasecmp(name + length - 4, ".TXT") != 0)
        return;
    const char *why = read_file((void *)v, "", name, &text, &count);
    if (why) {
        warn(name, "%s", why);
        return;
    }
    user_kernels_add(k, name, (const char *)text, count, &files, warn_config, NULL);
    free(text);
}

void kernels_read(struct user_kernels *k, const struct volume *v)
{
    EFI_FILE_PROTOCOL *folder = volume_open(v, L"\\KERNELS");
    union volume_entry entry;

    while (volume_next_entry(folder, &entry)) {
        char name[NAME_CHARACTERS + 1];
        text_from_ucs2(name, sizeof name, entry.info.FileName, NAME_CHARACTERS);
        if (!(entry.info.Attribute & EFI_FILE_DIRECTORY))
            add_file(k, v, name);
    }
    if (folder)
        folder->Close(folder);
}
