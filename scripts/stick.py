"""The stick image's FATHOM volume, read and written by mtools without mounting."""

import os
import subprocess

# Where scripts/image puts the partition.
OFFSET = "1M"
# No settings of the user's, and no complaint about geometry.
_ENVIRONMENT = dict(os.environ, MTOOLSRC="/dev/null", MTOOLS_SKIP_CHECK="1")


def _mtools(tool, image, *words, data=None):
    command = [tool, "-i", f"{image}@@{OFFSET}", *words]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True, env=_ENVIRONMENT).stdout


def read(image, path):
    return _mtools("mcopy", image, f"::{path}", "-")


def write(image, path, data):
    _mtools("mcopy", image, "-o", "-", f"::{path}", data=data)


def configure(image, **settings):
    """Adds settings to FATHOM.CFG; of two lines with the same key the later one counts."""
    text = read(image, "/FATHOM.CFG")
    for key, value in settings.items():
        text += f"{key} = {value}\r\n".encode()
    write(image, "/FATHOM.CFG", text)


def results(image):
    """Names of the result files, oldest first."""
    listing = _mtools("mdir", image, "-b", "::/RESULTS").decode()
    names = [line.rpartition("/")[2].strip() for line in listing.splitlines()]
    return sorted(name for name in names if name.startswith("RUN") and name.endswith(".JSL"))
