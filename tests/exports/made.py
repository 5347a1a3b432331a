"""Runs of cores that are made up: every number that an exporter can use, drawn at random, some of them undecided."""

import json
import random
import zlib

UNIT_CLASSES = (
    ("add", "cmp r64, i8", 4, 1),
    ("multiply", "imul r64, r64, i8", 1, 3),
    ("vector multiply", "vmulpd xmm, xmm, xmm", 2, 4),
    ("vector add", "vaddpd xmm, xmm, xmm", 2, 3),
    ("load", "load", 3, None),
    ("store", "store", 2, None),
)
COLUMNS = [
    "form",
    "feature",
    "class",
    "state",
    "reason",
    "relation",
    "cycles",
    "kernel_n_cycles",
    "kernel_2n_cycles",
    "latencies",
    "values",
    "same_register_cycles",
    "same_register_chain_cycles",
    "bytes",
]
BYTES = {
    "cmp r64, i8": "4883f805",
    "imul r64, r64, i8": "486bc105",
    "vmulpd xmm, xmm, xmm": "c5f159c2",
    "vaddpd xmm, xmm, xmm": "c5f158c2",
    "add r64, r64": "4801d8",
    "adc al, i8": "1405",
    "vaddpd xmm, xmm, m128": "c5f15806",
    "mov r64, r64": "4889d8",
    "nop": "90",
}


def record(**fields):
    text = json.dumps(fields, separators=(",", ":"))[:-1].encode()
    return text + b',"c":"%08x"}\n' % zlib.crc32(text)


def draw_core(seed):
    """Finding and variants -> value, of everything that an exporter asks."""
    draw = random.Random(seed)
    power = lambda low, high: 2 ** draw.randint(low, high)
    truth = {
        ("backend.rename.per_cycle", "counted", "operations"): draw.randint(2, 10),
        ("backend.retire.per_cycle", "counted", "operations"): draw.randint(2, 12),
        ("backend.rob.entries",): draw.randint(60, 700),
        ("backend.load_queue.entries", "width", 64): draw.randint(16, 200),
        ("backend.store_queue.entries", "width", 64): draw.randint(16, 120),
        ("backend.registers.entries", "class", "int64"): draw.randint(40, 400),
        ("backend.registers.entries", "class", "vector"): draw.randint(40, 400),
        ("frontend.decode.width",): draw.randint(2, 8),
        ("frontend.fetch.bytes",): power(3, 6),
        ("frontend.fetch.instructions",): draw.randint(2, 10),
        ("frontend.return_stack.entries", "target", "random"): draw.randint(8, 64),
        ("frontend.history.branches", "kind", "conditional-taken"): draw.randint(20, 800),
        ("frontend.btb.entries", "level", 1, "branch", "uncond"): power(6, 13),
        ("frontend.indirect.targets", "branches", 1): power(6, 12),
        ("frontend.itlb.entries", "level", 1, "page", "4k"): draw.randint(16, 256),
        ("frontend.l1i.bytes",): power(14, 17),
        ("frontend.l1i.ways",): power(1, 4),
        ("frontend.mispredict.cycles", "branch", "cond"): draw.randint(8, 30),
        ("frontend.loop_buffer.ops",): draw.choice((0, 48, 64)),
        ("memory.dependence.loads", "dependence", "address"): power(4, 10),
        ("memory.parallel_walks",): draw.randint(1, 12),
        ("memory.load_use.cycles", "mode", "base", "crossing", "none"): draw.randint(3, 6),
        ("system.clock.hz",): draw.randint(1000, 6000) * 1e6,
        ("memory.stride.per_cycle", "access", "load", "stride", 8): draw.randint(1, 4),
        ("memory.stride.per_cycle", "access", "store", "stride", 8): draw.randint(1, 3),
    }
    latency = 0
    for level, (low, high) in enumerate(((14, 17), (18, 22), (22, 26)), 1):
        latency += draw.randint(4, 40)
        truth |= {
            ("memory.cache.bytes", "level", level): power(low, high),
            ("memory.cache.ways", "level", level): power(2, 4),
            ("memory.cache.latency_cycles", "level", level): latency,
            ("memory.parallel_misses", "level", level): draw.randint(4, 64),
            ("memory.cache.replacement", "level", level): draw.choice(("LRU", "random")),
        }
    for level in (1, 2):
        sets, ways = power(2, 8), power(0, 4)
        truth |= {
            ("memory.dtlb.entries", "level", level, "page", "4k", "access", "load"): sets * ways,
            ("memory.dtlb.ways", "level", level, "page", "4k", "access", "load"): ways,
        }
    sets, ways = power(2, 6), power(0, 3)
    truth |= {
        ("frontend.itlb.entries", "level", 1, "page", "4k"): sets * ways,
        ("frontend.itlb.ways", "level", 1, "page", "4k"): ways,
    }
    ports = list(range(9))
    draw.shuffle(ports)
    units, at = {}, 0
    for name, form, count, _ in UNIT_CLASSES:
        units[name] = sorted(ports[:2]) if name == "vector add" and draw.random() < 0.5 else [at + i for i in range(count)]
        at += count
    truth[("backend.unit.map",)] = "; ".join(f"{name}: {' '.join(map(str, each))}" for name, each in units.items())
    return truth, units


def finding(key, value, grade="B"):
    name, *variants = key
    pairs = dict(zip(variants[::2], variants[1::2]))
    number = isinstance(value, (int, float))
    fields = {
        "t": "finding",
        "probe": "made",
        "name": name,
        "core": 0,
        **pairs,
        "value": value if grade != "U" else None,
        "unit": "",
        "low": value if number and grade != "U" else None,
        "high": value + 1 if number and grade != "U" else None,
        "grade": grade,
    }
    return record(**fields, **({"reason": "no-edge"} if grade == "U" else {}))


def row(form, throughput, latencies, relation="="):
    chains = [[source, to, rel, cycles, True, None, cycles, None, BYTES[form], None] for source, to, rel, cycles in latencies]
    return [
        form,
        "",
        "ordinary",
        "measured",
        None,
        relation,
        throughput,
        throughput,
        throughput,
        chains,
        [],
        None,
        None,
        BYTES[form],
    ]


def forms(units):
    rows = [
        row(form, 1 / len(units[name]), [("0:x", "0:x", "=", latency)] if latency != 1 else [])
        for name, form, _, latency in UNIT_CLASSES
        if form in BYTES
    ]
    rows.append(row("adc al, i8", 1, [], "<="))
    rows.append(row("vaddpd xmm, xmm, m128", 0.5, [("2:memory", "0:vector", "<=", 9)]))
    return rows


def run_of(truth, units, undecided=(), rows=None, **more):
    """The bytes of a run."""
    width = truth.get(("backend.rename.per_cycle", "counted", "operations"), 4)
    lines = [
        record(
            t="run",
            schema=1,
            build="made",
            platform="linux",
            isa=more.get("isa", "x86_64"),
            profile="quick",
            date="2026-01-01T00:00:00Z",
        ),
        record(
            t="machine",
            core=0,
            core_name=more.get("core_name", "made"),
            core_model=more.get("core_model", "A made core"),
            vector_bits=256,
        ),
        record(t="environment", core=0),
    ]
    lines += [finding(key, value, "U" if key in undecided else "B") for key, value in truth.items()]
    lines.append(
        record(
            t="table",
            probe="units",
            core=0,
            name="maps",
            width=width,
            mixes=9,
            fits=True,
            columns=["map", "class", "form", "ports", "alone_cycles"],
            rows=[
                [0, name, form, " ".join(map(str, units[name])), 1 / len(units[name])] for name, form, _, _ in UNIT_CLASSES
            ],
        )
    )
    lines.append(
        record(
            t="table",
            probe="instructions",
            core=0,
            name="backend.instruction",
            trusted=True,
            unit="cycles/instruction",
            columns=COLUMNS,
            rows=forms(units) if rows is None else rows,
        )
    )
    if "placed" in more:
        lines.append(
            record(
                t="table",
                probe="form_units",
                core=0,
                name="backend.instruction.units",
                trusted=True,
                columns=["form", "state", "reason", "cycles", "slots", "operations", "tests"],
                rows=more["placed"],
            )
        )
    lines.append(
        record(
            t="done",
            trusted=more.get("trusted", True),
            **({} if more.get("trusted", True) else {"untrusted_cause": "an emulator"}),
        )
    )
    return b"".join(lines)
