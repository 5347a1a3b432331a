"""Holds records to docs/*.schema.json, by a JSON Schema validator (Debian: python3-jsonschema)."""

import collections
import functools
import json
import pathlib
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import reasons  # noqa: E402
import records  # noqa: E402
import schema  # noqa: E402

# What of a wrong value is shown.
SHOWN = 160


def _choose(validator, condition, record, part):
    """The keyword `if`. A record meets some seventy conditions, and the validator's own way makes a validator for each."""
    if validator.is_type(record, "object"):
        branch = "then" if schema.applies(condition, record) else "else"
        if branch in part:
            yield from validator.descend(record, part[branch], schema_path=branch)


def _plain(part):
    """Whether all conditions in a schema are such that schema.applies knows."""
    if isinstance(part, list):
        return all(map(_plain, part))
    if not isinstance(part, dict):
        return True
    condition = part.get("if", {})
    asked = condition.get("properties", {}).values()
    return all(map(_plain, part.values())) and set(condition) <= {"properties", "required"} and \
        all(set(value) == {"const"} and isinstance(value["const"], str) for value in asked)


@functools.cache
def validator():
    whole = schema.load()
    jsonschema.Draft202012Validator.check_schema(whole)
    assert _plain(whole), "a condition asks for more than keys and texts: scripts/schema.py does not know it"
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, {"if": _choose})(whole)


def _lengths(record):
    """What a schema cannot say: how long arrays are, compared with each other."""
    if record["t"] == "curve":
        lengths = {key: len(value) for key, value in record.items()
                   if isinstance(value, list) and key not in ("knees", "levels")}
        if len(set(lengths.values())) != 1:
            yield f"arrays of different lengths: {lengths}"
        if any(a > b for a, b in zip(record["x"], record["x"][1:])):
            yield f"x descends: {record['x']}"
    if record["t"] == "matrix" and \
            [len(row) for row in record["cells"]] != [len(record["columns"])] * len(record["rows"]):
        yield "cells are not as many as rows and columns"
    if record["t"] == "table" and "columns" in record:
        if any(len(row) != len(record["columns"]) for row in record["rows"]):
            yield "a row is not as long as there are columns"


def _order(record, variants):
    """And where keys stand: readers take what comes before `value` for variants (scripts/records.py)."""
    keys = list(record)
    if (keys[0], keys[-1]) != ("t", "c"):
        yield f"the first key is {keys[0]!r} and the last {keys[-1]!r}, not t and c"
    if record["t"] == "finding" and record["name"] != "knee":
        before = {key for key, _ in records.variants(record)}
        if before != variants & set(keys):
            yield f"the variants {sorted(variants & set(keys))} are not the keys before `value`, {sorted(before)}"


def _reason(record):
    """Findings and curves are undecided for a reason of the one table."""
    if record["t"] in ("finding", "curve") and not reasons.known(record.get("reason", "no-knee")):
        yield f"lib/base/reasons.def has no {record['reason']}"


@functools.cache
def variants():
    """Keys that distinguish findings of one name: their descriptions say so."""
    known = schema.load()["$defs"]["finding"]["properties"]
    return frozenset(key for key, part in known.items() if part.get("description", "").startswith("Variant."))


def complaints_about(record):
    """What is wrong with a record, a dictionary; nothing where it is as the schema says."""
    errors = sorted(validator().iter_errors(record), key=lambda error: [str(step) for step in error.absolute_path])
    if not errors:
        return [*_lengths(record), *_order(record, variants()), *_reason(record)]
    return ["/".join(str(step) for step in error.absolute_path) + ": " + error.message[-SHOWN:] for error in errors]


def complaints(lines):
    """What is wrong with these lines, bytes without newlines: a sentence for each mistake, with the first record of it."""
    first, count = {}, collections.Counter()
    for line in lines:
        wrong = complaints_about(json.loads(line)) if records.good(line) else ["its checksum does not hold"]
        for what in wrong:
            first.setdefault(what, line[:80].decode(errors="replace"))
            count[what] += 1
    return [f"not as docs/ says, {count[what]} records: {what}: {begin}" for what, begin in first.items()]
