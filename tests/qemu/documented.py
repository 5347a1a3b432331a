"""Holds the records of a boot to docs/records.schema.json, as tests/records/run holds those of the Linux program."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "records"))
import damage  # noqa: E402
import records  # noqa: E402
import validate  # noqa: E402

SHOWN = 8


def complaints(serial, files):
    """Of every good record that came over serial or lies in a file; those in both are looked at once."""
    lines = records.read(serial.split(b"\n")).lines
    for data in files:
        lines += records.read(data.split(b"\n")).lines
    return validate.complaints(dict.fromkeys(lines))[:SHOWN]


def missed():
    """What it does not notice, or complains about without reason."""
    good = damage.line({"t": "start", "probe": "clock", "core": 0})
    bad = damage.line({"t": "start", "probe": "clock", "core": 0, "undocumented": 1})
    wrong = [f"complains about what is right: {text}" for text in complaints(good + b"\r\n", [good + b"\n"])]
    return wrong + [f"a key that is not documented is not noticed, {where}"
                    for where, found in (("on serial", complaints(bad + b"\r\n", [])), ("in a file", complaints(b"", [bad])))
                    if len(found) != 1]
