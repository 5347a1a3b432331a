"""Figures as SVG: the block diagram of a core, and curves. Each carries its own style, so that it can stand anywhere."""

import html
import math

import summary
import viewer

FONT = "style='font-family: DejaVu Sans, Helvetica, Arial, sans-serif'"
INK, QUIET, LINE, KNEE = "#1d2129", "#5b6472", "#2457a7", "#b4472b"
FILLS = {"frontend": "#e8f0fb", "backend": "#fdf1df", "memory": "#e7f4ea"}
WIDE, ROW, HEAD, GAP = 1000, 15, 20, 8  # of the diagram, in pixels: its width, a line, a block's title, between blocks
PLOT = {"width": 440, "height": 190, "left": 52, "right": 10, "top": 20, "bottom": 34}
LOGARITHMIC = 32  # ratio of the ends of an axis from which on it is logarithmic


def escaped(text):
    return html.escape(str(text), quote=True)


def text(x, y, words, size=10, anchor="start", fill=INK, more=""):
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}'{more}>{escaped(words)}</text>"
    )


def svg(width, height, label, parts):
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img' "
        f"aria-label='{escaped(label)}' {FONT}>" + "".join(parts) + "</svg>"
    )


# ---- The block diagram -------------------------------------------------------------------------------


def finding_of(findings, name, variants):
    """The one of the best grade."""
    fitting = [f for f in findings if f["name"] == name and all(str(f.get(k)) == str(v) for k, v in variants.items())]
    return min(fitting, key=lambda f: "ABCU".index(f["grade"]), default=None)


def shown(finding):
    unit = finding.get("unit", "")
    short = (
        unit.replace("operations/cycle", "a cycle").replace("instructions/cycle", "a cycle")
        if "cycle" in unit
        else unit
        if unit in ("ns", "bytes", "Hz")
        else ""
    )
    return summary.quantity(finding["value"], short)


def block_lines(findings, block):
    lines = []
    for label, name, *more in block["lines"]:
        finding = finding_of(findings, name, more[0] if more else {})
        if finding:
            lines.append((label, "undecided" if finding["grade"] == "U" else shown(finding), finding["grade"]))
    return lines


def diagram(findings):
    parts, y = [], GAP
    for stage in viewer.diagram():
        for blocks in stage["rows"]:
            width = (WIDE - GAP * (len(blocks) + 1)) / len(blocks)
            filled = [(block["title"], block_lines(findings, block)) for block in blocks]
            height = HEAD + ROW * max(1, *(len(lines) for _, lines in filled)) + 8
            for i, (title, lines) in enumerate(filled):
                x = GAP + i * (width + GAP)
                parts.append(
                    f"<rect x='{x:.1f}' y='{y}' width='{width:.1f}' height='{height}' rx='4' fill='{FILLS[stage['family']]}' stroke='{QUIET}'/>"
                )
                parts.append(text(x + 7, y + 14, title, 11, more=" font-weight='bold'"))
                if not lines:
                    parts.append(text(x + 7, y + HEAD + ROW - 4, "not measured", 10, fill=QUIET))
                for j, (label, value, grade) in enumerate(lines):
                    base = y + HEAD + ROW * (j + 1) - 4
                    parts.append(text(x + 7, base, label))
                    parts.append(text(x + width - 20, base, value, anchor="end", fill=QUIET if grade == "U" else INK))
                    parts.append(text(x + width - 6, base, grade, anchor="end", fill=QUIET, more=" font-weight='bold'"))
            y += height + GAP
    return svg(WIDE, y, "The core as a block diagram: each structure with its value and grade", parts)


# ---- Curves ------------------------------------------------------------------------------------------


class Axis:
    """From values to pixels, linear or logarithmic, with ticks at round numbers."""

    def __init__(self, low, high, start, end, logarithmic):
        self.logarithmic = logarithmic and low > 0
        self.low, self.high, self.start, self.end = low, high if high > low else low + 1, start, end

    def at(self, value):
        if self.logarithmic:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1, max(0, part))

    def ticks(self):
        if self.logarithmic:
            powers = range(math.ceil(math.log2(self.low)), math.floor(math.log2(self.high)) + 1)
            step = max(1, math.ceil(len(powers) / 6))
            return [2.0**p for p in powers if p % step == 0]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        step *= next(m for m in (1, 2, 5, 10) if (self.high - self.low) / (step * m) <= 5)
        return [step * i for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]


def number(value):
    if value >= 1024 and value == int(value) and int(value) & (int(value) - 1) == 0:
        for name in ("", "Ki", "Mi", "Gi"):
            if value < 1024:
                return f"{value:g} {name}".strip()
            value /= 1024
    return f"{value:.4g}"


def curve(record):
    points = [(x, y) for x, y in zip(record["x"], record.get("median") or record.get("q20") or []) if y is not None]
    box = PLOT
    right, bottom = box["width"] - box["right"], box["height"] - box["bottom"]
    title = record["name"] + (f", pages of {record['page']}" if record.get("page") else "")
    parts = [text(box["left"], 13, title, 11, more=" font-weight='bold'")]
    if not points:
        return svg(
            box["width"],
            box["height"],
            title,
            [*parts, text(box["width"] / 2, box["height"] / 2, "no reading was accepted", anchor="middle")],
        )
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x_axis = Axis(min(xs), max(xs), box["left"], right, min(xs) > 0 and max(xs) / min(xs) >= LOGARITHMIC)
    y_axis = Axis(
        min(0, *ys) if len(ys) > 1 else min(0, ys[0]), max(ys) * 1.05 if max(ys) > 0 else 1, bottom, box["top"], False
    )
    for knee in record.get("knees", []):
        low, high = x_axis.at(knee["low"]), x_axis.at(knee["high"])
        parts.append(
            f"<rect x='{low:.1f}' y='{box['top']}' width='{max(1, high - low):.1f}' height='{bottom - box['top']}' fill='{KNEE}' opacity='0.18'/>"
        )
    for tick in y_axis.ticks():
        parts.append(f"<path d='M{box['left']} {y_axis.at(tick):.1f}H{right}' stroke='#d8dce2'/>")
        parts.append(text(box["left"] - 5, y_axis.at(tick) + 3.5, number(tick), 9, "end", QUIET))
    for tick in x_axis.ticks():
        parts.append(f"<path d='M{x_axis.at(tick):.1f} {bottom}v4' stroke='{QUIET}'/>")
        parts.append(text(x_axis.at(tick), bottom + 14, number(tick), 9, "middle", QUIET))
    line = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in points)
    parts.append(f"<polyline points='{line}' fill='none' stroke='{LINE}' stroke-width='1.3'/>")
    if len(points) <= 80:
        parts += [f"<circle cx='{x_axis.at(x):.1f}' cy='{y_axis.at(y):.1f}' r='1.8' fill='{LINE}'/>" for x, y in points]
    parts.append(text((box["left"] + right) / 2, box["height"] - 5, record["axis"].replace("_", " "), 9, "middle", QUIET))
    parts.append(
        text(
            11,
            (box["top"] + bottom) / 2,
            record["unit"],
            9,
            "middle",
            QUIET,
            f" transform='rotate(-90 11 {(box['top'] + bottom) / 2:.1f})'",
        )
    )
    return svg(box["width"], box["height"], f"{title}: {record['unit']} over {record['axis']}", parts)
