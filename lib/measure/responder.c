#include "lib/measure/responder.h"

#include "arch/atomic.h"
#include "arch/spin.h"

/* Only what it has done to all lines may be followed by its response. */
static void do_duty(const struct responder_task *t)
{
    for (size_t i = 0; i < t->count; i++) {
        volatile uint64_t *line = t->lines + i * (t->pitch / sizeof *line);
        if (t->duty == RESPONDER_STORES)
            *line = i;
        else
            (void)*line;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A bit for each line of a block that is stored to: as evenly spread as their number allows. */
static uint32_t stored_lines(size_t stores)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < RESPONDER_BLOCK; i++)
        lines |= (uint32_t)((i + 1) * stores / RESPONDER_BLOCK > i * stores / RESPONDER_BLOCK) << i;
    return lines;
}

/* Accesses lines until the next request, on from where it stopped before. */
static void stream(const struct responder *r)
{
    const struct responder_task *t = &r->task;
    const size_t words = t->pitch / sizeof *t->lines;
    const uint32_t stored = stored_lines(t->stores);
    uint64_t loaded = *t->loaded;

    for (size_t at = loaded % t->count; !r->stop && *t->word % 2 == 0; at = (at + RESPONDER_BLOCK) % t->count) {
        for (size_t i = 0; i < RESPONDER_BLOCK; i++)
            if (stored >> i & 1)
                t->lines[(at + i) * words] = i;
            else
                (void)t->lines[(at + i) * words];
        *t->loaded = loaded += RESPONDER_BLOCK;
        for (size_t i = 0; i < t->pause; i++)
            __asm__ volatile(""); /* so that the compiler keeps the loop */
    }
}

/*
 * How many divisions depend on each other, and how many instructions, loads or stores follow them. Two divisions of 64
 * bits take about 15 cycles or more on the cores in scope (uops.info; Arm's software optimization guides), in which half
 * of a core of width 4 delivers 30 instructions, and the loop has less: so more and more of them wait behind divisions,
 * until a structure is full, and it stays full.
 */
enum { DIVISIONS = 2 };
#define FILLING 12
#define EACH_TEXT(number) #number
#define REPEATED(number, instruction) ".rept " EACH_TEXT(number) "\n\t" instruction "\n\t.endr"

/* Divisor and quotient take turns, and have 36 and 29 bits: so no division has a short quotient, and is quick. */
static const uint64_t DIVIDEND = 0xfedcba9876543211, DIVISOR = 0xd89abcdef;

/*
 * Divides in a chain, with `duty`'s instructions behind each two divisions, until the next request. They retire in order
 * behind the divisions, so that one structure is always full. Prefetches need an entry for a load, and no register.
 */
static void fill(const struct responder *r)
{
    const struct responder_task *t = &r->task;
    volatile uint64_t *line = t->lines;
    uint64_t divisor = DIVISOR;

    while (!r->stop && *t->word % 2 == 0) {
        for (size_t i = 0; i < DIVISIONS; i++) {
            divisor = DIVIDEND / divisor;
            __asm__ volatile("" : "+r"(divisor));
        }
        if (t->duty == RESPONDER_FILLS_ENTRIES)
            __asm__ volatile(REPEATED(FILLING, "nop"));
        if (t->duty == RESPONDER_FILLS_LOADS)
#pragma GCC unroll 12
            for (size_t i = 0; i < FILLING; i++)
                __builtin_prefetch((const void *)line);
        if (t->duty == RESPONDER_FILLS_STORES)
#pragma GCC unroll 12
            for (size_t i = 0; i < FILLING; i++)
                *line = divisor;
    }
}

/* Accesses one word until the next request, and counts. */
static void contend(const struct responder *r)
{
    const struct responder_task *t = &r->task;
    volatile uint64_t *word = t->lines;
    uint64_t done = *t->loaded;

    while (!r->stop && *t->word % 2 == 0) {
        if (t->duty == RESPONDER_ADDS)
#pragma GCC unroll 16
            for (size_t i = 0; i < RESPONDER_BLOCK; i++)
                atomic_add_nothing(word);
        else if (t->duty == RESPONDER_COMPARES)
#pragma GCC unroll 16
            for (size_t i = 0; i < RESPONDER_BLOCK; i++)
                atomic_compare_with_nothing(word);
        else if (t->duty == RESPONDER_RESTORES)
#pragma GCC unroll 16
            for (size_t i = 0; i < RESPONDER_BLOCK; i++)
                *word = 0;
        else
#pragma GCC unroll 16
            for (size_t i = 0; i < RESPONDER_BLOCK; i++)
                (void)*word;
        *t->loaded = done += RESPONDER_BLOCK;
    }
}

void responder_run(void *responder)
{
    const struct responder *r = responder;
    const struct responder_task *t = &r->task;

    while (!r->stop) {
        const uint64_t number = *t->word;
        if (number % 2 == 0)
            continue;
        if (t->duty == RESPONDER_LOADS || t->duty == RESPONDER_STORES) {
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the duty begins behind the request */
            do_duty(t);
        }
        *t->word = number + 1;
        if (t->duty == RESPONDER_STREAMS)
            stream(r);
        while (t->duty == RESPONDER_PAUSES && !r->stop && *t->word % 2 == 0)
            spin_pause();
        if (t->duty >= RESPONDER_ADDS)
            contend(r);
        else if (t->duty > RESPONDER_PAUSES)
            fill(r);
    }
}
