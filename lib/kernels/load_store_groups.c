#include "lib/kernels/load_store_groups.h"

#include "lib/base/random.h"
#include "lib/kernels/access.h"

enum {
    STORES_AT = 2048, /* bytes from the loads to the stores */
    CODE_BYTES = 16384,
    OPERATIONS_MOST = 264,
    REGISTERS = 6 /* that loads write in turn */
};

/*
 * About how many loads and stores a loop has, in order and shuffled: so many that the branch that closes it takes next
 * to nothing from a core that is no wider than a group.
 */
static const unsigned operations[] = {192, 256};

/* One load or store of the loop, number i of its kind. */
static void emit_operation(struct code *c, const struct load_store_groups *g, bool store, unsigned i)
{
    const struct emit_access *a = g->access;
    const bool general = a->file == ACCESS_GENERAL;
    const unsigned apart = a->bits / 8, places = g->stride ? GROUPS_STRIDED : g->span / apart;
    const int32_t offset = (int32_t)(i % places * (g->stride ? g->stride : apart));
    const unsigned first = general ? (unsigned)REG_T3 : (unsigned)VREG_2, registers = a->registers;
    const unsigned written = REGISTERS / registers - (g->fewer_registers ? 1 : 0);

    if (store)
        emit_store_as(c, a, general ? (unsigned)REG_T1 : (unsigned)VREG_0, REG_T0, offset);
    else
        emit_load_as(c, a, first + i % written * registers, REG_DATA, offset);
}

bool load_store_groups_build(struct probe *p, void *context, struct kernel *k)
{
    const struct load_store_groups *g = context;
    const unsigned group = g->loads + g->stores, widest = machine_info()->vector_bits;
    struct code c = probe_code(p, CODE_BYTES);
    bool stores[OPERATIONS_MOST];
    unsigned count = 0, done[2] = {0, 0};

    const unsigned groups = ((unsigned)probe_smoke(p, 16, operations[g->shuffled]) + group - 1) / group;
    while (count < groups * group) {
        stores[count] = count % group >= g->loads;
        count++;
    }
    if (g->shuffled)
        random_shuffle(stores, count, sizeof *stores, &p->random);
    emit_move(&c, REG_T0, REG_DATA);
    if (!g->stride)
        emit_add_constant(&c, REG_T0, STORES_AT);
    emit_constant(&c, REG_T1, 1);
    emit_constant(&c, REG_T2, 2);
    access_clear(&c, g->access, VREG_0, 2);
    emit_align(&c, 64);
    const size_t loop = c.used;
    for (unsigned i = 0; i < count; i++)
        emit_operation(&c, g, stores[i], done[stores[i]]++);
    emit_loop(&c, loop);
    if (g->access->file != ACCESS_GENERAL)
        emit_wide_end(&c, widest);
    emit_return(&c);
    k->data = g->area->at;
    k->units = groups;
    k->warm_iterations = probe_smoke(p, 2, 6);
    return probe_kernel(p, &c, 0, k);
}
