"""The table of instructions as CSV, and as the YAML that llvm-exegesis-19 analyses."""

import csv
import io

from exports import opcodes

COLUMNS = [
    "form",
    "feature",
    "class",
    "state",
    "reason",
    "quantity",
    "from",
    "to",
    "relation",
    "cycles",
    "whole",
    "raw_cycles",
    "through",
    "second_chain_cycles",
    "units",
    "slots",
    "bytes",
]


def units_of(operations, name):
    """What a form executes on, as uops.info writes it: "2*p01+1*p5"; None where that is not known."""
    found = operations.get(name)
    if found is None or (found.partial and not found.all):
        return None
    return "+".join(each.text for each in found.all) + ("+others" if found.partial else "")


def lines(row, units, slots):
    """The lines of the CSV for one form; that of its throughput has its units, and its slots of the front end."""
    start = {key: row[key] for key in ("form", "feature", "class", "state", "reason")}
    if row["state"] != "measured":
        return [start]
    found = [
        {
            **start,
            "quantity": "throughput",
            "relation": row["relation"],
            "cycles": row["cycles"],
            "raw_cycles": f"{row['kernel_n_cycles']} {row['kernel_2n_cycles']}",
            "units": units,
            "slots": slots,
            "bytes": row["bytes"],
        }
    ]
    for source, to, relation, cycles, whole, reason, raw, through, code, second in row["latencies"]:
        found.append(
            {
                **start,
                "reason": reason,
                "quantity": "latency",
                "from": source,
                "to": to,
                "relation": relation,
                "cycles": cycles,
                "whole": whole,
                "raw_cycles": raw,
                "through": through,
                "second_chain_cycles": second,
                "bytes": code,
            }
        )
    for name, cycles in row["values"]:
        found.append({**start, "quantity": f"throughput, values {name}", "relation": row["relation"], "cycles": cycles})
    for key, what in (("same_register_cycles", "throughput"), ("same_register_chain_cycles", "latency")):
        if row[key] is not None:
            found.append({**start, "quantity": f"{what}, one register for all", "relation": "=", "cycles": row[key]})
    return found


def csv_files(taken):
    """
    instructions.csv: all that was measured: a line for the throughput of each form, one for each latency, one for each
    set of values, and one for each form that is absent or was not measured. findings.csv: what was decided, and not.
    """
    core = taken.core
    instructions, findings = io.StringIO(), io.StringIO()
    writer = csv.DictWriter(instructions, COLUMNS, lineterminator="\n")
    writer.writeheader()
    operations, left = core.operations()
    for form in core.forms.values():
        writer.writerows(lines(form.row, units_of(operations, form.name), core.slots(form.name)))
        if form.name in left:
            taken.leave(f"units of {form.name}", left[form.name])
        if form.row["state"] == "measured":
            taken.note(form.name, form.value("throughput", form.row["cycles"]))
        else:
            taken.leave(form.name, f"{form.row['state']}: {form.row['reason']}")
    plain = csv.writer(findings, lineterminator="\n")
    plain.writerow(["finding", "value", "unit", "grade", "low", "high", "reason", "run"])
    for key, candidates in core.findings.items():
        plain.writerows(
            [key, f.get("value"), f.get("unit"), f.get("grade"), f.get("low"), f.get("high"), f.get("reason"), run]
            for f, run in candidates
        )
    files = {"findings.csv": findings.getvalue()}
    return {**files, "instructions.csv": instructions.getvalue()} if core.forms else files


def document(mode, opcode, value, form, cpu, isa, units):
    name, operands = opcode
    words = " ".join([name, *operands])
    return f"""---
mode:            {mode}
key:
  instructions:
    - '{words}'
  config:          ''
  register_initial_values: []
cpu_name:        {cpu}
llvm_triple:     {opcodes.TRIPLES[isa]}
min_instructions: 10000
measurements:
  - {{ key: {mode}, value: {value:g}, per_snippet_value: {value:g}, validation_counters: {{}} }}
error:           ''
info:            '{form.name}, grade C, run {form.run}{f", units {units}" if units else ""}'
assembled_snippet: {form.row["bytes"].upper()}
...
"""


def yaml_files(taken, cpu=None):
    """
    latency.yaml: of each form the longest latency that is no bound; inverse_throughput.yaml: its throughput, bounds left
    out. Registers are not named there, the bytes have them. To hold them against LLVM's model of a core:

      llvm-exegesis-19 -mode=analysis -benchmarks-file=latency.yaml -analysis-clusters-output-file=clusters.csv
                       -analysis-inconsistencies-output-file=inconsistencies.html
    """
    core = taken.core
    forms = [form for form in core.forms.values() if form.row["state"] == "measured"]
    known = opcodes.opcodes(forms, core.isa)
    cpu = cpu or opcodes.cpu_of(core)
    operations, _ = core.operations()
    files = {}
    for mode, value in (("latency", lambda form: form.latency), ("inverse_throughput", lambda form: form.throughput)):
        text = []
        for opcode, form in zip(known, forms):
            if opcode is None or value(form) is None:
                taken.leave(
                    f"{mode} of {form.name}", "LLVM has no opcode for it" if opcode is None else "only a bound is known"
                )
                continue
            taken.note(f"{mode} of {form.name}", form.value(mode, value(form)))
            text.append(document(mode, opcode, value(form), form, cpu, core.isa, units_of(operations, form.name)))
        files[f"{mode}.yaml"] = "".join(text)
    return files
