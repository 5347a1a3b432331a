"""Thresholds in the sources: where they stand, what their comments say, and how a copy of the tree gets others."""

import ast
import re

FACTOR = 3
NUMBER = r"-?[0-9][0-9a-fA-FxX.e+]*(?:[-+*/<> ]+[0-9][0-9a-fA-FxX.e+]*|(?<=e)-[0-9]+)*"
CONSTANT = re.compile(rf"^static const (?P<type>double|float|unsigned|int|size_t|uint64_t) (?P<name>\w+) = "
                      rf"(?P<value>{NUMBER});", re.M)
ENUMERATION = re.compile(r"\benum \{(?P<body>[^}]*)\}")
ENUMERATOR = re.compile(rf"(?P<name>[A-Z]\w*) = (?P<value>{NUMBER})(?=\s*(?:,|$))")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Constant:
    """One threshold: where it stands, its value, what its comment says."""

    def __init__(self, room, match, kind, at):
        self.name, self.kind, self.value = match["name"], kind, match["value"].strip()
        self.start, self.end = at + match.start("value"), at + match.end("value")
        self.label = f"{room}:{self.name}"
        self.comment = self.excuse = None

    def moved(self):
        """The two values to try, as C has them."""
        if self.kind in ("double", "float"):
            # Only numbers and operators match NUMBER.
            number = eval(compile(ast.parse(self.value, mode="eval"), "", "eval"), {})  # pylint: disable=eval-used
            return [repr(number / FACTOR), repr(float(number) * FACTOR)]
        number = int(self.value, 0)
        less = round(number / FACTOR)
        return [str(less if less != number else number - 1), str(number * FACTOR)]


def blank(text):
    """The text without comments, every character where it was."""
    return COMMENT.sub(lambda c: re.sub(r"[^\n]", " ", c.group()), text)


def room_of(path):
    """The folder of a header, the file's own name for a source."""
    return path.parent.name if path.suffix == ".h" else path.stem


def constants_of(path, text=None):
    """
    The constants of a file, in order. The comment of each stands directly before it, or before another one directly
    above, and then it has to name it. Of a source only static constants count: its enumerations are sizes and ranges.
    """
    text = path.read_text() if text is None else text
    blanked, room = blank(text), room_of(path)
    found = [Constant(room, match, match["type"], 0) for match in CONSTANT.finditer(blanked)]
    if path.suffix == ".h":
        for block in ENUMERATION.finditer(blanked):
            found += [Constant(room, match, "int", block.start("body")) for match in ENUMERATOR.finditer(block["body"])]
    else:
        found = [c for c in found if c.kind == "double"]
    found.sort(key=lambda c: c.start)
    comments, above = list(COMMENT.finditer(text)), None
    for c in found:
        declared = max(text.rfind("\n", 0, c.start), 0)
        between = above and text[above.end:declared].strip(" ;,\n")
        before = [m for m in comments if m.end() <= c.start]
        opening = blanked[before[-1].end():c.start].strip() if before else "x"
        direct = re.fullmatch(rf"(enum \{{\s*)?(static const \w+ )?{c.name} =", opening)
        if direct and not before[-1].group().startswith("/* ----"):
            c.comment = before[-1].group()
        elif above and not between and above.comment and re.search(rf"\b{c.name}\b", above.comment):
            c.comment = above.comment
        said = re.search(r"no test:\s*(.+?)\s*(?:\*/|$)", re.sub(r"\s+\* |\s+", " ", c.comment)) if c.comment else None
        c.excuse = said and said[1]
        above = c
    return found


def missing(path, found):
    """Values that are written in another form than the one that can be moved."""
    blanked, names = COMMENT.sub("", path.read_text()), {c.name for c in found}
    every = re.findall(r"^static const double (\w+)(?! *\[)\b", blanked, re.M)
    if path.suffix == ".h":
        every += re.findall(r"\bstatic const \w+ (\w+)", blanked)
        every += [name for block in ENUMERATION.findall(blanked) for name in re.findall(r"\b([A-Z][A-Z0-9_]+) =", block)]
    return sorted(set(every) - names)


# ---- Other values in a copy --------------------------------------------------------------------------

# What a program reads from its environment when it starts, and writes when it ends.
CELL_HEADER = """\
#ifndef TOLERANCE_CELL_H
#define TOLERANCE_CELL_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tolerance_cell {
    const char *label;
    double value;
    int read;
};

static inline void tolerance_cell_set(struct tolerance_cell *c)
{
    const char *text = getenv("TOLERANCE");
    const size_t length = strlen(c->label);

    if (text && !strncmp(text, c->label, length) && text[length] == '=')
        c->value = strtod(text + length + 1, NULL);
}

static inline void tolerance_cell_report(const struct tolerance_cell *c)
{
    const char *path = getenv("TOLERANCES_READ");
    FILE *file = path && c->read ? fopen(path, "a") : NULL;

    if (file) {
        fprintf(file, "%s\\n", c->label);
        fclose(file);
    }
}

#define TOLERANCE_CELL(storage, name, label, value) \\
    storage struct tolerance_cell tolerance_cell_##name = {label, value, 0}; \\
    __attribute__((constructor)) static void tolerance_set_##name(void) \\
    { \\
        tolerance_cell_set(&tolerance_cell_##name); \\
    } \\
    __attribute__((destructor)) static void tolerance_report_##name(void) \\
    { \\
        tolerance_cell_report(&tolerance_cell_##name); \\
    }
#endif
"""
CELL_PATH = "lib/base/tolerance_cell.h"


def with_variables(path):
    """
    The text of a file with a variable in the place of each constant, and for a header the source that defines them.
    """
    text, cells, uses = blank(path.read_text()), [], []
    for c in reversed(constants_of(path)):
        is_static = text[c.end:c.end + 1] == ";"
        start = text.rfind("static const" if is_static else c.name, 0, c.start)
        end = c.end + (1 if is_static else len(re.match(r"\s*,?", text[c.end:])[0]))
        text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
        cell = re.sub(r"\W", "_", c.label)
        cells.append((cell, c))
        uses.append(f"#define {c.name} (({c.kind})(tolerance_cell_{cell}.read = 1, tolerance_cell_{cell}.value))\n")
    text = re.sub(r"\benum \{\s*\};", "", text)
    include, uses = f'#include "{CELL_PATH}"\n', "".join(uses)
    storage = "" if path.suffix == ".h" else "static"
    defined = "".join(f'TOLERANCE_CELL({storage}, {cell}, "{c.label}", {c.value})\n' for cell, c in cells)
    if storage:
        at = text.find("\n", text.rfind("#include")) + 1
        return text[:at] + include + defined + uses + text[at:], None
    declared = "".join(f"extern struct tolerance_cell tolerance_cell_{cell};\n" for cell, c in cells)
    at = text.rindex("#endif")
    return text[:at] + include + declared + uses + text[at:], include + defined
