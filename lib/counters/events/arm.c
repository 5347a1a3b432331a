/*
 * Arm's cores and others with PMUv3.
 *
 * libpfm4 has the events of some. For the others, and where a core is not known at all, Arm's common events are
 * listed (DDI 0487, D13.12; numbers as in Linux, include/linux/perf/arm_pmuv3.h), without those that the core lacks
 * where that is published (github.com/ARM-software/data, pmu/, 2025-01). A core that can be asked says the rest
 * itself, in PMCEID0_EL0 and PMCEID1_EL0.
 *
 * Any event goes on any event counter; cycles have one of their own, instructions an optional one.
 */
#include "lib/counters/events/table.h"

enum { ALL = 0xffff };

/* PMCCNTR_EL0, PMICNTR_EL0. */
static const struct event_fixed fixed[] = {{FIXED(0), 0x11, 0, false}, {FIXED(1), 0x08, 0, false}, {0}};

static const struct event_rule any_counter[] = {{0, ALL, ANY_UMASK, 0x7fffffff}};

/* ---- Names ----------------------------------------------------------------------------------------- */

static const struct event_row common_rows[] = {
    {"sw_incr", 0x00, 0},
    {"l1i_cache_refill", 0x01, 0},
    {"l1i_tlb_refill", 0x02, 0},
    {"l1d_cache_refill", 0x03, 0},
    {"l1d_cache", 0x04, 0},
    {"l1d_tlb_refill", 0x05, 0},
    {"ld_retired", 0x06, 0},
    {"st_retired", 0x07, 0},
    {"inst_retired", 0x08, 0},
    {"exc_taken", 0x09, 0},
    {"exc_return", 0x0a, 0},
    {"cid_write_retired", 0x0b, 0},
    {"pc_write_retired", 0x0c, 0},
    {"br_immed_retired", 0x0d, 0},
    {"br_return_retired", 0x0e, 0},
    {"unaligned_ldst_retired", 0x0f, 0},
    {"br_mis_pred", 0x10, 0},
    {"cpu_cycles", 0x11, 0},
    {"br_pred", 0x12, 0},
    {"mem_access", 0x13, 0},
    {"l1i_cache", 0x14, 0},
    {"l1d_cache_wb", 0x15, 0},
    {"l2d_cache", 0x16, 0},
    {"l2d_cache_refill", 0x17, 0},
    {"l2d_cache_wb", 0x18, 0},
    {"bus_access", 0x19, 0},
    {"memory_error", 0x1a, 0},
    {"inst_spec", 0x1b, 0},
    {"ttbr_write_retired", 0x1c, 0},
    {"bus_cycles", 0x1d, 0},
    {"chain", 0x1e, 0},
    {"l1d_cache_allocate", 0x1f, 0},
    {"l2d_cache_allocate", 0x20, 0},
    {"br_retired", 0x21, 0},
    {"br_mis_pred_retired", 0x22, 0},
    {"stall_frontend", 0x23, 0},
    {"stall_backend", 0x24, 0},
    {"l1d_tlb", 0x25, 0},
    {"l1i_tlb", 0x26, 0},
    {"l2i_cache", 0x27, 0},
    {"l2i_cache_refill", 0x28, 0},
    {"l3d_cache_allocate", 0x29, 0},
    {"l3d_cache_refill", 0x2a, 0},
    {"l3d_cache", 0x2b, 0},
    {"l3d_cache_wb", 0x2c, 0},
    {"l2d_tlb_refill", 0x2d, 0},
    {"l2i_tlb_refill", 0x2e, 0},
    {"l2d_tlb", 0x2f, 0},
    {"l2i_tlb", 0x30, 0},
    {"remote_access", 0x31, 0},
    {"ll_cache", 0x32, 0},
    {"ll_cache_miss", 0x33, 0},
    {"dtlb_walk", 0x34, 0},
    {"itlb_walk", 0x35, 0},
    {"ll_cache_rd", 0x36, 0},
    {"ll_cache_miss_rd", 0x37, 0},
    {"remote_access_rd", 0x38, 0},
    {"l1d_cache_lmiss_rd", 0x39, 0},
    {"op_retired", 0x3a, 0},
    {"op_spec", 0x3b, 0},
    {"stall", 0x3c, 0},
    {"stall_slot_backend", 0x3d, 0},
    {"stall_slot_frontend", 0x3e, 0},
    {"stall_slot", 0x3f, 0},
    {NULL, 0, 0},
};

/* The recommended implementation-defined numbers, as far as Arm's big cores since Cortex-A72 share them. */
static const struct event_row recommended_rows[] = {
    {"l1d_cache_rd", 0x40, 0},
    {"l1d_cache_wr", 0x41, 0},
    {"l1d_cache_refill_rd", 0x42, 0},
    {"l1d_cache_refill_wr", 0x43, 0},
    {"l1d_cache_refill_inner", 0x44, 0},
    {"l1d_cache_refill_outer", 0x45, 0},
    {"l1d_cache_wb_victim", 0x46, 0},
    {"l1d_cache_wb_clean", 0x47, 0},
    {"l1d_cache_inval", 0x48, 0},
    {"l1d_tlb_refill_rd", 0x4c, 0},
    {"l1d_tlb_refill_wr", 0x4d, 0},
    {"l1d_tlb_rd", 0x4e, 0},
    {"l1d_tlb_wr", 0x4f, 0},
    {"l2d_cache_rd", 0x50, 0},
    {"l2d_cache_wr", 0x51, 0},
    {"l2d_cache_refill_rd", 0x52, 0},
    {"l2d_cache_refill_wr", 0x53, 0},
    {"l2d_cache_wb_victim", 0x56, 0},
    {"l2d_cache_wb_clean", 0x57, 0},
    {"l2d_cache_inval", 0x58, 0},
    {"bus_access_rd", 0x60, 0},
    {"bus_access_wr", 0x61, 0},
    {"mem_access_rd", 0x66, 0},
    {"mem_access_wr", 0x67, 0},
    {"unaligned_ld_spec", 0x68, 0},
    {"unaligned_st_spec", 0x69, 0},
    {"unaligned_ldst_spec", 0x6a, 0},
    {"ldrex_spec", 0x6c, 0},
    {"strex_pass_spec", 0x6d, 0},
    {"strex_fail_spec", 0x6e, 0},
    {"ld_spec", 0x70, 0},
    {"st_spec", 0x71, 0},
    {"ldst_spec", 0x72, 0},
    {"dp_spec", 0x73, 0},
    {"ase_spec", 0x74, 0},
    {"vfp_spec", 0x75, 0},
    {"pc_write_spec", 0x76, 0},
    {"crypto_spec", 0x77, 0},
    {"br_immed_spec", 0x78, 0},
    {"br_return_spec", 0x79, 0},
    {"br_indirect_spec", 0x7a, 0},
    {"isb_spec", 0x7c, 0},
    {"dsb_spec", 0x7d, 0},
    {"dmb_spec", 0x7e, 0},
    {NULL, 0, 0},
};

/* Neoverse V3 and Cortex-X4. */
static const struct event_row v3_rows[] = {
    {"l1d_cache_hwprf", 0x8154, 0},
    {"l2d_cache_hwprf", 0x8155, 0},
    {"l1i_cache_hwprf", 0x8145, 0},
    {"inst_fetch", 0x8124, 0},
    {NULL, 0, 0},
};

/* ---- Needs: by number, since libpfm4's names change from core to core ---------------------------------- */

/* Every PMUv3 has these (DDI 0487, D13.12: required events) or nearly every one does. */
static const struct event_need common_needs[] = {
    {"cycles", "0x11"},      {"instructions", "0x08"}, {"mispredicts", "0x10"},
    {"l1i_misses", "0x01"},  {"itlb_misses", "0x02"},  {"l1d_misses", "0x03"},
    {"dtlb_misses", "0x05"}, {"l2_misses", "0x17"},    {NULL, NULL},
};

/* Operations by type, speculative, where the recommended numbers are there. */
#define BY_TYPE \
    {"ops_issued_int", "0x73"}, {"ops_issued_load", "0x70"}, {"ops_issued_store", "0x71"}, \
    { \
        "ops_issued_vector", "0x74" \
    }

static const struct event_need a72_needs[] = {BY_TYPE, {NULL, NULL}};

static const struct event_need n1_needs[] = {
    BY_TYPE, {"branches", "0x21"}, {"itlb_walks", "0x35"}, {"dtlb_walks", "0x34"}, {NULL, NULL},
};

static const struct event_need v1_needs[] = {
    BY_TYPE,
    {"ops_issued", "0x3b"},
    {"ops_retired", "0x3a"},
    {"branches", "0x21"},
    {"itlb_walks", "0x35"},
    {"dtlb_walks", "0x34"},
    {NULL, NULL},
};

static const struct event_need v3_needs[] = {
    BY_TYPE,
    {"ops_issued", "0x3b"},
    {"ops_retired", "0x3a"},
    {"branches", "0x21"},
    {"itlb_walks", "0x35"},
    {"dtlb_walks", "0x34"},
    {"l1d_prefetches", "l1d_cache_hwprf"},
    {"l2_prefetches", "l2d_cache_hwprf"},
    {NULL, NULL},
};

/* ---- Cores ----------------------------------------------------------------------------------------- */

/* Common events that a core lacks: bit n is event n. */
#define A72_LACKS 0xffffffff8000f0c0u
#define A55_LACKS 0xfe0f518080000000u
#define A76_LACKS 0xff0d51808000f0c0u
#define V1_LACKS 0x10d51808000f0c0u
#define V3_LACKS 0x10d5f81800080c0u
#define X4_LACKS 0x10d5180800080c0u

/*
 * Slots where the core is not at hand: six event counters as on most, or as libpfm4 has them; PMCR_EL0.N has the
 * number.
 */
#define MOST (0x7fffffff | FIXED(0) | FIXED(1))
#define DATA "Arm's event data (ARM-software/data)"

#define ARM(known_as, counters, table, first_rows, second_rows, third_rows, lacks_these, need_list, told_by) \
    { \
        .name = known_as, .kind = COUNTERS_PMUV3, .slots = ((1ull << (counters)) - 1) | FIXED(0), .most = MOST, \
        .packed = table, .rows = {first_rows, second_rows, third_rows}, .lacks = lacks_these, \
        .needs = {common_needs, need_list}, .rules = any_counter, .fixed = fixed, .source = told_by \
    }

#define PACKED(known_as, counters, table, need_list) \
    ARM(known_as, counters, table, NULL, NULL, NULL, 0, need_list, "libpfm4 4.13 (" table ")")
#define COMMON(known_as) \
    ARM(known_as, 6, NULL, common_rows, NULL, NULL, 0, NULL, "Arm's common events (DDI 0487): not all need be there")

static const struct event_core cores[] = {
    PACKED("cortex-a53", 6, "arm_ac53", NULL),
    PACKED("cortex-a57", 6, "arm_ac57", a72_needs),
    ARM("cortex-a72", 6, NULL, common_rows, recommended_rows, NULL, A72_LACKS, a72_needs, DATA),
    ARM("cortex-a55", 6, NULL, common_rows, NULL, NULL, A55_LACKS, NULL, DATA),
    ARM("cortex-a76", 6, NULL, common_rows, recommended_rows, NULL, A76_LACKS, n1_needs, DATA),
    PACKED("neoverse-n1", 6, "arm_n1", n1_needs),
    PACKED("neoverse-v1", 6, "arm_v1", v1_needs),
    ARM("cortex-x1", 6, NULL, common_rows, recommended_rows, NULL, V1_LACKS, v1_needs, DATA),
    PACKED("neoverse-n2", 6, "arm_n2", v1_needs),
    PACKED("neoverse-v2", 6, "arm_v2", v1_needs),
    ARM("neoverse-v3", 6, NULL, common_rows, recommended_rows, v3_rows, V3_LACKS, v3_needs, DATA),
    ARM("cortex-x4", 6, NULL, common_rows, recommended_rows, v3_rows, X4_LACKS, v3_needs, DATA),
    PACKED("a64fx", 8, "arm_a64fx", NULL),
    PACKED("thunderx2", 6, "arm_thunderx2", NULL),
    PACKED("tsv110", 12, "arm_kunpeng", NULL),
    COMMON("cortex-a35"),
    COMMON("cortex-a65"),
    COMMON("cortex-a73"),
    COMMON("cortex-a75"),
    COMMON("cortex-a76ae"),
    COMMON("cortex-a77"),
    COMMON("cortex-a78"),
    COMMON("cortex-a78ae"),
    COMMON("cortex-a78c"),
    COMMON("cortex-x1c"),
    COMMON("cortex-a510"),
    COMMON("cortex-a520"),
    COMMON("cortex-a710"),
    COMMON("cortex-a715"),
    COMMON("cortex-a720"),
    COMMON("cortex-a725"),
    COMMON("cortex-x2"),
    COMMON("cortex-x3"),
    COMMON("cortex-x925"),
    COMMON("neoverse-e1"),
    COMMON("neoverse-n3"),
    COMMON("neoverse-v3ae"),
    COMMON("oryon"),
    COMMON("ampere-1"),
    COMMON("ampere-1a"),
    COMMON("ftc310"),
    COMMON("ftc660"),
    COMMON("ftc661"),
    COMMON("ftc662"),
    COMMON("ftc663"),
    COMMON("ftc664"),
    COMMON("ftc862"),
};

static const struct event_core unknown = COMMON("a core with PMUv3");

static const struct event_family arm = {
    .cores = cores,
    .count = sizeof cores / sizeof cores[0],
    .unknown = {&unknown},
    .packed = &packed_events_aarch64,
};

EVENT_FAMILY(arm);
