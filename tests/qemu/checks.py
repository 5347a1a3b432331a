"""What a run in QEMU must leave behind: the rules that hold for every run, and all of them together.

What the table of a run expects beside them is in expectations.py, the rules that a table asks for by name in
special.py. Everything here reads only the bytes that the run left, so that selftest.py can check that damaged ones are
noticed. Each function returns complaints, one sentence each; none means that all is well.
"""

import itertools
import json
import re

import expectations
import records
import special

# What firmware prints when it crashes.
BANNER = rb"fathom: finds out how this core is built"
CRASH = re.compile(rb"!!!! \w+ Exception|Synchronous (Exception|Abort)|ASSERT|Invalid Opcode|Unhandled|Resetting CPU")


class Run:
    """The records of one run: those of the serial line, those of its result file, or both."""

    def __init__(self, serial, volume):
        self.serial, self.volume = serial, volume  # lines, as bytes; None for a sink that was not used
        longest = volume if serial is None or len(volume or ()) > len(serial) else serial
        self.records = [json.loads(line) for line in longest]

    def of(self, kind):
        return [record for record in self.records if record["t"] == kind]

    def one(self, kind):
        found = self.of(kind)
        return found[0] if len(found) == 1 else {}


def split_runs(lines):
    """Splits lines into runs. Each begins with its `run` record, or a warning that no volume could be written."""
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
    """Lines of a result file, and complaints about it. Unlike a serial log it holds nothing but records."""
    lines = data.split(b"\n")
    last = lines.pop()
    complaints = [f"line {i} of the file is not a whole record: {line[:60]!r}"
                  for i, line in enumerate(lines, 1) if not records.good(line)]
    if last:
        complaints.append(f"the file ends within a line: {last[:60]!r}")
    return lines, complaints


def declared(listing):
    """Probes and their findings, from `fathom list --findings`: name -> (runs only when named, findings)."""
    probes = {}
    for line in listing.splitlines():
        words = line.split()
        if line.startswith(" "):
            probes[name][1].add((words[0], words[1]))
        elif words:
            name = words[0]
            probes[name] = ("(only when named" in line, set())
    return probes


def families(listing):
    """Family -> its probes that run without being named, from the same output."""
    found = {}
    for line in listing.splitlines():
        words = line.split()
        if words and not line.startswith(" ") and "(only when named" not in line:
            found.setdefault(words[1], []).append(words[0])
    return found


# ---- Rules for every run ---------------------------------------------------------------------------


def check_sinks(run, table):
    """Serial line and volume hold the records that the table says."""
    if table["records"] == "serial":
        return ["there is a result file, and none was expected"] if run.volume is not None else []
    if table["records"] == "volume":
        return ["there are records on serial, and none were expected"] if run.serial is not None else []
    if run.volume is None:
        return ["there is no result file"]
    if run.serial is None:
        return ["there are no records on serial"]
    if table["records"] == "findings":
        bulk = (b'{"t":"curve"', b'{"t":"matrix"', b'{"t":"table"')
        brief = [line for line in run.volume if not line.startswith(bulk)]
        if run.serial != brief or len(brief) == len(run.volume):
            return [f"serial has {len(run.serial)} records, not the {len(brief)} that are no curves or tables"]
        return []
    if table["records"] == "volume cut short":
        # The volume can't hold the warning that it failed. Serial may have that warning before the last records that
        # the volume took but could not flush.
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
    The records that every run has, each once and in its place; and no emulator's clock is trusted. The run recognises
    an emulator where the core identifies itself as one: on AArch64 only the core's own ID register can show it
    (arch/aarch64/identify.c).
    """
    kinds = [record["t"] for record in run.records]
    cores = expectations.expected_cores(table)
    complaints = [f"there are {kinds.count(kind)} {kind} records" for kind in ("run", "done") if kinds.count(kind) != 1]
    # The core that booted is described before it is taken, also where it does not measure.
    described = [0] + [core for core in cores if core != 0]
    complaints += [f"there are {kind} records of the cores {found}, not of {wanted}"
                   for kind, wanted in (("machine", described), ("environment", cores))
                   if (found := [record["core"] for record in run.of(kind)]) != wanted]
    nothing_kept = table["records"] == "volume cut short" and not run.volume
    if kinds[nothing_kept : nothing_kept + 1] != ["run"]:
        complaints.append("the first record is not `run`")
    if kinds[-1:] != ["done"]:
        complaints.append(f"the run did not end: its last record is {run.records[-1] if run.records else None}")
    if {machine["emulator"] for machine in run.of("machine")} != \
            {table["isa"] == "x86_64" or table["cpu"].split(",")[0] == "max"}:
        complaints.append("the machine record is wrong about whether this is an emulator")
    if run.one("done").get("trusted") is not False or not run.one("done").get("untrusted_cause"):
        complaints.append("the run trusts the emulator's clock")
    return complaints


def check_order(run):
    """Each `start` has its `end` before the next one, and every record of a probe stands between the two."""
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
    """The counts in `done` are those of the records."""
    done, ends = run.one("done"), run.of("end")
    outcomes = [end["outcome"] for end in ends]
    counted = {outcome: outcomes.count(outcome) for outcome in ("ok", "skipped", "fault", "timeout")}
    counted["findings"] = len(run.of("finding"))
    counted["cores"] = len(run.of("environment"))
    return [f"done says {key} = {done.get(key)}, the records show {value}"
            for key, value in counted.items() if done.get(key) != value]


def check_findings(run, probes):
    """Every finding is declared by its probe, and undecided, because an emulator's times mean nothing."""
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


# ---- All of it -------------------------------------------------------------------------------------


def check_run(run, table, probes, index):
    """One run of a boot; `index` counts the runs from 1. table["repeat"] is the length of the series they belong to."""
    complaints = check_sinks(run, table) + check_frame(run, table)
    if complaints:
        return complaints  # all other rules would complain about the same
    complaints += check_order(run) + check_done(run) + check_findings(run, probes) + check_curves(run)
    complaints += expectations.check(run, table, probes)
    for name in table["checks"].split():
        complaints += special.CHECKS[name](run, table)
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


DUMPED = re.compile(rb"^([0-9a-f]{8}): ((?:[0-9a-f]{8} )+)", re.MULTILINE)


def check_dumps(serial):
    """What U-Boot's `md` shows at an address is the same each time."""
    dumps = [(at.decode(), words.decode().strip()) for at, words in DUMPED.findall(serial)]
    first = dict(reversed(dumps))
    complaints = [] if len(dumps) >= 3 * len(first) > 0 else [f"U-Boot shows {len(dumps)} values, not each three times"]
    return complaints + [f"U-Boot shows {words} at {at}, and {first[at]} before"
                         for at, words in dumps if words != first[at]]


def check_boot(serial, files, table, probes):
    """
    Everything that one boot left: `serial`, all bytes of the serial line, and `files`, the contents of the result files
    that it made, oldest first.
    """
    complaints = []
    crash = CRASH.search(serial)
    if crash:
        complaints.append(f"the firmware crashed: {crash[0].decode()}")
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
    """After a power cut: the volume holds every record that serial had announced, whole and in order."""
    announced = records.read(serial.split(b"\n")).lines
    if len(files) > 1:
        return [f"there are {len(files)} result files after one boot"]
    kept = files[0].split(b"\n") if files else []
    complaints = []
    for i, line in enumerate(announced):
        if i >= len(kept) or kept[i] != line:
            complaints.append(f"record {i + 1} of {len(announced)} was announced and is not there: {line[:80]!r}")
            break
    complaints += [f"line {i} of the file is not a whole record: {line[:60]!r}"
                   for i, line in enumerate(kept[:-1], 1) if not records.good(line)]
    return complaints


# What edk2's boot manager prints about an image that it may not start (UEFI 2.10, 7.4.1: EFI_SECURITY_VIOLATION, or
# EFI_ACCESS_DENIED where the image may not even be listed).
REFUSED = re.compile(rb"failed to (?:load|start) Boot\d+ .*: (?:Access Denied|Security Violation)")


def check_refused(serial, files):
    """Secure Boot kept the image from starting."""
    complaints = []
    if not REFUSED.search(serial):
        complaints.append(f"the image was not refused; the serial line ends with {serial[-200:]!r}")
    if files or b"fathom" in serial or records.read(serial.split(b"\n")).lines:
        complaints.append("the image has run")
    return complaints


def check_hang(serial, files, kind, name):
    """A run that hung: the last record, on serial and on the volume, is the `start` of that probe, or that `stage`."""
    complaints = []
    log = records.read(serial.split(b"\n"))
    for place, lines in [("serial", log.lines)] + [("the volume", read_file(data)[0]) for data in files]:
        last = json.loads(lines[-1]) if lines else {}
        if (last.get("t"), last.get("stage" if kind == "stage" else "probe")) != (kind, name):
            complaints.append(f"the last record on {place} is not the {kind} of {name}: {last}")
    if len(files) != 1:
        complaints.append(f"there are {len(files)} result files after one boot")
    return complaints


# A stage's record, and the line on the console behind it. The first stages have none: they are recorded later.
SHOWN = re.compile(rb'\{"t":"stage","stage":"([\w-]+)","core":(\d+)[^\n]*\n(?:(?!\{"t":).)*?\d+ ms  ([^\r\n\x1b]+)', re.DOTALL)


def stage_texts(serial):
    """`name@core` -> the texts with which the console announces that stage; a core that booted has it twice at most."""
    texts = {}
    for name, core, text in SHOWN.findall(serial):
        texts.setdefault(f"{name.decode()}@{core.decode()}", set()).add(text.decode())
    return texts


def check_named(serial, stage, texts):
    """The last line on the console is one that announces the stage `name@core` in a run that does not hang."""
    shown = stage_texts(b'{"t":"stage"' + serial.rpartition(b'{"t":"stage"')[2])
    known = texts.get(stage, set())
    return [] if list(shown) == [stage] and shown[stage] <= known else \
        [f"the console shows {shown} last, and {sorted(known)} in a run that does not hang"]


def check_omitted(data, stage):
    """A run with one stage left out came to its end."""
    lines, complaints = read_file(data)
    found = [json.loads(line) for line in lines]
    left_out = {f"{record['stage']}@{record['core']}" for record in found if record.get("skipped")}
    if left_out != {stage} or not found or found[-1]["t"] != "done":
        complaints.append(f"a run without {stage} leaves out {sorted(left_out)}, and ends with {found[-1:]}")
    return complaints


def check_crash(serial, stage):
    """A fault outside of measured code: fathom describes it, and only then the firmware."""
    mine = re.search(rb"fathom has stopped: ([\w-]+) outside of measured code, in the step \"([\w-]+)\".*?"
                     rb"fathom's image \+ [0-9a-f]+", serial, re.DOTALL)
    if not mine:
        return ["the fault is not described"]
    crash = CRASH.search(serial)
    complaints = [] if mine[2] == stage.encode() else [f"the fault is said to be in the step {mine[2]!r}"]
    if mine[1] not in (b"general-protection", b"data-abort"):
        complaints.append(f"the fault is called {mine[1]!r}")
    if crash and crash.start() < mine.start():
        complaints.append("the firmware speaks first")
    return complaints


def check_watchdog(data, config):
    """The watchdog was armed for the seconds of the configuration, and its registers say that it may reset."""
    found = [record["watchdog"] for record in map(json.loads, read_file(data)[0])
             if record["t"] == "environment" and "watchdog" in record]
    if not found:
        return ["no watchdog was armed"]
    registers = {name: int(value, 16) for name, value in found[0]["registers"].items()}
    complaints = []
    if f"watchdog = {found[0]['seconds']}" not in config:
        complaints.append(f"the watchdog was armed for {found[0]['seconds']} seconds")
    # The timer is not halted (TCO1_CNT), NO_REBOOT is clear (GCS), and the time in ticks of 0.6 s is at least as long.
    if registers["TCO1_CNT armed"] & 1 << 11 or registers["GCS armed"] & 1 << 5 or \
            not 0 <= (registers["TCO_TMR armed"] & 0x3ff) * 0.6 - found[0]["seconds"] < 0.6:
        complaints.append(f"the registers of the watchdog are {found[0]['registers']}")
    return complaints


def check_left_out(result, data, stage):
    """The boot after one that hung in a stage: it comes to its end, leaves the stage out, and says so everywhere."""
    lines, complaints = read_file(data)
    found = [json.loads(line) for line in lines]
    left_out = {f"{record['stage']}@{record['core']}" for record in found if record["t"] == "stage" and record.get("skipped")}
    if not result.ended or not found or found[-1]["t"] != "done":
        complaints.append(f"the second boot does not come to its end; the serial line ends with {result.serial[-200:]!r}")
    if left_out != {stage}:
        complaints.append(f"the second boot leaves out {sorted(left_out)}")
    if not re.search(rb"left out, since it hung: ", result.serial):
        complaints.append("the second boot does not say on the console that something is left out")
    return complaints
