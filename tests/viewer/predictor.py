"""Tests of the picture of branch prediction: each decided formula and length is in it, and no other."""

import browser
import runs

SHOWN = """
const texts = name => [...document.querySelectorAll(`.predictor svg ${name}`)].map(each => each.textContent);
return {terms: texts('.term-text'), ticks: texts('.tick'), titles: texts('.axis-title'),
        xors: texts('.xor').length, reaches: document.querySelectorAll('.predictor svg .reach').length}"""


def finding(name, value, grade="B", **variants):
    return {
        "t": "finding", "probe": "footprint", "core": 0, "name": f"frontend.{name}", "value": value, "unit": "bits",
        "low": None, "high": None, "grade": grade, "curves": [], **variants,
    }  # fmt: skip


def picture(open_page, axe, wrong):
    records = [
        finding("history.footprint", "B[3] ^ T[0]", history="path", bit=0),
        finding("history.footprint", "B[4]", history="path", bit=1),
        finding("history.bits", 388, history="path"),
        finding("history.shift", 2, history="path"),
        finding("history.branches", 0, kind="indirect"),
        finding("cond.history", 194, table=1),
        finding("cond.history", 66, table=2),
        finding("indirect.history", 64, kind="conditional-taken"),
        finding("indirect.history", 0, kind="indirect"),
        finding("cond.history", None, "U", table=3, reason="noise"),
    ]
    with open_page() as page:
        page.load(runs.write("predictor.jsl", runs.made(*records)))
        page.js("document.querySelector('section.predictor').scrollIntoView()")
        page.wait_for(".predictor svg")
        shown = page.js(SHOWN)
        wrong.check(shown["terms"] == ["B4", "1", "B3", "T0", "0"], f"the formulas are {shown['terms']}")
        wrong.check(shown["xors"] == 1, f"{shown['xors']} XORs")
        wrong.check("388 bits" in shown["titles"][0], f"the title is {shown['titles'][0]}")
        wrong.check(shown["reaches"] == 4, f"{shown['reaches']} bars")
        wrong.check({"194", "66", "table 2", "64", "indirect branches"} <= set(shown["ticks"]), f"the bars say {shown['ticks']}")
        wrong.check("table 3" not in shown["ticks"], "what is undecided has a bar")
        browser.accessible(page, axe, "the picture", wrong)
        page.shot("predictor", whole=True)
        page.no_complaints(wrong)


def nothing(open_page, wrong):
    """Where nothing is decided, there is no picture."""
    with open_page() as page:
        page.load(runs.write("no-predictor.jsl", runs.made(finding("cond.history", None, "U", table=1, reason="noise"))))
        wrong.check(page.js("return !document.querySelector('section.predictor')"), "there is a picture of nothing")
        page.no_complaints(wrong)


def tests(report, open_page, axe):
    report.test("branch prediction: the footprint and the tables as a picture", picture, open_page, axe)
    report.test("branch prediction: no picture where nothing is decided", nothing, open_page)
