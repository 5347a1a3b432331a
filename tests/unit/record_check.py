"""Compares lines of records, read with Python's own JSON and CRC-32, with what was put into them.

record_check.py LINES EXPECTED: EXPECTED holds a description of each line, one step a line, written by
tests/unit/record.c: an operation, the key (or - in an array) and the value, both in hexadecimal. Prints the number of
lines; ends with an error where one differs.
"""
import json
import math
import struct
import sys
import zlib


class Number(float):
    """A float that remembers how it was written."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def text(digits):
    return bytes.fromhex(digits).decode("utf-8", errors="replace")


def expected_record(steps):
    """Replays the steps of one record up to its `send`."""
    record = {}
    open_groups = [record]
    for step in steps:
        operation, *rest = step.split()
        if operation == "send":
            assert len(open_groups) == 1
            return record
        if operation == "close":
            open_groups.pop()
            continue
        key, value = rest[0], rest[1] if len(rest) > 1 else ""
        made = {
            "text": lambda: text(value),
            "number": lambda: struct.unpack(">d", bytes.fromhex(value))[0],
            "integer": lambda: int(value, 16),
            "hex": lambda: hex(int(value, 16)),
            "boolean": lambda: value == "1",
            "null": lambda: None,
            "array": list,
            "object": dict,
        }[operation]()
        if key == "-":
            open_groups[-1].append(made)
        else:
            open_groups[-1][text(key)] = made
        if operation in ("array", "object"):
            open_groups.append(made)
    return None


def significant(number):
    return len(number.lower().split("e")[0].replace(".", "").replace("-", "").strip("0"))


def compare(got, wanted, where):
    if isinstance(wanted, float) and not math.isfinite(wanted):
        assert got is None, where
    elif isinstance(wanted, float):
        assert float(got) == wanted, (where, got, wanted)
        if wanted == int(wanted) and abs(wanted) <= 2**53:
            assert isinstance(got, int), (where, got)
        elif abs(wanted) >= sys.float_info.min and math.frexp(wanted)[0] != 0.5:
            # At a power of two, and below the normal numbers, fewer digits than printf's can do.
            assert significant(got.text) <= significant(repr(wanted)), (where, got.text, repr(wanted))
    elif isinstance(wanted, dict):
        assert isinstance(got, dict) and list(got) == list(wanted), (where, got, wanted)
        for key in wanted:
            compare(got[key], wanted[key], where + "." + key)
    elif isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted), (where, got, wanted)
        for index, element in enumerate(wanted):
            compare(got[index], element, "%s[%d]" % (where, index))
    else:
        assert type(got) is type(wanted) and got == wanted, (where, got, wanted)


def main():
    lines = open(sys.argv[1], "rb").read().split(b"\n")
    steps = iter(open(sys.argv[2], encoding="ascii").read().splitlines())
    assert lines.pop() == b"", "the last line has no newline"
    count = 0
    for line in lines:
        assert not any(byte < 0x20 or byte == 0x7F for byte in line), line
        got = json.loads(line.decode("utf-8"), parse_float=Number)
        wanted = expected_record(steps)
        wanted["c"] = "%08x" % zlib.crc32(line[: line.rindex(b',"c"')])
        compare(got, wanted, "line %d" % (count + 1))
        count += 1
    assert expected_record(steps) is None, "a record is missing"
    print(count)


main()
