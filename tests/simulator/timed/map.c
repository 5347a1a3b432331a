/* The memory of a modelled core around the whole program, in place of tests/model/core_map.c: all that Unicorn has. */
#include "tests/model/core_state.h"

static struct mapping everything = {.count = SIZE_MAX, .page_bytes = PAGE_BYTES};

struct mapping *mapping_of(struct core *c, uint64_t address)
{
    (void)c, (void)address;
    return &everything;
}

uint32_t mapping_decode(const struct mapping *m, uint64_t offset)
{
    /* code may change without a sign, so that nothing is remembered by its address */
    uint8_t bytes[LONGEST_INSTRUCTION + 1] = {0};
    (void)m;

    if (uc_mem_read(core_engine(), offset, bytes, sizeof bytes) == UC_ERR_OK)
        return decode(bytes, sizeof bytes);
    const size_t room = PAGE_BYTES - offset % PAGE_BYTES; /* nothing is mapped behind this page */
    return room < sizeof bytes && uc_mem_read(core_engine(), offset, bytes, room) == UC_ERR_OK ? decode(bytes, room)
                                                                                               : 0;
}

size_t frame_offset(const struct mapping *m, uint64_t address)
{
    (void)m;
    return address;
}

uint64_t frame_address(const struct mapping *m, uint64_t address)
{
    (void)m;
    return address;
}

uint64_t physical(const struct core *c, uint64_t address)
{
    (void)c;
    return address;
}

/* Unmapping is Unicorn's business here. */
void core_unmap(struct core *c, uint64_t at)
{
    (void)c, (void)at;
}

void core_map(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code)
{
    (void)c, (void)at, (void)bytes, (void)count, (void)code;
}
