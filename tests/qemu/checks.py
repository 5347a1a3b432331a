"""What a run in QEMU must have left behind: the rules that hold for every run, and those its table names.

Everything here looks at bytes only, so that selftest.py can hand it broken ones. Each function gives
back complaints, one sentence each; none means that all is well.
"""

import collections
import itertools
import json
import re
import subprocess

import records

# What firmware prints when it lost control.
CRASH = re.compile(rb"!!!! \w+ Exception|Synchronous (Exception|Abort)|ASSERT|Invalid Opcode|Unhandled|Resetting CPU")
# Windows run in the upper half of the address space on both instruction sets (arch/own.h).
HIGH_HALF = 0xFFFF_8000_0000_0000


class Run:
    """The records of one run: those that came over serial, those in its file, or both."""

    def __init__(self, serial, volume):
        self.serial, self.volume = serial, volume  # lines, as bytes; None where that sink was not used
        longest = volume if serial is None or len(volume or ()) > len(serial) else serial
        self.records = [json.loads(line) for line in longest]

    def of(self, kind):
        return [record for record in self.records if record["t"] == kind]

    def one(self, kind):
        found = self.of(kind)
        return found[0] if len(found) == 1 else {}


def split_runs(lines):
    """Parts lines into runs. Each begins with its `run` record, or with the warning that no volume took it."""
    runs, begun = [], True
    for line in lines:
        begins = line.startswith(b'{"t":"run"')
        if not runs or (begins and begun):
            runs.append([])
            begun = False
        begun |= begins
        runs[-1].append(line)
    return runs


def read_file(data):
    """Lines of a result file and what is wrong with it. Unlike a serial log it holds nothing but records."""
    lines = data.split(b"\n")
    last = lines.pop()
    complaints = [f"line {i} of the file is no whole record: {line[:60]!r}"
                  for i, line in enumerate(lines, 1) if not records.good(line)]
    if last:
        complaints.append(f"the file ends within a line: {last[:60]!r}")
    return lines, complaints


def declared(listing):
    """Probes and their findings from what `fathom list --findings` prints: name -> (only when named, findings)."""
    probes = {}
    for line in listing.splitlines():
        words = line.split()
        if line.startswith(" "):
            probes[name][1].add((words[0], words[1]))
        elif words:
            name = words[0]
            probes[name] = (line.endswith("(only when named)"), set())
    return probes


def families(listing):
    """Family -> its probes that run unnamed, from the same text."""
    found = {}
    for line in listing.splitlines():
        words = line.split()
        if words and not line.startswith(" ") and not line.endswith("(only when named)"):
            found.setdefault(words[1], []).append(words[0])
    return found


# ---- Rules for every run ---------------------------------------------------------------------------


def check_sinks(run, table):
    """Serial and volume hold the same bytes, where both were to hold them."""
    if table["records"] == "serial":
        return ["there is a result file, and none was expected"] if run.volume is not None else []
    if table["records"] == "volume":
        return ["there are records on serial, and none were expected"] if run.serial is not None else []
    if run.volume is None:
        return ["there is no result file"]
    if run.serial is None:
        return ["there are no records on serial"]
    if table["records"] == "findings":
        spared = [line for line in run.volume if not line.startswith((b'{"t":"curve"', b'{"t":"matrix"', b'{"t":"table"'))]
        if run.serial != spared or len(spared) == len(run.volume):
            return [f"serial has {len(run.serial)} records, not those {len(spared)} that are no curves or tables"]
        return []
    if table["records"] == "volume cut short":
        # The volume can't hold the warning that it failed. What it took and could not flush may follow that.
        others = [line for line in run.serial if not line.startswith(b'{"t":"warning","subject":"volume"')]
        if len(run.volume) < len(others) < len(run.serial) and run.volume == others[: len(run.volume)]:
            return []
        return [f"the volume's {len(run.volume)} records are not the first ones of serial's {len(run.serial)}"]
    for i, (one, other) in enumerate(zip(run.serial, run.volume), 1):
        if one != other:
            return [f"record {i} differs: serial {one[:80]!r}, volume {other[:80]!r}"]
    if len(run.serial) != len(run.volume):
        return [f"serial has {len(run.serial)} records, the volume {len(run.volume)}"]
    return []


def check_frame(run, table):
    """
    The records every run has, each once and in its place; and the run trusts no emulator. It knows one
    by name where the core tells: AArch64 has only the core's own identity for that (arch/aarch64/identify.c).
    """
    kinds = [record["t"] for record in run.records]
    cores = expected_cores(table)
    complaints = [f"there are {kinds.count(kind)} {kind} records" for kind in ("run", "done") if kinds.count(kind) != 1]
    complaints += [f"there are {kind} records of the cores {found}, not of {cores}" for kind in ("machine", "environment")
                   if (found := [record["core"] for record in run.of(kind)]) != cores]
    nothing_kept = table["records"] == "volume cut short" and not run.volume
    if kinds[nothing_kept : nothing_kept + 1] != ["run"]:
        complaints.append("the first record is not `run`")
    if kinds[-1:] != ["done"]:
        complaints.append(f"the run did not end: its last record is {run.records[-1] if run.records else None}")
    if {machine["emulator"] for machine in run.of("machine")} != \
            {table["isa"] == "x86_64" or table["cpu"].split(",")[0] == "max"}:
        complaints.append("the run's idea of an emulator is wrong")
    if run.one("done").get("trusted") is not False or not run.one("done").get("untrusted_cause"):
        complaints.append("the run trusts the emulator's clock")
    return complaints


def check_order(run):
    """Each `start` has its `end` before the next, and what belongs to a probe stands between the two."""
    complaints, open_probe = [], None
    for record in run.records:
        kind, probe = record["t"], record.get("probe")
        if kind == "start":
            if open_probe:
                complaints.append(f"{probe} starts before {open_probe} ended")
            open_probe = probe
        elif kind == "end":
            if probe != open_probe and record["outcome"] != "skipped":
                complaints.append(f"{probe} ends without having started")
            open_probe = None
        elif probe and probe != open_probe:
            complaints.append(f"a {kind} record of {probe} stands outside of its probe")
    if open_probe:
        complaints.append(f"{open_probe} started and never ended")
    return complaints


def check_done(run):
    """What `done` counts is what the records show."""
    done, ends = run.one("done"), run.of("end")
    outcomes = [end["outcome"] for end in ends]
    counted = {outcome: outcomes.count(outcome) for outcome in ("ok", "skipped", "fault", "timeout")}
    counted["findings"] = len(run.of("finding"))
    counted["cores"] = len(run.of("machine"))
    return [f"done says {key} = {done.get(key)}, the records show {value}"
            for key, value in counted.items() if done.get(key) != value]


def check_findings(run, probes):
    """Declared, and undecided, since an emulator's times mean nothing."""
    complaints = []
    for finding in run.of("finding"):
        name = finding["name"]
        if (name, finding["unit"]) not in probes.get(finding["probe"], (False, set()))[1]:
            complaints.append(f"{finding['probe']} does not declare the finding {name} in {finding['unit']}")
        if finding["grade"] != "U" or finding["value"] is not None or not finding.get("reason"):
            complaints.append(f"{name} is decided in an emulator: {finding}")
    return complaints


def check_curves(run):
    return [f"the arrays of curve {curve['name']} have different lengths"
            for curve in run.of("curve")
            if len({len(value) for key, value in curve.items()
                    if isinstance(value, list) and key not in ("knees", "levels")}) != 1]


# ---- What the table expects ------------------------------------------------------------------------


def expected_cores(table):
    return [int(core) for core in table["cores"].split()]


def expected_skips(table):
    """(core, probe) -> pattern of the reason. A line is of every core, or probe@N: of that one."""
    skips = {}
    for line in lines_of(table["skips"]):
        name, _, pattern = line.partition(":")
        name, _, core = name.partition("@")
        skips.update({(number, name): pattern.strip() for number in ([int(core)] if core else expected_cores(table))})
    return skips


def expected_outcomes(table, probes):
    """(core, probe) -> outcome. The gate, clock, runs always."""
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
    status = 1 if {"fault", "timeout"} & set(expected.values()) or "cut short" in table["records"] else 0
    if run.one("done").get("status") != status:
        complaints.append(f"done has the status {run.one('done').get('status')}, not {status}")
    return complaints


def check_faults(run, table):
    """
    Lines of the table: probe, vector, and what the address is: `none`, the `pc`, `data` elsewhere, or a `frame` that
    nobody knows who touched.
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
    """Lines of the table: subject: pattern. Each has its warning, and each warning has its line."""
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
    Lines of the table: record.field = JSON, or >= number, or ~ pattern; `absent` where it must not be. What is said of a
    kind holds for each record of it; kind[N] is that of the N-th core alone.
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
    debug_pages read through every page size there is, its frames in order and not, or says why the memory at hand has
    none.
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
                complaints.append(f"memory was too small to try these pages, yet: {row}")
        elif not row["good"]:
            complaints.append(f"pages are not read correctly: {row}")
    return complaints


def check_accessed(run, table):
    """
    The pages that the core noted as accessed are those that debug_accessed touched, of every size; or the memory has none
    of them. Of QEMU's AArch64 cores only `max` notes it.
    """
    rows = [row for row in run.of("table") if row["name"] == "accessed_pages"]
    small = {int(size) for size in table["memory_lacks_pages"].split()}
    notes = table["isa"] == "x86_64" or table["cpu"].split(",")[0] == "max"
    sizes = [row["page_bytes"] for row in rows]
    complaints = [] if sizes == [size for record in run.of("environment") for size in record["page_bytes"]] else \
        [f"accesses to pages of other sizes were looked at: {sizes}"]
    for row in rows:
        if row["page_bytes"] in small:
            good = not row["good"] and "contiguous memory" in row.get("reason", "")
        else:
            good = row["good"] if notes else "does not set access flags" in row.get("reason", "")
        if not good:
            complaints.append(f"the pages that were accessed are others: {row}")
    return complaints


def check_silence(run, table):
    """
    The proof of silence (probes/system/noise.c). Under instruction counting an instruction takes 2^icount
    ns, so whatever else runs on the core shows. In windows, also where the tick runs on and is only masked,
    every repetition takes the same, a kernel twice as long costs the same constant to read, and a spinning
    core sees no gap; where interrupts are handled as they come, it does, and repetitions differ.

    AArch64 counts instructions (INST_RETIRED); its time stamp ticks every 16 ns, so lengths are the same
    when they are the two neighbours of the exact one. The time stamp of x86-64 is the instruction count.
    """
    rows = [row for row in run.of("table") if row["name"] == "silence"]
    kinds = [(row["window"], row["length"]) for row in rows]
    if kinds != [(window, length) for window in ("stopped", "masked", "none") for length in ("10us", "20ms")] \
            + [("stopped", "twice")]:
        return [f"the silence tables are not those expected: {kinds}"]
    complaints, constants = [], []
    tick_hz = run.one("machine")["tick_hz"]
    ns = 1 << int(table["icount"])
    counted = "max_instructions" in rows[0]
    if counted != (table["isa"] == "aarch64"):
        complaints.append("instructions are counted on AArch64, and there only")
    for row in rows:
        low, high = (row["min_instructions"], row["max_instructions"]) if counted else \
                    (row["min_ticks"] / ns, row["max_ticks"] / ns)
        if row["kernel_instructions"] * ns < {"10us": 10e3, "20ms": 20e6, "twice": 40e6}[row["length"]]:
            complaints.append(f"the kernel is too short: {row}")
        if row["window"] == "none":
            alike = low == high or row["min_ticks"] == row["max_ticks"]
            if row["length"] == "20ms" and (alike or low <= row["kernel_instructions"] + max(constants)):
                complaints.append(f"without a window nothing disturbs: {row}")
            continue
        if low != high or row["cut"]:
            complaints.append(f"in a window repetitions differ: {row}")
        constants.append(low - row["kernel_instructions"])
        if counted:
            exact = low * ns * tick_hz / 1e9
            if row["max_ticks"] - row["min_ticks"] > 1 or abs(row["min_ticks"] - exact) > 2:
                complaints.append(f"ticks are not those of the instructions: {row}")
    if len(set(constants)) != 1 or not 0 < constants[0] < 50:
        complaints.append(f"reading costs no constant: {constants}")
    else:
        table["notes"].append(f"reading costs {constants[0]:g} instructions, whatever the kernel's length")
    return complaints + check_gaps(run, table)


def check_gaps(run, table):
    """The curves of gaps. The firmware's tick comes every 10 ms of a clock that a busy host makes run faster; a window
    of `none` is open for 0.1 s in all, in many pieces, few of which it meets."""
    complaints, seen = [], {}
    for curve in run.of("curve"):
        if curve["name"].startswith("gaps "):
            seen[curve["window"]] = curve
    if list(seen) != ["stopped", "masked", "none"]:
        return [f"there are curves of gaps for {list(seen)}"]
    for window, curve in seen.items():
        gaps = sum(curve["count"])
        if curve["seconds"] < 0.1 or curve["cut"] or not 0 < curve["period_ns"] <= curve["threshold_ns"]:
            complaints.append(f"the core did not spin as it should: {curve}")
        if window != "none" and gaps:
            complaints.append(f"a window is not silent, {gaps} gaps: {curve}")
        if window == "none" and not 1 <= gaps < curve["lists"] / 2:
            complaints.append(f"without a window the tick is not seen: {curve}")
        table["notes"].append(f"{window}: {gaps} gaps in {curve['seconds']:.3f} s, {curve['lists']} windows")
    return complaints


# ---- Memory probes ----------------------------------------------------------------------------------

MEMORY_SECONDS = 90  # for all memory probes at smoke, on each core


def check_memory(run, table):
    """
    Data TLBs were measured with every page size and granule of the core, but those that the memory lacks; all probes
    together took no longer than they may; and kernels that say how many pages they touch were held to it.
    """
    lacks = {int(size) for size in table["memory_lacks_pages"].split()}
    measured = {curve["page"] for curve in run.of("curve") if curve["probe"] == "dtlb"}
    wanted = {page_name(size) for size in run.one("environment")["page_bytes"] if size not in lacks}
    seconds = sum(end["seconds"] for end in run.of("end"))
    table["notes"].append(f"page sizes: {' '.join(sorted(measured))}; {seconds:.1f} s in probes")
    complaints = [f"memory probes took {seconds} s"] if seconds > MEMORY_SECONDS else []
    if measured != wanted:
        complaints.append(f"data TLBs were measured with pages of {measured}, and not {wanted}")
    return complaints + [f"nobody looked which pages were touched: {curve['probe']}, {curve['name']}"
                         for curve in run.of("curve") if curve.get("held_to_pages", len(curve["x"])) < len(curve["x"])]


def page_name(size):
    """As findings have it: 4k, 2m, 1g."""
    for unit in "bkm":
        if size < 1024:
            return f"{size}{unit}"
        size //= 1024
    return f"{size}g"


# ---- Verdicts --------------------------------------------------------------------------------------


def verdict_lines(lines):
    """The rows of the probe debug_verdicts, as bytes."""
    return [line for line in lines if line.startswith(b'{"t":"table","probe":"debug_verdicts"')]


def verdicts(program):
    """What a Linux program decides; `program` is the beginning of its command line."""
    done = subprocess.run([*program, "run", "debug_verdicts", "--json", "-"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=300, check=True)
    return verdict_lines(records.read(done.stdout.split(b"\n")).lines)


def compare_verdicts(found, reference):
    """The same rows, to the last byte; and enough of them, of which enough decide something."""
    rows = [json.loads(line) for line in reference]
    decided = sum(bool(row.get("knees")) for row in rows)
    if len(rows) < 500 or decided < 50 or rows[-1]["name"] != "verdicts":
        return [f"the reference has {len(rows)} rows, {decided} of which decide something"]
    for i, (one, other) in enumerate(zip(found, reference), 1):
        if one != other:
            return [f"verdict {i} of {len(reference)} differs: {one!r}, and not {other!r}"]
    return [] if len(found) == len(reference) else [f"there are {len(found)} verdicts, and not {len(reference)}"]


def check_verdicts(run, table):
    """The image decides as the Linux program does (probes/system/verdicts.c)."""
    found = verdict_lines(run.volume)
    table["notes"].append(f"{len(found)} rows, {json.loads(found[-1]).get('hash') if found else 'no hash'}")
    return compare_verdicts(found, table["verdicts"]())


# ---- Counters --------------------------------------------------------------------------------------

# QEMU's PMUv3 has so many event counters on its model `max`, besides the one of cycles; PMCR_EL0.N tells.
EVENT_COUNTERS = 6
INST_RETIRED, CPU_CYCLES = "0x8", "0x11"


def check_counters(run, table):
    """
    Under instruction counting every counter is exact (probes/system/counters.c): INST_RETIRED counts what the
    emitter says it emitted, and CPU_CYCLES one for each instruction, since the model's clock is 1 GHz and an
    instruction takes 2^0 ns.
    """
    complaints, exact = [], 0
    tables = [record for record in run.of("table") if record.get("probe") == "counters"]
    each = [record for record in tables if record["name"] == "each-counter"]
    slots = [sorted(row.get("slot", -1) for row in record["rows"]) for record in each]
    general = list(range(EVENT_COUNTERS))
    if slots != [general, general + [32]]:
        complaints.append(f"instructions and cycles were not counted on each counter: {slots}")
    if len(tables) - len(each) != 8:
        complaints.append(f"there are {len(tables) - len(each)} tables of kernels, not 8")
    for record in tables:
        for row in record["rows"]:
            if row["code"] not in (INST_RETIRED, CPU_CYCLES):
                continue
            exact += 1
            if not row.get("mean") == row.get("min") == row.get("max") == record["emitted"]["instructions"]:
                complaints.append(f"{record['kernel']} executes {record['emitted']}, and a counter says {row}")
    if exact < 7 + 6 + 8:
        complaints.append(f"only {exact} exact counts were there to look at")
    table["notes"].append(f"{exact} counts, each exact to the last instruction")
    return complaints


# ---- What kernels execute ----------------------------------------------------------------------------

MEASURED = ("probe", "name", "x", "q20", "median", "samples", "rejected")


def check_exact(run, table):
    """
    Under instruction counting a kernel takes as many cycles as it executes instructions, so a second run of the same
    probes in the same boot brings the same curves, to the last digit: nothing but the kernels was measured.
    """
    curves = [{key: curve[key] for key in MEASURED if key in curve} for curve in run.of("curve")]
    points = sum(y is not None for curve in curves for y in curve["q20"])
    first = table.setdefault("first_curves", curves)
    if first is curves:
        return [] if points >= 10 else [f"there are {points} points in {len(curves)} curves"]
    table["notes"].append(f"{len(curves)} curves of {points} points, the same twice")
    if [(c["probe"], c["name"]) for c in first] != [(c["probe"], c["name"]) for c in curves]:
        return [f"the second run has other curves: {[c['name'] for c in curves]}"]
    return [f"the second time a curve differs: {one}, then {other}" for one, other in zip(first, curves) if one != other]


# ---- Instructions -----------------------------------------------------------------------------------

# What an emulator leaves out of what it declares, or takes for a fault of the program, is told, never passed on.
EXPLAINED = {"register-in-use", "no-register-left", "not-steady", "divide-error",
             "another-instruction", "no-such-registers"}


def check_forms(run, table):
    """Every form of the catalogue executes, or is absent, or is not measured for a reason that is known."""
    rows = [row for record in run.of("table") if record.get("name") == "backend.instruction" for row in record["rows"]]
    states = collections.Counter(row[3] for row in rows)
    strange = [(row[0], row[4]) for row in rows if row[3] != "measured" and row[4] not in EXPLAINED
               and (row[3], row[4]) != ("absent", "undefined-instruction")]
    table["notes"].append(f"{len(rows)} forms: " + ", ".join(f"{count} {state}" for state, count in states.items()))
    complaints = [f"{len(strange)} forms end otherwise: {strange[:8]}"] if strange else []
    if len(rows) < 4000 or states["measured"] < len(rows) / 10:
        complaints.append(f"there are {len(rows)} forms, {states['measured']} of them measured")
    if len({row[0] for row in rows}) != len(rows):
        complaints.append("forms come twice")
    return complaints


SPECIAL = {"silence": check_silence, "verdicts": check_verdicts, "counters": check_counters, "exact": check_exact,
           "forms": check_forms, "memory": check_memory, "accessed": check_accessed}


# ---- All of it -------------------------------------------------------------------------------------


def check_run(run, table, probes, index):
    """One run of a boot; `index` counts them from 1. table["repeat"] says whether they are a series."""
    complaints = check_sinks(run, table) + check_frame(run, table)
    if complaints:
        return complaints  # the rest would only say so again
    complaints += check_order(run) + check_done(run) + check_findings(run, probes) + check_curves(run)
    complaints += check_outcomes(run, table, probes) + check_faults(run, table) + check_warnings(run, table)
    complaints += check_fields(run, table) + check_pages(run, table)
    for name in table["checks"].split():
        complaints += SPECIAL[name](run, table)
    head = run.one("run")
    wanted = {"platform": "uefi", "isa": table["isa"], "repeat": int(table["repeat"]),
              "repeat_index": index if int(table["repeat"]) > 1 else 1}
    complaints += [f"the run record says {key} = {head.get(key)!r}"
                   for key, value in wanted.items() if head.get(key) != value]
    if not head["destination"].startswith(table["destination"]):
        complaints.append(f"records go to {head['destination']!r}, not to {table['destination']!r}")
    lost = run.one("done")["lost_lines"]
    if (lost > 0) != (table["records"] == "volume cut short"):
        complaints.append(f"{lost} lines were lost")
    return complaints


def check_boot(serial, files, table, probes):
    """
    Everything one boot left: `serial`, the whole line's bytes, and `files`, the contents of the result
    files it made, oldest first.
    """
    complaints = []
    crash = CRASH.search(serial)
    if crash:
        complaints.append(f"the firmware lost control: {crash[0].decode()}")
    log = records.read(serial.split(b"\n"))
    if log.damaged:
        complaints.append(f"{log.damaged} records on serial are damaged")
    on_serial, on_volume = split_runs(log.lines), []
    for data in files:
        lines, wrong = read_file(data)
        on_volume.append(lines)
        if table["records"] != "volume cut short":
            complaints += wrong
    if complaints:
        return complaints
    if max(len(on_serial), len(on_volume)) != int(table["runs"]):
        return [f"there are {len(on_serial)} runs on serial and {len(on_volume)} on the volume, not {table['runs']}"]
    for index, (serial_lines, volume_lines) in enumerate(itertools.zip_longest(on_serial, on_volume), 1):
        complaints += check_run(Run(serial_lines, volume_lines), table, probes, index)
    return complaints


def check_cut(serial, files):
    """After a power cut: what serial had announced is on the volume, whole, and nothing before it is missing."""
    announced = records.read(serial.split(b"\n")).lines
    if len(files) > 1:
        return [f"there are {len(files)} result files after one boot"]
    kept = files[0].split(b"\n") if files else []
    complaints = []
    for i, line in enumerate(announced):
        if i >= len(kept) or kept[i] != line:
            complaints.append(f"record {i + 1} of {len(announced)} was announced and is not there: {line[:80]!r}")
            break
    complaints += [f"line {i} of the file is no whole record: {line[:60]!r}"
                   for i, line in enumerate(kept[:-1], 1) if not records.good(line)]
    return complaints


# What edk2's boot manager says of an image that it may not start (UEFI 2.10, 7.4.1: EFI_SECURITY_VIOLATION, or
# EFI_ACCESS_DENIED where it is not even to be listed).
REFUSED = re.compile(rb"failed to (?:load|start) Boot\d+ .*: (?:Access Denied|Security Violation)")


def check_refused(serial, files):
    """Secure Boot has kept it from starting."""
    complaints = [] if REFUSED.search(serial) else [f"it was not refused; the last words: {serial[-200:]!r}"]
    if files or b"fathom" in serial or records.read(serial.split(b"\n")).lines:
        complaints.append("it has run")
    return complaints


def check_hang(serial, files, probe):
    """A run that hung: its last record, here and there, is the start of the probe that hangs."""
    complaints = []
    log = records.read(serial.split(b"\n"))
    for place, lines in [("serial", log.lines)] + [("the volume", read_file(data)[0]) for data in files]:
        last = json.loads(lines[-1]) if lines else {}
        if (last.get("t"), last.get("probe")) != ("start", probe):
            complaints.append(f"the last record on {place} is not the start of {probe}: {last}")
    if len(files) != 1:
        complaints.append(f"there are {len(files)} result files after one boot")
    return complaints
