/*
 * The journal from any bytes, twice: as they are, and with a right checksum at the end of every line, because otherwise
 * hardly any line would pass the check.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/base/record.h"
#include "lib/base/record_read.h"
#include "lib/plan/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

double machine_seconds(void)
{
    return 0;
}

static void check(const struct journal *j)
{
    assert(j->count <= JOURNAL_ENTRIES);
    for (size_t i = 0; i < j->count; i++) {
        const struct journal_entry *entry = &j->entries[i];

        assert(memchr(entry->name, 0, sizeof entry->name));
        assert(entry->unended <= entry->starts && entry->starts <= j->runs);
        assert(journal_skips(j, entry->name) == (entry->unended >= 2));
        for (size_t other = 0; other < i; other++)
            assert(strcmp(entry->name, j->entries[other].name) != 0);
    }
}

/* The text with `,"c":"…"}` at the end of each line; its length in *bytes. */
static char *with_checksums(const char *text, size_t *bytes)
{
    const char *end = text + *bytes;
    size_t lines = 1, used = 0;
    char *out;

    for (const char *at = text; at < end; at++)
        lines += *at == '\n';
    out = malloc(*bytes + 18 * lines);
    assert(out);
    for (const char *line = text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            stop = end;
        memcpy(out + used, line, (size_t)(stop - line));
        used += (size_t)(stop - line);
        used += (size_t)sprintf(out + used, ",\"c\":\"%08x\"}\n", (unsigned)crc32_of(line, (size_t)(stop - line)));
    }
    *bytes = used;
    return out;
}

static void read_line_values(const char *line, size_t bytes)
{
    static const char *const keys[] = {"t", "probe", "fingerprint", "repeat_index", "c", ""};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        for (size_t room = 0; room < 40; room += 13) {
            char *value = malloc(room);

            if (record_line_value(line, bytes, keys[i], value, room))
                assert(room > 0 && memchr(value, 0, room));
            free(value);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct journal j;
    size_t good_bytes = bytes;
    char *good = with_checksums((const char *)data, &good_bytes);

    journal_start(&j, "deadbeef");
    for (unsigned i = 0; i < 3; i++) {
        journal_add(&j, (const char *)data, bytes);
        journal_add(&j, good, good_bytes);
        check(&j);
    }
    read_line_values((const char *)data, bytes);
    free(good);
    return 0;
}
