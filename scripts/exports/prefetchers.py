"""
Which prefetchers belong to which cache, from `memory.prefetcher.*`, and gem5's classes for them.

A prefetcher belongs to the cache that it brings lines into. One that brings lines from the second level has only the first
to bring them into; of one that brings them from farther away, `memory.prefetcher.level` says which it is.
"""

from exports.core import Value

KINDS = ("next", "pair", "stride", "stream", "region", "deltas", "replay", "pointers")
NONE = "none"
# gem5's class of each kind.
CLASSES = {"next": "TaggedPrefetcher", "stride": "StridePrefetcher", "region": "SmsPrefetcher", "deltas": "DCPTPrefetcher"}
WITHOUT = {
    "pair": "gem5 has no prefetcher of the other line of a pair",
    "stream": "gem5 has no prefetcher of streams that several instructions make",
    "pointers": "gem5's prefetcher of indirect accesses follows indices of an array, not pointers",
    "replay": "what a replayed sequence is known by is not measured, and gem5's prefetchers differ in that",
}
WAYS = 4  # table_assoc of gem5's StridePrefetcher, which divides its entries


def homes(core):
    """The levels that had the data, the second one first."""
    found = {variants["home"] for variants in core.matching("memory.prefetcher.kind")}
    return sorted(found, key=lambda home: (home != "2", home))


def of_level(core, level):
    """
    Kind -> (Value, home) of prefetchers that bring lines into that level, and (kind, why) of those that are not known. What
    is brought into a third level is not measured.
    """
    found, left = {}, []
    for home in homes(core):
        for kind in KINDS:
            exists = core.look("memory.prefetcher.kind", kind=kind, home=home)
            into = core.look("memory.prefetcher.level", kind=kind, home=home)
            if not isinstance(exists, Value):
                if level == (1 if home == "2" else 2):
                    left.append((kind, exists))
            elif exists.value == NONE or kind in found:
                continue
            elif home == "2" or isinstance(into, Value):
                if level == (1 if home == "2" else int(into.value)):
                    found[kind] = exists, home
            elif level == 2:
                left.append((kind, f"{exists.remark()}, but not which level it brings lines into: {into}"))
    return found, left


def stride(w, each):
    """gem5's distance is the strides that are left out before the first line that is brought."""
    taken, core = w.taken, w.taken.core
    w.take("degree", "memory.prefetcher.degree", **each)
    degree, far = (core.look(f"memory.prefetcher.{name}", **each) for name in ("degree", "distance"))
    if isinstance(degree, Value) and isinstance(far, Value) and far.value >= degree.value:
        taken.note(w.field("distance"), far)
        w.put("distance", far, round(far.value - degree.value), f", less the degree {degree.value:g}")
    else:
        w.refuse("distance", f"needs distance and degree: {degree if isinstance(far, Value) else far}")
    entries = taken.take(w.field("table_entries"), "memory.prefetcher.streams", **each)
    if entries is not None and entries.value % WAYS:
        del taken.fields[w.field("table_entries")]
        w.refuse("table_entries", f"{entries.remark()}, but gem5 wants sets of {WAYS}")
    else:
        w.put("table_entries", entries)


def words(w, each):
    """What trains it besides loads that miss."""
    for parameter, name in (("prefetch_on_access", "hits"), ("on_write", "stores")):
        value = w.taken.take(w.field(parameter), f"memory.prefetcher.{name}", **each)
        w.put(parameter, value, value and value.value == "train")


def gem5(writer, taken, cache, level):
    """The classes of a cache's prefetchers, and what stands for its parameter `prefetcher`; None where there is none."""
    found, left = of_level(taken.core, level)
    parts, names = [], []
    for kind, why in left:
        taken.leave(f"{cache}.prefetcher", f"{kind}: {why}")
    for kind, (exists, home) in found.items():
        if kind in WITHOUT:
            taken.leave(f"{cache}.prefetcher", f"{exists.remark()}: {WITHOUT[kind]}")
            continue
        w = writer(taken, f"{cache}{kind.capitalize()}", CLASSES[kind])
        each = {"kind": kind, "home": home}
        taken.note(w.name, exists)
        w.lines.append(f"    # {exists.remark()}")
        if kind == "next":
            w.take("degree", "memory.prefetcher.degree", **each)
        elif kind == "stride":
            stride(w, each)
            words(w, each)
        elif kind == "region":
            w.take("region_size", "memory.prefetcher.region_bytes", **each)
        else:
            length = taken.take(w.field("deltas_per_entry"), "memory.prefetcher.length", **each)
            w.put("dcpt", length, length and f"DeltaCorrelatingPredictionTables(deltas_per_entry={round(length.value)})")
        parts.append(w.text())
        names.append(f"{w.name}()")
    if len(names) > 1:
        return parts, f"MultiPrefetcher(prefetchers=[{', '.join(names)}])"
    return parts, names[0] if names else None
