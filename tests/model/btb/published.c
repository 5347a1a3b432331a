#include "tests/model/btb/published.h"

#include <math.h>

#define STEPS(array) .steps = (array), .count = sizeof(array) / sizeof(array)[0]

/* ---- Neoverse V1 --------------------------------------------------------------------------------
 *
 * Unconditional: half a cycle up to 96 branches, then one; 4 bytes apart one cycle "to nearly 64", then 5 to 6 cycles.
 * Conditional: one cycle up to 48, then two. Conditional and unconditional in turn: as unconditional. L1I: 64 KiB.
 */
static const struct published_step v1_nano[] = {
    {BRANCH_CHAIN_UNCOND, 8, 16, 96, 0.5, 0.02},       {BRANCH_CHAIN_UNCOND, 8, 128, 4096, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 16, 16, 96, 0.5, 0.02},      {BRANCH_CHAIN_UNCOND, 16, 128, 2048, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 32, 16, 96, 0.5, 0.02},      {BRANCH_CHAIN_UNCOND, 32, 128, 1024, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 64, 16, 96, 0.5, 0.02},      {BRANCH_CHAIN_UNCOND, 64, 128, 512, 1, 0.04},
    {BRANCH_CHAIN_COND_UNCOND, 8, 16, 96, 0.5, 0.02},  {BRANCH_CHAIN_COND_UNCOND, 8, 128, 4096, 1, 0.04},
    {BRANCH_CHAIN_COND_UNCOND, 32, 16, 96, 0.5, 0.02}, {BRANCH_CHAIN_COND_UNCOND, 32, 128, 1024, 1, 0.04},
    {BRANCH_CHAIN_COND, 8, 16, 48, 1, 0.04},           {BRANCH_CHAIN_COND, 8, 64, 4096, 2, 0.08},
    {BRANCH_CHAIN_COND, 16, 16, 48, 1, 0.04},          {BRANCH_CHAIN_COND, 16, 64, 2048, 2, 0.08},
    {BRANCH_CHAIN_COND, 32, 16, 48, 1, 0.04},          {BRANCH_CHAIN_COND, 32, 64, 1024, 2, 0.08},
    {BRANCH_CHAIN_COND, 64, 16, 48, 1, 0.04},          {BRANCH_CHAIN_COND, 64, 64, 512, 2, 0.08},
};
const struct published published_v1_nano = {"V1, up to the L1I's size", 65536, STEPS(v1_nano)};

/*
 * The steps of the main level, as hit or miss. They end at 8192 for 8, 16 and, of conditional branches, 32 bytes, and
 * at 4096 for 64; at 4 bytes it never hits. Of unconditional branches 32 bytes apart the step ends somewhere behind
 * 8192. The cycles are those that no other structure adds to: 1 and 2, and 5 to 6 for a miss.
 */
static const struct published_step v1_main[] = {
    {BRANCH_CHAIN_UNCOND, 4, 128, 8192, 5.5, 0.25},     {BRANCH_CHAIN_UNCOND, 8, 128, 8192, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 8, 16384, 16384, 5.5, 0.25},  {BRANCH_CHAIN_UNCOND, 16, 128, 8192, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 16, 16384, 16384, 5.5, 0.25}, {BRANCH_CHAIN_UNCOND, 32, 128, 8192, 1, 0.04},
    {BRANCH_CHAIN_UNCOND, 64, 128, 4096, 1, 0.04},      {BRANCH_CHAIN_UNCOND, 64, 8192, 8192, 5.5, 0.25},
    {BRANCH_CHAIN_COND, 8, 128, 8192, 2, 0.08},         {BRANCH_CHAIN_COND, 8, 16384, 16384, 5.5, 0.25},
    {BRANCH_CHAIN_COND, 16, 128, 8192, 2, 0.08},        {BRANCH_CHAIN_COND, 16, 16384, 16384, 5.5, 0.25},
    {BRANCH_CHAIN_COND, 32, 128, 8192, 2, 0.08},        {BRANCH_CHAIN_COND, 32, 16384, 16384, 5.5, 0.25},
    {BRANCH_CHAIN_COND, 64, 128, 4096, 2, 0.08},        {BRANCH_CHAIN_COND, 64, 8192, 8192, 5.5, 0.25},
};
const struct published published_v1_main = {"V1, main level hit or miss", INFINITY, STEPS(v1_main)};

/*
 * Not explained in the article: unconditional branches become a little slower behind 4096, 2048 and 1024 branches at
 * 8, 16 and 32 bytes. 1.2 cycles stand for "a little". At 64 bytes there is one step of one cycle, up to 1024.
 */
static const struct published_step v1_decline[] = {
    {BRANCH_CHAIN_UNCOND, 8, 128, 4096, 1, 0.02},  {BRANCH_CHAIN_UNCOND, 8, 8192, 8192, 1.2, 0.05},
    {BRANCH_CHAIN_UNCOND, 16, 128, 2048, 1, 0.02}, {BRANCH_CHAIN_UNCOND, 16, 4096, 4096, 1.2, 0.05},
    {BRANCH_CHAIN_UNCOND, 32, 128, 1024, 1, 0.02}, {BRANCH_CHAIN_UNCOND, 32, 2048, 2048, 1.2, 0.05},
    {BRANCH_CHAIN_UNCOND, 64, 128, 1024, 1, 0.02},
};
const struct published published_v1_decline = {"V1, the decline", INFINITY, STEPS(v1_decline)};

/* ---- Neoverse N1 --------------------------------------------------------------------------------
 *
 * Unconditional; conditional branches are said to behave alike. One cycle up to 16 branches, two up to 80. Then, by the
 * stride, 5 cycles (4 bytes), 2.75 up to 4096 (8 bytes), 2.5 (16 bytes), 2 (32 bytes and more); main level up to 6144
 * at 16 and 32 bytes, 3122 (of 3072) at 64, 1536 at 128. Its step is entered as hit or miss, as above.
 */
static const struct published_step n1_small[] = {
    {BRANCH_CHAIN_UNCOND, 4, 8, 16, 1, 0.02},        {BRANCH_CHAIN_UNCOND, 4, 32, 80, 2, 0.04},
    {BRANCH_CHAIN_UNCOND, 4, 128, 4096, 5, 0.2},     {BRANCH_CHAIN_UNCOND, 8, 8, 16, 1, 0.02},
    {BRANCH_CHAIN_UNCOND, 8, 32, 80, 2, 0.04},       {BRANCH_CHAIN_UNCOND, 8, 128, 4096, 2.75, 0.05},
    {BRANCH_CHAIN_UNCOND, 16, 8, 16, 1, 0.02},       {BRANCH_CHAIN_UNCOND, 16, 32, 80, 2, 0.04},
    {BRANCH_CHAIN_UNCOND, 16, 128, 2048, 2.5, 0.05},
};
const struct published published_n1_small = {"N1, up to the L1I's size", 65536, STEPS(n1_small)};

static const struct published_step n1_main[] = {
    {BRANCH_CHAIN_UNCOND, 4, 128, 4096, 5, 0.2},    {BRANCH_CHAIN_UNCOND, 8, 128, 4096, 2.75, 0.1},
    {BRANCH_CHAIN_UNCOND, 8, 8192, 8192, 5, 0.2},   {BRANCH_CHAIN_UNCOND, 16, 128, 6144, 2.5, 0.1},
    {BRANCH_CHAIN_UNCOND, 16, 8192, 8192, 5, 0.2},  {BRANCH_CHAIN_UNCOND, 32, 128, 6144, 2, 0.1},
    {BRANCH_CHAIN_UNCOND, 32, 8192, 8192, 5, 0.2},  {BRANCH_CHAIN_UNCOND, 64, 128, 3072, 2, 0.1},
    {BRANCH_CHAIN_UNCOND, 64, 4096, 4096, 5, 0.2},  {BRANCH_CHAIN_UNCOND, 128, 128, 1536, 2, 0.1},
    {BRANCH_CHAIN_UNCOND, 128, 2048, 2048, 5, 0.2}, {BRANCH_CHAIN_COND, 4, 128, 4096, 5, 0.2},
    {BRANCH_CHAIN_COND, 8, 128, 4096, 2.75, 0.1},   {BRANCH_CHAIN_COND, 8, 8192, 8192, 5, 0.2},
    {BRANCH_CHAIN_COND, 16, 128, 6144, 2.5, 0.1},   {BRANCH_CHAIN_COND, 16, 8192, 8192, 5, 0.2},
    {BRANCH_CHAIN_COND, 32, 128, 6144, 2, 0.1},     {BRANCH_CHAIN_COND, 32, 8192, 8192, 5, 0.2},
};
const struct published published_n1_main = {"N1, main level hit or miss", INFINITY, STEPS(n1_main)};
