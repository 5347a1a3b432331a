/*
 * Intel's cores: which counters can count what, needs, and names that libpfm4 lacks.
 *
 * Sources. Counters: Linux 6.12, arch/x86/events/intel/core.c, its tables of event constraints and extra registers;
 * for Lion Cove and the Atom cores also the field Counter of Intel's event lists (github.com/intel/perfmon, 2026-08).
 * Our own rows: the same lists, of Alder Lake (Golden Cove, Gracemont), Granite Rapids (Redwood Cove) and Arrow Lake
 * (Lion Cove, Skymont).
 * Fixed counters: SDM vol. 3B, 20.2.2; Linux, arch/x86/include/asm/perf_event.h. Events of number 0 are Linux' way
 * to write what only a fixed counter counts; libpfm4 uses it too.
 */
#include "lib/counters/events/table.h"

enum { ALL = 0xffff };
#define ANY ANY_UMASK

#define ATOMS_FIXED FIXED(0) | FIXED(1) | FIXED(2)
#define CORES_FIXED ATOMS_FIXED | FIXED(3)

/* ---- Fixed counters ------------------------------------------------------------------------------ */

static const struct event_fixed fixed[] = {
    {FIXED(0), 0xc0, 0x00, false}, /* INST_RETIRED.ANY */
    {FIXED(1), 0x3c, 0x00, false}, /* CPU_CLK_UNHALTED.THREAD */
    {FIXED(0), 0x00, 0x01, true},
    {FIXED(1), 0x00, 0x02, true},
    {FIXED(2), 0x00, 0x03, true}, /* CPU_CLK_UNHALTED.REF_TSC */
    {FIXED(3), 0x00, 0x04, true}, /* TOPDOWN.SLOTS */
    {0},
};

/* From Ice Lake on C0/01, once the precise count of instructions, is an old name of fixed counter 0. */
static const struct event_fixed sunny_cove_fixed[] = {
    {FIXED(0), 0xc0, 0x00, false}, {FIXED(0), 0xc0, 0x01, true},
    {FIXED(1), 0x3c, 0x00, false}, {FIXED(0), 0x00, 0x01, true},
    {FIXED(1), 0x00, 0x02, true},  {FIXED(2), 0x00, 0x03, true},
    {FIXED(3), 0x00, 0x04, true},  {0},
};

/* Skymont and Darkmont have fixed counters 4, 5 and 6, and no 3. */
static const struct event_fixed skymont_fixed[] = {
    {FIXED(0), 0xc0, 0x00, false},
    {FIXED(1), 0x3c, 0x00, false},
    {FIXED(0), 0x00, 0x01, true},
    {FIXED(1), 0x00, 0x02, true},
    {FIXED(2), 0x00, 0x03, true},
    {FIXED(4), 0x00, 0x05, true}, /* TOPDOWN_BAD_SPECULATION.ALL */
    {FIXED(5), 0x00, 0x06, true}, /* TOPDOWN_FE_BOUND.ALL */
    {FIXED(6), 0x00, 0x07, true}, /* TOPDOWN_RETIRING.ALL */
    {0},
};

/* ---- Registers that events share ------------------------------------------------------------------ */

enum { OFFCORE_RSP_0 = 0x1a6, OFFCORE_RSP_1 = 0x1a7, LOAD_LATENCY = 0x3f6, FRONTEND = 0x3f7 };

static const struct event_register nehalem_registers[] = {
    {0xb7, 0x01, {OFFCORE_RSP_0, 0}, 0},
    {0x0b, 0x10, {LOAD_LATENCY, 0}, 0},
    {0},
};

/* Either register will do, each under an event number of its own. */
static const struct event_register westmere_registers[] = {{0xb7, 0x01, {OFFCORE_RSP_0, OFFCORE_RSP_1}, 0x01bb},
                                                           {0xbb, 0x01, {OFFCORE_RSP_1, OFFCORE_RSP_0}, 0x01b7},
                                                           {0x0b, 0x10, {LOAD_LATENCY, 0}, 0},
                                                           {0}};

static const struct event_register sandy_bridge_registers[] = {{0xb7, 0x01, {OFFCORE_RSP_0, OFFCORE_RSP_1}, 0x01bb},
                                                               {0xbb, 0x01, {OFFCORE_RSP_1, OFFCORE_RSP_0}, 0x01b7},
                                                               {0xcd, 0x01, {LOAD_LATENCY, 0}, 0},
                                                               {0}};

static const struct event_register skylake_registers[] = {
    {0xb7, 0x01, {OFFCORE_RSP_0, OFFCORE_RSP_1}, 0x01bb},
    {0xbb, 0x01, {OFFCORE_RSP_1, OFFCORE_RSP_0}, 0x01b7},
    {0xcd, 0x01, {LOAD_LATENCY, 0}, 0},
    {0xc6, 0x01, {FRONTEND, 0}, 0},
    {0},
};

static const struct event_register golden_cove_registers[] = {
    {0x2a, 0x01, {OFFCORE_RSP_0, OFFCORE_RSP_1}, 0x012b},
    {0x2b, 0x01, {OFFCORE_RSP_1, OFFCORE_RSP_0}, 0x012a},
    {0xcd, 0x01, {LOAD_LATENCY, 0}, 0},
    {0xc6, 0x01, {FRONTEND, 0}, 0},
    {0xad, 0x40, {FRONTEND, 0}, 0},
    {0xc2, 0x04, {FRONTEND, 0}, 0},
    {0},
};

static const struct event_register lion_cove_registers[] = {
    {0x2a, 0x01, {OFFCORE_RSP_0, OFFCORE_RSP_1}, 0x012b},
    {0x2b, 0x01, {OFFCORE_RSP_1, OFFCORE_RSP_0}, 0x012a},
    {0xcd, 0x01, {LOAD_LATENCY, 0}, 0},
    {0xc6, 0x02, {FRONTEND, 0}, 0},
    {0xc6, 0x03, {FRONTEND, 0}, 0},
    {0xad, 0x40, {FRONTEND, 0}, 0},
    {0xc2, 0x04, {FRONTEND, 0}, 0},
    {0},
};

/* The two registers of Atom cores and Knights Landing take different bits: no exchange. */
static const struct event_register atom_registers[] = {
    {0xb7, 0x01, {OFFCORE_RSP_0, 0}, 0},
    {0xb7, 0x02, {OFFCORE_RSP_1, 0}, 0},
    {0},
};

static const struct event_register gracemont_registers[] = {
    {0xb7, 0x01, {OFFCORE_RSP_0, 0}, 0},
    {0xb7, 0x02, {OFFCORE_RSP_1, 0}, 0},
    {0xd0, 0x05, {LOAD_LATENCY, 0}, 0},
    {0},
};

/* ---- Which counters: of several lines the first that fits; number 0 is for fixed ones alone ------------- */

static const struct event_rule nehalem_rules[] = {
    {0x00, 0x00, ANY, 0},   {0x40, 0x43, ANY, 0x3}, {0x48, 0x48, ANY, 0x3}, {0x4e, 0x4e, ANY, 0x3},
    {0x51, 0x51, ANY, 0x3}, {0x63, 0x63, ANY, 0x3}, {0, ALL, ANY, 0xf},
};

static const struct event_rule westmere_rules[] = {
    {0x00, 0x00, ANY, 0},   {0x51, 0x51, ANY, 0x3}, {0x63, 0x63, ANY, 0x3},
    {0x60, 0x60, ANY, 0x1}, {0xb3, 0xb3, ANY, 0x1}, {0, ALL, ANY, 0xf},
};

/* Counters 4 to 7 are there when the other hardware thread is off. */
static const struct event_rule sandy_bridge_rules[] = {
    {0x00, 0x00, ANY, 0},    {0x48, 0x48, ANY, 0x4}, {0xa3, 0xa3, 0x02, 0x4}, {0xa3, 0xa3, 0x06, 0x4},
    {0xc0, 0xc0, 0x01, 0x2}, {0xcd, 0xcd, ANY, 0x8}, {0xd0, 0xd3, ANY, 0xf},  {0, ALL, ANY, 0xff},
};

/* Ivy Bridge, Haswell, Broadwell. Linux asks for counter 3 for CD only on some of them; it is allowed on all. */
static const struct event_rule haswell_rules[] = {
    {0x00, 0x00, ANY, 0},    {0x48, 0x48, 0x01, 0x4}, {0xa3, 0xa3, 0x08, 0x4}, {0xa3, 0xa3, 0x0c, 0x4},
    {0xc0, 0xc0, 0x01, 0x2}, {0xcd, 0xcd, ANY, 0x8},  {0xd0, 0xd3, ANY, 0xf},  {0, ALL, ANY, 0xff},
};

static const struct event_rule skylake_rules[] = {
    {0x00, 0x00, ANY, 0},   {0xc0, 0xc0, 0x01, 0x2}, {0xc6, 0xc6, ANY, 0xf},
    {0xcd, 0xcd, ANY, 0xf}, {0xd0, 0xd2, ANY, 0xf},  {0, ALL, ANY, 0xff},
};

/* Ice Lake, Tiger Lake, Rocket Lake. */
static const struct event_rule sunny_cove_rules[] = {
    {0x00, 0x00, ANY, 0},     {0x03, 0x0a, ANY, 0xf}, {0x1f, 0x28, ANY, 0xf},   {0x32, 0x32, ANY, 0xf},
    {0x48, 0x56, ANY, 0xf},   {0x60, 0x8b, ANY, 0xf}, {0xa3, 0xa3, 0x04, 0xff}, {0xa3, 0xa3, 0x10, 0xff},
    {0xa3, 0xa3, 0x14, 0xff}, {0xa3, 0xa3, ANY, 0xf}, {0xa8, 0xb0, ANY, 0xf},   {0xb7, 0xbd, ANY, 0xf},
    {0xd0, 0xe6, ANY, 0xf},   {0xef, 0xef, ANY, 0xf}, {0xf0, 0xf4, ANY, 0xf},   {0, ALL, ANY, 0xff},
};

/* Golden, Raptor and Redwood Cove. */
static const struct event_rule golden_cove_rules[] = {
    {0x00, 0x00, ANY, 0},     {0x2e, 0x2e, ANY, 0xff},  {0x3c, 0x3c, ANY, 0xff}, {0x01, 0x8f, ANY, 0xf},
    {0xa3, 0xa3, 0x04, 0xff}, {0xa3, 0xa3, 0x10, 0xff}, {0xa3, 0xa3, ANY, 0xf},  {0xa4, 0xa4, 0x04, 0x1},
    {0xa4, 0xa4, 0x08, 0x1},  {0xcd, 0xcd, 0x01, 0xfe}, {0xcd, 0xcd, 0x02, 0x1}, {0xce, 0xce, ANY, 0x1},
    {0xd0, 0xdf, ANY, 0xf},   {0, ALL, ANY, 0xff},
};

static const struct event_rule lion_cove_rules[] = {
    {0x00, 0x00, ANY, 0},    {0x20, 0x20, ANY, 0xf},  {0x2a, 0x2b, 0x01, 0xf}, {0x48, 0x48, 0x01, 0x4},
    {0x75, 0x75, 0x01, 0x4}, {0xa3, 0xa3, 0x08, 0x4}, {0xa3, 0xa3, 0x0c, 0x4}, {0xa4, 0xa4, 0x04, 0x1},
    {0xa4, 0xa4, 0x08, 0x1}, {0xa4, 0xa4, 0x10, 0x8}, {0xb1, 0xb1, 0x01, 0x8}, {0xcd, 0xcd, 0x01, 0x3fc},
    {0xcd, 0xcd, 0x02, 0x3}, {0xd0, 0xdf, ANY, 0xf},  {0, ALL, ANY, 0x3ff},
};

static const struct event_rule two_counters[] = {{0x00, 0x00, ANY, 0}, {0, ALL, ANY, 0x3}};
static const struct event_rule four_counters[] = {{0x00, 0x00, ANY, 0}, {0, ALL, ANY, 0xf}};
/* Load latency, D0/05, on the first two. */
static const struct event_rule six_counters[] = {{0x00, 0x00, ANY, 0}, {0xd0, 0xd0, 0x05, 0x3}, {0, ALL, ANY, 0x3f}};
static const struct event_rule eight_counters[] = {{0x00, 0x00, ANY, 0}, {0xd0, 0xd0, 0x05, 0x3}, {0, ALL, ANY, 0xff}};

/* Any Intel core: what the eight architectural events may use is for the core to say. */
static const struct event_rule unknown_rules[] = {{0x00, 0x00, ANY, 0}, {0, ALL, ANY, UINT32_MAX}};

/* ---- Names that libpfm4 lacks --------------------------------------------------------------------- */

/* SDM vol. 3B, 20.2.1.2: the architectural events, which CPUID leaf 0AH says to be there or not. */
static const struct event_row architectural_rows[] = {
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
static const struct event_row sandy_bridge_rows[] = {
    {"branch_instruction_retired", 0x00c4, 0},
    {"branch_misses_retired", 0x00c5, 0},
    {NULL, 0, 0},
};

static const struct event_row reference_rows[] = {{"cpu_clk_unhalted.ref_tsc", 0x0300, 0}, {NULL, 0, 0}};

/* Names that libpfm4 has differently. */
static const struct event_row haswell_rows[] = {{"cpu_clk_unhalted.thread_p", 0x003c, 0}, {NULL, 0, 0}};

static const struct event_row skylake_rows[] = {
    {"cpu_clk_unhalted.thread_p", 0x003c, 0},
    {"icache_tag.stalls", 0x0483, 0},
    {NULL, 0, 0},
};

static const struct event_row sunny_cove_rows[] = {
    {"br_misp_retired.ret", 0x08c5, 0},         {"icache_data.stalls", 0x0480, 0},
    {"icache_tag.stalls", 0x0483, 0},           {"topdown.backend_bound_slots", 0x02a4, 0},
    {"topdown.br_mispredict_slots", 0x08a4, 0}, {NULL, 0, 0},
};

static const struct event_row golden_cove_rows[] = {
    {"baclears.any", 0x0160, 0},
    {"uops_retired.ms", 0x04c2, 0x8},
    {"int_misc.unknown_branch_cycles", 0x40ad, 0x7},
    {"topdown.backend_bound_slots", 0x02a4, 0},
    {"topdown.bad_spec_slots", 0x04a4, 0},
    {"topdown.br_mispredict_slots", 0x08a4, 0},
    {"topdown.memory_bound_slots", 0x10a4, 0},
    {NULL, 0, 0},
};

static const struct event_row goldmont_rows[] = {
    {"cpu_clk_unhalted.core_p", 0x003c, 0},
    {"cpu_clk_unhalted.ref", 0x013c, 0},
    {NULL, 0, 0},
};

/* Of execution and caches as in the list of Granite Rapids; of the front end what Golden Cove's has. */
static const struct event_row redwood_cove_rows[] = {
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

static const struct event_row lion_cove_rows[] = {
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
static const struct event_row gracemont_rows[] = {
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

static const struct event_row gracemont_only_rows[] = {
    {"machine_clears.smc", 0x1c3, 0},
    {"mem_load_uops_retired.l1_miss", 0x08d1, 0},
    {"mem_load_uops_retired.l2_miss", 0x10d1, 0},
    {"mem_load_uops_retired.l3_hit", 0x04d1, 0},
    {NULL, 0, 0},
};

static const struct event_row skymont_only_rows[] = {
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

/* ---- Needs ---------------------------------------------------------------------------------------- */

static const struct event_need common_needs[] = {
    {"cycles", "0x3c"},   {"reference_cycles", "0x300"}, {"instructions", "0xc0"},
    {"branches", "0xc4"}, {"mispredicts", "0xc5"},       {NULL, NULL},
};

/* The architectural event of mispredictions is wrong on Nehalem (Linux, intel/core.c, intel_nehalem_quirk). */
static const struct event_need nehalem_common_needs[] = {
    {"cycles", "0x3c"},   {"reference_cycles", "0x300"},       {"instructions", "0xc0"},
    {"branches", "0xc4"}, {"mispredicts", "br_misp_exec.any"}, {NULL, NULL},
};

static const struct event_need nehalem_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_retired", "uops_retired.retire_slots"},
    {"branches_conditional", "br_inst_retired.conditional"},
    {"btb_redirects", "baclear.clear"},
    {"l1i_misses", "l1i.misses"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"dtlb_misses", "dtlb_misses.any"},
    {"dtlb_walks", "dtlb_misses.walk_completed"},
    {"loads", "mem_inst_retired.loads"},
    {"stores", "mem_inst_retired.stores"},
    {"machine_clears_memory", "machine_clears.mem_order"},
    {"l2_prefetches", "l2_rqsts.prefetches"},
    {NULL, NULL},
};

static const struct event_need sandy_bridge_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_retired", "uops_retired.retire_slots"},
    {"branches_conditional", "br_inst_retired.conditional"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.conditional"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"l1i_misses", "icache.misses"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "l1d.replacement"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_uops_retired.all_loads"},
    {"stores", "mem_uops_retired.all_stores"},
    {"loads_split", "mem_uops_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"loads_aliased", "ld_blocks_partial.address_alias"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {"l2_prefetches", "l2_rqsts.all_pf"},
    {NULL, NULL},
};

static const struct event_need skylake_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_executed", "uops_executed.thread"},
    {"ops_retired", "uops_retired.retire_slots"},
    {"branches_conditional", "br_inst_retired.conditional"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.conditional"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"l1i_misses", "frontend_retired.l1i_miss"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "mem_load_retired.l1_miss"},
    {"l2_misses", "mem_load_retired.l2_miss"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_inst_retired.all_loads"},
    {"stores", "mem_inst_retired.all_stores"},
    {"loads_split", "mem_inst_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"loads_aliased", "ld_blocks_partial.address_alias"},
    {"machine_clears", "machine_clears.count"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {"l2_prefetches", "l2_rqsts.all_pf"},
    {NULL, NULL},
};

/* From Ice Lake on these events keep their names; Lion Cove lacks some. */
static const struct event_need lion_cove_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_issued_int", "uops_dispatched.int_eu_all"},
    {"ops_issued_load", "uops_dispatched.load"},
    {"ops_issued_store", "uops_dispatched.sta"},
    {"ops_issued_branch", "uops_dispatched.jmp"},
    {"ops_executed", "uops_executed.thread"},
    {"ops_retired", "uops_retired.slots"},
    {"branches_conditional", "br_inst_retired.cond"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.cond"},
    {"indirect_mispredicts", "br_misp_retired.indirect"},
    {"return_mispredicts", "br_misp_retired.ret"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "mem_load_retired.l1_miss"},
    {"l2_misses", "mem_load_retired.l2_miss"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_inst_retired.all_loads"},
    {"stores", "mem_inst_retired.all_stores"},
    {"loads_split", "mem_inst_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"machine_clears", "machine_clears.count"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {NULL, NULL},
};

static const struct event_need sunny_cove_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_executed", "uops_executed.thread"},
    {"ops_retired", "uops_retired.slots"},
    {"branches_conditional", "br_inst_retired.cond"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.cond"},
    {"indirect_mispredicts", "br_misp_retired.indirect"},
    {"return_mispredicts", "br_misp_retired.ret"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "mem_load_retired.l1_miss"},
    {"l2_misses", "mem_load_retired.l2_miss"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_inst_retired.all_loads"},
    {"stores", "mem_inst_retired.all_stores"},
    {"loads_split", "mem_inst_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"machine_clears", "machine_clears.count"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {"ops_issued_load", "uops_dispatched.port_2_3"},
    {"ops_issued_store", "uops_dispatched.port_7_8"},
    {"l1i_misses", "frontend_retired.l1i_miss"},
    {"loads_aliased", "ld_blocks_partial.address_alias"},
    {NULL, NULL},
};

static const struct event_need golden_cove_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_executed", "uops_executed.thread"},
    {"ops_retired", "uops_retired.slots"},
    {"branches_conditional", "br_inst_retired.cond"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.cond"},
    {"indirect_mispredicts", "br_misp_retired.indirect"},
    {"return_mispredicts", "br_misp_retired.ret"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "mem_load_retired.l1_miss"},
    {"l2_misses", "mem_load_retired.l2_miss"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_inst_retired.all_loads"},
    {"stores", "mem_inst_retired.all_stores"},
    {"loads_split", "mem_inst_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"machine_clears", "machine_clears.count"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {"ops_issued_load", "uops_dispatched.port_2_3_10"},
    {"ops_issued_store", "uops_dispatched.port_7_8"},
    {"l1i_misses", "frontend_retired.l1i_miss"},
    {"loads_aliased", "ld_blocks.address_alias"},
    {NULL, NULL},
};

static const struct event_need redwood_cove_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_executed", "uops_executed.thread"},
    {"ops_retired", "uops_retired.slots"},
    {"branches_conditional", "br_inst_retired.cond"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.cond"},
    {"indirect_mispredicts", "br_misp_retired.indirect"},
    {"return_mispredicts", "br_misp_retired.ret"},
    {"btb_redirects", "baclears.any"},
    {"loop_buffer_ops", "lsd.uops"},
    {"op_cache_ops", "idq.dsb_uops"},
    {"decoder_ops", "idq.mite_uops"},
    {"microcode_ops", "idq.ms_uops"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"l1d_misses", "mem_load_retired.l1_miss"},
    {"l2_misses", "mem_load_retired.l2_miss"},
    {"dtlb_l2_hits", "dtlb_load_misses.stlb_hit"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_inst_retired.all_loads"},
    {"stores", "mem_inst_retired.all_stores"},
    {"loads_split", "mem_inst_retired.split_loads"},
    {"store_forwards_blocked", "ld_blocks.store_forward"},
    {"machine_clears", "machine_clears.count"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {"ops_issued_load", "uops_dispatched.port_2_3_10"},
    {"ops_issued_store", "uops_dispatched.port_7_8"},
    {"loads_aliased", "ld_blocks.address_alias"},
    {NULL, NULL},
};

static const struct event_need silvermont_needs[] = {
    {"ops_retired", "uops_retired.any"},
    {"branches_conditional", "br_inst_retired.jcc"},
    {"conditional_mispredicts", "br_misp_retired.jcc"},
    {"return_mispredicts", "br_misp_retired.return"},
    {"btb_redirects", "baclears.all"},
    {"microcode_ops", "uops_retired.ms"},
    {"l1i_misses", "icache.misses"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {NULL, NULL},
};

static const struct event_need goldmont_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_retired", "uops_retired.any"},
    {"branches_conditional", "br_inst_retired.jcc"},
    {"conditional_mispredicts", "br_misp_retired.jcc"},
    {"indirect_mispredicts", "br_misp_retired.non_return_ind"},
    {"return_mispredicts", "br_misp_retired.return"},
    {"btb_redirects", "baclears.all"},
    {"microcode_ops", "uops_retired.ms"},
    {"l1i_misses", "icache.misses"},
    {"l1d_misses", "mem_load_uops_retired.l1_miss"},
    {"l2_misses", "mem_load_uops_retired.l2_miss"},
    {"loads", "mem_uops_retired.all_loads"},
    {"stores", "mem_uops_retired.all_stores"},
    {"loads_split", "mem_uops_retired.split_loads"},
    {"machine_clears", "machine_clears.all"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {NULL, NULL},
};

static const struct event_need gracemont_needs[] = {
    {"ops_issued", "uops_issued.any"},
    {"ops_retired", "uops_retired.all"},
    {"branches_conditional", "br_inst_retired.cond"},
    {"branches_taken", "br_inst_retired.near_taken"},
    {"conditional_mispredicts", "br_misp_retired.cond"},
    {"indirect_mispredicts", "br_misp_retired.indirect"},
    {"btb_redirects", "baclears.any"},
    {"microcode_ops", "uops_retired.ms"},
    {"l1i_misses", "icache.misses"},
    {"itlb_walks", "itlb_misses.walk_completed"},
    {"dtlb_walks", "dtlb_load_misses.walk_completed"},
    {"loads", "mem_uops_retired.all_loads"},
    {"stores", "mem_uops_retired.all_stores"},
    {"loads_split", "mem_uops_retired.split_loads"},
    {"machine_clears_memory", "machine_clears.memory_ordering"},
    {NULL, NULL},
};

/* ---- Cores ---------------------------------------------------------------------------------------- */

#define PFM "libpfm4 4.13"
#define ARCHITECTURE "Intel SDM vol. 3B, 20.2.1.2: architectural events"

/* What cores of a generation have in common; slots for one hardware thread of two. */
#define CORE(known_as, first_row, second_row, need_list, rule_list, fixed_list, register_list, table, told_by) \
    .name = known_as, .kind = COUNTERS_INTEL, .packed = table, .rows = {first_row, second_row}, \
    .needs = {common_needs, need_list}, .rules = rule_list, .fixed = fixed_list, .registers = register_list, \
    .source = told_by

static const struct event_core cores[] = {
    {.name = "nehalem",
     .kind = COUNTERS_INTEL,
     .packed = "nhm",
     .needs = {nehalem_common_needs, nehalem_needs},
     .rules = nehalem_rules,
     .fixed = fixed,
     .registers = nehalem_registers,
     .source = PFM " (nhm)",
     .slots = 0xf | ATOMS_FIXED,
     .most = 0xf | ATOMS_FIXED},
    {CORE("westmere", NULL, NULL, nehalem_needs, westmere_rules, fixed, westmere_registers, "wsm_dp", PFM " (wsm_dp)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("sandy-bridge", sandy_bridge_rows, NULL, sandy_bridge_needs, sandy_bridge_rules, fixed,
          sandy_bridge_registers, "snb", PFM " (snb)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("ivy-bridge", NULL, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers, "ivb",
          PFM " (ivb)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("haswell", haswell_rows, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers, "hsw",
          PFM " (hsw)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("broadwell", haswell_rows, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers, "bdw",
          PFM " (bdw)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skylake", skylake_rows, NULL, skylake_needs, skylake_rules, fixed, skylake_registers, "skl", PFM " (skl)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skylake-server", skylake_rows, NULL, skylake_needs, skylake_rules, fixed, skylake_registers, "skx",
          PFM " (skx)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("palm-cove", architectural_rows, NULL, NULL, unknown_rules, fixed, NULL, NULL, ARCHITECTURE),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("sunny-cove", sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed, skylake_registers,
          "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("willow-cove", sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed, skylake_registers,
          "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("cypress-cove", sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed,
          skylake_registers, "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("golden-cove", golden_cove_rows, NULL, golden_cove_needs, golden_cove_rules, sunny_cove_fixed,
          golden_cove_registers, "spr", PFM " (spr)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("raptor-cove", golden_cove_rows, NULL, golden_cove_needs, golden_cove_rules, sunny_cove_fixed,
          golden_cove_registers, "spr", PFM " (spr)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("redwood-cove", redwood_cove_rows, reference_rows, redwood_cove_needs, golden_cove_rules, sunny_cove_fixed,
          lion_cove_registers, NULL,
          "Intel's event lists of Granite Rapids and, for the front end, Golden Cove (perfmon)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("lion-cove", lion_cove_rows, reference_rows, lion_cove_needs, lion_cove_rules, sunny_cove_fixed,
          lion_cove_registers, NULL, "Intel's event list of Arrow Lake (perfmon)"),
     .slots = 0x3ff | CORES_FIXED, .most = 0x3ff | CORES_FIXED},
    {CORE("silvermont", NULL, NULL, silvermont_needs, two_counters, fixed, atom_registers, "slm", PFM " (slm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("airmont", NULL, NULL, silvermont_needs, two_counters, fixed, atom_registers, "slm", PFM " (slm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("goldmont", goldmont_rows, NULL, goldmont_needs, four_counters, fixed, atom_registers, "glm", PFM " (glm)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("goldmont-plus", goldmont_rows, NULL, goldmont_needs, four_counters, fixed, atom_registers, "glm",
          PFM " (glm)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("tremont", NULL, NULL, NULL, four_counters, fixed, atom_registers, "tmt", PFM " (tmt)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("gracemont", gracemont_rows, gracemont_only_rows, gracemont_needs, six_counters, fixed, gracemont_registers,
          NULL, "Intel's event list of Alder Lake (perfmon)"),
     .rows[2] = reference_rows, .slots = 0x3f | ATOMS_FIXED, .most = 0x3f | ATOMS_FIXED},
    {CORE("crestmont", gracemont_rows, reference_rows, gracemont_needs, eight_counters, fixed, gracemont_registers,
          NULL, "what Intel's lists of Gracemont and Skymont (perfmon) agree in"),
     .slots = 0xff | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skymont", gracemont_rows, skymont_only_rows, gracemont_needs, eight_counters, skymont_fixed,
          gracemont_registers, NULL, "Intel's event list of Arrow Lake (perfmon)"),
     .rows[2] = reference_rows, .slots = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6),
     .most = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6)},
    {CORE("darkmont", architectural_rows, NULL, NULL, eight_counters, skymont_fixed, gracemont_registers, NULL,
          ARCHITECTURE),
     .slots = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6),
     .most = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6)},
    {CORE("knights-landing", NULL, NULL, NULL, two_counters, fixed, atom_registers, "knl", PFM " (knl)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("knights-mill", NULL, NULL, NULL, two_counters, fixed, atom_registers, "knm", PFM " (knm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
};

static const struct event_core unknown = {
    CORE("an Intel core", architectural_rows, NULL, NULL, unknown_rules, fixed, NULL, NULL, ARCHITECTURE),
    .slots = 0x3 | ATOMS_FIXED,
    .most = UINT32_MAX | ATOMS_FIXED,
};

static const struct event_family intel = {
    .cores = cores,
    .count = sizeof cores / sizeof cores[0],
    .unknown = {&unknown},
    .packed = &packed_events_x86_64,
};

EVENT_FAMILY(intel);
