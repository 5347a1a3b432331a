"""What an article says, before it is laid out: the same records make the same text, and two runs can be compared by line."""

import collections
import dataclasses
import functools
import hashlib
import pathlib
import re

import reasons
import records
import summary
import viewer

METHODS = pathlib.Path(viewer.TOP) / "docs/methods"
FAMILIES = {"frontend": "Front end", "backend": "Back end", "memory": "Memory", "system": "Clock, silence and other cores"}
FIGURES = 12  # of a probe at most: the others lie in the run
REJECTED = {
    "reference": "the core clock changed while they were taken",
    "interrupted": "an interrupt came",
    "shared": "a sibling thread was awake on the core",
    "stolen": "another process or virtual machine had the core",
    "smi": "system management mode had the core",
    "throttled": "heat slowed the core down",
}


@dataclasses.dataclass
class Row:
    """A finding: texts for one line of a table."""

    name: str
    variants: str
    value: str
    interval: str
    grade: str
    remark: str
    published: str


@dataclasses.dataclass
class Section:
    """A probe."""

    name: str
    title: str
    question: str
    method: str
    source: str
    outcome: str
    decided: list
    undecided: list  # (name and variants, why, what may help)
    curves: list
    more: int  # curves that are not shown


@dataclasses.dataclass
class Article:
    title: str
    citation: str
    facts: list  # (what, text)
    disturbances: list
    repeat: list  # lines
    chapters: list  # (title, sections)
    findings: list  # that stand, as records
    notices: list


def sentences(text, count):
    """The first sentences of a text, on one line."""
    flat = re.sub(r"\s+", " ", text).strip()
    parts = re.split(r"(?<=[.;:])\s+(?=[A-Z*1-9])", flat)
    return " ".join(parts[:count])


@functools.cache
def book():
    """Probe -> the parts of its section in docs/methods: Question, Experiment, Inference, Sources."""
    found = {}
    for path in sorted(METHODS.glob("*.md")):
        for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            probe = re.match(r"[\d.]+ `(\w+)`", section)
            if probe:
                parts = re.findall(r"^\*\*(\w+)[^*]*\*\*\s(.*?)(?=^\*\*[A-Z]|\Z)", section, re.DOTALL | re.MULTILINE)
                found[probe[1]] = {
                    name: re.sub(r"\*|^#+ ", "", text) for name, text in reversed(parts)
                }  # the first of a name
    return found


def row(finding):
    name, variants, value, interval, grade, _ = summary.finding_row(finding)
    unit = finding.get("unit", "")
    remark = "; ".join(
        finding[key] for key in ("agreement", "condition", "overflow", "conflicts") if isinstance(finding.get(key), str)
    )
    published = " or ".join(
        f"{summary.quantity(each['value'], unit)} ({each['source']})" for each in finding.get("published", [])
    )
    if finding.get("difference"):
        published += f"; {finding['difference']}"
    return Row(name, variants, value, interval, grade, remark, published)


def why(finding):
    """Name, reason as a sentence, and advice."""
    token = finding.get("reason", "")
    advice = reasons.table()[token][2] if token in reasons.table() else ""
    seen = f"; {finding['at_least']} at least" if finding.get("at_least") else ""
    detail = f" ({finding['detail']})" if finding.get("detail") else ""
    return (
        finding["name"] + "".join(f" {k}={v}" for k, v in records.variants(finding)),
        reasons.sentence(token) + detail + seen,
        advice,
    )


def section(probe, standing, curves, ends):
    """None where the run has nothing of this probe."""
    mine = [f for f in standing if f["probe"] == probe["name"]]
    drawn = [c for c in curves if c["probe"] == probe["name"] and c.get("x")]
    end = ends.get(probe["name"])
    if not mine and not drawn and not end:
        return None
    wanted = [name for f in mine for name in f.get("curves", [])]
    shown = sorted(drawn, key=lambda c: (wanted.index(c["name"]) if c["name"] in wanted else len(wanted)))[:FIGURES]
    parts = book().get(probe["name"], {})
    paragraphs = re.split(r"\n\s*\n", probe["text"])
    experiment = parts.get("Experiment", paragraphs[min(1, len(paragraphs) - 1)])
    second = next((name for name in ("Inference", "Curve") if name in parts), None)
    method = sentences(experiment, 1) + " " + sentences(parts[second], 1) if second else sentences(experiment, 2)
    outcome = "" if not end or end["outcome"] == "ok" else f"{end['outcome']}: {end.get('reason', 'see its fault record')}"
    question = sentences(parts.get("Question", paragraphs[0]), 2)
    return Section(
        probe["name"],
        probe["title"],
        question,
        method.strip(),
        re.sub(r"\s+", " ", parts.get("Sources", "")).strip(),
        outcome,
        [row(f) for f in mine if f["grade"] != "U"],
        [why(f) for f in mine if f["grade"] == "U"],
        shown,
        len(drawn) - len(shown),
    )


def disturbances(ends, standing):
    readings, rejected = sum(e["readings"] for e in ends), sum(e["rejected"] for e in ends)
    lines = [f"{readings} readings were taken; {rejected} were rejected."]
    by = collections.Counter()
    for end in ends:
        by.update(end.get("rejected_by", {}))
    lines += [
        f"{100 * count / readings:.2f} % because {REJECTED.get(cause, cause)}."
        for cause, count in sorted(by.items())
        if count
    ]
    lines += [
        f"{f['name']}{''.join(f' {k}={v}' for k, v in records.variants(f))}: {summary.quantity(f['value'], f.get('unit', ''))}."
        for f in standing
        if f["name"].startswith("system.noise.") and f["grade"] != "U"
    ]
    return lines


def facts(run, machine, environment, done, identity):
    large = ", ".join(f"{page['bytes']} bytes ({page['source']})" for page in environment.get("large_pages", []))
    rows = [
        ("Processor", machine.get("core_model")),
        ("Core design", machine.get("core_name")),
        ("Core", f"{machine['core']}" + (f", type {machine['type']}" if machine.get("type") else "")),
        ("Instruction set", run.get("isa")),
        ("Run as", {"uefi": "UEFI image", "linux": "Linux program"}.get(run.get("platform"), run.get("platform"))),
        ("Under", "an emulator" if machine.get("emulator") else machine.get("hypervisor")),
        ("System", " ".join(filter(None, (machine.get("system"), machine.get("release"))))),
        ("Microcode", environment.get("microcode")),
        ("Memory", summary.quantity(environment.get("memory_bytes"), "bytes")),
        ("Large pages", large),
        ("Frames", environment.get("frames")),
        ("Cycles from", environment.get("cycles_from")),
        ("Counters", environment.get("no_counters")),
        ("Prefetchers and clock", environment.get("no_control")),
        ("Date", run.get("date")),
        ("Profile", run.get("profile")),
        ("Version", f"fathom {run.get('build')}"),
        ("Run", identity),
        ("Took", f"{done['seconds']:.0f} s" if done else "cut short"),
    ]
    return [(what, str(text)) for what, text in rows if text not in (None, "", "-")]


def articles(reader):
    """An article for each core that measured."""
    parsed = records.parse(reader)
    run = next((r for r in parsed if r["t"] == "run"), {})
    done = next((r for r in parsed if r["t"] == "done"), None)
    identity = hashlib.sha256(b"\n".join(reader.lines)).hexdigest()[:16]
    standing = records.findings(parsed)
    found = []
    for environment in (r for r in parsed if r["t"] == "environment"):
        core = environment["core"]
        machine = next(r for r in parsed if r["t"] == "machine" and r["core"] == core)
        found.append(
            article(
                run,
                done,
                identity,
                machine,
                environment,
                [f for f in standing if f.get("core") == core],
                [r for r in parsed if r["t"] == "curve" and r.get("core") == core],
                {r["probe"]: r for r in parsed if r["t"] == "end" and r.get("core") == core},
                reader.damaged,
            )
        )
    return found


def article(run, done, identity, machine, environment, standing, curves, ends, damaged):
    name = machine.get("core_model") or "A core without a name"
    title = name + (f" ({machine['core_name']})" if machine.get("core_name") else "") + ": how the core is built"
    date = (run.get("date") or "undated")[:10]
    citation = f"fathom {run.get('build')}, “{title}”, core {machine['core']}, run {identity}, {date}."
    chapters = []
    for family, heading in FAMILIES.items():
        sections = [section(probe, standing, curves, ends) for probe in viewer.probes() if probe["family"] == family]
        sections = [each for each in sections if each]
        if sections:
            chapters.append((heading, sections))
    notices = []
    if done is None:
        notices.append("This run was cut short: what was recorded before is shown.")
    if damaged:
        notices.append(f"{damaged} records were damaged and are left out.")
    if done and done.get("trusted") is False:
        notices.append(
            f"Times of this platform cannot be trusted ({done.get('untrusted_cause')}): every finding is undecided."
        )
    probes = f" {run['probes']}" if run.get("probes") not in (None, "", "all") else ""
    repeat = [
        f"fathom run{probes} --profile {run.get('profile')} --cores {machine['core']} --json run.jsonl",
        f"scripts/report --article run.jsonl -o article.html    # of fathom {run.get('build')}",
    ]
    if run.get("platform") == "uefi":
        repeat.insert(
            0,
            f"# boot the image with: profile = {run.get('profile')}{', probes =' + probes if probes else ''}; or under Linux",
        )
    return Article(
        title,
        citation,
        facts(run, machine, environment, done, identity),
        disturbances(list(ends.values()), standing),
        repeat,
        chapters,
        standing,
        notices,
    )
