"""
A machine file for OSACA. Ports have the numbers of the map of units. A form has the operations that were measured; where
none were, what the model for LLVM assumes by its throughput, and the ports that stand for units which are not known have
names (exports/llvm.py). Bounds of throughput and latency are left out: `~` says so in OSACA's words.

Forms with memory operands are left out: OSACA adds load and store to the register form.
"""

import re

from exports.core import Value
from exports.llvm import Model

OPERANDS = {"i8": "int", "i16": "int", "i32": "int", "i64": "int"}
LOADS = {"x86_64": ("gpr", "mm", "xmm", "ymm", "zmm"), "aarch64": ("w", "x", "b", "h", "s", "d", "q", "v", "z")}


def operand(word, isa):
    """An operand as OSACA describes it; None where there is no such description."""
    if re.fullmatch(r"i\d+|0|1|imm\w*", word):
        return "{class: immediate, imd: int}"
    if isa == "x86_64":
        if re.fullmatch(r"r(8|16|32|64)", word):
            return "{class: register, name: gpr}"
        if word in ("mm", "xmm", "ymm", "zmm"):
            return f"{{class: register, name: {word}}}"
        if re.fullmatch(r"[re]?[abcd]x|[abcd]l", word):
            return f"{{class: register, name: {word}}}"
        return None
    vector = re.fullmatch(r"([vz])\.(\d*[bhsd])", word)
    if vector:
        return f"{{class: register, prefix: {vector[1]}, shape: {vector[2]}}}"
    return f"{{class: register, prefix: {word}}}" if word in LOADS[isa] else None


def pressure(form, model):
    """The cycles on which ports, and how that is known: as in the model for LLVM."""
    resource, _ = model.resource(form)
    parts = []
    for part, cycles in resource.parts:
        on = [f"'{part}{i}'" for i in range(model.pools[part])] if isinstance(part, str) else [f"'{port}'" for port in part]
        parts.append(f"[{cycles}, [{', '.join(on)}]]")
    return f"[{', '.join(parts)}]", f"units {resource.how}"


def forms(taken, model):
    lines = []
    for form in taken.core.forms.values():
        if form.row["state"] != "measured":
            continue
        mnemonic, _, rest = form.name.partition(" ")
        words = [word.strip() for word in rest.split(",") if word.strip()]
        operands = [operand(word, taken.core.isa) for word in words]
        if form.has_memory or None in operands or "{" in mnemonic:
            taken.leave(
                form.name, "has memory operands, which OSACA adds" if form.has_memory else "OSACA has no such operands"
            )
            continue
        if form.throughput is None:
            taken.leave(form.name, "its throughput is known as a bound only")
            continue
        taken.note(f"throughput of {form.name}", form.value("throughput", form.throughput))
        where, how = pressure(form, model)
        if form.name in model.operations:
            taken.note(f"port_pressure of {form.name}", model.operations[form.name].value)
        bounds = [x[3] for x in form.row["latencies"] if x[2] == "<=" and x[3] is not None]
        if form.latency is None and bounds and max(bounds) < 0.5:  # a whole number of cycles that is less than a half
            taken.note(f"latency of {form.name}", form.value("bound of the latency", max(bounds)))
            latency = "0.00"
        elif form.latency is None:
            taken.leave(f"latency of {form.name}", "known as a bound only")
            latency = "~"
        else:
            taken.note(f"latency of {form.name}", form.value("latency", form.latency))
            latency = f"{form.latency:.2f}"
        lines += [
            f"- name: {mnemonic}  # {form.name}; grade C, run {form.run}",
            "  operands:" + (" []" if not operands else ""),
        ]
        # as in AT&T syntax on x86-64: OSACA turns the operands of its other one around when it reads code
        lines += [f"  - {text}" for text in (reversed(operands) if taken.core.isa == "x86_64" else operands)]
        lines += [
            f"  throughput: {form.throughput:.3f}",
            f"  latency: {latency}",
            f"  port_pressure: {where}  # {how}",
        ]
    return lines


def files(taken):
    core = taken.core
    model = Model(taken)
    units, table = model.units, forms(taken, model)
    pools = [f"{name}{i}" for name, count in sorted(model.pools.items()) for i in range(count)]
    ports = sorted({port for unit in units.values() for port in unit.ports}.union(*model.groups))
    lines = [
        "osaca_version: 0.6.0",
        f"micro_architecture: {core.class_name}",
        f"arch_code: {core.name.lower()}",
        f"isa: {'x86' if core.isa == 'x86_64' else 'AArch64'}",
    ]
    for key, name, variants in (
        ("ROB_size", "backend.rob.entries", {}),
        ("retired_uOps_per_cycle", "backend.retire.per_cycle", {"counted": "operations"}),
        ("dispatched_uOps_per_cycle", "backend.rename.per_cycle", {"counted": "operations"}),
    ):
        value = taken.take(key, name, **variants)
        lines.append(
            f"{key}: {round(value.value)}  # {value.remark()}" if value else f"{key}: ~  # {core.look(name, **variants)}"
        )
    taken.leave("scheduler_size", "OSACA has one scheduler, which its analysis does not use")
    lines.append("hidden_loads: false")
    latency = taken.take("load_latency", "memory.load_use.cycles", mode="base", crossing="none")
    lines.append(
        "load_latency:" + (f"  # {latency.remark()}, of general registers; others are not decided" if latency else "")
    )
    lines += [
        f"  {name}: {f'{latency.value:.2f}' if latency and name in ('gpr', 'w', 'x') else '~'}" for name in LOADS[core.isa]
    ]
    for key, name in (("load", "load"), ("store", "store")):
        unit = units.get(name)
        remark = (
            f"  # {unit.value.remark()}" + (f"; {unit.open} of them may be units of other classes" if unit.open else "")
            if unit
            else "  # not decided"
        )
        shown = "[[1, [" + ", ".join(f"'{port}'" for port in unit.ports) + "]]]" if unit else "[]"
        lines += [f"{key}_throughput: []", f"{key}_throughput_default: {shown}{remark}"]
    forward = core.matching("memory.forwarding.cycles", crossing="none", dependence="address")
    value = taken.take("store_to_load_forward_latency", "memory.forwarding.cycles", **forward[0]) if forward else None
    lines.append(
        f"store_to_load_forward_latency: {value.value:.2f}  # {value.remark()}"
        if value
        else "store_to_load_forward_latency: ~  # not decided"
    )
    quoted = ", ".join(f"'{name}'" for name in (*ports, *pools))
    lines += [
        f"ports: [{quoted}]",
        "port_model_scheme: |",
        *(f"  unit {port}: " + ", ".join(n for n, u in units.items() if port in u.ports) for port in ports),
        *(f"  {name}: stands for a unit that is not known, of forms of one throughput" for name in pools),
    ]
    if not ports:
        lines.append("  no units are decided")
    head = [f"# OSACA machine file of {line}" if i == 0 else f"#   {line}" for i, line in enumerate(core.provenance())]
    head += [f"# {len(taken.left_out)} fields and forms left out: provenance.json"]
    return {
        f"{core.name}.yml": "\n".join([*head, *lines, "instruction_forms:" if table else "instruction_forms: []", *table])
        + "\n"
    }
