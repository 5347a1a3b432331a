"""
A configuration for ChampSim: its JSON, with the keys that findings decide and no others, so that all others stay at its
defaults. JSON has no comments: provenance.json beside it has grade, interval and finding of each key.

Latencies are what each level adds, since ChampSim adds them up. History length, return stack and branch target buffer
are constants in the modules of ChampSim, which have no keys: they are listed as left out, with their values.
"""

import json

from exports import prefetchers
from exports.core import Value
from exports.gem5 import power_of_two

# Values that belong into modules, which have no keys.
MODULES = (
    ("frontend.history.branches", "history of the branch predictor"),
    ("frontend.return_stack.entries", "return stack"),
    ("frontend.btb.entries", "branch target buffer"),
    ("frontend.mispredict.cycles", "mispredict_penalty is what is added to the refill of the front end"),
)
PREFETCHERS = {"next": "next_line", "stride": "ip_stride"}
POLICIES = {"LRU": "lru", "random": "random"}
NAMED = {"x86_64": 16, "aarch64": 31}


def put(taken, target, field, key, *choices, change=round):
    value = taken.first(f"{field}.{key}", *choices)
    if value is not None:
        target[key] = change(value.value)


def sized(taken, target, field, size, ways, line):
    """Sets and ways from the number of entries, or of bytes by line, and that of ways."""
    if not isinstance(size, Value) or not isinstance(ways, Value):
        why = size if isinstance(ways, Value) else ways
        taken.leave(f"{field}.sets", f"needs both size and ways: {why}")
        return
    sets = size.value / line / ways.value
    if not power_of_two(sets):
        taken.leave(
            f"{field}.sets", f"{size.remark()} and {ways.remark()} do not make a number of sets that is a power of two"
        )
        return
    taken.note(f"{field}.sets", size)
    taken.note(f"{field}.ways", ways)
    target.update(sets=round(sets), ways=round(ways.value))


def decided(core, *choices):
    """The first decided of the choices (name, variants); else the text of the first."""
    values = [core.look(name, **variants) for name, variants in choices]
    return next((v for v in values if isinstance(v, Value)), values[0])


def caches(taken, out):
    core = taken.core
    sized(taken, out.setdefault("L1I", {}), "L1I", core.look("frontend.l1i.bytes"), core.look("frontend.l1i.ways"), 64)
    before = None
    for level, key in ((1, "L1D"), (2, "L2C"), (3, "LLC")):
        target = out.setdefault(key, {})
        pages = ({"level": level}, {"level": level, "page": "2m"}, {"level": level, "page": "4k"})
        sized(
            taken,
            target,
            key,
            decided(core, *(("memory.cache.bytes", each) for each in pages)),
            core.look("memory.cache.ways", level=level),
            64,
        )
        latency = decided(core, *(("memory.cache.latency_cycles", each) for each in pages))
        if isinstance(latency, Value) and (level == 1 or isinstance(before, Value)):
            taken.note(f"{key}.latency", latency)
            target["latency"] = round(latency.value - (before.value if level > 1 else 0))
        else:
            taken.leave(
                f"{key}.latency", latency if not isinstance(latency, Value) else f"needs that of the level before: {before}"
            )
        before = latency
        put(taken, target, key, "mshr_size", ("memory.parallel_misses", {"level": level}))
        policy = taken.take(f"{key}.replacement", "memory.cache.replacement", level=level)
        if policy is not None and policy.value in POLICIES:
            target["replacement"] = POLICIES[policy.value]
        elif policy is not None:
            del taken.fields[f"{key}.replacement"]
            taken.leave(f"{key}.replacement", f"ChampSim has no policy {policy.value}")
        put_prefetcher(taken, target, key, level)


def put_prefetcher(taken, target, key, level):
    """The module of the one kind that a cache has; its degree, distance and table are constants of the module."""
    found, left = prefetchers.of_level(taken.core, level)
    field = f"{key}.prefetcher"
    for kind, why in left:
        taken.leave(field, f"{kind}: {why}")
    for kind, (exists, home) in found.items():
        if len(found) > 1 or kind not in PREFETCHERS:
            why = "ChampSim's modules are of one kind each" if kind in PREFETCHERS else "ChampSim has no such module"
            taken.leave(field, f"{exists.remark()}: {why}")
            continue
        taken.note(field, exists)
        target["prefetcher"] = PREFETCHERS[kind]
        for name in ("degree", "distance", "streams"):
            value = taken.core.look(f"memory.prefetcher.{name}", kind=kind, home=home)
            taken.leave(f"{field}, {name}", f"no key in ChampSim; {value.remark() if isinstance(value, Value) else value}")


def tlbs(taken, out):
    core = taken.core
    data = {"page": "4k", "access": "load"}
    for key, name, variants in (
        ("ITLB", "frontend.itlb", {"level": 1, "page": "4k"}),
        ("DTLB", "memory.dtlb", {"level": 1, **data}),
        ("STLB", "memory.dtlb", {"level": 2, **data}),
    ):
        sized(
            taken,
            out.setdefault(key, {}),
            key,
            core.look(f"{name}.entries", **variants),
            core.look(f"{name}.ways", **variants),
            1,
        )


def files(taken):
    core = taken.core
    width = "backend.rename.per_cycle", {"counted": "operations"}
    cpu, out = {}, {}
    put(taken, cpu, "ooo_cpu", "frequency", ("system.clock.hz", {}), change=lambda hz: round(hz / 1e6))
    put(taken, cpu, "ooo_cpu", "rob_size", ("backend.rob.entries", {}))
    put(taken, cpu, "ooo_cpu", "lq_size", ("backend.load_queue.entries", {"width": 64}))
    put(taken, cpu, "ooo_cpu", "sq_size", ("backend.store_queue.entries", {"width": 64}))
    put(taken, cpu, "ooo_cpu", "fetch_width", ("frontend.fetch.instructions", {}))
    put(taken, cpu, "ooo_cpu", "decode_width", ("frontend.decode.width", {}))
    put(taken, cpu, "ooo_cpu", "dispatch_width", width)
    put(taken, cpu, "ooo_cpu", "retire_width", ("backend.retire.per_cycle", {"counted": "operations"}))
    put(
        taken,
        cpu,
        "ooo_cpu",
        "register_file_size",
        ("backend.registers.entries", {"class": "int64"}),
        change=lambda n: round(n) + NAMED[core.isa],
    )
    for key, access in (("lq_width", "load"), ("sq_width", "store")):
        put(taken, cpu, "ooo_cpu", key, ("memory.stride.per_cycle", {"access": access, "stride": 8}))
    units, left = core.units()
    if units and not left:
        ports = {port for unit in units.values() for port in unit.ports}
        cpu["execute_width"] = len(ports)
        taken.note("ooo_cpu.execute_width", next(iter(units.values())).value)
    else:
        taken.leave("ooo_cpu.execute_width", left[0] if left else "backend.unit.map: not measured")
    taken.leave("ooo_cpu.scheduler_size", "ChampSim has one scheduler; backend.scheduler.entries has one for each class")
    entry = core.look("frontend.op_cache.ops_per_entry")
    taken.leave("DIB", entry if isinstance(entry, str) else f"{entry.remark()}: ChampSim's window is in bytes")
    caches(taken, out)
    tlbs(taken, out)
    put(taken, out.setdefault("PTW", {}), "PTW", "mshr_size", ("memory.parallel_walks", {}))
    for name, what in MODULES:
        for variants in core.matching(name):
            value = core.look(name, **variants)
            taken.leave(what, f"no key in ChampSim; {value.remark() if isinstance(value, Value) else value}")
    document = {
        "executable_name": f"champsim_{core.name}",
        "block_size": 64,
        "page_size": 4096,
        "num_cores": 1,
        "ooo_cpu": [cpu],
        **{key: value for key, value in sorted(out.items()) if value},
    }
    return {f"{core.name}.json": json.dumps(document, indent=1) + "\n"}
