#include "lib/kernels/traffic.h"

#include "lib/probe/beside.h"

enum { LOT = TRAFFIC_LINE * RESPONDER_BLOCK /* bytes of a block of lines */, PAGE_BYTES = 4096 };

static struct traffic_partner *partner(const struct traffic *t, size_t i)
{
    return (struct traffic_partner *)t->partners.write + i;
}

/* Where the partner with that number lies in windows, and what is at this offset of it. */
static uint64_t in_windows(const struct traffic *t, size_t i, size_t offset)
{
    return t->partners.at + i * sizeof(struct traffic_partner) + offset;
}

void traffic_find(struct traffic *t)
{
    t->count = cores_beside(t->cores);
}

bool traffic_map(struct probe *p, struct traffic *t)
{
    t->bytes = (t->bytes + LOT - 1) / LOT * LOT;
    const size_t all = (t->count ? t->count : 1) * t->bytes;
    if (!(t->small_pages ? probe_map(p, &t->buffers, all, 0) : probe_map_large(p, &t->buffers, all)) ||
        !probe_map(p, &t->partners, BESIDE_CORES * sizeof(struct traffic_partner), 0))
        return false;
    for (size_t i = 0; i < t->buffers.bytes; i += PAGE_BYTES) /* pages never written may share one frame */
        t->buffers.write[i] = 1;
    for (size_t i = 0; i < BESIDE_CORES; i++)
        partner(t, i)->request.state = in_windows(t, i, offsetof(struct traffic_partner, state));
    return true;
}

void traffic_emit_request(struct probe *p, struct code *c)
{
    round_trip_emit(p, c);
}

void traffic_emit_counts(struct code *c, const struct traffic *t)
{
    if (!t->count) {
        emit_constant(c, REG_T2, 0);
        return;
    }
    emit_constant(c, REG_T1, in_windows(t, 0, offsetof(struct traffic_partner, loaded)));
    emit_load(c, REG_T2, REG_T1, 0);
    for (size_t i = 1; i < t->count; i++) {
        emit_load(c, REG_T3, REG_T1, (int32_t)(i * sizeof(struct traffic_partner)));
        emit_add(c, REG_T2, REG_T3);
    }
}

void traffic_emit_each_count(struct code *c, const struct traffic *t, size_t offset)
{
    for (size_t i = 0; i < t->count; i++) {
        emit_constant(c, REG_T1, in_windows(t, i, offsetof(struct traffic_partner, loaded)));
        emit_load(c, REG_T3, REG_T1, 0);
        emit_store(c, REG_T3, REG_DATA, (int32_t)(offset + i * sizeof(uint64_t)));
    }
}

size_t traffic_list(const struct traffic *t, struct reading list[BESIDE_CORES])
{
    for (size_t i = 0; i < t->count; i++)
        list[i] = (struct reading){.kernel = t->request.entry, .argument = {1, in_windows(t, i, 0)}};
    return t->count;
}

const char *traffic_window(struct probe *p, struct traffic *t, const struct traffic_kind *kind, struct reading *list,
                           size_t readings, bool *quiet, bool *good)
{
    const size_t pitch = kind->pitch ? kind->pitch : TRAFFIC_LINE;
    struct core_task tasks[BESIDE_CORES];
    struct window_result result;

    for (size_t i = 0; i < t->count; i++)
        tasks[i] = (struct core_task){t->cores[i],
                                      {.word = &partner(t, i)->request.word,
                                       .duty = kind->duty,
                                       .lines = (volatile uint64_t *)(t->buffers.write + i * t->bytes),
                                       .count = t->bytes / (pitch * RESPONDER_BLOCK) * RESPONDER_BLOCK,
                                       .pitch = pitch,
                                       .pause = kind->pause,
                                       .loaded = &partner(t, i)->loaded,
                                       .stores = kind->stores}};
    const char *why = probe_window_beside_all(p, tasks, t->count, list, readings, &result, good);
    *quiet = !why && *good && !result.interrupts && !result.smis;
    for (size_t i = 0; i < t->count && *quiet; i++)
        *quiet = !partner(t, i)->state.left;
    return why;
}
