"""The rules that a table of runs asks for by name, in its key `checks`.

Each function gets a run and its table and returns complaints, one sentence each; none means that all is well. What a
rule has found beside that goes into the table's notes.
"""

import collections
import json
import os
import subprocess

import records


def check_accessed(run, table):
    """
    The pages that the core marked as accessed are exactly those that debug_accessed touched, for every page size that
    the memory is large enough for. Of QEMU's AArch64 models only `max` sets access flags.
    """
    rows = [row for row in run.of("table") if row["name"] == "accessed_pages"]
    small = {int(size) for size in table["memory_lacks_pages"].split()}
    has_flags = table["isa"] == "x86_64" or table["cpu"].split(",")[0] == "max"
    sizes = [row["page_bytes"] for row in rows]
    complaints = [] if sizes == [size for record in run.of("environment") for size in record["page_bytes"]] else \
        [f"the page sizes that were tried, {sizes}, are not those of the environment"]
    for row in rows:
        if row["page_bytes"] in small:
            good = not row["good"] and "contiguous memory" in row.get("reason", "")
        else:
            good = row["good"] if has_flags else "does not set access flags" in row.get("reason", "")
        if not good:
            complaints.append(f"the pages marked as accessed are not those that were touched: {row}")
    return complaints


# What the page must say on each instruction set; of AArch64 at EL2.
ON_PAGE = {
    "x86_64": "cpuid.00000001.0.eax microcode CR0 CR3 CR4 EFER XCR0 IA32_PAT IA32_MTRR_DEF_TYPE IA32_APIC_BASE "
              "LVT_TIMER LVT_LINT0 LVT_THERMAL acpi-pm-timer",
    "aarch64": "midr_el1 revidr_el1 MPIDR_EL1 id_aa64dfr0_el1 id_aa64mmfr0_el1 CurrentEL SCTLR_EL2 TCR_EL2 MAIR_EL2 "
               "HCR_EL2 CPTR_EL2 MDCR_EL2 CNTHCTL_EL2 cntfrq"}


def check_bringup(run, table):
    """The one bring-up page is in a record, on the console, and in the QR code that somebody reads off the screen."""
    pages = run.of("bringup")
    if len(pages) != 1:
        return [f"there are {len(pages)} bringup records"]
    page = pages[0]["lines"]
    complaints = [] if len(page) <= 25 and all(len(line) <= 80 for line in page) else \
        ["the bring-up page does not fit into 25 lines of 80 characters"]
    starts = ["fathom ", "firmware: ", "board: ", "time stamp ", "memory: ", "tick: ", "cores: ", "deadline: ",
              "addition "]
    missing = [start for start in starts if not any(line.startswith(start) for line in page)]
    words = ON_PAGE[table["isa"]].split() + ["firmware-stall", "NOP", "readings", "system management interrupts"] + \
        (["others by", "arrived"] if int(table["smp"]) > 1 else [])
    missing += [word for word in words if not any(word in line for line in page)]
    complaints += [f"the bring-up page lacks {missing}"] if missing else []
    if table["person"] and table["codes"] != ["\n".join(page)]:
        complaints.append(f"the QR code says {table['codes']}, not the lines of the record")
    return complaints


def check_no_bringup(run, _table):
    """An earlier run of this machine ended well, so there is no bring-up page."""
    return ["there is a bring-up page"] if run.of("bringup") else []


def check_second_core(run, table):
    """
    All probes take on the second core at most twice as long as on the first: a window there costs little. The first core
    waits in a loop meanwhile, so a host that cannot run both at once shows only how it shares its processors.
    """
    seconds = collections.Counter()
    for end in run.of("end"):
        seconds[end["core"]] += end["seconds"]
    table["notes"].append(", ".join(f"core {core}: {spent:.1f} s" for core, spent in seconds.items()))
    if os.getloadavg()[0] > os.cpu_count():
        table["notes"].append("these are not compared, since the host has more to do than it has processors")
        return [] if seconds[0] and seconds[1] else ["a core ran no probe"]
    return [] if 0 < seconds[1] <= 2 * seconds[0] else [f"core 1 takes {seconds[1]:.1f} s, and core 0 {seconds[0]:.1f} s"]


def check_beside(run, table):
    """Memory is loaded by all other cores at once, and none of them is left out."""
    said = {finding["condition"] for finding in run.of("finding") if finding["probe"] == "loaded_latency" and "condition" in finding}
    wanted = {f"{int(table['smp']) - 1} other cores"}
    return [] if said == wanted else [f"loaded_latency was measured beside {said}, not {wanted}"]


def check_silence(run, table):
    """
    The proof of silence (probes/system/noise.c). Under instruction counting every instruction takes 2^icount ns, so
    whatever else runs on the core shows. In windows, also in those where the firmware's tick goes on and is only
    masked, every repetition takes the same time, a kernel of twice the length adds the same constant for reading it,
    and a core that spins sees no gap in time. Without a window interrupts are handled: repetitions differ, and there
    are gaps.

    On AArch64 instructions are counted (INST_RETIRED); its time stamp ticks every 16 ns, so a length may be either of
    the two ticks next to the exact one. The time stamp of x86-64 is the instruction count.
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
                complaints.append(f"without a window nothing disturbs the kernel: {row}")
            continue
        if low != high or row["cut"]:
            complaints.append(f"repetitions in a window differ: {row}")
        constants.append(low - row["kernel_instructions"])
        if counted:
            exact = low * ns * tick_hz / 1e9
            if row["max_ticks"] - row["min_ticks"] > 1 or abs(row["min_ticks"] - exact) > 2:
                complaints.append(f"the ticks are not those of the instructions: {row}")
    if len(set(constants)) != 1 or not 0 < constants[0] < 50:
        complaints.append(f"reading the kernel does not cost a constant: {constants}")
    else:
        table["notes"].append(f"reading a kernel costs {constants[0]:g} instructions, whatever its length")
    return complaints + check_gaps(run, table)


def check_gaps(run, table):
    """
    The curves of gaps. The firmware's tick comes every 10 ms of a clock that a busy host makes run faster. Without a
    window the core spins for 0.1 s in all, in many short pieces, and the tick comes in few of them.
    """
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
            complaints.append(f"a window is not silent, it has {gaps} gaps: {curve}")
        if window == "none" and not 1 <= gaps < curve["lists"] / 2:
            complaints.append(f"without a window the tick does not show: {curve}")
        table["notes"].append(f"{window}: {gaps} gaps in {curve['seconds']:.3f} s, {curve['lists']} windows")
    return complaints


# ---- Memory probes ----------------------------------------------------------------------------------

MEMORY_SECONDS = 90  # for all memory probes at smoke, on each core


def check_memory(run, table):
    """
    Data TLBs were measured with every page size and granule of the core for which the memory is large enough; all
    probes together stayed below MEMORY_SECONDS; and kernels that declare how many pages they touch were checked against
    the pages that they touched.
    """
    lacks = {int(size) for size in table["memory_lacks_pages"].split()}
    measured = {curve["page"] for curve in run.of("curve") if curve["probe"] == "dtlb"}
    wanted = {page_name(size) for size in run.one("environment")["page_bytes"] if size not in lacks}
    seconds = sum(end["seconds"] for end in run.of("end"))
    table["notes"].append(f"page sizes: {' '.join(sorted(measured))}; {seconds:.1f} s in probes")
    complaints = [f"memory probes took {seconds} s"] if seconds > MEMORY_SECONDS else []
    if measured != wanted:
        complaints.append(f"data TLBs were measured with pages of {measured}, and not {wanted}")
    return complaints + [f"not all points were checked against their pages: {curve['probe']}, {curve['name']}"
                         for curve in run.of("curve") if curve.get("checked_pages", len(curve["x"])) < len(curve["x"])]


def page_name(size):
    """As in findings: 4k, 2m, 1g."""
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
    """The verdicts of a Linux program; `program` is the beginning of its command line."""
    done = subprocess.run([*program, "run", "debug_verdicts", "--json", "-"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=300, check=True)
    return verdict_lines(records.read(done.stdout.split(b"\n")).lines)


def compare_verdicts(found, reference):
    """The rows are the same to the last byte, there are enough of them, and enough of them have a knee."""
    rows = [json.loads(line) for line in reference]
    decided = sum(bool(row.get("knees")) for row in rows)
    if len(rows) < 500 or decided < 50 or rows[-1]["name"] != "verdicts":
        return [f"the reference has {len(rows)} rows, {decided} of which have a knee"]
    for i, (one, other) in enumerate(zip(found, reference), 1):
        if one != other:
            return [f"verdict {i} of {len(reference)} differs: it is {one!r}, not {other!r}"]
    return [] if len(found) == len(reference) else [f"there are {len(found)} verdicts, not {len(reference)}"]


def check_verdicts(run, table):
    """The image gives the same verdicts as the Linux program (probes/system/verdicts.c)."""
    found = verdict_lines(run.volume)
    table["notes"].append(f"{len(found)} rows, {json.loads(found[-1]).get('hash') if found else 'no hash'}")
    return compare_verdicts(found, table["verdicts"]())


# ---- Counters --------------------------------------------------------------------------------------

# Event counters of QEMU's model `max` (PMCR_EL0.N), besides the cycle counter.
EVENT_COUNTERS = 6
INST_RETIRED, CPU_CYCLES = "0x8", "0x11"


def check_counters(run, table):
    """
    Under instruction counting every counter is exact (probes/system/counters.c): INST_RETIRED counts the instructions
    that the emitter says it emitted, and CPU_CYCLES counts one cycle for each instruction, because the model's clock is
    1 GHz and an instruction takes 2^0 ns. Of all event numbers that were tried, only these two count anything, on
    every counter.
    """
    complaints, exact = [], 0
    if any("no_counters" in record for record in run.of("environment")):
        complaints.append("counters were counted with, and a record says that there are none")
    tables = [record for record in run.of("table") if record.get("probe") == "counters" and "emitted" in record]
    discovered = {record["code"]: (record["slots"], record.get("means")) for record in run.of("table")
                  if record["name"] == "discovered"}
    if discovered != dict.fromkeys((INST_RETIRED, CPU_CYCLES), (hex(2 ** EVENT_COUNTERS - 1), "instructions")):
        complaints.append(f"these events were discovered: {discovered}")
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
                complaints.append(f"{record['kernel']} executes {record['emitted']}, but a counter says {row}")
    if exact < 7 + 6 + 8:
        complaints.append(f"there are only {exact} counts to compare")
    table["notes"].append(f"{exact} counts, each exact to the last instruction")
    return complaints


# ---- What kernels execute ----------------------------------------------------------------------------

MEASURED = ("probe", "name", "x", "q20", "median", "samples", "rejected")


def check_exact(run, table):
    """
    Under instruction counting a kernel takes as many cycles as it executes instructions. If nothing but the kernels was
    measured, a second run of the same probes gives the same curves to the last digit.
    """
    if int(table["runs"]) < 2:
        return ["a single run cannot be compared with another one"]
    curves = [{key: curve[key] for key in MEASURED if key in curve} for curve in run.of("curve")]
    points = sum(y is not None for curve in curves for y in curve["q20"])
    first = table.setdefault("first_curves", curves)
    if first is curves:
        return [] if points >= 10 else [f"there are {points} points in {len(curves)} curves"]
    table["notes"].append(f"{len(curves)} curves of {points} points are the same in both runs")
    if [(c["probe"], c["name"]) for c in first] != [(c["probe"], c["name"]) for c in curves]:
        return [f"the second run has other curves: {[c['name'] for c in curves]}"]
    return [f"a curve differs between the runs: {one}, then {other}"
            for one, other in zip(first, curves) if one != other]


def check_restored(run, table):
    """Control registers are found in every run as in the first run of the same boot, so that one put them back."""
    if int(table["runs"]) < 2:
        return ["a single run cannot be compared with another one"]
    found = run.one("environment")["control"]
    first = table.setdefault("first_control", found)
    return [f"{name} is found as {found.get(name)}, and by the first run as {first.get(name)}"
            for name in first.keys() | found.keys() if first.get(name) != found.get(name)]


# ---- Instructions -----------------------------------------------------------------------------------

# Reasons for which a form may stay unmeasured: an emulator may declare a feature and not execute all of it, or fault
# where a core does not.
EXPLAINED = {"register-in-use", "no-register-left", "not-steady", "divide-error",
             "another-instruction", "no-such-registers"}


def check_forms(run, table):
    """Every form of the catalogue is measured, or absent, or not measured for one of the reasons above."""
    rows = [row for record in run.of("table") if record.get("name") == "backend.instruction" for row in record["rows"]]
    states = collections.Counter(row[3] for row in rows)
    strange = [(row[0], row[4]) for row in rows if row[3] != "measured" and row[4] not in EXPLAINED
               and (row[3], row[4]) != ("absent", "undefined-instruction")]
    table["notes"].append(f"{len(rows)} forms: " + ", ".join(f"{count} {state}" for state, count in states.items()))
    complaints = [f"{len(strange)} forms are not measured for other reasons: {strange[:8]}"] if strange else []
    if len(rows) < 4000 or states["measured"] < len(rows) / 10:
        complaints.append(f"there are {len(rows)} forms, {states['measured']} of them measured")
    if len({row[0] for row in rows}) != len(rows):
        complaints.append("a form is in the table twice")
    return complaints


# How the kernels of tests/linux/kernels/hostile.txt end: outcome, where, and the byte of the code on x86-64 and AArch64.
# Code runs with all privileges here, and page 0 may exist.
HOSTILE = {"undefined": ("fault", "code", 1, 4), "endless": ("timeout", "code", 1, 4), "null": None,
           "behind": ("fault", "code", 0, 0), "before": ("fault", "code", 0, 0),
           "pushes": ("breaks-harness", None, None, None), "overflows": ("fault", "code", 0, 0),
           "no-stack": ("fault", "code", 2, 4), "returns": ("fault", "harness", 0, 0),
           "counts": ("breaks-harness", None, None, None), "privileged": ("ok", None, None, None),
           "changes-all": ("ok", None, None, None), "good": ("ok", None, None, None)}


def check_kernels(run, table):
    """
    Kernels that fault, hang, or destroy what they can, each end as that, in their order. The last is predicted: by the
    greatest of its limits, or the reason is told. Which limits there are depends on what the emulator's clock showed
    of widths and units, so no single one of them is asked for.
    """
    ends = {r["kernel"]: (r["outcome"], r.get("where"), r.get("offset")) for r in run.of("table") if r["name"] == "kernel"}
    byte = 3 if table["isa"] == "aarch64" else 2
    wrong = [f"kernel {name} ends so: {ends.get(name)}" for name, end in HOSTILE.items()
             if end and ends.get(name) != (*end[:2], end[byte])]
    predicted = [r for r in run.of("table") if r["name"] == "kernel_model"]
    said = [r["kernel"] for r in predicted
            if r.get("reason") or r["rows"] and r["predicted"] == max(row[2] for row in r["rows"])]
    if len(predicted) != 1 or said != ["good"]:
        wrong.append(f"predicted are {predicted}")
    return wrong if list(ends) == list(HOSTILE) else [f"the kernels that ended are {list(ends)}", *wrong]


CHECKS = {"silence": check_silence, "verdicts": check_verdicts, "counters": check_counters, "exact": check_exact,
          "forms": check_forms, "memory": check_memory, "accessed": check_accessed, "bringup": check_bringup,
          "restored": check_restored, "second_core": check_second_core, "beside": check_beside, "no_bringup": check_no_bringup,
          "kernels": check_kernels}
