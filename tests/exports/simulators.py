"""gem5 and ChampSim: every number that their files have room for comes back, and no other."""

import json
import pathlib
import re
import tempfile

import gem5_names
import jsonschema
import made
import modelled
from common import cores, expect, export

GEM5 = {
    ("MadeCPU", "decodeWidth"): ("frontend.decode.width",),
    ("MadeCPU", "fetchBufferSize"): ("frontend.fetch.bytes",),
    ("MadeCPU", "fetchWidth"): ("frontend.fetch.instructions",),
    ("MadeCPU", "numROBEntries"): ("backend.rob.entries",),
    ("MadeCPU", "renameWidth"): ("backend.rename.per_cycle", "counted", "operations"),
    ("MadeCPU", "dispatchWidth"): ("backend.rename.per_cycle", "counted", "operations"),
    ("MadeCPU", "commitWidth"): ("backend.retire.per_cycle", "counted", "operations"),
    ("MadeCPU", "LQEntries"): ("backend.load_queue.entries", "width", 64),
    ("MadeCPU", "SQEntries"): ("backend.store_queue.entries", "width", 64),
    ("MadeCPU", "SSITSize"): ("memory.dependence.loads", "dependence", "address"),
    ("MadeRAS", "numEntries"): ("frontend.return_stack.entries", "target", "random"),
    ("MadeBTB", "numEntries"): ("frontend.btb.entries", "level", 1, "branch", "uncond"),
    ("MadeTAGEBase", "maxHist"): ("frontend.history.branches", "kind", "conditional-taken"),
    ("MadeITB", "size"): ("frontend.itlb.entries", "level", 1, "page", "4k"),
    ("MadeDTB", "size"): ("memory.dtlb.entries", "level", 1, "page", "4k", "access", "load"),
    ("MadeL1I", "assoc"): ("frontend.l1i.ways",),
} | {
    (f"MadeL{level}{'D' if level == 1 else ''}", field): (name, "level", level)
    for level in (1, 2, 3)
    for field, name in (("assoc", "memory.cache.ways"), ("mshrs", "memory.parallel_misses"))
}


def test_gem5_gives_every_number_back_and_no_other():
    with tempfile.TemporaryDirectory() as folder:
        for truth, units, undecided in cores():
            text = export(folder, made.run_of(truth, units, undecided), "gem5")["made.py"]
            read = gem5_names.read(text)
            for (name, field), key in GEM5.items():
                expect(vars(read[name]).get(field), None if key in undecided else truth[key], f"{name}.{field}")
                if key in undecided:
                    assert re.search(rf"# {field}: gem5's default", text), f"{name}.{field} is not marked"
            for field, key in (("size", ("frontend.l1i.bytes",)),):
                expect(vars(read["MadeL1I"]).get(field), None if key in undecided else f"{truth[key]}B", "L1I")
            for field, kind, named in (("numPhysIntRegs", "int64", 16), ("numPhysFloatRegs", "vector", 16)):
                key = ("backend.registers.entries", "class", kind)
                expect(vars(read["MadeCPU"]).get(field), None if key in undecided else truth[key] + named, field)
            before = 1
            for level in (1, 2, 3):
                key, earlier = (("memory.cache.latency_cycles", "level", n) for n in (level, level - 1))
                known = key not in undecided and (level == 1 or earlier not in undecided)
                expect(
                    vars(read[f"MadeL{level}{'D' if level == 1 else ''}"]).get("data_latency"),
                    truth[key] - before if known else None,
                    f"latency {level}",
                )
                before = truth[key]
                key = ("memory.cache.bytes", "level", level)
                expect(
                    vars(read[f"MadeL{level}{'D' if level == 1 else ''}"]).get("size"),
                    None if key in undecided else f"{truth[key]}B",
                    f"size {level}",
                )
                policy = vars(read[f"MadeL{level}{'D' if level == 1 else ''}"]).get("replacement_policy")
                key = ("memory.cache.replacement", "level", level)
                expect(
                    type(policy).__name__,
                    "NoneType" if key in undecided else {"LRU": "LRURP", "random": "RandomRP"}[truth[key]],
                    f"policy {level}",
                )
            if ("backend.unit.map",) in undecided:
                assert "MadeFUPool" not in read and "fuPool" not in vars(read["MadeCPU"])
                continue
            classes = {}
            for unit in read["MadeFUPool"].FUList:
                for op, latency, _ in getattr(unit, "opList", ()):
                    classes.setdefault(op, []).append((type(unit).__name__, latency))
            for name, op in (
                ("add", "IntAlu"),
                ("multiply", "IntMult"),
                ("vector multiply", "SimdFloatMult"),
                ("load", "MemRead"),
            ):
                expect(sorted(unit for unit, _ in classes[op]), sorted(f"MadeUnit{port}" for port in units[name]), op)
            expect({latency for _, latency in classes["IntMult"]}, {3}, "latency of multiplications")


def test_prefetchers_belong_to_the_cache_that_they_fill():
    truth, units = made.draw_core(3)
    kinds = {
        ("stride", "2"): {"kind": "up and down", "degree": 2, "distance": 5, "streams": 16, "hits": "train", "stores": "do not train"},
        ("next", "2"): {"kind": "none"},
        ("stride", "3"): {"kind": "up and down", "level": "1", "degree": 9},
        ("stream", "3"): {"kind": "up", "level": "2"},
        ("region", "3"): {"kind": "found", "level": "2", "region_bytes": 2048},
        ("deltas", "3"): {"kind": "found", "level": "2", "length": 12},
        ("next", "3"): {"kind": "always", "degree": 3},
    }
    found = {
        (f"memory.prefetcher.{name}", "kind", kind, "home", home): value
        for (kind, home), values in kinds.items()
        for name, value in values.items()
    }
    into = ("memory.prefetcher.level", "kind", "next", "home", "3")
    tables = {("frontend.cond.tables",): 3} | {("frontend.cond.history", "table", n): 400 >> n for n in (1, 2, 3)}
    with tempfile.TemporaryDirectory() as folder:
        run = made.run_of(truth | found | tables | {into: "2"}, units, {into})
        text = export(folder, run, "gem5")["made.py"]
        read = gem5_names.read(text)
        expect(type(vars(read["MadeL1D"])["prefetcher"]).__name__, "MadeL1DStride", "the first level's")
        wanted = {"degree": 2, "distance": 3, "table_entries": 16, "prefetch_on_access": True, "on_write": False}
        expect({key: vars(read["MadeL1DStride"]).get(key) for key in wanted}, wanted, "stride")
        both = vars(read["MadeL2"])["prefetcher"]
        expect([type(each).__name__ for each in both], ["MadeL2Region", "MadeL2Deltas"], "the second level's")
        expect((both[0].region_size, both[1].dcpt), (2048, 12), "their parameters")
        expect(vars(read["MadeTAGEBase"]).get("minHist"), 50, "history of the third table")
        for missing in ("prefetcher of streams", "next.*but not which level it brings lines into", "tags of each table"):
            assert re.search(f"^#.*{missing}", text, re.MULTILINE), missing
        document = json.loads(export(folder, run, "champsim")["made.json"])
        expect([document[key].get("prefetcher") for key in ("L1D", "L2C")], ["ip_stride", None], "modules of ChampSim")
        run = made.run_of(truth | found | {into: "2"}, units)
        read = gem5_names.read(export(folder, run, "gem5")["made.py"])
        expect(read["MadeL2Next"]().degree, 3, "lines of the next line's prefetcher")


def test_gem5_of_modelled_cores_is_their_design():
    with tempfile.TemporaryDirectory() as folder:
        modelled.test(folder, export)


def test_gem5_of_aarch64_has_its_classes():
    truth, units = made.draw_core(6)
    with tempfile.TemporaryDirectory() as folder:
        read = gem5_names.read(export(folder, made.run_of(truth, units, isa="aarch64"), "gem5")["made.py"])
        expect(read["MadeCPU"].__mro__[1].__name__, "ArmO3CPU", "the base")
        expect(read["MadeCPU"].numPhysIntRegs, truth["backend.registers.entries", "class", "int64"] + 31, "registers")
        expect(read["MadeL2TLB"].size, truth["memory.dtlb.entries", "level", 2, "page", "4k", "access", "load"], "second TLB")


CHAMPSIM = {
    ("ooo_cpu", "rob_size"): ("backend.rob.entries",),
    ("ooo_cpu", "lq_size"): ("backend.load_queue.entries", "width", 64),
    ("ooo_cpu", "sq_size"): ("backend.store_queue.entries", "width", 64),
    ("ooo_cpu", "decode_width"): ("frontend.decode.width",),
    ("ooo_cpu", "fetch_width"): ("frontend.fetch.instructions",),
    ("ooo_cpu", "retire_width"): ("backend.retire.per_cycle", "counted", "operations"),
    ("ooo_cpu", "dispatch_width"): ("backend.rename.per_cycle", "counted", "operations"),
    ("PTW", "mshr_size"): ("memory.parallel_walks",),
    ("ooo_cpu", "lq_width"): ("memory.stride.per_cycle", "access", "load", "stride", 8),
}
SIZED = (
    {"L1I": (("frontend.l1i.bytes",), ("frontend.l1i.ways",), 64)}
    | {
        key: (("memory.cache.bytes", "level", level), ("memory.cache.ways", "level", level), 64)
        for level, key in ((1, "L1D"), (2, "L2C"), (3, "LLC"))
    }
    | {
        key: ((f"{name}.entries", *more), (f"{name}.ways", *more), 1)
        for key, name, more in (
            ("ITLB", "frontend.itlb", ("level", 1, "page", "4k")),
            ("DTLB", "memory.dtlb", ("level", 1, "page", "4k", "access", "load")),
            ("STLB", "memory.dtlb", ("level", 2, "page", "4k", "access", "load")),
        )
    }
)


def test_champsim_gives_every_number_back_and_no_other():
    schema = json.loads(pathlib.Path(__file__).with_name("champsim.schema.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for truth, units, undecided in cores():
            found = json.loads(export(folder, made.run_of(truth, units, undecided), "champsim")["made.json"])
            jsonschema.validate(found, schema)
            found = {**found, "ooo_cpu": found["ooo_cpu"][0]}
            for (part, field), key in CHAMPSIM.items():
                expect(found.get(part, {}).get(field), None if key in undecided else truth[key], f"{part}.{field}")
            for part, (size, ways, line) in SIZED.items():
                known = not {size, ways} & undecided
                expect(found.get(part, {}).get("sets"), truth[size] // line // truth[ways] if known else None, f"{part}.sets")
                expect(found.get(part, {}).get("ways"), truth[ways] if known else None, f"{part}.ways")
