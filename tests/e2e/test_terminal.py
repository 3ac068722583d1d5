"""What a person at a terminal sees, through a pseudo-terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import program
from program import ProgramTest


def on_terminal(arguments, columns=80, environment=None):
    """Exit status and text of a run whose stdout and stderr are a terminal of so many columns."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAMET_") and name != "NO_COLOR"}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([program.PATH, *map(str, arguments)], stdout=theirs, stderr=theirs,
                          env={**clean, **(environment or {})}) as process:
        os.close(theirs)
        text = b""
        while chunk := read_some(ours):
            text += chunk
    os.close(ours)
    return process.returncode, text.decode("utf-8")


def read_some(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


class Terminal(ProgramTest):
    def test_colour_only_without_no_color(self):
        command = ["inspect", self.folder / "absent"]
        self.assertIn("\x1b[1;31mramet: error:\x1b[0m ", on_terminal(command)[1])
        self.assertNotIn("\x1b", on_terminal(command, environment={"NO_COLOR": "1"})[1])

    def test_table_fits_the_terminal(self):
        checkpoint, source = self.synth("n17_droid")
        command = ["predict", checkpoint, "--observation", source / "inputs/observation.json"]
        status, text = on_terminal(command, columns=100)
        self.assertEqual(status, 0)
        table = [line for line in text.splitlines() if line.strip()[:1].isdigit()]
        self.assertLessEqual(max(map(len, table)), 100)
        self.assertEqual(len(table), 2 * 40)  # the keys stand in two tables of 40 steps
