#include "tests/model/others.h"

static struct {
    struct coherence_design design;
    struct core *core;
    struct coherence *coherence; /* NULL: there are no other cores */
    size_t line_bytes;
    unsigned measuring;
    size_t count;
    struct other {
        unsigned core;
        struct responder_task task;
        uint64_t loaded; /* by it, when the kernel was called */
        double busy;     /* until when the line of the task's word is on its way */
    } all[BESIDE_CORES];
    double lines;         /* a cycle, that each of them streams */
    double turn;          /* of a line that all contend for, if the measuring core does; 0: the others do not */
    unsigned calls, made; /* for each access to it, 0: it is only loaded; in this kernel so far */
} others;

static double get(unsigned core, volatile const void *data, bool store)
{
    return coherence_access(others.coherence, core, (uintptr_t)data / others.line_bytes, store);
}

/* The other core has found an odd number. The cycles until the next number is there. */
static double respond(const struct other *o)
{
    const struct responder_task *t = &o->task;
    double cycles = get(o->core, t->word, false);

    for (size_t i = 0; i < t->count && (t->duty == RESPONDER_LOADS || t->duty == RESPONDER_STORES); i++) {
        volatile uint64_t *line = t->lines + i * (t->pitch / sizeof *line);
        cycles += get(o->core, line, t->duty == RESPONDER_STORES);
        if (t->duty == RESPONDER_STORES)
            *line = i;
    }
    *t->word = *t->word + 1;
    return cycles + get(o->core, t->word, true);
}

/* Whether this core contends for a line; then the access begins when the line is here in its turn. */
static bool contends(const uint8_t *data, double *start)
{
    const uint64_t line = (uintptr_t)data / others.line_bytes;

    if (!others.calls || line != (uintptr_t)others.all[0].task.lines / others.line_bytes)
        return false;
    others.lines = others.design.others_hold / others.turn;
    const double here = others.made++ / (others.calls * others.design.first_holds) * others.turn;
    if (here > *start)
        *start = here;
    return true;
}

/* A core that spins on the word reads it once here: when the next number is there. */
static double access(const uint8_t *data, bool store, double *start)
{
    struct other *o = NULL;
    double cycles = 0;

    for (size_t i = 0; i < others.count; i++) {
        struct other *one = &others.all[i];
        if (data == (volatile uint8_t *)one->task.word)
            o = one;
        if (data == (volatile uint8_t *)one->task.loaded) /* all that it has streamed until now */
            *one->task.loaded = one->loaded + (uint64_t)(*start * others.lines);
    }
    if (contends(data, start))
        return 0;
    if (o && o->busy > *start)
        *start = o->busy;
    if (o && !store && *o->task.word % 2)
        cycles = respond(o);
    cycles += get(others.measuring, data, store);
    if (o)
        o->busy = *start + cycles;
    return cycles;
}

static void call(void)
{
    others.made = 0;
    if (others.turn > 0) /* until this core contends, too */
        others.lines = 1 / others.design.stream_cycles;
    for (size_t i = 0; i < others.count; i++) {
        struct other *o = &others.all[i];
        o->busy = 0;
        o->loaded = o->task.loaded ? *o->task.loaded : 0;
    }
}

static void flush(const uint8_t *data)
{
    coherence_flush(others.coherence, (uintptr_t)data / others.line_bytes);
}

void others_start(const struct coherence_design *design, struct core *core, size_t line_bytes)
{
    others.design = *design;
    others.core = core;
    others.coherence = design->cores ? coherence_new(design) : NULL;
    others.line_bytes = line_bytes;
}

void others_stop(void)
{
    coherence_free(others.coherence);
    others.coherence = NULL;
}

static void leave(const struct responder_task *sibling)
{
    double left[SMT_STRUCTURES];

    for (enum smt_structure i = 0; i < SMT_STRUCTURES; i++)
        left[i] = smt_left(&others.design.smt, i, sibling);
    core_leave(others.core, left);
}

void others_begin(const struct core_task *all, size_t count, unsigned measuring)
{
    static const struct core_sharing sharing = {call, access, flush};
    const struct responder_task *first = &all[0].task;

    others.measuring = measuring;
    others.count = count;
    others.lines = 0;
    for (size_t i = 0; i < count; i++)
        others.all[i] = (struct other){.core = all[i].core, .task = all[i].task};
    if (first->duty == RESPONDER_STREAMS) { /* all of them do the same */
        const struct coherence_traffic t = {(unsigned)count, RESPONDER_BLOCK, first->pause, first->stores,
                                            first->count * first->pitch};
        others.lines = coherence_stream(&others.design, &t) / (double)count;
        core_memory(others.core, coherence_wait(&others.design, &t));
    }
    others.turn = first->duty >= RESPONDER_ADDS ? coherence_turn(&others.design, (unsigned)count + 1) : 0;
    others.calls = first->duty == RESPONDER_RESTORES                                    ? 1
                   : first->duty == RESPONDER_ADDS || first->duty == RESPONDER_COMPARES ? 2
                                                                                        : 0;
    const unsigned threads = others.design.threads ? others.design.threads : 1;
    const struct responder_task *sibling = NULL;
    unsigned busy = 1;
    for (size_t i = 0; i < count; i++)
        if (all[i].core / threads == measuring / threads) {
            sibling = &all[i].task;
            busy += sibling->duty != RESPONDER_PAUSES;
        }
    core_split(others.core, busy);
    leave(sibling);
    core_share(others.core, &sharing);
}

void others_end(void)
{
    core_share(others.core, NULL);
    core_split(others.core, 1);
    leave(NULL);
    core_memory(others.core, 0);
}
