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
    } else if (is(w, "status") && !has_text(w, "okay") && !has_text(w, "ok")) {
        c->core.why_not = "the firmware has disabled it (device tree)";
    }
}

static const char *why_not(const struct cpu *c)
{
    if (c->core.why_not)
        return c->core.why_not;
    if (c->spins)
        return "it waits at a spin table: once started it could not be given back to the firmware";
    return c->psci ? NULL : "the device tree does not say how to start it";
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
            }
            if (depth-- == 0)
                break;
        } else if (depth == DEPTH) {
            read_property(&w, &cpu);
        }
    }
    return count;
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
