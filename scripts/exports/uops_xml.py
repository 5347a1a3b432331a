"""
The table of instructions in the XML that users of uops.info parse: throughput, latencies with the flag for bounds, and
units where they were measured; uops_retire_slots are then the slots of the front end. Attributes that only counters give
(uops) are left out.

`string` is fathom's name of the form: uops.info's own names differ, and `bytes`, which its XML has not, identifies the
instruction for a program that joins the two.
"""

import re
from xml.etree import ElementTree

from exports.core import Operation

TYPES = {
    "general": "reg",
    "vector": "reg",
    "mask": "reg",
    "mmx": "reg",
    "x87": "reg",
    "flags": "flags",
    "memory": "mem",
    "immediate": "imm",
}


def operands(form):
    """Number -> kind of all operands that a latency or the name has."""
    found = {}
    for x in form.row["latencies"]:
        for end in x[:2]:
            number, kind = end.split(":")
            found[int(number)] = kind
    for i, word in enumerate(w.strip() for w in form.name.partition(" ")[2].split(",") if w.strip()):
        if i not in found:
            found[i] = (
                "memory"
                if re.match(r"m\d|\[", word)
                else "immediate"
                if re.match(r"i\d+|\d", word)
                else "general"
                if re.match(r"[re]|[wx]$|[abcd]l$", word)
                else "vector"
            )
    return found


def add_latency(measurement, x):
    """One pair of operands, as a bound where it is one."""
    source, to, relation, cycles = x[:4]
    latency = ElementTree.SubElement(
        measurement, "latency", start_op=str(int(source.split(":")[0]) + 1), target_op=str(int(to.split(":")[0]) + 1)
    )
    key = "cycles_mem" if "memory" in source else "cycles"
    latency.set(key, f"{cycles:.2f}")
    if relation != "=":
        latency.set(f"{key}_is_upper_bound", "1")


def files(taken):
    core = taken.core
    units, left = core.units()
    for why in left:
        taken.leave("ports", why)
    of_form = {unit.form: unit for unit in units.values() if not unit.open}
    operations, left_forms = core.operations()
    for name, why in left_forms.items():
        taken.leave(f"ports of {name}", why)
    root = ElementTree.Element("root")
    root.append(
        ElementTree.Comment(
            " " + "; ".join(core.provenance()).replace("--", "- -") + "; all measurements grade C; left out: provenance.json "
        )
    )
    extensions = {}
    for form in core.forms.values():
        if form.row["state"] != "measured":
            continue
        extension = form.row["feature"] or "BASE"
        if extension not in extensions:
            extensions[extension] = ElementTree.SubElement(root, "extension", name=extension)
        instruction = ElementTree.SubElement(
            extensions[extension],
            "instruction",
            string=form.name,
            asm=form.name.partition(" ")[0],
            extension=extension,
            bytes=form.row["bytes"],
        )
        for number, kind in sorted(operands(form).items()):
            ElementTree.SubElement(instruction, "operand", idx=str(number + 1), type=TYPES.get(kind, "reg"))
        architecture = ElementTree.SubElement(instruction, "architecture", name=core.name.upper())
        measurement = ElementTree.SubElement(architecture, "measurement")
        if form.throughput is not None:
            measurement.set("TP_unrolled", f"{form.throughput:.3f}")
            taken.note(f"throughput of {form.name}", form.value("throughput", form.throughput))
        else:
            taken.leave(f"throughput of {form.name}", "known as a bound only")
        if form.name in operations and not operations[form.name].partial:
            placed = operations[form.name]
            measurement.set("ports", "+".join(each.text for each in placed.all) or "0")
            measurement.set("uops_retire_slots", str(placed.slots))
            taken.note(f"ports of {form.name}", placed.value)
        elif form.name in of_form:
            measurement.set("ports", Operation(1, of_form[form.name].ports, 1, True).text)
            taken.note(f"ports of {form.name}", of_form[form.name].value)
        for x in form.row["latencies"]:
            if x[3] is not None:
                add_latency(measurement, x)
                taken.note(
                    f"latency of {form.name}, {x[0]} to {x[1]}",
                    form.value("latency" if x[2] == "=" else "bound of the latency", x[3]),
                )
    taken.leave("uops", "needs counters of operations")
    ElementTree.indent(root, " ")
    return {f"{core.name}.xml": ElementTree.tostring(root, encoding="unicode") + "\n"}
