"""Proves that the validator can fail: damages good records in known ways, and says which it does not refuse."""

import copy
import json
import zlib

import schema
import validate

# No key has a value like this.
WRONG = {"wrong": ["value"]}


def line(record):
    """The record as a line whose checksum holds, so that nothing but its contents can be wrong."""
    text = json.dumps({key: value for key, value in record.items() if key != "c"}, ensure_ascii=False,
                      separators=(",", ":"))[:-1].encode()
    return text + b',"c":"%08x"}' % zlib.crc32(text)


def accepted(record):
    """Ends at the first mistake, where complaints would look for all."""
    text = line(record)
    return validate.validator().is_valid(json.loads(text)) and not validate.complaints([text])


def _objects(part, where=()):
    """Paths of all objects in a record."""
    if isinstance(part, dict):
        yield where
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from _objects(value, (*where, key))


def _at(part, where):
    for step in where:
        part = part[step]
    return part


def damaged(whole, record):
    """Pairs: what was done, and the record."""
    for where in _objects(record):
        other = copy.deepcopy(record)
        _at(other, where)["undocumented"] = 1
        yield f"a key that nobody documented in {'/'.join(map(str, where)) or 'it'}", other
    for key in record:
        if key == "c":
            continue
        if key != "t":
            yield f"{key} is of a wrong type", {**record, key: WRONG}
        if key in whole["$defs"][schema.definition(whole, record)]["required"]:
            yield f"{key} is missing", {name: value for name, value in record.items() if name != key}


def not_refused(samples):
    whole, found = schema.load(), []
    for record in samples:
        name = schema.definition(whole, record)
        if not accepted(record):
            found.append(f"{name}: a good record is refused: {validate.complaints([line(record)])}")
            continue
        found += [f"{name}: {what}" for what, other in damaged(whole, record) if accepted(other)]
    flipped = line(samples[0]).replace(b'"t":', b'"T":', 1)
    if not validate.complaints([flipped]):
        found.append("a checksum that does not hold")
    return found


def mistakes(of):
    """Pairs: what is wrong, and the record; `of` gives a good one of a kind, and of findings one with that grade."""
    decided, undecided, run, curve, end = of("finding", "A"), of("finding", "U"), of("run"), of("curve"), of("end")
    table = next(record for record in of.all if record["t"] == "table")
    yield "there is no such kind of record", {**run, "t": "walk"}
    yield "there is no such table", {**table, "name": "nothing"}
    yield "a table is another probe's", {**table, "probe": "clock"}
    yield "there is no such grade", {**decided, "grade": "D"}
    yield "there is no such profile", {**run, "profile": "fast"}
    yield "the format has another version", {**run, "schema": 2}
    yield "there is no such outcome", {**end, "outcome": "good"}
    yield "a finding is undecided and has a value", {**undecided, "value": 5}
    yield "a finding is undecided and has an interval", {**undecided, "low": 5}
    yield "a finding is undecided without a reason", {k: v for k, v in undecided.items() if k != "reason"}
    yield "there is no such reason", {**undecided, "reason": "bad-luck"}
    yield "a finding is masked by no finding", {**undecided, "reason": "masked-by:something"}
    yield "a finding is decided and has a detail", {**dict(list(decided.items())[:-1]), "detail": "no masks", "c": ""}
    yield "a finding is decided and has no value", {**decided, "value": None}
    yield "a finding is decided and has a reason", {**decided, "reason": "no-knee"}
    yield "a finding replaces nothing", {**decided, "replaces": False}
    yield "a variant stands behind the value", {**decided, "filler": "nop"}
    yield "the name has a blank", {**decided, "name": "backend rob"}
    yield "there is no such page size", {**dict(list(decided.items())[:4]), "page": "3k", **dict(list(decided.items())[4:])}
    yield "a core is no number", {**end, "core": "0"}
    yield "a count is negative", {**end, "readings": -1}
    yield "a count has a fraction", {**end, "readings": 1.5}
    yield "a cause of rejected readings is missing", {**end, "rejected_by": dict(list(end["rejected_by"].items())[1:])}
    yield "an array is shorter than x", {**curve, "median": curve["median"][1:]}
    yield "x descends", {**curve, "x": curve["x"][::-1]}
    yield "a point is text", {**curve, "q20": ["1"] * len(curve["x"])}
    yield "a row is too long", {**table, "rows": [[*row, None] for row in table["rows"]]}
    yield "a row is too short", {**table, "rows": [row[1:] for row in table["rows"]]}
    yield "columns stand in another order", {**table, "columns": table["columns"][::-1]}
    yield "t is not the first key", {**{k: v for k, v in run.items() if k != "t"}, "t": "run"}


def mistakes_not_refused(records):
    def of(kind, grade=None):
        return next(r for r in records if r["t"] == kind and (grade is None or r["grade"] == grade))

    of.all = records
    return [f"not refused: {what}" for what, record in mistakes(of) if accepted(record)]
