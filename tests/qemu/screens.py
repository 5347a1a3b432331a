"""QEMU's monitor, and screendumps read back as text by the font that the screen is drawn with."""

import os
import re
import runpy
import socket
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FONTS = "/usr/share/consolefonts/spleen-%s.psfu.gz"
# As boot/uefi/screen.c chooses the size of characters.
COLUMNS_WANTED, ROWS_WANTED = 96, 30
_pack_font = runpy.run_path(os.path.join(TOP, "scripts/pack-font"))


class Monitor:
    """The human monitor at a socket: `-monitor unix:PATH,server=on,wait=off`."""

    def __init__(self, path):
        self._path, self._socket = path, None

    def command(self, text):
        """Sends it, and waits for the prompt."""
        if not self._socket:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(10)
            self._socket.connect(self._path)
            self._until_prompt()
        self._socket.sendall(text.encode() + b"\n")
        return self._until_prompt()

    def _until_prompt(self):
        data = b""
        while not data.endswith(b"(qemu) "):
            more = self._socket.recv(65536)
            if not more:
                break
            data += more
        return data

    def screen(self, path):
        """The screen as text; the picture stays in that file."""
        self.command(f"screendump {path}")
        for _ in range(50):
            if os.path.exists(path) and os.path.getsize(path):
                break
            time.sleep(0.02)
        with open(path, "rb") as file:
            return text(file.read())

    def key(self, name):
        self.command(f"sendkey {name}")


def pixels(ppm):
    """Width, height and the dots of a portable pixmap, as bytes."""
    header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", ppm)
    return int(header[1]), int(header[2]), ppm[header.end():]


def glyphs(width, height):
    """Bytes of a cell's dots, one bit a dot -> character."""
    scale = max(1, min(width // (8 * COLUMNS_WANTED), height // (16 * ROWS_WANTED)))
    name, times = ("16x32", scale // 2) if scale % 2 == 0 else ("8x16", scale)
    across, down, font = _pack_font["read"](FONTS % name)
    known = {}
    for character in range(_pack_font["FIRST"], _pack_font["LAST"] + 1):
        known.setdefault(bytes(font[character]), chr(character))
    return across, down, times, known


def text(ppm):
    """Lines of the screen; what is no character of the font, a part of the plot say, is a blank."""
    width, height, dots = pixels(ppm)
    across, down, times, known = glyphs(width, height)
    columns, rows = width // (across * times), height // (down * times)
    left, top = width % (across * times) // 2, height % (down * times) // 2
    lines = []
    for row in range(rows):
        line = ""
        for column in range(columns):
            bits = []
            paper = None
            for y in range(down):
                at = ((top + (row * down + y) * times) * width + left + column * across * times) * 3
                span = dots[at: at + across * times * 3]
                paper = paper or span[:3]
                for byte in range(across // 8):
                    value = 0
                    for x in range(byte * 8, byte * 8 + 8):
                        value = value << 1 | (span[x * times * 3: x * times * 3 + 3] != paper)
                    bits.append(value)
            line += known.get(bytes(bits), " ")
        lines.append(line.rstrip())
    return lines
