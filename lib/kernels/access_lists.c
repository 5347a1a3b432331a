#include "lib/kernels/access_lists.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/measure/list.h"

enum {
    SITES_AT = 4096, /* offset of the load instructions in the code */
    LEAD_AT = SITES_AT - 32,
    LEAD_LINE = 2,   /* with what one access brings, none that is looked at behind the end of a page: they share sets */
    LEAD_PAGES = 24, /* more than region prefetchers of modelled cores record at once */
    SITE_BYTES = 20, /* from one to the next, where a list does not say it: 64 of them differ in the low 8 bits */
    POINTER_BITS = 3,           /* low bits of a pointer that are 0 */
    WORD_BITS = 3,              /* of the size of a word, … */
    PAGE_BITS = 12,             /* … and of that of a page */
    ASIDE_BITS = 6,             /* of the number of a line in its page: so many for each such load */
    ASIDES_APART = 3,           /* lines from one of them to the next, at least: a single access brings no other */
    WAIT_MULTIPLICATIONS = 256, /* that a list waits for, one after the other: longer than memory takes */
    WAIT_ITERATIONS = 16,       /* of the reference chain, 128 cycles each: prefetches under way arrive meanwhile */
    REFRESH = 16,               /* trials after which all places are brought to their home again */
    PLACES_LEAST = 64 << 10,    /* bytes of places, where that is no more than half of their home */
    OTHERS_FACTOR = 4,          /* bytes of other lines, in parts of what the near level holds */
    SCATTERED = 8,              /* loads of other lines in an iteration */
    ORDER_SHIFT = 32,           /* of a number that chooses their order, above that of the first one */
    CODE_BYTES = 1 << 16,
    TABLE_BYTES = ACCESS_PLACES * sizeof(uint64_t), /* of places; as many of looks, and of asides, behind them */
    TABLES = 3,
    LARGE_PAGE_BYTES = 2 << 20 /* the largest page that a small area may take */
};

static size_t power_of_two(size_t bytes)
{
    size_t power = ACCESS_PAGE_BYTES;

    while (power < bytes)
        power *= 2;
    return power;
}

/* That of three quarters of the bytes: a size that was measured a little too large must not double the result. */
static size_t nearest_power(size_t bytes)
{
    return power_of_two(bytes - bytes / 4);
}

/*
 * Memory on the largest pages. It is written once, since pages that never were may all show one frame of zeros. An area
 * that a large page would hold gets a whole one, and uses its begin.
 */
static bool map_written(struct probe *p, struct area *a, size_t bytes)
{
    size_t whole = bytes;

    for (const size_t *size = machine_info()->page_bytes; *size; size++)
        if (*size <= LARGE_PAGE_BYTES && *size > whole)
            whole = *size;
    if (!probe_map_large(p, a, whole))
        return false;
    a->bytes = bytes;
    memset(a->write, 0, bytes);
    return true;
}

void access_use(struct access_area *a, const struct area *data, const struct area *pages)
{
    a->data = *data;
    a->pages = pages ? *pages : (struct area){0};
    a->touched = REFRESH;
}

bool access_map(struct probe *p, struct access_area *a, size_t near_bytes, size_t home_bytes)
{
    size_t part = home_bytes / 4 > PLACES_LEAST ? home_bytes / 4 : PLACES_LEAST;

    part = part < home_bytes / 2 ? part : home_bytes / 2;
    part = nearest_power(part < (size_t)ACCESS_SLOTS * ACCESS_PAGE_BYTES ? part
                                                                         : (size_t)ACCESS_SLOTS * ACCESS_PAGE_BYTES);
    const size_t others = nearest_power(OTHERS_FACTOR * near_bytes > part ? OTHERS_FACTOR * near_bytes : part);
    *a = (struct access_area){.touched = REFRESH, .refresh = REFRESH};
    return map_written(p, &a->data, part) && map_written(p, &a->others, others) &&
           probe_map(p, &a->tables, (size_t)TABLES * ACCESS_TRIALS * TABLE_BYTES, 0);
}

bool access_map_further(struct probe *p, struct access_area *a, size_t lines)
{
    return a->more.bytes || map_written(p, &a->more, power_of_two(lines * ACCESS_LINE_BYTES));
}

/* ---- Kernels ---------------------------------------------------------------------------------------- */

static unsigned bits_of(size_t bytes)
{
    unsigned bits = 0;

    while (((size_t)1 << bits) < bytes)
        bits++;
    return bits;
}

/* Offset in an area, in REG_T4, becomes that of the page in the table at REG_T6 that lies there. */
static void emit_offset_of_page(struct code *c)
{
    emit_move(c, REG_T5, REG_T4);
    emit_shift_right(c, REG_T5, PAGE_BITS);
    for (unsigned i = 0; i < WORD_BITS; i++)
        emit_add(c, REG_T5, REG_T5);
    emit_add(c, REG_T5, REG_T6);
    emit_load(c, REG_T5, REG_T5, 0);
    emit_and_constant(c, REG_T4, PAGE_BITS);
    emit_add(c, REG_T4, REG_T5);
}

/*
 * Loads SCATTERED times REG_COUNT lines of an area of a power of two of bytes, each once before any again: x = a * x +
 * c modulo a power of two has the full period where a is 1 modulo 4 and c odd (Hull and Dobell 1962); here in units of
 * lines. REG_DATA has the first line, and in its upper half c. pages: where they lie; NULL: they follow each other.
 */
static size_t emit_scattered(struct code *c, const struct area *area, const struct area *pages)
{
    const unsigned bits = bits_of(area->bytes);
    size_t entry = c->used;

    emit_constant(c, REG_T0, area->at);
    emit_constant(c, REG_T2, 0x5851f42d);
    emit_move(c, REG_T3, REG_DATA);
    emit_shift_right(c, REG_T3, ORDER_SHIFT);
    if (pages)
        emit_constant(c, REG_T6, pages->at);
    size_t loop = c->used;
    for (unsigned i = 0; i < SCATTERED; i++) {
        emit_multiply(c, REG_DATA, REG_T2);
        emit_add(c, REG_DATA, REG_T3);
        emit_and_constant(c, REG_DATA, bits);
        emit_move(c, REG_T4, REG_DATA);
        if (pages)
            emit_offset_of_page(c);
        emit_add(c, REG_T4, REG_T0);
        emit_load(c, REG_T5, REG_T4, 0);
    }
    emit_loop(c, loop);
    emit_return(c);
    return entry;
}

/* REG_T0 is always 0, and known when the load before is done; REG_T4 is where the data begins, REG_T1 the table. */
static void emit_chain_begin(struct code *c, const struct access_area *a)
{
    emit_constant(c, REG_T0, 0);
    emit_constant(c, REG_T4, a->data.at);
    emit_move(c, REG_T1, REG_DATA);
}

static size_t emit_look(struct code *c, const struct access_area *a)
{
    size_t entry = c->used;

    emit_chain_begin(c, a);
    size_t loop = c->used;
    emit_load(c, REG_T3, REG_T1, 0);
    emit_add(c, REG_T3, REG_T4);
    emit_add(c, REG_T3, REG_T0);
    emit_load(c, REG_T0, REG_T3, 0);
    emit_and_constant(c, REG_T0, POINTER_BITS); /* elsewhere there may be pointers */
    emit_add_constant(c, REG_T1, sizeof(uint64_t));
    emit_loop(c, loop);
    emit_return(c);
    return entry;
}

/* A pointer stays in REG_T6; REG_T0 becomes 0, but not before it is there. */
static void emit_site(struct code *c, size_t at, enum listed_kind kind)
{
    emit_place(c, at);
    emit_add(c, REG_T3, REG_T0);
    if (kind == LISTED_STORE) {
        emit_store(c, REG_T0, REG_T3, 0);
    } else if (kind == LISTED_ASIDE) {
        emit_load(c, REG_T3, REG_T3, 0);
    } else if (kind == LISTED_POINTER || kind == LISTED_ONWARD) {
        emit_load(c, REG_T6, REG_T3, 0);
        emit_move(c, REG_T0, REG_T6);
        emit_and_constant(c, REG_T0, POINTER_BITS);
    } else {
        emit_load(c, REG_T0, REG_T3, 0);
    }
    emit_branch_register(c, REG_T5);
}

static enum listed_kind site_kind(const struct access_list *l, size_t site)
{
    size_t i = 0;

    while (i < l->count && (l->all[i].site != site || l->all[i].kind == LISTED_APART || l->all[i].kind == LISTED_WAIT))
        i++;
    return i < l->count ? l->all[i].kind : LISTED_LOAD;
}

/*
 * Load instructions: pieces of code that load from REG_T3 and go on at REG_T5, so that any access can be done by any of
 * them. Calls and returns would load from the stack on some instruction sets, which prefetchers see as well.
 */
static void emit_sites(struct code *c, const struct access_list *l, size_t *sites)
{
    size_t count = 0;

    for (size_t i = 0; i < l->count; i++)
        count = l->all[i].site + 1 > count ? l->all[i].site + 1 : count;
    if (l->led)
        emit_site(c, LEAD_AT, LISTED_LOAD);
    for (size_t i = 0; i < count; i++) {
        sites[i] = SITES_AT + (l->code ? l->code[i] : i * SITE_BYTES);
        emit_site(c, sites[i], site_kind(l, i));
    }
}

static void emit_go_to_site(struct code *c, size_t site)
{
    struct code trial = *c; /* written over: it shows where the code goes on */

    emit_address(&trial, REG_T5, 0);
    emit_branch(&trial, site);
    emit_address(c, REG_T5, trial.used);
    emit_branch(c, site);
}

static void emit_lead(struct code *c, const struct access_area *a)
{
    for (size_t i = 0; i < LEAD_PAGES; i++) {
        emit_constant(c, REG_T3,
                      a->others.at + i * ACCESS_PAGE_BYTES % a->others.bytes + LEAD_LINE * ACCESS_LINE_BYTES);
        emit_go_to_site(c, LEAD_AT);
    }
    emit_move(c, REG_T3, REG_T2);
    emit_shift_right(c, REG_T3, PAGE_BITS);
    emit_constant(c, REG_T5, ACCESS_PAGE_BYTES);
    emit_multiply(c, REG_T3, REG_T5);
    emit_add_constant(c, REG_T3, LEAD_LINE * ACCESS_LINE_BYTES);
    emit_go_to_site(c, LEAD_AT);
}

/* REG_T3 becomes the address of the load aside number i of its place: REG_T7 has the numbers of all lines. */
static void emit_aside(struct code *c, unsigned i)
{
    emit_move(c, REG_T3, REG_T2);
    emit_shift_right(c, REG_T3, PAGE_BITS);
    emit_constant(c, REG_T5, ACCESS_PAGE_BYTES);
    emit_multiply(c, REG_T3, REG_T5);
    emit_constant(c, REG_T5, (uint64_t)-ACCESS_PAGE_BYTES);
    emit_add(c, REG_T3, REG_T5);
    emit_move(c, REG_T8, REG_T7);
    if (i)
        emit_shift_right(c, REG_T8, i * ASIDE_BITS);
    emit_and_constant(c, REG_T8, ASIDE_BITS);
    emit_constant(c, REG_T5, ACCESS_LINE_BYTES);
    emit_multiply(c, REG_T8, REG_T5);
    emit_add(c, REG_T3, REG_T8);
}

/* REG_T0 stays 0, but is known only a while later. */
static void emit_wait(struct code *c)
{
    for (unsigned i = 0; i < WAIT_MULTIPLICATIONS; i++)
        emit_multiply(c, REG_T0, REG_T0);
}

/*
 * The loads of a list from number `from` up to before `to`. Then the table of the looks is loaded, since it would be
 * near in some trials only.
 */
static size_t emit_train(struct code *c, const struct access_area *a, const struct access_list *l, const size_t *sites,
                         size_t from, size_t to)
{
    size_t entry = c->used;
    unsigned asides = 0;

    emit_chain_begin(c, a);
    size_t loop = c->used;
    emit_load(c, REG_T2, REG_T1, 0);
    emit_add(c, REG_T2, REG_T4);
    if (l->has_asides)
        emit_load(c, REG_T7, REG_T1, 2 * TABLE_BYTES);
    if (l->led && !from)
        emit_lead(c, a);
    for (size_t i = from; i < to; i++) {
        if (l->all[i].kind == LISTED_WAIT) {
            emit_wait(c);
            continue;
        }
        emit_constant(c, REG_T3, (uint64_t)l->all[i].at);
        emit_add(c, REG_T3, REG_T2);
        if (l->all[i].kind == LISTED_ASIDE)
            emit_aside(c, asides++);
        if (l->all[i].kind == LISTED_THROUGH || l->all[i].kind == LISTED_ONWARD)
            emit_move(c, REG_T3, REG_T6);
        if (l->all[i].kind == LISTED_APART) {
            emit_and_constant(c, REG_T3, bits_of(a->others.bytes));
            emit_constant(c, REG_T5, a->others.at);
            emit_add(c, REG_T3, REG_T5);
        }
        emit_go_to_site(c, sites[l->all[i].site]);
    }
    emit_add_constant(c, REG_T1, sizeof(uint64_t));
    emit_loop(c, loop);
    for (int32_t i = 0; i < TABLE_BYTES; i += ACCESS_LINE_BYTES)
        emit_load(c, REG_T2, REG_DATA, TABLE_BYTES + i);
    emit_return(c);
    return entry;
}

bool access_emit(struct probe *p, struct access_area *a, const struct access_list *l)
{
    size_t room = CODE_BYTES;

    for (size_t i = 0; i < l->count && l->code; i++)
        room = l->code[l->all[i].site] + CODE_BYTES > room ? l->code[l->all[i].site] + CODE_BYTES : room;
    struct code c = probe_code(p, room);
    size_t sites[ACCESS_LOADS] = {0};
    const size_t first = l->leaves_first ? l->leaves_first : l->count;
    const size_t empty = emit_scattered(&c, &a->others, NULL);
    const size_t touch = emit_scattered(&c, &a->data, a->pages.bytes ? &a->pages : NULL), look = emit_look(&c, a);
    const size_t further = emit_scattered(&c, a->more.bytes ? &a->more : &a->others, NULL);
    emit_sites(&c, l, sites);
    const size_t train = emit_train(&c, a, l, sites, 0, first), again = emit_train(&c, a, l, sites, first, l->count);

    a->emitted = l;
    return probe_kernel(p, &c, empty, &a->empty) && probe_kernel(p, &c, touch, &a->touch) &&
           probe_kernel(p, &c, look, &a->look) && probe_kernel(p, &c, train, &a->train) &&
           probe_kernel(p, &c, again, &a->again) && probe_kernel(p, &c, further, &a->further);
}

/* Of its slot, before a place. */
static size_t lead_bytes(const struct access_list *l)
{
    const size_t lead = l->led ? ACCESS_LEAD_LINES * ACCESS_LINE_BYTES : 0;

    return l->has_asides ? lead + ACCESS_PAGE_BYTES : lead;
}

static size_t slot_bytes(const struct access_list *l)
{
    return ((size_t)l->bytes + lead_bytes(l) + ACCESS_PAGE_BYTES - 1) / ACCESS_PAGE_BYTES * ACCESS_PAGE_BYTES;
}

size_t access_slots(const struct access_area *a, const struct access_list *l)
{
    return a->data.bytes / slot_bytes(l);
}

size_t access_begins(const struct access_list *l)
{
    return (slot_bytes(l) - lead_bytes(l) - (size_t)l->bytes) / (size_t)l->align + 1;
}

/* ---- Trials ----------------------------------------------------------------------------------------- */

/*
 * Writes the pointers of the list into each place, after those of a list before are gone. What is written comes near:
 * all places are brought to their home again.
 */
static void write_pointers(struct access_area *a, size_t places, size_t trials)
{
    const struct access_list *l = a->emitted;
    const uint64_t *table = (const uint64_t *)a->tables.write;

    if (a->has_pointers || l->pointer_count)
        a->touched = REFRESH;
    if (a->has_pointers)
        memset(a->data.write, 0, a->data.bytes);
    a->has_pointers = l->pointer_count > 0;
    for (size_t t = 0; t < trials; t++, table += (size_t)TABLES * ACCESS_PLACES)
        for (size_t i = 0; i < places; i++)
            for (size_t n = 0; n < l->pointer_count; n++) {
                const uint64_t to = (a->data.at + table[i] + (uint64_t)l->pointers[n].to) ^ l->pointers[n].flip;
                memcpy((uint8_t *)a->data.write + table[i] + l->pointers[n].at, &to, sizeof to);
            }
}

/* Random lines of a page, none near another, in random order: ASIDE_BITS for each. */
static uint64_t choose_asides(struct probe *p)
{
    uint8_t lines[ACCESS_ASIDES];
    unsigned spare = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES - ACCESS_ASIDES * ASIDES_APART, line = 0;
    uint64_t chosen = 0;

    for (unsigned i = 0; i < ACCESS_ASIDES; i++) {
        const unsigned more = (unsigned)random_below(&p->random, 2 * spare / (ACCESS_ASIDES - i) + 1);
        line += more < spare ? more : spare;
        spare -= more < spare ? more : spare;
        lines[i] = (uint8_t)line;
        line += ASIDES_APART;
    }
    random_shuffle(lines, ACCESS_ASIDES, sizeof lines[0], &p->random);
    for (unsigned i = 0; i < ACCESS_ASIDES; i++)
        chosen |= (uint64_t)lines[i] << i * ASIDE_BITS;
    return chosen;
}

/* Where a byte of the slots lies in memory. */
static uint64_t offset_of(const struct access_area *a, size_t at)
{
    const uint64_t *pages = (const uint64_t *)a->pages.write;

    return a->pages.bytes ? pages[at / ACCESS_PAGE_BYTES] + at % ACCESS_PAGE_BYTES : at;
}

/* Chooses places, none of which overlap, and writes where they begin and where to look, in another order. */
static void choose_places(struct probe *p, struct access_area *a, size_t places, const int32_t *looks, size_t trials)
{
    const struct access_list *l = a->emitted;
    const size_t slot = slot_bytes(l), slots = a->data.bytes / slot, begins = access_begins(l);
    uint64_t *table = (uint64_t *)a->tables.write;
    uint16_t order[ACCESS_SLOTS];

    for (size_t i = 0; i < slots; i++)
        order[i] = (uint16_t)i;
    random_shuffle(order, slots, sizeof order[0], &p->random);
    for (size_t t = 0; t < trials && slots > 0; t++, table += (size_t)TABLES * ACCESS_PLACES) {
        for (size_t i = 0; i < places; i++) {
            table[i] = offset_of(a, order[(t * places + i) % slots] * slot + lead_bytes(l) +
                                        random_below(&p->random, begins) * (size_t)l->align);
            size_t other = order[(t * places + i + slots / 2) % slots] * slot;
            if (looks[t] == ACCESS_ELSEWHERE)
                other += random_below(&p->random, slot / ACCESS_LINE_BYTES) * ACCESS_LINE_BYTES;
            table[ACCESS_PLACES + i] = looks[t] == ACCESS_ELSEWHERE ? offset_of(a, other)
                                                                    : table[i] + (uint64_t)looks[t];
        }
        for (size_t i = 0; i < places && l->has_asides; i++)
            table[2 * ACCESS_PLACES + i] = choose_asides(p);
        random_shuffle(table + ACCESS_PLACES, places, sizeof table[0], &p->random);
    }
}

/* Adds a reading of lines in a random order that is another one each time. */
static void add_scattered(struct probe *p, struct reading *list, size_t *n, const struct kernel *k, size_t lines)
{
    list[*n] = reading_of(k, (lines + SCATTERED - 1) / SCATTERED);
    const uint64_t odd = 2 * random_below(&p->random, 1 << 15) + 1;
    list[(*n)++].argument[1] = (odd << ORDER_SHIFT | random_below(&p->random, 1 << 16)) * ACCESS_LINE_BYTES;
}

bool access_trials(struct probe *p, struct access_area *a, size_t places, const int32_t *looks, size_t trials,
                   double *ticks)
{
    struct meter *m = &p->run->meter;
    enum { MOST = 6 + 2 * ACCESS_ROUNDS /* readings of a trial */ };
    struct reading list[ACCESS_TRIALS * MOST + 1], wait = reading_of_chain(m);
    const size_t all_lines = a->data.bytes / ACCESS_LINE_BYTES, fresh_lines = probe_is_smoke(p) ? SCATTERED : all_lines;
    size_t n = 0, at[ACCESS_TRIALS];

    wait.argument[0] = (uint64_t)probe_smoke(p, 1, WAIT_ITERATIONS);
    choose_places(p, a, places, looks, trials);
    write_pointers(a, places, trials);
    if (a->touched >= a->refresh) {
        add_scattered(p, list, &n, &a->touch, all_lines);
        a->touched = 0;
    }
    a->touched += trials;
    for (size_t t = 0; t < trials; t++) {
        const uint64_t table = a->tables.at + t * TABLES * TABLE_BYTES;
        a->train.data = table;
        a->again.data = table;
        a->look.data = table + TABLE_BYTES;
        if (a->emitted->fresh)
            add_scattered(p, list, &n, &a->touch, fresh_lines);
        add_scattered(p, list, &n, &a->empty, a->empties);
        list[n++] = reading_of(&a->train, places);
        for (size_t round = 1; round < a->emitted->rounds; round++) {
            if (!a->emitted->close)
                add_scattered(p, list, &n, &a->empty, a->empties);
            list[n++] = reading_of(&a->train, places);
        }
        if (a->emitted->leaves_first) {
            add_scattered(p, list, &n, &a->empty, a->emitted->leaves_all ? a->empties : a->empties_first);
            if (a->emitted->further)
                add_scattered(p, list, &n, &a->further, a->emitted->further);
            list[n++] = reading_of(&a->again, places);
        }
        list[n++] = wait;
        at[t] = n;
        list[n++] = reading_of(&a->look, places);
    }
    const struct window_result result = list_run(m, list, n);
    m->taken += trials;
    if (!probe_survived(p, &result))
        return false;
    for (size_t t = 0; t < trials; t++)
        ticks[t] = result.interrupts || result.smis ? NAN
                                                    : (reading_ticks(&list[at[t]]) - m->harness_ticks) / (double)places;
    return probe_goes_on(p);
}
