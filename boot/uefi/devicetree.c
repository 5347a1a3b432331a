#include "boot/uefi/devicetree.h"

#include <string.h>

enum { MAGIC = (int)0xd00dfeed, HEADER_BYTES = 40 };
enum { BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, NOP = 4, END = 9 };
enum { DEPTH = 3 }; /* of nodes that are read: the root; /cpus and /psci; /cpus/cpu@N */

static uint32_t big32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Reads the structure block token by token; every bound is checked. */
struct walk {
    const uint8_t *at, *end;
    const char *strings;
    size_t string_bytes;

    uint32_t token;
    const char *name;     /* of the node or property */
    const uint8_t *value; /* of the property */
    size_t bytes;
};

static bool walk_start(struct walk *w, const uint8_t *tree, size_t bytes)
{
    if (bytes < HEADER_BYTES || big32(tree) != (uint32_t)MAGIC)
        return false;
    size_t structure = big32(tree + 8), strings = big32(tree + 12);
    size_t string_bytes = big32(tree + 32), structure_bytes = big32(tree + 36);
    if (structure > bytes || structure_bytes > bytes - structure || strings > bytes || string_bytes > bytes - strings)
        return false;
    *w = (struct walk){.at = tree + structure,
                       .end = tree + structure + structure_bytes,
                       .strings = (const char *)tree + strings,
                       .string_bytes = string_bytes};
    return true;
}

/* Moves on by that many bytes, rounded up to a multiple of four. False where the block ends before. */
static bool skip(struct walk *w, size_t bytes)
{
    size_t padded = (bytes + 3) & ~(size_t)3;

    if (padded < bytes || padded > (size_t)(w->end - w->at))
        return false;
    w->at += padded;
    return true;
}

/*
 * Moves to the next beginning of a node, end of a node, or property. False at the end, and where the tree is invalid.
 */
static bool next(struct walk *w)
{
    do {
        if (w->end - w->at < 4)
            return false;
        w->token = big32(w->at);
        w->at += 4;
    } while (w->token == NOP);

    if (w->token == BEGIN_NODE) {
        w->name = (const char *)w->at;
        const char *end = memchr(w->at, 0, (size_t)(w->end - w->at));
        return end && skip(w, (size_t)(end - w->name) + 1);
    }
    if (w->token == PROPERTY) {
        if (w->end - w->at < 8)
            return false;
        w->bytes = big32(w->at);
        size_t name = big32(w->at + 4);
        w->at += 8;
        w->value = w->at;
        if (name >= w->string_bytes || !memchr(w->strings + name, 0, w->string_bytes - name))
            return false;
        w->name = w->strings + name;
        return skip(w, w->bytes);
    }
    return w->token == END_NODE;
}

static bool is(const struct walk *w, const char *name)
{
    return w->token == PROPERTY && !strcmp(w->name, name);
}

/* Whether the property is this text, or a list of texts that begins with it. */
static bool has_text(const struct walk *w, const char *text)
{
    return w->bytes > strlen(text) && !memcmp(w->value, text, strlen(text) + 1);
}

static uint32_t number(const struct walk *w)
{
    return w->bytes == 4 ? big32(w->value) : 0;
}

/* A property of one or two cells. */
static uint64_t address(const struct walk *w)
{
    return w->bytes == 8 ? (uint64_t)big32(w->value) << 32 | big32(w->value + 4) : number(w);
}

/* Whether a node has that name, with or without an @ and an address behind it. */
static bool is_node(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return !strncmp(name, wanted, length) && (name[length] == 0 || name[length] == '@');
}

size_t devicetree_bytes(const void *tree)
{
    return big32(tree) == (uint32_t)MAGIC ? big32((const uint8_t *)tree + 4) : 0;
}

/* What has been read of a cpu node. */
struct cpu {
    struct listed_core core;
    bool has_address, is_cpu, psci, spins;
};

static void read_property(const struct walk *w, struct cpu *c)
{
    if (is(w, "reg")) {
        c->core.affinity = address(w);
        c->has_address = w->bytes == 4 || w->bytes == 8;
    } else if (is(w, "device_type")) {
        c->is_cpu = has_text(w, "cpu");
    } else if (is(w, "capacity-dmips-mhz")) {
        c->core.rank = number(w);
    } else if (is(w, "enable-method")) {
        c->psci = has_text(w, "psci");
        c->spins = has_text(w, "spin-table");
    } else if (is(w, "numa-node-id")) {
        c->core.has_node = w->bytes == 4;
        c->core.node = number(w);
    } else if (is(w, "cpu-release-addr")) {
        c->core.release = address(w);
    } else if (is(w, "status") && !has_text(w, "okay") && !has_text(w, "ok")) {
        c->core.why_not = "the firmware has disabled it (device tree)";
    }
}

static const char *why_not(const struct cpu *c)
{
    if (c->core.why_not)
        return c->core.why_not;
    if (c->spins && !c->core.release)
        return "the device tree does not say where its spin table is";
    return c->psci || c->spins ? NULL : "the device tree does not say how to start it";
}

size_t devicetree_cores(const void *tree, size_t bytes, struct listed_core *out, size_t room)
{
    struct walk w;
    struct cpu cpu = {0};
    bool in_cpus = false;
    unsigned depth = 0;
    size_t count = 0;

    if (!walk_start(&w, tree, bytes))
        return 0;
    while (next(&w)) {
        if (w.token == BEGIN_NODE) {
            depth++;
            if (depth == 2)
                in_cpus = is_node(w.name, "cpus");
            if (depth == DEPTH)
                cpu = (struct cpu){.is_cpu = is_node(w.name, "cpu")};
        } else if (w.token == END_NODE) {
            if (depth == DEPTH && in_cpus && cpu.is_cpu && cpu.has_address && count++ < room) {
                out[count - 1] = cpu.core;
                out[count - 1].why_not = why_not(&cpu);
                out[count - 1].release = cpu.spins ? cpu.core.release : 0;
            }
            if (depth-- == 0)
                break;
        } else if (depth == DEPTH) {
            read_property(&w, &cpu);
        }
    }
    return count;
}

/* Whether a list of texts, each ended by 0, has that one. */
static bool lists_text(const struct walk *w, const char *text)
{
    const size_t length = strlen(text) + 1;

    for (size_t at = 0; at < w->bytes && length <= w->bytes - at;) {
        const uint8_t *end = memchr(w->value + at, 0, w->bytes - at);
        if (!end)
            return false;
        if (!memcmp(w->value + at, text, length))
            return true;
        at = (size_t)(end - w->value) + 1;
    }
    return false;
}

/* All properties of a node stand before the nodes in it (5.4.2), so those between two other tokens are of one node. */
const void *devicetree_property(const void *tree, size_t bytes, const char *compatible, const char *name,
                                size_t *length)
{
    struct walk w;
    bool here = false;
    const void *value = NULL;

    if (!walk_start(&w, tree, bytes))
        return NULL;
    while (next(&w)) {
        if (w.token != PROPERTY) {
            if (here)
                return value;
            value = NULL;
            continue;
        }
        here |= is(&w, "compatible") && lists_text(&w, compatible);
        if (is(&w, name)) {
            value = w.value;
            *length = w.bytes;
        }
    }
    return NULL;
}

const char *devicetree_psci(const void *tree, size_t bytes)
{
    struct walk w;
    bool in_psci = false;
    unsigned depth = 0;

    if (!walk_start(&w, tree, bytes))
        return NULL;
    while (next(&w)) {
        if (w.token == BEGIN_NODE) {
            if (++depth == 2)
                in_psci = is_node(w.name, "psci");
        } else if (w.token == END_NODE) {
            if (depth-- == 0)
                break;
        } else if (depth == 2 && in_psci && is(&w, "method")) {
            return has_text(&w, "smc") ? "smc" : has_text(&w, "hvc") ? "hvc" : NULL;
        }
    }
    return NULL;
}

/* ---- The interrupt controller ----------------------------------------------------------------------------- */

enum { LEVELS = 8 /* of nodes within nodes, with room to spare */ };

/* A node on the way from the root to the present one. */
struct node {
    uint32_t address_cells, size_cells, interrupt_cells;
    struct value {
        const uint8_t *at; /* NULL: it has no such property */
        size_t bytes;
    } ranges, reg, interrupts, names;
    unsigned gic_version;
    bool is_timer, disabled;
};

/* Whether one of the texts of the property is this one; *index is its place. */
static bool lists(struct value v, const char *text, unsigned *index)
{
    *index = 0;
    for (size_t at = 0; at < v.bytes; (*index)++) {
        const uint8_t *end = memchr(v.at + at, 0, v.bytes - at);

        if (!end)
            return false;
        if (!strcmp((const char *)v.at + at, text))
            return true;
        at = (size_t)(end - v.at) + 1;
    }
    return false;
}

/*
 * Which version of GIC it is compatible with (Linux, Documentation/devicetree/bindings/interrupt-controller); 0: none.
 */
static unsigned gic_version(struct value compatible)
{
    static const char *const second[] = {"arm,gic-400", "arm,cortex-a15-gic", "arm,cortex-a7-gic"};
    unsigned unused;

    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
        if (lists(compatible, second[i], &unused))
            return 2;
    return lists(compatible, "arm,gic-v3", &unused) ? 3 : 0;
}

static void read_node_property(const struct walk *w, struct node *n)
{
    const struct value v = {w->value, w->bytes};
    unsigned unused;

    if (is(w, "#address-cells"))
        n->address_cells = number(w);
    else if (is(w, "#size-cells"))
        n->size_cells = number(w);
    else if (is(w, "#interrupt-cells"))
        n->interrupt_cells = number(w);
    else if (is(w, "ranges"))
        n->ranges = v;
    else if (is(w, "reg"))
        n->reg = v;
    else if (is(w, "interrupts"))
        n->interrupts = v;
    else if (is(w, "interrupt-names"))
        n->names = v;
    else if (is(w, "status"))
        n->disabled = !has_text(w, "okay") && !has_text(w, "ok");
    else if (is(w, "compatible")) {
        n->gic_version = gic_version(v);
        n->is_timer = lists(v, "arm,armv8-timer", &unused) || lists(v, "arm,armv7-timer", &unused);
    }
}

/* A number of that many cells, at most two of which count. Moves *v behind it. False where it is too short. */
static bool take(struct value *v, uint32_t cells, uint64_t *out)
{
    *out = 0;
    if (!v->at || cells > v->bytes / 4)
        return false;
    for (uint32_t i = 0; i < cells; i++)
        *out = *out << 32 | big32(v->at + (size_t)4 * i);
    v->at += (size_t)4 * cells;
    v->bytes -= (size_t)4 * cells;
    return true;
}

/* From an address in the space of nodes[depth] to one of the whole machine (Devicetree Specification 0.4, 2.3.8). */
static bool translate(const struct node *nodes, unsigned depth, uint64_t *address)
{
    for (; depth > 1; depth--) { /* 1: the root */
        const struct node *n = &nodes[depth], *above = n - 1;
        struct value ranges = n->ranges;
        bool found = ranges.at && !ranges.bytes; /* empty: the same addresses */
        uint64_t from, to, size;

        while (!found && take(&ranges, n->address_cells, &from) && take(&ranges, above->address_cells, &to) &&
               take(&ranges, n->size_cells, &size) && ranges.at != n->ranges.at)
            if (*address >= from && *address - from < size) {
                *address += to - from;
                found = true;
            }
        if (!found)
            return false;
    }
    return true;
}

/* The distributor, then the CPU interface, or regions of redistributors as long as their sizes are theirs. */
static void read_gic(const struct node *nodes, unsigned depth, struct own_interrupts *out)
{
    const struct node *n = &nodes[depth], *above = n - 1;
    struct own_interrupts found = {.gic_version = n->gic_version, .virtual_timer = out->virtual_timer};
    struct value reg = n->reg;
    uint64_t address, size;
    size_t blocks = 0;

    for (; blocks <= OWN_REDISTRIBUTORS && reg.bytes && take(&reg, above->address_cells, &address) &&
           take(&reg, above->size_cells, &size) && translate(nodes, depth - 1, &address);
         blocks++)
        if (blocks == 0)
            found.distributor = address;
        else if (found.gic_version == 2 && blocks == 1)
            found.cpu_interface = address;
        else if (found.gic_version == 3)
            found.redistributors[blocks - 1] = (struct own_range){address, size};
    if (blocks >= 2)
        *out = found;
}

/*
 * The virtual timer's entry is the one of that name, else the third one. It is of type 1, a private interrupt, whose
 * numbers begin at 16. An entry has as many cells as the interrupt controller says, three or more.
 */
static unsigned virtual_timer(const struct node *timer, uint32_t cells)
{
    unsigned index = 2;
    struct value v = timer->interrupts;
    uint64_t type, number = 0, rest;

    if (timer->names.at && !lists(timer->names, "virt", &index))
        return 0;
    for (unsigned i = 0; i <= index; i++)
        if (cells < 3 || !take(&v, 1, &type) || !take(&v, 1, &number) || !take(&v, cells - 2, &rest))
            return 0;
    return type == 1 && number < 16 ? (unsigned)number + 16 : 0;
}

void devicetree_interrupts(const void *tree, size_t bytes, struct own_interrupts *out)
{
    struct walk w;
    struct node nodes[LEVELS + 1] = {0}, timer = {0}; /* nodes[1] is the root */
    unsigned depth = 0;
    uint32_t cells = 0;

    if (!walk_start(&w, tree, bytes))
        return;
    while (next(&w)) {
        struct node *n = depth <= LEVELS ? &nodes[depth] : NULL;

        if (w.token == BEGIN_NODE) {
            if (++depth <= LEVELS)
                nodes[depth] = (struct node){.address_cells = 2, .size_cells = 1}; /* 2.3.5 */
        } else if (w.token == PROPERTY) {
            if (n)
                read_node_property(&w, n);
        } else {
            if (n && depth > 1 && n->gic_version && !n->disabled && !out->gic_version) {
                read_gic(nodes, depth, out);
                cells = n->interrupt_cells;
            } else if (n && n->is_timer && !n->disabled) {
                timer = *n;
            }
            if (depth-- <= 1)
                break;
        }
    }
    const unsigned id = virtual_timer(&timer, cells);
    out->virtual_timer = id ? id : out->virtual_timer;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------ */

/* What has been read of a node of memory. */
struct memory {
    struct value reg;
    bool is_memory, has_node, disabled;
    uint32_t node;
};

/* Adds its ranges. Returns how many there are now. */
static size_t add_ranges(const struct memory *m, uint32_t address_cells, uint32_t size_cells, struct srat_memory *out,
                         size_t room, size_t count)
{
    struct value reg = m->reg;
    uint64_t base, bytes;

    while (address_cells + size_cells > 0 && take(&reg, address_cells, &base) && take(&reg, size_cells, &bytes))
        if (bytes && base + bytes > base && count++ < room)
            out[count - 1] = (struct srat_memory){.base = base, .bytes = bytes, .node = m->node};
    return count;
}

size_t devicetree_memory(const void *tree, size_t bytes, struct srat_memory *out, size_t room)
{
    struct walk w;
    struct memory m = {0};
    uint32_t address_cells = 2, size_cells = 1; /* 2.3.5 */
    unsigned depth = 0;
    size_t count = 0;

    if (!walk_start(&w, tree, bytes))
        return 0;
    while (next(&w)) {
        if (w.token == BEGIN_NODE) {
            if (++depth == 2)
                m = (struct memory){0};
        } else if (w.token == END_NODE) {
            if (depth == 2 && m.is_memory && m.has_node && !m.disabled)
                count = add_ranges(&m, address_cells, size_cells, out, room, count);
            if (depth-- <= 1)
                break;
        } else if (depth == 1 && is(&w, "#address-cells")) {
            address_cells = number(&w) & 0xff;
        } else if (depth == 1 && is(&w, "#size-cells")) {
            size_cells = number(&w) & 0xff;
        } else if (depth == 2 && is(&w, "reg")) {
            m.reg = (struct value){w.value, w.bytes};
        } else if (depth == 2 && is(&w, "device_type")) {
            m.is_memory = has_text(&w, "memory");
        } else if (depth == 2 && is(&w, "numa-node-id")) {
            m.has_node = w.bytes == 4;
            m.node = number(&w);
        } else if (depth == 2 && is(&w, "status")) {
            m.disabled = !has_text(&w, "okay") && !has_text(&w, "ok");
        }
    }
    return count;
}

unsigned devicetree_distance(const void *tree, size_t bytes, uint32_t from, uint32_t to)
{
    enum { ENTRY = 12 }; /* two nodes and their distance */
    size_t length = 0;
    const uint8_t *entry = devicetree_property(tree, bytes, "numa-distance-map-v1", "distance-matrix", &length);
    unsigned distance = from == to && entry ? 10 : 0;

    for (; entry && length >= ENTRY; entry += ENTRY, length -= ENTRY) {
        if (big32(entry) == from && big32(entry + 4) == to)
            return big32(entry + 8);
        if (big32(entry) == to && big32(entry + 4) == from) /* also that way, unless another entry says otherwise */
            distance = big32(entry + 8);
    }
    return distance;
}

/* ---- For the support file ------------------------------------------------------------------------ */

/*
 * Whether the value of a property must not be published. Of /chosen only where the console is may be: it takes the
 * boot arguments, and seeds for random numbers (Linux, Documentation/devicetree/bindings/chosen.yaml in dt-schema).
 * Elsewhere names that contain one of these words: `serial-number` of the root (Devicetree Specification 0.4,
 * 3.2), addresses in networks (the same, 4.2; Linux, bindings/net/bluetooth), and what boards put beside them, such as
 * the Raspberry Pi's `linux,serial` and `hat/uuid`. `serial0` and the like of /aliases name a device, and stay.
 */
static bool is_private(const struct walk *w, bool in_chosen)
{
    static const char *const words[] = {"serial-number", "serial_number", "linux,serial", "uuid",
                                        "mac-address",   "bd-address",    "asset-tag",    "bootargs",
                                        "password",      "seed",          "calibration"};

    if (in_chosen)
        return strcmp(w->name, "stdout-path") != 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(w->name, words[i]))
            return true;
    return false;
}

/* The bytes of the map of reserved memory, with the pair of zeros that ends it; 0 where it has no end. */
static size_t reservations_bytes(const uint8_t *tree, size_t at, size_t bytes)
{
    static const uint8_t none[16];

    for (size_t end = at + sizeof none; at >= HEADER_BYTES && end <= bytes; end += sizeof none)
        if (!memcmp(tree + end - sizeof none, none, sizeof none))
            return end - at;
    return 0;
}

/* Zeroes what lies in no block: libraries that edit trees leave old values there. Returns where the last block ends. */
static size_t clear_gaps(uint8_t *tree, size_t bytes)
{
    size_t end = 0;
    const size_t blocks[4][2] = {{0, HEADER_BYTES},
                                 {big32(tree + 16), reservations_bytes(tree, big32(tree + 16), bytes)},
                                 {big32(tree + 8), big32(tree + 36)},
                                 {big32(tree + 12), big32(tree + 32)}};

    for (size_t at = 0; at < bytes; at++) {
        bool used = false;
        for (size_t i = 0; i < 4; i++)
            used |= at >= blocks[i][0] && at - blocks[i][0] < blocks[i][1];
        if (!used)
            tree[at] = 0;
        else
            end = at + 1;
    }
    return end;
}

size_t devicetree_strip(uint8_t *tree, size_t bytes)
{
    struct walk w;
    bool in_chosen = false;
    unsigned depth = 0;

    if (!walk_start(&w, tree, bytes))
        return 0;
    while (next(&w)) {
        if (w.token == BEGIN_NODE) {
            if (++depth == 2)
                in_chosen = is_node(w.name, "chosen");
        } else if (w.token == END_NODE) {
            if (depth-- == 0)
                return 0;
        } else if (is_private(&w, depth >= 2 && in_chosen)) {
            memset(tree + (w.value - tree), 0, w.bytes);
        }
    }
    if (w.token != END || depth != 0)
        return 0;
    memset(tree + (w.at - tree), 0, (size_t)(w.end - w.at));
    bytes = clear_gaps(tree, bytes);
    for (unsigned i = 0; i < 4; i++) /* the size in the header */
        tree[4 + i] = (uint8_t)(bytes >> (24 - 8 * i));
    return bytes;
}
