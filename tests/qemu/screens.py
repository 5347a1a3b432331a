"""QEMU's monitor, and its screendumps read back as text with the font that boot/uefi/screen.c draws with."""

import os
import re
import runpy
import shutil
import socket
import subprocess
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FONTS = os.path.join(TOP, "build/debian/usr/share/consolefonts/spleen-%s.psfu.gz")
# As boot/uefi/screen.c chooses the size of characters.
COLUMNS_WANTED, ROWS_WANTED = 96, 30
_pack_font = runpy.run_path(os.path.join(TOP, "scripts/pack-font"))


class Monitor:
    """The human monitor at a socket: `-monitor unix:PATH,server=on,wait=off`."""

    def __init__(self, path):
        self._path, self._socket = path, None

    def command(self, text):
        """Sends a command, and waits for the next prompt; returns what came."""
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
        """The lines of the screen as text; its picture stays in the file `path`."""
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
    """Width, height and pixels of a portable pixmap; three bytes a pixel."""
    header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", ppm)
    return int(header[1]), int(header[2]), ppm[header.end():]


def glyphs(width, height):
    """A character's width and height in pixels of the font, its scale, and a table: pixels, a bit each -> character."""
    scale = max(1, min(width // (8 * COLUMNS_WANTED), height // (16 * ROWS_WANTED)))
    name, times = ("16x32", scale // 2) if scale % 2 == 0 else ("8x16", scale)
    across, down, font = _pack_font["read"](FONTS % name)
    known = {}
    for character in range(_pack_font["FIRST"], _pack_font["LAST"] + 1):
        known.setdefault(bytes(font[character]), chr(character))
    return across, down, times, known


def text(ppm):
    """Lines of the screen; what is no character of the font, such as a part of the plot, becomes a blank."""
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
                if span == paper * (across * times):  # most rows of pixels are empty
                    bits += [0] * (across // 8)
                    continue
                for byte in range(across // 8):
                    value = 0
                    for x in range(byte * 8, byte * 8 + 8):
                        value = value << 1 | (span[x * times * 3: x * times * 3 + 3] != paper)
                    bits.append(value)
            line += known.get(bytes(bits), " ")
        lines.append(line.rstrip())
    return lines


class Person:
    """Stands in for somebody at the screen and keyboard.

    Steps are lines: `screen PATTERN` waits until a line of the screen matches, `key NAME` presses a key, `code` waits
    until zbarimg, as a telephone would, reads a QR code off the screen; `codes` holds what it says.
    """

    PATIENCE = 60  # seconds, for each step

    def __init__(self, steps, folder):
        self._steps = [line.split(None, 1) for line in steps.splitlines() if line.strip()]
        self._folder = folder
        self._sockets = tempfile.mkdtemp()  # a socket's path must be short
        self._path = os.path.join(self._sockets, "monitor")
        self.arguments = ["-monitor", f"unix:{self._path},server=on,wait=off"]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._complaints = []
        self.codes = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        shutil.rmtree(self._sockets)

    def complaints(self):
        return self._complaints

    def _follow(self):
        done = 0
        try:
            while not os.path.exists(self._path) and not self._over.is_set():
                time.sleep(0.05)
            monitor = Monitor(self._path)
            for what, *text_or_key in self._steps:
                if what == "key":
                    monitor.key(*text_or_key)
                elif what == "code":
                    if not self._read_code(monitor, done):
                        return
                elif not self._wait(monitor, *text_or_key, done):
                    return
                done += 1
        except OSError as error:  # QEMU ended; only after the last step that is right
            if done < len(self._steps) - 1:
                self._complaints.append(f"at step {done + 1}, {' '.join(self._steps[done])}: {error}")

    def _read_code(self, monitor, number):
        picture, began = os.path.join(self._folder, f"screen-{number:02}.ppm"), time.monotonic()
        while time.monotonic() - began < self.PATIENCE and not self._over.is_set():
            monitor.screen(picture)
            read = subprocess.run(["zbarimg", "--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", picture],
                                  capture_output=True, timeout=30, check=False)
            if read.returncode == 0:
                self.codes.append(read.stdout.decode().rstrip("\n"))
                return True
            time.sleep(0.5)
        self._complaints.append(f"no QR code can be read off the screen within {self.PATIENCE} s")
        return False

    def _wait(self, monitor, pattern, number):
        """Waits until a line of the screen matches; the last picture of each step stays in the folder."""
        picture, began, lines = os.path.join(self._folder, f"screen-{number:02}.ppm"), time.monotonic(), []
        while time.monotonic() - began < self.PATIENCE and not self._over.is_set():
            lines = monitor.screen(picture)
            if any('{"t":' in line or '"c":"' in line for line in lines):
                self._complaints.append("there are records on the screen")
                return False
            if any(re.search(pattern, line) for line in lines):
                return True
            time.sleep(0.1)
        shown = [line for line in lines if line]
        self._complaints.append(f"the screen does not show {pattern!r} within {self.PATIENCE} s; it has {shown}")
        return False
