/*
 * The probes on modelled cores: what was put in must come back, or the probe must say that it can't.
 *
 * Cores are drawn at random, each from a seed, which is printed with whatever is wrong. LONG=1 draws
 * more of them; MODEL_SEED=n takes that one only, and MODEL_SHOWS=1 prints its table and curves.
 * MODEL_TEST=pattern runs the tests of that name.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/catalogue.h"
#include "arch/emit_idioms.h"
#include "lib/kernels/forms.h"
#include "lib/kernels/sharing.h"
#include "lib/probe.h"
#include "tests/model/cache.h"
#include "tests/model/machine.h"
#include "tests/model/proofs.h"
#include "tests/model/touched.h"
#include "tests/records.h"

enum { KIB = 1024 };

/* ---- Random cores ------------------------------------------------------------------------------- */

static uint64_t random_state;

static size_t pick(size_t from, size_t to)
{
    return from + random_below(&random_state, to - from + 1);
}

static double between(double from, double to)
{
    return from + (to - from) * (double)pick(0, 1000) / 1000;
}

/* Ways and sets as caches have them, the size at least and at most what is said. */
static struct cache_design pick_cache(size_t bytes_from, size_t bytes_to)
{
    struct cache_design c;

    do {
        c.ways = pick(1, 4) * (pick(0, 1) ? 4 : 2);
        c.bytes = c.ways * CACHE_LINE_BYTES * ((size_t)64 << pick(0, 7));
    } while (c.bytes < bytes_from || c.bytes > bytes_to);
    return c;
}

/* Levels are so much larger than those before them, at least. Scattered frames make wide ramps of their edges, the
 * wider the fewer ways there are. */
enum { APART = 4 };

static void pick_data_caches(struct core_design *d)
{
    bool third = pick(0, 1);

    /* the first level has as many sets as there are lines in a page: it needs no translation */
    d->data[0] = (struct cache_design){.ways = 2 * pick(2, 8)};
    d->data[0].bytes = d->data[0].ways * 4 * KIB;
    d->data[0].latency = (double)pick(3, 5);
    d->data[1] = pick_cache(APART * d->data[0].bytes, 512 * KIB);
    d->data[1].latency = d->data[0].latency * 2 + (double)pick(2, 10);
    if (third) {
        d->data[2] = pick_cache(APART * d->data[1].bytes, 4096 * KIB);
        d->data[2].latency = 2 * d->data[1].latency + (double)pick(5, 20);
    }
    d->memory_latency = d->data[third ? 2 : 1].latency * between(2, 4);
}

static void pick_front_end(struct core_design *d)
{
    unsigned nop_bytes = 0;

    for (const unsigned *n = emit_nop_lengths; *n && *n <= 8; n++)
        nop_bytes = *n;
    d->l1i = (struct cache_design){.bytes = (size_t)(8 * KIB) << pick(0, 3), .ways = 4};
    if (d->l1i.bytes > 16 * KIB)
        d->l1i.ways = 8;
    d->l1i_fetch = nop_bytes * (double)d->width;
    if (pick(0, 1)) {
        d->op_cache = (struct cache_design){.bytes = d->l1i.bytes / 2, .ways = d->l1i.ways};
        d->l1i_fetch /= between(1.3, 2.5);
    }
    d->l2_fetch = d->far_fetch = d->l1i_fetch / between(1.5, 4);
    if (d->data[1].bytes >= 256 * KIB) /* and is seen behind the instruction cache */
        d->far_fetch /= between(1, 3);
}

static struct core_design pick_core(void)
{
    struct core_design d = {.width = (unsigned)pick(3, 8),
                            .multiply = (double)pick(3, 5),
                            .contiguous = pick(0, 1),
                            .return_stack = (unsigned)pick(8, 32),
                            .indirect = pick(0, 1),
                            .penalty = (double)pick(12, 22)};

    pick_data_caches(&d);
    pick_front_end(&d);
    return d;
}

static struct machine_design pick_machine(uint64_t seed)
{
    struct machine_design d = {.seed = seed};

    random_state = seed;
    d.core = pick_core();
    d.tick_hz = between(0.3e8, 0.6e8);
    d.core_hz = d.tick_hz * between(2, 4);
    /* the footprint grows to half of the memory, at least two octaves past the last cache */
    size_t last = d.core.data[2].bytes ? d.core.data[2].bytes : d.core.data[1].bytes;
    for (d.memory_bytes = 64 * KIB; d.memory_bytes < 8 * (double)last;)
        d.memory_bytes *= 2;
    return d;
}

/* A reading takes so many steps of the clock: they are fewer cycles then, and fewer instructions to emulate. */
static void shorten_readings(struct machine_design *d)
{
    d->core_hz = d->tick_hz;
}

/* Jitter, a clock that wanders, and readings that something else ran in, known of or not. */
static struct machine_design pick_noisy_machine(uint64_t seed)
{
    struct machine_design m = pick_machine(seed);

    m.jitter = between(0, 0.006);
    m.drift = between(0, 0.003);
    m.stolen = between(0, 0.05);
    m.stolen_told = 0.5;
    return m;
}

/* ---- One run ------------------------------------------------------------------------------------ */

static struct records records;

/* What the findings of a test amounted to. */
static unsigned wrong, vague /* of grade C, and wrong */, decided, undecided, overflows;

static void complain(const struct machine_design *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(const struct machine_design *m, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "# %s, seed %llu: ", emit_isa, (unsigned long long)m->seed);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    wrong++;
}

static void run_forms_on(const struct machine_design *m, const char *probes, const char *pattern, enum profile profile)
{
    struct run r = {.number = 0};

    records_free(&records);
    machine_start(m);
    config_defaults(&r.config);
    snprintf(r.config.probes, sizeof r.config.probes, "%s", probes);
    snprintf(r.config.forms, sizeof r.config.forms, "%s", pattern);
    r.config.profile = profile;
    journal_start(&r.journal, "0");
    writer_start(&r.writer);
    writer_add(&r.writer, records_sink(&records));
    if (run_all(&r))
        complain(m, "the run failed");
    writer_stop(&r.writer);
    machine_stop();
    if (getenv("MODEL_SHOWS"))
        for (const char *c = NULL; (c = records_find(&records, c, "finding", NULL, NULL));)
            fprintf(stderr, "# %.*s\n", (int)strcspn(c, "\n"), c);
    if (getenv("MODEL_SHOWS"))
        for (const char *c = NULL; (c = records_find(&records, c, "curve", NULL, NULL));)
            fprintf(stderr, "# %.*s\n", (int)strcspn(c, "\n"), c);
}

static void run_probes_on(const struct machine_design *m, const char *probes, enum profile profile)
{
    run_forms_on(m, probes, "", profile);
}

/* ---- What a finding says, held against what is true --------------------------------------------- */

/* NaN where the finding has no such number. */
static double number(const char *finding, const char *key)
{
    const char *text = record_value(finding, key, 2);
    return text && strcmp(text, "null") != 0 ? strtod(text, NULL) : NAN;
}

/* The finding of that variant, or NULL; a NULL key asks for no variant. */
static const char *finding_of(const char *name, const char *key, const char *variant)
{
    const char *f = NULL;

    while ((f = records_find(&records, f, "finding", "name", name))) {
        const char *v = key ? record_value(f, key, 2) : NULL;
        if (!key || (v && !strcmp(v, variant)))
            break;
    }
    return f;
}

/* Levels have numbers: where one may hide, those behind it have none that is sure, and may be one fewer. */
static bool may_hide(void)
{
    for (const char *f = NULL; (f = records_find(&records, f, "finding", NULL, NULL));) {
        const char *reason = record_value(f, "reason", 2);
        if (reason && !strncmp(reason, "a level may hide", strlen("a level may hide")))
            return true;
    }
    return false;
}

/* True when the finding is decided; complains when it is neither decided nor says why not, or is not there at all. */
static bool is_decided(const struct machine_design *m, const char *f, const char *name, const char *variant)
{
    const char *grade = f ? record_value(f, "grade", 2) : NULL, *reason = f ? record_value(f, "reason", 3) : NULL;

    if (!grade) {
        undecided++;
        if (!may_hide())
            complain(m, "%s %s: not reported", name, variant);
        return false;
    }
    if (grade[0] != 'U') {
        decided++;
        return true;
    }
    undecided++;
    if (!reason || !reason[0])
        complain(m, "%s %s: undecided without a reason", name, variant);
    if (!isnan(number(f, "value")) || !isnan(number(f, "low")) || !isnan(number(f, "high")))
        complain(m, "%s %s: undecided, with a number", name, variant);
    return false;
}

static void check_capacity(const struct machine_design *m, const char *name, const char *key, const char *variant,
                           double truth)
{
    const char *f = finding_of(name, key, variant);

    if (!is_decided(m, f, name, variant))
        return;
    double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    if (!(low <= value && value <= high))
        complain(m, "%s %s: %.0f is not in its own interval, %.0f ... %.0f", name, variant, value, low, high);
    if (!(low <= truth && truth <= high))
        complain(m, "%s %s: %.0f, in %.0f ... %.0f, and is %.0f", name, variant, value, low, high, truth);
}

static void check_number(const struct machine_design *m, const char *name, const char *key, const char *variant,
                         double truth)
{
    const char *f = finding_of(name, key, variant);

    if (is_decided(m, f, name, variant) && !(fabs(number(f, "value") - truth) <= 0.03 * fabs(truth)))
        complain(m, "%s %s: %g, and is %g", name, variant, number(f, "value"), truth);
}

/* The value is a word; a NULL key asks for no variant. */
static void check_text(const struct machine_design *m, const char *name, const char *key, const char *variant,
                       const char *truth)
{
    const char *f = finding_of(name, key, variant), *value;

    if (is_decided(m, f, name, variant) && (value = record_value(f, "value", 2)) &&
        strncmp(value, truth, strlen(truth)) != 0)
        complain(m, "%s %s: %.12s, and is %s", name, variant, value, truth);
}

static void check_gates(const struct machine_design *m)
{
    check_number(m, "system.clock.multiply_cycles", NULL, "", m->core.multiply);
    check_number(m, "system.clock.load_cycles", NULL, "", m->core.data[0].latency);
}

static const char *const level_names[] = {"1", "2", "3", "4", "5"};

static void check_caches(const struct machine_design *m)
{
    const struct core_design *d = &m->core;
    size_t level = 0;

    for (; level < DATA_LEVELS && d->data[level].bytes; level++) {
        check_capacity(m, "memory.cache.bytes", "level", level_names[level], (double)d->data[level].bytes);
        check_number(m, "memory.cache.latency_cycles", "level", level_names[level], d->data[level].latency);
    }
    check_number(m, "memory.cache.latency_cycles", "level", level_names[level], d->memory_latency);
    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.cache.bytes"));) {
        const size_t of = (size_t)number(f, "level") - 1;
        if (of < level && !isnan(number(f, "value")) &&
            !(number(f, "low") <= (double)d->data[of].bytes && (double)d->data[of].bytes <= number(f, "high")))
            complain(m, "memory.cache.bytes %s: %g, and is %zu", level_names[of], number(f, "value"),
                     d->data[of].bytes);
    }
    const char *beyond = finding_of("memory.cache.bytes", "level", level_names[level + 1]);
    if (beyond && is_decided(m, beyond, "memory.cache.bytes", level_names[level + 1]))
        complain(m, "memory.cache.bytes: there are only %zu levels and memory", level);
}

static void check_l1i(const struct machine_design *m)
{
    check_capacity(m, "frontend.l1i.bytes", NULL, "", (double)m->core.l1i.bytes);
}

/* The modelled stack overwrites its oldest entry; an indirect predictor knows all returns but the one drawn at random. */
static void check_overflow(const struct machine_design *m, const char *f)
{
    const char *overflow = f ? record_value(f, "overflow", 3) : NULL;
    const char *truth = m->core.indirect ? "others stand in" : "the oldest are lost";

    if (overflow && strncmp(overflow, truth, strlen(truth)) != 0)
        complain(m, "past the return stack %.40s, and %s", overflow, truth);
    overflows += overflow != NULL;
}

/*
 * Nested calls whose returns are predicted: an indirect predictor knows those of nests that repeat, up to
 * a depth of its own. Random ones show the return stack.
 */
static void check_return_stack(const struct machine_design *m)
{
    static const char name[] = "frontend.return_stack.entries";
    static const char *const repeating[] = {"fixed", "changing"};

    check_capacity(m, name, "target", "random", m->core.return_stack);
    check_overflow(m, finding_of(name, "target", "random"));
    for (size_t i = 0; i < 2; i++) {
        const char *f = finding_of(name, "target", repeating[i]);
        if (!m->core.indirect)
            check_capacity(m, name, "target", repeating[i], m->core.return_stack);
        else if (is_decided(m, f, name, repeating[i]) && !(number(f, "low") > m->core.return_stack))
            complain(m, "%s %s: %g, and the return stack alone has %u", name, repeating[i], number(f, "value"),
                     m->core.return_stack);
    }
}

/* 0 is a number of its own, and no interval. */
static void check_span(const struct machine_design *m, const char *kind, double truth)
{
    static const char name[] = "frontend.history.branches";
    const char *f = finding_of(name, "kind", kind);

    if (truth > 0)
        check_capacity(m, name, "kind", kind, truth);
    else if (is_decided(m, f, name, kind) && number(f, "value") > 0)
        complain(m, "%s %s: %g, and they do not enter", name, kind, number(f, "value"));
}

/*
 * The history of branches. Pairs of call and return have one entry in it, two or none; dummies come in pairs, so that
 * the end lies between two even numbers.
 */
static void check_history(const struct machine_design *m)
{
    static const char *const kinds[] = {"conditional-taken", "conditional-not-taken", "unconditional", "indirect"};
    const bool *enters = m->core.history_enters;
    const unsigned of_pair = enters[HISTORY_CALL] + enters[HISTORY_RETURN];

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        check_span(m, kinds[kind], enters[kind] ? m->core.history : 0);
    check_span(m, "call-return", of_pair == 2 ? m->core.history : of_pair == 1 ? 2 * m->core.history - 1 : 0);
}

/* A finding of grade A or B must hold one of these; what is C may be wrong, and is counted. */
static void check_one_of(const struct machine_design *m, const char *f, const double *truths, size_t count)
{
    bool right = false;

    if (!is_decided(m, f, "a level", "of this core"))
        return;
    double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    for (size_t i = 0; i < count; i++)
        right |= low <= truths[i] && truths[i] <= high;
    vague += !right;
    if (!right && record_value(f, "grade", 2)[0] != 'C')
        complain(m, "%s: %g in %g ... %g, and no level holds so many", record_value(f, "name", 3), value, low, high);
}

/* Levels that no curve shows are not counted: which one a number belongs to is not asked. */
static void check_targets(const struct machine_design *m)
{
    double truths[TARGET_LEVELS];

    for (size_t i = 0; i < TARGET_LEVELS; i++)
        truths[i] = (double)(m->core.targets[i].sets * m->core.targets[i].ways);
    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "frontend.btb.entries"));)
        check_one_of(m, f, truths, TARGET_LEVELS);
    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "frontend.btb.fallback_cycles"));) {
        if (!is_decided(m, f, "frontend.btb.fallback_cycles", ""))
            continue;
        if (!(fabs(number(f, "value") / m->core.redirect - 1) <= 0.1))
            complain(m, "frontend.btb.fallback_cycles: %g, and is %g", number(f, "value"), m->core.redirect);
        const char *cause = record_value(f, "cause", 2);
        if (!cause || (strncmp(cause, "decode", 6) == 0) != m->core.decodes)
            complain(m, "frontend.btb.fallback_cycles: not from there");
    }
}

static void check_pages(const struct machine_design *m)
{
    const struct page_design *first = &m->core.pages[0];
    double truths[PAGE_LEVELS];

    for (size_t i = 0; i < PAGE_LEVELS; i++)
        truths[i] = (double)(m->core.pages[i].sets * m->core.pages[i].ways);
    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "frontend.itlb.entries"));)
        check_one_of(m, f, truths, PAGE_LEVELS);
    check_number(m, "frontend.itlb.miss_cycles", "level", "1", first->miss);
    check_number(m, "frontend.itlb.ways", "level", "1", (double)first->ways);
    if (first->sets > 1) {
        double bits = 0;
        for (size_t sets = first->sets; sets > 1; sets /= 2)
            bits++;
        check_number(m, "frontend.itlb.index_bits", "level", "1", bits);
    }
}

static void begin(void)
{
    wrong = vague = decided = undecided = overflows = 0;
}

/* A test that is content with findings that nobody decided could not fail. */
static void end(unsigned decided_at_least, unsigned undecided_at_most)
{
    print_message("# %s: %u findings decided, %u undecided, %u wrong\n", emit_isa, decided, undecided, wrong);
    assert_int_equal(wrong, 0);
    if (getenv("MODEL_SEED"))
        return;
    assert_true(decided >= decided_at_least);
    assert_true(undecided <= undecided_at_most);
}

/* The seeds of a test: 1 … count, or only the one that was asked for. */
static bool next_seed(uint64_t *seed, uint64_t count, uint64_t count_when_long)
{
    const char *only = getenv("MODEL_SEED");

    if (only)
        return !*seed && (*seed = strtoull(only, NULL, 10));
    return ++*seed <= (getenv("LONG") ? count_when_long : count);
}

/* ---- Quiet machines ----------------------------------------------------------------------------- */

/* Lines, ways and sets of the first level. */
static void check_shape(const struct machine_design *m)
{
    const struct cache_design *first = &m->core.data[0];

    check_capacity(m, "memory.cache.line_bytes", "level", "1", CACHE_LINE_BYTES);
    check_capacity(m, "memory.cache.ways", "level", "1", (double)first->ways);
    check_number(m, "memory.cache.index_bits", "level", "1",
                 log2((double)first->bytes / (double)first->ways / CACHE_LINE_BYTES));
}

/* Of a test that says the same by either instruction set, where time is short. */
static uint64_t seeds_on(const char *isa, uint64_t count)
{
    return strcmp(emit_isa, isa) == 0 ? count : 0;
}

static void data_caches_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 32); cores++) {
        struct machine_design m = pick_machine(seed);
        run_probes_on(&m, "cache cache_lines cache_ways", PROFILE_QUICK);
        check_number(&m, "system.clock.hz", NULL, "", m.core_hz);
        check_gates(&m);
        check_caches(&m);
        check_shape(&m);
    }
    /* of three of the clock, five of two levels and memory, and three of shape at least; levels may hide */
    end(10 * cores, 3 * cores);
}

/* One in three loads finds its page: entries for a third of those that three quarters of the second level lie on. */
static void the_tlbs_part_in_a_latency_is_given_back(void **state)
{
    enum { ENTRIES = 32, MISS = 7, BYTES = ENTRIES * 3 * 4 * KIB / 3 * 4 };
    unsigned found = 0;

    (void)state;
    begin();
    struct machine_design m = pick_machine(1);
    m.core.contiguous = true;
    m.core.data[1].bytes = BYTES;
    m.core.data[1].ways = 8;
    m.core.data[2] = (struct cache_design){0};
    m.memory_bytes = 2 * BYTES;
    m.core.data_pages[0] = (struct page_design){.sets = 4, .ways = ENTRIES / 4, .miss = MISS};
    m.declares = true;
    run_probes_on(&m, "cache cache_pages", PROFILE_QUICK);
    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.random.latency_cycles"));) {
        const bool small = !strcmp(record_value(f, "page", 2), "4k"),
                   second = !strcmp(record_value(f, "level", 2), "2");
        const double truth = m.core.data[1].latency + (small ? MISS * 2.0 / 3 : 0), value = number(f, "value");
        if (!second)
            continue;
        if (!(fabs(value / truth - 1) <= 0.03))
            complain(&m, "random order, %s pages: %g, and is %g", small ? "small" : "large", value, truth);
        found++;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(found, 2);
}

static void instruction_caches_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 3, 24); cores++) {
        struct machine_design m = pick_machine(seed);
        run_probes_on(&m, "itlb l1i", PROFILE_QUICK);
        check_l1i(&m);
    }
    /* where surprise is vague straight code alone tells nothing: operation caches end, too */
    end(cores / 3, 2 * cores / 3);
}

/* Lines and sets, where pages leave the set to the address alone. */
static void shapes_of_instruction_caches_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.contiguous = true;
        m.core.op_cache = m.core.data[2] = (struct cache_design){0};
        m.core.data[1].bytes = 512 * KIB; /* sets enough for all places, ways enough for those of one */
        m.core.data[1].ways = 16;
        m.tick_hz *= 4; /* a miss costs few cycles in each reading: longer ones */
        m.core_hz *= 4;
        run_probes_on(&m, "l1i l1i_ways", PROFILE_QUICK);
        check_capacity(&m, "frontend.l1i.line_bytes", NULL, "", CACHE_LINE_BYTES);
        check_capacity(&m, "frontend.l1i.ways", NULL, "", (double)m.core.l1i.ways);
        check_number(&m, "frontend.l1i.index_bits", NULL, "",
                     log2((double)m.core.l1i.bytes / (double)m.core.l1i.ways / CACHE_LINE_BYTES));
    }
    end(2 * cores, cores);
}

/* The policy that was put in is among those told, or none is told. */
static void check_replacement(const struct machine_design *m)
{
    const char *f = finding_of("memory.cache.replacement", "level", "1"), *policy = m->core.data[0].policy;
    const char *grade = f ? record_value(f, "grade", 2) : NULL;

    if (!grade) /* neither ways nor lines are known */
        return;
    if (grade[0] == 'U') {
        undecided++;
        return;
    }
    const char *value = record_value(f, "value", 3), *end = value + strlen(value);
    decided++;
    for (const char *word = value; word < end; word += strcspn(word, " ") + 1) /* "LRU or PLRU" */
        if (strcspn(word, " ") == strlen(policy) && !strncmp(word, policy, strlen(policy)))
            return;
    complain(m, "memory.cache.replacement: %s, and is %s", value, policy);
}

static void replacement_policies_are_given_back(void **state)
{
    static const struct {
        const char *name;
        size_t ways;
    } policies[] = {{"LRU", 8},    {"LRU3PLRU4", 12},         {"PLRU", 8},     {"FIFO", 4}, {"SRRIP", 12}, {"NRU", 8},
                    {"RANDOM", 4}, {"QLRU_H11_M1_R0_U0", 16}, {"LRU2PLRU4", 8}};
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 9, 45); cores++) {
        struct machine_design m = pick_machine(seed);
        const size_t which = (seed - 1) % (sizeof policies / sizeof *policies);
        m.core.data[0].policy = policies[which].name;
        m.core.data[0].ways = policies[which].ways;
        m.core.data[0].bytes = policies[which].ways * 4 * KIB;
        if (m.core.data[1].bytes < 256 * KIB) /* several sets of all lines that lie as far apart as a way spans */
            m.core.data[1] = (struct cache_design){256 * KIB, 8, .latency = m.core.data[1].latency};
        m.declares = true; /* its ways and bytes: how they are found out is tested above */
        m.tick_hz *= 4;    /* longer readings, of many rounds */
        m.core_hz *= 4;
        run_probes_on(&m, "replacement", PROFILE_QUICK);
        check_replacement(&m);
    }
    end(2 * cores / 3, cores / 3);
}

/* Told by several experiments, it says which: the text lasts until it is reported. */
static void check_agreement(const struct machine_design *m, const char *f)
{
    const char *agreement = f ? record_value(f, "agreement", 3) : NULL;

    if (agreement && strncmp(agreement, "a set", 5) != 0)
        complain(m, "agreement: %.40s", agreement);
}

/* The second level, by pages that are picked: frames in order, scattered, and hashed sets, all of them or as Zen 4 has it. */
static void sets_behind_frames_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        struct cache_design *second = &m.core.data[1];
        m.core.data[2] = (struct cache_design){0};
        m.core.data[0].ways = 8;
        m.core.data[0].bytes = 32 * KIB;
        second->bytes = (size_t)(seed % 2 ? 1024 : 512) * KIB;
        second->ways = seed % 2 ? 16 : 8;
        second->hashed = seed % 3 == 0;
        second->plain_bits = seed % 2 ? 0 : 3;
        m.memory_bytes = 16384 * KIB;
        run_probes_on(&m, "cache cache_lines cache_ways cache_sets", PROFILE_STANDARD);
        check_number(&m, "memory.cache.ways", "level", "2", (double)second->ways);
        check_agreement(&m, finding_of("memory.cache.ways", "level", "2"));
        check_number(&m, "memory.cache.index_bits", "level", "2",
                     log2((double)second->bytes / (double)second->ways / CACHE_LINE_BYTES));
        for (const char *f = NULL; (f = records_find(&records, f, "finding", "probe", "cache_sets"));)
            if (!strcmp(record_value(f, "name", 2), "memory.cache.bytes") &&
                !(fabs(number(f, "value") / (double)second->bytes - 1) <= 0.02))
                complain(&m, "memory.cache.bytes: %g, and is %zu", number(f, "value"), second->bytes);
    }
    end(cores, cores);
}

/* A hash has no ways that strides could show. */
static void hashed_sets_are_not_told_wrong(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16);) {
        struct machine_design m = pick_machine(seed);
        m.core.data[0].hashed = true;
        run_probes_on(&m, "cache cache_lines cache_ways replacement", PROFILE_QUICK);
        check_shape(&m);
    }
    end(0, UINT32_MAX);
}

static bool has_lengths(void)
{
    return emit_longest > emit_alignment;
}

/*
 * Entries of operation caches, where NOPs of many lengths show them. On AArch64 there is one number of instructions to a
 * line, and all that can be told is how many are held: lines of 16.
 */
static void check_op_cache(const struct machine_design *m)
{
    const struct core_design *d = &m->core;
    double entries = (double)(d->op_cache.bytes / CACHE_LINE_BYTES), sets = entries / (double)d->op_cache.ways;
    double taken = ceil(16.0 / d->op_entry);

    check_capacity(m, "frontend.op_cache.entries", NULL, "", entries);
    check_number(m, "frontend.op_cache.ops_per_entry", NULL, "", d->op_entry);
    check_capacity(m, "frontend.op_cache.ops", NULL, "",
                   has_lengths() ? entries * d->op_entry : 16 * sets * floor((double)d->op_cache.ways / taken));
}

static void operation_caches_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 3, 24); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 16 * KIB, .ways = 4};
        m.core.op_entry = (unsigned)pick(6, 9);
        m.core.op_cache.ways = pick(6, 8);
        m.core.op_cache.bytes = m.core.op_cache.ways * 16 * CACHE_LINE_BYTES;
        m.core.l1i_fetch = 4.0 * m.core.width; /* a line takes twice as long as its instructions at 8 to a line */
        m.core.decoders = m.core.width / 2 + 1;
        m.core.l2_fetch = m.core.far_fetch = m.core.l1i_fetch / 2;
        run_probes_on(&m, "l1i op_cache", PROFILE_QUICK);
        check_op_cache(&m);
    }
    end(has_lengths() ? 2 * cores : cores / 2, 3 * cores);
}

static void widths_of_decoders_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = has_lengths() ? 16 * KIB : 64 * KIB, .ways = 4};
        m.core.op_cache = (struct cache_design){.bytes = 8 * KIB, .ways = 8};
        m.core.l1i_fetch = 64;
        m.core.decoders = (unsigned)pick(2, m.core.width - 1);
        m.core.pages[0] = (struct page_design){.sets = 1, .ways = 64, .miss = 8}; /* else an edge may be a TLB's */
        run_probes_on(&m, "itlb l1i decode", PROFILE_QUICK);
        check_number(&m, "frontend.decode.width", NULL, "", m.core.decoders);
    }
    end(cores / 2, cores / 2); /* where the instruction cache is not told, neither are they */
}

/* Decoders as wide as all else cannot be told from what is behind them. */
static void decoders_that_nothing_waits_for_are_undecided(void **state)
{
    (void)state;
    begin();
    struct machine_design m = pick_machine(1);
    m.core.l1i = (struct cache_design){.bytes = has_lengths() ? 16 * KIB : 64 * KIB, .ways = 4};
    m.core.op_cache = (struct cache_design){0};
    m.core.l1i_fetch = 64;
    run_probes_on(&m, "l1i decode", PROFILE_QUICK);
    if (is_decided(&m, finding_of("frontend.decode.width", NULL, ""), "frontend.decode.width", ""))
        complain(&m, "frontend.decode.width: decided, and nothing waited for the decoders");
    assert_int_equal(wrong, 0);
}

static void widths_of_fetches_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 16 * KIB, .ways = 4};
        m.core.op_cache = (struct cache_design){0};
        m.core.l1i_fetch = 256;
        m.core.fetch_bytes = 16U << pick(0, 2);
        run_probes_on(&m, "l1i fetch", PROFILE_QUICK);
        check_capacity(&m, "frontend.fetch.instructions", NULL, "", m.core.fetch_bytes / 4.0);
    }
    end(1 + cores / 2, cores); /* more than half */
}

static void return_stacks_are_given_back(void **state)
{
    unsigned cores = 0, hidden = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine(seed);
        shorten_readings(&m);
        m.core.indirect = seed % 2;
        hidden += m.core.indirect ? 2 : 0;
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        check_return_stack(&m);
    }
    assert_true(overflows == cores || getenv("MODEL_SEED"));
    end(3 * cores - hidden, hidden);
}

static void knees_are_proven_by_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = pick_machine(seed);
        m.counts = true;
        proofs_check(&m);
    }
}

/* An addition is one operation of the modelled core, and the loop around additions is none of theirs. */
static void operations_of_a_form_are_counted(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 4);) {
        struct machine_design m = pick_machine(seed);
        m.counts = true;
        run_forms_on(&m, "instructions", form_units[0].form, PROFILE_QUICK);
        const char *rows = NULL;
        for (const char *t = NULL; (t = records_find(&records, t, "table", "name", "backend.instruction"));)
            rows = t;
        if (!rows || !strstr(rows, "[\"ops_retired\",1]"))
            complain(&m, "%s is not one operation: %.*s", form_units[0].form, rows ? (int)strcspn(rows, "\n") : 0,
                     rows ? rows : "");
    }
    end(0, 0);
}

/* From its mask, its addresses and its base to what it loads. */
static void every_operand_of_a_gather_begins_a_chain(void **state)
{
    unsigned gathers = 0;

    (void)state;
    for (const struct form *f = forms; f < forms + form_count; f++)
        for (unsigned to = 0; to < f->operand_count && form_is_sum(f) && !f->stack; to++) {
            const struct form_operand *d = form_operand(f, to);
            if (d->kind != OPERAND_VECTOR || !(d->access & OPERAND_WRITE) || d->is_spent)
                continue;
            for (unsigned from = 0; from < f->operand_count; from++)
                if (!form_can_chain(f, from, to) && !form_bridge_count(f, from, to))
                    fail_msg("%s: none from operand %u", form_name(f), from);
            gathers++;
        }
    assert_true((gathers > 0) == (strcmp(emit_isa, "x86_64") == 0)); /* those of SVE spend no mask */
}

/* Conditional branches that are taken enter every history. */
static struct machine_design pick_machine_with_history(uint64_t seed)
{
    struct machine_design m = pick_machine(seed);

    m.core.history = (unsigned)pick(12, 60);
    m.core.l1i = (struct cache_design){.bytes = 32 * KIB, .ways = 8};
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        m.core.history_enters[kind] = kind == HISTORY_TAKEN || pick(0, 1);
    return m;
}

/*
 * The modelled front end is held until the branch has been executed, and for the penalty. What the branch looks at is
 * there long before it; it takes a cycle by itself, one where it is compared first, and what is left of the cycle in
 * which the front end had it. Cycles are as true as check_number has them.
 */
static void check_penalty(const struct machine_design *m, const char *branch)
{
    enum { EXECUTION = 3 };
    const double least = 0.97 * m->core.penalty, most = 1.03 * (m->core.penalty + EXECUTION);
    const char *f = finding_of("frontend.mispredict.cycles", "branch", branch);

    if (is_decided(m, f, "frontend.mispredict.cycles", branch) &&
        !(number(f, "value") >= least && number(f, "value") <= most))
        complain(m, "misprediction, %s: %g, and is %g", branch, number(f, "value"), m->core.penalty);
}

/* Half of what is not foreseen is right by luck, and a twentieth is held to be nothing: less than there is room for. */
static void penalties_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine_with_history(seed);
        m.core.history = 0; /* it would hold outcomes of its own */
        m.core.outcomes = (size_t)1024 << pick(0, 4);
        run_probes_on(&m, "mispredict", PROFILE_QUICK);
        check_capacity(&m, "frontend.mispredict.outcomes", NULL, "", (double)m.core.outcomes);
        check_penalty(&m, "cond");
        check_penalty(&m, "indirect");
        check_penalty(&m, "return");
    }
    end(2 * cores, UINT32_MAX);
}

static void histories_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine_with_history(seed);
        shorten_readings(&m);
        run_probes_on(&m, "history", PROFILE_QUICK);
        check_history(&m);
    }
    end(4 * cores, cores);
}

static void branch_target_buffers_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.contiguous = true;
        m.core.op_cache = (struct cache_design){0};
        m.core.targets[0] = (struct target_design){
            .sets = (size_t)1 << pick(1, 4), .ways = 2 * pick(1, 3), .low = (unsigned)pick(3, 5), .cycles = 1};
        m.core.targets[1] = (struct target_design){.sets = (size_t)32 << pick(1, 3),
                                                   .ways = 2 * pick(2, 4),
                                                   .low = (unsigned)pick(3, 6),
                                                   .cycles = (double)pick(2, 3)};
        m.core.redirect = (double)pick(6, 14);
        m.core.decodes = pick(0, 1);
        shorten_readings(&m);
        run_probes_on(&m, "btb", PROFILE_QUICK);
        check_targets(&m);
    }
    print_message("# %s: %u vague\n", emit_isa, vague);
    end(cores, UINT32_MAX);
}

static void instruction_tlbs_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.pages[0] = (struct page_design){
            .sets = (size_t)1 << pick(0, 5), .ways = (size_t)4 << pick(0, 1), .miss = (double)pick(5, 9)};
        if (m.core.pages[0].sets == 1)
            m.core.pages[0].ways = 8 * pick(4, 8);
        m.core.pages[1] = (struct page_design){.sets = 128, .ways = 4 * pick(3, 4), .miss = (double)pick(15, 30)};
        run_probes_on(&m, "itlb", PROFILE_QUICK);
        check_pages(&m);
    }
    print_message("# %s: %u vague\n", emit_isa, vague);
    end(cores, UINT32_MAX);
}

/* What stores see may be what loads see: then it is one level, or two. */
static void check_store_pages(const struct machine_design *m)
{
    const struct page_design *first = m->core.store_pages[0].ways ? m->core.store_pages : m->core.data_pages;
    const double truth = (double)(first->sets * first->ways);

    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.dtlb.entries"));) {
        const char *access = record_value(f, "access", 2);
        if (access && !strncmp(access, "store", 5) && number(f, "level") < 2)
            check_one_of(m, f, &truth, 1);
    }
}

static void check_data_pages(const struct machine_design *m)
{
    const struct page_design *first = &m->core.data_pages[0], *second = &m->core.data_pages[1];

    check_capacity(m, "memory.dtlb.entries", "level", "1", (double)(first->sets * first->ways));
    check_capacity(m, "memory.dtlb.entries", "level", "2", (double)(second->sets * second->ways));
    check_store_pages(m);
    check_number(m, "memory.page_walk.cycles", "level", "1", first->miss + second->miss);
    check_number(m, "memory.page_walk.cycles", "level", "2", m->core.upper_table.miss);
    check_capacity(m, "memory.page_walk.entries", "level", "2", (double)m->core.upper_table.ways);
    if (m->core.contiguous)
        check_number(m, "memory.dtlb.coalescing", "level", "1", first->neighbours);
    if (first->hinted)
        check_number(m, "memory.dtlb.hint_pages", "level", "1", first->hinted);
    check_number(m, "memory.dtlb.ways", "level", "2", (double)second->ways);
    check_number(m, "memory.dtlb.index_bits", "level", "2", log2((double)second->sets));
    const char *f = finding_of("memory.dtlb.index_bits", "level", "2"), *bits = f ? record_value(f, "bits", 2) : NULL;
    if (bits && !strncmp(bits, "VPN[6:0] ^ VPN[13:7]", 20) != second->hashed)
        complain(m, "memory.dtlb.index_bits: %.24s, and the set is %s", bits, second->hashed ? "hashed" : "not hashed");
    check_number(m, "memory.dtlb.miss_cycles", "level", "1", first->miss);
    check_number(m, "memory.dtlb.miss_cycles", "level", "2", second->miss);
    check_number(m, "memory.dtlb.ways", "level", "1", (double)first->ways);
    check_number(m, "memory.dtlb.index_bits", "level", "1", log2((double)first->sets));
}

/* The first ones replace what was used least recently; others, long runs alone, by any order. */
static void data_tlbs_are_given_back(void **state)
{
    static const char *const policies[] = {"PLRU", "NRU", "MRU", "FIFO", "SRRIP", "QLRU_H11_M1_R0_U0"};
    enum { ORDERLY = 2, POLICIES = sizeof policies / sizeof policies[0] };
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, ORDERLY, 16); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.data[0].bytes = 64 * KIB;
        m.core.data[0].ways = 16;
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data_pages[0] = (struct page_design){.sets = (size_t)1 << pick(2, 5),
                                                    .ways = pick(4, 8),
                                                    .miss = (double)pick(5, 9),
                                                    .neighbours = 1U << pick(0, 2)};
        if (seed % 4 == 3) { /* as Zen 4 */
            m.core.data_pages[0].sets = 1;
            m.core.data_pages[0].ways = pick(40, 72);
        }
        m.core.data_pages[1] = (struct page_design){
            .sets = 128, .ways = pick(6, 12), .miss = (double)pick(15, 30), .hashed = pick(0, 1)};
        if (pick(0, 1))
            m.core.store_pages[0] = (struct page_design){.sets = 1, .ways = 8 * pick(1, 4), .miss = (double)pick(5, 9)};
        m.core.data_pages[0].hinted = seed % 2 ? 16 : 0;
        if (seed > ORDERLY) { /* trees want a power of two */
            m.core.data_pages[1].ways = 8;
            m.core.data_pages[1].policy = policies[pick(0, POLICIES - 1)];
            if (m.core.store_pages[0].ways)
                m.core.store_pages[0] = (struct page_design){
                    .sets = 1, .ways = 16, .miss = 7, .policy = policies[pick(0, POLICIES - 1)]};
        }
        m.core.upper_table = (struct page_design){.sets = 1, .ways = pick(20, 100), .miss = (double)pick(8, 30)};
        m.memory_bytes = 256 << 20;
        run_probes_on(&m, "dtlb dtlb_sets page_walk", PROFILE_QUICK);
        check_data_pages(&m);
    }
    end(3 * cores, UINT32_MAX);
}

/* What is found, and what is declared of loads. */
static void check_shared_pages(const struct machine_design *m, const char *f, bool shared)
{
    const char *declared = record_value(f, "declared", 0), *truth = shared ? "shared" : "separate";

    if (declared ? strcmp(declared, truth) != 0 : record_value(f, "page", 0) == NULL)
        complain(m, "memory.dtlb.shared: %s is declared", declared ? declared : "nothing");
    const char *pair = record_value(f, "pair", 0), *value = record_value(f, "value", 1);

    if (is_decided(m, f, "memory.dtlb.shared", pair) && !strcmp(value, "shared") != shared)
        complain(m, "memory.dtlb.shared level %g, %.12s: %.9s", number(f, "level"), pair, value);
}

/* Which kinds of pages have a level in common, with large pages that may have a few entries alone, and so may stores. */
static void those_who_share_data_tlbs_are_told(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 24); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.contiguous = true;
        m.core.data[0] = (struct cache_design){.bytes = 64 * KIB, .ways = 16, .latency = m.core.data[0].latency};
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data_pages[0] = (struct page_design){
            .sets = (size_t)1 << pick(0, 3), .ways = pick(4, 6), .miss = (double)pick(5, 9)};
        while (m.core.data_pages[0].sets * m.core.data_pages[0].ways < 24)
            m.core.data_pages[0].sets *= 2;
        m.core.data_pages[1] = (struct page_design){
            .sets = 32, .ways = pick(4, 8), .miss = (double)pick(15, 30), .hashed = pick(0, 1)};
        if (pick(0, 1))
            m.core.large_pages[0] = (struct page_design){.sets = 1, .ways = 8 * pick(1, 4), .miss = 7};
        if (pick(0, 1))
            m.core.large_pages[1] = (struct page_design){.sets = 16, .ways = 4, .miss = 20};
        if (pick(0, 1))
            m.core.store_pages[0] = (struct page_design){.sets = 1, .ways = 16, .miss = (double)pick(5, 9)};
        m.core.stores_spill = pick(0, 1);
        m.declares_pages = true;
        m.memory_bytes = 4.0 * (1 << 30);
        run_probes_on(&m, "dtlb_shared", PROFILE_QUICK);
        for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.dtlb.shared"));) {
            const bool stores = !strncmp(record_value(f, "pair", 2), "load", 4);
            const size_t level = (size_t)number(f, "level") - 1;
            check_shared_pages(&m, f, !(stores ? m.core.store_pages : m.core.large_pages)[level].ways);
        }
    }
    end(2 * cores, cores);
}

/* The masks that a finding's text lists, as "12^27 13^26". */
static size_t masks_of(const char *text, uint64_t masks[WAY_MASKS])
{
    size_t count = 0;

    while (text && *text && *text != '"' && count < WAY_MASKS) {
        masks[count] = 0;
        for (bool more = true; more; text += more ? 1 : 0) {
            char *end;
            masks[count] |= UINT64_C(1) << strtoul(text, &end, 10);
            more = *end == '^';
            text = end;
        }
        count++;
        text += *text == ' ';
    }
    return count;
}

/* All masks of either side are sums of the other's, where both are independent and as many. */
static bool span_the_same(const uint64_t *one, const uint64_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool in = false;
        for (uint64_t chosen = 1; chosen >> count == 0 && !in; chosen++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < count; j++)
                sum ^= chosen >> j & 1 ? other[j] : 0;
            in = sum == one[i];
        }
        if (!in)
            return false;
    }
    return true;
}

static void check_way_hash(const struct machine_design *m)
{
    const struct way_design *ways = &m->core.ways;
    const char *f = finding_of("memory.way_hash.functions", NULL, ""),
               *b = finding_of("memory.way_hash.bits", NULL, "");
    uint64_t masks[WAY_MASKS];

    if (is_decided(m, f, "memory.way_hash.functions", "") && number(f, "value") != ways->count)
        complain(m, "memory.way_hash.functions: %g, and are %u", number(f, "value"), ways->count);
    if (is_decided(m, b, "memory.way_hash.bits", "") && number(b, "value") != ways->count)
        complain(m, "memory.way_hash.bits: %g, and are %u", number(b, "value"), ways->count);
    if (!f || record_value(f, "grade", 2)[0] == 'U' || !ways->count)
        return;
    const char *text = record_value(f, "functions", 2);
    if (masks_of(text, masks) != ways->count || !span_the_same(masks, ways->masks, ways->count))
        complain(m, "memory.way_hash.functions: %.60s", text ? text : "no text");
}

/* Bits folded onto each other, as published hashes are, or any that are independent; of those that quick reaches. */
static void pick_way_hash(struct way_design *ways)
{
    enum { LOWEST = 12, BITS = 16 };
    const unsigned folds = (unsigned)pick(2, 3);

    ways->predicted = true;
    ways->count = folds == 2 ? (unsigned)pick(3, 6) : (unsigned)pick(2, 4);
    for (unsigned i = 0; i < ways->count; i++) {
        for (unsigned fold = 0; fold < folds; fold++)
            ways->masks[i] |= UINT64_C(1) << (LOWEST + fold * ways->count + i);
        if (pick(0, 1)) /* each mask keeps its lowest bit for itself */
            ways->masks[i] |= UINT64_C(1) << pick(LOWEST + ways->count, LOWEST + BITS - 1);
    }
}

static void way_hashes_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 6, 40); cores++) {
        struct machine_design m = seed % 2 ? pick_machine(seed) : pick_noisy_machine(seed);
        if (seed % 3)
            pick_way_hash(&m.core.ways);
        run_probes_on(&m, "way_hash", PROFILE_QUICK);
        check_way_hash(&m);
    }
    end(cores, cores);
}

static void a_way_hash_that_is_not_linear_is_undecided(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = pick_machine(seed);
        m.core.ways = (struct way_design){.predicted = true, .carries = true};
        run_probes_on(&m, "way_hash", PROFILE_QUICK);
        const char *f = finding_of("memory.way_hash.functions", NULL, "");
        if (is_decided(&m, f, "memory.way_hash.functions", ""))
            complain(&m, "memory.way_hash.functions: decided, and there are none");
        else if (f && strncmp(record_value(f, "reason", 2), "not-linear", 10) != 0)
            complain(&m, "memory.way_hash.functions: %.30s", record_value(f, "reason", 2));
    }
    end(0, UINT32_MAX);
}

static void check_load_prediction(const struct machine_design *m)
{
    static const char name[] = "memory.load_prediction.reach", training[] = "memory.load_prediction.training";
    const struct load_predictor_design *addresses = &m->core.addresses, *values = &m->core.values;
    const struct {
        const char *kind;
        double truth, training; /* the first of a row is no more of the same; nor is the second of a stride */
    } kinds[] = {{"address-constant", addresses->loads, addresses->training + 1},
                 {"address-stride", addresses->strides ? addresses->loads : 0, addresses->training + 2},
                 {"value", values->loads, values->training + 1}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *f = finding_of(name, "kind", kinds[i].kind);
        if (finding_of(training, "kind", kinds[i].kind))
            check_capacity(m, training, "kind", kinds[i].kind, kinds[i].training);
        if (kinds[i].truth > 0)
            check_capacity(m, name, "kind", kinds[i].kind, kinds[i].truth);
        else if (is_decided(m, f, name, kinds[i].kind) && number(f, "value") > 0)
            complain(m, "%s %s: %g, and there is none", name, kinds[i].kind, number(f, "value"));
    }
}

/* Of addresses, of values, of both, or none. Where values are predicted, constant addresses are not told. */
static void predictions_of_loads_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 2), 16); cores++) {
        struct machine_design m = seed % 5 ? pick_machine(seed) : pick_noisy_machine(seed);
        if (seed & 1)
            m.core.addresses = (struct load_predictor_design){
                .loads = (unsigned)pick(8, 100), .strides = pick(0, 1), .training = (unsigned)pick(2, 16)};
        if (seed & 2)
            m.core.values = (struct load_predictor_design){.loads = (unsigned)pick(8, 100),
                                                           .training = (unsigned)pick(2, 16)};
        m.core.l1i = (struct cache_design){.bytes = 64 * KIB, .ways = 8}; /* loads on lines of their own */
        m.core.op_cache = (struct cache_design){0};
        run_probes_on(&m, "load_prediction", PROFILE_QUICK);
        check_load_prediction(&m);
    }
    /* where chains that are spread save little, the two layouts differ in how long loads train */
    end(2 * cores, 2 * cores);
}

/* Where loads are predicted, latencies are what they are. */
static void predicted_loads_hide_no_latency(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine(seed);
        m.core.addresses = (struct load_predictor_design){.loads = 200, .strides = true, .training = 3};
        m.core.values = (struct load_predictor_design){.loads = 200, .training = 3};
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_gates(&m);
        check_caches(&m);
    }
    end(4 * cores, UINT32_MAX);
}

/* ---- Stores and loads ---------------------------------------------------------------------------- */

static struct machine_design pick_machine_with_stores(uint64_t seed)
{
    struct machine_design m = pick_machine(seed);
    const double load = m.core.data[0].latency;

    m.core.stores = (struct store_design){.forwards = true,
                                          .cycles = load + (double)pick(0, 3),
                                          .across = (double)pick(0, 2),
                                          .violation = (double)pick(10, 25),
                                          .rule = (enum forward_rule)pick(FORWARD_CONTAINED, FORWARD_SAME),
                                          .gathered = 1U << pick(0, 3),
                                          .renames = (enum rename_rule)pick(RENAME_NONE, RENAME_CONTAINED),
                                          .renamed_pairs = (unsigned)pick(24, 300)};
    m.core.stores.blocked = m.core.stores.cycles + (double)pick(1, 10);
    if (m.core.stores.rule == FORWARD_SAME)
        m.core.stores.gathered = 1;
    if (m.core.stores.renames == RENAME_NONE && pick(0, 1)) { /* as Zen 4 */
        m.core.stores.elsewhere = load + (double)pick(0, 3);
        m.core.stores.blocked += 2 * m.core.stores.elsewhere;
    }
    return m;
}

/* Offsets of a load of `load` bytes that are forwarded to by a store of `store` bytes. */
static double offsets_that_forward(const struct store_design *d, int store, int load)
{
    if (d->rule == FORWARD_ANY)
        return store + load - 1;
    if (d->rule == FORWARD_SAME)
        return load <= store;
    return load <= store ? store - load + 1 : 0;
}

/* An interval is the number itself. */
static void check_whole(const struct machine_design *m, const char *f, const char *name, const char *variant,
                        double truth)
{
    if (is_decided(m, f, name, variant) && fabs(number(f, "value") - truth) > 0.01)
        complain(m, "%s %s: %g, and is %g", name, variant, number(f, "value"), truth);
}

static void check_offsets(const struct machine_design *m)
{
    static const char name[] = "memory.forwarding.offsets";

    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", name));)
        check_whole(m, f, name, "",
                    offsets_that_forward(&m->core.stores, (int)(strtol(record_value(f, "store", 3), NULL, 10) / 8),
                                         (int)(strtol(record_value(f, "load", 3), NULL, 10) / 8)));
}

static void check_renaming(const struct machine_design *m)
{
    static const double widths[] = {[RENAME_NONE] = 0, [RENAME_EQUAL] = 4, [RENAME_CONTAINED] = 10};
    static const char pairs[] = "memory.renaming.pairs", of_widths[] = "memory.renaming.widths";

    check_whole(m, finding_of(of_widths, NULL, ""), of_widths, "", widths[m->core.stores.renames]);
    if (m->core.stores.renames == RENAME_NONE)
        check_whole(m, finding_of(pairs, NULL, ""), pairs, "", 0);
    else
        check_capacity(m, pairs, NULL, "", m->core.stores.renamed_pairs);
}

static void forwarding_is_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine_with_stores(seed);
        const struct store_design *d = &m.core.stores;
        run_probes_on(&m, "forwarding renaming", PROFILE_QUICK);
        check_number(&m, "memory.forwarding.cycles", "crossing", "none", d->cycles);
        check_number(&m, "memory.forwarding.stores", NULL, "", d->gathered);
        check_offsets(&m);
        check_renaming(&m);
    }
    end(16 * cores, 4 * cores); /* of twenty of each */
}

/* What cannot be seen of this core must not be told. */
static void check_untold(const struct machine_design *m, const char *name, const char *key, const char *variant)
{
    const char *f = finding_of(name, key, variant);

    if (f && is_decided(m, f, name, variant))
        complain(m, "%s %s: %g, and there is no such thing", name, variant, number(f, "value"));
}

/* A predictor that tracks loads, one that counts, and none: then loads know by themselves. */
static void check_dependence(const struct machine_design *m)
{
    static const char loads[] = "memory.dependence.loads", free_after[] = "memory.dependence.free_after",
                      bits[] = "memory.dependence.index_bits", counters[] = "memory.dependence.counters",
                      blocked[] = "memory.dependence.blocked_cycles";
    const struct store_design *d = &m->core.stores;

    check_untold(m, loads, "dependence", "data"); /* its addresses are known in time */
    check_untold(m, blocked, "dependence", "data");
    if (d->tracked)
        check_capacity(m, loads, "dependence", "address", d->tracked);
    else
        check_untold(m, loads, "dependence", "address");
    if (d->counter_bits) {
        check_capacity(m, free_after, NULL, "", d->free_after);
        check_whole(m, finding_of(bits, NULL, ""), bits, "", d->counter_bits);
        check_whole(m, finding_of(counters, NULL, ""), counters, "", (double)(1U << d->counter_bits));
        /* when it is done again the store is in the cache */
        check_number(m, blocked, "dependence", "address", d->violation + m->core.data[0].latency - d->cycles);
    } else {
        if (!d->tracked)
            check_untold(m, blocked, "dependence", "address");
        check_untold(m, free_after, NULL, "");
        check_untold(m, bits, NULL, "");
        check_untold(m, counters, NULL, "");
    }
}

static double windows_of(const char *probe)
{
    double windows = 0;

    for (const char *end = NULL; (end = records_find(&records, end, "end", probe ? "probe" : NULL, probe));)
        windows += isnan(number(end, "windows")) ? 0 : number(end, "windows");
    return windows;
}

/* Another thread wakes somewhere in between, and no reading counts any more. */
static void what_is_not_measured_is_not_told(void **state)
{
    enum { PARTS = 8 };
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine_with_stores(seed);
        const unsigned part = (unsigned)pick(1, PARTS - 1);
        run_probes_on(&m, "renaming", PROFILE_QUICK);
        const double all = windows_of(NULL), last = windows_of("renaming");
        m.shared_from = (uint64_t)(all - last + last * part / PARTS);
        run_probes_on(&m, "renaming", PROFILE_QUICK);
        check_renaming(&m);
    }
    end(0, UINT32_MAX);
}

static void dependence_is_given_back(void **state)
{
    unsigned cores = 0, seen = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_machine_with_stores(seed);
        struct store_design *d = &m.core.stores;
        d->rule = FORWARD_CONTAINED;
        d->renames = RENAME_NONE;
        if (seed % 3 == 1) {
            d->counter_bits = (unsigned)pick(6, 9);
            d->free_after = (unsigned)pick(3, 25);
            while (emit_alignment >> (d->counter_low_bit + 1))
                d->counter_low_bit++;
        } else if (seed % 3 == 2) {
            d->tracked = (unsigned)pick(8, 120);
        }
        seen += d->counter_bits ? 4 : d->tracked ? 1 : 0;
        run_probes_on(&m, "dependence", PROFILE_QUICK);
        check_dependence(&m);
    }
    end(seen - seen / 3, UINT32_MAX);
}

/* ---- What cannot be seen ------------------------------------------------------------------------ */

/* The largest footprint lies on the second level. */
static void a_cache_larger_than_the_range_is_undecided(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = pick_machine(seed);
        m.core.data[1] = (struct cache_design){.bytes = 4096 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data[2] = (struct cache_design){0};
        m.memory_bytes = 4096 * KIB;
        m.core.contiguous = true; /* scattered frames would show some of it */
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_capacity(&m, "memory.cache.bytes", "level", "1", (double)m.core.data[0].bytes);
        if (is_decided(&m, finding_of("memory.cache.bytes", "level", "2"), "memory.cache.bytes", "2"))
            complain(&m, "memory.cache.bytes 2: decided, and no footprint left it");
        if (finding_of("memory.cache.bytes", "level", "3"))
            complain(&m, "memory.cache.bytes: there are only two levels");
    }
    assert_int_equal(wrong, 0);
}

static void an_instruction_cache_larger_than_the_range_is_undecided(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = pick_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 256 * KIB, .ways = 8};
        m.core.op_cache = (struct cache_design){0};
        run_probes_on(&m, "l1i", PROFILE_SMOKE);
        if (is_decided(&m, finding_of("frontend.l1i.bytes", NULL, ""), "frontend.l1i.bytes", ""))
            complain(&m, "frontend.l1i.bytes: decided, and no footprint left it");
    }
    assert_int_equal(wrong, 0);
}

static void a_return_stack_deeper_than_the_range_is_undecided(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = pick_machine(seed);
        m.core.return_stack = 200; /* nests are 80 deep at most */
        shorten_readings(&m);
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        check_return_stack(&m);
    }
    end(0, 60);
    assert_int_equal(decided, 0);
}

/* ---- Machines that disturb, and machines that lie ----------------------------------------------- */

static void noise_gives_right_answers_or_none(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 24); cores++) {
        struct machine_design m = pick_noisy_machine(seed);
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_gates(&m); /* its clock wanders: no one frequency is true */
        check_caches(&m);
    }
    end(4 * cores, UINT32_MAX); /* half of them */
}

static void noise_gives_right_depths_or_none(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8); cores++) {
        struct machine_design m = pick_noisy_machine(seed);
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        check_return_stack(&m);
    }
    end(cores, UINT32_MAX);
}

/* No core multiplies in 2.4 cycles, or loads in 4.5: then its cycle is none, and nothing is believed. */
static void a_clock_that_lies_is_not_trusted(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 6, 48);) {
        struct machine_design m = pick_machine(seed);
        if (seed % 2)
            m.core.multiply = 2.4;
        else
            m.core.data[0].latency = 4.5;
        run_probes_on(&m, "l1i", PROFILE_SMOKE);
        for (const char *f = NULL; (f = records_find(&records, f, "finding", NULL, NULL));)
            if (is_decided(&m, f, "a finding", "of a place that lies"))
                complain(&m, "%.*s", (int)strcspn(f, "\n"), f);
    }
    assert_int_equal(wrong, 0);
    assert_true(undecided >= 3);
}

/* ---- Loads and stores ---------------------------------------------------------------------------- */

static bool has_field(const char *finding, const char *key, const char *text)
{
    const char *value = record_value(finding, key, 2);
    return value && !strcmp(value, text);
}

/* All modes take as long in a modelled core, and crossing from line to line takes longer. */
static void latencies_of_loads_are_given_back(void **state)
{
    unsigned told = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 4, 32);) {
        struct machine_design m = pick_machine(seed);
        m.core.load_store.split = (double)pick(0, 10);
        run_probes_on(&m, "load_use", PROFILE_QUICK);
        for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.load_use.cycles"));
             told++) {
            const bool split = has_field(f, "crossing", "64") || has_field(f, "crossing", "page");
            const double truth = m.core.data[0].latency + (split ? m.core.load_store.split : 0);
            if (is_decided(&m, f, "memory.load_use.cycles", "") && !(fabs(number(f, "value") / truth - 1) <= 0.03))
                complain(&m, "%.*s: is %g", (int)strcspn(f, "\n"), f, truth);
        }
    }
    end(told, 0);
}

static double pieces(const struct machine_design *m, double width)
{
    return ceil(width / 8 / m->core.load_store.port_bytes);
}

/* Cycles of a group, by the ports. */
static double group_cycles(const struct machine_design *m, double loads, double stores, double width)
{
    const struct load_store_design *d = &m->core.load_store;
    return pieces(m, width) * fmax(loads / d->loads, stores / d->stores);
}

/* What is told is true, and as much as can be sustained in a cycle is told. */
static void check_mixes(const struct machine_design *m)
{
    const double together = 6;

    for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.mix.per_cycle"));) {
        const double truth = 1 / group_cycles(m, number(f, "loads"), number(f, "stores"), number(f, "width"));
        if (is_decided(m, f, "memory.mix.per_cycle", "") && !(fabs(number(f, "value") / truth - 1) <= 0.03))
            complain(m, "%.*s: is %g", (int)strcspn(f, "\n"), f, truth);
    }
    for (double stores = 0; stores <= 2; stores++) {
        double loads = 0;
        bool found = false;
        while (loads + 1 + stores <= together && group_cycles(m, loads + 1, stores, 64) <= 1)
            loads++;
        if (group_cycles(m, loads, stores, 64) > 1 || loads + stores < 1)
            continue;
        for (const char *f = NULL; (f = records_find(&records, f, "finding", "name", "memory.mix.per_cycle"));)
            found |= fabs(number(f, "loads") - loads) + fabs(number(f, "stores") - stores) < 0.5 &&
                     fabs(number(f, "width") - 64) < 1;
        if (!found)
            complain(m, "%g loads and %g stores in a cycle: not told", loads, stores);
    }
}

static struct machine_design pick_ports(uint64_t seed)
{
    struct machine_design m = pick_machine(seed);

    m.core.width = 12;
    m.core.load_store = (struct load_store_design){
        .loads = (unsigned)pick(1, 4), .stores = (unsigned)pick(1, 2), .port_bytes = 4u << pick(0, 2)};
    return m;
}

static void ports_are_given_back(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = pick_ports(seed);
        run_probes_on(&m, "mix", PROFILE_QUICK);
        check_mixes(&m);
    }
    end(20, 0);
}

/* Of the first level: behind it nothing is fetched ahead in a modelled core. */
static void check_bandwidth(const struct machine_design *m, const char *access,
                            double per_cycle(const struct machine_design *, double))
{
    for (const char *f = NULL;
         (f = records_find(&records, f, "finding", "name", "memory.bandwidth.bytes_per_cycle"));) {
        if (!has_field(f, "level", "1") || !has_field(f, "access", access))
            continue;
        const double truth = per_cycle(m, number(f, "width"));
        if (is_decided(m, f, "memory.bandwidth.bytes_per_cycle", access) &&
            !(fabs(number(f, "value") / truth - 1) <= 0.03))
            complain(m, "%.*s: is %g", (int)strcspn(f, "\n"), f, truth);
    }
}

static double loaded_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 1, 0, width);
}

static double stored_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 0, 1, width);
}

static double copied_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 1, 1, width);
}

static void bandwidths_are_given_back(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 3, 20);) {
        struct machine_design m = pick_ports(seed);
        if (seed % 2) /* a quarter of it is a page, half of which is copied */
            m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
        m.declares = true;
        m.memory_bytes = 128 * KIB; /* footprints of further levels do not fit */
        run_probes_on(&m, "bandwidth", PROFILE_QUICK);
        check_bandwidth(&m, "load", loaded_per_cycle);
        check_bandwidth(&m, "store", stored_per_cycle);
        check_bandwidth(&m, "copy", copied_per_cycle);
    }
    end(20, 4);
}

/* Buffers of the first level, whoever answers: no level has more under way. */
static void parallel_misses_are_given_back(void **state)
{
    unsigned right = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = pick_machine(seed);
        m.core.load_store = (struct load_store_design){.misses = (unsigned)pick(4, 20), .forward = (double)pick(1, 6)};
        m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
        m.core.data[1] = (struct cache_design){.bytes = 128 * KIB, .ways = 8, .latency = (double)pick(14, 30)};
        m.core.data[2] = (struct cache_design){.bytes = 0};
        m.core.memory_latency = (double)pick(60, 120);
        m.declares = true;
        m.memory_bytes = 4096 * KIB;
        run_probes_on(&m, "parallelism", PROFILE_QUICK);
        for (size_t level = 0; level < DATA_LEVELS && m.core.data[level].bytes; level++) {
            const char *f = finding_of("memory.parallel_misses", "level", level_names[level]);
            check_capacity(&m, "memory.parallel_misses", "level", level_names[level], m.core.load_store.misses);
            right += f && fabs(number(f, "value") - m.core.load_store.misses) < 0.5;
        }
    }
    fprintf(stderr, "# %s: %u numbers of buffers to the digit\n", emit_isa, right);
    end(2, 0);
}

/* ---- Back end ------------------------------------------------------------------------------------ */

/*
 * Where no more can retire than come in, neither is told: the one may be all that is seen of the other. Fewer that write
 * registers than come in at all are seen, unless retiring holds up both.
 */
static void widths_are_given_back(void **state)
{
    static const struct {
        const char *name, *counted;
    } all[] = {{"backend.rename.per_cycle", "operations"},
               {"backend.retire.per_cycle", "operations"},
               {"backend.rename.per_cycle", "renames"}};
    unsigned told = 0, hidden = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = pick_noisy_machine(seed);
        m.core.retire = (unsigned)pick(m.core.width - 1, m.core.width + 4);
        m.core.renames = seed % 2 ? (unsigned)pick(m.core.width - m.core.width / 3, m.core.width - 1) : 0;
        m.core.nops_fuse = seed == 2; /* which nothing tells here, without the reorder buffer */
        run_probes_on(&m, "widths", PROFILE_QUICK);
        const double renames = m.core.renames ? m.core.renames : m.core.width;
        const double truth[] = {m.core.width, m.core.retire, renames};
        for (size_t i = 0; i < 3; i++) {
            const char *f = finding_of(all[i].name, "counted", all[i].counted);
            const bool seen = !m.core.nops_fuse && m.core.retire > (i > 0 ? renames : m.core.width);
            told += seen;
            hidden += !seen;
            if (seen)
                check_number(&m, all[i].name, "counted", all[i].counted, truth[i]);
            else if (is_decided(&m, f, all[i].name, all[i].counted))
                complain(&m, "%s %s: decided, where %u are renamed and %u retire", all[i].name, all[i].counted,
                         m.core.width, m.core.retire);
        }
    }
    end(told, told + hidden);
}

static void eliminations_are_given_back(void **state)
{
    static const char name[] = "backend.elimination.per_cycle";
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 3, 24); cores++) {
        struct machine_design m = pick_noisy_machine(seed);
        m.core.units = (unsigned)pick(2, m.core.width > 6 ? 5 : m.core.width - 1);
        m.core.moves_eliminated = pick(0, 1);
        m.core.zeros_eliminated = pick(0, 1);
        m.core.nops_fuse = seed % 2; /* then they are no control */
        run_probes_on(&m, "elimination", PROFILE_QUICK);
        for (const struct emit_idiom *i = emit_idioms; i->name; i++) {
            const char *f = finding_of(name, "form", i->name);
            const bool widens = !strncmp(i->name, "movzx", 5) || !strncmp(i->name, "movsx", 5);
            const bool truth = i->kind == IDIOM_ZERO ? m.core.zeros_eliminated : m.core.moves_eliminated && !widens;
            if (is_decided(&m, f, name, i->name) && (number(f, "value") > 0) != truth)
                complain(&m, "%s %s: %g", name, i->name, number(f, "value"));
            else if (truth)
                check_number(&m, name, "form", i->name, m.core.width);
        }
    }
    end(4 * cores, 2 * cores);
}

static void fusions_are_given_back(void **state)
{
    static const char name[] = "backend.fusion.pair";
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 3, 12); cores++) {
        struct machine_design m = pick_noisy_machine(seed);
        m.core.fuses = seed % 2;
        m.core.l1i_fetch *= seed < 3 ? 2 : 1; /* else it may deliver no more than is renamed */
        if (seed == 1) {                      /* as Zen 4: accesses hold rows up, and NOPs fuse with all */
            m.core.nops_fuse = true;
            m.core.load_store = (struct load_store_design){.loads = 1, .stores = 1, .port_bytes = 8};
        }
        run_probes_on(&m, "fusion", PROFILE_QUICK);
        for (const struct emit_pair *pair = emit_pairs; pair->name; pair++) {
            const bool fuses = strcmp(pair->name, "nop+nop") ? m.core.fuses && !strncmp(pair->name, "cmp+", 4)
                                                             : m.core.nops_fuse;
            check_number(&m, name, "form", pair->name, fuses ? 1 : 2);
        }
    }
    end(7, 9 * cores);
}

/* Of each thing more or less than of entries: what ends where those do is theirs, and not told. */
static struct machine_design pick_windows(uint64_t seed)
{
    struct machine_design m = pick_machine(seed);
    unsigned *most = m.core.in_flight.most;

    m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
    m.core.data[1] = (struct cache_design){.bytes = 64 * KIB, .ways = 8, .latency = 14};
    m.core.data[2] = (struct cache_design){.bytes = 0};
    m.core.memory_latency = (double)pick(120, 200);
    m.core.root = (double)pick(10, 18);
    m.core.l1i = (struct cache_design){.bytes = 64 * KIB, .ways = 8};
    m.declares = true;
    m.memory_bytes = 2048 * KIB;
    most[HELD_ENTRY] = (unsigned)pick(80, 320);
    for (enum held what = HELD_GENERAL; what < HELDS; what++)
        most[what] = (unsigned)pick(most[HELD_ENTRY] / 4, most[HELD_ENTRY] * 5 / 4);
    m.core.in_flight.flags_are_general = pick(0, 1);
    m.core.in_flight.nops = (unsigned)pick(1, 2);
    m.core.in_flight.group = m.core.in_flight.nops == 1 ? (unsigned)pick(1, 8) : 1;
    return m;
}

/* Renames end before registers, or after them; halves of registers take a whole, half of one, or one apart. */
static void pick_renames(struct in_flight_design *d, size_t halves)
{
    for (enum held what = HELD_GENERAL; what < HELDS; what++)
        d->most[what] = (unsigned)pick(120, 200);
    d->most[HELD_ENTRY] = (unsigned)pick(260, 320);
    d->most[HELD_RENAME] = (unsigned)pick(110, 210);
    d->nops = 1;
    d->flags_are_general = false;
    d->packs = halves == 1;
    d->most[HELD_HALF] = halves == 2 ? (unsigned)pick(60, 90) : 0;
}

static void check_renames(const struct machine_design *m, size_t halves)
{
    static const char *const texts[] = {"whole", "packed", "apart"};
    const struct in_flight_design *d = &m->core.in_flight;

    check_capacity(m, "backend.rename_retire.entries", NULL, "", d->most[HELD_RENAME]);
    check_capacity(m, "backend.registers.entries", "class", "int32",
                   d->most[HELD_HALF] ? d->most[HELD_HALF] : d->most[HELD_GENERAL] * (d->packs ? 2 : 1));
    check_capacity(m, "backend.registers.entries", "width", "128", d->most[HELD_VECTOR]);
    check_text(m, "backend.registers.shared", "pair", "int64 and v128", "separate");
    check_text(m, "backend.registers.shared", "pair", "int64 and flags", "separate");
    check_text(m, "backend.registers.halves", NULL, "", texts[halves]);
}

/* Told, it is right; and never where something else is full before it. */
static void windows_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 12); cores++) {
        struct machine_design m = pick_windows(seed);
        const struct in_flight_design *d = &m.core.in_flight;
        const bool renames = seed % 2;
        if (renames)
            pick_renames(&m.core.in_flight, seed / 2 % 3);
        run_probes_on(&m, "rob registers queues", PROFILE_QUICK);
        if (renames)
            check_renames(&m, seed / 2 % 3);
        if (d->nops == 1) /* else it depends on how many blockers there are among them */
            check_capacity(&m, "backend.rob.instructions", "filler", "nop", d->most[HELD_ENTRY]);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[HELD_ENTRY]);
        check_number(&m, "backend.rob.group", NULL, "", d->group);
        check_capacity(&m, "backend.registers.entries", "class", "int64", d->most[HELD_GENERAL]);
        check_capacity(&m, "backend.registers.entries", "class", "flags",
                       d->flags_are_general ? fmin(d->most[HELD_GENERAL], d->most[HELD_FLAGS]) : d->most[HELD_FLAGS]);
        check_capacity(&m, "backend.load_queue.entries", "width", "64", d->most[HELD_LOAD]);
        if (finding_of("backend.load_queue.entries", "width", "128"))
            check_capacity(&m, "backend.load_queue.entries", "width", "128", d->most[HELD_LOAD]);
        check_capacity(&m, "backend.store_queue.entries", "width", "64", d->most[HELD_STORE]);
        check_capacity(&m, "backend.branches_in_flight.entries", "branch", "not-taken", d->most[HELD_BRANCH]);
    }
    end(4 * cores, 10 * cores);
}

static double seconds_of(const char *probe)
{
    const char *end = NULL;

    while ((end = records_find(&records, end, "end", "probe", probe)))
        if (!isnan(number(end, "seconds")))
            return number(end, "seconds");
    return 0;
}

/* Another thread wakes for an eighth of the time, or sleeps so fast for so long that it holds none: what is told is the rest. */
static void registers_beside_another_thread_are_given_back(void **state)
{
    enum { OTHERS = 16, EIGHTH = 8 };
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_windows(seed);
        const bool wakes = seed % 2;
        pick_renames(&m.core.in_flight, 0);
        m.core.in_flight.most[HELD_RENAME] = 0;
        m.others = m.others_then = wakes ? 0 : OTHERS;
        run_probes_on(&m, "rob registers", PROFILE_QUICK);
        const double begins = seconds_of("rob"), takes = seconds_of("registers");
        m.others_then = OTHERS - m.others;
        m.then_from = begins + takes * (double)pick(0, EIGHTH - 1) / EIGHTH;
        m.then_to = m.then_from + takes / EIGHTH;
        run_probes_on(&m, "rob registers", PROFILE_QUICK);
        const unsigned *most = m.core.in_flight.most;
        check_capacity(&m, "backend.registers.entries", "class", "int64", most[HELD_GENERAL] - m.others);
        check_capacity(&m, "backend.registers.entries", "class", "int32", most[HELD_GENERAL] - m.others);
        check_capacity(&m, "backend.registers.entries", "class", "flags", most[HELD_FLAGS] - m.others);
        check_capacity(&m, "backend.registers.entries", "width", "128", most[HELD_VECTOR] - m.others);
    }
    end(3 * cores, cores);
}

/* First and last are told apart where one kind must be the one, and the other the other. */
static void check_place(const struct machine_design *m, const char *kind, enum in_entry at, enum in_entry other)
{
    static const char *const texts[] = {"anywhere", "first", "last"};
    const char *f = finding_of("backend.rob.place", "kind", kind);
    const bool apart = at != other && at != ENTRY_ANY && other != ENTRY_ANY;

    if (f && is_decided(m, f, "backend.rob.place", kind) &&
        !strncmp(record_value(f, "value", 2), "first or last", strlen("first or last")))
        check_text(m, "backend.rob.place", "kind", kind, at == ENTRY_ANY ? "anywhere" : "first or last");
    else if (f)
        check_text(m, "backend.rob.place", "kind", kind, at != ENTRY_ANY && !apart ? "first or last" : texts[at]);
}

/* Of those who share: what is as many behind others, and how many fitted alone at whatever time. */
static void what_fitted_at_another_time_is_known(void **state)
{
    const struct sharing all[] = {{.a = "int64",
                                   .b = "flags",
                                   .count = 2,
                                   .ways = {{BLOCKER_LOADS, BLOCKER_LOADS, .alone = {185, 230}},
                                            {BLOCKER_ARITHMETIC, BLOCKER_ARITHMETIC, .alone = {176, 232}}}},
                                  {.a = "mask",
                                   .b = "int64",
                                   .count = 1,
                                   .ways = {{BLOCKER_ARITHMETIC, BLOCKER_ARITHMETIC, .alone = {43, 196}}}}};

    (void)state;
    assert_true(sharing_alone(all, 2, "int64", BLOCKER_ARITHMETIC) == 196);
    assert_true(sharing_alone(all, 2, "int64", BLOCKER_LOADS) == 185);
    assert_true(isnan(sharing_alone(all, 2, "int64", BLOCKER_MISS)));
    assert_true(sharing_fits_all(6, 45, 40)); /* five wait until there is room for a sixth */
    assert_false(sharing_fits_all((double)NAN, 45, 40));
    assert_false(sharing_fits_all(6, 196, 177));
    for (double alone = 4; alone < 300; alone++)
        assert_false(sharing_fits_all(12, alone, alone / 2));
}

/* Entries of several instructions are told as such, or not at all. */
static void shared_entries_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = pick_windows(seed);
        struct in_flight_design *d = &m.core.in_flight;
        for (enum held what = HELD_GENERAL; what < HELDS; what++)
            d->most[what] = (unsigned)pick(200, 400);
        d->most[HELD_ENTRY] = (unsigned)pick(40, 80);
        d->nops = d->group = 1;
        d->together = (unsigned)pick(2, 8);
        d->access_at = (enum in_entry)(seed % 3);
        d->branch_at = (enum in_entry)(seed / 3 % 3);
        run_probes_on(&m, "rob", PROFILE_QUICK);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[HELD_ENTRY]);
        if (finding_of("backend.rob.per_entry", NULL, ""))
            check_number(&m, "backend.rob.per_entry", NULL, "", d->together);
        check_place(&m, "memory", d->access_at, d->branch_at);
        check_place(&m, "branches", d->branch_at, d->access_at);
        check_number(&m, "backend.rob.group", NULL, "", 1);
    }
    end((cores + 1) / 2, 3 * cores);
}

/* Neighbours that share an entry by what they are: kinds that do not share with their like tell how many there are. */
static void paired_entries_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8); cores++) {
        struct machine_design m = pick_windows(seed);
        struct in_flight_design *d = &m.core.in_flight;
        for (enum held what = HELD_GENERAL; what < HELDS; what++)
            d->most[what] = (unsigned)pick(200, 400);
        d->most[HELD_ENTRY] = (unsigned)pick(60, 120);
        d->group = (unsigned)pick(1, 8);
        d->nops = 2;
        d->pairs = true;
        run_probes_on(&m, "rob", PROFILE_QUICK);
        check_capacity(&m, "backend.rob.entries", NULL, "", d->most[HELD_ENTRY]);
        check_number(&m, "backend.rob.group", NULL, "", d->group); /* by NOPs that are long */
    }
    end(cores, cores);
}

/* Loads that give their entries back once they are done fill no queue: whatever they end at is something else. */
static void queues_that_are_left_early_are_not_told(void **state)
{
    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = pick_windows(seed);
        struct in_flight_design *d = &m.core.in_flight;
        d->nops = 1;
        d->loads_leave = true;
        d->most[HELD_ENTRY] = (unsigned)pick(260, 320);
        d->most[HELD_LOAD] = d->most[HELD_STORE] = d->most[HELD_ENTRY] * 5 /
                                                   12; /* not what entries of two would hold */
        run_probes_on(&m, "queues", PROFILE_QUICK);
        check_capacity(&m, "backend.store_queue.entries", "width", "64", d->most[HELD_STORE]);
        check_untold(&m, "backend.load_queue.entries", "width", "64");
    }
    end(0, UINT32_MAX);
}

/*
 * Room for twice as many operations as wait, mostly: sometimes other things are full first. Loads are held until they are
 * done in every other core.
 */
static struct machine_design pick_schedulers(uint64_t seed)
{
    struct machine_design m = pick_windows(seed);
    struct scheduler_design *d = &m.core.schedulers;

    for (enum waits which = 0; which < WAITS; which++) {
        d->entries[which] = (unsigned)pick(24, 90);
        d->queue[which] = pick(0, 1) ? (unsigned)pick(4, 24) : 0;
    }
    d->unified = pick(0, 1);
    d->loads_stay = pick(0, 1);
    for (enum held what = HELD_ENTRY; what < HELDS; what++)
        m.core.in_flight.most[what] = (unsigned)pick(100, 320);
    return m;
}

/* Scheduler and what is before it, where nothing tells them apart. */
static void check_scheduler(const struct machine_design *m, const char *class, enum waits which)
{
    const struct scheduler_design *d = &m->core.schedulers;
    const enum waits where = d->unified && which == WAITS_VECTOR ? WAITS_GENERAL : which;
    const char *f = finding_of("backend.scheduler.entries", "class", class);
    const bool both = f && record_value(f, "includes", 2);

    check_capacity(m, "backend.scheduler.entries", "class", class, d->entries[where] + (both ? d->queue[where] : 0));
    if (finding_of("backend.dispatch_queue.entries", "class", class))
        check_capacity(m, "backend.dispatch_queue.entries", "class", class, d->queue[where]);
}

static void schedulers_are_given_back(void **state)
{
    unsigned cores = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        const struct machine_design m = pick_schedulers(seed);
        run_probes_on(&m, "schedulers", PROFILE_QUICK);
        check_scheduler(&m, "int", WAITS_GENERAL);
        check_scheduler(&m, "multiply", WAITS_GENERAL);
        check_scheduler(&m, "branch", WAITS_GENERAL);
        check_scheduler(&m, "vector", WAITS_VECTOR);
        check_scheduler(&m, "vector-int", WAITS_VECTOR);
        check_scheduler(&m, "load", WAITS_LOAD);
        check_scheduler(&m, "store-address", WAITS_STORE);
        check_scheduler(&m, "store-data", WAITS_STORE);
        check_text(&m, "backend.scheduler.shared", "pair", "int and multiply", "shared");
        check_text(&m, "backend.scheduler.shared", "pair", "int and vector",
                   m.core.schedulers.unified ? "shared" : "separate");
        check_text(&m, "backend.scheduler.shared", "pair", "vector and vector-int", "shared");
        check_text(&m, "backend.scheduler.shared", "pair", "int and load", "separate");
        check_text(&m, "backend.scheduler.shared", "pair", "load and store-address", "separate");
        check_text(&m, "backend.scheduler.shared", "pair", "store-address and store-data", "shared");
    }
    end(8 * cores, 10 * cores);
}

/* ---- What kernels touch -------------------------------------------------------------------------- */

/* Whether a kernel touched so many of what the axis counts. */
static bool somebody_touched(const char *axis, double x)
{
    size_t count;
    const struct touched *all = touched_all(&count);
    const bool pages = !strcmp(axis, "pages");
    const double wanted = strcmp(axis, "footprint_bytes") ? x : floor(x / CACHE_LINE_BYTES);

    for (size_t i = 0; i < count; i++)
        if ((double)(pages ? all[i].pages : all[i].lines) == wanted)
            return true;
    return false;
}

/* Points of the curves over pages, lines or footprints: each has a kernel that touched as much, no more and no less. */
static unsigned check_axis(const struct machine_design *m, const char *probe, const char *axis)
{
    unsigned points = 0;

    for (const char *c = NULL; (c = records_find(&records, c, "curve", "axis", axis));) {
        const char *owner = record_value(c, "probe", 2);
        char *at;
        if (!owner || strcmp(owner, probe) != 0)
            continue;
        for (at = strstr(c, "\"x\":[") + 5; at[-1] != ']' && *at != ']'; at++) {
            const double x = strtod(at, &at);
            points++;
            if (!somebody_touched(axis, x))
                complain(m, "%s: a curve has %g %s, and no kernel touched as many", probe, x, axis);
        }
    }
    return points;
}

/* Nothing but data of one's own, of every probe that there is; and of data what is said, where it is. */
static void kernels_touch_what_they_say(void **state)
{
    const struct probe_definition *probes[JOURNAL_PROBES];
    const size_t count = run_probes(probes, JOURNAL_PROBES);
    unsigned points = 0;
    size_t kernels = 0;

    (void)state;
    begin();
    for (uint64_t seed = 0; next_seed(&seed, 2, 10);)
        for (size_t i = 0; i < count; i++) {
            struct machine_design m = pick_machine(seed);
            uint64_t stray;
            size_t touching;
            /* forms that this emulator lacks it takes for others, and neither it nor the decoder faults */
            if (probes[i]->debug || !strcmp(probes[i]->name, "instructions"))
                continue;
            m.core.contiguous = seed % 2;
            m.watches = true;
            run_probes_on(&m, probes[i]->name, PROFILE_SMOKE);
            if (touched_strays(&stray))
                complain(&m, "%s: %#llx is no data of its own", probes[i]->name, (unsigned long long)stray);
            touched_all(&touching);
            kernels += touching;
            if (strcmp(probes[i]->family, "memory") != 0) /* these axes are of code */
                continue;
            points += check_axis(&m, probes[i]->name, "pages");
            points += check_axis(&m, probes[i]->name, "lines");
            points += check_axis(&m, probes[i]->name, "footprint_bytes");
        }
    fprintf(stderr, "# %s: %zu kernels, %u points, %u wrong\n", emit_isa, kernels, points, wrong);
    assert_int_equal(wrong, 0);
    assert_true(kernels > 50 && points > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_caches_are_given_back),
        cmocka_unit_test(the_tlbs_part_in_a_latency_is_given_back),
        cmocka_unit_test(instruction_caches_are_given_back),
        cmocka_unit_test(shapes_of_instruction_caches_are_given_back),
        cmocka_unit_test(replacement_policies_are_given_back),
        cmocka_unit_test(sets_behind_frames_are_given_back),
        cmocka_unit_test(hashed_sets_are_not_told_wrong),
        cmocka_unit_test(latencies_of_loads_are_given_back),
        cmocka_unit_test(ports_are_given_back),
        cmocka_unit_test(bandwidths_are_given_back),
        cmocka_unit_test(parallel_misses_are_given_back),
        cmocka_unit_test(operation_caches_are_given_back),
        cmocka_unit_test(widths_of_decoders_are_given_back),
        cmocka_unit_test(decoders_that_nothing_waits_for_are_undecided),
        cmocka_unit_test(widths_of_fetches_are_given_back),
        cmocka_unit_test(return_stacks_are_given_back),
        cmocka_unit_test(histories_are_given_back),
        cmocka_unit_test(penalties_are_given_back),
        cmocka_unit_test(knees_are_proven_by_counting),
        cmocka_unit_test(operations_of_a_form_are_counted),
        cmocka_unit_test(every_operand_of_a_gather_begins_a_chain),
        cmocka_unit_test(branch_target_buffers_are_given_back),
        cmocka_unit_test(instruction_tlbs_are_given_back),
        cmocka_unit_test(data_tlbs_are_given_back),
        cmocka_unit_test(those_who_share_data_tlbs_are_told),
        cmocka_unit_test(way_hashes_are_given_back),
        cmocka_unit_test(a_way_hash_that_is_not_linear_is_undecided),
        cmocka_unit_test(predictions_of_loads_are_given_back),
        cmocka_unit_test(predicted_loads_hide_no_latency),
        cmocka_unit_test(forwarding_is_given_back),
        cmocka_unit_test(what_is_not_measured_is_not_told),
        cmocka_unit_test(dependence_is_given_back),
        cmocka_unit_test(widths_are_given_back),
        cmocka_unit_test(eliminations_are_given_back),
        cmocka_unit_test(fusions_are_given_back),
        cmocka_unit_test(windows_are_given_back),
        cmocka_unit_test(registers_beside_another_thread_are_given_back),
        cmocka_unit_test(what_fitted_at_another_time_is_known),
        cmocka_unit_test(shared_entries_are_given_back),
        cmocka_unit_test(paired_entries_are_given_back),
        cmocka_unit_test(queues_that_are_left_early_are_not_told),
        cmocka_unit_test(schedulers_are_given_back),
        cmocka_unit_test(a_cache_larger_than_the_range_is_undecided),
        cmocka_unit_test(an_instruction_cache_larger_than_the_range_is_undecided),
        cmocka_unit_test(a_return_stack_deeper_than_the_range_is_undecided),
        cmocka_unit_test(noise_gives_right_answers_or_none),
        cmocka_unit_test(noise_gives_right_depths_or_none),
        cmocka_unit_test(a_clock_that_lies_is_not_trusted),
        cmocka_unit_test(kernels_touch_what_they_say),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    if (getenv("MODEL_TEST"))
        cmocka_set_test_filter(getenv("MODEL_TEST"));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    records_free(&records);
    return failed;
}
