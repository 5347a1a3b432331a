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
#include "lib/counters/events/intel_names.h"
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

/* On Atom cores and Knights Landing the two registers take different bits: neither can stand for the other. */
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
    {CORE("sandy-bridge", intel_sandy_bridge_rows, NULL, sandy_bridge_needs, sandy_bridge_rules, fixed,
          sandy_bridge_registers, "snb", PFM " (snb)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("ivy-bridge", NULL, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers, "ivb",
          PFM " (ivb)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("haswell", intel_haswell_rows, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers, "hsw",
          PFM " (hsw)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("broadwell", intel_haswell_rows, NULL, sandy_bridge_needs, haswell_rules, fixed, sandy_bridge_registers,
          "bdw", PFM " (bdw)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skylake", intel_skylake_rows, NULL, skylake_needs, skylake_rules, fixed, skylake_registers, "skl",
          PFM " (skl)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skylake-server", intel_skylake_rows, NULL, skylake_needs, skylake_rules, fixed, skylake_registers, "skx",
          PFM " (skx)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("palm-cove", intel_architectural_rows, NULL, NULL, unknown_rules, fixed, NULL, NULL, ARCHITECTURE),
     .slots = 0xf | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("sunny-cove", intel_sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed,
          skylake_registers, "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("willow-cove", intel_sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed,
          skylake_registers, "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("cypress-cove", intel_sunny_cove_rows, NULL, sunny_cove_needs, sunny_cove_rules, sunny_cove_fixed,
          skylake_registers, "icl", PFM " (icl)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("golden-cove", intel_golden_cove_rows, NULL, golden_cove_needs, golden_cove_rules, sunny_cove_fixed,
          golden_cove_registers, "spr", PFM " (spr)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("raptor-cove", intel_golden_cove_rows, NULL, golden_cove_needs, golden_cove_rules, sunny_cove_fixed,
          golden_cove_registers, "spr", PFM " (spr)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("redwood-cove", intel_redwood_cove_rows, intel_reference_rows, redwood_cove_needs, golden_cove_rules,
          sunny_cove_fixed, lion_cove_registers, NULL,
          "Intel's event lists of Granite Rapids and, for the front end, Golden Cove (perfmon)"),
     .slots = 0xff | CORES_FIXED, .most = 0xff | CORES_FIXED},
    {CORE("lion-cove", intel_lion_cove_rows, intel_reference_rows, lion_cove_needs, lion_cove_rules, sunny_cove_fixed,
          lion_cove_registers, NULL, "Intel's event list of Arrow Lake (perfmon)"),
     .slots = 0x3ff | CORES_FIXED, .most = 0x3ff | CORES_FIXED},
    {CORE("silvermont", NULL, NULL, silvermont_needs, two_counters, fixed, atom_registers, "slm", PFM " (slm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("airmont", NULL, NULL, silvermont_needs, two_counters, fixed, atom_registers, "slm", PFM " (slm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("goldmont", intel_goldmont_rows, NULL, goldmont_needs, four_counters, fixed, atom_registers, "glm",
          PFM " (glm)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("goldmont-plus", intel_goldmont_rows, NULL, goldmont_needs, four_counters, fixed, atom_registers, "glm",
          PFM " (glm)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("tremont", NULL, NULL, NULL, four_counters, fixed, atom_registers, "tmt", PFM " (tmt)"),
     .slots = 0xf | ATOMS_FIXED, .most = 0xf | ATOMS_FIXED},
    {CORE("gracemont", intel_gracemont_rows, intel_gracemont_only_rows, gracemont_needs, six_counters, fixed,
          gracemont_registers, NULL, "Intel's event list of Alder Lake (perfmon)"),
     .rows[2] = intel_reference_rows, .slots = 0x3f | ATOMS_FIXED, .most = 0x3f | ATOMS_FIXED},
    {CORE("crestmont", intel_gracemont_rows, intel_reference_rows, gracemont_needs, eight_counters, fixed,
          gracemont_registers, NULL, "what Intel's lists of Gracemont and Skymont (perfmon) agree in"),
     .slots = 0xff | ATOMS_FIXED, .most = 0xff | ATOMS_FIXED},
    {CORE("skymont", intel_gracemont_rows, intel_skymont_only_rows, gracemont_needs, eight_counters, skymont_fixed,
          gracemont_registers, NULL, "Intel's event list of Arrow Lake (perfmon)"),
     .rows[2] = intel_reference_rows, .slots = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6),
     .most = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6)},
    {CORE("darkmont", intel_architectural_rows, NULL, NULL, eight_counters, skymont_fixed, gracemont_registers, NULL,
          ARCHITECTURE),
     .slots = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6),
     .most = 0xff | ATOMS_FIXED | FIXED(4) | FIXED(5) | FIXED(6)},
    {CORE("knights-landing", NULL, NULL, NULL, two_counters, fixed, atom_registers, "knl", PFM " (knl)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
    {CORE("knights-mill", NULL, NULL, NULL, two_counters, fixed, atom_registers, "knm", PFM " (knm)"),
     .slots = 0x3 | ATOMS_FIXED, .most = 0x3 | ATOMS_FIXED},
};

static const struct event_core unknown = {
    CORE("an Intel core", intel_architectural_rows, NULL, NULL, unknown_rules, fixed, NULL, NULL, ARCHITECTURE),
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
