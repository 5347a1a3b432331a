/*
 * AMD's cores. libpfm4 has the names of AMD's processor programming references; our rows have those of AMD's event
 * files in Linux 6.12 (tools/perf/pmu-events/arch/x86/amdzen1 … 5), which are better known.
 *
 * Counters: Linux 6.12, arch/x86/events/amd/core.c: constraints of family 15h, and of event 003 of 17h and later.
 */
#include "lib/counters/events/table.h"

enum { ALL = 0xffff };
#define ANY ANY_UMASK

/* Event bits 11:8 are bits 35:32 of the selector (APM vol. 2, 13.2.1). */
#define AMD(event, umask) (((event)&0xff) | (uint64_t)((event) >> 8) << 32 | (uint64_t)(umask) << 8)

/* ---- Counters -------------------------------------------------------------------------------------- */

/* Event 003 may add more in a cycle than one counter can: it takes an even one, and Merge, event FFF, on the next. */
enum { LARGE_INCREMENTS = 0x003 };

static const struct event_rule four_counters[] = {{0, ALL, ANY, 0xf}};
static const struct event_rule six_counters[] = {{0, ALL, ANY, 0x3f}};

/*
 * By event group. 000 and 004 may use 3 … 5 with some unit masks: 3 is allowed with all. The north bridge's events,
 * 0Ex and 0Fx, are not the core's counters' business.
 */
static const struct event_rule bulldozer_rules[] = {
    {0x000, 0x000, ANY, 0x08}, {0x003, 0x004, ANY, 0x08}, {0x00b, 0x00b, ANY, 0x08}, {0x00d, 0x00d, ANY, 0x08},
    {0x001, 0x01f, ANY, 0x38}, {0x023, 0x023, ANY, 0x07}, {0x043, 0x043, ANY, 0x07}, {0x045, 0x046, ANY, 0x07},
    {0x054, 0x055, ANY, 0x07}, {0x02d, 0x02d, ANY, 0x08}, {0x02e, 0x02e, ANY, 0x09}, {0x031, 0x031, ANY, 0x07},
    {0x020, 0x05f, ANY, 0x3f}, {0x08f, 0x08f, ANY, 0x01}, {0x187, 0x188, ANY, 0x01}, {0x060, 0x09f, ANY, 0x07},
    {0x0c0, 0x0cf, ANY, 0x3f}, {0x0db, 0x0df, ANY, 0x3f}, {0x0d0, 0x0da, ANY, 0x07}, {0x0e0, 0x0ff, ANY, 0},
    {0x1c0, 0x1c0, ANY, 0x38}, {0x1d6, 0x1d6, ANY, 0x3f}, {0x1d8, 0x1d8, ANY, 0x3f}, {0x1e0, 0x1ff, ANY, 0},
    {0, ALL, ANY, 0x07},
};

/* ---- Names ----------------------------------------------------------------------------------------- */

static const struct event_row zen_rows[] = {
    {"ls_not_halted_cyc", AMD(0x76, 0), 0},
    {"ex_ret_instr", AMD(0xc0, 0), 0},
    {"ex_ret_brn", AMD(0xc2, 0), 0},
    {"ex_ret_brn_misp", AMD(0xc3, 0), 0},
    {"ex_ret_brn_tkn", AMD(0xc4, 0), 0},
    {"ex_ret_near_ret", AMD(0xc8, 0), 0},
    {"ex_ret_near_ret_mispred", AMD(0xc9, 0), 0},
    {"ex_ret_brn_ind_misp", AMD(0xca, 0), 0},
    {"ex_ret_cond", AMD(0xd1, 0), 0},
    {"ex_div_busy", AMD(0xd3, 0), 0},
    {"ic_cache_fill_l2", AMD(0x82, 0), 0},
    {"bp_l2_btb_correct", AMD(0x8b, 0), 0},
    {"bp_dyn_ind_pred", AMD(0x8e, 0), 0},
    {"bp_de_redirect", AMD(0x91, 0), 0},
    {"ls_stlf", AMD(0x35, 0), 0},
    {"ls_l1_d_tlb_miss.all", AMD(0x45, 0xff), 0},
    {"l2_cache_req_stat.ls_rd_blk_c", AMD(0x64, 0x08), 0},
    {NULL, 0, 0},
};

static const struct event_row zen1_rows[] = {
    {"ex_ret_cops", AMD(0xc1, 0), 0},
    {"bp_l1_btb_correct", AMD(0x8a, 0), 0},
    {NULL, 0, 0},
};

static const struct event_row zen2_rows[] = {
    {"ex_ret_cops", AMD(0xc1, 0), 0},
    {"bp_l1_btb_correct", AMD(0x8a, 0), 0},
    {"ls_bad_status2.stli_other", AMD(0x24, 0x02), 0},
    {"ls_smi_rx", AMD(0x2b, 0), 0},
    {"ls_int_taken", AMD(0x2c, 0), 0},
    {NULL, 0, 0},
};

/* Zen 3 and later have these alike. */
#define ZEN3_ROWS \
    {"ex_ret_ops", AMD(0xc1, 0), 0}, {"ex_ret_ind_brch_instr", AMD(0xcc, 0), 0}, \
        {"ls_bad_status2.stli_other", AMD(0x24, 0x02), 0}, {"ls_smi_rx", AMD(0x2b, 0), 0}, \
        {"ls_int_taken", AMD(0x2c, 0), 0}, {"ls_alloc_mab_count", AMD(0x5f, 0), 0}, \
        {"bp_l1_tlb_miss_l2_tlb_hit", AMD(0x84, 0), 0}, {"op_cache_hit_miss.op_cache_hit", AMD(0x28f, 0x03), 0}, \
        {"op_cache_hit_miss.op_cache_miss", AMD(0x28f, 0x04), 0}, \
        {"op_cache_hit_miss.all_op_cache_accesses", AMD(0x28f, 0x07), 0}, \
        {"ic_tag_hit_miss.instruction_cache_hit", AMD(0x18e, 0x07), 0}, \
        {"ic_tag_hit_miss.instruction_cache_miss", AMD(0x18e, 0x18), 0}, \
    { \
        "ic_tag_hit_miss.all_instruction_cache_accesses", AMD(0x18e, 0x1f), 0 \
    }

static const struct event_row zen3_rows[] = {
    ZEN3_ROWS,
    {"bp_l1_btb_correct", AMD(0x8a, 0), 0},
    {NULL, 0, 0},
};

/* Zen 4 and 5. */
#define ZEN4_ROWS \
    {"de_no_dispatch_per_slot.no_ops_from_frontend", AMD(0x1a0, 0x01), 0}, \
        {"de_no_dispatch_per_slot.backend_stalls", AMD(0x1a0, 0x1e), 0}, \
        {"de_no_dispatch_per_slot.smt_contention", AMD(0x1a0, 0x60), 0}, {"de_src_op_disp.all", AMD(0xaa, 0x07), 0}, \
        {"ls_any_fills_from_sys.all", AMD(0x44, 0xff), 0}, {"ls_sw_pf_dc_fills.all", AMD(0x59, 0xdf), 0}, \
    { \
        "ls_hw_pf_dc_fills.all", AMD(0x5a, 0xdf), 0 \
    }

static const struct event_row zen4_rows[] = {
    ZEN3_ROWS,
    ZEN4_ROWS,
    {NULL, 0, 0},
};

/* libpfm4 4.13 has no table for Zen 5: what Linux' file has of the events in use here. */
static const struct event_row zen5_rows[] = {
    ZEN3_ROWS,
    ZEN4_ROWS,
    {"bp_redirects.ex_redir", AMD(0x9f, 0x02), 0},
    {"ls_dispatch.ld_dispatch", AMD(0x29, 0x01), 0},
    {"ls_dispatch.store_dispatch", AMD(0x29, 0x02), 0},
    {"ls_mab_alloc.load_store_allocations", AMD(0x41, 0x07), 0},
    {"ls_mab_alloc.hardware_prefetcher_allocations", AMD(0x41, 0x08), 0},
    {"de_src_op_disp.op_cache", AMD(0xaa, 0x02), 0},
    {"l2_request_g1.l2_hw_pf", AMD(0x60, 0x02), 0},
    {"bp_l1_tlb_miss_l2_tlb_miss.if4k", AMD(0x85, 0x01), 0},
    {"bp_l1_tlb_miss_l2_tlb_miss.if2m", AMD(0x85, 0x02), 0},
    {"bp_l1_tlb_miss_l2_tlb_miss.if1g", AMD(0x85, 0x04), 0},
    {"bp_l1_tlb_miss_l2_tlb_miss.coalesced_4k", AMD(0x85, 0x08), 0},
    {"bp_l1_tlb_miss_l2_tlb_miss.all", AMD(0x85, 0x0f), 0},
    {"bp_redirects.resync", AMD(0x9f, 0x01), 0},
    {"bp_redirects.all", AMD(0x9f, 0), 0},
    {"de_op_queue_empty", AMD(0xa9, 0), 0},
    {"de_src_op_disp.x86_decoder", AMD(0xaa, 0x01), 0},
    {"de_dis_ops_from_decoder.any_fp_dispatch", AMD(0xab, 0x04), 0},
    {"de_dis_ops_from_decoder.any_integer_dispatch", AMD(0xab, 0x08), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part1.int_phy_reg_file_rsrc_stall", AMD(0xae, 0x01), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part1.load_queue_rsrc_stall", AMD(0xae, 0x02), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part1.store_queue_rsrc_stall", AMD(0xae, 0x04), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part2.al_tokens", AMD(0xaf, 0x01), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part2.ag_tokens", AMD(0xaf, 0x02), 0},
    {"de_dispatch_stall_cycle_dynamic_tokens_part2.retq", AMD(0xaf, 0x20), 0},
    {"ls_dispatch.ld_st_dispatch", AMD(0x29, 0x04), 0},
    {"ls_dmnd_fills_from_sys.local_l2", AMD(0x43, 0x01), 0},
    {"ls_dmnd_fills_from_sys.local_ccx", AMD(0x43, 0x02), 0},
    {"ls_dmnd_fills_from_sys.dram_io_near", AMD(0x43, 0x08), 0},
    {"ls_dmnd_fills_from_sys.all", AMD(0x43, 0xff), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_4k_l2_hit", AMD(0x45, 0x01), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_coalesced_page_hit", AMD(0x45, 0x02), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_2m_l2_hit", AMD(0x45, 0x04), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_1g_l2_hit", AMD(0x45, 0x08), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_4k_l2_miss", AMD(0x45, 0x10), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_coalesced_page_miss", AMD(0x45, 0x20), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_2m_l2_miss", AMD(0x45, 0x40), 0},
    {"ls_l1_d_tlb_miss.tlb_reload_1g_l2_miss", AMD(0x45, 0x80), 0},
    {"ls_l1_d_tlb_miss.all_l2_miss", AMD(0x45, 0xf0), 0},
    {"ls_misal_loads.ma64", AMD(0x47, 0x01), 0},
    {"ls_misal_loads.ma4k", AMD(0x47, 0x02), 0},
    {"fp_ret_sse_avx_ops.all", AMD(0x03, 0x0f), 0},
    {NULL, 0, 0},
};

static const struct event_row unknown_rows[] = {
    {"cycles_not_in_halt", AMD(0x76, 0), 0},
    {"retired_instructions", AMD(0xc0, 0), 0},
    {"retired_branch_instructions", AMD(0xc2, 0), 0},
    {"retired_branch_instructions_mispredicted", AMD(0xc3, 0), 0},
    {NULL, 0, 0},
};

/* ---- Needs: by number, since libpfm4's names change from core to core ---------------------------------- */

static const struct event_need common_needs[] = {
    {"cycles", "0x76"}, {"instructions", "0xc0"}, {"branches", "0xc2"}, {"mispredicts", "0xc3"}, {NULL, NULL},
};

static const struct event_need old_needs[] = {
    {"ops_retired", "0xc1"},
    {"branches_taken", "0xc4"},
    {"return_mispredicts", "0xc9"},
    {"l1i_misses", "0x81"},
    {NULL, NULL},
};

/* 45/F0: the level 2 TLB missed too, pages of each size (PPR of family 17h, PMCx045). */
static const struct event_need zen1_needs[] = {
    {"ops_issued", "0x3aa"},
    {"op_cache_ops", "0x2aa"},
    {"decoder_ops", "0x1aa"},
    {"ops_issued_load", "0x129"},
    {"ops_issued_store", "0x229"},
    {"ops_retired", "0xc1"},
    {"branches_conditional", "0xd1"},
    {"branches_taken", "0xc4"},
    {"indirect_mispredicts", "0xca"},
    {"return_mispredicts", "0xc9"},
    {"btb_redirects", "0x91"},
    {"l1i_misses", "ic_cache_fill_l2"},
    {"itlb_l2_hits", "0x84"},
    {"dtlb_misses", "0xff45"},
    {"dtlb_l2_hits", "0xf45"},
    {"dtlb_walks", "0xf045"},
    {"l2_misses", "0x864"},
    {"store_forwards", "0x35"},
    {NULL, NULL},
};

static const struct event_need zen3_needs[] = {
    {"ops_issued", "0x3aa"},
    {"op_cache_ops", "0x2aa"},
    {"decoder_ops", "0x1aa"},
    {"op_cache_misses", "op_cache_hit_miss.op_cache_miss"},
    {"ops_issued_load", "0x129"},
    {"ops_issued_store", "0x229"},
    {"ops_retired", "ex_ret_ops"},
    {"branches_conditional", "ex_ret_cond"},
    {"branches_taken", "ex_ret_brn_tkn"},
    {"indirect_mispredicts", "ex_ret_brn_ind_misp"},
    {"return_mispredicts", "ex_ret_near_ret_mispred"},
    {"btb_redirects", "bp_de_redirect"},
    {"l1i_misses", "ic_tag_hit_miss.instruction_cache_miss"},
    {"itlb_l2_hits", "bp_l1_tlb_miss_l2_tlb_hit"},
    {"itlb_walks", "0xf85"},
    {"l1d_misses", "0x3f41"},
    {"dtlb_misses", "ls_l1_d_tlb_miss.all"},
    {"dtlb_l2_hits", "0xf45"},
    {"dtlb_walks", "0xf045"},
    {"l2_misses", "l2_cache_req_stat.ls_rd_blk_c"},
    {"store_forwards", "ls_stlf"},
    {"store_forwards_blocked", "ls_bad_status2.stli_other"},
    {"smis", "ls_smi_rx"},
    {NULL, NULL},
};

static const struct event_need zen4_needs[] = {
    {"ops_issued", "de_src_op_disp.all"},
    {"op_cache_ops", "0x2aa"},
    {"decoder_ops", "0x1aa"},
    {"loop_buffer_ops", "0x4aa"},
    {"ops_issued_int", "0x8ab"},
    {"ops_issued_vector", "0x4ab"},
    {"op_cache_misses", "op_cache_hit_miss.op_cache_miss"},
    {"ops_issued_load", "0x129"},
    {"ops_issued_store", "0x229"},
    {"ops_retired", "ex_ret_ops"},
    {"branches_conditional", "ex_ret_cond"},
    {"branches_taken", "ex_ret_brn_tkn"},
    {"indirect_mispredicts", "ex_ret_brn_ind_misp"},
    {"return_mispredicts", "ex_ret_near_ret_mispred"},
    {"btb_redirects", "bp_de_redirect"},
    {"l1i_misses", "ic_tag_hit_miss.instruction_cache_miss"},
    {"itlb_l2_hits", "bp_l1_tlb_miss_l2_tlb_hit"},
    {"itlb_walks", "0xf85"},
    {"l1d_misses", "0x3f41"},
    {"dtlb_misses", "ls_l1_d_tlb_miss.all"},
    {"dtlb_l2_hits", "0xf45"},
    {"dtlb_walks", "0xf045"},
    {"l2_misses", "l2_cache_req_stat.ls_rd_blk_c"},
    {"l1d_prefetches", "ls_hw_pf_dc_fills.all"},
    {"store_forwards", "ls_stlf"},
    {"store_forwards_blocked", "ls_bad_status2.stli_other"},
    {"smis", "ls_smi_rx"},
    {NULL, NULL},
};

static const struct event_need zen5_needs[] = {
    {"ops_issued", "de_src_op_disp.all"},
    {"op_cache_ops", "de_src_op_disp.op_cache"},
    {"decoder_ops", "de_src_op_disp.x86_decoder"},
    {"ops_issued_int", "de_dis_ops_from_decoder.any_integer_dispatch"},
    {"ops_issued_vector", "de_dis_ops_from_decoder.any_fp_dispatch"},
    {"loads_split", "ls_misal_loads.ma64"},
    {"op_cache_misses", "op_cache_hit_miss.op_cache_miss"},
    {"ops_issued_load", "ls_dispatch.ld_dispatch"},
    {"ops_issued_store", "ls_dispatch.store_dispatch"},
    {"ops_retired", "ex_ret_ops"},
    {"branches_conditional", "ex_ret_cond"},
    {"branches_taken", "ex_ret_brn_tkn"},
    {"indirect_mispredicts", "ex_ret_brn_ind_misp"},
    {"return_mispredicts", "ex_ret_near_ret_mispred"},
    {"btb_redirects", "bp_de_redirect"},
    {"l1i_misses", "ic_tag_hit_miss.instruction_cache_miss"},
    {"itlb_l2_hits", "bp_l1_tlb_miss_l2_tlb_hit"},
    {"itlb_walks", "bp_l1_tlb_miss_l2_tlb_miss.all"},
    {"l1d_misses", "ls_mab_alloc.load_store_allocations"},
    {"dtlb_misses", "ls_l1_d_tlb_miss.all"},
    {"dtlb_l2_hits", "0xf45"},
    {"dtlb_walks", "ls_l1_d_tlb_miss.all_l2_miss"},
    {"l2_misses", "l2_cache_req_stat.ls_rd_blk_c"},
    {"l1d_prefetches", "ls_hw_pf_dc_fills.all"},
    {"l2_prefetches", "l2_request_g1.l2_hw_pf"},
    {"store_forwards", "ls_stlf"},
    {"store_forwards_blocked", "ls_bad_status2.stli_other"},
    {"smis", "ls_smi_rx"},
    {NULL, NULL},
};

/* ---- Cores ----------------------------------------------------------------------------------------- */

#define OLD(known_as, table, rule_list, counters) \
    { \
        .name = known_as, .kind = COUNTERS_AMD, .packed = table, .needs = {common_needs, old_needs}, \
        .rules = rule_list, .slots = counters, .most = counters, .source = "libpfm4 4.13 (" table ")" \
    }

#define ZEN(known_as, table, row_list, need_list, told_by) \
    { \
        .name = known_as, .kind = COUNTERS_AMD, .packed = table, .rows = {zen_rows, row_list}, \
        .needs = {common_needs, need_list}, .rules = six_counters, .wide = LARGE_INCREMENTS, .slots = 0x3f, \
        .most = 0x3f, .source = told_by \
    }

static const struct event_core cores[] = {
    OLD("bulldozer", "amd64_fam15h_interlagos", bulldozer_rules, 0x3f),
    OLD("piledriver", "amd64_fam15h_interlagos", bulldozer_rules, 0x3f),
    OLD("steamroller", "amd64_fam15h_interlagos", bulldozer_rules, 0x3f),
    OLD("excavator", "amd64_fam15h_interlagos", bulldozer_rules, 0x3f),
    OLD("jaguar", "amd64_fam16h", four_counters, 0xf),
    OLD("puma", "amd64_fam16h", four_counters, 0xf),
    ZEN("zen1", "amd64_fam17h_zen1", zen1_rows, zen1_needs, "libpfm4 4.13 (amd64_fam17h_zen1); Linux 6.12, amdzen1"),
    ZEN("zen2", "amd64_fam17h_zen2", zen2_rows, zen1_needs, "libpfm4 4.13 (amd64_fam17h_zen2); Linux 6.12, amdzen2"),
    ZEN("zen3", "amd64_fam19h_zen3", zen3_rows, zen3_needs, "libpfm4 4.13 (amd64_fam19h_zen3); Linux 6.12, amdzen3"),
    ZEN("zen4", "amd64_fam19h_zen4", zen4_rows, zen4_needs, "libpfm4 4.13 (amd64_fam19h_zen4); Linux 6.12, amdzen4"),
    ZEN("zen5", NULL, zen5_rows, zen5_needs, "Linux 6.12, amdzen5"),
};

/* Any AMD core since family 17h has these four (APM vol. 2, 13.2.2; Linux, amd/core.c, amd_zen1_perfmon_event_map). */
static const struct event_core unknown = {
    .name = "an AMD core",
    .kind = COUNTERS_AMD,
    .rows = {unknown_rows},
    .needs = {common_needs},
    .rules = six_counters,
    .wide = LARGE_INCREMENTS,
    .slots = 0xf,
    .most = 0x3f,
    .source = "Linux 6.12, amd/core.c: events of every core since family 17h",
};

static const struct event_family amd = {
    .cores = cores,
    .count = sizeof cores / sizeof cores[0],
    .unknown = {&unknown},
    .packed = &packed_events_x86_64,
};

EVENT_FAMILY(amd);
