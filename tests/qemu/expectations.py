"""What the table of a run expects of its records: outcomes, faults, warnings, fields, pages.

Each function gets a run and its table and returns complaints, one sentence each; none means that all is well.
"""

import itertools
import json
import re

# Windows run in the upper half of the address space on both instruction sets (arch/own.h).
HIGH_HALF = 0xFFFF_8000_0000_0000


def expected_cores(table):
    return [int(core) for core in table["cores"].split()]


def expected_skips(table):
    """(core, probe) -> pattern of the reason. A line is about every core, or as `probe@N:` about that one."""
    skips = {}
    for line in lines_of(table["skips"]):
        name, _, pattern = line.partition(":")
        name, _, core = name.partition("@")
        skips.update({(number, name): pattern.strip() for number in ([int(core)] if core else expected_cores(table))})
    return skips


def expected_outcomes(table, probes):
    """(core, probe) -> outcome. The probe `clock`, which decides whether the clock is trusted, runs always."""
    if table["measures"] == "no":
        return {}
    named = table["probes"].replace(",", " ").split()
    names = set(named) | {"clock"} if named else {name for name, (debug, _) in probes.items() if not debug}
    outcomes = dict.fromkeys(names, "ok")
    outcomes.update((line.split()[0], "fault") for line in lines_of(table["faults"]))
    outcomes.update(dict.fromkeys(table["timeouts"].split(), "timeout"))
    outcomes = {(core, name): outcome for name, outcome in outcomes.items() for core in expected_cores(table)}
    return outcomes | dict.fromkeys(expected_skips(table), "skipped")


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def check_outcomes(run, table, probes):
    expected = expected_outcomes(table, probes)
    found = {(end["core"], end["probe"]): end["outcome"] for end in run.of("end")}
    complaints = [f"{which[1]} ends as {found.get(which)} on core {which[0]}, not as {expected.get(which)}"
                  for which in sorted(expected.keys() | found.keys()) if found.get(which) != expected.get(which)]
    if len(found) != len(run.of("end")):
        complaints.append("a probe ends twice on a core")
    reasons = {(end["core"], end["probe"]): end.get("reason", "") for end in run.of("end")}
    for which, pattern in expected_skips(table).items():
        if not re.search(pattern, reasons.get(which, "")):
            complaints.append(f"{which[1]} is skipped on core {which[0]} for this reason: {reasons.get(which)!r}")
    failed = {"fault", "timeout"} & set(expected.values()) or "cut short" in table["records"]
    status = 1 if failed or not expected else 0
    if run.one("done").get("status") != status:
        complaints.append(f"done has the status {run.one('done').get('status')}, not {status}")
    return complaints


def check_faults(run, table):
    """
    Lines of the table: probe, vector, and what the address is: `none`, the `pc`, `data` (any other address), or a
    physical `frame` where the instruction that touched it is not known.
    """
    complaints, found = [], {(fault["core"], fault["probe"]): fault for fault in run.of("fault")}
    for core, line in itertools.product(expected_cores(table), lines_of(table["faults"])):
        probe, vector, address = line.split()
        fault = found.pop((core, probe), None)
        if not fault:
            complaints.append(f"{probe} has no fault record of core {core}")
            continue
        touched, pc = int(fault["address"], 16), int(fault["pc"], 16)
        kind = "none" if touched == 0 else "pc" if touched == pc else "data" if touched >= HIGH_HALF else "frame"
        if fault["vector"] != vector or kind != address or (pc < HIGH_HALF) != (pc == 0 and kind == "frame"):
            complaints.append(f"the fault of {probe} is not {vector} at {address}: {fault}")
    return complaints + [f"unexpected fault: {fault}" for fault in found.values()]


def check_warnings(run, table):
    """Lines of the table, `subject: pattern`: each has a warning that matches, and each warning matches a line."""
    complaints = []
    expected = [[part.strip() for part in line.split(":", 1)] for line in lines_of(table["warnings"])]
    missing = list(expected)
    for warning in run.of("warning"):
        matches = [[subject, pattern] for subject, pattern in expected
                   if warning["subject"] == subject and re.search(pattern, warning["text"])]
        if not matches:
            complaints.append(f"unexpected warning: {warning['subject']}: {warning['text']}")
        missing = [line for line in missing if line not in matches]
    return complaints + [f"there is no warning {subject}: {pattern}" for subject, pattern in missing]


def check_fields(run, table):
    """
    Lines of the table: record.field = JSON, or >= number, or ~ pattern; `= absent` where the field must be missing. A
    line holds for each record of its kind, with kind[N] only for that of the N-th core.
    """
    complaints = []
    for line in lines_of(table["fields"]):
        path, operator, wanted = line.split(None, 2)
        kind, *keys = path.split(".")
        kind, _, index = kind.rstrip("]").partition("[")
        for value in run.of(kind)[int(index) : int(index) + 1] if index else run.of(kind) or [{}]:
            for key in keys:
                value = value.get(key, "absent") if isinstance(value, dict) else "absent"
            if operator == ">=":
                good = isinstance(value, (int, float)) and value >= json.loads(wanted)
            elif operator == "~":
                good = isinstance(value, str) and re.search(wanted, value)
            else:
                good = value == ("absent" if wanted == "absent" else json.loads(wanted))
            if not good:
                complaints.append(f"{path} is {value!r}, not {operator} {wanted}")
    return complaints


def check_pages(run, table):
    """
    debug_pages has read correctly through pages of every size of the environment, with their frames in order and not,
    or gives the reason why the memory is too small for that size.
    """
    rows = [row for row in run.of("table") if row["name"] in ("pages", "ordered_pages")]
    if not rows:
        return []
    complaints = []
    small = {int(size) for size in table["memory_lacks_pages"].split()}
    tried = [(row["core"], row["page_bytes"], row["name"]) for row in rows]
    there = [
        (record["core"], size, name)
        for record in run.of("environment")
        for size in record["page_bytes"]
        for name in ("pages", "ordered_pages")
    ]
    if tried != there:
        complaints.append(f"pages of these cores and sizes were tried: {tried}; the environment has {there}")
    for row in rows:
        if row["page_bytes"] in small:
            if row["good"] or "contiguous memory" not in row.get("reason", ""):
                complaints.append(f"the memory is too small for these pages, but the row does not say so: {row}")
        elif not row["good"]:
            complaints.append(f"pages are not read correctly: {row}")
    return complaints


def check(run, table, probes):
    """All of the above."""
    complaints = check_outcomes(run, table, probes) + check_faults(run, table) + check_warnings(run, table)
    return complaints + check_fields(run, table) + check_pages(run, table)
