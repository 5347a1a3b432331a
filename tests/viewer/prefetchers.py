"""Tests of the picture of prefetchers: each line that a list brought is in it, for each kind and home."""

import browser
import runs

COLUMNS = ["list", "accessed", "brought", "unclear"]
SHOWN = """
const count = name => document.querySelectorAll(`.prefetchers svg .${name}`).length;
const texts = name => [...document.querySelectorAll(`.prefetchers svg ${name}`)].map(each => each.textContent);
return {accessed: count('accessed'), brought: count('brought'), unclear: count('unclear'), titles: texts('.axis-title'), ticks: texts('.tick')}"""


def fetched(kind, home, *rows):
    return {"t": "table", "probe": "prefetcher", "core": 0, "name": "fetched", "kind": kind, "home": home, "columns": COLUMNS, "rows": rows}


def picture(open_page, axe, wrong):
    records = [
        fetched("next", "2", ["an even line", [0], [1], []], ["an odd line", [0], [], [1]]),
        fetched("stride", "memory", ["a sequence", [-3, 0], [], []], ["a sequence", [-6, -3, 0], [3, 6, 9], []]),
    ]
    with open_page() as page:
        page.load(runs.write("prefetchers.jsl", runs.made(*records)))
        page.js("document.querySelector('section.prefetchers').scrollIntoView()")
        page.wait_for(".prefetchers svg")
        shown = page.js(SHOWN)
        counts = {key: shown[key] for key in ("accessed", "brought", "unclear")}
        wrong.check(counts == {"accessed": 7, "brought": 4, "unclear": 1}, f"the picture has {counts}")
        wrong.check(len(shown["titles"]) == 2 and "stride; data in memory" in shown["titles"][1], f"the titles are {shown['titles']}")
        wrong.check({"an odd line", "3 accesses"} <= set(shown["ticks"]), f"the lists are {shown['ticks']}")
        browser.accessible(page, axe, "the picture", wrong)
        page.shot("prefetchers", whole=True)
        page.no_complaints(wrong)


def nothing(open_page, wrong):
    """Where no prefetcher was found, there is no picture."""
    with open_page() as page:
        page.load(runs.write("no-prefetchers.jsl", runs.made()))
        wrong.check(page.js("return !document.querySelector('section.prefetchers')"), "there is a picture of nothing")
        page.no_complaints(wrong)


def tests(report, open_page, axe):
    report.test("prefetchers: the lines that each list brought as a picture", picture, open_page, axe)
    report.test("prefetchers: no picture where none was found", nothing, open_page)
