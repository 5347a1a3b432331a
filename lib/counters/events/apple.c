/*
 * Apple's cores, M1 to M4. Both kinds of core of a generation have the same events.
 *
 * Names and numbers: Apple's event lists as dumped by jiegec/apple-pmu (2024-10), the same as in Linux,
 * drivers/perf/apple_m1_cpu_pmu.c. Counters: M1 and M2 from there; M3 and M4 from a driver outside Linux that was
 * tested by nobody we know, so the first counts on those deserve a second look.
 *
 * Linux now allows 96 and 9B of M1 and M2 on counter 7 alone, where it once had 5 to 7: what both allow is here.
 */
#include "lib/counters/events/table.h"

enum { ALL = 0xffff };
#define ANY ANY_UMASK

/* Slots are the counters' numbers; 0 and 1 always count cycles and instructions. */
enum { G = 0x3fc, S27 = 0xfc, S57 = 0xe0, S7 = 0x80, SLOTS = 0x3ff };

static const struct event_fixed m1_fixed[] = {{1 << 0, 0x02, 0, false}, {1 << 1, 0x8c, 0, false}, {0}};
static const struct event_fixed m4_fixed[] = {{1 << 0, 0x11, 0, false}, {1 << 1, 0x08, 0, false}, {0}};

/* ---- Counters -------------------------------------------------------------------------------------- */

/* The first three are for events that Apple does not name. */
static const struct event_rule m1_rules[] = {
    {0xf5, 0xf7, ANY, 0x54}, {0xf8, 0xf8, ANY, S27}, {0xfd, 0xfd, ANY, 0x54}, {0x01, 0x01, ANY, S7},
    {0x8c, 0x8c, ANY, S7},   {0x8d, 0x90, ANY, S57}, {0x93, 0x95, ANY, S57},  {0x96, 0x97, ANY, S7},
    {0x98, 0x99, ANY, S57},  {0x9a, 0x9b, ANY, S7},  {0x9c, 0x9c, ANY, S57},  {0xbf, 0xc1, ANY, S57},
    {0xc4, 0xc6, ANY, S57},  {0xc8, 0xc8, ANY, S57}, {0xca, 0xcb, ANY, S57},  {0, ALL, ANY, G},
};

static const struct event_rule m3_rules[] = {
    {0x01, 0x01, ANY, S7},  {0x8c, 0x8c, ANY, S7},  {0x8d, 0x90, ANY, S57}, {0x93, 0x96, ANY, S57},
    {0x97, 0x97, ANY, S7},  {0x98, 0x99, ANY, S57}, {0x9a, 0x9b, ANY, S7},  {0x9c, 0x9c, ANY, S57},
    {0xbf, 0xc1, ANY, S57}, {0xc4, 0xc6, ANY, S57}, {0xc8, 0xc8, ANY, S57}, {0xca, 0xcb, ANY, S57},
    {0, ALL, ANY, G},
};

static const struct event_rule m4_rules[] = {
    {0x89f, 0x89f, ANY, S7},  {0x08, 0x08, ANY, S27},   {0x21, 0x22, ANY, S27},   {0x3a, 0x3a, ANY, S27},
    {0x88e, 0x890, ANY, S27}, {0x893, 0x896, ANY, S27}, {0x897, 0x897, ANY, S7},  {0x898, 0x899, ANY, S27},
    {0x89a, 0x89b, ANY, S7},  {0x89c, 0x89c, ANY, S27}, {0x8bf, 0x8c1, ANY, S27}, {0x8c4, 0x8c6, ANY, S27},
    {0x8c8, 0x8c8, ANY, S27}, {0x8ca, 0x8ca, ANY, S27}, {0, ALL, ANY, G},
};

/* ---- Names ----------------------------------------------------------------------------------------- */

/* The one event of M1 that M2 lacks. */
static const struct event_row m1_only_rows[] = {{"schedule_uop", 0x52, 0}, {NULL, 0, 0}};

static const struct event_row m2_rows[] = {
    {"retire_uop", 0x01, 0},
    {"core_active_cycle", 0x02, 0},
    {"fixed_instructions", 0x8c, 0},
    {"fixed_cycles", 0x02, 0},
    {"l1i_tlb_fill", 0x04, 0},
    {"l1d_tlb_fill", 0x05, 0},
    {"mmu_table_walk_instruction", 0x07, 0},
    {"mmu_table_walk_data", 0x08, 0},
    {"l2_tlb_miss_instruction", 0x0a, 0},
    {"l2_tlb_miss_data", 0x0b, 0},
    {"mmu_virtual_memory_fault_nonspec", 0x0d, 0},
    {"interrupt_pending", 0x6c, 0},
    {"map_stall_dispatch", 0x70, 0},
    {"map_rewind", 0x75, 0},
    {"map_stall", 0x76, 0},
    {"map_int_uop", 0x7c, 0},
    {"map_ldst_uop", 0x7d, 0},
    {"map_simd_uop", 0x7e, 0},
    {"flush_restart_other_nonspec", 0x84, 0},
    {"inst_all", 0x8c, 0},
    {"inst_branch", 0x8d, 0},
    {"inst_branch_call", 0x8e, 0},
    {"inst_branch_ret", 0x8f, 0},
    {"inst_branch_taken", 0x90, 0},
    {"inst_branch_indir", 0x93, 0},
    {"inst_branch_cond", 0x94, 0},
    {"inst_int_ld", 0x95, 0},
    {"inst_int_st", 0x96, 0},
    {"inst_int_alu", 0x97, 0},
    {"inst_simd_ld", 0x98, 0},
    {"inst_simd_st", 0x99, 0},
    {"inst_simd_alu", 0x9a, 0},
    {"inst_ldst", 0x9b, 0},
    {"inst_barrier", 0x9c, 0},
    {"l1d_tlb_access", 0xa0, 0},
    {"l1d_tlb_miss", 0xa1, 0},
    {"l1d_cache_miss_st", 0xa2, 0},
    {"l1d_cache_miss_ld", 0xa3, 0},
    {"ld_unit_uop", 0xa6, 0},
    {"st_unit_uop", 0xa7, 0},
    {"l1d_cache_writeback", 0xa8, 0},
    {"ldst_x64_uop", 0xb1, 0},
    {"ldst_xpg_uop", 0xb2, 0},
    {"atomic_or_exclusive_succ", 0xb3, 0},
    {"atomic_or_exclusive_fail", 0xb4, 0},
    {"l1d_cache_miss_ld_nonspec", 0xbf, 0},
    {"l1d_cache_miss_st_nonspec", 0xc0, 0},
    {"l1d_tlb_miss_nonspec", 0xc1, 0},
    {"st_memory_order_violation_nonspec", 0xc4, 0},
    {"branch_cond_mispred_nonspec", 0xc5, 0},
    {"branch_indir_mispred_nonspec", 0xc6, 0},
    {"branch_ret_indir_mispred_nonspec", 0xc8, 0},
    {"branch_call_indir_mispred_nonspec", 0xca, 0},
    {"branch_mispred_nonspec", 0xcb, 0},
    {"l1i_tlb_miss_demand", 0xd4, 0},
    {"map_dispatch_bubble", 0xd6, 0},
    {"l1i_cache_miss_demand", 0xdb, 0},
    {"fetch_restart", 0xde, 0},
    {"st_nt_uop", 0xe5, 0},
    {"ld_nt_uop", 0xe6, 0},
    {NULL, 0, 0},
};

static const struct event_row m3_rows[] = {
    {"retire_uop", 0x01, 0},
    {"core_active_cycle", 0x02, 0},
    {"fixed_instructions", 0x8c, 0},
    {"fixed_cycles", 0x02, 0},
    {"l1i_tlb_fill", 0x404, 0},
    {"l1d_tlb_fill", 0x405, 0},
    {"mmu_table_walk_instruction", 0x407, 0},
    {"mmu_table_walk_data", 0x408, 0},
    {"l2_tlb_miss_instruction", 0x40a, 0},
    {"l2_tlb_miss_data", 0x40b, 0},
    {"mmu_virtual_memory_fault_nonspec", 0x40d, 0},
    {"interrupt_pending", 0x26c, 0},
    {"map_stall_dispatch", 0x270, 0},
    {"map_rewind", 0x275, 0},
    {"map_stall", 0x276, 0},
    {"map_int_uop", 0x27c, 0},
    {"map_ldst_uop", 0x27d, 0},
    {"map_simd_uop", 0x27e, 0},
    {"flush_restart_other_nonspec", 0x84, 0},
    {"inst_all", 0x8c, 0},
    {"inst_branch", 0x8d, 0},
    {"inst_branch_call", 0x8e, 0},
    {"inst_branch_ret", 0x8f, 0},
    {"inst_branch_taken", 0x90, 0},
    {"inst_branch_indir", 0x93, 0},
    {"inst_branch_cond", 0x94, 0},
    {"inst_int_ld", 0x95, 0},
    {"inst_int_st", 0x96, 0},
    {"inst_int_alu", 0x97, 0},
    {"inst_simd_ld", 0x98, 0},
    {"inst_simd_st", 0x99, 0},
    {"inst_simd_alu", 0x9a, 0},
    {"inst_ldst", 0x9b, 0},
    {"inst_barrier", 0x9c, 0},
    {"l1d_tlb_access", 0x5a0, 0},
    {"l1d_tlb_miss", 0x5a1, 0},
    {"l1d_cache_miss_st", 0x5a2, 0},
    {"l1d_cache_miss_ld", 0x5a3, 0},
    {"ld_unit_uop", 0x5a6, 0},
    {"st_unit_uop", 0x5a7, 0},
    {"l1d_cache_writeback", 0x5a8, 0},
    {"ldst_x64_uop", 0x5b1, 0},
    {"ldst_xpg_uop", 0x5b2, 0},
    {"atomic_or_exclusive_succ", 0x5b3, 0},
    {"atomic_or_exclusive_fail", 0x5b4, 0},
    {"l1d_cache_miss_ld_nonspec", 0xbf, 0},
    {"l1d_cache_miss_st_nonspec", 0xc0, 0},
    {"l1d_tlb_miss_nonspec", 0xc1, 0},
    {"st_memory_order_violation_nonspec", 0xc4, 0},
    {"branch_cond_mispred_nonspec", 0xc5, 0},
    {"branch_indir_mispred_nonspec", 0xc6, 0},
    {"branch_ret_indir_mispred_nonspec", 0xc8, 0},
    {"branch_call_indir_mispred_nonspec", 0xca, 0},
    {"branch_mispred_nonspec", 0xcb, 0},
    {"l1i_tlb_miss_demand", 0x1d4, 0},
    {"map_dispatch_bubble", 0x1d6, 0},
    {"l1i_cache_miss_demand", 0x1db, 0},
    {"fetch_restart", 0x1de, 0},
    {"st_nt_uop", 0x5e5, 0},
    {"ld_nt_uop", 0x5e6, 0},
    {"map_dispatch_bubble_ic", 0x182, 0},
    {"map_dispatch_bubble_itlb", 0x183, 0},
    {"map_uop", 0x269, 0},
    {NULL, 0, 0},
};

static const struct event_row m4_rows[] = {
    {"retire_uop", 0x3a, 0},
    {"core_active_cycle", 0x11, 0},
    {"fixed_instructions", 0x08, 0},
    {"fixed_cycles", 0x11, 0},
    {"l1i_tlb_fill", 0x404, 0},
    {"l1d_tlb_fill", 0x405, 0},
    {"mmu_table_walk_instruction", 0x407, 0},
    {"mmu_table_walk_data", 0x408, 0},
    {"l2_tlb_miss_instruction", 0x40a, 0},
    {"l2_tlb_miss_data", 0x40b, 0},
    {"mmu_virtual_memory_fault_nonspec", 0x40d, 0},
    {"interrupt_pending", 0x26c, 0},
    {"map_stall_dispatch", 0x270, 0},
    {"map_rewind", 0x275, 0},
    {"map_stall", 0x276, 0},
    {"map_int_uop", 0x27c, 0},
    {"map_ldst_uop", 0x27d, 0},
    {"map_simd_uop", 0x27e, 0},
    {"flush_restart_other_nonspec", 0x884, 0},
    {"inst_all", 0x08, 0},
    {"inst_branch", 0x21, 0},
    {"inst_branch_call", 0x88e, 0},
    {"inst_branch_ret", 0x88f, 0},
    {"inst_branch_taken", 0x890, 0},
    {"inst_branch_indir", 0x893, 0},
    {"inst_branch_cond", 0x894, 0},
    {"inst_int_ld", 0x895, 0},
    {"inst_int_st", 0x896, 0},
    {"inst_int_alu", 0x897, 0},
    {"inst_simd_ld", 0x898, 0},
    {"inst_simd_st", 0x899, 0},
    {"inst_simd_alu", 0x89a, 0},
    {"inst_ldst", 0x89b, 0},
    {"inst_barrier", 0x89c, 0},
    {"l1d_tlb_access", 0x5a0, 0},
    {"l1d_tlb_miss", 0x5a1, 0},
    {"l1d_cache_miss_st", 0x5a2, 0},
    {"l1d_cache_miss_ld", 0x5a3, 0},
    {"ld_unit_uop", 0x5a6, 0},
    {"st_unit_uop", 0x5a7, 0},
    {"l1d_cache_writeback", 0x5a8, 0},
    {"ldst_x64_uop", 0x5b1, 0},
    {"ldst_xpg_uop", 0x5b2, 0},
    {"atomic_or_exclusive_succ", 0x5b3, 0},
    {"atomic_or_exclusive_fail", 0x5b4, 0},
    {"l1d_cache_miss_ld_nonspec", 0x8bf, 0},
    {"l1d_cache_miss_st_nonspec", 0x8c0, 0},
    {"l1d_tlb_miss_nonspec", 0x8c1, 0},
    {"st_memory_order_violation_nonspec", 0x8c4, 0},
    {"branch_cond_mispred_nonspec", 0x8c5, 0},
    {"branch_indir_mispred_nonspec", 0x8c6, 0},
    {"branch_ret_indir_mispred_nonspec", 0x8c8, 0},
    {"branch_call_indir_mispred_nonspec", 0x8ca, 0},
    {"branch_mispred_nonspec", 0x22, 0},
    {"l1i_tlb_miss_demand", 0x1d4, 0},
    {"map_dispatch_bubble", 0x1d6, 0},
    {"l1i_cache_miss_demand", 0x4006, 0},
    {"fetch_restart", 0x1de, 0},
    {"st_nt_uop", 0x5e5, 0},
    {"ld_nt_uop", 0x5e6, 0},
    {"map_dispatch_bubble_ic", 0x182, 0},
    {"map_dispatch_bubble_itlb", 0x183, 0},
    {"map_uop", 0x3b, 0},
    {NULL, 0, 0},
};

/* ---- Needs ----------------------------------------------------------------------------------------- */

static const struct event_need common_needs[] = {
    {"cycles", "core_active_cycle"},
    {"instructions", "inst_all"},
    {"ops_issued_int", "map_int_uop"},
    {"ops_issued_memory", "map_ldst_uop"},
    {"ops_issued_vector", "map_simd_uop"},
    {"ops_retired", "retire_uop"},
    {"branches", "inst_branch"},
    {"branches_conditional", "inst_branch_cond"},
    {"branches_taken", "inst_branch_taken"},
    {"mispredicts", "branch_mispred_nonspec"},
    {"conditional_mispredicts", "branch_cond_mispred_nonspec"},
    {"indirect_mispredicts", "branch_indir_mispred_nonspec"},
    {"return_mispredicts", "branch_ret_indir_mispred_nonspec"},
    {"btb_redirects", "fetch_restart"},
    {"l1i_misses", "l1i_cache_miss_demand"},
    {"itlb_misses", "l1i_tlb_miss_demand"},
    {"itlb_walks", "mmu_table_walk_instruction"},
    {"l1d_misses", "l1d_cache_miss_ld_nonspec"},
    {"dtlb_misses", "l1d_tlb_miss_nonspec"},
    {"dtlb_walks", "mmu_table_walk_data"},
    {"loads", "ld_unit_uop"},
    {"stores", "st_unit_uop"},
    {"loads_split", "ldst_x64_uop"},
    {"machine_clears", "flush_restart_other_nonspec"},
    {"machine_clears_memory", "st_memory_order_violation_nonspec"},
    {NULL, NULL},
};

static const struct event_need m1_needs[] = {{"ops_issued", "schedule_uop"}, {NULL, NULL}};
static const struct event_need m3_needs[] = {{"ops_issued", "map_uop"}, {NULL, NULL}};

/* ---- Cores ----------------------------------------------------------------------------------------- */

#define LISTS "Apple's event lists (jiegec/apple-pmu)"

#define APPLE(known_as, bits, row_list, second_list, first_need, rule_list, fixed_list, told_by) \
    { \
        .name = known_as, .kind = COUNTERS_APPLE, .code_bits = bits, .slots = SLOTS, .most = SLOTS, \
        .rows = {row_list, second_list}, .needs = {common_needs, first_need}, .rules = rule_list, .fixed = fixed_list, \
        .source = told_by \
    }

#define M1(known_as) \
    APPLE(known_as, 8, m2_rows, m1_only_rows, m1_needs, m1_rules, m1_fixed, LISTS "; Linux, apple_m1_cpu_pmu.c")
#define M2(known_as) APPLE(known_as, 8, m2_rows, NULL, NULL, m1_rules, m1_fixed, LISTS "; Linux, apple_m1_cpu_pmu.c")
#define M3(known_as) APPLE(known_as, 16, m3_rows, NULL, m3_needs, m3_rules, m1_fixed, LISTS "; counters unconfirmed")
#define M4(known_as) APPLE(known_as, 16, m4_rows, NULL, m3_needs, m4_rules, m4_fixed, LISTS "; counters unconfirmed")

static const struct event_core cores[] = {
    M1("apple-m1"), M1("firestorm"), M1("icestorm"), M2("apple-m2"), M2("avalanche"),  M2("blizzard"),
    M3("apple-m3"), M3("everest"),   M3("sawtooth"), M4("apple-m4"), M4("apple-m4-p"), M4("apple-m4-e"),
};

static const struct event_family apple = {.cores = cores, .count = sizeof cores / sizeof cores[0]};

EVENT_FAMILY(apple);
