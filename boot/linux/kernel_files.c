#define _GNU_SOURCE
#include "boot/linux/kernel_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/emit.h"

enum { FILE_BYTES = 1 << 20, PATH_BYTES = 4096, MESSAGE_BYTES = 160 };

/* ---- Reading ------------------------------------------------------------------------------------ */

/* All of a file, to be freed; NULL, with a reason, where it cannot be read or has more than FILE_BYTES. */
static uint8_t *read_all(const char *path, size_t *count, const char **why)
{
    FILE *f = fopen(path, "re");
    uint8_t *bytes = f ? malloc(FILE_BYTES + 1) : NULL;

    *why = f ? "there is not enough memory to read it" : strerror(errno);
    if (bytes) {
        *count = fread(bytes, 1, FILE_BYTES + 1, f);
        *why = ferror(f) ? strerror(errno) : *count > FILE_BYTES ? "the file has more than 1 MiB" : NULL;
    }
    if (f)
        fclose(f);
    if (*why) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), wanted = strlen(end);

    return length > wanted && !strcmp(path + length - wanted, end);
}

/* ---- The host's assembler ----------------------------------------------------------------------- */

/* Runs a command. Its exit status; 127 where there is no such command. Its messages go to standard error. */
static int run_command(const char *const words[])
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/* Assembles a source for that instruction set into `object`. NULL, or why not. */
static const char *assemble(const char *isa, const char *source, const char *object)
{
    char prefixed[64], target[64];

    snprintf(prefixed, sizeof prefixed, "%s-linux-gnu-as", isa);
    snprintf(target, sizeof target, "--target=%s-linux-gnu", isa);
    const char *const commands[][8] = {{prefixed, "-o", object, source, NULL},
                                       {"clang", target, "-c", "-o", object, source, NULL},
                                       {"as", "-o", object, source, NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (i == 2 && strcmp(isa, emit_isa) != 0)
            continue; /* `as` is this machine's */
        const int status = run_command(commands[i]);
        if (status == 0)
            return NULL;
        if (status != 127)
            return "the assembler does not accept it; its messages stand above";
    }
    return "needs an assembler: install binutils (for the other instruction set binutils-aarch64-linux-gnu or "
           "binutils-x86-64-linux-gnu), or clang";
}

static const char *read_assembled(const char *isa, const char *source, uint8_t **bytes, size_t *count)
{
    char object[] = "/tmp/fathom-kernel-XXXXXX";
    const int fd = mkstemp(object);

    if (fd < 0)
        return "no file can be made in /tmp for what the assembler writes";
    close(fd);
    const char *why = assemble(isa, source, object);
    if (!why)
        *bytes = read_all(object, count, &why);
    unlink(object);
    return why;
}

/* `context` is the path of the kernel's own file: other files are named from its folder. */
static const char *read_named(void *context, const char *isa, const char *file, uint8_t **bytes, size_t *count)
{
    static char message[MESSAGE_BYTES];
    char path[PATH_BYTES];
    const char *own = context, *slash = strrchr(own, '/'), *why = NULL;

    if (!file[0])
        return "takes the name of a file";
    snprintf(path, sizeof path, "%.*s%s", slash && file[0] != '/' ? (int)(slash - own + 1) : 0, own, file);
    if (ends_in(path, ".s") || ends_in(path, ".S"))
        return read_assembled(isa, path, bytes, count);
    *bytes = read_all(path, count, &why);
    snprintf(message, sizeof message, "%.100s: %s", path, why ? why : "");
    return why ? message : NULL;
}

/* ---- Adding ------------------------------------------------------------------------------------- */

static void complain(void *context, const char *subject, const char *text)
{
    (void)context;
    fprintf(stderr, "fathom: %s: %s\n", subject, text);
}

bool kernel_file_add(struct user_kernels *k, const char *path)
{
    static const char *const of_code[] = {".s", ".S", ".o", ".bin"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *why = NULL;
    const struct user_files files = {.read = read_named, .context = (void *)path};
    char text[PATH_BYTES + USER_NAME];
    size_t count = 0;

    for (size_t i = 0; i < sizeof of_code / sizeof of_code[0]; i++)
        if (ends_in(name, of_code[i])) {
            const int length = (int)(strlen(name) - strlen(of_code[i]));
            count = (size_t)snprintf(text, sizeof text, "name = %.*s\nfile = %s\n", length, name, name);
            user_kernels_add(k, name, text, count < sizeof text ? count : 0, &files, complain, NULL);
            return true;
        }
    uint8_t *bytes = read_all(path, &count, &why);
    if (!bytes) {
        complain(NULL, path, why);
        return false;
    }
    user_kernels_add(k, name, (const char *)bytes, count, &files, complain, NULL);
    free(bytes);
    return true;
}
