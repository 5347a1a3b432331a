"""The frame of tests in Python: runs functions, and reports in TAP (the Test Anything Protocol, version 12)."""

import sys
import time
import traceback

SHOWN = 30  # lines about one failed test of a Report


class Skip(Exception):
    """Raised by a test that cannot run here; the argument is the reason."""


def tests_in(module):
    """Name -> function of a module's (or globals()') functions called test_NAME, in the order of the source."""
    members = module if isinstance(module, dict) else vars(module)
    return {name[5:]: test for name, test in members.items() if name.startswith("test_")}


def run(tests):
    """Runs name -> function, in order; a test fails by any exception but Skip. Returns the exit status: 0 or 1."""
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for number, (name, test) in enumerate(tests.items(), 1):
        try:
            test()
            print(f"ok {number} - {name}")
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}")
        except Exception:
            failed += 1
            print(f"not ok {number} - {name}")
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
        sys.stdout.flush()
    return 1 if failed else 0


# ---- Tests that go on after something was wrong, or need arguments ------------------------------------


class Wrong(list):
    """What a test found wrong; a test goes on, and fails when there is anything."""

    def check(self, good, text):
        if not good:
            self.append(str(text))
        return bool(good)


def note(text):
    print(f"# {text}", flush=True)


class Report:
    """Tests one after the other, then the plan."""

    def __init__(self):
        self.count = self.failed = 0

    def test(self, name, body, *arguments):
        """Runs body(*arguments, wrong); it may add to `wrong`, raise anything, or raise Skip."""
        self.count += 1
        wrong, began, skipped = Wrong(), time.monotonic(), ""
        try:
            body(*arguments, wrong)
        except Skip as reason:
            skipped = f" # SKIP {reason}"
        except Exception:  # whatever a test raises is its failure
            wrong += traceback.format_exc().splitlines()
        self.failed += bool(wrong)
        seconds = time.monotonic() - began
        print(f"{'not ok' if wrong else 'ok'} {self.count} - {name} ({seconds:.1f} s){'' if wrong else skipped}")
        for text in wrong[:SHOWN]:
            print(f"#   {text}")
        sys.stdout.flush()

    def end(self):
        """Prints the plan; returns the exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0
