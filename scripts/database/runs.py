"""Runs as they lie in a database: what is checked before one goes in, what is taken out of it, and how they are read."""

import copy
import hashlib
import json
import pathlib
import re
import zlib

import records
import schema

# Records that are published. Others may hold paths, or what a screen showed: `bringup`, `stage`, `warning`.
PUBLISHED = (
    "run",
    "machine",
    "environment",
    "start",
    "curve",
    "matrix",
    "table",
    "finding",
    "fault",
    "end",
    "restored",
    "done",
)
# What no key may be called, whatever the schema allows one day; and keys that are emptied or left out.
PRIVATE = re.compile(r"serial_number|uuid|asset|mac_address|host_?name|user_?name|ppin|psn", re.IGNORECASE)
LEFT_OUT = {"machine": ("support_file", "no_support_file")}
EMPTIED = {"run": ("destination",)}
# CPUID leaf 3 is the serial number of a Pentium III (SDM 2A, CPUID); these registers number a processor (SDM 4, PPIN).
PRIVATE_REGISTERS = re.compile(r"cpuid\.00000003|msr\.0*(4e|4f|c00102f0|c00102f1)\b", re.IGNORECASE)
# Texts that identify a machine, wherever they stand: UUIDs and MAC addresses.
IDENTITY = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE
)
REMOVED = "(removed)"


class Refused(Exception):
    """The run cannot be contributed; the text says why and what to do."""


def line(record):
    """The record as a line, with its checksum."""
    body = {key: value for key, value in record.items() if key != "c"}
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)[:-1].encode()
    return text + b',"c":"%08x"}\n' % zlib.crc32(text)


def check(reader):
    """The records of a run that may be published; raises Refused."""
    if reader.damaged:
        raise Refused(f"{reader.damaged} records are damaged; collect the run again (scripts/collect)")
    parsed = records.parse(reader)
    kinds = {}
    for each in parsed:
        kinds.setdefault(each["t"], []).append(each)
    if len(kinds.get("run", ())) != 1:
        raise Refused(
            f"it holds {len(kinds.get('run', ()))} records `run` instead of one; scripts/collect --into takes runs apart"
        )
    if "done" not in kinds:
        raise Refused("it has no record `done`: the run was cut short; let it come to its end")
    if kinds["done"][-1].get("trusted") is not True:
        raise Refused(f"its times cannot be trusted: {kinds['done'][-1].get('untrusted_cause', 'no cause is recorded')}")
    if any(machine.get("emulator") for machine in kinds.get("machine", ())):
        raise Refused("it ran in an emulator, which times nothing that a core does")
    if "environment" not in kinds or "machine" not in kinds:
        raise Refused("no core measured in it")
    if kinds["done"][-1].get("lost_lines"):
        raise Refused(f"{kinds['done'][-1]['lost_lines']} records were lost while it ran; run it again")
    known = schema.load()
    for each in parsed:
        name = schema.definition(known, each)
        missing = [key for key in known["$defs"][name].get("required", ()) if key not in each] if name else []
        if each["t"] in PUBLISHED and (name is None or missing):
            raise Refused(
                f"a record `{each['t']}` does not hold to docs/records.schema.json"
                + (f": {', '.join(missing)} missing" if missing else "")
                + "; take the scripts of the version that made the run"
            )
    return parsed


def clean(value, removed, where):
    """A copy without what identifies a machine; what was taken out is noted by place."""
    if isinstance(value, dict):
        kept = {}
        for key, each in value.items():
            if PRIVATE.search(key) or PRIVATE_REGISTERS.search(key):
                removed.add(f"{where}.{key}")
            else:
                kept[key] = clean(each, removed, f"{where}.{key}")
        return kept
    if isinstance(value, list):
        return [clean(each, removed, where) for each in value]
    if isinstance(value, str) and IDENTITY.search(value):
        removed.add(where)
        return IDENTITY.sub(REMOVED, value)
    return value


def strip(parsed, notes):
    """The records to publish, and what was removed. Without `notes` the run's notes are emptied, too."""
    known = schema.load()
    found, removed = [], set()
    for record in parsed:
        if record["t"] not in PUBLISHED:
            removed.add(f"records `{record['t']}`")
            continue
        record = copy.deepcopy(record)
        allowed = known["$defs"][schema.definition(known, record)].get("properties", {})
        for key in list(record):
            if key in LEFT_OUT.get(record["t"], ()) or (
                allowed and key not in allowed and record["t"] in ("run", "machine", "environment")
            ):
                removed.add(f"{record['t']}.{key}")
                del record[key]
        for key in EMPTIED.get(record["t"], ()) + (() if notes else ("notes",)):
            if record.get(key):
                removed.add(f"{record['t']}.{key}")
                record[key] = ""
        found.append(clean(record, removed, record["t"]))
    return found, sorted(removed)


def place(stripped, data):
    """Where the run lies in a database."""
    run = next(r for r in stripped if r["t"] == "run")
    measured = {r["core"] for r in stripped if r["t"] == "environment"}
    machine = next(r for r in stripped if r["t"] == "machine" and r["core"] in measured)
    core = re.sub(r"[^A-Za-z0-9_-]+", "-", machine.get("core_name") or f"unknown-{run['isa']}").strip("-") or "unknown"
    if not re.fullmatch(r"[0-9a-f]{16}", run.get("fingerprint", "")):
        raise Refused("its record `run` has no fingerprint of the machine")
    name = f"{(run.get('date') or 'undated')[:10]}-{run['profile']}-{hashlib.sha256(data).hexdigest()[:16]}.jsonl"
    return pathlib.PurePosixPath("cores", core, run["fingerprint"], re.sub(r"[^A-Za-z0-9._-]+", "-", name))


def read(database):
    """
    (path, records) of each run in the database, in order of paths, each content once; and (path, why) of each file that
    is none.
    """
    found, wrong, seen = [], [], set()
    for path in sorted(pathlib.Path(database).glob("cores/*/*/*.jsonl")):
        name = path.relative_to(database).as_posix()
        try:
            data = path.read_bytes()
            digest = hashlib.sha256(data).digest()
            parsed = check(records.read(data.splitlines()))
            if digest not in seen:
                found.append((name, parsed))
            seen.add(digest)
        except (Refused, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            wrong.append((name, str(error) or type(error).__name__))
    return found, wrong
