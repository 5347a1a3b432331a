"""Tests of scripts/report --article: what it says, that it needs nothing else, and that it is the same each time."""

import os
import re
import tempfile
from xml.etree import ElementTree

import records
import summary
from common import record, run

EXAMPLE = "docs/example.jsonl"


def write(folder, path=EXAMPLE, data=None, name="article"):
    """HTML and Markdown of a run."""
    if data is not None:
        path = os.path.join(folder, "run.jsonl")
        with open(path, "wb") as file:
            file.write(data)
    done = run("scripts/report", "--article", path, "-o", os.path.join(folder, f"{name}.html"))
    assert done.returncode == 0, done.stdout
    return [open(os.path.join(folder, f"{name}.{ending}"), encoding="utf-8").read() for ending in ("html", "md")]


def changed(edit):
    """The example run with each record changed by a function."""
    with open(EXAMPLE, "rb") as file:
        parsed = records.parse(records.read(file))
    lines = []
    for each in parsed:
        each.pop("c")
        each = edit(each)
        lines += [record(**each) + b"\n"] if each else []
    return b"".join(lines)


def test_article_has_every_finding_and_every_reason():
    with open(EXAMPLE, "rb") as file:
        standing = records.findings(records.parse(records.read(file)))
    with tempfile.TemporaryDirectory() as folder:
        page, text = write(folder)
        assert "Cite as: fathom " in text and "How to repeat it" in text and "readings were taken" in text
        for finding in standing:
            variants = " ".join(f"{k}={v}" for k, v in records.variants(finding))
            if finding["grade"] == "U":
                assert f"- **{finding['name']}{' ' * bool(variants)}{variants}**: " in text, finding["name"]
            else:
                value = summary.quantity(finding["value"], finding.get("unit", ""))
                lines = [
                    l for l in text.splitlines() if l.startswith(f"| {finding['name']} | {variants}") and f"| {value} |" in l
                ]
                assert any(f"| {finding['grade']} |" in line for line in lines), (finding["name"], value)
                assert f"<td>{finding['name']}</td>" in page


def test_article_is_self_contained_and_its_figures_are_sound():
    with tempfile.TemporaryDirectory() as folder:
        page, text = write(folder)
        assert not re.search(r"<script|<link|src=|@import|url\(|href=", page)
        figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        assert len(figures) == 15, len(figures)  # the diagram, and the example's curves
        for figure in figures:
            ElementTree.fromstring(figure)
        names = set(re.findall(r"!\[[^\]]*\]\[([\w-]+)\]", text))
        assert names == set(re.findall(r"^\[([\w-]+)\]: data:image/svg", text, re.MULTILINE)) and len(names) == len(figures)


def test_article_is_the_same_each_time_and_differs_where_findings_do():
    with tempfile.TemporaryDirectory() as folder:
        first = write(folder)
        assert write(folder, name="again") == first

        def other(r):
            return (
                {**r, "value": 24}
                if r["t"] == "finding" and r["name"] == "frontend.return_stack.entries" and r["value"]
                else r
            )

        lines = [set(text.splitlines()) for text in (first[1], write(folder, data=changed(other))[1])]
        differ = [line for line in lines[0] ^ lines[1] if not re.search(r"Cite as|^\| Run |^\[core\]", line)]
        assert len(differ) == 2 and all("frontend.return_stack.entries" in line for line in differ), differ


def test_article_of_a_cut_of_an_untrusted_and_of_no_run():
    with tempfile.TemporaryDirectory() as folder:
        assert "This run was cut short" in write(folder, data=changed(lambda r: None if r["t"] == "done" else r))[1]
        untrusted = changed(lambda r: {**r, "trusted": False, "untrusted_cause": "an emulator"} if r["t"] == "done" else r)
        assert "cannot be trusted (an emulator)" in write(folder, data=untrusted)[1]
        hostile = changed(lambda r: {**r, "core_model": "<script>alert(1)</script>|x"} if r["t"] == "machine" else r)
        page, text = write(folder, data=hostile)
        assert "<script" not in page and "| &lt;script>alert(1)&lt;/script>\\|x |" in text
        for path, words in (("none.jsonl", "none.jsonl: No such file"), ("README.md", "README.md has no core that measured")):
            done = run("scripts/report", "--article", path, "-o", os.path.join(folder, "no.html"))
            assert done.returncode == 1 and words in done.stdout, done.stdout


def test_article_each_core_has_its_own():
    with open(EXAMPLE, "rb") as file:
        parsed = records.parse(records.read(file))
    both = []
    for each in parsed:
        each.pop("c")
        both.append(record(**each))
        if each.get("core") == 1:
            both.append(record(**{**each, "core": 2}))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.jsonl")
        with open(path, "wb") as file:
            file.write(b"\n".join(both) + b"\n")
        done = run("scripts/report", "--article", path, "-o", os.path.join(folder, "a.html"))
        assert done.returncode == 0, done.stdout
        assert sorted(os.listdir(folder)) == ["a-core1.html", "a-core1.md", "a-core2.html", "a-core2.md", "run.jsonl"]
