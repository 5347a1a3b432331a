"""
An out-of-order core for gem5: a Python file with the core, its units, branch predictor, caches with
prefetchers, and TLBs.

What gem5 has no parameter for, or means something else by, is left out, and so is what is undecided: gem5's default then
holds, and a comment says so. Latencies of caches are differences between levels, since gem5 adds them up; a chase run in
gem5 says how far that is off, and they should be fitted with it.
"""

from exports import prefetchers
from exports.core import Value, whole

# gem5's operation class of each class of the unit map. Shifts are IntAlu for gem5, as additions are.
CLASSES = {
    "add": "IntAlu",
    "multiply": "IntMult",
    "vector multiply": "SimdFloatMult",
    "vector add": "SimdFloatAdd",
    "vector integer add": "SimdAdd",
    "shuffle": "SimdMisc",
    "vector shift": "SimdShift",
    "conversion": "SimdFloatCvt",
    "load": "MemRead",
    "store": "MemWrite",
}
# The same policies by both names; others have no counterpart.
POLICIES = {"LRU": "LRURP", "FIFO": "FIFORP", "PLRU": "TreePLRURP", "random": "RandomRP"}
NAMED = {"x86_64": {"int": 16, "vector": 16}, "aarch64": {"int": 31, "vector": 32}}
CORES = {
    "x86_64": ("X86O3CPU", "X86TLB", "X86MMU", "numPhysFloatRegs"),
    "aarch64": ("ArmO3CPU", "ArmTLB", "ArmMMU", "numPhysVecRegs"),
}
TO_EXECUTE = 1  # issueToExecuteDelay, which a load takes before the cache


def power_of_two(number):
    return number > 0 and number == int(number) and int(number) & (int(number) - 1) == 0


class Writer:
    """Lines of one class, with a comment for each parameter that has no value."""

    def __init__(self, taken, name, base):
        self.taken, self.name = taken, name
        self.lines = [f"class {name}({base}):"]

    def put(self, parameter, value, number=None, more=""):
        """A parameter from a Value, or the reason in `left_out` where it is None."""
        if value is None:
            why = next((why for field, why in reversed(self.taken.left_out) if field == self.field(parameter)), "undecided")
            self.lines.append(f"    # {parameter}: gem5's default; {why}")
        else:
            shown = round(value.value) if number is None else number
            self.lines.append(f"    {parameter} = {shown}  # {value.remark()}{more}")

    def field(self, parameter):
        return f"{self.name}.{parameter}"

    def take(self, parameter, name, **variants):
        self.put(parameter, self.taken.take(self.field(parameter), name, **variants))

    def first(self, parameter, *choices):
        self.put(parameter, self.taken.first(self.field(parameter), *choices))

    def refuse(self, parameter, why):
        self.taken.leave(self.field(parameter), why)
        self.put(parameter, None)

    def power(self, parameter, *choices, scale=1):
        """A size that gem5 wants as a power of two."""
        value = self.taken.first(self.field(parameter), *choices)
        if value is not None and not power_of_two(value.value * scale):
            del self.taken.fields[self.field(parameter)]
            self.refuse(parameter, f"{value.remark()}, but gem5 wants a power of two")
        else:
            self.put(parameter, value, None if value is None else round(value.value * scale))

    def text(self):
        return "\n".join(
            self.lines
            if len(self.lines) > 1 and any(not line.strip().startswith("#") for line in self.lines[1:])
            else [*self.lines, "    pass"]
        )


def units(taken, prefix):
    """The pool of units: each unit is a FUDesc of its own, with the classes that it runs."""
    core = taken.core
    known, left = core.units()
    for why in left:
        taken.leave(f"{prefix}FUPool", why)
    if not known:
        return f"# fuPool: gem5's default; {left[0]}", None
    by_unit, lines = {}, []
    for name, unit in known.items():
        if name not in CLASSES:
            taken.leave(f"{prefix}FUPool", f"gem5 has no class of its own for {name}")
            continue
        taken.note(f"{prefix}FUPool.{CLASSES[name]}", unit.value)
        for port in unit.ports:
            by_unit.setdefault(port, []).append(name)
    descriptions = {}
    for name, unit in known.items():
        form = core.forms.get(unit.form)
        if name in CLASSES and form is not None and form.latency is not None:
            taken.note(f"{prefix}FUPool.{CLASSES[name]}.opLat", form.value("latency", form.latency))
            descriptions[name] = (
                f'OpDesc(opClass="{CLASSES[name]}", opLat={whole(form.latency)})',
                f"latency {form.latency:.2f}, grade C",
            )
        elif name in CLASSES:
            descriptions[name] = (f'OpDesc(opClass="{CLASSES[name]}")', "opLat: gem5's default, not decided")
    for port, names in sorted(by_unit.items()):
        lines.append(f"class {prefix}Unit{port}(FUDesc):")
        lines.append("    count = 1")
        lines.append("    opList = [")
        lines += [
            f"        {descriptions[name][0]},  # {name}: {known[name].value.remark()}; {descriptions[name][1]}"
            for name in names
        ]
        lines.append("    ]\n\n")
    lines.append(f"class {prefix}FUPool(FUPool):")
    lines.append("    # and gem5's own units for classes that no finding names")
    others = ", ".join(f"{prefix}Unit{port}()" for port in sorted(by_unit))
    lines.append(f"    FUList = [{others}, IntMultDiv(), FP_MultDiv(), FP_ALU(), SIMD_Unit(), PredALU(), IprPort()]")
    return "\n".join(lines), sorted(by_unit)


def scheduler(w):
    """gem5 has one queue for all classes: the sum of all schedulers, where it is known which classes share one."""
    core = w.taken.core
    values = {
        each["class"]: core.look("backend.scheduler.entries", **each) for each in core.matching("backend.scheduler.entries")
    }
    if not values:
        return w.refuse("numIQEntries", "backend.scheduler.entries: not measured")
    if any(not isinstance(v, Value) for v in values.values()):
        return w.refuse("numIQEntries", "gem5 has one queue, and some schedulers are undecided")
    names = list(values)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            shared = [core.look("backend.scheduler.shared", pair=pair) for pair in (f"{a} and {b}", f"{b} and {a}")]
            if not any(isinstance(s, Value) and s.value == "separate" for s in shared):
                return w.refuse(
                    "numIQEntries", f"gem5 has one queue, and whether {a} and {b} share one is undecided, or they do"
                )
    for name, value in values.items():
        w.taken.note(f"{w.name}.numIQEntries, {name}", value)
    w.lines.append(
        f"    numIQEntries = {round(sum(v.value for v in values.values()))}  # the sum of: "
        + "; ".join(v.remark() for v in values.values())
    )
    return None


def cache(taken, name, level, instruction=False):
    w = Writer(taken, name, "Cache")
    if instruction:
        size = taken.take(w.field("size"), "frontend.l1i.bytes")
        w.put("size", size, size and f'"{round(size.value)}B"')
        w.take("assoc", "frontend.l1i.ways")
        w.lines += ["    is_read_only = True"]
        for parameter in ("tag_latency", "data_latency", "response_latency", "mshrs", "tgts_per_mshr"):
            w.refuse(parameter, "no finding; gem5 demands a value, so the user has to give one")
        return w.text()
    pages = ({"level": level}, {"level": level, "page": "2m"}, {"level": level, "page": "4k"})
    size = taken.first(w.field("size"), *(("memory.cache.bytes", each) for each in pages))
    w.put("size", size, size and f'"{round(size.value)}B"')
    w.take("assoc", "memory.cache.ways", level=level)
    taken_latency = [
        next(
            (
                v
                for v in (taken.core.look("memory.cache.latency_cycles", **{**each, "level": n}) for each in pages)
                if isinstance(v, Value)
            ),
            None,
        )
        for n in (level, level - 1)
    ]
    if taken_latency[0] and (level == 1 or taken_latency[1]):
        before = TO_EXECUTE if level == 1 else taken_latency[1].value
        value = taken.note(w.field("latency"), taken_latency[0])
        cycles = max(1, round(taken_latency[0].value - before))
        for parameter in ("tag_latency", "data_latency"):
            w.put(
                parameter,
                value,
                cycles,
                f", less {before:g} {'of issue' if level == 1 else 'of the level before'}; to be fitted with a chase",
            )
    else:
        for parameter in ("tag_latency", "data_latency"):
            w.refuse(
                parameter,
                f"memory.cache.latency_cycles of level {level if not taken_latency[0] else level - 1}: undecided; "
                "gem5 demands a value, so the user has to give one",
            )
    w.refuse("response_latency", "no finding; gem5 demands a value, so the user has to give one")
    w.take("mshrs", "memory.parallel_misses", level=level)
    w.refuse("tgts_per_mshr", "no finding; gem5 demands a value, so the user has to give one")
    policy = taken.take(w.field("replacement_policy"), "memory.cache.replacement", level=level)
    if policy is not None and policy.value not in POLICIES:
        del taken.fields[w.field("replacement_policy")]
        w.refuse("replacement_policy", f"gem5 has no policy {policy.value}")
    else:
        w.put("replacement_policy", policy, policy and f"{POLICIES[policy.value]}()")
    parts, prefetcher = prefetchers.gem5(Writer, taken, name, level)
    w.lines.append(f"    prefetcher = {prefetcher}" if prefetcher else "    # prefetcher: gem5's default, none; no kind is decided")
    return "\n\n\n".join([*parts, w.text()])


def predictor(taken, prefix):
    parts = []
    btb = Writer(taken, f"{prefix}BTB", "SimpleBTB")
    btb.power("numEntries", *(("frontend.btb.entries", {"level": level, "branch": "uncond"}) for level in (1, 2)))
    ras = Writer(taken, f"{prefix}RAS", "ReturnAddrStack")
    ras.first(
        "numEntries", *(("frontend.return_stack.entries", {"target": target}) for target in ("random", "changing", "fixed"))
    )
    indirect = Writer(taken, f"{prefix}Indirect", "SimpleIndirectPredictor")
    indirect.power("indirectSets", ("frontend.indirect.targets", {"branches": 1}), scale=0.5)
    indirect.lines.append("    indirectWays = 2  # gem5's default; sets are targets by two")
    tage = Writer(taken, f"{prefix}TAGEBase", "TAGEBase")
    tage.take("maxHist", "frontend.history.branches", kind="conditional-taken")
    tables = taken.core.look("frontend.cond.tables")
    if isinstance(tables, Value):
        tage.take("minHist", "frontend.cond.history", table=round(tables.value))
        tage.refuse("nHistoryTables", f"{tables.remark()}, but gem5 wants the size and the tags of each table with it")
    else:
        for parameter in ("minHist", "nHistoryTables"):
            tage.refuse(parameter, tables)
    parts += [btb.text(), ras.text(), indirect.text(), tage.text()]
    parts.append(
        f"class {prefix}BP(TAGE):\n    btb = {prefix}BTB()\n    ras = {prefix}RAS()\n"
        f"    indirectBranchPred = {prefix}Indirect()\n    tage = {prefix}TAGEBase()"
    )
    return parts


def tlbs(taken, prefix, tlb, mmu):
    data = Writer(taken, f"{prefix}DTB", tlb)
    data.lines.append('    entry_type = "data"')
    data.take("size", "memory.dtlb.entries", level=1, page="4k", access="load")
    instruction = Writer(taken, f"{prefix}ITB", tlb)
    instruction.lines.append('    entry_type = "instruction"')
    instruction.take("size", "frontend.itlb.entries", level=1, page="4k")
    parts = [data.text(), instruction.text()]
    second = ""
    if mmu == "ArmMMU":
        shared = Writer(taken, f"{prefix}L2TLB", tlb)
        shared.lines.append('    entry_type = "unified"')
        shared.take("size", "memory.dtlb.entries", level=2, page="4k", access="load")
        parts.append(shared.text())
        second = f"    l2_shared = {prefix}L2TLB()\n"
    else:
        value = taken.core.look("memory.dtlb.entries", level=2, page="4k", access="load")
        taken.leave(
            f"{prefix}MMU", f"gem5's x86 has no second-level TLB; {value.remark() if isinstance(value, Value) else value}"
        )
    parts.append(f"class {prefix}MMU({mmu}):\n{second}    dtb = {prefix}DTB()\n    itb = {prefix}ITB()")
    return parts


def files(taken):
    core = taken.core
    prefix = core.class_name
    base, tlb, mmu, vector = CORES[core.isa]
    pool, ports = units(taken, prefix)
    w = Writer(taken, f"{prefix}CPU", base)
    width = "backend.rename.per_cycle", {"counted": "operations"}
    w.power("fetchBufferSize", ("frontend.fetch.bytes", {}))
    w.take("fetchWidth", "frontend.fetch.instructions")
    w.take("decodeWidth", "frontend.decode.width")
    w.first("renameWidth", width)
    w.first("dispatchWidth", width)
    w.take("commitWidth", "backend.retire.per_cycle", counted="operations")
    w.take("numROBEntries", "backend.rob.entries")
    scheduler(w)
    w.take("LQEntries", "backend.load_queue.entries", width=64)
    w.take("SQEntries", "backend.store_queue.entries", width=64)
    wide = 2 if core.machine.get("vector_bits", 0) >= 512 and core.isa == "x86_64" else 1
    for parameter, kind, more in (
        ("numPhysIntRegs", "int", [{"class": "int64"}]),
        (vector, "vector", [{"class": "vector"}, {"class": "vector", "width": 512}, {"class": "vector", "width": 128}]),
    ):
        named = NAMED[core.isa][kind] * (wide if kind == "vector" else 1)
        value = taken.first(w.field(parameter), *(("backend.registers.entries", each) for each in more))
        w.put(parameter, value, value and round(value.value) + named, f", and {named} that programs name")
    w.power("SSITSize", ("memory.dependence.loads", {"dependence": "address"}))
    w.lines += [f"    branchPred = {prefix}BP()", f"    mmu = {prefix}MMU()"] + (
        [f"    fuPool = {prefix}FUPool()"] if ports else []
    )
    clock = taken.take(f"{prefix}.clock", "system.clock.hz")
    for name, why in (
        ("frontend.mispredict.cycles", "gem5's penalty is the sum of its stages' delays"),
        ("memory.dram.latency_ns", "gem5 models the memory itself"),
    ):
        for variants in core.matching(name):
            value = core.look(name, **variants)
            taken.leave(f"{prefix}CPU", f"{why}: {value.remark() if isinstance(value, Value) else value}")
    parts = [
        pool,
        *predictor(taken, prefix),
        *tlbs(taken, prefix, tlb, mmu),
        cache(taken, f"{prefix}L1I", 1, True),
        *(cache(taken, f"{prefix}L{level}{'D' if level == 1 else ''}", level) for level in (1, 2, 3)),
        w.text(),
    ]
    head = [f"# gem5 core of {line}" if i == 0 else f"#   {line}" for i, line in enumerate(core.provenance())]
    head += ["# Each number has its grade, interval and finding beside it. Left out:"]
    head += [f"#   {field}: {why}" for field, why in taken.left_out]
    head += ["", "from m5.objects import *", ""]
    if clock:
        head += [f'CLOCK = "{round(clock.value / 1e6)}MHz"  # {clock.remark()}', ""]
    return {f"{core.name}.py": "\n".join(head) + "\n" + "\n\n\n".join(parts) + "\n"}
