#include "lib/structure/prefetch_shown.h"

static bool is_accessed(const struct prefetch_shown *s, int line)
{
    for (size_t i = 0; i < s->accesses; i++)
        if (s->accessed[i] == line)
            return true;
    return false;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void prefetch_show(struct prefetch_shown *s, const char *list, const struct listed_load *load, size_t accesses,
                   const struct looked *line, size_t lines)
{
    const size_t kept = least(accesses, SHOWN_ACCESSES);
    const int32_t last = accesses ? load[accesses - 1].at : 0;

    *s = (struct prefetch_shown){.list = list, .accesses = kept};
    for (size_t i = 0; i < kept; i++)
        s->accessed[i] = (load[accesses - kept + i].at - last) / ACCESS_LINE_BYTES;
    for (size_t i = 0; i < lines && s->lines < SHOWN_LINES; i++) {
        const int at = (line[i].at - last) / ACCESS_LINE_BYTES;
        if (is_accessed(s, at))
            continue;
        s->at[s->lines] = at;
        s->where[s->lines++] = line[i].where;
    }
}

void prefetch_show_sequence(struct prefetch_shown *s, unsigned accesses, int stride, uint32_t in, uint32_t unclear,
                            unsigned most)
{
    *s = (struct prefetch_shown){.accesses = least(accesses, SHOWN_ACCESSES), .lines = least(most, SHOWN_LINES)};
    for (size_t i = 0; i < s->accesses; i++)
        s->accessed[i] = -stride * (int)(s->accesses - 1 - i);
    for (unsigned i = 1; i <= s->lines; i++) {
        s->at[i - 1] = stride * (int)i;
        s->where[i - 1] = in >> i & 1 ? NEAR_EITHER : unclear >> i & 1 ? NEAR_UNCLEAR : NEAR_HOME;
    }
}
