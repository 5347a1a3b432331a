#include "arch/x86_64/own/descriptors.h"

#include <string.h>

#include "arch/x86_64/own/vector_numbers.h"
#include "arch/x86_64/own/vectors_layout.h"

/* Intel SDM vol. 3A, figure 7-8. */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t stack; /* bits 2 … 0: which of the task-state segment's stacks, 0 = stay on this one */
    uint8_t type;
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};

#define GATE_INTERRUPT 0x8e /* present, privilege 0, 64-bit interrupt gate */

/* Intel SDM vol. 3A, figure 8-11. */
struct task_state {
    uint32_t reserved_0;
    uint64_t rsp[3];
    uint64_t reserved_1;
    uint64_t ist[7]; /* ist[0] is the manual's IST1 */
    uint64_t reserved_2;
    uint16_t reserved_3;
    uint16_t io_map;
} __attribute__((packed));

_Static_assert(sizeof(struct gate) == 16, "Intel SDM vol. 3A, figure 7-8");
_Static_assert(sizeof(struct task_state) == 104, "Intel SDM vol. 3A, figure 8-11");

/* A system descriptor's access bits, in place in its low half: Intel SDM vol. 3A, 3.4.5 and figure 8-4. */
#define DESCRIPTOR_TYPE_SHIFT 40
#define DESCRIPTOR_TSS (UINT64_C(0x9) << DESCRIPTOR_TYPE_SHIFT) /* 64-bit, available */
#define DESCRIPTOR_BUSY (UINT64_C(0x2) << DESCRIPTOR_TYPE_SHIFT)
#define DESCRIPTOR_SYSTEM_MASK (UINT64_C(0x1d) << DESCRIPTOR_TYPE_SHIFT) /* S and type, but for busy */
#define DESCRIPTOR_PRESENT (UINT64_C(1) << 47)

enum { STACK_EXCEPTION = 1, STACK_DOUBLE_FAULT, STACK_NMI, STACK_MACHINE_CHECK, STACK_INTERRUPT, STACKS_END };
enum { STACK_BYTES = 4096, GDT_ENTRIES = 512 };

struct descriptors {
    uint8_t stacks[STACKS_END - 1][STACK_BYTES] __attribute__((aligned(16)));
    struct gate idt[VECTORS];
    uint64_t gdt[GDT_ENTRIES];
    struct task_state task;
};

static struct descriptors *own;

/* The firmware's, as they were when ours were loaded. */
static struct table_register firmware_gdtr, firmware_idtr;
static uint16_t firmware_task;

static void read_firmware(void)
{
    __asm__ volatile("sgdt %0" : "=m"(firmware_gdtr));
    __asm__ volatile("sidt %0" : "=m"(firmware_idtr));
    __asm__ volatile("str %0" : "=r"(firmware_task));
}

static uint16_t code_segment(void)
{
    uint16_t selector;

    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    return selector;
}

static void load_task(uint16_t selector)
{
    __asm__ volatile("ltr %0" : : "r"(selector) : "memory");
}

/* Bytes of the firmware's GDT that are copied: all of it, up to the room that ours has. */
static size_t copied_bytes(void)
{
    const size_t room = (GDT_ENTRIES - 2) * sizeof(own->gdt[0]); /* ours takes two */
    const size_t bytes = (size_t)firmware_gdtr.limit + 1;

    return bytes < room ? bytes : room;
}

const char *descriptors_start(void *(*pages)(size_t bytes, size_t alignment))
{
    uint16_t selectors[6];

    read_firmware();
    __asm__ volatile("mov %%cs, %0; mov %%ss, %1; mov %%ds, %2; mov %%es, %3; mov %%fs, %4; mov %%gs, %5"
                     : "=m"(selectors[0]), "=m"(selectors[1]), "=m"(selectors[2]), "=m"(selectors[3]),
                       "=m"(selectors[4]), "=m"(selectors[5]));
    for (size_t i = 0; i < 6; i++)
        if (selectors[i] >= copied_bytes())
            return "the firmware uses descriptors beyond the first 4 KiB of its GDT";
    own = pages(sizeof(*own), 4096);
    return own == NULL ? "no memory for descriptor tables" : NULL;
}

void descriptors_finish(void (*free_pages)(void *base, size_t bytes))
{
    if (own != NULL)
        free_pages(own, sizeof(*own));
    own = NULL;
}

static unsigned vector_stack(unsigned vector)
{
    switch (vector) {
    case VECTOR_DOUBLE_FAULT: return STACK_DOUBLE_FAULT;
    case VECTOR_NMI: return STACK_NMI;
    case VECTOR_MACHINE_CHECK: return STACK_MACHINE_CHECK;
    default: return vector < EXCEPTIONS ? STACK_EXCEPTION : STACK_INTERRUPT;
    }
}

static void build_idt(const char *stubs, bool firmware_interrupts)
{
    const struct gate *firmware_gates = (const struct gate *)(uintptr_t)firmware_idtr.base;
    const size_t firmware_count = ((size_t)firmware_idtr.limit + 1) / sizeof(struct gate);
    const uint16_t selector = code_segment();

    for (unsigned i = 0; i < VECTORS; i++) {
        const uintptr_t stub = (uintptr_t)stubs + (uintptr_t)i * VECTOR_STUB_BYTES;

        if (firmware_interrupts && i >= EXCEPTIONS && i < firmware_count) {
            own->idt[i] = firmware_gates[i];
            own->idt[i].stack = 0; /* the number found would select a stack of our task-state segment */
            continue;
        }
        own->idt[i] = (struct gate){
            .offset_low = (uint16_t)stub,
            .selector = selector,
            .stack = (uint8_t)vector_stack(i),
            .type = GATE_INTERRUPT,
            .offset_middle = (uint16_t)(stub >> 16),
            .offset_high = (uint32_t)(stub >> 32),
        };
    }
}

/* Returns the selector of our task-state segment, right behind the firmware's descriptors. */
static uint16_t build_gdt(void)
{
    const size_t slot = (copied_bytes() + sizeof(own->gdt[0]) - 1) / sizeof(own->gdt[0]);
    const uint64_t base = (uintptr_t)&own->task;

    memcpy(own->gdt, (const void *)(uintptr_t)firmware_gdtr.base, copied_bytes());

    memset(&own->task, 0, sizeof(own->task));
    own->task.io_map = sizeof(own->task); /* none */
    for (unsigned i = STACK_EXCEPTION; i < STACKS_END; i++)
        own->task.ist[i - 1] = (uintptr_t)(own->stacks[i - 1] + STACK_BYTES);

    own->gdt[slot] = (sizeof(own->task) - 1) | (base & 0xffffff) << 16 | DESCRIPTOR_TSS | DESCRIPTOR_PRESENT |
                     (base >> 24 & 0xff) << 56;
    own->gdt[slot + 1] = base >> 32;
    return (uint16_t)(slot * sizeof(own->gdt[0]));
}

void descriptors_load(const char *stubs, bool firmware_interrupts)
{
    struct table_register gdtr, idtr;
    uint16_t task;

    read_firmware();
    task = build_gdt();
    build_idt(stubs, firmware_interrupts);
    gdtr = (struct table_register){.limit = (uint16_t)(task + 16 - 1), .base = (uintptr_t)own->gdt};
    idtr = (struct table_register){.limit = sizeof(own->idt) - 1, .base = (uintptr_t)own->idt};

    __asm__ volatile("lgdt %0" : : "m"(gdtr) : "memory");
    load_task(task);
    __asm__ volatile("lidt %0" : : "m"(idtr) : "memory");
}

/*
 * The firmware's task register is loaded from our copy of its descriptor, with the busy bit cleared there: the
 * processor caches the same contents, and the firmware's own table is never written. Where the firmware has no
 * task-state segment (OVMF: 0; U-Boot: the selector of another descriptor), or the selector is one that an earlier
 * run has left, beyond what is copied, ours stays: without gates that name a stack and without changes of privilege
 * it is never used.
 */
void descriptors_restore(void)
{
    const size_t slot = firmware_task / sizeof(own->gdt[0]);

    descriptors_use_firmware_idt();
    if (firmware_task != 0 && firmware_task + 16u <= copied_bytes() &&
        (own->gdt[slot] & (DESCRIPTOR_SYSTEM_MASK | DESCRIPTOR_PRESENT)) == (DESCRIPTOR_TSS | DESCRIPTOR_PRESENT)) {
        own->gdt[slot] &= ~DESCRIPTOR_BUSY;
        load_task(firmware_task);
    }
    __asm__ volatile("lgdt %0" : : "m"(firmware_gdtr) : "memory");
}

GENERAL_REGISTERS void descriptors_use_firmware_idt(void)
{
    __asm__ volatile("lidt %0" : : "m"(firmware_idtr) : "memory");
}
