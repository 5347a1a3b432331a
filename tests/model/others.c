#include "tests/model/others.h"

static struct {
    struct coherence_design design;
    struct core *core;
    struct coherence *coherence; /* NULL: there are no other cores */
    size_t line_bytes;
    struct responder_task task;
    unsigned measuring, other;
    double lines;    /* a cycle, that the other core streams */
    uint64_t loaded; /* by it, when the kernel was called */
    double busy;     /* until when the line of the task's word is on its way */
} others;

static double get(unsigned core, volatile const void *data, bool store)
{
    return coherence_access(others.coherence, core, (uintptr_t)data / others.line_bytes, store);
}

/* The other core has found an odd number. The cycles until the next number is there. */
static double respond(void)
{
    const struct responder_task *t = &others.task;
    double cycles = get(others.other, t->word, false);

    for (size_t i = 0; i < t->count && (t->duty == RESPONDER_LOADS || t->duty == RESPONDER_STORES); i++) {
        volatile uint64_t *line = t->lines + i * (t->pitch / sizeof *line);
        cycles += get(others.other, line, t->duty == RESPONDER_STORES);
        if (t->duty == RESPONDER_STORES)
            *line = i;
    }
    *t->word = *t->word + 1;
    return cycles + get(others.other, t->word, true);
}

/* A core that spins on the word reads it once here: when the next number is there. */
static double access(const uint8_t *data, bool store, double *start)
{
    const bool word = data == (volatile uint8_t *)others.task.word;
    double cycles = 0;

    if (word && others.busy > *start)
        *start = others.busy;
    if (word && !store && *others.task.word % 2)
        cycles = respond();
    if (data == (volatile uint8_t *)others.task.loaded) /* all that it has streamed until now */
        *others.task.loaded = others.loaded + (uint64_t)(*start * others.lines);
    cycles += get(others.measuring, data, store);
    if (word)
        others.busy = *start + cycles;
    return cycles;
}

static void call(void)
{
    others.busy = 0;
    others.loaded = others.task.loaded ? *others.task.loaded : 0;
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

void others_begin(const struct responder_task *task, unsigned measuring, unsigned other)
{
    static const struct core_sharing sharing = {call, access, flush};

    others.task = *task;
    others.measuring = measuring;
    others.other = other;
    others.lines = 0;
    if (task->duty == RESPONDER_STREAMS) {
        others.lines = coherence_stream(&others.design, RESPONDER_BLOCK, task->pause);
        core_memory(others.core, coherence_wait(&others.design, others.lines));
    }
    core_share(others.core, &sharing);
}

void others_end(void)
{
    core_share(others.core, NULL);
    core_memory(others.core, 0);
}
