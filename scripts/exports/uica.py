"""
A configuration for uiCA: a MicroArchConfig with the fields that findings decide. uiCA has no value of its own for any
field of a new core, so a field that is left out has to be given by the user; the file lists them.
"""

# Field, finding, variants.
FIELDS = (
    ("issueWidth", "backend.rename.per_cycle", {"counted": "operations"}),
    ("retireWidth", "backend.retire.per_cycle", {"counted": "operations"}),
    ("RBWidth", "backend.rob.entries", {}),
    ("nDecoders", "frontend.decode.width", {}),
    ("preDecodeBlockSize", "frontend.fetch.bytes", {}),
)
# What uiCA wants besides, and fathom does not ask.
MISSING = (
    "IQWidth",
    "DSBWidth",
    "preDecodeWidth",
    "predecodeDecodeDelay",
    "issueDispatchDelay",
    "DSBBlockSize",
    "moveEliminationPipelineLength",
    "moveEliminationGPRSlots",
    "moveEliminationSIMDSlots",
    "simplePortAssignment",
)


def files(taken):
    core = taken.core
    lines = []
    for field, name, variants in FIELDS:
        value = taken.take(field, name, **variants)
        lines.append(
            f"    {field}={round(value.value)},  # {value.remark()}"
            if value
            else f"    # {field}: {core.look(name, **variants)}"
        )
    loop = taken.take("LSDEnabled", "frontend.loop_buffer.ops")
    if loop:
        lines.append(f"    LSDEnabled={loop.value > 0},  # {loop.remark()}")
        if loop.value > 0:
            lines.append(f"    IDQWidth={round(loop.value)},  # the loop buffer; {loop.remark()}")
            taken.note("IDQWidth", loop)
    else:
        lines.append(f"    # LSDEnabled, IDQWidth: {core.look('frontend.loop_buffer.ops')}")
    taken.leave("RSWidth", "uiCA has one scheduler; backend.scheduler.entries has one for each class")
    for form in ("mov64", "movaps"):
        for variants in core.matching("backend.elimination.per_cycle", form=form):
            value = core.look("backend.elimination.per_cycle", **variants)
            text = value if isinstance(value, str) else value.remark()
            taken.leave("moveEliminationGPRSlots", f"slots are not measured; {text}")
    for field in MISSING:
        taken.leave(field, "fathom has no such finding")
    head = [f"# uiCA configuration of {line}" if i == 0 else f"#   {line}" for i, line in enumerate(core.provenance())]
    head += ["# Instructions come from the XML (export --to uops-xml). To be given by the user:"]
    head += [f"#   {field}: {why}" for field, why in taken.left_out]
    text = [
        *head,
        "from microArchConfigs import MicroArchConfig",
        "",
        f"{core.class_name} = MicroArchConfig(",
        f'    name="{core.class_name}",',
        *lines,
        ")",
    ]
    return {f"{core.name}.py": "\n".join(text) + "\n"}
