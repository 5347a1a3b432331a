#include "arch/x86_64/identify_caches.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Caches ---------------------------------------------------------------------------------------- */

struct cache_list {
    struct identity_cache *out;
    size_t count, room;
};

static void add_cache(struct cache_list *l, struct identity_cache c)
{
    if (c.bytes > 0 && l->count < l->room)
        l->out[l->count++] = c;
}

/*
 * Deterministic cache parameters: leaf 4 (Intel SDM vol. 2A, CPUID), and in the same layout leaf
 * 8000001DH where TOPOEXT, 80000001H ECX bit 22, says that it is there (AMD APM vol. 3, E.4.15).
 */
static void deterministic_caches(cpuid_source *ask, uint32_t leaf, const char *source, struct cache_list *l)
{
    static const unsigned holds[4] = {0, HOLDS_DATA, HOLDS_INSTRUCTIONS, HOLDS_DATA | HOLDS_INSTRUCTIONS};
    uint32_t r[4];

    for (uint32_t i = 0; i < 8; i++) {
        ask(leaf, i, r);
        unsigned type = r[EAX] & 0x1f;
        if (type == 0) /* no more caches */
            break;
        if (type >= 4) /* reserved */
            continue;
        unsigned ways = (r[EBX] >> 22) + 1, partitions = (r[EBX] >> 12 & 0x3ff) + 1, line = (r[EBX] & 0xfff) + 1;
        add_cache(l, (struct identity_cache){.level = r[EAX] >> 5 & 7,
                                             .holds = holds[type],
                                             .bytes = (uint64_t)ways * partitions * line * ((uint64_t)r[ECX] + 1),
                                             .ways = ways,
                                             .line_bytes = line,
                                             .source = source});
    }
}

/*
 * AMD APM vol. 3, E.4.4 and E.4.5: sizes in KiB, of the third level in units of 512 KiB. The ways are a number for
 * the first level and a code for the others; where a cache is fully associative or the code is not exact, they are
 * not declared.
 */
static void amd_caches(cpuid_source *ask, struct cache_list *l)
{
    static const unsigned ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
    uint32_t last = cpuid_last_leaf(ask, CPUID_EXTENDED), r[4];

    for (unsigned i = ECX; i <= EDX && last >= 0x80000005; i++) {
        ask(0x80000005, 0, r);
        add_cache(l, (struct identity_cache){.level = 1,
                                             .holds = i == ECX ? HOLDS_DATA : HOLDS_INSTRUCTIONS,
                                             .bytes = (uint64_t)(r[i] >> 24) << 10,
                                             .ways = (r[i] >> 16 & 0xff) == 0xff ? 0 : r[i] >> 16 & 0xff,
                                             .line_bytes = r[i] & 0xff,
                                             .source = "cpuid.80000005"});
    }
    for (unsigned i = ECX; i <= EDX && last >= 0x80000006; i++) {
        ask(0x80000006, 0, r);
        add_cache(
            l, (struct identity_cache){.level = i == ECX ? 2 : 3,
                                       .holds = HOLDS_DATA | HOLDS_INSTRUCTIONS,
                                       .bytes = i == ECX ? (uint64_t)(r[i] >> 16) << 10 : (uint64_t)(r[i] >> 18) << 19,
                                       .ways = ways[r[i] >> 12 & 0xf],
                                       .line_bytes = r[i] & 0xff,
                                       .source = "cpuid.80000006"});
    }
}

size_t identify_caches_from(cpuid_source *ask, struct identity_cache *out, size_t room)
{
    struct cache_list l = {.out = out, .room = room};
    uint32_t r[4] = {0};

    if (cpuid_last_leaf(ask, CPUID_EXTENDED) >= 0x8000001d)
        ask(0x80000001, 0, r);
    if (r[ECX] & 1u << 22)
        deterministic_caches(ask, 0x8000001d, "cpuid.8000001d", &l);
    else if (cpuid_vendor(ask) == 'A')
        amd_caches(ask, &l);
    else if (cpuid_last_leaf(ask, 0) >= 4)
        deterministic_caches(ask, 4, "cpuid.4", &l);
    return l.count;
}

/* ---- TLBs ------------------------------------------------------------------------------------------ */

struct tlb_list {
    struct identity_tlb *out;
    size_t count, room;
};

static void add_tlb(struct tlb_list *l, struct identity_tlb t)
{
    if (t.entries > 0 && l->count < l->room)
        l->out[l->count++] = t;
}

/*
 * Leaf 18H, deterministic address translation parameters (Intel SDM vol. 2A, CPUID): EBX has a bit for each page
 * size and the ways, ECX the sets, EDX type and level. 4M pages do not exist in 64-bit mode.
 */
static void intel_tlbs(cpuid_source *ask, struct tlb_list *l)
{
    static const struct {
        uint32_t bit;
        const char *page;
    } pages[] = {{1u << 0, "4k"}, {1u << 1, "2m"}, {1u << 3, "1g"}};
    enum { TYPE_DATA = 1, TYPE_INSTRUCTION, TYPE_UNIFIED, TYPE_LOAD, TYPE_STORE };
    uint32_t r[4], last;

    if (cpuid_last_leaf(ask, 0) < 0x18)
        return;
    ask(0x18, 0, r);
    last = r[EAX] < 31 ? r[EAX] : 31;
    for (uint32_t i = 0; i <= last; i++) {
        ask(0x18, i, r);
        unsigned type = r[EDX] & 0x1f;
        if (type == 0 || type > TYPE_STORE) /* subleaf not in use, or reserved */
            continue;
        struct identity_tlb t = {.level = r[EDX] >> 5 & 7,
                                 .holds = type == TYPE_UNIFIED       ? HOLDS_DATA | HOLDS_INSTRUCTIONS
                                          : type == TYPE_INSTRUCTION ? HOLDS_INSTRUCTIONS
                                                                     : HOLDS_DATA,
                                 .loads = type != TYPE_STORE,
                                 .stores = type != TYPE_LOAD,
                                 .entries = (r[EBX] >> 16) * r[ECX],
                                 .array = i + 1,
                                 .source = "cpuid.18"};
        for (size_t j = 0; j < sizeof(pages) / sizeof(pages[0]); j++)
            if (r[EBX] & pages[j].bit) {
                t.page = pages[j].page;
                add_tlb(l, t);
            }
    }
}

static void add_amd_pair(struct tlb_list *l, unsigned level, const char *page, unsigned data, unsigned instruction,
                         bool unified, const char *source)
{
    struct identity_tlb t = {.level = level, .page = page, .source = source, .loads = true, .stores = true};

    t.holds = HOLDS_DATA;
    t.entries = data;
    add_tlb(l, t);
    t.holds = unified ? HOLDS_DATA | HOLDS_INSTRUCTIONS : HOLDS_INSTRUCTIONS;
    t.entries = instruction;
    add_tlb(l, t);
}

/*
 * AMD APM vol. 3, E.4.4, E.4.5 and E.4.12. Leaf 80000005H has eight bits for the entries of each first level:
 * data in [23:16], instruction in [7:0]; EAX for 2M pages, EBX for 4K. Leaf 80000006H (second level) and 80000019H
 * (1G pages; first level in EAX, second in EBX) have twelve, [27:16] and [11:0], below an associativity of which 0
 * means disabled. In 80000006H an upper half of 0 means that the lower half is of both.
 */
static void amd_tlbs(cpuid_source *ask, struct tlb_list *l)
{
    uint32_t last = cpuid_last_leaf(ask, CPUID_EXTENDED), r[4];

    if (last >= 0x80000005) {
        ask(0x80000005, 0, r);
        add_amd_pair(l, 1, "4k", r[EBX] >> 16 & 0xff, r[EBX] & 0xff, false, "cpuid.80000005");
        add_amd_pair(l, 1, "2m", r[EAX] >> 16 & 0xff, r[EAX] & 0xff, false, "cpuid.80000005");
    }
    for (uint32_t leaf = 0x80000006; leaf <= 0x80000019; leaf += 0x13) {
        bool second = leaf == 0x80000006;
        if (last < leaf)
            continue;
        ask(leaf, 0, r);
        for (unsigned i = EAX; i <= EBX; i++) {
            unsigned data = r[i] >> 28 ? r[i] >> 16 & 0xfff : 0, instruction = r[i] >> 12 & 0xf ? r[i] & 0xfff : 0;
            const char *page = !second ? "1g" : i == EAX ? "2m" : "4k";
            add_amd_pair(l, second || i == EBX ? 2 : 1, page, data, instruction, second && r[i] >> 16 == 0,
                         second ? "cpuid.80000006" : "cpuid.80000019");
        }
    }
}

size_t identify_tlbs_from(cpuid_source *ask, struct identity_tlb *out, size_t room)
{
    struct tlb_list l = {.out = out, .room = room};

    switch (cpuid_vendor(ask)) {
    case 'I': intel_tlbs(ask, &l); break;
    case 'A': amd_tlbs(ask, &l); break;
    default: break;
    }
    return l.count;
}
