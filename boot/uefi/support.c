#include "boot/uefi/support.h"

#include <efi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/control.h"
#include "arch/identify.h"
#include "arch/own.h"
#include "boot/uefi/acpi.h"
#include "boot/uefi/control.h"
#include "boot/uefi/devicetree.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/memory.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/protocols.h"
#include "boot/uefi/results.h"
#include "boot/uefi/smbios.h"
#include "boot/uefi/smbios_strip.h"
#include "boot/uefi/support_registers.h"
#include "boot/uefi/warnings.h"
#include "lib/base/version.h"
#include "lib/machine.h"
#include "lib/probe/table.h"
#include "lib/run/stage.h"

enum {
    LEAST_FREE = 4 << 20, /* bytes on the volume: results need the room more */
    PIECE = 8192,         /* bytes of a table in one record */
    MOST_BYTES = 2 << 20, /* of the device tree, and of SMBIOS: Linux takes no larger tree */
    IDENTITY_VALUES = 512,
    OWN_VALUES = 64,
};

static struct results file;
static struct writer writer;
static const char *why_not = "it has not been opened";

void support_start(const struct volume *v, unsigned number)
{
    if (!number)
        why_not = "there is no result file beside which it could be written";
    else if (volume_free_bytes(v) < LEAST_FREE)
        why_not = "less than 4 MiB are free on the volume, which the results may need";
    else if (!results_start(&file, v, RESULTS_SUPPORT, number))
        why_not = "the volume does not take it";
    else
        why_not = NULL;
    writer_start(&writer);
    if (!why_not)
        writer_add(&writer, results_sink(&file));
}

void support_describe(struct record *r)
{
    char name[RESULTS_PATH];

    results_name(name, RESULTS_SUPPORT, file.number);
    record_text(r, why_not ? "no_support_file" : "support_file", why_not ? why_not : name);
}

/* ---- What the firmware says ------------------------------------------------------------------------ */

static void send_head(void)
{
    const struct machine_info *info = machine_info();
    struct record r;
    char date[24];

    machine_date(date);
    record_start(&r, &writer, "support");
    record_integer(&r, "schema", RECORD_SCHEMA);
    record_text(&r, "program", "fathom");
    record_text(&r, "build", build_version);
    record_text(&r, "isa", info->isa);
    record_text(&r, "fingerprint", info->fingerprint);
    record_text(&r, "date", date);
    record_integer(&r, "number", file.number);
    record_text(&r, "core_name", info->core_name);
    record_text(&r, "core_model", info->core_model);
    firmware_describe(&r);
    record_send(&r);
}

static void send_identity(void)
{
    static struct identity_value raw[IDENTITY_VALUES];
    const size_t count = identify_raw(raw, IDENTITY_VALUES);
    struct record r;

    record_start(&r, &writer, "identity");
    record_core(&r);
    record_object(&r, "registers");
    for (size_t i = 0; i < count; i++)
        record_hex(&r, raw[i].name, raw[i].value);
    record_close(&r);
    record_send(&r);
}

/* Sends bytes as text of hexadecimal digits, in pieces. */
static void send_bytes(const char *source, const char *name, const uint8_t *data, size_t bytes)
{
    static char text[2 * PIECE + 1];
    struct record r;

    for (size_t at = 0; at < bytes; at += PIECE) {
        const size_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        for (size_t i = 0; i < piece; i++)
            snprintf(text + 2 * i, 3, "%02x", data[at + i]);
        record_start(&r, &writer, "bytes");
        record_text(&r, "source", source);
        record_text(&r, "name", name);
        record_integer(&r, "bytes", bytes);
        record_integer(&r, "at", at);
        record_text(&r, "data", text);
        record_send(&r);
    }
}

/*
 * Tables that describe hardware of a kind; others are only listed. Never taken: MSDM, which holds the key of the
 * owner's Windows, and what carries addresses or identities of a machine or network, such as IBFT and TPM2.
 */
static bool is_taken(const struct acpi_header *table)
{
    static const char taken[][5] = {"FACP", "APIC", "PPTT", "SRAT", "SLIT", "HMAT", "PCCT", "GTDT", "SPCR", "DBG2"};

    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (!memcmp(table->signature, taken[i], 4))
            return true;
    return false;
}

static void send_acpi(void)
{
    const struct acpi_header *table;
    struct record r;
    char signature[5];

    record_start(&r, &writer, "acpi");
    RECORD_COLUMNS(&r, "signature", "bytes", "revision", "good");
    for (size_t i = 0; (table = acpi_entry(i)); i++) {
        snprintf(signature, sizeof signature, "%.4s", table->signature);
        record_array(&r, NULL);
        record_text(&r, NULL, signature);
        record_integer(&r, NULL, table->length);
        record_integer(&r, NULL, table->revision);
        record_boolean(&r, NULL, acpi_good(table));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
    for (size_t i = 0; (table = acpi_entry(i)); i++) {
        snprintf(signature, sizeof signature, "%.4s", table->signature);
        if (is_taken(table) && acpi_good(table))
            send_bytes("acpi", signature, (const uint8_t *)table, table->length);
    }
}

/* A copy of so many bytes, to be freed; NULL, with a warning in the file, when that is impossible. */
static uint8_t *copy(const char *source, const uint8_t *from, size_t bytes)
{
    uint8_t *to = bytes <= MOST_BYTES ? malloc(bytes) : NULL;

    if (to)
        memcpy(to, from, bytes);
    else
        record_warning(&writer, source, "it is too large for the support file, or memory is short");
    return to;
}

static void send_smbios(void)
{
    const uint8_t *from;
    size_t bytes = 0;

    if (!smbios_structures(&from, &bytes))
        return;
    bytes = smbios_bytes(from, bytes);
    uint8_t *table = copy("smbios", from, bytes);
    if (table) {
        smbios_strip(table, bytes);
        send_bytes("smbios", "structures", table, bytes);
    }
    free(table);
}

static void send_devicetree(void)
{
    static const EFI_GUID guid = EFI_DTB_TABLE_GUID;
    const uint8_t *from = firmware_table(&guid);
    const size_t bytes = from ? devicetree_bytes(from) : 0;
    uint8_t *tree = bytes ? copy("devicetree", from, bytes) : NULL;

    const size_t used = tree ? devicetree_strip(tree, bytes) : 0;

    if (used)
        send_bytes("devicetree", "tree", tree, used);
    else if (tree)
        record_warning(&writer, "devicetree", "it is not valid, so nothing of it is here");
    free(tree);
}

static void send_memory_map(void)
{
    struct record r;

    record_start(&r, &writer, "memory_map");
    RECORD_COLUMNS(&r, "type", "start", "pages", "attributes");
    memory_describe_map(&r);
    record_close(&r);
    record_send(&r);
}

void support_tables(void)
{
    if (why_not)
        return;
    const char *left_out = stage_begin("support-tables", "reads the firmware's tables for the support file");

    send_head();
    send_identity();
    if (left_out) {
        record_warning(&writer, "tables", left_out);
        return;
    }
    send_memory_map();
    protocols_send(&writer);
    send_acpi();
    send_smbios();
    send_devicetree();
}

/* ---- What the core says ---------------------------------------------------------------------------- */

static void send_control(void)
{
    struct own_value values[OWN_VALUES];
    const size_t count = own_values(values, OWN_VALUES);
    struct record r;

    record_start(&r, &writer, "control");
    record_core(&r);
    record_object(&r, "registers");
    for (size_t i = 0; i < count; i++)
        record_hex(&r, values[i].name, values[i].value);
    record_close(&r);
    record_send(&r);
}

void support_registers(void)
{
    const char *unreadable;

    if (why_not)
        return;
    const struct control *control = machine_control(&unreadable);
    if (control) {
        send_control();
        support_send_switches(&writer, control);
        support_send_groups(&writer, control->changes.access);
    } else {
        record_warning(&writer, "registers", unreadable);
    }
    struct record r;
    record_start(&r, &writer, "support_end");
    record_integer(&r, "lost_lines", writer.lost);
    record_send(&r);
    if (writer.lost)
        warn("support", "the support file is not whole: %llu of its lines could not be written",
             (unsigned long long)writer.lost);
    writer_stop(&writer);
    results_finish(&file);
}
