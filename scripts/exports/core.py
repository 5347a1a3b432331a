"""What runs found about one core, as exporters ask for it: a number with its grade and interval, or why there is none."""

import dataclasses
import hashlib
import itertools
import re

import reasons
import records

GRADES = "ABCU"
# Two decided numbers without intervals agree when they are this close, relative: the tolerance of `fathom diff`.
AGREE = 0.02
# Cycles by which a latency may be off a whole number, and still be that number: half of the least difference that
# probes/backend/instructions.c distinguishes from noise.
WHOLE = 0.1


class Refused(Exception):
    """The runs cannot be exported; the text says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Value:
    """A decided value, and where it comes from."""

    value: object
    unit: str
    grade: str
    low: object
    high: object
    finding: str  # name and variants, or table and form
    run: str

    @property
    def interval(self):
        return "" if self.low is None or self.high is None else f"[{self.low:g}, {self.high:g}]"

    def remark(self):
        """For a comment beside the number: grade, interval, finding."""
        value = f"{self.value:.6g}" if isinstance(self.value, (int, float)) else str(self.value)
        return " ".join(part for part in (f"grade {self.grade},", value, self.unit, self.interval, f"{self.finding}") if part)

    def entry(self):
        """The same for provenance.json."""
        return {
            "finding": self.finding,
            "value": self.value,
            "unit": self.unit,
            "grade": self.grade,
            "low": self.low,
            "high": self.high,
            "run": self.run,
        }


@dataclasses.dataclass(frozen=True)
class Form:
    """A row of the table of instructions."""

    name: str
    row: dict
    run: str

    @property
    def has_memory(self):
        return re.search(r"\bm\d+|\[", self.name) is not None

    @property
    def kinds(self):
        """Kinds of the registers that its name has: general, vector, mask, other; sorted."""
        words = re.findall(r"[a-z]\w*(?:\.\w+)?", self.name.partition(" ")[2].replace("{k}", " k").replace("{kz}", " k"))
        return tuple(sorted({kind for kind in map(register_kind, words) if kind}))

    @property
    def throughput(self):
        """Cycles an instruction where that is no bound, else None."""
        return self.row["cycles"] if self.row["relation"] == "=" else None

    @property
    def latencies(self):
        """(from, to, cycles) of each pair of operands that is neither a bound nor a sum."""
        return [(x[0], x[1], x[3]) for x in self.row["latencies"] if x[2] == "=" and x[3] is not None]

    @property
    def latency(self):
        """The longest of these; None where there is none."""
        return max((cycles for _, _, cycles in self.latencies), default=None)

    def value(self, what, cycles):
        return Value(cycles, "cycles", "C", None, None, f"backend.instruction {what} of {self.name}", self.run)


def register_kind(word):
    if re.fullmatch(r"r\d+|[re]?[abcd]x|[abcd]l|[xw]|[xw]zr", word):
        return "general"
    if re.fullmatch(r"[xyz]mm\d?|[vz](\.\w+)?|[bhsdq]", word):
        return "vector"
    if re.fullmatch(r"k|p(\.\w+)?", word):
        return "mask"
    return "other" if re.fullmatch(r"mm|st\d?", word) else None


def whole(cycles):
    """The number of cycles as a whole one: the nearest, or the next above where none is near."""
    near = round(cycles)
    return near if abs(cycles - near) <= WHOLE else int(cycles) + 1


def variant_text(variants):
    return "".join(f" {key}={value}" for key, value in variants)


def as_rows(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


class Core:
    """The core that all of the runs are of. `number` chooses one where a run has several."""

    def __init__(self, readers, number=None):
        self.findings, self.forms, self.maps, self.curves = {}, {}, [], []
        self.placed = {}  # form -> row of the table of its units, its run, and the maps whose numbers it has
        self.machine, self.runs = None, []
        for path, reader in readers:
            self._add(path, reader, number)
        if not self.runs:
            raise Refused("there is no run")

    def _add(self, path, reader, number):
        parsed = records.parse(reader)
        run = next((r for r in parsed if r["t"] == "run"), None)
        if run is None:
            raise Refused(
                f"{path} has no record `run`: give a file of records, from `fathom run --json`, a stick or scripts/collect"
            )
        measured = [r["core"] for r in parsed if r["t"] == "environment"]
        machines = [r for r in parsed if r["t"] == "machine" and r["core"] in measured and number in (None, r["core"])]
        if not machines:
            which = (
                f"core {number}; it measured on {', '.join(map(str, measured)) or 'none'}"
                if number is not None
                else "any core"
            )
            raise Refused(f"{path} has no measurements of {which}")
        machine = machines[0]
        done = [r for r in parsed if r["t"] == "done"]
        if done and done[-1].get("trusted") is False:
            raise Refused(
                f"times in {path} cannot be trusted ({done[-1].get('untrusted_cause')}), so there is nothing to export; "
                "run fathom on the bare machine"
            )
        if self.machine is None:
            self.machine, self.run = machine, run
        elif (machine.get("core_name"), machine.get("core_model"), run["isa"]) != (
            self.machine.get("core_name"),
            self.machine.get("core_model"),
            self.run["isa"],
        ):
            raise Refused(
                f"{path} is of {machine.get('core_model')}, the first run of {self.machine.get('core_model')}: "
                "give runs of one kind of core, or choose one with --core"
            )
        name = hashlib.sha256(b"\n".join(reader.lines)).hexdigest()[:16]
        self.runs.append((name, run, machine, not done))
        core = machine["core"]
        for finding in records.findings(parsed):
            if finding.get("core") == core:
                key = finding["name"] + variant_text(records.variants(finding))
                self.findings.setdefault(key, []).append((finding, name))
        for table in (r for r in parsed if r["t"] == "table" and r.get("core") == core):
            if table["name"] == "backend.instruction" and table.get("trusted", True):
                self.forms.update((row["form"], Form(row["form"], row, name)) for row in as_rows(table))
            elif table["name"] == "maps":
                self.maps = as_rows(table)
            elif table["name"] == "backend.instruction.units" and table.get("trusted", True):
                self.placed.update((row["form"], (row, name, self.numbers)) for row in as_rows(table))
        self.curves += [r for r in parsed if r["t"] == "curve" and r.get("core") == core]

    @property
    def numbers(self):
        """Which class has units of which numbers, in all maps."""
        return sorted((row["map"], row["class"], row["ports"]) for row in self.maps)

    @property
    def isa(self):
        return self.run["isa"]

    @property
    def name(self):
        """For names of files and models: "zen4", "golden-cove-P"; "x86_64-core" where the core is not known."""
        name = self.machine.get("core_name") or f"{self.isa}-core"
        return re.sub(r"[^A-Za-z0-9_-]+", "-", name + (f"-{self.machine['type']}" if self.machine.get("type") else ""))

    @property
    def class_name(self):
        """The same as a name in a program: "Zen4"."""
        return "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", self.name))

    def provenance(self):
        """Lines for the head of a file."""
        lines = [
            f"{self.machine.get('core_model') or 'a core without a name'} ({self.name}), {self.isa}"
            + (f", under {self.machine['hypervisor']}" if self.machine.get("hypervisor") else "")
        ]
        for name, run, _, cut in self.runs:
            lines.append(
                f"run {name}: fathom {run.get('build', '?')}, {run.get('platform')}, profile {run.get('profile')}, "
                f"{run.get('date', 'undated')}" + (", cut short" if cut else "")
            )
        return lines

    def matching(self, name, **variants):
        """The variants, as dictionaries, of all findings of that name that have these and may have others."""
        wanted = {(key, str(value)) for key, value in variants.items()}
        found = [dict(records.variants(each[0][0])) for each in self.findings.values() if each[0][0]["name"] == name]
        return [each for each in found if wanted <= {(key, str(value)) for key, value in each.items()}]

    def look(self, name, **variants):
        """The value with exactly these variants, or a text that says why there is none."""
        key = name + variant_text(variants.items())
        exact = [each for each in self.matching(name, **variants) if len(each) == len(variants)]
        if not exact:
            return f"{key}: not measured"
        candidates = self.findings[name + variant_text(exact[0].items())]
        grade = min((f["grade"] for f, _ in candidates), key=GRADES.index)
        best = [(f, run) for f, run in candidates if f["grade"] == grade]
        if grade == "U" or best[-1][0].get("value") is None:
            reason = best[-1][0].get("reason", "undecided")
            return f"{key}: undecided: {reasons.sentence(reason)}"
        if not all(agree(best[-1][0], f) for f, _ in best):
            return f"{key}: measurements of one grade contradict each other: " + ", ".join(f"{f['value']:g}" for f, _ in best)
        finding, run = best[-1]
        return Value(finding["value"], finding.get("unit", ""), grade, finding.get("low"), finding.get("high"), key, run)

    def units(self):
        """Class -> Unit, and why others have none. Where several maps fit, only what all of them say is taken over."""
        unit_map = self.look("backend.unit.map")
        if not isinstance(unit_map, Value):
            return {}, [unit_map]
        sets = {}
        for row in self.maps:
            ports = frozenset(map(int, row["ports"].split())) if re.fullmatch(r"\d+( \d+)*", row["ports"]) else None
            sets.setdefault((row["class"], row["form"]), []).append(ports)
        following = 1 + max((port for each in sets.values() for ports in each if ports for port in ports), default=-1)
        known, left = {}, []
        for (name, form), each in sets.items():
            count = {len(ports) if ports else None for ports in each}
            if len(count) > 1 or None in count:
                left.append(f"backend.unit.map, {name}: not one operation on one set of units in all maps that fit")
                continue
            common = sorted(frozenset.intersection(*each))
            open_units = count.pop() - len(common)
            value = dataclasses.replace(
                unit_map, value=f"{len(common) + open_units} units", unit="", finding=f"backend.unit.map, {name}"
            )
            known[name] = Unit(form, tuple(common) + tuple(range(following, following + open_units)), open_units, value)
            following += open_units
        return known, left

    def slots(self, form):
        """
        Slots of the front end that the form takes; None: not known. NOPs that share a slot take 1 each: no consumer knows an
        instruction without a micro-operation.
        """
        row = self.placed[form][0] if form in self.placed else {}
        return max(round(row["slots"]), 1) if row.get("slots") is not None else None

    def operations(self):
        """
        Form -> Operations of those whose units are decided, and form -> why others have none. Units have the numbers that
        `units` gives.
        """
        known, _ = self.units()
        first = {
            row["class"]: frozenset(map(int, row["ports"].split())) for row in self.maps if row["map"] == 0 and row["class"] in known
        }
        numbered = {ports: known[name].ports for name, ports in first.items()}
        doubtful = {port for name, ports in first.items() if known[name].open for port in ports}
        found, left = {}, {}
        for name, (row, run, numbers) in self.placed.items():
            if name not in self.forms or row["state"] in ("absent", "not-measured"):
                continue
            if numbers != self.numbers:
                left[name] = "measured beside another map of units than the last run has"
                continue
            if row["state"] == "undecided":
                left[name] = reasons.sentence(row["reason"])
                continue
            placed = []
            for times, relation, text, cycles in row["operations"]:
                ports = frozenset(map(int, text.split()))
                if ports not in numbered and ports & doubtful:
                    left[name] = "maps of units differ in what it runs on"
                    break
                placed.append(Operation(times, numbered.get(ports, tuple(sorted(ports))), cycles, relation == "="))
            else:
                value = Value(" ".join(each.text for each in placed), "", "C", None, None, f"units of {name}", run)
                found[name] = Operations(row["cycles"], self.slots(name), tuple(placed), row["state"] == "partial", value)
        return found, left


@dataclasses.dataclass(frozen=True)
class Operation:
    """Some operations of a form that run on the same units."""

    times: int
    ports: tuple  # numbers of the units
    cycles: int  # for which each keeps its unit busy
    exact: bool  # they can run on each of these units; else on some of them

    @property
    def text(self):
        """As uops.info writes it: "1*p01", "2*p(10)(11)"."""
        return f"{self.times}*p{''.join(str(port) if port < 10 else f'({port})' for port in self.ports)}"


@dataclasses.dataclass(frozen=True)
class Operations:
    """What a form is executed as."""

    cycles: float  # its throughput beside these measurements
    slots: int  # of the front end
    all: tuple
    partial: bool  # it may have more operations
    value: Value

    @property
    def bound(self):
        """Cycles that its units alone take: the most operations that can run nowhere else, over the number of these units."""
        sets = {frozenset(each.ports) for each in self.all}
        unions = {frozenset().union(*chosen) for n in range(len(sets) + 1) for chosen in itertools.combinations(sets, n)} - {
            frozenset()
        }
        return max(
            (sum(e.times * e.cycles for e in self.all if set(e.ports) <= union) / len(union) for union in unions), default=0
        )


@dataclasses.dataclass(frozen=True)
class Unit:
    """What runs a class of operations."""

    form: str  # that stands for the class
    ports: tuple  # numbers of its units
    open: int  # how many of the last ones may be the same as units of other classes: maps differ in that
    value: Value


def agree(a, b):
    """Whether two decided findings can both be true."""
    x, y = a["value"], b["value"]
    if not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
        return x == y
    if None not in (a.get("low"), a.get("high"), b.get("low"), b.get("high")):
        return a["low"] <= b["high"] and b["low"] <= a["high"]
    return abs(x - y) <= AGREE * max(abs(x), abs(y))


class Taken:
    """Collects what an exporter took over, and what it had to leave out."""

    def __init__(self, core):
        self.core, self.fields, self.left_out = core, {}, []

    def take(self, field, name, **variants):
        """The value, noted as the source of the consumer's field; None, noted as left out, where it is undecided."""
        value = self.core.look(name, **variants)
        if isinstance(value, Value):
            self.fields[field] = value
            return value
        self.leave(field, value)
        return None

    def first(self, field, *choices):
        """As `take`, of the first choice (name, variants) that is decided."""
        values = [self.core.look(name, **variants) for name, variants in choices]
        decided = [value for value in values if isinstance(value, Value)]
        if decided:
            self.fields[field] = decided[0]
            return decided[0]
        self.leave(field, values[0])
        return None

    def note(self, field, value):
        self.fields[field] = value
        return value

    def leave(self, field, why):
        self.left_out.append((field, why))

    def document(self):
        """provenance.json."""
        return {
            "core": self.core.name,
            "isa": self.core.isa,
            "machine": self.core.provenance(),
            "fields": {field: value.entry() for field, value in self.fields.items()},
            "left_out": [{"field": field, "why": why} for field, why in self.left_out],
        }
