"""Why findings and curves are undecided: the rows of lib/base/reasons.def."""

import functools
import json
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[1] / "lib/base/reasons.def"


@functools.cache
def table():
    """Token -> (constant, sentence, advice), in the order of the file."""
    found = {}
    for constant, row in re.findall(r"^REASON\((\w+), (.*)\)$", TABLE.read_text(encoding="utf-8"), re.MULTILINE):
        token, sentence, advice = json.loads(f"[{row}]")
        found[token] = (constant, sentence, advice)
    return found


def known(token):
    """Whether a record may say this: a token of the table, or masked-by: and another finding with its variants."""
    return token in table() or re.fullmatch(r"masked-by:[a-z]+(\.[a-z0-9_]+)+( [a-z]+=[^ ]+)*", token) is not None


def sentence(token):
    """For people, without a full stop; a token that the table does not have stays as it is."""
    if token in table():
        return table()[token][1]
    return f"{token.removeprefix('masked-by:')} is reached at the same point" if known(token) else token
