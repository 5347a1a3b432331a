#!/usr/bin/env python3
"""Builds the viewer of results: one HTML file, with d3, the texts of the probes and published values inside.

usage: viewer.py OUTPUT
e.g.:  scripts/viewer.py build/viewer.html

Ends with 0 when OUTPUT is written, 2 for wrong arguments.
"""

import base64
import glob
import gzip
import html
import json
import os
import re
import sys

import reasons

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VIEWER = os.path.join(TOP, "viewer")
# Debian's node-d3, unpacked by scripts/unpack: the library in one file, and the licence shipped with it.
D3 = os.path.join(TOP, "build/debian/usr/share/nodejs/d3/dist/d3.min.js")
D3_LICENCE = os.path.join(TOP, "build/debian/usr/share/doc/node-d3/copyright")
RUNS_GO_HERE = "<!-- runs -->"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def literal(text):
    """The text of C string literals that stand side by side."""
    return "".join(json.loads(f'"{part}"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text))


STRINGS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
PROBE = re.compile(rf'^PROBE\((\w+),\s*\.title = ({STRINGS}),\s*\.family = "(\w+)"(.*?)\);', re.DOTALL | re.MULTILINE)
FINDING = re.compile(rf"\{{({STRINGS}),\s*({STRINGS}),\s*({STRINGS})\}}")


def opening_comment(source):
    """The text of the comment at the beginning of a source file."""
    comment = re.match(r"/\*(.*?)\*/", source, re.DOTALL)
    lines = [re.sub(r"^ \*(?: |$)", "", line).rstrip() for line in comment[1].split("\n")] if comment else []
    return "\n".join(lines).strip()


def probes():
    """Each probe with its title, its findings, and the comment that describes its experiment."""
    found = []
    for path in sorted(glob.glob(os.path.join(TOP, "probes/*/*.c"))):
        source = read(path)
        for name, title, family, rest in PROBE.findall(source):
            findings = [dict(zip(("name", "unit", "text"), map(literal, finding))) for finding in FINDING.findall(rest)]
            found.append({"name": name, "title": literal(title), "family": family,
                          "text": opening_comment(source), "findings": findings})
    return found


def published():
    """The rows of lib/plan/published/*.def: core, finding, variant, value or [from, to], source."""
    rows = []
    # In the order in which lib/plan/published.def includes them.
    order = re.findall(r'^#include "(.*)"$', read(os.path.join(TOP, "lib/plan/published.def")), re.MULTILINE)
    text = "".join(read(os.path.join(TOP, path)) for path in order)
    for kind, row in re.findall(r"^PUBLISHED(_RANGE)?(\(.*\))$", text, re.MULTILINE):
        core, finding, variant, *values, source = json.loads(f"[{row[1:-1]}]")
        rows.append([core, finding, variant, values if kind else values[0], source])
    return rows


def diagram():
    """The block diagram of a core: families with rows of blocks of lines (label, finding, variants, finding beside it)."""
    return json.loads(read(os.path.join(VIEWER, "diagram.json")))


def as_script(text):
    """Text, JSON or JavaScript, as it may stand between script tags (HTML Living Standard, 4.12.1.3)."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def page():
    """The page, as text."""
    def script(match):
        if match[1] == "d3.min.js":
            licence = read(D3_LICENCE).replace("--", "- -")
            notice = f"<!--\nd3 is the work of others. Its licence:\n\n{licence}\n-->"
            return f"{notice}\n<script>\n{read(D3).strip()}\n</script>"
        return f"<script>\n{as_script(read(os.path.join(VIEWER, match[1]))).strip()}\n</script>"

    text = read(os.path.join(VIEWER, "index.html"))
    text = re.sub(r'<link rel="stylesheet" href="(\S+)">',
                  lambda match: f"<style>\n{read(os.path.join(VIEWER, match[1])).strip()}\n</style>", text)
    text = re.sub(r'<script src="(\S+)"></script>', script, text)
    data = {"probes": probes(), "published": published(), "diagram": diagram(),
            "reasons": {token: row[1:] for token, row in reasons.table().items()}}
    known = as_script(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return text.replace('id="known"></script>', f'id="known">{known}</script>')


def with_runs(text, runs):
    """The page with runs inside, each (name, bytes), compressed. The page opens them by itself."""
    scripts = [f'<script type="application/gzip" data-run="{html.escape(name)}">'
               f"{base64.b64encode(gzip.compress(data, mtime=0)).decode()}</script>" for name, data in runs]
    head, _, tail = text.rpartition(RUNS_GO_HERE)
    return head + "\n".join(scripts) + tail


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    with open(sys.argv[1] + ".new", "w", encoding="utf-8", newline="\n") as file:
        file.write(page())
    os.replace(sys.argv[1] + ".new", sys.argv[1])


if __name__ == "__main__":
    main()
