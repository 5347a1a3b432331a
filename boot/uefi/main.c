/*
 * Where the firmware starts us, and the sequence of a run. Every call to firmware is made in this directory, and EFI_*
 * types do not leave it; sections given in its comments are those of the UEFI specification 2.10 unless another book is
 * named. Reading order: this file, machine.c (the core is taken), then one file a concept.
 *
 * The sequence:
 *
 *   vector state on, console, identification
 *   volume, configuration (file, SMBIOS, load options), kernels of the user, screen and start menu, journal of earlier runs
 *   sinks; in run_all the core becomes ours (machine_own) and the probes run
 *   everything is given back, then what the configuration says: stay, reboot, poweroff, return
 */
#include <efi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/own.h"
#include "boot/uefi/console.h"
#include "boot/uefi/cores.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/kernels.h"
#include "boot/uefi/keys.h"
#include "boot/uefi/libc.h"
#include "boot/uefi/machine.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/results.h"
#include "boot/uefi/screen.h"
#include "boot/uefi/serial.h"
#include "boot/uefi/smbios.h"
#include "boot/uefi/support.h"
#include "boot/uefi/volume.h"
#include "boot/uefi/warnings.h"
#include "lib/machine.h"
#include "lib/plan/config.h"
#include "lib/run/run.h"
#include "lib/run/stage.h"

/* More than a file with every key and its description needs, and more than a boot manager or SMBIOS holds. */
enum { CONFIG_BYTES = 64 << 10, OPTION_CHARACTERS = 4096 };

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* ---- Configuration ------------------------------------------------------------------------------- */

static void read_configuration_file(struct config *c, const struct volume *v)
{
    EFI_FILE_PROTOCOL *file = volume_open(v, L"\\FATHOM.CFG");
    char *text = file ? malloc(CONFIG_BYTES + 1) : NULL;

    if (text) {
        size_t bytes = volume_read(file, text, CONFIG_BYTES + 1);
        if (bytes > CONFIG_BYTES) {
            warn("FATHOM.CFG", "the file is larger than %d KiB: what follows is not read", CONFIG_BYTES >> 10);
            for (bytes = CONFIG_BYTES; bytes > 0 && text[bytes - 1] != '\n'; bytes--)
                ;
        }
        if (bytes == 0) /* surely not intended: the stick is damaged, or a copy failed */
            warn("FATHOM.CFG", "the file is empty: every key has its default value");
        config_parse(c, "FATHOM.CFG", text, bytes, warn_config, NULL);
    } else if (file) {
        warn("FATHOM.CFG", "there is not enough memory to read it");
    }
    free(text);
    if (file)
        file->Close(file);
}

/*
 * OEM Strings of SMBIOS that begin with "fathom." are settings: "fathom.profile=quick". Virtual machines and some
 * servers let their owner add such strings.
 */
struct strings {
    char lines[OPTION_CHARACTERS];
    size_t used;
};

static void add_string(void *context, const char *text, size_t bytes)
{
    static const char prefix[] = "fathom.";
    struct strings *s = context;

    if (bytes < sizeof prefix || memcmp(text, prefix, sizeof prefix - 1) != 0)
        return;
    text += sizeof prefix - 1;
    bytes -= sizeof prefix - 1;
    if (bytes + 1 > sizeof s->lines - s->used) {
        warn("SMBIOS", "there are more settings than fit into %d characters", OPTION_CHARACTERS);
        return;
    }
    memcpy(s->lines + s->used, text, bytes);
    s->lines[s->used + bytes] = '\n';
    s->used += bytes + 1;
}

static void read_smbios_strings(struct config *c)
{
    static struct strings s;

    smbios_oem_strings(add_string, &s);
    config_parse(c, "SMBIOS", s.lines, s.used, warn_config, NULL);
}

/*
 * Load options are `key=value` words. The Shell puts the program's name first, so a first word without an equals sign
 * is ignored. Spaces between quotes belong to the value: notes="rack 4".
 *
 * Boot managers also store binary data there (edk2 marks the entries that it made itself); options that are not
 * printable ASCII are ignored.
 */
static void read_load_options(struct config *c)
{
    const CHAR16 *options = firmware.loaded->LoadOptions;
    size_t count = firmware.loaded->LoadOptionsSize / sizeof(CHAR16);
    static char lines[OPTION_CHARACTERS];
    size_t used = 0;
    bool quoted = false;

    if (!options || (uintptr_t)options % sizeof(CHAR16) != 0 || count >= sizeof lines)
        return;
    for (size_t i = 0; i < count && options[i]; i++) {
        if (options[i] < ' ' || options[i] > '~')
            return;
        if (options[i] == '"')
            quoted = !quoted;
        else
            lines[used++] = options[i] == ' ' && !quoted ? '\n' : (char)options[i];
    }
    const char *first_end = memchr(lines, '\n', used);
    size_t first = first_end ? (size_t)(first_end - lines) : used;
    size_t skip = memchr(lines, '=', first) ? 0 : first;
    config_parse(c, "load options", lines + skip, used - skip, warn_config, NULL);
}

/* ---- Afterwards ---------------------------------------------------------------------------------- */

static void power_off(void)
{
    EFI_RESET_TYPE type = EfiResetShutdown;

    /* A virtual machine is reset instead; a real machine would then start this stick again, without end. */
    if (firmware.quirks.power_off_hangs && machine_info()->hypervisor[0])
        type = EfiResetCold;
    if (type == EfiResetShutdown && firmware.quirks.power_off_hangs)
        machine_print("This firmware cannot switch the machine off. Please switch it off yourself.\n");
    else
        firmware.runtime->ResetSystem(type, EFI_SUCCESS, 0, NULL);
}

/* ---- The run --------------------------------------------------------------------------------------- */

/*
 * The number of this run in a series of config.repeat runs. It continues the series of this machine's newest earlier
 * run when that has the same length and is not finished; else a new series starts with 1.
 */
static unsigned repeat_index(const struct run *r)
{
    const struct journal *j = &r->journal;
    return j->repeat == r->config.repeat && j->repeat_done < j->repeat ? j->repeat_done + 1 : 1;
}

/*
 * How to go on after the run. A stick that is first in the boot order must not loop without end: `after = reboot`
 * reboots only while a series of `repeat` runs is not finished, and only when this run was recorded on the volume.
 */
static enum after after_run(const struct run *r, const struct results *results)
{
    if (r->config.after != AFTER_REBOOT)
        return r->config.after;
    if (!results->file || results->failed) {
        machine_print("Not rebooting: this run could not be recorded on a volume.\n");
        return AFTER_STAY;
    }
    if (r->repeat_index >= r->config.repeat) {
        machine_print("Not rebooting: all runs of the series (`repeat`) are done.\n");
        return AFTER_STAY;
    }
    return AFTER_REBOOT;
}

static void open_sinks(struct run *r, struct results *results, const struct volume *v, unsigned newest)
{
    struct sink serial;
    char name[RESULTS_PATH];

    writer_start(&r->writer);
    if (results_start(results, v, RESULTS_RUN, newest + 1)) {
        writer_add(&r->writer, results_sink(results));
        r->number = results->number;
        results_name(name, RESULTS_RUN, results->number);
        snprintf(r->destination, sizeof r->destination, "%s, %s", v->name, name);
    }
    support_start(v, r->number);
    if (r->config.serial != SERIAL_OFF && serial_start(&serial)) {
        serial.brief = r->config.serial == SERIAL_FINDINGS ||
                       (r->config.serial == SERIAL_AUTO && r->number && !console_on_serial());
        writer_add(&r->writer, serial);
        if (!r->number)
            snprintf(r->destination, sizeof r->destination, "serial line");
    }
}

/* The screen shows what the run finds, and the keys steer it. */
static const struct observer watcher = {.finding = screen_finding, .curve = screen_curve, .wish = keys_wish};

static __attribute__((noinline)) EFI_STATUS run(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static struct run r;
    static struct results results;
    struct volume volume;

    EFI_STATUS status = firmware_start(image, system);
    if (EFI_ERROR(status))
        return status;
    console_start();
    machine_print("fathom: finds out how this core is built.\n");
    stage_begin("identity", "identifies the core and its clock");
    platform_identify();
    stage_begin("volume", "looks for the volume that it started from, and its configuration");
    volume_start(&volume);
    config_defaults(&r.config);
    read_configuration_file(&r.config, &volume);
    read_smbios_strings(&r.config);
    read_load_options(&r.config);
    kernels_read(&r.kernels, &volume);
    screen_start(&r);
    r.observer = &watcher;
    if (!keys_menu(&r.config))
        firmware.runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);

    stage_begin("journal", "reads the results of earlier runs, and opens a file for this one");
    journal_start(&r.journal, machine_info()->fingerprint);
    snprintf(r.journal.profile, sizeof r.journal.profile, "%s", config_profile_name(&r.config));
    unsigned newest = results_journal(&volume, &r.journal);
    r.repeat_index = repeat_index(&r);
    open_sinks(&r, &results, &volume, newest);
    machine_start(&r.config);
    r.warn = warnings_send;
    int failed = run_all(&r);
    enum after after = after_run(&r, &results);
    writer_stop(&r.writer);
    machine_finish();
    results_finish(&results);
    volume_finish(&volume);
    screen_results();

    if (after == AFTER_STAY)
        after = keys_stay();
    if (after == AFTER_REBOOT)
        firmware.runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
    if (after == AFTER_POWEROFF)
        power_off();
    while (after != AFTER_RETURN) /* the firmware has neither reset nor switched off the machine */
        after = keys_stay();
    if (cores_left_running()) {
        machine_print("A core that was used still runs, and its memory must stay: the machine is reset.\n");
        firmware.runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
    }
    console_finish();
    libc_finish();
    return failed ? EFI_ABORTED : EFI_SUCCESS;
}

/*
 * U-Boot starts us on x86-64 with SSE off. This function must not use it, so it does nothing but switch it on and call
 * the rest.
 */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    own_vector_state_on();
    EFI_STATUS status = run(image, system);
    own_vector_state_restore();
    return status;
}
