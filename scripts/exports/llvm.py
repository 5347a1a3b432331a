"""
A scheduling model for LLVM 19: SchedMachineModel with its resources, and InstRW for each opcode that was measured.

To be included in a target's .td after its registers and instructions, as X86ScheduleZnver4.td is.

Units. A form whose operations were measured (the probe `form_units`) has their units, and as many micro-operations as it
takes slots of the front end; one that stands for a class of `backend.unit.map` has the units of that class. For every other
form only its throughput is known, and the rest is assumed, of which each line reminds: where the map has exactly one set of
as many units as the throughput needs for the same kinds of registers, it runs there. Else it occupies one of all units that
run operations on these kinds of registers, and shares a resource of as many units as its throughput needs with the other
forms of the same kinds and throughput; so does a form that is slower than its units. Forms that are as fast as the core
renames have no unit.
"""

import collections
import dataclasses

from exports import opcodes
from exports.core import Value, whole

MOST_UNITS = 6  # of a resource that stands for units which are not known
MOST_PARTS = 12  # units times cycles: a finer quotient would fit noise
CLOSE = 0.02  # by how much a throughput may be off a quotient of whole numbers, relative: noise of a quiet core
SLOWER = 0.05  # by how much a form may be slower than its units, and still be limited by them, relative
RENAME_BOUND = 1.05  # throughput times width up to which renaming alone explains it: CLOSE of both, and rounding
# Which class of the unit map waits in which scheduler, where one class of operations was measured alone.
SCHEDULERS = {"add": "int", "multiply": "multiply", "load": "load"}
# Registers that programs name. Findings count those beyond them; vectors of 512 bits have twice as many names.
NAMED = {"x86_64": {"general": 16, "vector": 16}, "aarch64": {"general": 31, "vector": 32}}
CLASSES = {"x86_64": {"general": "GR64", "vector": "VR128"}, "aarch64": {"general": "GPR64", "vector": "FPR128"}}


@dataclasses.dataclass(frozen=True)
class Resource:
    """What a form occupies."""

    parts: tuple  # (units, cycles) of each resource: numbers of units, or the name of a pool
    slots: int = 1  # micro-operations
    how: str = dataclasses.field(default="none", compare=False)  # measured, assumed, none


def quotient(throughput):
    """(units, cycles) with the fewest units whose quotient is the throughput; rounded up where there is none."""
    for units in range(1, MOST_UNITS + 1):
        cycles = round(throughput * units)
        if (
            cycles >= 1
            and units * cycles <= MOST_PARTS
            and abs(cycles / units - throughput) <= CLOSE * throughput
            or units == 1
            and cycles >= 1
            and abs(cycles - throughput) <= CLOSE * throughput
        ):
            return units, cycles, True
    return 1, max(1, int(throughput) + 1), False


def unions(sets):
    """The unions of sets that overlap, and of those, as far as they are not among `sets`."""
    known = {frozenset(each) for each in sets}
    while True:
        more = {a | b for a in known for b in known if a & b} - known
        if not more:
            return sorted(tuple(sorted(each)) for each in known - {frozenset(each) for each in sets})
        known |= more


class Model:
    """The parts of the file."""

    def __init__(self, taken):
        self.taken, self.core = taken, taken.core
        self.prefix = f"Fathom{self.core.class_name}"
        self.units, left = self.core.units()
        for why in left:
            taken.leave("ProcResource", why)
        for name, unit in self.units.items():
            taken.note(f"ProcResource of {name}", unit.value)
        self.width = self.core.look("backend.rename.per_cycle", counted="operations")
        self.pools, self.groups = {}, set()
        self.form_units = {unit.form: unit for unit in self.units.values()}
        self.operations, left = self.core.operations()
        for name, why in left.items():
            taken.leave(f"operations of {name}", why)
        self.kinds = collections.defaultdict(set)  # kinds of registers -> all units that run operations on them
        self.sets = collections.defaultdict(set)  # the same and a number -> sets of so many units in the map
        for unit in self.units.values():
            form = self.core.forms.get(unit.form)
            if form:
                self.kinds[form.kinds].update(unit.ports)
                if not unit.open:
                    self.sets[form.kinds, len(unit.ports)].add(unit.ports)

    def unit_name(self, number):
        return f"{self.prefix}U{number}"

    def part_name(self, part):
        """The name of a resource: of some units, or of a pool."""
        return self.prefix + part if isinstance(part, str) else self.group(part)

    def group(self, ports):
        return self.unit_name(ports[0]) if len(ports) == 1 else self.prefix + "U" + "_".join(map(str, ports))

    def measured(self, form):
        """What a form occupies whose operations are known, and whether its throughput is kept; None: they are not."""
        placed = self.operations.get(form.name)
        if placed is None:
            return None
        parts = []
        for each in placed.all:
            self.groups.add(each.ports)
            parts.append((each.ports, each.times * each.cycles))
        if placed.bound >= form.throughput * (1 - SLOWER) or self.is_renamed_only(form, placed.slots):
            return Resource(tuple(parts), placed.slots, "measured"), True
        units, cycles, kept = quotient(form.throughput)
        return Resource((*parts, self.pool(form, units, cycles)), placed.slots, "measured"), kept

    def is_renamed_only(self, form, slots):
        return isinstance(self.width, Value) and form.throughput * self.width.value <= RENAME_BOUND * slots

    def pool(self, form, units, cycles):
        """A resource of so many units for all forms of the same kinds and throughput."""
        kinds = "".join(kind.capitalize() for kind in form.kinds)
        name = f"{kinds}Some{units}" + ("Long" if cycles > 1 else "")
        self.pools[name] = units
        return name, cycles

    def resource(self, form):
        """What a form occupies, and whether the throughput could be kept."""
        known = self.measured(form)
        if known:
            return known
        resource, kept = self.assumed(form)
        return dataclasses.replace(resource, slots=self.core.slots(form.name) or 1), kept

    def assumed(self, form):
        """The same where nothing but the throughput is known."""
        if self.is_renamed_only(form, 1):
            return Resource(()), True
        units, cycles, kept = quotient(form.throughput)
        if form.name in self.form_units and cycles == 1:
            return Resource(((self.form_units[form.name].ports, 1),), how="measured"), kept
        among = tuple(sorted(self.kinds[form.kinds]))
        if cycles == 1 and units == len(among):
            return Resource(((among, 1),), how="assumed"), kept
        same = self.sets[form.kinds, units]
        if cycles == 1 and len(same) == 1:
            return Resource(((next(iter(same)), 1),), how="assumed"), kept
        pool = self.pool(form, units, cycles)
        if len(among) > units:
            self.groups.add(among)
            return Resource((pool, (among, 1)), how="assumed"), kept
        return Resource((pool,), how="assumed"), kept

    # ---- Parts of the file

    def machine_model(self):
        """Fields of SchedMachineModel; those without a value stay at LLVM's default."""
        take = self.taken.take
        fields = [
            ("IssueWidth", take("IssueWidth", "backend.rename.per_cycle", counted="operations")),
            ("MicroOpBufferSize", take("MicroOpBufferSize", "backend.rob.entries")),
            ("LoopMicroOpBufferSize", take("LoopMicroOpBufferSize", "frontend.loop_buffer.ops")),
            ("LoadLatency", take("LoadLatency", "memory.load_use.cycles", mode="base", crossing="none")),
            ("MispredictPenalty", take("MispredictPenalty", "frontend.mispredict.cycles", branch="cond")),
        ]
        lines = [f"def {self.prefix}Model : SchedMachineModel {{"]
        for name, value in fields:
            if value is None:
                lines.append(f"  // {name}: undecided, LLVM's default")
            else:
                lines.append(f"  let {name} = {round(value.value)}; // {value.remark()}")
        return lines + ["  let CompleteModel = 0; // instructions that were not measured are not in it", "}"]

    def resources(self):
        lines = ["// Units. Numbers are fathom's own."]
        ports = sorted({port for unit in self.units.values() for port in unit.ports}.union(*self.groups))
        open_ports = {port for unit in self.units.values() for port in unit.ports[len(unit.ports) - unit.open :]}
        for port in ports:
            remark = " // may be the same as a unit of another class" if port in open_ports else ""
            lines.append(f"def {self.unit_name(port)} : ProcResource<1>;{remark}")
        classes = collections.defaultdict(list)
        for name, unit in self.units.items():
            classes[unit.ports].append((name, unit))
        for each, users in classes.items():
            lines.append(f"// {', '.join(name for name, _ in users)}: {users[0][1].value.remark()}")
            size = self.buffer(users)
            if len(each) > 1:
                members = ", ".join(map(self.unit_name, each))
                lines.append(f"def {self.group(each)} : ProcResGroup<[{members}]>" + (f" {{ {size} }}" if size else ";"))
        groups = {each for each in self.groups if len(each) > 1}
        for each in unions(set(classes) | groups) + sorted(groups - set(classes)):  # TableGen wants unions of what overlaps
            lines.append(f"def {self.group(each)} : ProcResGroup<[{', '.join(map(self.unit_name, each))}]>;")
        if self.pools:
            lines.append("// Stand for units that are not known, of forms of one throughput.")
        return lines + [f"def {self.prefix}{name} : ProcResource<{units}>;" for name, units in sorted(self.pools.items())]

    def buffer(self, users):
        for name, _ in users:
            if name in SCHEDULERS:
                value = self.taken.take(f"BufferSize of {name}", "backend.scheduler.entries", **{"class": SCHEDULERS[name]})
                if value:
                    return f"let BufferSize = {round(value.value)}; /* {value.remark()} */"
        return None

    def register_files(self):
        lines = []
        wide = self.core.machine.get("vector_bits", 0) >= 512
        for kind, choices in (
            ("general", ({"class": "int64"},)),
            ("vector", ({"class": "vector"}, {"class": "vector", "width": 512}, {"class": "vector", "width": 128})),
        ):
            field = f"RegisterFile {kind}"
            value = self.taken.first(field, *(("backend.registers.entries", each) for each in choices))
            if value is None:
                lines.append(f"// {field}: undecided, LLVM's default, no limit")
                continue
            named = NAMED[self.core.isa][kind] * (2 if wide and kind == "vector" else 1)
            name, cls = f"{self.prefix}{kind.capitalize()}PRF", CLASSES[self.core.isa][kind]
            lines += [
                f"// {value.remark()}, and {named} that programs name",
                f"def {name} : RegisterFile<{round(value.value) + named}, [{cls}]>;",
            ]
        value = self.taken.take("RetireControlUnit", "backend.retire.per_cycle", counted="operations")
        rob = self.core.look("backend.rob.entries")
        if value and isinstance(rob, Value):
            lines += [
                f"// {rob.remark()}; {value.remark()}",
                f"def {self.prefix}RCU : RetireControlUnit<{round(rob.value)}, {round(value.value)}>;",
            ]
        return lines

    def writes(self):
        """One SchedWriteRes for each cost, with the opcodes that have it."""
        forms = []
        for form in self.core.forms.values():
            if form.row["state"] != "measured":
                continue
            if form.has_memory:
                self.taken.leave(form.name, "latency from memory is known as a bound only; see LoadLatency")
            elif form.throughput is None:
                self.taken.leave(form.name, "its throughput is known as a bound only")
            else:
                forms.append(form)
        groups, seen = collections.defaultdict(list), {}
        for form, opcode in zip(forms, opcodes.opcodes(forms, self.core.isa)):
            if opcode is None:
                self.taken.leave(form.name, "LLVM has no opcode for it")
                continue
            if opcode[0] in seen:
                self.taken.leave(form.name, "another form has the same opcode of LLVM")
                continue
            seen[opcode[0]] = form.name
            resource, kept = self.resource(form)
            latency, known = self.latency(form)
            text = self.remark(form, resource, kept, known)
            groups[resource, latency].append((opcode[0], text))
        lines = []
        named = lambda resource: [(self.part_name(part), cycles) for part, cycles in resource.parts]
        for (resource, latency), instructions in sorted(groups.items(), key=lambda item: (named(item[0][0]), item[0][1])):
            parts = named(resource)
            what = "".join(f"_{cycles}x{name.removeprefix(self.prefix)}" for name, cycles in parts)
            name = f"{self.prefix}Write_{latency}c{what}" + (f"_{resource.slots}ops" if resource.slots > 1 else "")
            lines.append(f"def {name} : SchedWriteRes<[{', '.join(part for part, _ in parts)}]> {{")
            lines.append(f"  let Latency = {latency};")
            if resource.slots > 1:
                lines.append(f"  let NumMicroOps = {resource.slots};")
            if parts:
                lines.append(f"  let ReleaseAtCycles = [{', '.join(str(cycles) for _, cycles in parts)}];")
            lines += ["}", f"def : InstRW<[{name}], (instrs"]
            lines += [
                f"  {opcode}{',' if i + 1 < len(instructions) else ''} // {text}"
                for i, (opcode, text) in enumerate(instructions)
            ]
            lines += [")>;", ""]
        return lines

    def latency(self, form):
        """The latency to write, and what is known of it."""
        if form.latency is not None:
            value = self.taken.note(f"Latency of {form.name}", form.value("latency", form.latency))
            several = len({whole(cycles) for _, _, cycles in form.latencies}) > 1
            return whole(form.latency), f"latency {value.value:.2f}" + (", the longest of its operands'" if several else "")
        bounds = [x[3] for x in form.row["latencies"] if x[2] == "<=" and x[3] is not None]
        if bounds and max(bounds) < 0.5:  # a whole number of cycles that is less than a half
            self.taken.note(f"Latency of {form.name}", form.value("bound of the latency", max(bounds)))
            return 0, f"latency at most {max(bounds):.2f}"
        self.taken.leave(f"Latency of {form.name}", "only bounds are known; LLVM's default, 1")
        return 1, "latency at LLVM's default" + (f", at most {max(bounds):.2f}" if bounds else "")

    def remark(self, form, resource, kept, latency):
        self.taken.note(f"throughput of {form.name}", form.value("throughput", form.throughput))
        if form.name in self.operations:
            self.taken.note(f"operations of {form.name}", self.operations[form.name].value)
        how = {"measured": "units measured", "assumed": "units assumed", "none": "no unit"}[resource.how]
        return f"{form.name}: {form.throughput:.3f} cycles{'' if kept else ', rounded up'}, {latency}, {how}; grade C"


def files(taken):
    core = taken.core
    model = Model(taken)
    machine, writes = model.machine_model(), model.writes()
    registers = model.register_files()
    for name in sorted(name for name in core.forms if core.slots(name) is None):
        taken.leave(f"NumMicroOps of {name}", "its slots of the front end are not measured; LLVM's default, 1")
    taken.leave("ReadAdvance", "one latency for each form, the longest; those of single operands are in the table as CSV")
    taken.leave("zero idioms, eliminated moves", "conditions on operands are not written; see backend.elimination.per_cycle")
    resources = model.resources()
    counts = collections.Counter(why for _, why in taken.left_out)
    head = [f"// Scheduling model of {line}" if i == 0 else f"//   {line}" for i, line in enumerate(core.provenance())]
    head += ["// Each number has its grade, interval and finding beside it. Left out:"]
    head += [f"//   {count} x {why}" for why, count in sorted(counts.items())]
    text = [
        *head,
        "",
        *machine,
        "",
        f"let SchedModel = {model.prefix}Model in {{",
        "",
        *resources,
        "",
        *registers,
        "",
        *writes,
        "}",
    ]
    return {f"{core.name}.td": "\n".join(text) + "\n"}
