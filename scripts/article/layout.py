"""An article as HTML and as Markdown. Both are one file, without scripts; figures lie inside."""

import base64
import html

from article import figures

STYLE = """
:root { color-scheme: light; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 'DejaVu Serif', Georgia, serif; color: #1d2129; background: #fff; overflow-wrap: anywhere; }
h1, h2, h3, th, td, .facts, .citation { font-family: 'DejaVu Sans', Helvetica, Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.5rem; border-bottom: 2px solid #5b6472; } h3 { margin: 2rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; font-size: .82rem; margin: .8rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem .5rem .2rem 0; border-bottom: 1px solid #d8dce2; }
th { white-space: nowrap; } td:first-child { min-width: 11em; } td.number { min-width: 5em; } .grade { font-weight: bold; }
.citation { background: #f2f4f7; padding: .6rem .8rem; font-size: .9em; } .notice { border-left: 4px solid #b4472b; padding-left: .8rem; }
.source, .quiet { color: #4a5260; font-size: .9em; } pre { background: #f2f4f7; padding: .6rem .8rem; white-space: pre-wrap; }
figure { margin: .5rem 0; } svg { max-width: 100%; height: auto; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: .5rem 1rem; }
@page { size: A4; margin: 18mm 16mm 20mm; }
@media screen and (max-width: 45rem) { table { display: block; overflow-x: auto; } }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 9.5pt; } h2 { break-before: page; } h2, h3 { break-after: avoid; }
  h2.first { break-before: auto; } figure, tr, pre, .citation { break-inside: avoid; } thead { display: table-header-group; }
  .figures { grid-template-columns: 1fr 1fr; } table { font-size: 7.5pt; } p { orphans: 3; widows: 3; }
}
"""
GRADES = (
    "A: experiments with different possible sources of error give the same value. B: they agree within 2 % or one step. C: one "
    "experiment. Undecided findings have no value, and their reason stands below each table. Intervals are [last good, first bad]."
)
HEAD = ("finding", "variant", "value", "interval", "grade", "rests on", "published")


def cells(row):
    return (row.name, row.variants, row.value, row.interval, row.grade, row.remark, row.published)


def used(rows):
    """The columns of which any row has something."""
    return [i for i in range(len(HEAD)) if any(cells(row)[i] for row in rows)]


# ---- HTML --------------------------------------------------------------------------------------------


def html_table(rows):
    columns = used(rows)
    head = "".join(f"<th scope='col'>{HEAD[i]}</th>" for i in columns)
    kind = {2: " class='number'", 4: " class='grade'"}
    body = "\n".join(
        "<tr>" + "".join(f"<td{kind.get(i, '')}>{html.escape(cells(row)[i])}</td>" for i in columns) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def html_section(section):
    e = html.escape
    parts = [
        f"<section id='{section.name}'><h3>{e(section.title)}</h3>",
        f"<p>{e(section.question)}</p>",
        f"<p>{e(section.method)}"
        + (f" <span class='source'>Source: {e(section.source)}</span>" if section.source else "")
        + "</p>",
    ]
    if section.outcome:
        parts.append(f"<p class='notice'>{e(section.outcome)}</p>")
    if section.decided:
        parts.append(html_table(section.decided))
    if section.undecided:
        parts.append(
            "<p>Not decided:</p><ul>"
            + "\n".join(
                f"<li><b>{e(name)}</b>: {e(reason)}.{f' <span class=quiet>{e(advice)}</span>' if advice else ''}</li>"
                for name, reason, advice in section.undecided
            )
            + "</ul>"
        )
    if section.curves:
        parts.append(
            "<div class='figures'>" + "\n".join(f"<figure>{figures.curve(c)}</figure>" for c in section.curves) + "</div>"
        )
    if section.more:
        parts.append(f"<p class='quiet'>{section.more} more curves are in the records of the run.</p>")
    return "\n".join([*parts, "</section>"])


def as_html(article):
    e = html.escape
    facts = "".join(f"<tr><th scope='row'>{e(what)}</th><td>{e(words)}</td></tr>\n" for what, words in article.facts)
    parts = [
        "<!DOCTYPE html>",
        "<html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{e(article.title)}</title>",
        f"<style>{STYLE}</style></head><body><main>",
        f"<h1>{e(article.title)}</h1>",
        f"<p class='citation'>Cite as: {e(article.citation)}</p>",
        *(f"<p class='notice'>{e(each)}</p>" for each in article.notices),
        "<h2 class='first'>The core</h2>",
        f"<figure>{figures.diagram(article.findings)}</figure>",
        f"<p class='quiet'>{GRADES}</p>",
        "<h2>Machine and disturbance</h2>",
        f"<table class='facts'><tbody>{facts}</tbody></table>",
        "<ul>" + "".join(f"<li>{e(each)}</li>\n" for each in article.disturbances) + "</ul>",
        "<h3>How to repeat it</h3>",
        f"<pre>{e(chr(10).join(article.repeat))}</pre>",
    ]
    for title, sections in article.chapters:
        parts += [f"<h2>{e(title)}</h2>", *map(html_section, sections)]
    return "\n".join([*parts, "</main></body></html>", ""])


# ---- Markdown ----------------------------------------------------------------------------------------


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def markdown_section(section, drawn):
    lines = [
        f"### {section.title}",
        "",
        section.question,
        "",
        section.method + (f" Source: {section.source}" if section.source else ""),
        "",
    ]
    if section.outcome:
        lines += [f"> {section.outcome}", ""]
    if section.decided:
        columns = used(section.decided)
        lines += ["| " + " | ".join(HEAD[i] for i in columns) + " |", "|" + " --- |" * len(columns)]
        lines += ["| " + " | ".join(escaped(cells(row)[i]) for i in columns) + " |" for row in section.decided] + [""]
    if section.undecided:
        lines += (
            ["Not decided:", ""]
            + [f"- **{name}**: {escaped(reason)}. {escaped(advice)}".rstrip() for name, reason, advice in section.undecided]
            + [""]
        )
    for i, record in enumerate(section.curves):
        key = f"{section.name}-{i + 1}"
        drawn[key] = figures.curve(record)
        lines += [f"![{section.title}: {record['name'].replace('[', '(').replace(']', ')')}][{key}]"]
    if section.more:
        lines += ["", f"{section.more} more curves are in the records of the run."]
    return lines + [""]


def as_markdown(article):
    """Figures stand at the end, as data, so that the text before can be compared line by line."""
    drawn = {"core": figures.diagram(article.findings)}
    lines = [
        f"# {article.title}",
        "",
        f"Cite as: {article.citation}",
        "",
        *(f"> {each}\n" for each in article.notices),
        "## The core",
        "",
        "![The core as a block diagram][core]",
        "",
        GRADES,
        "",
        "## Machine and disturbance",
        "",
        "| what | value |",
        "| --- | --- |",
        *(f"| {what} | {escaped(words)} |" for what, words in article.facts),
        "",
        *(f"- {each}" for each in article.disturbances),
        "",
        "### How to repeat it",
        "",
        *(f"    {each}" for each in article.repeat),
        "",
    ]
    for title, sections in article.chapters:
        lines += [f"## {title}", ""]
        for section in sections:
            lines += markdown_section(section, drawn)
    lines += [f"[{key}]: data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}" for key, text in drawn.items()]
    return "\n".join(lines) + "\n"
