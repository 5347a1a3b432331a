"""
What runs of one core say together: for each finding the intersection of its intervals, and which runs lie outside it.

Grades count in order: where any run has grade A, only runs with A make the value; B and then C only where none is better.
Each machine counts once, however many runs it has. The largest group of machines whose intervals have a point in common
makes the value, if it is more than half of those that decided with that grade; else the runs contradict each other, and
there is none. Every run of any grade that lies outside is an outlier. What explains outliers is said where one property
of their platform, firmware, microcode, profile or hypervisor is shared by all of them, and by no run that agrees.
"""

import collections
import dataclasses

import records

GRADES = "ABC"
# By how much numbers without an interval may differ, relative: as in `fathom diff`.
AGREE = 0.02
EXPLANATIONS = ("platform", "profile", "build", "hypervisor", "microcode", "firmware", "release")


@dataclasses.dataclass(frozen=True, order=True)
class Entry:
    """One decided finding of one run."""

    run: str  # its path in the database
    machine: str  # its fingerprint
    grade: str
    value: object
    low: float  # None: the value is no number
    high: float
    unit: str


def interval(finding):
    """The range that the truth lies in, ends included; (None, None) for what is no number."""
    value, low, high = finding["value"], finding.get("low"), finding.get("high")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None, None
    if low is None or high is None:
        return value - AGREE * abs(value), value + AGREE * abs(value)
    return min(low, high), max(low, high)


def properties(parsed):
    """What may explain that a run differs."""
    run = next(r for r in parsed if r["t"] == "run")
    machine = next(r for r in parsed if r["t"] == "machine")
    environment = next(r for r in parsed if r["t"] == "environment")
    found = {
        **{key: run.get(key) for key in ("platform", "profile", "build")},
        "hypervisor": machine.get("hypervisor") or "none",
        "microcode": environment.get("microcode"),
        "firmware": machine.get("firmware_version"),
        "release": machine.get("release"),
    }
    return {key: str(value) for key, value in found.items() if value is not None}


def entries(runs):
    """(core, finding with variants) -> entries; and run -> properties."""
    found, known = collections.defaultdict(list), {}
    for path, parsed in runs:
        known[path] = properties(parsed)
        names = {r["core"]: r.get("core_name") or "unknown" for r in parsed if r["t"] == "machine"}
        fingerprint = next(r for r in parsed if r["t"] == "run")["fingerprint"]
        for finding in records.findings(parsed):
            if finding.get("grade") in GRADES and finding.get("value") is not None:
                key = finding["name"] + "".join(f" {k}={v}" for k, v in records.variants(finding))
                low, high = interval(finding)
                found[names.get(finding.get("core"), "unknown"), key].append(
                    Entry(path, fingerprint, finding["grade"], finding["value"], low, high, finding.get("unit", ""))
                )
    return found, known


def holds(entry, low, high, text):
    """Whether the entry can be true together with the value."""
    return entry.value == text if entry.low is None or low is None else entry.low <= high and low <= entry.high


def largest(group):
    """(entries that have a point in common, their machines) of the largest such part; of equal ones the first by value."""
    best, most = [], -1
    points = sorted({e.low for e in group if e.low is not None}) + sorted({str(e.value) for e in group if e.low is None})
    for point in points:
        if isinstance(point, str):
            inside = [e for e in group if e.low is None and str(e.value) == point]
        else:
            inside = [e for e in group if e.low is not None and e.low <= point <= e.high]
        machines = len({e.machine for e in inside})
        if machines > most:
            best, most = inside, machines
    return best, most


def explanation(outliers, agreeing, known):
    """Properties that all outliers share and no run that agrees has."""
    found = []
    for key in EXPLANATIONS:
        values = {known[e.run].get(key) for e in outliers}
        others = {known[e.run].get(key) for e in agreeing}
        if len(values) == 1 and None not in values and not values & others and others:
            found.append(f"{key} {values.pop()}")
    return found


def merge(each, known):
    """What the entries of one finding say together, as it stands in consensus.json."""
    each = sorted(each, key=lambda e: (e.run, e.grade, str(e.value), str(e.low)))
    grade = min((e.grade for e in each), key=GRADES.index)
    group = [e for e in each if e.grade == grade]
    inside, machines = largest(group)
    of = len({e.machine for e in group})
    result = {"unit": each[0].unit, "grade": grade, "machines": machines, "of": of, "runs": len({e.run for e in each})}
    if 2 * machines <= of:
        values = sorted({(e.value if e.low is None else f"[{e.low:g}, {e.high:g}]") for e in group}, key=str)
        return {
            **result,
            "value": None,
            "why": f"runs of grade {grade} contradict each other: {', '.join(map(str, values))}",
            "sources": sorted({e.run for e in group}),
            "outliers": [],
        }
    if inside[0].low is None:
        low = high = None
        value = inside[0].value
    else:
        low, high = max(e.low for e in inside), min(e.high for e in inside)
        counts = collections.Counter(value for _, value in {(e.machine, e.value) for e in inside if low <= e.value <= high})
        value = min(counts, key=lambda v: (-counts[v], v)) if counts else (low + high) / 2
    agreeing = [e for e in each if holds(e, low, high, value)]
    outliers = [e for e in each if not holds(e, low, high, value)]
    return {
        **result,
        "value": value,
        "low": low,
        "high": high,
        "sources": sorted({e.run for e in inside}),
        "outliers": [{"run": e.run, "value": e.value, "grade": e.grade, "low": e.low, "high": e.high} for e in outliers],
        **({"explained_by": why} if outliers and (why := explanation(outliers, agreeing, known)) else {}),
    }


def consensus(runs):
    """Core -> finding -> what runs say together, sorted."""
    found, known = entries(runs)
    result = {}
    for core, key in sorted(found):
        result.setdefault(core, {})[key] = merge(found[core, key], known)
    return result
