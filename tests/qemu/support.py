"""What a support file (docs/SUPPORT.md) must hold after a run in QEMU, and what nothing of may be left in it."""

import json
import re
import struct

import records

# What the tables of runs call secret where they set serial numbers and the like; and the UUID that they set.
SECRET = b"Secret"
UUID = bytes.fromhex("1122334455667788")
KINDS = ("support", "identity", "memory_map", "protocols", "bytes", "control", "registers", "support_end")
ACPI = {"x86_64": {"FACP", "APIC"}, "aarch64": {"FACP", "APIC", "GTDT"}}
RAM = ("free", "boot-", "loader-", "runtime-", "acpi-")


def whole_tables(found):
    """(source, name) -> bytes, from their pieces; and complaints about pieces."""
    tables, complaints, lengths = {}, [], {}
    for record in found:
        if record["t"] != "bytes":
            continue
        key = record["source"], record["name"]
        if record["at"] != len(tables.setdefault(key, b"")):
            complaints.append(f"a piece of {key} stands at {record['at']}, not at {len(tables[key])}")
        tables[key] += bytes.fromhex(record["data"])
        lengths[key] = record["bytes"]
    return tables, complaints + [f"{key} has {len(data)} bytes, not {lengths[key]}" for key, data in tables.items()
                                 if len(data) != lengths[key]]


def check_acpi(tables, found, table):
    """The tables that QEMU makes for such a machine, whole, and with a processor for each that it has."""
    held = {name: data for (source, name), data in tables.items() if source == "acpi"}
    listed = {row[0]: row[1] for record in found if record["t"] == "acpi" for row in record["rows"]}
    wanted = ACPI[table["isa"]]
    complaints = [f"there is no {name} in it" for name in sorted(wanted - held.keys())]
    complaints += [f"{name} is not listed with its length" for name, data in held.items() if listed.get(name) != len(data)]
    complaints += [f"the checksum of {name} does not hold" for name, data in held.items() if sum(data) % 256]
    complaints += [f"{name} does not begin with its signature" for name, data in held.items() if data[:4] != name.encode()]
    cores, at = 0, 44  # ACPI 6.5, 5.2.12: types 0 (local APIC), 11 (GIC CPU interface)
    madt = held.get("APIC", b"")
    while at + 2 <= len(madt) and madt[at + 1]:
        cores += madt[at] in (0, 11)
        at += madt[at + 1]
    return complaints + ([f"APIC lists {cores} cores"] if madt and cores != int(table["smp"]) else [])


def check_memory(found, table):
    """As much memory as the machine has, but for what firmware keeps to itself."""
    rows = [row for record in found if record["t"] == "memory_map" for row in record["rows"]]
    mib = sum(row[2] for row in rows if row[0].startswith(RAM)) / 256
    return [] if 0.9 < mib / int(table["memory"]) <= 1 else [f"the memory map has {mib:.0f} MiB"]


def properties(tree):
    """(path, name, value) of each property of a flattened device tree (Devicetree Specification 0.4, 5)."""
    structure, strings = struct.unpack_from(">8xII", tree)
    at, path = structure, []
    while (token := struct.unpack_from(">I", tree, at)[0]) != 9:
        at += 4
        if token == 1:
            end = tree.index(0, at)
            path.append(tree[at:end].decode())
            at = (end + 4) & ~3
        elif token == 2:
            path.pop()
        elif token == 3:
            length, name = struct.unpack_from(">II", tree, at)
            end = tree.index(0, strings + name)
            yield "/".join(path), tree[strings + name : end].decode(), tree[at + 8 : at + 8 + length]
            at = (at + 8 + length + 3) & ~3


def check_tree(tree, table):
    """The device tree that U-Boot hands on: its cores are there, and of /chosen only the console."""
    found = list(properties(tree))
    cores = sum(name == "device_type" and value == b"cpu\0" for _, name, value in found)
    complaints = [f"the device tree has {cores} cores"] if cores != int(table["smp"]) else []
    chosen = [(name, value) for path, name, value in found if path == "/chosen" and name != "stdout-path"]
    if not any("seed" in name and value for name, value in chosen):
        complaints.append("the device tree that was to be stripped has no seeds")
    return complaints + [f"/chosen/{name} is not zeros" for name, value in chosen if any(value)]


def check_registers(found, run, table):
    """Faults are marked, and what can be known of the values is true."""
    control = [record["registers"] for record in found if record["t"] == "control"]
    environments = [record["control"] for record in run if record["t"] == "environment" and record["core"] == 0]
    complaints = ["control registers are not those of the environment record"] * (environments[:1] not in ([], control))
    value = {row[0]: row[2] for record in found if record["t"] == "registers" for row in record["rows"]}
    identity = next(record["registers"] for record in found if record["t"] == "identity")
    if table["isa"] == "aarch64":
        complaints += ["MIDR_EL1 is not that of the identification"] * (value.get("MIDR_EL1") != identity["midr_el1"])
        faulted = "SCTLR_EL2" in value and value["SCTLR_EL2"] is None
        complaints += ["SCTLR_EL2 does not fault at EL1, or does at EL2"] * (faulted == (table["el2"] == "yes"))
    elif int(value.get("IA32_APIC_BASE") or "0", 16) & 0x900 != 0x900:  # enabled, and of the core that booted
        complaints.append(f"IA32_APIC_BASE is {value.get('IA32_APIC_BASE')}")
    return complaints


def complaints(data, run, table):
    """About the bytes of a support file; `run` has the records of its run."""
    lines = data.split(b"\n")
    wrong = [f"line {i} is not a whole record: {line[:60]!r}"
             for i, line in enumerate(lines[:-1], 1) if not records.good(line)]
    if wrong or lines[-1]:
        return wrong or [f"it ends within a line: {lines[-1][:60]!r}"]
    found = [json.loads(line) for line in lines[:-1]]
    kinds = [record["t"] for record in found]
    if kinds[:1] != ["support"] or kinds[-1:] != ["support_end"] or found[-1]["lost_lines"]:
        return [f"it goes from {kinds[:1]} to {found[-1:]}"]
    owned = not re.search(r"\bown ?= ?off\b", table["config"] + table.get("script", ""))
    wanted = [kind for kind in KINDS if owned or kind not in ("control", "registers")]
    wrong += [f"there is no {kind} record" for kind in wanted if kind not in kinds]
    head = next(record for record in run if record["t"] == "run")
    wrong += [f"its {key} is not that of the run" for key in ("isa", "fingerprint", "number", "build") if found[0][key] != head[key]]
    tables, pieces = whole_tables(found)
    wrong += pieces + check_memory(found, table)
    if table["firmware"] == "edk2":
        wrong += check_acpi(tables, found, table)
        wrong += [] if ("smbios", "structures") in tables else ["there is no SMBIOS in it"]
    elif table["isa"] == "aarch64":
        tree = tables.get(("devicetree", "tree"))
        wrong += check_tree(tree, table) if tree else ["there is no device tree in it"]
    if owned and not wrong:
        wrong += check_registers(found, run, table)
    everything = data + b"".join(tables.values())
    wrong += ["something secret is in it"] * (SECRET in everything or UUID in everything or UUID[3::-1] in everything)
    public = re.search(r"product=(Public\w+)", table["arguments"])
    wrong += ["what is public is not in it"] * bool(public and public[1].encode() not in everything)
    return [f"support file: {text}" for text in wrong]


def expected(table):
    """Whether such a run leaves one: it has a volume, with room on it."""
    return table["records"] != "serial" and table["prepare"] not in ("full", "nearly full")


def check_left_out(data, stage):
    """After a boot that left out a stage of the support file: the file is whole, and says so."""
    found = [json.loads(line) for line in data.split(b"\n")[:-1] if records.good(line)]
    said = [record.get("left_out") or record.get("text") for record in found
            if record.get("group") == stage or (record["t"], record.get("subject")) == ("warning", "tables")]
    whole = found and found[-1]["t"] == "support_end"
    return [] if whole and len(said) == 1 and "hung" in (said[0] or "") else [f"support file: {stage} is not left out of it"]
