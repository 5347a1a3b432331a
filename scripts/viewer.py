#!/usr/bin/env python3
"""Puts the viewer of results together: one HTML file that needs nothing else, with d3, and what is known of probes and cores.

usage: viewer.py OUTPUT
"""

import base64
import glob
import gzip
import html
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VIEWER = os.path.join(TOP, "viewer")
# Debian's node-d3: the whole library in one file, and its licence, which goes wherever it goes.
D3 = "/usr/share/nodejs/d3/dist/d3.min.js"
D3_LICENCE = "/usr/share/doc/node-d3/copyright"
RUNS_GO_HERE = "<!-- runs -->"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def literal(text):
    """A C expression of string literals that stand side by side."""
    return "".join(json.loads(f'"{part}"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text))


STRINGS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
PROBE = re.compile(rf'^PROBE\((\w+),\s*\.title = ({STRINGS}),\s*\.family = "(\w+)"(.*?)\);', re.DOTALL | re.MULTILINE)
FINDING = re.compile(rf"\{{({STRINGS}),\s*({STRINGS}),\s*({STRINGS})\}}")


def opening_comment(source):
    """What the file says of its experiment, without the comment's own signs."""
    comment = re.match(r"/\*(.*?)\*/", source, re.DOTALL)
    lines = [re.sub(r"^ \*(?: |$)", "", line).rstrip() for line in comment[1].split("\n")] if comment else []
    return "\n".join(lines).strip()


def probes():
    """Each probe with its title, what it finds, and the comment that tells its experiment."""
    found = []
    for path in sorted(glob.glob(os.path.join(TOP, "probes/*/*.c"))):
        source = read(path)
        for name, title, family, rest in PROBE.findall(source):
            findings = [dict(zip(("name", "unit", "text"), map(literal, finding))) for finding in FINDING.findall(rest)]
            found.append({"name": name, "title": literal(title), "family": family,
                          "text": opening_comment(source), "findings": findings})
    return found


def published():
    """The rows of lib/known.def: core, finding, variant, value or [from, to], source."""
    rows = []
    for kind, row in re.findall(r"^KNOWN(_RANGE)?(\(.*\))$", read(os.path.join(TOP, "lib/known.def")), re.MULTILINE):
        core, finding, variant, *values, source = json.loads(f"[{row[1:-1]}]")
        rows.append([core, finding, variant, values if kind else values[0], source])
    return rows


def as_script(text):
    """Text that may stand between script tags (HTML Living Standard, 4.12.1.3): for JSON and our own sources."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def page():
    def script(match):
        if match[1] == "d3.min.js":
            licence = read(D3_LICENCE).replace("--", "- -")
            return f"<!--\nd3 is the work of others. Its licence:\n\n{licence}\n-->\n<script>\n{read(D3).strip()}\n</script>"
        return f"<script>\n{as_script(read(os.path.join(VIEWER, match[1]))).strip()}\n</script>"

    text = read(os.path.join(VIEWER, "index.html"))
    text = re.sub(r'<link rel="stylesheet" href="(\S+)">',
                  lambda match: f"<style>\n{read(os.path.join(VIEWER, match[1])).strip()}\n</style>", text)
    text = re.sub(r'<script src="(\S+)"></script>', script, text)
    known = as_script(json.dumps({"probes": probes(), "published": published()}, ensure_ascii=False, separators=(",", ":")))
    return text.replace('id="known"></script>', f'id="known">{known}</script>')


def with_runs(text, runs):
    """The page with runs inside: (name, bytes) each, packed. The page unpacks them by itself."""
    scripts = [f'<script type="application/gzip" data-run="{html.escape(name)}">'
               f"{base64.b64encode(gzip.compress(data, mtime=0)).decode()}</script>" for name, data in runs]
    head, _, tail = text.rpartition(RUNS_GO_HERE)
    return head + "\n".join(scripts) + tail


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    with open(sys.argv[1] + ".new", "w", encoding="utf-8", newline="\n") as file:
        file.write(page())
    os.replace(sys.argv[1] + ".new", sys.argv[1])


if __name__ == "__main__":
    main()
