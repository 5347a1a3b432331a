#!/usr/bin/env python3
"""Prints what a run found, from its records.

usage: summary RECORDS.JSL

Ends with 1 when the run did not come to its end, or records are damaged.
"""

import sys

import records


def quantity(value, unit):
    """A value with its unit as people write it."""
    if value is None:
        return "-"
    if isinstance(value, list):
        return " to ".join(quantity(end, unit) for end in value)
    if not isinstance(value, (int, float)):
        return f"{value} {unit}".strip()
    if unit == "bytes":
        for name in ("B", "KiB", "MiB", "GiB"):
            if value < 1024 or name == "GiB":
                return f"{value:.4g} {name}"
            value /= 1024
    if unit.lower() == "hz":
        return f"{value / 1e9:.3f} GHz"
    return f"{value:.4g} {unit}".strip()


def finding_row(finding):
    unit = finding.get("unit", "")
    interval = ""
    if finding.get("low") is not None and finding.get("high") is not None:
        interval = f"{quantity(finding['low'], unit)} .. {quantity(finding['high'], unit)}"
    remark = finding.get("reason", "") + (f": {finding['detail']}" if finding.get("detail") else "")
    if finding.get("seen") is not None:
        remark += f", seen at {quantity(finding['seen'], unit)}"
    if finding.get("agreement"):
        remark += "; " * bool(remark) + finding["agreement"]
    if finding.get("holds"):
        remark += "; " * bool(remark) + f"{quantity(finding['holds'], unit)} of it held by the experiment"
    published = [quantity(known["value"], unit) for known in finding.get("published", [])]
    if published:
        remark += "; " * bool(remark) + "published " + " or ".join(published)
    variants = " ".join(f"{key}={value}" for key, value in records.variants(finding))
    return [finding["name"], variants, quantity(finding.get("value"), unit), interval, finding.get("grade", ""), remark]


def print_table(head, rows):
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def print_core(run, machine, among_others, findings):
    core = machine.get("core_model") or "a core that does not say what it is"
    if machine.get("core_name"):
        core += f" ({machine['core_name']})"
    if among_others:
        core += f", core {machine.get('core')}"
    if machine.get("type"):
        core += f" (type {machine['type']})"
    if machine.get("hypervisor"):
        core += f", under {machine['hypervisor']}"
    print(f"{core}, {run.get('isa', '?')} on {run.get('platform', '?')}, profile {run.get('profile', '?')}\n")
    if findings:
        print_table(["finding", "variant", "value", "interval", "grade", "remark"], [finding_row(f) for f in findings])
    else:
        print("  no findings")
    print()


def summarise(reader):
    """Prints the summary; True when the run came to its end and every record is whole."""
    kinds = {}
    parsed = records.parse(reader)
    for record in parsed:
        kinds.setdefault(record["t"], []).append(record)
    run, machines = kinds.get("run", [{}])[-1], kinds.get("machine", [{}])
    # The core that booted has a `machine` also where it does not measure.
    measured = {record["core"] for record in kinds.get("environment", [])}
    machines = [machine for machine in machines if machine.get("core") in measured] or machines
    standing = records.findings(parsed)
    for machine in machines:
        print_core(run, machine, len(machines) > 1,
                   [finding for finding in standing if finding.get("core") == machine.get("core") or len(machines) == 1])
    for end in kinds.get("end", []):
        if end.get("outcome") != "ok":
            where = f" on core {end.get('core')}" if len(machines) > 1 else ""
            print(f"  probe {end['probe']}{where}: {end['outcome']}: {end.get('reason', 'see its fault record')}")
    for warning in kinds.get("warning", []):
        print(f"  warning: {warning.get('subject', '')}: {warning.get('text', '')}")

    done = kinds.get("done", [None])[-1]
    counts = ", ".join(f"{len(kinds.get(kind, []))} {kind}s" for kind in ("finding", "curve", "fault", "warning"))
    print(f"{len(reader.lines)} records: {counts}")
    if reader.damaged:
        print(f"{reader.damaged} records are damaged.")
    if done and done.get("trusted") is False:
        print(f"The times of this place cannot be trusted: {done.get('untrusted_cause')}.")
    if done:
        print(f"The run came to its end after {done.get('seconds', 0):.1f} s.")
    else:
        print("The run did NOT come to its end: there is no `done` record.")
    return bool(done) and not reader.damaged


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        reader = records.read(file)
    sys.exit(0 if summarise(reader) else 1)


if __name__ == "__main__":
    main()
