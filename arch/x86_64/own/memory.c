/* Memory that windows see in the high half. */
#include "arch/frames.h"
#include "arch/own.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/page_tables.h"
#include "arch/x86_64/own/state.h"

/* CPUID.80000001H:EDX[26] (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, E.4.2). */
static bool has_1g_pages(void)
{
    return cpuid_known(0x80000001, 0).edx >> 26 & 1;
}

void own_page_sizes(size_t out[10])
{
    size_t n = 0;

    out[n++] = PAGE_4K;
    out[n++] = PAGE_2M;
    if (has_1g_pages())
        out[n++] = PAGE_1G;
    out[n] = 0;
}

static bool is_ram(uint64_t base, uint64_t bytes)
{
    for (size_t i = 0; i < own.services->ram_count && bytes > 0; i++) {
        const struct own_range *r = &own.services->ram[i];

        if (base >= r->base && base - r->base < r->bytes) {
            const uint64_t here = r->bytes - (base - r->base);
            const uint64_t taken = here < bytes ? here : bytes;

            base += taken;
            bytes -= taken;
        }
    }
    return bytes == 0;
}

size_t own_group_bytes(size_t page_bytes)
{
    (void)page_bytes;
    return 0;
}

const char *own_map(uint64_t physical, const size_t *frames, size_t bytes, size_t page_bytes, enum area_use use,
                    uintptr_t *at)
{
    size_t sizes[10];
    size_t i = 0;

    if (use == AREA_CONTIGUOUS)
        return "x86-64 has no contiguous hint";
    own_page_sizes(sizes);
    while (sizes[i] != 0 && sizes[i] != page_bytes)
        i++;
    if (sizes[i] == 0)
        return "this core has no pages of that size";
    if (bytes == 0 || (bytes | physical) & (page_bytes - 1))
        return "not a whole number of pages";
    for (size_t page = 0; frames && page < bytes / page_bytes; page++)
        if (frames[page] != NO_FRAME && !is_ram(physical + frames[page] * page_bytes, page_bytes))
            return "not all of it is memory";
    if (!frames && !is_ram(physical, bytes))
        return "not all of it is memory";
    return page_tables_map(&own.tables, physical, frames, bytes, page_bytes, use == AREA_CODE, at);
}

/* Loading CR3 for the next window invalidates the TLB, and then the core sets the cleared bits again. */
const char *own_accessed(uintptr_t at, size_t pages, size_t page_bytes, bool *accessed)
{
    for (size_t i = 0; i < pages; i++)
        accessed[i] = page_tables_accessed(&own.tables, at + i * page_bytes, page_bytes);
    return NULL;
}

void own_unmap_all(void)
{
    page_tables_unmap_all(&own.tables);
}

void own_code_written(const void *base, size_t bytes)
{
    /*
     * Caches are coherent. Code written at another linear address than it runs at needs a serialising
     * instruction before it runs (Intel SDM vol. 3A, 12.6); entering a window has several, LTR and the
     * load of CR3 among them (9.3).
     */
    (void)base, (void)bytes;
}
