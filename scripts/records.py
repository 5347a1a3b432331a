"""Reading records: lines of JSON whose last key is a checksum of the line (lib/base/record.h)."""

import itertools
import json
import re
import zlib

RECORD = b'{"t":'
_CHECKSUM = re.compile(rb',"c":"([0-9a-f]{8})"\}$')
# ECMA-48 control sequences, which firmware's console puts between and into lines. A record has none:
# JSON writes the escape character as text.
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\^_=>])")
# Where records share the console with text, each is folded into lines of at most 100 columns:
# number of the record, number of the part, + when more parts follow or . for the last, text.
_FOLDED = re.compile(rb"~(\d{6})\.([0-9a-f]{2})([+.])(.*)$", re.DOTALL)


def strip_escapes(data):
    return _ESCAPES.sub(b"", data)


def good(line):
    """True when the line, bytes without its newline, is a record whose checksum holds."""
    end = _CHECKSUM.search(line)
    return bool(end) and line.startswith(RECORD) and zlib.crc32(line[: end.start()]) == int(end.group(1), 16)


class Reader:
    """Finds the records in lines of a file or serial log, and counts what was damaged.

    Text that is no record is passed over. `lines` holds the good lines, in order, as bytes; `damaged`
    counts lines that began like a record and are not whole, and folded records that are missing.
    """

    def __init__(self):
        self.lines = []
        self.damaged = 0
        self._number = None  # of the folded record that is being put together, or was last
        self._parts = None  # its parts so far; None: it is done, or lost

    def add(self, line):
        line = strip_escapes(line).rstrip(b"\r\n").rpartition(b"\r")[2]
        start = line.find(RECORD)
        folded = _FOLDED.search(line)
        if folded and not 0 <= start < folded.start():
            self._add_part(int(folded[1]), int(folded[2], 16), folded[3] == b".", folded[4])
        elif start >= 0:
            self._add_whole(line[start:])

    def finish(self):
        """To be called after the last line: a folded record may be incomplete."""
        if self._parts is not None:
            self._parts = None
            self.damaged += 1

    def _add_whole(self, line):
        if good(line):
            self.lines.append(line)
        else:
            self.damaged += 1

    def _add_part(self, number, part, last, text):
        # Parts count from 00 to ff and again; only a first one begins like a record.
        begins = part == 0 and text.startswith(RECORD)
        if begins or number != self._number:
            self.finish()
            if self._number is not None and number > self._number + 1:  # lower: the next boot's
                self.damaged += number - self._number - 1
            self._number = number
            self._parts = [] if begins else None
            self.damaged += not begins
        if self._parts is None:  # lost, and counted
            return
        if part != len(self._parts) % 256:
            self.finish()
            return
        self._parts.append(text)
        if last:
            whole = b"".join(self._parts)
            self._parts = None
            self._add_whole(whole)


def read(lines):
    """The reader after all of `lines`, an iterable of bytes such as an open binary file."""
    reader = Reader()
    for line in lines:
        reader.add(line)
    reader.finish()
    return reader


def parse(reader):
    """The records as dictionaries."""
    return [json.loads(line) for line in reader.lines]


# What begins every finding. Any other field before `value` tells findings of one name apart; what comes after it,
# remarks and proofs among it, does not (lib/finding/report.c).
_FINDING_BEGINS = frozenset("t probe name core type".split())


def variants(finding):
    """What tells it from other findings of its name, as (field, value) in the record's order."""
    before = itertools.takewhile(lambda field: field[0] != "value", finding.items())
    return [(key, value) for key, value in before if key not in _FINDING_BEGINS]


def findings(parsed):
    """The findings that stand at the end, in order: one that `replaces` takes the place of those before it
    that have the same name, core and variants."""
    standing = []
    for record in parsed:
        if record["t"] != "finding":
            continue
        if record.get("replaces"):
            same = (record["name"], record.get("core"), variants(record))
            standing = [r for r in standing if (r["name"], r.get("core"), variants(r)) != same]
        standing.append(record)
    return standing
