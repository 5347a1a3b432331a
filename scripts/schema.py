"""Reading the JSON Schema of records, docs/*.schema.json. Needs no validator: tests/records/validate.py is one."""

import json
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
# The first one refers to the others.
FILES = ("records", "tables", "commands", "support")
# Keys that mean the same in every record that has them.
COMMON = ("t", "probe", "core", "type", "c")
# How descriptions are written: what the value is, its unit, and when the key is absent.
_DESCRIPTION = re.compile(r"(?P<meaning>.*?)(?: Unit: (?P<unit>[^.]*)\.)?(?: (?P<absent>Absent .*))?$", re.DOTALL)


def load():
    """All files as one schema, in which nothing refers to another file."""
    definitions, schema = {}, {}
    for name in FILES:
        text = (DOCS / f"{name}.schema.json").read_text(encoding="utf-8")
        part = json.loads(re.sub(r'"\w+\.schema\.json#', '"#', text))
        definitions |= part.pop("$defs")
        schema = schema or part
    return {**schema, "$defs": definitions}


def resolved(schema, part):
    """`part`, with what it refers to; what stands beside the reference counts more."""
    if "$ref" not in part:
        return part
    target = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return {**resolved(schema, target), **{key: value for key, value in part.items() if key != "$ref"}}


def applies(condition, record):
    """Whether a condition of the schema holds for an object. All of them ask only for keys and constants."""
    return all(key in record for key in condition.get("required", ())) and \
        all(key not in record or record[key] == value["const"] for key, value in condition.get("properties", {}).items())


def definition(schema, record):
    """The name of the definition that describes this record; None where there is none."""
    part, name = schema, None
    while part is not None:
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            part = schema["$defs"][name]
        elif "title" in part and part is not schema:
            return name
        else:
            choices = [each for each in part.get("allOf", ()) if applies(each["if"], record)]
            if choices:
                part = choices[0]["then"]
            else:
                part = part.get("then" if applies(part["if"], record) else "else") if "if" in part else None
    return None


def records(schema):
    """Name -> definition of each record, in the order of the files."""
    return {name: part for name, part in schema["$defs"].items() if "title" in part}


def _type(part):
    """The type for people: "number or null", "text: `on`, `off`"."""
    if "const" in part:
        return f"always `{json.dumps(part['const'])}`" if not isinstance(part["const"], list) else "array of text"
    if "enum" in part:
        kind = "text" if isinstance(part["enum"][0], str) else "integer"
        shown = ", ".join(f"`{value}`" for value in part["enum"])
        return f"{kind}: {shown}"
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_type(each) for each in part["anyOf"]))
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    if part.get("pattern", "").startswith("^0x"):
        kinds = [f"{kind} (`0x…`)" if kind == "string" else kind for kind in kinds]
    return " or ".join(kind.replace("string", "text") for kind in kinds)


def _row(schema, key, part, required):
    part = resolved(schema, part)
    found = _DESCRIPTION.match(part.get("description", ""))
    absent = found["absent"] or ("never" if required else "")
    return {"key": f"`{key}`", "type": _type(part), "unit": found["unit"] or "", "meaning": found["meaning"],
            "absent": re.sub(r"^Absent ", "", absent).rstrip("."), "required": required}


def common(part):
    """The common keys that a definition has."""
    return [key for key in COMMON if part["properties"].get(key, {}).get("$ref") == f"#/$defs/{key}"]


def common_rows(schema):
    """The same as `rows`, of the common keys."""
    return [_row(schema, key, schema["$defs"][key], key in ("t", "c")) for key in COMMON]


def rows(schema, part, prefix=""):
    """
    What a table of keys says of a definition: a row for each key, those of objects inside as `firmware.vendor`, those
    of objects in an array as `knees[].low`, and columns of a table as `rows[].form`. Common keys are left out.
    """
    found = []
    for key, value in part["properties"].items():
        if key in common(part):
            continue
        value = resolved(schema, value)
        found.append(_row(schema, prefix + key, value, key in part.get("required", ())))
        inside = resolved(schema, value.get("items", {}))
        if "properties" in value:
            found += rows(schema, value, f"{prefix}{key}.")
        elif "properties" in inside:
            found += rows(schema, inside, f"{prefix}{key}[].")
        elif "prefixItems" in inside and "const" in part["properties"].get("columns", {}):
            found += [_row(schema, f"{prefix}{key}[].{column}", cell, True)
                      for column, cell in zip(part["properties"]["columns"]["const"], inside["prefixItems"])]
    for pattern, value in part.get("patternProperties", {}).items():
        found.append(_row(schema, f"{prefix}{pattern.strip('^')}…", value, False))
    return found
