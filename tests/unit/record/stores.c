/* The sinks of tests of records. */
#define _GNU_SOURCE /* memmem */
#include "tests/unit/record/stores.h"

#include "lib/base/random.h"

double seconds;
struct store stores[3];

double machine_seconds(void)
{
    return seconds;
}

static bool call_fails(struct store *s)
{
    if (s->broken)
        s->calls_after_failure++;
    if (s->random && random_below(s->random, s->fail_one_in) == 0)
        s->broken = true;
    return s->broken;
}

static bool store_write(void *context, const char *bytes, size_t count)
{
    struct store *s = context;

    assert_true(count > 0 && bytes[count - 1] == '\n');
    assert_null(memchr(bytes, '\n', count - 1));
    assert_true(sizeof s->text - s->used > count);
    if (s->after && !s->after->broken) {
        char *line = strndup(bytes, count);

        assert_non_null(memmem(s->after->text, s->after->stable, line, count));
        free(line);
    }
    if (call_fails(s))
        return false;
    memcpy(s->text + s->used, bytes, count);
    s->used += count;
    s->text[s->used] = 0;
    if (!s->flushes)
        s->stable = s->used;
    return true;
}

static bool store_flush(void *context)
{
    struct store *s = context;

    if (call_fails(s))
        return false;
    s->stable = s->used;
    return true;
}

void start(struct writer *w, size_t sinks)
{
    static const char *const names[] = {"volume", "serial", "file"};

    memset(stores, 0, sizeof stores);
    seconds = 1000;
    writer_start(w);
    for (size_t i = 0; i < sinks; i++) {
        stores[i].flushes = i != 1;
        stores[i].after = i > 0 ? &stores[0] : NULL;
        assert_true(writer_add(w, (struct sink){
                                      .name = names[i],
                                      .context = &stores[i],
                                      .write = store_write,
                                      .flush = stores[i].flushes ? store_flush : NULL,
                                  }));
    }
    w->last_flush = seconds;
}

unsigned lines_in(const char *text, size_t bytes)
{
    unsigned lines = 0;

    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

void send_empty(struct writer *w, const char *kind)
{
    struct record r;

    record_start(&r, w, kind);
    record_send(&r);
}

void random_text(char *out, size_t room, uint64_t *random)
{
    static const char *const pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "\x7f",
                                         "\xc2\x80",
                                         "\xc3\xa9",
                                         "/",
                                         " ",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xed\xa0\x80",
                                         "\xc0\xaf",
                                         "\xf4\x90\x80\x80",
                                         "\xe2\x82",
                                         "\xf0\x9f",
                                         "\x80",
                                         "\xff",
                                         "\xef\xbf\xbf"};
    size_t used = 0;

    for (uint64_t count = random_below(random, 12); count > 0; count--) {
        char byte[2] = {(char)(1 + random_below(random, 255)), 0};
        uint64_t pick = random_below(random, 28);
        const char *piece = pick < 20 ? pieces[pick] : byte;

        if (used + strlen(piece) + 1 > room)
            break;
        memcpy(out + used, piece, strlen(piece));
        used += strlen(piece);
    }
    out[used] = 0;
}
