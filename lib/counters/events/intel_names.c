/*
 * Names of Intel's events that libpfm4 lacks, or has differently. The sources are those of intel.c.
 */
#include "lib/counters/events/intel_names.h"

/* SDM vol. 3B, 20.2.1.2: the architectural events, which CPUID leaf 0AH says to be there or not. */
const struct event_row intel_architectural_rows[] = {
    {"unhalted_core_cycles", 0x003c, 0},
    {"instruction_retired", 0x00c0, 0},
    {"unhalted_reference_cycles", 0x0300, 0},
    {"llc_reference", 0x4f2e, 0},
    {"llc_misses", 0x412e, 0},
    {"branch_instruction_retired", 0x00c4, 0},
    {"branch_misses_retired", 0x00c5, 0},
    {NULL, 0, 0},
};

/* Not in libpfm4's tables of Sandy Bridge. */
const struct event_row intel_sandy_bridge_rows[] = {
    {"branch_instruction_retired", 0x00c4, 0},
    {"branch_misses_retired", 0x00c5, 0},
    {NULL, 0, 0},
};

const struct event_row intel_reference_rows[] = {{"cpu_clk_unhalted.ref_tsc", 0x0300, 0}, {NULL, 0, 0}};

/* Names that libpfm4 has differently. */
const struct event_row intel_haswell_rows[] = {{"cpu_clk_unhalted.thread_p", 0x003c, 0}, {NULL, 0, 0}};

const struct event_row intel_skylake_rows[] = {
    {"cpu_clk_unhalted.thread_p", 0x003c, 0},
    {"icache_tag.stalls", 0x0483, 0},
    {NULL, 0, 0},
};

const struct event_row intel_sunny_cove_rows[] = {
    {"br_misp_retired.ret", 0x08c5, 0},         {"icache_data.stalls", 0x0480, 0},
    {"icache_tag.stalls", 0x0483, 0},           {"topdown.backend_bound_slots", 0x02a4, 0},
    {"topdown.br_mispredict_slots", 0x08a4, 0}, {NULL, 0, 0},
};

const struct event_row intel_golden_cove_rows[] = {
    {"baclears.any", 0x0160, 0},
    {"uops_retired.ms", 0x04c2, 0x8},
    {"int_misc.unknown_branch_cycles", 0x40ad, 0x7},
    {"topdown.backend_bound_slots", 0x02a4, 0},
    {"topdown.bad_spec_slots", 0x04a4, 0},
    {"topdown.br_mispredict_slots", 0x08a4, 0},
    {"topdown.memory_bound_slots", 0x10a4, 0},
    {NULL, 0, 0},
};

const struct event_row intel_goldmont_rows[] = {
    {"cpu_clk_unhalted.core_p", 0x003c, 0},
    {"cpu_clk_unhalted.ref", 0x013c, 0},
    {NULL, 0, 0},
};

/* Of execution and caches as in the list of Granite Rapids; of the front end what Golden Cove's has. */
const struct event_row intel_redwood_cove_rows[] = {
    {"cpu_clk_unhalted.thread_p", 0x3c, 0},
    {"inst_retired.any_p", 0xc0, 0},
    {"uops_issued.any", 0x1ae, 0},
    {"uops_executed.thread", 0x1b1, 0},
    {"uops_retired.slots", 0x2c2, 0},
    {"idq.dsb_uops", 0x879, 0},
    {"idq.mite_uops", 0x479, 0},
    {"idq.ms_uops", 0x2079, 0},
    {"lsd.uops", 0x1a8, 0},
    {"dsb2mite_switches.penalty_cycles", 0x261, 0},
    {"idq_bubbles.core", 0x19c, 0},
    {"resource_stalls.sb", 0x8a2, 0},
    {"uops_dispatched.port_0", 0x1b2, 0},
    {"uops_dispatched.port_1", 0x2b2, 0},
    {"uops_dispatched.port_2_3_10", 0x4b2, 0},
    {"uops_dispatched.port_4_9", 0x10b2, 0},
    {"uops_dispatched.port_5_11", 0x20b2, 0},
    {"uops_dispatched.port_6", 0x40b2, 0},
    {"uops_dispatched.port_7_8", 0x80b2, 0},
    {"br_inst_retired.all_branches", 0xc4, 0},
    {"br_inst_retired.near_taken", 0x20c4, 0},
    {"br_inst_retired.cond", 0x11c4, 0},
    {"br_misp_retired.all_branches", 0xc5, 0},
    {"br_misp_retired.cond", 0x11c5, 0},
    {"br_misp_retired.indirect", 0x80c5, 0},
    {"br_misp_retired.ret", 0x8c5, 0},
    {"baclears.any", 0x160, 0},
    {"int_misc.clear_resteer_cycles", 0x80ad, 0},
    {"machine_clears.count", 0x10401c3, 0},
    {"machine_clears.memory_ordering", 0x2c3, 0},
    {"machine_clears.smc", 0x4c3, 0},
    {"mem_inst_retired.all_loads", 0x81d0, 0},
    {"mem_inst_retired.all_stores", 0x82d0, 0},
    {"mem_inst_retired.split_loads", 0x41d0, 0},
    {"mem_load_retired.l1_hit", 0x1d1, 0},
    {"mem_load_retired.l1_miss", 0x8d1, 0},
    {"mem_load_retired.l2_hit", 0x2d1, 0},
    {"mem_load_retired.l2_miss", 0x10d1, 0},
    {"mem_load_retired.l3_hit", 0x4d1, 0},
    {"mem_load_retired.fb_hit", 0x40d1, 0},
    {"l1d.replacement", 0x151, 0},
    {"l1d_pend_miss.pending", 0x148, 0},
    {"l1d_pend_miss.fb_full", 0x248, 0},
    {"l2_rqsts.all_demand_data_rd", 0xe124, 0},
    {"l2_rqsts.demand_data_rd_miss", 0x2124, 0},
    {"l2_lines_in.all", 0x1f25, 0},
    {"ld_blocks.address_alias", 0x403, 0},
    {"ld_blocks.store_forward", 0x8203, 0},
    {"dtlb_load_misses.stlb_hit", 0x2012, 0},
    {"dtlb_load_misses.walk_completed", 0xe12, 0},
    {"dtlb_load_misses.walk_active", 0x1001012, 0},
    {"itlb_misses.walk_completed", 0xe11, 0},
    {"icache_data.stalls", 0x480, 0},
    {"icache_tag.stalls", 0x483, 0},
    {"arith.div_active", 0x10009b0, 0},
    {"assists.any", 0x1bc1, 0},
    {"uops_retired.ms", 0x4c2, 0x8},
    {"int_misc.unknown_branch_cycles", 0x40ad, 0x7},
    {"topdown.slots", 0x400, 0},
    {"topdown.slots_p", 0x1a4, 0},
    {"topdown.backend_bound_slots", 0x2a4, 0},
    {"topdown.bad_spec_slots", 0x4a4, 0},
    {"topdown.br_mispredict_slots", 0x8a4, 0},
    {"topdown.memory_bound_slots", 0x10a4, 0},
    {NULL, 0, 0},
};

const struct event_row intel_lion_cove_rows[] = {
    {"cpu_clk_unhalted.thread_p", 0x3c, 0},
    {"inst_retired.any_p", 0xc0, 0},
    {"uops_issued.any", 0x1ae, 0},
    {"uops_executed.thread", 0x1b1, 0},
    {"uops_retired.slots", 0x2c2, 0},
    {"idq.dsb_uops", 0x879, 0},
    {"idq.mite_uops", 0x479, 0},
    {"idq.ms_uops", 0x2079, 0},
    {"lsd.uops", 0x1a8, 0},
    {"dsb2mite_switches.penalty_cycles", 0x261, 0},
    {"br_inst_retired.all_branches", 0xc4, 0},
    {"br_inst_retired.near_taken", 0x20c4, 0},
    {"br_inst_retired.cond", 0x100000011c4, 0},
    {"br_misp_retired.all_branches", 0xc5, 0},
    {"br_misp_retired.cond", 0x100000011c5, 0},
    {"br_misp_retired.indirect", 0x80c5, 0},
    {"br_misp_retired.ret", 0x8c5, 0},
    {"baclears.any", 0x160, 0},
    {"int_misc.clear_resteer_cycles", 0x80ad, 0},
    {"machine_clears.count", 0x10401c3, 0},
    {"machine_clears.memory_ordering", 0x2c3, 0},
    {"machine_clears.smc", 0x4c3, 0},
    {"mem_inst_retired.all_loads", 0x81d0, 0},
    {"mem_inst_retired.all_stores", 0x82d0, 0},
    {"mem_inst_retired.split_loads", 0x41d0, 0},
    {"mem_load_retired.l1_hit", 0x100000001d1, 0},
    {"mem_load_retired.l1_miss", 0x8d1, 0},
    {"mem_load_retired.l2_hit", 0x2d1, 0},
    {"mem_load_retired.l2_miss", 0x10d1, 0},
    {"mem_load_retired.l3_hit", 0x4d1, 0},
    {"mem_load_retired.fb_hit", 0x40d1, 0},
    {"l1d.replacement", 0x551, 0},
    {"l2_rqsts.all_demand_data_rd", 0xe124, 0},
    {"l2_rqsts.demand_data_rd_miss", 0x2124, 0},
    {"l2_lines_in.all", 0x1f25, 0},
    {"ld_blocks.store_forward", 0x8203, 0},
    {"dtlb_load_misses.stlb_hit", 0x30000002012, 0},
    {"dtlb_load_misses.walk_completed", 0xe12, 0},
    {"dtlb_load_misses.walk_active", 0x1001012, 0},
    {"itlb_misses.walk_completed", 0xe11, 0},
    {"icache_data.stalls", 0x480, 0},
    {"icache_tag.stalls", 0x483, 0},
    {"frontend_retired.any_dsb_miss", 0x3c6, 1},
    {"arith.div_active", 0x10009b0, 0},
    {"assists.any", 0x1fc1, 0},
    {"uops_dispatched.int_eu_all", 0x01b2, 0},
    {"uops_dispatched.alu", 0x02b2, 0},
    {"uops_dispatched.load", 0x04b2, 0},
    {"uops_dispatched.slow", 0x08b2, 0},
    {"uops_dispatched.std", 0x10b2, 0},
    {"uops_dispatched.shift", 0x20b2, 0},
    {"uops_dispatched.jmp", 0x40b2, 0},
    {"uops_dispatched.sta", 0x80b2, 0},
    {NULL, 0, 0},
};

/* In the lists of Gracemont and of Skymont alike. */
const struct event_row intel_gracemont_rows[] = {
    {"cpu_clk_unhalted.thread_p", 0x3c, 0},
    {"inst_retired.any_p", 0xc0, 0},
    {"uops_issued.any", 0xe, 0},
    {"br_inst_retired.all_branches", 0xc4, 0},
    {"br_inst_retired.near_taken", 0xc0c4, 0},
    {"br_inst_retired.cond", 0x7ec4, 0},
    {"br_misp_retired.all_branches", 0xc5, 0},
    {"br_misp_retired.cond", 0x7ec5, 0},
    {"br_misp_retired.indirect", 0xebc5, 0},
    {"baclears.any", 0x1e6, 0},
    {"machine_clears.memory_ordering", 0x2c3, 0},
    {"dtlb_load_misses.walk_completed", 0xe08, 0},
    {"itlb_misses.walk_completed", 0xe85, 0},
    {"icache.misses", 0x280, 0},
    {"arith.div_active", 0x10003cd, 0},
    {"uops_retired.all", 0x00c2, 0},
    {"uops_retired.ms", 0x01c2, 0},
    {"mem_uops_retired.all_loads", 0x81d0, 0},
    {"mem_uops_retired.all_stores", 0x82d0, 0},
    {"mem_uops_retired.split_loads", 0x41d0, 0},
    {"mem_load_uops_retired.l1_hit", 0x01d1, 0},
    {"mem_load_uops_retired.l2_hit", 0x02d1, 0},
    {NULL, 0, 0},
};

const struct event_row intel_gracemont_only_rows[] = {
    {"machine_clears.smc", 0x1c3, 0},
    {"mem_load_uops_retired.l1_miss", 0x08d1, 0},
    {"mem_load_uops_retired.l2_miss", 0x10d1, 0},
    {"mem_load_uops_retired.l3_hit", 0x04d1, 0},
    {NULL, 0, 0},
};

const struct event_row intel_skymont_only_rows[] = {
    {"ld_blocks.store_forward", 0x203, 0},
    {"dtlb_load_misses.stlb_hit", 0x2008, 0},
    {"mem_load_uops_retired.l1_miss", 0x40d1, 0},
    {"mem_load_uops_retired.l2_miss", 0x80d1, 0},
    {"mem_load_uops_retired.l3_hit", 0x1cd1, 0},
    {"topdown_bad_speculation.all", 0x0500, 0},
    {"topdown_fe_bound.all", 0x0600, 0},
    {"topdown_retiring.all", 0x0700, 0},
    {NULL, 0, 0},
};
