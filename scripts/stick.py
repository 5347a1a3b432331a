"""The stick image's FATHOM volume, read and written by mtools without mounting."""

import os
import subprocess

# Where scripts/image puts the partition; another volume is named by its own offset.
OFFSET = "1M"
# No settings of the user's, and no complaint about geometry.
_ENVIRONMENT = dict(os.environ, MTOOLSRC="/dev/null", MTOOLS_SKIP_CHECK="1")


def mtools(tool, image, *words, data=None, offset=OFFSET, errors=None):
    command = [tool, "-i", f"{image}@@{offset}", *words]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=errors, check=True, env=_ENVIRONMENT).stdout


def read(image, path, offset=OFFSET):
    return mtools("mcopy", image, f"::{path}", "-", offset=offset)


def write(image, path, data, offset=OFFSET):
    mtools("mcopy", image, "-o", "-", f"::{path}", data=data, offset=offset)


def configure(image, **settings):
    """Adds settings to FATHOM.CFG; of two lines with the same key the later one counts."""
    text = read(image, "/FATHOM.CFG")
    for key, value in settings.items():
        text += f"{key} = {value}\r\n".encode()
    write(image, "/FATHOM.CFG", text)


def results(image, offset=OFFSET, errors=None):
    """Names of the result files, oldest first."""
    listing = mtools("mdir", image, "-b", "::/RESULTS", offset=offset, errors=errors).decode()
    names = [line.rpartition("/")[2].strip() for line in listing.splitlines()]
    return sorted(name for name in names if name.startswith("RUN") and name.endswith(".JSL"))
