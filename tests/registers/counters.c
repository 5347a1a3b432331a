#include "tests/registers/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FEW = 1000, MANY = 101000, CYCLES_EACH = 3 };

void expect_counters(const struct counting_core *core, struct model *m, struct counters *have)
{
    memset(m, 0, sizeof *m);
    core->build(m);

    const struct access a = model_access(m);

    counters_find(&a, have);
    if (have->why_not != NULL)
        fail_msg("%s", have->why_not);
    model_assert_writes(m, "");
    model_begin(m);
}

static void counts(const struct access *a, const struct counters *have, const struct counter_proof *rows, size_t n,
                   uint64_t *out)
{
    for (size_t i = 0; i < n; i++)
        assert_true(counters_read(a, have, rows[i].setting.slot, &out[i]));
}

const char *prove_counters(const struct counting_core *core, struct model *m, const struct counters *have)
{
    const struct access a = model_access(m);
    static struct counters_state state;
    struct counter_proof rows[COUNTER_SLOTS];
    struct counter_setting list[COUNTER_SLOTS];
    uint64_t before[COUNTER_SLOTS], between[COUNTER_SLOTS], after[COUNTER_SLOTS], stopped[COUNTER_SLOTS];
    const size_t n = counters_proof(&a, have, rows, COUNTER_SLOTS);
    const char *verdict = NULL;

    assert_true(n > 0);
    for (size_t i = 0; i < n; i++)
        list[i] = rows[i].setting;
    verdict = counters_program(&a, have, list, n, &state);
    if (verdict != NULL)
        return verdict;
    counts(&a, have, rows, n, before);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(before[i], 0);
    core->execute(m, FEW, CYCLES_EACH * FEW); /* not yet started */
    counts(&a, have, rows, n, before);
    assert_true(counters_go(&a, have, &state));
    core->execute(m, FEW, CYCLES_EACH * FEW);
    counts(&a, have, rows, n, between);
    core->execute(m, MANY, CYCLES_EACH * MANY);
    counts(&a, have, rows, n, after);
    assert_true(counters_stop(&a, have, &state));
    core->execute(m, MANY, CYCLES_EACH * MANY);
    counts(&a, have, rows, n, stopped);
    for (size_t i = 0; i < n && verdict == NULL; i++)
        verdict = counters_proof_verdict(&rows[i], MANY - FEW, between[i] - before[i], after[i] - between[i],
                                         before[i] + (stopped[i] - after[i]));
    assert_true(counters_restore(&a, have, &state));
    return verdict;
}

/* True when every call of it said that all went well. */
static bool run_once(const struct counting_core *core, struct model *m, const struct counters *have,
                     const struct counter_setting *list, size_t count)
{
    const struct access a = model_access(m);
    static struct counters_state state;
    bool well = true;
    uint64_t value;

    if (counters_program(&a, have, list, count, &state) != NULL)
        return false;
    well &= counters_go(&a, have, &state);
    core->execute(m, FEW, CYCLES_EACH * FEW);
    well &= counters_stop(&a, have, &state);
    for (size_t i = 0; i < count; i++)
        well &= counters_read(&a, have, list[i].slot, &value);
    well &= counters_restore(&a, have, &state);
    return well;
}

/* Whether the register is the one that faulted, under any of its numbers. */
static bool is_same(struct model *m, const struct model_register *r, uint32_t faulted)
{
    const struct model_register *f = model_at(m, faulted);
    const bool view = f->kind == MODEL_SETS || f->kind == MODEL_CLEARS || f->kind == MODEL_ALIAS;

    return r->id == faulted || (view && r->id == f->view_of);
}

void survive_every_fault(const struct counting_core *core, const struct counter_setting *list, size_t count)
{
    static struct model m;
    struct counters have;
    size_t accesses;

    expect_counters(core, &m, &have);
    assert_true(run_once(core, &m, &have, list, count));
    model_assert_as_found(&m);
    accesses = m.accesses;
    for (size_t k = 1; k <= accesses; k++) {
        expect_counters(core, &m, &have);
        m.fault_at = k;

        const bool well = run_once(core, &m, &have, list, count);

        assert_true(m.log[k - 1].faulted);
        for (size_t i = 0; i < m.count; i++)
            if (m.list[i].value != m.list[i].found && (well || !is_same(&m, &m.list[i], m.log[k - 1].id)))
                fail_msg("access %zu of %s faults, and %s is left with 0x%llx instead of 0x%llx%s", k,
                         m.log[k - 1].at->name, m.list[i].name, (unsigned long long)m.list[i].value,
                         (unsigned long long)m.list[i].found, well ? ", untold" : "");
    }
}

void find_despite_every_fault(const struct counting_core *core, const uint32_t dispensable[], size_t count)
{
    static struct model m;
    static struct counters_state state;
    struct counters have;

    memset(&m, 0, sizeof m);
    core->build(&m);

    const struct access a = model_access(&m);

    counters_find(&a, &have);
    const size_t accesses = m.accesses;

    assert_true(accesses > 0);
    for (size_t k = 1; k <= accesses; k++) {
        bool needed = true;

        m.accesses = 0;
        m.fault_at = k;
        counters_find(&a, &have);
        model_assert_writes(&m, "");
        for (size_t i = 0; i < count; i++)
            needed &= m.log[k - 1].id != dispensable[i];
        if (needed != (have.why_not != NULL))
            fail_msg("access %zu, %s, faults: %s", k, m.log[k - 1].at->name,
                     have.why_not ? have.why_not : "nothing is said");
        if (needed)
            assert_string_equal(counters_program(&a, &have, NULL, 0, &state), have.why_not);
    }
}
