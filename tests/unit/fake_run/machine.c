/* The machine of tests of a run: nothing is executed, and everything is recorded. */
#include "lib/base/record.h"
#include "tests/unit/fake_run/fake_run.h"
#include "tests/unit/no_counters.h"

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

struct test_machine machine;

const struct machine_core *machine_cores(size_t *count)
{
    *count = CORES;
    return machine.cores;
}

const char *machine_use_core(unsigned index)
{
    size_t length = strlen(machine.used);

    if (machine.refuses[index])
        return machine.refuses[index];
    snprintf(machine.used + length, sizeof machine.used - length, " %u", index);
    machine.info.core = index;
    memcpy(machine.info.core_type, machine.cores[index].type, sizeof machine.info.core_type);
    return NULL;
}

const struct machine_info *machine_info(void)
{
    return &machine.info;
}

struct control *machine_control(const char **why_not)
{
    *why_not = machine.control ? NULL : "there are no registers";
    return machine.control;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    machine.windows++;
    if (machine.no_windows)
        return (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = "page-fault"}};
    for (size_t i = 0; i < count; i++) {
        if (list[i].kernel == KERNEL_FAULT)
            return (struct window_result){
                .end = WINDOW_FAULT,
                .fault = {.vector = "undefined-instruction", .syndrome = 6, .address = 0x10, .pc = 0x1234}};
        if (list[i].kernel == KERNEL_TIMEOUT)
            return (struct window_result){.end = WINDOW_TIMEOUT, .fault = {.pc = 0x5678}};
        list[i].begin_ticks = machine.ticks;
        machine.ticks += list[i].kernel == (uintptr_t)reader_empty_kernel ? 0 : 128 * list[i].argument[0];
        list[i].end_ticks = machine.ticks;
    }
    return (struct window_result){0};
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)page_bytes, (void)use;
    if (machine.no_memory || bytes > sizeof machine.memory)
        return "no memory is left";
    *a = (struct area){.write = machine.memory, .at = (uintptr_t)machine.memory, .bytes = bytes, .page_bytes = 4096};
    machine.mapped++;
    return NULL;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    (void)a, (void)frames, (void)pages, (void)page_bytes, (void)use;
    return "no frames are chosen in this test";
}

const char *machine_map_scattered(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                                  size_t page_bytes)
{
    (void)a, (void)list, (void)count, (void)pages, (void)page_bytes;
    return "no frames are chosen in this test";
}

const char *machine_map_sparse(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                               size_t page_bytes)
{
    (void)a, (void)list, (void)count, (void)pages, (void)page_bytes;
    return "no frames are chosen in this test";
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "there are no page tables";
}

size_t machine_map_mark(void)
{
    return machine.mapped;
}

void machine_map_release(size_t mark)
{
    machine.mapped = mark;
}

bool machine_touched_outside(struct fault *fault)
{
    if (!machine.wrote_outside)
        return false;
    machine.wrote_outside = false;
    *fault = (struct fault){.vector = "outside-area", .address = 0x2000};
    return true;
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    (void)a, (void)offset, (void)bytes;
}

void machine_describe(struct record *r)
{
    (void)r;
}

void machine_describe_environment(struct record *r)
{
    (void)r;
}

void machine_print(const char *text)
{
    strncat(machine.screen, text, sizeof machine.screen - strlen(machine.screen) - 1);
}

void machine_print_strong(const char *text)
{
    machine_print("<");
    machine_print(text);
    machine_print(">");
}

void machine_progress(const char *text)
{
    (void)text;
}

void machine_stage(const char *text)
{
    (void)text;
}

void machine_own(void)
{
}

void machine_bringup(struct lines *page)
{
    lines_add(page, "the platform's part");
}

void machine_page(const struct lines *page)
{
    machine.page = *page;
    machine.pages++;
}

double machine_seconds(void)
{
    return machine.seconds += machine.seconds_a_look;
}

void machine_date(char out[24])
{
    out[0] = 0;
}
