/*
 * The CPU architectural protocol lets us handle exceptions that the firmware itself does not handle (PI specification
 * 1.8, volume 2, 12.3). It is edk2's and of firmware that is made of it; U-Boot has its own report, and resets.
 */
#include "boot/uefi/exceptions.h"

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __x86_64__
#include "arch/x86_64/own/vectors.h"
#else
#include "arch/aarch64/own/faults.h"
#endif
#include "arch/window.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/serial.h"
#include "lib/machine.h"
#include "lib/run/stage.h"

typedef void EFIAPI exception_handler(INTN type, const uint64_t *context);

/* PI specification 1.8, volume 2, 12.3. */
struct cpu {
    EFI_STATUS(EFIAPI *flush_data_cache)(struct cpu *, UINT64 start, UINT64 length, int type);
    EFI_STATUS(EFIAPI *enable_interrupt)(struct cpu *);
    EFI_STATUS(EFIAPI *disable_interrupt)(struct cpu *);
    EFI_STATUS(EFIAPI *get_interrupt_state)(struct cpu *, BOOLEAN *state);
    EFI_STATUS(EFIAPI *init)(struct cpu *, int type);
    EFI_STATUS(EFIAPI *register_handler)(struct cpu *, INTN type, exception_handler *handler);
};

static struct cpu *cpu;
static bool described; /* an exception has been: another one, in the description itself, is the firmware's */

/* ---- What differs between instruction sets -------------------------------------------------------------------- */

#ifdef __x86_64__
/*
 * Without debug exceptions, NMI, breakpoints, #VE and #VC, which debuggers and confidential virtual machines handle;
 * and without double faults and machine checks, after which nothing can be printed.
 */
static const INTN types[] = {0, 5, 6, 7, 10, 11, 12, 13, 14, 16, 17, 19, 21};

/* UEFI 2.10, 18.2.3, EFI_SYSTEM_CONTEXT_X64: words of 8 bytes, and the 512 bytes of FXSAVE behind the first. */
enum { ERROR_CODE = 0, FXSAVE_WORDS = 64, CR2 = 1 + FXSAVE_WORDS + 8, RIP = 1 + FXSAVE_WORDS + 19 };

static struct fault describe(INTN type, const uint64_t *context)
{
    return (struct fault){.vector = exception_name((unsigned)type),
                          .syndrome = context[ERROR_CODE],
                          .address = type == 14 ? context[CR2] : 0,
                          .pc = context[RIP]};
}

static bool comes_again(INTN type)
{
    (void)type;
    return true;
}
#else
enum { SYNCHRONOUS = 0, SERROR = 3 }; /* EXCEPT_AARCH64_… */
static const INTN types[] = {SYNCHRONOUS, SERROR};

/* UEFI 2.10, 18.2.3, EFI_SYSTEM_CONTEXT_AARCH64: X0 to X28, FP, LR, SP; 32 vectors of two words; then these. */
enum { ELR = 32 + 64, ESR = ELR + 3, FAR };

static struct fault describe(INTN type, const uint64_t *context)
{
    return type == SERROR ? fault_serror(context[ESR], context[ELR])
                          : fault_describe(context[ESR], context[FAR], context[ELR]);
}

/*
 * Whether the exception is raised again when its handler returns: a system error is not. No emulator raises one here,
 * so this was only reviewed, not run.
 */
static bool comes_again(INTN type)
{
    return type == SYNCHRONOUS;
}
#endif

/* ---- The report -------------------------------------------------------------------------------------------------- */

static void print(const char *text)
{
    machine_print(text);
    serial_text(text);
}

static void EFIAPI report(INTN type, const uint64_t *context)
{
    const struct fault f = describe(type, context);
    const uint64_t image = machine_info()->image;
    const bool own = f.pc - image < machine_info()->image_bytes;
    char text[320];

    /* The exception comes again when this returns, and then the firmware gets it. */
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        cpu->register_handler(cpu, types[i], NULL);
    if (described)
        return;
    described = true;
    snprintf(text, sizeof text,
             "\nfathom has stopped: %s outside of measured code, in the step \"%s\".\n"
             "syndrome %016llx  address %016llx\npc %016llx, %s %llx; core %u\n",
             f.vector, stage_now(), (unsigned long long)f.syndrome, (unsigned long long)f.address,
             (unsigned long long)f.pc, own ? "fathom's image +" : "which is not fathom's image: its base is",
             (unsigned long long)(own ? f.pc - image : image), machine_info()->core);
    print(text);
    print("Please photograph this. At the next start this step is left out.\n");
    machine_stage("");
    while (!comes_again(type)) /* what follows would run on a machine that is not sound; the firmware stops here, too */
        ;
}

const char *exceptions_start(void)
{
    static EFI_GUID guid = {0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};
    size_t taken = 0;

    cpu = firmware_locate(&guid);
    if (!cpu)
        return "the firmware offers no CPU architectural protocol";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        taken += !EFI_ERROR(cpu->register_handler(cpu, types[i], report));
    return taken ? NULL : "the firmware lets nobody else handle exceptions";
}

void exceptions_finish(void)
{
    for (size_t i = 0; cpu && i < sizeof types / sizeof types[0]; i++)
        cpu->register_handler(cpu, types[i], NULL);
    cpu = NULL;
}
