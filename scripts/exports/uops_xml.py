"""
The table of instructions in the XML that users of uops.info parse: throughput, latencies with the flag for bounds, and
units where they were measured; uops_retire_slots are then the slots of the front end. Attributes that only counters give
(uops) are left out.

`string` is uops.info's name of the form, where that follows from fathom's, which stands in `form`; elsewhere both are
fathom's. `bytes`, which the XML of uops.info has not, identifies the instruction for a program that joins the two.
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


BITS = {"xmm": 128, "ymm": 256, "zmm": 512}


def operand_name(text, vector):
    """uops.info's name of an operand; None where it is not known. vector: bits of the largest vector register."""
    if text == "r8":
        return "R8l"  # R8h are AH to DH
    broadcast = re.fullmatch(r"m(\d+)\{bcst\}", text)
    if broadcast:
        return f"{text[:-6].upper()}_1to{vector // int(broadcast[1])}" if vector else None
    return text.upper() if re.fullmatch(r"[rmi]\d+|[xyz]?mm|k|[re]?[abcd]x|[abcd]l", text) else None


def uops_info_name(name, encoded_twice):
    """
    uops.info's name of a form, as `VADDPD_Z (XMM, K, XMM, M64_1to2)` of `vaddpd xmm{k}{z}, xmm, m64{bcst}`; fathom's own
    where it is not known. encoded_twice: mnemonics that exist with VEX and EVEX, of which those with EVEX say so.
    Source: `string` in the XML that github.com/andreas-abel/XED-to-XML makes, to which uops.info adds measurements.
    """
    head = re.fullmatch(r"(\{evex\} )?(lock )?(\w+) ?(.*)", name)
    if not head:
        return name
    evex, lock, mnemonic, rest = head.groups()
    found = [text.strip() for text in rest.split(",") if text.strip()]
    vector = max((BITS.get(text[:3], 0) for text in found), default=0)
    masked = any("{k}" in text for text in found)
    broadcast = "{bcst}" in rest
    if broadcast and "vcvt" in mnemonic:  # the elements of source and result may differ in size
        return name
    parts = []
    for text in found:
        parts.append(operand_name(text.replace("{k}", "").replace("{z}", ""), vector))
        parts += ["K"] if "{k}" in text else []
    if None in parts:
        return name
    suffix = (
        "_LOCK"
        if lock
        else "_Z"
        if "{z}" in rest
        else "_EVEX"
        if evex or (broadcast and not masked and mnemonic in encoded_twice)
        else ""
    )
    return f"{mnemonic.upper()}{suffix} ({', '.join(parts)})" if parts else mnemonic.upper() + suffix


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
    encoded_twice = {name.split()[1] for name in core.forms if name.startswith("{evex} ")}
    for form in core.forms.values():
        if form.row["state"] != "measured":
            continue
        extension = form.row["feature"] or "BASE"
        if extension not in extensions:
            extensions[extension] = ElementTree.SubElement(root, "extension", name=extension)
        instruction = ElementTree.SubElement(
            extensions[extension],
            "instruction",
            string=uops_info_name(form.name, encoded_twice),
            form=form.name,
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
