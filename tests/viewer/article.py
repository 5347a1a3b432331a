"""Tests of the article that scripts/report --article makes of the hosted run, in the browser and on paper."""

import os
import re

import browser
import runs


def layout(open_page, every, axe, wrong):
    file = os.path.join(runs.SCRATCH, "article.html")
    runs.command("scripts/report", "--article", every["hosted"].file, "-o", file)
    with open(file, encoding="utf-8") as opened:
        browser.valid(opened.read(), "the article", wrong)
    for width, phone in ((1280, False), (390, True)):
        with open_page(file, width=width, height=900, phone=phone) as page:
            wide, seen = page.js("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            wrong.check(wide <= seen, f"at {width} pixels the article is {wide} wide")
            if not phone:
                browser.accessible(page, axe, "the article", wrong)
                page.shot("article", whole=True)
                pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf()))
                wrong.check(4 <= pages <= 60, f"the article has {pages} pages of paper")
            page.no_complaints(wrong)


def narrow(open_page, every, wrong):
    """The long names of findings stand in sentences there, where a busy machine left them undecided."""
    nothing = {"value": None, "low": None, "high": None, "grade": "U", "reason": "no-readings"}
    undecided = [{**record, **nothing} if record["t"] == "finding" else record for record in every["hosted"].records]
    run, file = runs.write("undecided.jsl", runs.lines(undecided)), os.path.join(runs.SCRATCH, "undecided.html")
    runs.command("scripts/report", "--article", run, "-o", file)
    with open_page(file, width=390, height=900, phone=True) as page:
        wide, seen = page.js("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        wrong.check(wide <= seen, f"at {seen} pixels the article is {wide} wide")
        page.no_complaints(wrong)


def tests(report, open_page, every, axe):
    report.test("an article: valid, accessible, as wide as the page, on paper", layout, open_page, every, axe)
    report.test("an article of a run that decided nothing: as wide as a phone", narrow, open_page, every)
