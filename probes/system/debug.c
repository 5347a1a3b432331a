/*
 * Debug probes: do faults, hangs and page tables behave as every other probe relies on? They run only when they are
 * named, and have no findings.
 *
 * Most of them run one kernel that does one forbidden thing. They must end as a fault that names it, and the next probe
 * must be unharmed; the kernel that never returns must be ended by the deadline. Two write outside their memory where
 * no page boundary stops them, and must end as a fault all the same. One reads, through pages of every size, what was
 * written through the addresses of the frames, and the last one compares accessed bits in the page tables with what was
 * accessed.
 *
 * Method: docs/METHODS.md, 8.6.
 */
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"

enum { CODE_BYTES = 4096 };

/* Emits one forbidden thing; some do it at an address. */
typedef void offence(struct code *c, uintptr_t address);

/* Runs a kernel that commits this offence once. */
static void commit(struct probe *p, offence *emit, uintptr_t address)
{
    struct code c = probe_code(p, CODE_BYTES);
    struct kernel k = {.units = 1};
    struct point pt;

    emit(&c, address);
    emit_return(&c);
    if (probe_kernel(p, &c, 0, &k))
        probe_measure(p, &k, &pt);
}

static void undefined(struct code *c, uintptr_t address)
{
    (void)address;
    emit_undefined(c);
}

static void unknown_register(struct code *c, uintptr_t address)
{
    (void)address;
    emit_unknown_register(c);
}

/* Faults on x86-64; AArch64 gives 0 (Arm ARM DDI 0487, C6.2 UDIV). */
static void divide(struct code *c, uintptr_t address)
{
    (void)address;
    emit_constant(c, REG_T0, 1);
    emit_constant(c, REG_T1, 0);
    emit_divide(c, REG_T0, REG_T1);
}

static void read_at(struct code *c, uintptr_t address)
{
    emit_constant(c, REG_T0, address);
    emit_load(c, REG_T1, REG_T0, 0);
}

static void write_at(struct code *c, uintptr_t address)
{
    emit_constant(c, REG_T0, address);
    emit_store(c, REG_T1, REG_T0, 0);
}

static void jump_to(struct code *c, uintptr_t address)
{
    emit_constant(c, REG_T0, address);
    emit_branch_register(c, REG_T0);
}

/* Calls itself until the stack ends. */
static void recurse(struct code *c, uintptr_t address)
{
    (void)address;
    size_t start = c->used;
    emit_enter(c);
    emit_call(c, start);
    emit_leave(c);
}

static void hang(struct code *c, uintptr_t address)
{
    (void)address;
    emit_branch(c, c->used);
}

/* A probe's run that does a forbidden thing which needs no address. */
#define RUN_FORBIDDEN(id, emit) \
    static void run_##id(struct probe *p) \
    { \
        commit(p, emit, 0); \
    }

RUN_FORBIDDEN(undefined, undefined)
RUN_FORBIDDEN(register, unknown_register)
RUN_FORBIDDEN(divide, divide)
RUN_FORBIDDEN(stack, recurse)
RUN_FORBIDDEN(hang, hang)

/* Reads just past the last page of an area, where nothing is mapped. */
static void run_unmapped(struct probe *p)
{
    struct area a;
    if (probe_map(p, &a, 1, 0))
        commit(p, read_at, a.at + a.page_bytes);
}

/* Writes behind an area, but in its last page. */
static void run_overrun(struct probe *p)
{
    struct area a;
    if (probe_map(p, &a, 64, 0))
        commit(p, write_at, a.at + a.bytes);
}

/* Writes before an area, without a kernel. */
static void run_underrun(struct probe *p)
{
    struct area a;
    if (probe_map(p, &a, 64, 0))
        memset(a.write - sizeof(uint64_t), 0, sizeof(uint64_t));
}

static void run_no_execute(struct probe *p)
{
    struct area a;
    if (probe_map(p, &a, 64, 0))
        commit(p, jump_to, a.at);
}

static void run_read_only(struct probe *p)
{
    (void)probe_code(p, CODE_BYTES); /* maps the area */
    commit(p, write_at, p->code.at);
}

/*
 * Writes random numbers to the first and last word of each page through the addresses of the frames, adds them up
 * through the pages, and compares the sums; `frames` NULL: page i is frame i. False when that could not be tried, with
 * the reason in the probe.
 */
static bool read_pages(struct probe *p, size_t page_bytes, const size_t *frames, size_t pages, bool *good)
{
    struct area a, sum;
    struct point pt;

    p->code = (struct area){0};
    const char *why = frames ? machine_map_frames(&a, frames, pages, page_bytes, AREA_DATA)
                             : machine_map(&a, pages * page_bytes, page_bytes, AREA_DATA);
    if (why)
        return probe_skip(p, why);
    if (!probe_map(p, &sum, sizeof(uint64_t), 0))
        return false;
    struct code c = probe_code(p, CODE_BYTES);
    struct kernel k = {.data = a.at, .units = 1};
    uint64_t expected = 0;

    emit_constant(&c, REG_T0, 0);
    for (size_t page = 0; page < pages; page++)
        for (unsigned end = 0; end < 2; end++) {
            size_t in_page = end ? page_bytes - sizeof(uint64_t) : 0;
            uint64_t *word = (uint64_t *)(a.write + (frames ? frames[page] : page) * page_bytes + in_page);
            if (*word == 0) /* else it was written for another page of the same frame */
                *word = random_next(&p->random);
            expected += *word;
            emit_constant(&c, REG_T1, a.at + page * page_bytes + in_page);
            emit_load(&c, REG_T2, REG_T1, 0);
            emit_add(&c, REG_T0, REG_T2);
        }
    emit_constant(&c, REG_T1, sum.at);
    emit_store(&c, REG_T0, REG_T1, 0);
    emit_return(&c);
    if (!probe_kernel(p, &c, 0, &k))
        return false;
    *good = probe_measure(p, &k, &pt) && *(uint64_t *)sum.write == expected;
    return true;
}

/*
 * Reads two pages, or one where memory has room for no more; `ordered`: each frame in two pages, in descending order.
 * Sends a row of the table. False when the pages were read, and the sum was wrong.
 */
static bool check_pages(struct probe *p, size_t page_bytes, bool ordered)
{
    static const size_t backwards[2][4] = {{0, 0}, {1, 0, 1, 0}};
    char reason[sizeof p->reason];
    bool tried = false, good = false;

    for (size_t pages = 2; pages > 0 && !tried; pages--) {
        size_t mark = machine_map_mark();
        tried = read_pages(p, page_bytes, ordered ? backwards[pages - 1] : NULL, ordered ? 2 * pages : pages, &good);
        machine_map_release(mark);
        if (!tried) { /* the table has the reason; other sizes may be available */
            memcpy(reason, p->reason, sizeof reason);
            p->reason[0] = 0;
            p->outcome = OUTCOME_OK;
        }
    }

    struct record r;
    record_table(p, &r, ordered ? "ordered_pages" : "pages");
    record_integer(&r, "page_bytes", page_bytes);
    record_boolean(&r, "good", good);
    if (!tried)
        record_text(&r, "reason", reason);
    record_send(&r);
    return good || !tried;
}

/* Ends the probe as a fault, unless it has ended already. */
static void fail(struct probe *p, const char *vector, size_t page_bytes)
{
    if (p->outcome != OUTCOME_OK)
        return;
    p->outcome = OUTCOME_FAULT;
    p->fault = (struct fault){.vector = vector, .address = page_bytes};
}

static void run_pages(struct probe *p)
{
    const struct machine_info *info = machine_info();

    for (size_t i = 0; i < sizeof info->page_bytes / sizeof info->page_bytes[0] && info->page_bytes[i]; i++) {
        if (check_pages(p, info->page_bytes[i], false) && check_pages(p, info->page_bytes[i], true))
            continue;
        fail(p, "wrong-data", info->page_bytes[i]);
        return;
    }
}

/*
 * Accesses some of many pages with the kernel that data TLBs are measured with, and reads from the page tables which
 * pages were accessed. Sends a row of the table. False when these are not the pages that the kernel visits.
 */
static bool check_accessed(struct probe *p, size_t page_bytes)
{
    enum { PAGES = 20, WALKED = 6, SPACING = 3 };
    bool accessed[PAGES];
    struct pages pages;
    struct kernel k = {.units = 1};
    struct point pt;
    unsigned wrong = 0;
    const char *why = pages_map(p, &pages, PAGES, page_bytes, PAGES_SHARED_LINES);
    const bool mapped = !why;

    if (mapped) /* clears the accessed bits */
        why = machine_pages_accessed(&pages.chase.ring, accessed);
    if (!why) {
        if (!pages_kernel(p, &pages, WALKED, SPACING, &k) || !probe_measure(p, &k, &pt))
            return false;
        why = machine_pages_accessed(&pages.chase.ring, accessed);
        for (size_t i = 0; i < PAGES; i++)
            wrong += accessed[i] != (i % SPACING == 0 && i / SPACING < WALKED);
    }
    if (mapped)
        pages_unmap(p, &pages);

    struct record r;
    record_table(p, &r, "accessed_pages");
    record_integer(&r, "page_bytes", page_bytes);
    record_boolean(&r, "good", !why && !wrong);
    record_integer(&r, "wrong", wrong);
    if (why)
        record_text(&r, "reason", why);
    record_send(&r);
    return !wrong;
}

static void run_accessed(struct probe *p)
{
    const struct machine_info *info = machine_info();

    for (size_t i = 0; i < sizeof info->page_bytes / sizeof info->page_bytes[0] && info->page_bytes[i]; i++)
        if (!check_accessed(p, info->page_bytes[i])) {
            fail(p, "wrong-pages", info->page_bytes[i]);
            return;
        }
}

#define DEBUG_PROBE(id, text) PROBE(debug_##id, .title = text, .family = "system", .only_named = true, .run = run_##id)

DEBUG_PROBE(undefined, "Executes an undefined instruction");
DEBUG_PROBE(register, "Reads a system register that no core has");
DEBUG_PROBE(divide, "Divides by zero");
DEBUG_PROBE(unmapped, "Reads an unmapped address");
DEBUG_PROBE(overrun, "Writes behind its memory");
DEBUG_PROBE(underrun, "Writes before its memory, from outside windows");
DEBUG_PROBE(no_execute, "Jumps into a data page");
DEBUG_PROBE(read_only, "Writes through the executable alias of code");
DEBUG_PROBE(stack, "Overflows the stack");
DEBUG_PROBE(hang, "Never returns");
DEBUG_PROBE(pages, "Reads through pages of every size");
DEBUG_PROBE(accessed, "Touches some pages of every size, and no others");
