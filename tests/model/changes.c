#include "tests/model/changes.h"

#include <stdlib.h>
#include <string.h>

struct changes changes;

/* The blocks that are kept, one behind the other: a header, and its bytes up to the next multiple of eight. */
struct block {
    const void *at;
    size_t bytes;
};

static struct {
    uint8_t *bytes;
    size_t used, room;
    uint32_t calls;
} kept;

static size_t room_for(size_t bytes)
{
    return sizeof(struct block) + (bytes + 7) / 8 * 8;
}

void changes_begin(void)
{
    changes.call = ++kept.calls;
    kept.used = 0;
}

void changes_save(const void *block, size_t bytes)
{
    const struct block header = {.at = block, .bytes = bytes};

    if (kept.room - kept.used < room_for(bytes)) {
        kept.room = 2 * kept.room + room_for(bytes);
        if (!(kept.bytes = realloc(kept.bytes, kept.room)))
            abort();
    }
    memcpy(kept.bytes + kept.used, &header, sizeof header);
    memcpy(kept.bytes + kept.used + sizeof header, block, bytes);
    kept.used += room_for(bytes);
}

bool changes_end(void)
{
    bool same = !changes.other;

    for (size_t at = 0; at < kept.used && same;) {
        struct block header;
        memcpy(&header, kept.bytes + at, sizeof header);
        same = !memcmp(header.at, kept.bytes + at + sizeof header, header.bytes);
        at += room_for(header.bytes);
    }
    changes.call = 0;
    changes.other = !same;
    return same;
}
